"""Which holes of all runs are relevant in each draw: drawn once, for all runs that return them.

Grades of a hole are the same in all runs, and what AP asks of them is one bit. So the holes of a whole collection fit
into memory, 1,000 draws of each in 125 bytes; and what a draw adds to a run's sum of precisions is known from the few
holes that are relevant in it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import unjudged.kernels as kernels
from unjudged.arrays import Bytes, Flags, Floats, Ints
from unjudged.data.spans import offsets_of
from unjudged.data.view import View
from unjudged.holes.imputation.grade_sampler import GradeSampler
from unjudged.measures.base import Measure, share
from unjudged.threads import in_order, worker_count

__all__ = ["OwnHoles", "RelevanceDraws", "draw_relevance"]


_AT_ONCE = 1024
"""Holes drawn together: their factors may be 8 MB for 1,000 draws."""


@dataclass(frozen=True, eq=False)
class RelevanceDraws:
    """Whether each hole is relevant, in each draw."""

    bits: Bytes
    """A bit for each draw, the lowest first: shape (holes, bytes)."""
    counted: Ints
    """How many of the holes that count in R are relevant, for each topic: shape (topics, draws)."""


def draw_relevance(
    sampler: GradeSampler,
    topics: Ints,
    counted: Flags,
    *,
    level: int,
    draws: int,
    number_of_topics: int,
    jobs: int | None = None,
) -> RelevanceDraws:
    """Draw grades of the holes of *sampler*, which belong to these *topics*; a hole is relevant from *level* on.

    Where a hole is *counted*, R follows it whichever ranking is looked at.
    """
    by_topic = np.argsort(topics, kind="stable")
    offsets = offsets_of(np.bincount(topics, minlength=number_of_topics))
    bits = np.zeros((len(topics), -(-draws // 8)), dtype=np.uint8)
    totals = np.zeros((number_of_topics, draws), dtype=np.int64)

    def draw(topic: int) -> None:
        for start in range(offsets[topic], offsets[topic + 1], _AT_ONCE):
            holes = by_topic[start : min(start + _AT_ONCE, offsets[topic + 1])]
            bits[holes], relevant = sampler.draw_reached(holes, draws, level, counted)
            totals[topic] += relevant

    for _ in in_order(draw, range(number_of_topics), worker_count(jobs, number_of_topics)):
        pass
    return RelevanceDraws(bits, totals)


@dataclass(frozen=True, eq=False)
class OwnHoles:
    """The holes of one run among those of all."""

    draws: RelevanceDraws
    rows: Ints
    """Which of all holes each of the run's is."""
    among: Flags
    """Which of them count in R for all runs; R follows the others for this run only, if it follows any."""
    r_follows: bool

    def average_precisions(self, measure: Measure, view: View) -> Floats:
        """Of each ranking of the view that the holes are of, in each draw: shape (rankings, draws)."""
        relevant = view.relevant(measure.first_relevant(view.qrels.scale))
        hole = np.full(len(relevant), -1, dtype=np.int64)
        hole[~view.judged] = self.rows
        apart = np.zeros(len(relevant), dtype=np.uint8)
        apart[~view.judged] = ~self.among & self.r_follows
        matter = np.flatnonzero(relevant | ~view.judged)
        offsets = np.searchsorted(matter, view.offsets).astype(np.int64)
        number = self.draws.counted.shape[1]
        sums, own = kernels.sum_precisions(
            offsets, view.rank[matter], hole[matter], apart[matter], self.draws.bits, number
        )
        total = view.total_relevant(measure.first_relevant(view.qrels.scale))[:, None] + own
        return share(sums, total + self.draws.counted[view.topics] if self.r_follows else total)
