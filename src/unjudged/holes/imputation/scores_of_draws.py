"""Grades drawn for holes, and the scores that follow: one loop for one run and for comparisons of several."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.holes.imputation.filling import DrawnGrades, score_drawn, spend
from unjudged.holes.imputation.hole_grades import HoleGrades, RankingsWithGrades, batches_that_fit
from unjudged.holes.imputation.reestimated_ideal import NewJudgments
from unjudged.measures.base import Measure

__all__ = ["Drawing"]


@dataclass(frozen=True, eq=False)
class Drawing:
    """What a measure says about rankings whose holes get grades by draws."""

    measure: Measure
    hole_grades: HoleGrades
    draws: int
    ideal_follows: bool
    """Whether grades are new judgments, which R and the ideal ranking follow."""
    cells: int
    """Grades (rankings x draws x holes) held in memory at once; it changes no number."""
    spends: bool = False
    """Whether grades are handed out of the judgments that are not in the ranking, so that there are no more of them."""
    order: Ints | None = None
    """Rows of the holes, ranking by ranking, in the order in which grades are handed out; None for by rank."""

    def scores(self, plain: Floats) -> Floats:
        """Score of each ranking in each draw, shape (rankings, draws); *plain* are those without draws."""
        out = np.repeat(plain[:, None], self.draws, axis=1)
        rest, others = np.flatnonzero(self.hole_grades.is_open), self.hole_grades.other_holes
        if self._new_judgments is not None and others is not None:
            complete = rest[self.hole_grades.holes.counts[rest] == 0]
            some, scores = self._new_judgments.score_without_holes(complete, others.everyones.counts)
            out[some] = scores
            rest = np.setdiff1d(rest, some)
        for one in self.labelled(rest):
            out[one.rankings] = self.score(one)
        return out

    def labelled(self, rankings: Ints) -> Iterator[RankingsWithGrades]:
        """Drawn grades for the holes of some rankings, as many rankings at once as fit."""
        sampler, other_holes = self.hole_grades.sampler, self.hole_grades.other_holes
        for here in self.batches(rankings, self.draws):
            rows, hole = self.rows_of(here)
            drawn = self.handed_out(sampler.draw(hole, self.draws), here)
            topics = self.hole_grades.holes.view.topics[here]
            new = None if other_holes is None else other_holes.with_own(topics, hole, drawn)
            yield RankingsWithGrades(here, rows, drawn, new)

    def batches(self, rankings: Ints, labellings: int) -> list[Ints]:
        """Rankings with equally many holes, as many at once as fit with so many labellings."""
        holes = self.hole_grades.holes
        counted = len(holes.scale) if self.ideal_follows else 0
        return batches_that_fit(holes.counts, rankings, labellings, self.cells, counted=counted)

    def rows_of(self, rankings: Ints) -> tuple[Ints, Ints]:
        """Rows and numbers of the holes of rankings with equally many, shape (rankings, holes)."""
        holes = self.hole_grades.holes
        rows = holes.of(rankings, self.order)
        return rows, np.searchsorted(holes.rows, rows)

    def handed_out(self, targets: DrawnGrades, rankings: Ints) -> DrawnGrades:
        """The grades that holes get, of those that were drawn for them."""
        return spend(targets, self.hole_grades.holes.left[rankings]) if self.spends else targets

    def score(self, some: RankingsWithGrades) -> Floats:
        """Scores of labelled rankings, shape (rankings, labellings)."""
        if self._new_judgments is not None:
            return self._new_judgments.score(*some)
        holes = self.hole_grades.holes
        return score_drawn(self.measure, holes.view, some.rankings, some.rows, some.drawn, holes.scale)

    @cached_property
    def _new_judgments(self) -> NewJudgments | None:
        holes = self.hole_grades.holes
        return NewJudgments(self.measure, holes.view, holes.scale) if self.ideal_follows else None
