"""What a study knows about the pool: a pool that the user gives, one made from the runs, or none."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unjudged.data.pool import Pool, depth_pool, with_pool
from unjudged.data.qrels import Qrels, State
from unjudged.data.run import Run, ScoreType
from unjudged.data.view import View
from unjudged.errors import InputError, Notice
from unjudged.io.reading import RunSource
from unjudged.limits import Whole
from unjudged.measures.base import Measure
from unjudged.threads import in_order, worker_count
from unjudged.wording import counted

__all__ = ["MissingPool", "add_pool", "check_pool", "pool_runs"]

_ROUNDING = 1e-12


def check_pool(pool: object, pool_depth: object) -> None:
    """Refuse what cannot be meant, before anything is read."""
    if pool is not None and pool_depth is not None:
        raise InputError("give a pool or a pool depth, not both")
    if pool_depth is not None:
        Whole(1).checked("the pool depth", pool_depth)


def add_pool(
    qrels: Qrels,
    runs: Sequence[RunSource],
    *,
    pool: Pool | None = None,
    pool_depth: int | None = None,
    score_type: ScoreType = "float64",
    jobs: int | None = None,
) -> tuple[Qrels, Sequence[RunSource], list[Notice]]:
    """The judgments with the pool's documents, the runs (still to be read), and what the user should know."""
    check_pool(pool, pool_depth)
    if pool_depth is not None:
        pooled, runs = pool_runs(runs, pool_depth, score_type=score_type, jobs=jobs)
        return with_pool(qrels, pooled), runs, []
    if pool is not None:
        notices = _topic_notices(qrels, pool)
        return with_pool(qrels, pool), runs, notices
    return qrels, runs, []


class MissingPool:
    """Finds out which measures would score otherwise if there were a pool, where nothing is known about it.

    Shown the rankings of one run after the other, in any order. It asks no further once a measure's score has changed.
    *given*: whether the user says what the pool is; otherwise the judgments may.
    """

    def __init__(self, qrels: Qrels, measures: Sequence[Measure], *, given: bool) -> None:
        known = given or bool((qrels.states == State.POOLED).any())
        self._measures = [] if known else [measure for measure in measures if measure.uses_pool()]
        self._missed: set[Measure] = set()

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


def _pool_matters(measure: Measure, view: View) -> bool:
    """Whether a score would change if the unjudged documents of these rankings had been in the pool."""
    if bool(view.judged.all()):
        return False
    return not np.allclose(measure.score(view), measure.score(view.all_pooled()), rtol=0, atol=_ROUNDING)


def pool_runs(
    sources: Sequence[RunSource], depth: int, *, score_type: ScoreType = "float64", jobs: int | None = None
) -> tuple[Pool, list[RunSource]]:
    """The first *depth* documents of every run, and the runs to read again.

    Of each run no more than these documents stays in memory, unless it cannot be read twice (standard input).
    """
    again = [source.rereadable(score_type=score_type) for source in sources]

    def read(source: RunSource) -> Run:
        return source.read(score_type=score_type).top(depth)

    return depth_pool(in_order(read, again, worker_count(jobs, len(again))), depth), again


def _topic_notices(qrels: Qrels, pool: Pool) -> list[Notice]:
    where = pool.source or "pool"
    known = len(set(pool.topics.names) & qrels.topic_rows.keys())
    if not known:
        raise InputError(
            f"{where}: no topic of this pool is judged"
            f" (the pool has {pool.topics.names[0]!r}, the judgments have {qrels.topics[0]!r})"
        )
    extra, absent = len(pool.topics.names) - known, len(qrels.topics) - known
    notices = []
    if extra:
        text = f"{where} has {counted(extra, 'topic')} without judgments; left out"
        notices.append(Notice("unjudged-pool-topics", extra, text))
    if absent:
        text = f"{where} lacks {absent} of {len(qrels.topics)} judged topics; nothing is added to their pool"
        notices.append(Notice("missing-pool-topics", absent, text))
    return notices
