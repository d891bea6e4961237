"""How deep the pool seems to be, from the ranks down to which runs are judged."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from unjudged.arrays import Flags, Ints
from unjudged.data.qrels import Qrels
from unjudged.data.spans import offsets_of
from unjudged.data.view import View

if TYPE_CHECKING:
    from unjudged.data.joined import Joined
    from unjudged.data.run_occurrences import OccurrencesInRuns, RunOccurrences

__all__ = [
    "SHALLOWEST",
    "JudgedDepths",
    "PoolDepth",
    "inferred_depth",
    "joined_judged_depths",
    "judged_before_a_hole",
    "judged_depths",
    "judged_down_to",
    "without_end",
]


SHALLOWEST = 5
"""Pools less deep are not told from luck."""
_ALLOWED = 0.05
"""Share of its topics on which a contributing run may have a hole within the pool depth."""
_ALL = np.iinfo(np.int64).max
"""The depth of a ranking without a hole: nothing says where it would end."""


class PoolDepth(NamedTuple):
    """How deep a pool is, or seems to be."""

    depth: int
    runs: Flags
    """Which runs are judged down to that depth, apart from a few topics."""
    by_topic: Ints
    """The depth on each topic: on most, at least that of the pool."""
    looked_at: int
    """How deep anybody looked: a pool that is so deep may be deeper."""
    given: bool = False
    """Whether somebody said so."""


@dataclass(frozen=True, eq=False)
class JudgedDepths:
    """Down to which rank each run (row) is judged on each topic (column), and how many documents it has there."""

    by_topic: Ints
    lengths: Ints

    @classmethod
    def of(cls, runs: Iterable[tuple[Ints, Ints]]) -> Self:
        """From both for each run."""
        by_topic, lengths = zip(*runs, strict=True)
        return cls(np.stack(by_topic), np.stack(lengths))

    @cached_property
    def of_runs(self) -> Ints:
        """Down to which rank each run is judged, apart from a few of the topics that it has."""
        depths = np.sort(np.where(self.lengths > 0, self.by_topic, _ALL), axis=1)
        answered = (self.lengths > 0).sum(axis=1)
        few = (_ALLOWED * answered).astype(np.int64)
        return np.where(answered > 0, depths[np.arange(len(depths)), np.minimum(few, depths.shape[1] - 1)], 0)

    def to(self, depth: int) -> PoolDepth:
        """The pool that somebody says is so deep."""
        return PoolDepth(
            depth, self.of_runs >= depth, np.full(self.by_topic.shape[1], depth), self._longest, given=True
        )

    def pool(self, group_of_run: Ints) -> PoolDepth | None:
        """The pool as it seems to be; None where no run seems to have been in it.

        Its depth is the one to which the best-judged run of each group is judged, of the groups for which that is not
        next to nothing, and of these the lower middle one.
        """
        groups = sorted(set(group_of_run.tolist()))  # np.unique would load numpy.ma, for every score
        best = np.array([_first_deepest(self.of_runs, group_of_run == group) for group in groups], dtype=np.int64)
        best = best[self.of_runs[best] >= SHALLOWEST]
        if not len(best):
            return None
        depth = min(_lower_middle(self.of_runs[best]), self._longest)
        by_topic = [
            min(_lower_middle(mine[there]), self._longest) if there.any() else 0
            for mine, there in zip(self.by_topic[best].T, self.lengths[best].T > 0, strict=True)
        ]
        return PoolDepth(depth, self.of_runs >= depth, np.array(by_topic, dtype=np.int64), self._longest)

    @property
    def _longest(self) -> int:
        return int(self.lengths.max(initial=0))


def _first_deepest(depths: Ints, among: Flags) -> int:
    return int(np.argmax(np.where(among, depths, -1)))


def _lower_middle(values: Ints) -> int:
    return int(np.sort(values)[(len(values) - 1) // 2])


def _judged_down_to(ranks: Ints, offsets: Ints, lengths: Ints) -> Ints:
    """The depth of each ranking, from the ranks of its judged documents, best first, and its length."""
    return without_end(judged_before_a_hole(ranks, offsets), lengths)


def judged_before_a_hole(ranks: Ints, offsets: Ints) -> Ints:
    """How many documents of each ranking are judged before the first that is not, from the ranks of its judged ones."""
    ranking = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    place = np.arange(len(ranks)) - offsets[ranking] + 1
    return np.bincount(ranking[ranks == place], minlength=len(offsets) - 1).astype(np.int64)


def without_end(judged_first: Ints, lengths: Ints) -> Ints:
    """The depth of each ranking, from how many documents are judged before the first that is not, and its length."""
    return np.where(judged_first == lengths, _ALL, judged_first)


def judged_down_to(view: View) -> Ints:
    """Down to which rank each ranking of a view is judged, as deep as the view is."""
    rows = np.flatnonzero(view.judged)
    return _judged_down_to(view.rank[rows], np.searchsorted(rows, view.offsets), view.lengths)


def joined_judged_depths(joined: Joined, depth: int | None) -> JudgedDepths:
    """Of joined runs as they were given, looking no further than *depth*."""
    ranks, judged, lengths = joined.original_columns()
    offsets, shape = joined.offsets, (len(joined.runs), len(joined.qrels.topics))
    if depth is not None:
        judged, lengths = judged & (ranks <= depth), np.minimum(lengths, depth)
    down_to = _judged_down_to(ranks[judged], offsets_of(judged)[offsets], lengths)
    return JudgedDepths(down_to.reshape(shape), lengths.reshape(shape))


def judged_depths(qrels: Qrels, occurrences: OccurrencesInRuns) -> Ints:
    """Down to which rank each run is judged, apart from a few of its topics."""
    return _of_occurrences(qrels, occurrences).of_runs


def inferred_depth(qrels: Qrels, occurrences: OccurrencesInRuns) -> int | None:
    """How deep the pool seems to be; None where no run seems to have been in it."""
    pool = _of_occurrences(qrels, occurrences).pool(occurrences.group_of_run)
    return None if pool is None else pool.depth


def _of_occurrences(qrels: Qrels, occurrences: OccurrencesInRuns) -> JudgedDepths:
    judged = np.append(qrels.judged, np.zeros(len(occurrences.unlisted.topics), dtype=bool))

    def down_to(one: RunOccurrences) -> Ints:
        rows = np.flatnonzero(judged[one.pairs])
        return _judged_down_to(one.ranks[rows].astype(np.int64), np.searchsorted(rows, one.offsets), one.lengths)

    return JudgedDepths.of((down_to(one), one.lengths) for one in occurrences.run_occurrences)
