"""Scores in which labels are new judgments: R and the ideal ranking follow them."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unjudged.data.qrels import Qrels, judgments_of
from unjudged.data.view import View
from unjudged.holes.filling import Labels, counts_of_grades, grade_counts, labelled, score_labels, score_linear
from unjudged.measures.base import Linear, Measure

__all__ = ["NewJudgments"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_BITS = 62
"""That a number for a row of numbers may have."""


class NewJudgments:
    """Scores of the rankings of a view, which is what the measure looks at, under labels of their holes."""

    def __init__(self, measure: Measure, view: View) -> None:
        self._measure, self._view = measure, view
        # Of all runs: a draw gives a document the same grade everywhere, so ideal rankings are mostly the same.
        self._new: dict[int, tuple[Ints, Floats]] = view.qrels.remember(("divisors of draws", measure), dict)

    @cached_property
    def _form(self) -> Linear | None:
        return self._measure.linear(self._view)

    @cached_property
    def _divisor(self) -> Floats | None:
        return self._measure.divisor(self._view.qrels)

    def score(self, rankings: Ints, rows: Ints, labels: Labels, elsewhere: Ints | None = None) -> Floats:
        """Score of each ranking under each labelling: shape (rankings, draws).

        *rows* (rankings, holes) are the holes' rows, and *labels* has shape (rankings, draws, holes); they may be above
        the highest grade that the judgments have. *elsewhere* (rankings, draws, grades) are numbers of further new
        judgments, of documents that are not in the ranking.
        """
        measure, view = self._measure, self._view
        top = max(view.qrels.max_grade, int(labels.max(initial=0)))
        on_scale = top == view.qrels.max_grade
        if view.residual is not None or (measure.normaliser() == "none" and on_scale):
            # Labels outside the ranking play no part; and what is left to find after others follows its labels anyway.
            return score_labels(measure, view, rankings, rows, labels)
        topics = view.topics[rankings]
        counts = np.pad(grade_counts(view.qrels)[topics], ((0, 0), (0, top - view.qrels.max_grade)))
        every = counts[:, None] + counts_of_grades(labels, top + 1)
        if elsewhere is not None:
            every = every + elsewhere
        if measure.gains_only:
            every[:, :, 0] = 0  # documents that nobody asks for
        # Gains of a weighted sum are known up to the judgments' own highest grade.
        if self._form is None or self._divisor is None or not on_scale:
            return self._compute(top, rankings, rows, labels, every)
        out = np.zeros(labels.shape[:2])
        known = self._divisor[topics]
        some, rest = np.flatnonzero(known > 0), np.flatnonzero(known <= 0)
        fixed = score_linear(self._form, view, rankings[some], rows[some], labels[some]) * known[some, None]
        for i, total in zip(some.tolist(), fixed, strict=True):
            out[i] = total / self._new_divisors(int(topics[i]), every[i])
        out[rest] = self._compute(top, rankings[rest], rows[rest], labels[rest], every[rest])
        return out

    def _new_divisors(self, topic: int, counts: Ints) -> Floats:
        """What the measure is divided by, in each draw, with so many judgments (draws, grades)."""
        known = self._new.get(topic)
        if known is None or not np.array_equal(known[0], counts):
            judgments, place = _judgments(counts)
            found = self._measure.divisor(judgments)
            if found is None:
                raise TypeError(f"{self._measure} has a divisor for some judgments only")
            self._new[topic] = known = (counts, found[place])
        return known[1]

    def _compute(self, top: int, rankings: Ints, rows: Ints, labels: Labels, counts: Ints) -> Floats:
        """The same for any measure: by writing out the rankings with their labels."""
        measure = self._measure.on_scale(top)  # judgments of one topic do not show the whole scale
        out = np.empty(labels.shape[:2])
        for i, ranking in enumerate(rankings.tolist()):
            both = np.concatenate([labels[i], counts[i]], axis=1)
            first, again = _each_once(both, int(both.max(initial=0)) + 1)
            judged = _judgments(counts[i, first])
            filled = labelled(
                self._view, ranking, rows[i], labels[i, first], gains_only=measure.gains_only, judged=judged
            )
            out[i] = measure.compute(filled)[again]
        return out


def _judgments(counts: Ints) -> tuple[Qrels, Ints]:
    """Judgments with so many documents of each grade, each number once, and the topic that each row has."""
    first, place = _each_once(counts, int(counts.max(initial=0)) + 1)
    return judgments_of(counts[first]), place


def _each_once(rows: NDArray[np.signedinteger], radix: int) -> tuple[Ints, Ints]:
    """Where each row of numbers below *radix* is first, and which of these each row is.

    Rows that are too long to be one number are taken as different.
    """
    if rows.shape[1] * np.log2(radix) >= _BITS:
        return np.arange(len(rows)), np.arange(len(rows))
    code = rows @ (np.int64(radix) ** np.arange(rows.shape[1], dtype=np.int64))
    _, first, place = np.unique(code, return_index=True, return_inverse=True)
    return first, place
