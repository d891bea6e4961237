"""Hole models that say between which bounds a score lies."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from unjudged.data.view import View
from unjudged.errors import InputError
from unjudged.holes.base import Estimate, HoleModel, Settings
from unjudged.holes.filling import Holes, Labels, grade_counts, judgments_of, labelled, score_labels, spend
from unjudged.measures.base import Measure
from unjudged.spec import Whole, param

__all__ = ["Bounds", "Guaranteed", "Joint"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def _max_grade_param() -> int | None:
    value: int | None = param(None, Whole(1), "top of the grade scale; the highest grade in the qrels unless given")
    return value


class Bounds(HoleModel):
    """Between all unjudged documents being worthless and their being as good as the judgments left allow.

    For the upper bound each unjudged document, from the top, takes the highest grade that is left among the judged
    documents outside the ranking. R and the ideal ranking stay as they are, so bounds of different runs can be
    compared; but the true score can lie outside (see ``joint``). The value is the score with unjudged documents as not
    relevant.
    """

    name = "bounds"
    title = "Naive bounds with the ideal ranking kept fixed"
    reference = "M. Fröbe et al. Bootstrapped nDCG estimation in the presence of unjudged documents. ECIR 2023."

    def estimate(self, measure: Measure, view: View, settings: Settings) -> Estimate:
        """Score with the worst and with the best labels that the judgments allow."""
        value = measure.score(view)
        if not measure.has_holes:
            return Estimate(value)
        low, high = extremes(measure, measure.seen(view))
        return Estimate(value, low, high)


def extremes(measure: Measure, view: View) -> tuple[Floats, Floats]:
    """Scores with every hole at grade 0, and with the highest grades that are left going to the highest holes."""
    holes = Holes(view)
    low = measure.compute(view)
    high = low.copy()
    for number in np.unique(holes.counts[holes.counts > 0]).tolist():
        rankings = np.flatnonzero(holes.counts == number)
        rows = holes.of(rankings)
        left = holes.left[rankings]
        wanted = np.zeros((len(rankings), 2, number), dtype=np.int32)
        wanted[:, 1] = left.shape[1] - 1
        labels = wanted.copy()
        labels[:, 1:] = spend(wanted[:, 1:], left)
        scores = score_labels(measure, view, rankings, rows, labels)
        low[rankings], high[rankings] = scores[:, 0], scores[:, 1]
    return low, high


class Joint(HoleModel):
    """The lowest and the highest score over all labels of the unjudged documents, R and ideal ranking following them.

    These bounds are exact: no judge can bring the score outside, as long as only documents within the cut-off are
    judged. The value is the score with unjudged documents as not relevant. For measures that are divided by R or by an
    ideal ranking the extremes need not be where all labels are lowest or highest. Unknown for rankings in which grades
    can be distributed over the holes in more than 20,000 ways (deep cut-offs with several grades).
    """

    name = "joint"
    title = "Exact bounds over all labels, with R and the ideal ranking following them"
    reference = "Derived in the documentation of this package."

    max_grade: int | None = _max_grade_param()

    def estimate(self, measure: Measure, view: View, settings: Settings) -> Estimate:
        """Score of each ranking, and its exact bounds."""
        value = measure.score(view)
        if not measure.has_holes:
            return Estimate(value)
        low, high = joint_bounds(measure, measure.seen(view), scale_top(view, self.max_grade))
        return Estimate(value, low, high)


class Guaranteed(HoleModel):
    """Bounds that hold whatever else is judged, also outside the ranking: wide, but never wrong.

    The lower bound takes unjudged documents as not relevant and the ideal ranking as full of documents of the highest
    grade; for measures that are divided by the number of relevant documents, which has no limit, it is 0. The upper
    bound is that of ``joint``.
    """

    name = "guaranteed"
    title = "Bounds that hold whatever else is judged"
    reference = Bounds.reference

    max_grade: int | None = _max_grade_param()

    def estimate(self, measure: Measure, view: View, settings: Settings) -> Estimate:
        """Score of each ranking, and bounds that further judgments cannot break."""
        value = measure.score(view)
        if not measure.has_holes:
            return Estimate(value)
        seen, top = measure.seen(view), scale_top(view, self.max_grade)
        low, high = joint_bounds(measure, seen, top)
        depth = measure.depth()
        if measure.normaliser() == "ideal" and depth is not None:
            counts = np.zeros((1, top + 1), dtype=np.int64)
            counts[0, top] = depth
            full = judgments_of(counts)
            low = measure.compute(seen.judged_by(full))
        elif measure.normaliser() != "none":
            low = np.zeros(len(low))
        return Estimate(value, low, high)


def scale_top(view: View, given: int | None) -> int:
    """The highest grade a judge can give."""
    top = view.qrels.max_grade
    if given is not None and given < top:
        raise InputError(f"max_grade={given} contradicts the judgments, whose highest grade is {top}")
    return given or top


MOST_LABELLINGS = 20_000
"""Ways to distribute grades over the holes of one ranking that are tried at most."""


def joint_bounds(measure: Measure, view: View, top: int) -> tuple[Floats, Floats]:
    """Lowest and highest score of each ranking over all labels of its holes."""
    quick = measure.joint_extremes(view)
    if quick is not None:
        return quick
    holes = Holes(view)
    low = measure.compute(view)
    high = low.copy()
    counts = np.pad(grade_counts(view.qrels), ((0, 0), (0, top - view.qrels.max_grade)))
    for number in np.unique(holes.counts[holes.counts > 0]).tolist():
        rankings = np.flatnonzero(holes.counts == number)
        labels = _labellings(measure, number, top)
        if labels is None:
            low[rankings], high[rankings] = np.nan, np.nan
            continue
        added = np.stack([(labels == grade).sum(axis=1) for grade in range(top + 1)], axis=1)
        rows = holes.of(rankings)
        for i, ranking in enumerate(rankings.tolist()):
            judgments = judgments_of(counts[view.topics[ranking]] + added)
            filled = labelled(view, ranking, rows[i], labels, gains_only=measure.gains_only, judgments=judgments)
            scores = measure.compute(filled)
            low[ranking], high[ranking] = scores.min(), scores.max()
    return low, high


def _labellings(measure: Measure, holes: int, top: int) -> Labels | None:
    """Labels worth trying, by rank: for each number of holes of each grade, the best and the worst placement.

    None if there are too many.
    """
    if measure.normaliser() == "none":
        return np.array([[0] * holes, [top] * holes], dtype=np.int32)
    grades = range(top + 1) if measure.graded else (0, top)
    if math.comb(holes + len(grades) - 1, holes) > MOST_LABELLINGS:
        return None
    rising = np.array(list(combinations_with_replacement(grades, holes)), dtype=np.int32)
    return np.concatenate([rising, rising[:, ::-1]])
