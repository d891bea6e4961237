"""Scores in which grades are new judgments: R and the ideal ranking follow them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from unjudged.arrays import Floats, Ints
from unjudged.data.memo import remembered
from unjudged.data.qrels import Qrels, judgments_of
from unjudged.data.scale import Scale
from unjudged.data.view import View
from unjudged.holes.imputation.filling import DrawnGrades, counts_of_levels, labelled, score_drawn, score_linear
from unjudged.holes.imputation.precision_sums import (
    first_relevant_level,
    is_average_precision,
    sums_of_precisions,
)
from unjudged.measures.base import Linear, Measure, share

__all__ = ["NewJudgments"]


_BITS = 62
"""That a number for a row of numbers may have."""
_SHORT = 65536
"""Bytes of new judgments that are remembered as they are; of longer ones, what they hash to."""


class NewJudgments:
    """Scores of the rankings of a view, which is what the measure looks at, under grades of their holes.

    Grades are levels of a *scale*, which may go beyond the highest grade that the judgments have.
    """

    def __init__(self, measure: Measure, view: View, scale: Scale) -> None:
        self._measure, self._view, self._scale = measure, view, scale
        # Of all runs: a draw gives a document the same grade everywhere, so ideal rankings are mostly the same; so are
        # those of all ways to grade a number of holes, which bounds look at.
        self._new = _new_divisors(view.qrels, measure, scale.grades.tobytes())
        self._topics = _own_judgments(view.qrels, measure.gains_only, scale.grades.tobytes())

    @cached_property
    def _form(self) -> Linear | None:
        return self._measure.linear(self._view)

    @cached_property
    def _divisor(self) -> Floats | None:
        return self._measure.divisor(self._view.qrels)

    def score(self, rankings: Ints, rows: Ints, drawn: DrawnGrades, new: Ints | None = None) -> Floats:
        """Score of each ranking under each labelling: shape (rankings, draws).

        *rows* (rankings, holes) are the holes' rows, and *drawn* has shape (rankings, draws, holes). *new* (rankings,
        draws, levels) are numbers of new judgments; those of the holes alone unless given.
        """
        measure, view, scale = self._measure, self._view, self._scale
        top = max(view.qrels.max_grade, int(scale.grades[drawn.max(initial=0)]))
        on_scale = top == view.qrels.max_grade and view.qrels.scale.has(scale)
        if view.residual is not None or (measure.normaliser() == "none" and on_scale):
            # Grades outside the ranking play no part; and what is left to find after others follows its grades anyway.
            return score_drawn(measure, view, rankings, rows, drawn, scale)
        topics = view.topics[rankings]
        new = self._counted(counts_of_levels(drawn, len(scale)) if new is None else new)
        if is_average_precision(measure, view):
            relevant = new[:, :, first_relevant_level(measure, scale) :].sum(axis=2)
            total = view.total_relevant(measure.first_relevant(view.qrels.scale))[rankings, None] + relevant
            return share(sums_of_precisions(measure, view, rankings, rows, drawn, scale), total)
        # Gains of a weighted sum are known for the judgments' own grades.
        if self._form is None or self._divisor is None or not on_scale:
            return self._compute(top, rankings, rows, drawn, new)
        out = np.zeros(drawn.shape[:2])
        divisors = self._divisor[topics]
        some, rest = np.flatnonzero(divisors > 0), np.flatnonzero(divisors <= 0)
        fixed = score_linear(self._form, view, rankings[some], rows[some], drawn[some], scale) * divisors[some, None]
        for i, total in zip(some.tolist(), fixed, strict=True):
            out[i] = total / self._new_divisors(int(topics[i]), new[i])
        out[rest] = self._compute(top, rankings[rest], rows[rest], drawn[rest], new[rest])
        return out

    def score_without_holes(self, rankings: Ints, others: Callable[[int], Ints]) -> tuple[Ints, Floats]:
        """Rankings of those without holes that are scored quickly, and their scores: only the ideal ranking moves.

        *others* has the numbers of new judgments of a topic (draws, levels), of documents that others return.
        """
        view, nothing = self._view, np.zeros((0, 1))
        if self._form is None or self._divisor is None or not view.qrels.scale.has(self._scale):
            return rankings[:0], nothing
        topics = view.topics[rankings]
        some = self._divisor[topics] > 0
        rankings, topics = rankings[some], topics[some]
        if not len(rankings) or view.residual is not None or self._measure.normaliser() == "none":
            return rankings[:0], nothing
        rows, drawn = np.zeros((len(rankings), 0), dtype=np.int64), np.zeros((len(rankings), 1, 0), dtype=np.int32)
        fixed = score_linear(self._form, view, rankings, rows, drawn, self._scale) * self._divisor[topics, None]
        divisors = {topic: self._new_divisors(topic, self._counted(others(topic))) for topic in set(topics.tolist())}
        return rankings, fixed / np.stack([divisors[topic] for topic in topics.tolist()])

    def _counted(self, new: Ints) -> Ints:
        """Those of new judgments (..., levels) that are looked at."""
        if not self._measure.gains_only:
            return new
        new = new.copy()
        new[..., 0] = 0  # documents that nobody asks for
        return new

    def _new_divisors(self, topic: int, new: Ints) -> Floats:
        """What the measure is divided by, in each draw, with so many new judgments (draws, levels)."""
        key = new.tobytes()
        if len(key) > _SHORT:
            key = blake2b(key).digest()
        cached = self._new.get((topic, len(new)))
        if cached is None or cached[0] != key:
            counts, scale = self._with_new(topic, new)
            divisors = self._measure.divisor_of_counts(counts, scale)
            if divisors is None:
                judgments, place = self._judgments(topic, new)
                of_judgments = self._measure.divisor(judgments)
                if of_judgments is None:
                    raise TypeError(f"{self._measure} has a divisor for some judgments only")
                divisors = of_judgments[place]
            self._new[topic, len(new)] = cached = (key, divisors)
        return cached[1]

    def _compute(self, top: float, rankings: Ints, rows: Ints, drawn: DrawnGrades, new: Ints) -> Floats:
        """The same for any measure: by writing out the rankings with their grades."""
        measure = self._measure.on_scale(top)  # judgments of one topic do not show the whole scale
        out = np.empty(drawn.shape[:2])
        for i, ranking in enumerate(rankings.tolist()):
            both = np.concatenate([drawn[i], new[i]], axis=1)
            first, again = _each_once(both, int(both.max(initial=0)) + 1)
            filled = labelled(
                self._view,
                ranking,
                rows[i],
                self._scale.grades_at(drawn[i, first]),
                gains_only=measure.gains_only,
                judged=self._judgments(int(self._view.topics[ranking]), new[i, first]),
            )
            out[i] = measure.compute(filled)[again]
        return out

    def _judgments(self, topic: int, new: Ints) -> tuple[Qrels, Ints]:
        """A topic's judgments with so many new ones (rows, levels), each number once; and the topic of each row."""
        first, place = _each_once(new, int(new.max(initial=0)) + 1)
        return judgments_of(*self._with_new(topic, new[first])), place

    def _with_new(self, topic: int, new: Ints) -> tuple[Ints, Scale]:
        """How many judgments a topic has at each level of a scale with so many new ones (rows, levels); the scale."""
        scale, known = self._own(topic)
        counts = np.repeat(known[None], len(new), axis=0)
        counts[:, scale.levels(self._scale.grades)] += new
        return counts, scale

    def _own(self, topic: int) -> tuple[Scale, Ints]:
        """The grades that a topic has and those that grades can be; and how many judgments it has of each."""
        if topic not in self._topics:
            qrels, rows = self._view.qrels, slice(*self._view.qrels.offsets[topic : topic + 2].tolist())
            grades = qrels.grades[rows][qrels.judged[rows]]
            scale = Scale(np.union1d(grades, self._scale.grades))
            counts = np.bincount(scale.levels(grades), minlength=len(scale)).astype(np.int64)
            if self._measure.gains_only:
                counts[0] = 0
            self._topics[topic] = (scale, counts)
        return self._topics[topic]


@remembered
def _new_divisors(qrels: Qrels, measure: Measure, grades: bytes) -> dict[tuple[int, int], tuple[bytes, Floats]]:
    """By topic and number of draws: what was added to its judgments, and the divisors."""
    return {}


@remembered
def _own_judgments(qrels: Qrels, gains_only: bool, grades: bytes) -> dict[int, tuple[Scale, Ints]]:
    return {}


def _each_once(rows: NDArray[np.signedinteger], radix: int) -> tuple[Ints, Ints]:
    """Where each row of numbers below *radix* is first, and which of these each row is.

    Rows that are too long to be one number are taken as different.
    """
    if rows.shape[1] * np.log2(radix) >= _BITS:
        return np.arange(len(rows)), np.arange(len(rows))
    code = rows @ (np.int64(radix) ** np.arange(rows.shape[1], dtype=np.int64))
    _, first, place = np.unique(code, return_index=True, return_inverse=True)
    return first, place
