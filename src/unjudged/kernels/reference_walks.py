"""What measures sum down rankings, in NumPy; a part of :mod:`unjudged.kernels.reference`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from unjudged.arrays import Bytes, Flags, Floats, Ints, SmallInts

__all__ = ["RankingSum", "found_grades", "ready_sums", "sum_rankings"]

_NOTHING_BY_RANK: Floats = np.zeros(1)
_NOT_POOLED, _JUDGED = 0, 2  # states, as unjudged.data.qrels.State


class RankingSum(NamedTuple):
    """What is summed down each ranking, and what the sum is divided by; where that is 0, the result is.

    *kind*, of the first *depth* documents:

    * ``n``: how many are relevant, which is judged and of at least grade *rel*;
    * ``s``: 1 if there is a relevant one;
    * ``r``: how many are relevant of no more than the *limit* of the topic;
    * ``f``: one over the rank of the first relevant one;
    * ``p``: precision at the rank of each relevant one;
    * ``g``: *first* times the gain of each grade times the weight of its rank;
    * ``b``: for each relevant one the share of the *limit* of the topic that is not judged non-relevant and above it;
    * ``i``: inferred precision at the rank of each relevant one, with *first* added to the relevant documents above and
      *second* to the judged ones;
    * ``I``: the same with all documents taken for pooled ones;
    * ``j``: how many are judged;
    * ``d``: how many are judged before the first one that is not.
    """

    kind: str
    depth: int
    rel: float = 1.0
    first: float = 1.0
    second: float = 0.0
    weights: Floats = _NOTHING_BY_RANK
    gains: Floats = _NOTHING_BY_RANK
    divisors: Floats = _NOTHING_BY_RANK
    limits: Ints = np.zeros(1, dtype=np.int64)  # never written to


def found_grades(rows: Ints, grades: SmallInts, states: Bytes) -> tuple[SmallInts, Bytes]:
    """Grades and states in these rows; grade 0 and state 0 (not pooled) for those that were not found, which are -1."""
    found = rows >= 0
    at = np.where(found, rows, 0)
    if not len(grades):
        return np.zeros(len(rows), dtype=np.int32), np.zeros(len(rows), dtype=np.uint8)
    return np.where(found, grades[at], np.int32(0)), np.where(found, states[at], np.uint8(0))


def ready_sums(sums: Sequence[RankingSum]) -> Sequence[RankingSum]:
    """Sums for :func:`sum_rankings`; what that takes is the core's own business."""
    return list(sums)


def sum_rankings(sums: Sequence[RankingSum], topics: Ints, offsets: Ints, grades: SmallInts, states: Bytes) -> Floats:
    """What measures sum down each ranking, shape (sums, rankings), added up from the top.

    Ranking ``i`` is about topic ``topics[i]`` and owns rows ``offsets[i]:offsets[i + 1]`` of *grades* and *states*. NaN
    where a grade has no gain.
    """
    lengths = np.diff(offsets)
    ranking = np.repeat(np.arange(len(topics)), lengths)
    rank = np.arange(offsets[0], offsets[-1]) + 1 - np.repeat(offsets[:-1], lengths)
    rows = slice(int(offsets[0]), int(offsets[-1]))
    rankings = _Rankings(ranking, rank, grades[rows], states[rows], lengths, topics)
    out = np.zeros((len(sums), len(topics)))
    for i, one in enumerate(sums):
        whole = one.divisors[topics]
        np.divide(rankings.total(one), whole, out=out[i], where=whole != 0)
    return out


class _Rankings:
    def __init__(
        self, ranking: Ints, rank: Ints, grades: SmallInts, states: Bytes, lengths: Ints, topics: Ints
    ) -> None:
        self._ranking, self._rank, self._grades, self._lengths, self._topics = ranking, rank, grades, lengths, topics
        self._judged, self._outside = states == _JUDGED, states == _NOT_POOLED

    def total(self, one: RankingSum) -> Floats:
        """One sum for each ranking."""
        within = self._rank <= one.depth
        relevant = np.flatnonzero(self._judged & (self._grades >= one.rel) & within)
        if one.kind == "n":
            return self._sum(relevant, np.ones(len(relevant)))
        if one.kind == "s":
            return (self._sum(relevant, np.ones(len(relevant))) > 0).astype(np.float64)
        if one.kind == "r":
            relevant = relevant[self._rank[relevant] <= one.limits[self._topics][self._ranking[relevant]]]
            return self._sum(relevant, np.ones(len(relevant)))
        if one.kind == "j":
            judged = np.flatnonzero(self._judged & within)
            return self._sum(judged, np.ones(len(judged)))
        if one.kind == "d":
            judged = np.flatnonzero(self._judged & within)
            judged = judged[self._above(self._judged, judged) == self._rank[judged] - 1]
            return self._sum(judged, np.ones(len(judged)))
        if one.kind == "g":
            rows = np.flatnonzero(self._judged & within)
            known = (self._grades[rows] >= 0) & (self._grades[rows] < len(one.gains))
            gains = np.where(known, one.gains[np.where(known, self._grades[rows], 0)], np.nan)
            return one.first * self._sum(rows, gains * one.weights[self._rank[rows] - 1])
        return self._of_relevant(one, relevant)

    def _of_relevant(self, one: RankingSum, rows: Ints) -> Floats:
        ranks, of = self._rank[rows], self._ranking[rows]
        above = self._above(self._judged & (self._grades >= one.rel), rows)
        if one.kind == "p":
            return self._sum(rows, (above + 1) / ranks)
        if one.kind == "f":
            return self._sum(rows[above == 0], 1.0 / ranks[above == 0])
        others = self._above(self._judged & (self._grades < one.rel), rows)
        if one.kind == "b":
            most = one.limits[self._topics][of]
            lost = np.zeros(len(rows))
            np.divide(np.minimum(others, most), most, out=lost, where=most != 0)
            return self._sum(rows, 1.0 - lost)
        pooled = ranks - 1
        if one.kind == "i":
            pooled = pooled - self._above(self._outside, rows)
        inferred = (above + one.first) / (above + others + one.second)
        return self._sum(rows, (1.0 + pooled * inferred) / ranks)

    def _sum(self, rows: Ints, values: Floats) -> Floats:
        sums = np.bincount(self._ranking[rows], weights=values, minlength=len(self._topics))
        return sums.astype(np.float64, copy=False)  # bincount of nothing gives integers

    def _above(self, chosen: Flags, rows: Ints) -> Ints:
        """How many chosen rows are above each of *rows* in the same ranking."""
        starts = np.concatenate([[0], np.cumsum(self._lengths)])
        places = np.flatnonzero(chosen)
        return np.searchsorted(places, rows) - np.searchsorted(places, starts)[self._ranking[rows]]
