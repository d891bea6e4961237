"""Grades for holes: which grades an unjudged document may get, and views in which it has them.

There are two ways. The pool's number of judgments per grade is kept (paper 1): a hole gets the grade of a judged
document that is not in the ranking, and that judgment is then spent (:func:`spend`). So R and the ideal ranking stay as
they are (:func:`score_drawn`), and scores stay comparable with those of other runs. Or grades are new judgments, and R
and the ideal ranking follow them (``reestimated_ideal.py``).

Grades are levels of a grade scale: that of the judgments or, where it is too long for a model, one with fewer grades
(``binned_scales.py``).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unjudged.arrays import Flags, Floats, GradeColumn, Ints, SmallInts
from unjudged.data.memo import remembered
from unjudged.data.qrels import Qrels, State
from unjudged.data.scale import Bins, Scale
from unjudged.data.spans import offsets_of
from unjudged.data.view import Sparse, View
from unjudged.holes.imputation.precision_sums import is_average_precision, sums_of_precisions
from unjudged.measures.base import Linear, Measure, share

__all__ = [
    "DrawnGrades",
    "Holes",
    "counts_of_levels",
    "grade_counts",
    "grades_of",
    "labelled",
    "score_drawn",
    "score_linear",
    "shares",
    "spend",
]

DrawnGrades = SmallInts
"""Levels of grades."""

FEW_GRADES = 8
"""Up to so many levels it is quicker to look at one after the other; profiles of subtopics can be hundreds."""
_ONE_BY_ONE = 32
"""The same for counts."""


@remembered
def grade_counts(qrels: Qrels, bins: Bins | None = None) -> Ints:
    """Number of judgments at each level, or in each bin, for each topic: shape (topics, levels)."""
    return grades_of(qrels, qrels.judged, bins)


def grades_of(qrels: Qrels, rows: Flags, bins: Bins | None = None) -> Ints:
    """The same of some rows of the judgments."""
    return _counted(qrels.topic_of_row, qrels.levels, rows, (len(qrels.topics), len(qrels.scale)), bins)


def _counted(place: Ints, level: NDArray[np.integer], rows: Flags, shape: tuple[int, int], bins: Bins | None) -> Ints:
    """How many of some rows are at each place and level."""
    if bins is not None:
        level, shape = bins.of_level[level], (shape[0], len(bins.scale))
    flat = np.bincount((place * shape[1] + level)[rows], minlength=shape[0] * shape[1])
    return flat.reshape(shape).astype(np.int64)


def shares(counts: Ints) -> Floats:
    """Shares of the grades, row by row; all mass on grade 0 where there is nothing."""
    total = counts.sum(axis=1, keepdims=True)
    return np.where(total > 0, counts / np.maximum(total, 1), np.eye(1, counts.shape[1]))


@dataclass(frozen=True, eq=False)
class Holes:
    """The unjudged documents of the part of a view that a measure looks at.

    They get grades of the judgments' scale, or of the *bins* of a long one.
    """

    view: View
    bins: Bins | None = None

    @property
    def scale(self) -> Scale:
        """The grades that drawn ones are levels of."""
        return self.view.qrels.scale if self.bins is None else self.bins.scale

    @cached_property
    def rows(self) -> Ints:
        """Rows of the view that are holes."""
        return np.flatnonzero(~self.view.judged)

    @cached_property
    def topics(self) -> Ints:
        """The topic of each hole."""
        return self.view.topics[self.view.ranking[self.rows]]

    @cached_property
    def counts(self) -> Ints:
        """Number of holes in each ranking."""
        return np.bincount(self.view.ranking[self.rows], minlength=len(self.view)).astype(np.int64)

    @cached_property
    def starts(self) -> Ints:
        """Where each ranking's holes start in :attr:`rows`."""
        return offsets_of(self.counts)

    @cached_property
    def seen_counts(self) -> Ints:
        """Judged documents at each level in each ranking."""
        view = self.view
        return _counted(view.ranking, view.levels, view.judged, (len(view), len(view.qrels.scale)), self.bins)

    @cached_property
    def left(self) -> Ints:
        """Judgments at each level that are not in the ranking, and so can be spent on its holes."""
        left: Ints = grade_counts(self.view.qrels, self.bins)[self.view.topics] - self.seen_counts
        return left

    def of(self, rankings: Ints, order: Ints | None = None) -> Ints:
        """Rows of the holes of rankings with equally many of them, shape (rankings, holes), by rank or in *order*."""
        number = int(self.counts[rankings[0]])
        at = self.starts[rankings][:, None] + np.arange(number)
        rows: Ints = (self.rows if order is None else order)[at]
        return rows


def spend(targets: DrawnGrades, left: Ints) -> DrawnGrades:
    """Algorithm 1 of paper 1: each hole gets its target grade, or the highest lower one that is left, or 0.

    *targets* has shape (rankings, draws, holes), with holes in the order in which they are served; *left* (rankings,
    levels) is what can be spent, anew for every draw.

    Instead of hole after hole this goes grade after grade, from the top: who asks for a grade, or was turned away
    above, is served in order while it lasts. That is the same, because what happens to a grade depends only on higher
    ones. Grade 0 cannot run out: it is what remains.
    """
    top = left.shape[1] - 1
    short = _short(targets, left)
    if not short.any():
        return targets
    drawn = targets.copy()
    if top <= FEW_GRADES:
        drawn[short] = _served(targets[short], left[np.nonzero(short)[0]], range(top, 0, -1))
        return drawn
    for ranking in np.flatnonzero(short.any(axis=1)).tolist():
        asked, budget = targets[ranking, short[ranking]], left[ranking]
        # Nothing happens at a level that nobody asks for and that has nothing left.
        levels = np.union1d(asked, np.flatnonzero(budget))
        drawn[ranking, short[ranking]] = _served(asked, budget[None], levels[levels > 0][::-1].tolist())
    return drawn


def _served(asked: DrawnGrades, budget: Ints, levels: Iterable[int]) -> DrawnGrades:
    """What draws of grades get, by rows, going down these levels; *budget* has a row for each draw, or one for all."""
    served = np.zeros_like(asked)
    turned_away = np.zeros(asked.shape, dtype=bool)
    for level in levels:
        wants = turned_away | (asked == level)
        gets = wants & (np.cumsum(wants, axis=1, dtype=np.int32) <= budget[:, level, None])
        served[gets] = level
        turned_away = wants & ~gets
    return served


def _short(targets: DrawnGrades, left: Ints) -> Flags:
    """Draws, of each ranking, in which more holes ask for a grade than there are judgments left."""
    top = left.shape[1] - 1
    if top <= FEW_GRADES:
        short = np.zeros(targets.shape[:2], dtype=bool)
        for grade in range(1, top + 1):
            short |= (targets == grade).sum(axis=2) > left[:, grade, None]
        return short
    # One pass for all grades: among equal targets, side by side, the n-th is the n-th to ask.
    ordered = np.sort(targets, axis=2)
    place = np.arange(targets.shape[2])
    is_first = np.ones(ordered.shape, dtype=bool)
    is_first[:, :, 1:] = ordered[:, :, 1:] != ordered[:, :, :-1]
    turn = place - np.maximum.accumulate(np.where(is_first, place, 0), axis=2) + 1
    budget = np.take_along_axis(left[:, None, :], ordered.astype(np.int64), axis=2)
    return np.asarray(((ordered > 0) & (turn > budget)).any(axis=2))


def score_drawn(measure: Measure, view: View, rankings: Ints, rows: Ints, drawn: DrawnGrades, scale: Scale) -> Floats:
    """Score of each ranking under each labelling of its holes: shape (rankings, draws).

    *rows* (rankings, holes) are the holes' rows in *view*, which is what the measure looks at; *drawn* has shape
    (rankings, draws, holes), and levels of the *scale*.
    """
    form = measure.linear(view)
    if form is not None:
        return score_linear(form, view, rankings, rows, drawn, scale)
    if is_average_precision(measure, view):
        sums = sums_of_precisions(measure, view, rankings, rows, drawn, scale)
        return share(sums, view.total_relevant(measure.first_relevant(view.qrels.scale))[rankings, None])
    out = np.empty(drawn.shape[:2])
    for i, ranking in enumerate(rankings.tolist()):
        grades = scale.grades_at(drawn[i])
        out[i] = measure.compute(labelled(view, ranking, rows[i], grades, gains_only=measure.gains_only))
    return out


def counts_of_levels(drawn: DrawnGrades, levels: int, counted: Flags | bool = True) -> Ints:
    """How many along the last axis are at each level, which takes its place; only those that are *counted*."""
    if levels <= _ONE_BY_ONE:
        columns = [((drawn == level) & counted).sum(axis=-1) for level in range(levels)]
        return np.stack(columns, axis=-1)
    shape = drawn.shape[:-1]
    place = np.arange(np.prod(shape, dtype=np.int64)).reshape(*shape, 1) * levels + drawn
    flat = np.bincount(place[np.broadcast_to(counted, drawn.shape)], minlength=levels * int(np.prod(shape)))
    return flat.reshape(*shape, levels)


def score_linear(form: Linear, view: View, rankings: Ints, rows: Ints, drawn: DrawnGrades, scale: Scale) -> Floats:
    """The same for a measure that is a weighted sum."""
    judged = np.where(view.judged, form.gains[view.levels], 0.0) * form.weights
    on_scale = scale.grades[scale.grades <= view.qrels.scale.top]
    gains = form.gains[view.qrels.scale.levels(on_scale)]
    base = view.total(np.arange(len(judged)), judged)[rankings]
    if drawn.shape[2] == 0:
        return np.repeat(base[:, None], drawn.shape[1], axis=1)
    # Holes are few: one term at a time needs no array of (rankings, draws, holes) floats.
    total = np.repeat(base[:, None], drawn.shape[1], axis=1)
    for hole in range(drawn.shape[2]):
        total += gains[drawn[:, :, hole]] * form.weights[rows[:, hole]][:, None]
    return total


def labelled(
    view: View,
    ranking: int,
    rows: Ints,
    grades_of_holes: GradeColumn,
    *,
    gains_only: bool = False,
    judged: tuple[Qrels, Ints] | None = None,
) -> View:
    """One ranking with several sets of grades for its holes (draws, holes), as a view with a ranking for each.

    With *gains_only*, rows without a grade above 0 are left out, which makes deep rankings with few relevant documents
    quick to score. *judged* has, where given, other judgments, and the topic in them that each labelling is of.
    """
    start, end = int(view.offsets[ranking]), int(view.offsets[ranking + 1])
    inside = np.arange(start, end)
    if gains_only:
        matter = view.grades[inside] > 0
        matter[rows - start] = True
        inside = inside[matter]
    draws = len(grades_of_holes)
    grades = np.repeat(view.grades[inside].astype(grades_of_holes.dtype)[None, :], draws, axis=0)
    grades[:, np.searchsorted(inside, np.sort(rows))] = grades_of_holes[:, np.argsort(rows, kind="stable")]
    if gains_only:
        draw, column = np.nonzero(grades)
        counts = np.bincount(draw, minlength=draws)
        grades, inside = grades[draw, column], inside[column]
    else:
        counts = np.full(draws, len(inside))
        grades, inside = grades.ravel(), np.tile(inside, draws)
    offsets = offsets_of(counts)
    states = np.full(len(grades), State.JUDGED, dtype=np.uint8)
    lengths = np.full(draws, view.lengths[ranking])
    qrels, topics = judged or (view.qrels, np.full(draws, view.topics[ranking]))
    return View(
        qrels,
        topics,
        offsets,
        grades,
        states,
        sparse=Sparse(view.rank[inside], lengths),
        residual=None if view.residual is None else view.residual.take(inside),
    )
