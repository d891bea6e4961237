"""Bounds in the manner of RBP: unjudged documents are worthless, or as good as any."""

from __future__ import annotations

import numpy as np

from unjudged.data.qrels import GRADE_LIMIT
from unjudged.data.view import View
from unjudged.errors import InputError
from unjudged.holes.base import Estimate, HoleModel, Settings
from unjudged.holes.bounds import refuse_ideals_of_subtopics
from unjudged.holes.imputation.filling import Holes
from unjudged.holes.imputation.reestimated_ideal import NewJudgments
from unjudged.measures.base import Measure
from unjudged.spec import Threshold, param

__all__ = ["RBPBounds"]


class RBPBounds(HoleModel):
    """Between all unjudged documents of a ranking being worthless and their all having the highest grade.

    The latter join the judgments, so that R and the ideal ranking follow them. For RBP and other measures that are not
    divided by either, these are its bounds; for nDCG and the like, the paper shows that they need not be: the true
    score can lie outside, and the score with the highest grades can be the lower one. It is then the lower end here.
    See ``bounds`` and ``joint``. The value is the score with unjudged documents as not relevant.
    """

    name = "rbp_bounds"
    only_bounds = True
    title = "Bounds inspired by RBP's: nothing, or the highest grade, for all unjudged documents"
    reference = "M. Fröbe et al. Bootstrapped nDCG estimation in the presence of unjudged documents. ECIR 2023."

    max_grade: float | None = param(
        None, Threshold(GRADE_LIMIT), "top of the grade scale; the highest grade in the qrels unless given"
    )

    def check(self, measure: Measure) -> None:
        """Refuse measures whose ideal ranking would change with every subtopic of every hole."""
        refuse_ideals_of_subtopics(self, measure)

    def estimate(self, measure: Measure, view: View, settings: Settings) -> Estimate:
        """Score of each ranking with unjudged documents as not relevant, beside that with the highest grade."""
        known = view.qrels.max_grade
        if self.max_grade is not None and self.max_grade < known:
            raise InputError(f"max_grade={self.max_grade} contradicts the judgments, whose highest grade is {known}")
        top = type(known)(self.max_grade or known)
        measure = measure.on_scale(top)
        value = measure.score(view)
        if not measure.has_holes:
            return Estimate(value)
        seen = measure.seen(view)
        holes, scale, best = Holes(seen), view.qrels.scale.up_to(top), value.copy()
        judged = NewJudgments(measure, seen, scale)
        for number in np.unique(holes.counts[holes.counts > 0]).tolist():
            rankings = np.flatnonzero(holes.counts == number)
            labels = np.full((len(rankings), 1, number), len(scale) - 1, dtype=np.int32)
            best[rankings] = judged.score(rankings, holes.of(rankings), labels)[:, 0]
        return Estimate(value, np.minimum(value, best), np.maximum(value, best))
