"""What a study knows about the pool: a pool that the user gives, one made from the runs, or none."""

from __future__ import annotations

import copy
from collections.abc import Sequence

import numpy as np

from unjudged.arrays import Floats
from unjudged.collection import BaseCollection
from unjudged.data.pool import Pool, depth_pool, with_pool
from unjudged.data.pool_depth import JudgedDepths, PoolDepth
from unjudged.data.qrels import Qrels, State
from unjudged.data.view import View
from unjudged.errors import MOSTLY_UNJUDGED, InputError, Notice
from unjudged.measures.base import Measure
from unjudged.results.scores import mean_known
from unjudged.wording import counted

__all__ = ["MissingPool", "about_pool", "add_pool", "deeper_than_pool", "pool_of", "reads_mostly_unjudged"]

_ROUNDING = 1e-12
_UNTRIED = (
    "; intervals promise nothing there, because what was never pooled cannot be left out to see how wrong they are"
)
_FEW_JUDGED = 0.5
"""Below this share of the ranks that a measure reads, it is about the documents that are known."""


def add_pool(collection: BaseCollection) -> tuple[BaseCollection, list[Notice]]:
    """The collection whose judgments list the pool's documents, and what the user should know.

    Where the pool is the first documents of every run, no more than these stay in memory, unless a run cannot be read
    twice (standard input).
    """
    depth, pool = collection.pool_depth, collection.pool
    notices: list[Notice] = []
    if depth is not None:
        collection = collection.rereadable()
        pool = depth_pool(collection.each_run(lambda run: run.top(depth))[1], depth)
    elif pool is not None:
        notices = _topic_notices(collection.qrels, pool, chosen=collection.only_topics is not None)
    qrels = collection.qrels if pool is None else with_pool(collection.qrels, pool)
    if qrels is not collection.qrels:
        collection = collection.replaced(qrels=qrels, occurrences=None)  # which are about rows as they were
    return collection, notices


class MissingPool:
    """Finds out which measures would score otherwise if there were a pool, where nothing is known about it.

    Shown the rankings of one run after the other, in any order. It asks no further once a measure's score has changed.
    *given*: whether the user says what the pool is; otherwise the judgments may.
    """

    def __init__(self, qrels: Qrels, measures: Sequence[Measure], *, given: bool) -> None:
        has_pool = given or bool((qrels.states == State.POOLED).any())
        self._measures = [] if has_pool else [measure for measure in measures if measure.uses_pool()]
        self._missed: set[Measure] = set()

    def so_far(self) -> MissingPool:
        """The same, to be shown rankings that may not count in the end."""
        other = copy.copy(self)
        other._missed = set(self._missed)
        return other

    def add(self, other: MissingPool) -> None:
        """What was shown to another one, too."""
        self._missed |= other._missed

    def see(self, view: View) -> None:
        """Look at rankings."""
        for measure in self._measures:
            if measure not in self._missed and _pool_matters(measure, view):
                self._missed.add(measure)

    @property
    def notices(self) -> list[Notice]:
        """What the user should know."""
        missed = [str(measure) for measure in self._measures if measure in self._missed]
        if not missed:
            return []
        text = (
            f"{', '.join(missed)}: the judgments list no document that was pooled but not judged, so every"
            " unjudged document counts as not pooled; if that is wrong, give a pool or a pool depth"
        )
        return [Notice("no-pool", len(missed), text)]


def pool_of(collection: BaseCollection, names: Sequence[str], depths: JudgedDepths) -> PoolDepth | None:
    """How deep the pool is: as the user says, else as runs are judged; a single run says little about a pool."""
    if collection.pool_depth is not None:
        return depths.to(collection.pool_depth)
    if len(names) < 2:
        return None
    pool = depths.pool(collection.groups.numbers(names))
    return None if pool is None or int(pool.runs.sum()) < 2 else pool


def about_pool(pool: PoolDepth, runs: int) -> str:
    """How deep a pool is, in words."""
    mine = int(pool.runs.sum())  # 1 and 0 where the depth was given
    judged = f"{mine:,} of {counted(runs, 'run')} {'is' if mine == 1 else 'are'} judged so far down"
    verb = "is" if pool.given else "seems to be" if pool.depth < pool.looked_at else "seems to be at least"
    return f"{verb} {pool.depth} deep ({judged})"


def deeper_than_pool(
    measures: Sequence[Measure], pool: PoolDepth | None, runs: int, *, drawn: bool = False
) -> list[Notice]:
    """Which measures with a cut-off, to which unjudged documents matter, read deeper than the pool seems to be.

    *drawn*: whether grades are drawn for those, and scores have intervals.
    """
    if pool is None:
        return []
    deeper = [one for one in measures if one.has_holes and min(one.depth() or 0, pool.looked_at) > pool.depth]
    if not deeper:
        return []
    names = ", ".join(map(str, deeper))
    text = f"{names} {'reads' if len(deeper) == 1 else 'read'} deeper than the pool, which {about_pool(pool, runs)}"
    text += _UNTRIED if drawn else ""
    return [Notice("deeper-than-pool", len(deeper), text)]


def reads_mostly_unjudged(measures: Sequence[Measure], judged: Floats, *, drawn: bool = False) -> list[Notice]:
    """What measures with R or an ideal ranking, but no cut-off, mean where most that they read was never judged.

    *judged* has the share for each measure (row), in any shape.
    """
    shares = [float(mean_known(one.ravel())) for one in judged]
    mostly = [
        (measure, share)
        for measure, share in zip(measures, shares, strict=True)
        if measure.depth() is None and measure.has_holes and measure.normaliser() != "none" and share < _FEW_JUDGED
    ]
    if not mostly:
        return []
    names, least = ", ".join(str(measure) for measure, _ in mostly), min(share for _, share in mostly)
    text = (
        f"{names}: {1 - least:.0%} of the documents in the rankings were never judged; with those as not relevant, this"
        " says how early the known relevant documents come, among all that are known, and not how good a ranking is;"
        " a cut-off no deeper than the pool, as in nDCG@10, asks about what was judged"
    )
    text += _UNTRIED if drawn else ""
    return [Notice(MOSTLY_UNJUDGED, len(mostly), text)]


def _pool_matters(measure: Measure, view: View) -> bool:
    """Whether a score would change if the unjudged documents of these rankings had been in the pool."""
    if bool(view.judged.all()):
        return False
    return not np.allclose(measure.score(view), measure.score(view.all_pooled()), rtol=0, atol=_ROUNDING)


def _topic_notices(qrels: Qrels, pool: Pool, *, chosen: bool) -> list[Notice]:
    """What topics the pool lacks or has too many of; where topics were *chosen*, the others are nobody's mistake."""
    where = pool.source or "pool"
    common = len(set(pool.topics.names) & qrels.topic_rows.keys())
    if not common:
        raise InputError(
            f"{where}: no topic of this pool is judged"
            f" (the pool has {pool.topics.names[0]!r}, the judgments have {qrels.topics[0]!r})"
        )
    extra, absent = len(pool.topics.names) - common, len(qrels.topics) - common
    notices = []
    if extra and not chosen:
        text = f"{where} has {counted(extra, 'topic')} without judgments; left out"
        notices.append(Notice("unjudged-pool-topics", extra, text))
    if absent:
        text = f"{where} lacks {absent} of {len(qrels.topics)} judged topics; nothing is added to their pool"
        notices.append(Notice("missing-pool-topics", absent, text))
    return notices
