"""Hole models that say between which bounds a score lies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations_with_replacement, product

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.data.qrels import GRADE_LIMIT, nameless_judgments
from unjudged.data.scale import Scale
from unjudged.data.view import View
from unjudged.errors import InputError
from unjudged.holes.base import Estimate, HoleModel, Settings
from unjudged.holes.imputation.filling import DrawnGrades, Holes, score_drawn, spend
from unjudged.holes.imputation.reestimated_ideal import NewJudgments
from unjudged.measures.base import MOST_LABELLINGS, Measure
from unjudged.spec import Choice, Threshold, param

__all__ = ["Bounds", "Guaranteed", "Joint", "refuse_ideals_of_subtopics"]


_CELLS = 1 << 22
"""Grades (rankings x labellings x holes) held in memory at once."""


class Bounds(HoleModel):
    """Between all unjudged documents being worthless and their being as good as the judgments left allow.

    For the upper bound each unjudged document, from the top, takes the highest grade that is left among the judged
    documents outside the ranking. R and the ideal ranking stay as they are, so bounds of different runs can be
    compared; but the true score can lie outside (see ``joint``). The value is the score with unjudged documents as not
    relevant, or the upper bound, to try it as an estimate. For the few measures that a better document on top can
    lower (graded Q and BPM, G, nDCGrel, NRG, DCG with odd gains) they are the lowest and the highest score over all
    grades that the judgments left allow; unknown where there are more than 20,000 (BPM: only where there are very many
    grades). With subtopics, each subtopic's relevant documents outside the ranking go to the highest holes.
    """

    name = "bounds"
    only_bounds = True
    title = "Naive bounds with the ideal ranking kept fixed"
    reference = "M. Fröbe et al. Bootstrapped nDCG estimation in the presence of unjudged documents. ECIR 2023."

    point: str = param("nonrelevant", Choice(("nonrelevant", "upper")), "which score is the value")

    def described(self) -> str:
        """Which bound is taken for the score, if one is."""
        return self.title + (", the upper one as the score" if self.point == "upper" else "")

    def estimate(self, measure: Measure, view: View, settings: Settings) -> Estimate:
        """Score with the worst and with the best grades that the judgments allow."""
        value = measure.score(view)
        if not measure.has_holes:
            return Estimate(value)
        low, high = extremes(measure, measure.seen(view))
        return Estimate(high if self.point == "upper" else value, low, high)


def extremes(measure: Measure, view: View) -> tuple[Floats, Floats]:
    """Scores with every hole at grade 0, and with the highest grades that are left going to the highest holes."""
    quick = measure.fixed_extremes(view)
    if quick is not None:
        return quick
    holes = Holes(view)
    low = measure.compute(view)
    high = low.copy()
    scale, is_monotone = holes.scale, measure.monotone(view.qrels.max_grade)
    by_weight = _heaviest_first(measure, holes)
    for number in np.unique(holes.counts[holes.counts > 0]).tolist():
        rankings = np.flatnonzero(holes.counts == number)
        wanted = _ends(number, scale) if is_monotone else _all_labellings(number, range(len(scale)))
        if wanted is None:
            low[rankings], high[rankings] = np.nan, np.nan
            continue
        rows = holes.of(rankings, by_weight)
        size = max(1, _CELLS // wanted.size)
        for start in range(0, len(rankings), size):
            some = rankings[start : start + size]
            drawn = spend(np.repeat(wanted[None], len(some), axis=0), holes.left[some])
            scores = score_drawn(measure, view, some, rows[start : start + size], drawn, scale)
            low[some], high[some] = scores.min(axis=1), scores.max(axis=1)
    return low, high


def _heaviest_first(measure: Measure, holes: Holes) -> Ints | None:
    """Rows of the holes, ranking by ranking, by what a grade is worth there; None for by rank.

    That is the order of the ranks, unless something else than the rank decides, such as what others found before.
    """
    form = None if holes.view.residual is None else measure.linear(holes.view)
    if form is None:
        return None
    return holes.rows[np.lexsort((-form.weights[holes.rows], holes.view.ranking[holes.rows]))]


class _OnScale(HoleModel):
    """Bounds over all grades that a judge can give, also such as the judgments do not have."""

    only_bounds = True

    max_grade: float | None = param(
        None, Threshold(GRADE_LIMIT), "top of the grade scale; the highest grade in the qrels unless given"
    )

    def check(self, measure: Measure) -> None:
        """Refuse measures whose bounds cannot be computed."""
        refuse_ideals_of_subtopics(self, measure)

    def estimate(self, measure: Measure, view: View, settings: Settings) -> Estimate:
        """Score of each ranking with unjudged documents as not relevant, and its bounds."""
        top = scale_top(view, self.max_grade)
        measure = measure.on_scale(top)
        value = measure.score(view)
        return Estimate(value, *self.bounds(measure, measure.seen(view), top)) if measure.has_holes else Estimate(value)

    def bounds(self, measure: Measure, view: View, top: float) -> tuple[Floats, Floats]:
        """Lowest and highest score of each ranking, with grades of up to *top*; *view* is what the measure sees."""
        raise TypeError(f"{type(self).__name__} does not say between which bounds a score lies")


class Joint(_OnScale):
    """The lowest and the highest score over all grades of the unjudged documents, R and ideal ranking following them.

    These bounds are exact: no judge can bring the score outside, as long as only documents within the cut-off are
    judged. The value is the score with unjudged documents as not relevant. For measures that are divided by R or by an
    ideal ranking the extremes need not be where all grades are lowest or highest. Unknown for rankings in which grades
    can be distributed over the holes in more than 20,000 ways (deep cut-offs with several grades), and, for measures
    that a better document on top can lower (see ``bounds``), with more than 20,000 labellings. ``max_grade`` is also
    the top of the scale for measures that take it from the judgments, such as RBP and ERR. Not for measures of
    subtopics that are divided by an ideal ranking.
    """

    name = "joint"
    title = "Exact bounds over all grades, with R and the ideal ranking following them"
    reference = "Derived in the documentation of this package."

    def bounds(self, measure: Measure, view: View, top: float) -> tuple[Floats, Floats]:
        """The exact bounds."""
        return joint_bounds(measure, view, top)


class Guaranteed(_OnScale):
    """Bounds that hold whatever else is judged, also outside the ranking: wide, but never wrong.

    The lower bound takes unjudged documents as not relevant and the ideal ranking as full of documents of the highest
    grade; for measures that are divided by the number of relevant documents, which has no limit, it is 0. The upper
    bound is that of ``joint``. Some measures, such as R-precision and Bpref, can also rise when documents outside the
    ranking are judged; for them nothing narrower is known than the range of the measure. See ``joint`` for
    ``max_grade``, and for when bounds are unknown or refused.
    """

    name = "guaranteed"
    title = "Bounds that hold whatever else is judged"
    reference = Bounds.reference

    def bounds(self, measure: Measure, view: View, top: float) -> tuple[Floats, Floats]:
        """Bounds that further judgments cannot break."""
        kind, depth = measure.normaliser(), measure.depth()
        if kind == "mixed":
            low, high = (np.full(len(view), end if math.isfinite(end) else np.nan) for end in measure.limits())
            return low, high
        low, high = joint_bounds(measure, view, top)
        if kind == "ideal" and depth is not None:
            scale, bounds = view.qrels.scale.up_to(top), np.array([0, depth], dtype=np.int64)
            best = np.repeat(scale.grades[-1:], depth)
            low = measure.compute(view.judged_by(nameless_judgments(best, bounds, scale)))
        elif kind != "none":
            low = np.zeros(len(low))
        return low, high


def refuse_ideals_of_subtopics(model: HoleModel, measure: Measure) -> None:
    """With m subtopics, h holes have 2^(h * m) labellings, and each has an ideal ranking that is hard to find."""
    if "subtopics" in measure.needs and measure.normaliser() == "ideal":
        raise InputError(
            f"{model} is not for {measure}: its ideal ranking would change with every subtopic of every hole;"
            " use bounds, which keep it, or a measure without one (alpha_DCG, ERR_IA, NRBP)"
        )


def scale_top(view: View, given: float | None) -> float:
    """The highest grade a judge can give."""
    top = view.qrels.max_grade
    if given is not None and given < top:
        raise InputError(f"max_grade={given} contradicts the judgments, whose highest grade is {top}")
    return type(top)(given or top)


def joint_bounds(measure: Measure, view: View, top: float) -> tuple[Floats, Floats]:
    """Lowest and highest score of each ranking over all grades of its holes."""
    quick = measure.joint_extremes(view, top)
    if quick is not None:
        return quick
    holes = Holes(view)
    low = measure.compute(view)
    high = low.copy()
    scale = view.qrels.scale.up_to(top)
    judged = NewJudgments(measure, view, scale)
    for number in np.unique(holes.counts[holes.counts > 0]).tolist():
        rankings = np.flatnonzero(holes.counts == number)
        drawn = _labellings(measure, number, scale)
        if drawn is None:
            low[rankings], high[rankings] = np.nan, np.nan
            continue
        rows = holes.of(rankings)
        width = max(number, len(scale))  # beside grades, there are their counts
        tried = max(1, _CELLS // width)
        size = max(1, _CELLS // (len(drawn) * width))
        for start in range(0, len(rankings), size):
            some = rankings[start : start + size]
            scores = np.concatenate(
                [
                    judged.score(some, rows[start : start + size], np.broadcast_to(part, (len(some), *part.shape)))
                    for part in np.split(drawn, range(tried, len(drawn), tried))
                ],
                axis=1,
            )
            low[some], high[some] = scores.min(axis=1), scores.max(axis=1)
    return low, high


def _labellings(measure: Measure, holes: int, scale: Scale) -> DrawnGrades | None:
    """Grades worth trying, by rank: for each number of holes at each level, the best and the worst placement.

    All of them for measures for which that is not enough. None if there are too many.
    """
    levels = range(len(scale)) if measure.graded else (0, len(scale) - 1)
    if not measure.monotone(scale.top):
        return _all_labellings(holes, levels)
    if measure.normaliser() == "none":
        return _ends(holes, scale)
    if math.comb(holes + len(levels) - 1, holes) > MOST_LABELLINGS:
        return None
    rising = np.array(list(combinations_with_replacement(levels, holes)), dtype=np.int32)
    return np.concatenate([rising, rising[:, ::-1]])


def _ends(holes: int, scale: Scale) -> DrawnGrades:
    return np.array([[0] * holes, [len(scale) - 1] * holes], dtype=np.int32)


def _all_labellings(holes: int, levels: Sequence[int]) -> DrawnGrades | None:
    if holes * math.log(len(levels)) > math.log(MOST_LABELLINGS):
        return None
    return np.array(list(product(levels, repeat=holes)), dtype=np.int32)
