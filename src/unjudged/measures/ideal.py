"""Gains of grades, discounts of ranks, and the ideal rankings that follow from them."""

from __future__ import annotations

import numpy as np

from unjudged.arrays import Floats, GradeColumn, Ints
from unjudged.data.memo import remembered
from unjudged.data.qrels import Qrels
from unjudged.data.spans import running_sum
from unjudged.data.view import View, ideal_view
from unjudged.errors import InputError

__all__ = [
    "GainTable",
    "discounted_gain",
    "gain_of",
    "gains_of_grades",
    "geometric_discounts",
    "graded_rows",
    "ideal_dcg_of_counts",
    "ideal_gain_at",
    "ideal_ranking",
    "log_discounts",
    "refuse_high_grades",
    "refuse_vanishing_grades",
    "whole_grades",
]

GainTable = tuple[tuple[float, float], ...]

# ---- gains


def gain_of(grades: GradeColumn, dcg: str = "log2", gains: GainTable | None = None) -> Floats:
    """Gain of each judged grade."""
    out = np.exp2(grades) - 1.0 if dcg == "exp-log2" else grades.astype(np.float64)
    for grade, gain in gains or ():
        out[grades == grade] = gain
    return out


def whole_grades(qrels: Qrels) -> Ints | None:
    """All grades up to the highest one, for a table of their gains; None where grades are no short list."""
    if qrels.has_fractions or qrels.max_grade > _LONGEST_LIST:
        return None
    return np.arange(int(qrels.max_grade) + 1)


_LONGEST_LIST = 1000
_HIGHEST_EXPONENT = 500
_LOWEST_EXPONENT = -1000


def refuse_high_grades(qrels: Qrels, dcg: str, top: float | None = None) -> None:
    """Raise an error for grades whose gains, or sums of their squares (tests need them), would be infinite.

    *top* is the top of the scale; the highest grade of the judgments unless given.
    """
    top = top or qrels.max_grade
    if dcg == "exp-log2" and top > _HIGHEST_EXPONENT:
        raise InputError(
            f"{qrels.source or 'qrels'}: grade {top} is too high for gains of 2^grade ({dcg}), which goes up to"
            f" {_HIGHEST_EXPONENT}; use dcg=log2"
        )


def refuse_vanishing_grades(qrels: Qrels, name: str, top: float) -> None:
    """Raise an error for a top of the scale next to which lower grades are nothing, and ratios of them unknown."""
    if -top < _LOWEST_EXPONENT:
        raise InputError(
            f"{qrels.source or 'qrels'}: grade {top} is too high for {name}, which divides by 2^grade and goes up to"
            f" {-_LOWEST_EXPONENT}; give a max_grade"
        )


def gains_of_grades(qrels: Qrels, dcg: str = "log2", gains: GainTable | None = None) -> Floats:
    """Gain of each grade of the judgments' scale."""
    refuse_high_grades(qrels, dcg)
    return gain_of(qrels.scale.grades, dcg, gains)


def graded_rows(view: View, max_grade: float | None) -> tuple[Ints, GradeColumn, float]:
    """The rows with a grade above 0, their grades (at most the top of the scale), and the top of the scale."""
    top = max_grade or view.qrels.max_grade
    rows = np.flatnonzero(view.grades > 0)
    grades = np.minimum(view.grades[rows], top)
    return rows, grades if grades.dtype.kind == "f" else grades.astype(np.int64), top


def log_discounts(ranks: int) -> Floats:
    """1 / log2(rank + 1) for ranks 1, 2, ..."""
    return 1.0 / np.log2(np.arange(2, ranks + 2))


def geometric_discounts(p: float, ranks: int) -> Floats:
    """p^(rank - 1) for ranks 1, 2, ..."""
    return np.asarray(np.power(p, np.arange(ranks, dtype=np.float64)))


def discounted_gain(view: View, dcg: str = "log2", gains: GainTable | None = None) -> Floats:
    """DCG of each ranking over all its rows."""
    refuse_high_grades(view.qrels, dcg)
    # Grades are 0 wherever nothing was judged, so that grade 0 needs a look only where it was given a gain.
    rows = np.flatnonzero(view.judged if any(grade == 0 for grade, _ in gains or ()) else view.grades > 0)
    discounts = log_discounts(view.deepest)
    return view.total(rows, gain_of(view.grades[rows], dcg, gains) * discounts[view.rank[rows] - 1])


# ---- ideal rankings


@remembered
def ideal_ranking(qrels: Qrels, dcg: str = "log2", gains: GainTable | None = None) -> View:
    """Each topic's judged documents with a gain above 0, sorted by gain; made once for all runs."""
    return ideal_view(qrels, gains_of_grades(qrels, dcg, gains))


def ideal_dcg_of_counts(counts: Ints, gains: Floats, cutoff: int | None) -> Floats:
    """DCG of the best ranking of so many documents at each level, for each row of *counts*.

    Added rank by rank, as :func:`discounted_gain` does, without writing the rankings out.
    """
    best_first = np.argsort(-gains, kind="stable")
    best_first = best_first[gains[best_first] > 0]
    ends = counts.T[best_first].cumsum(axis=0)
    deepest = int(ends[-1].max(initial=0)) if len(best_first) else 0
    gain_at = np.append(gains[best_first], 0.0)
    out = np.zeros(len(counts))
    for rank, discount in enumerate(log_discounts(deepest if cutoff is None else min(deepest, cutoff))):
        level = np.zeros(len(counts), dtype=np.int64)
        for end in ends:
            level += end <= rank
        out += gain_at[level] * discount
    return out


def ideal_gain_at(qrels: Qrels, topic: Ints, rank: Ints, *, discounted: bool = False) -> Floats:
    """Gain (the grade) of the topic's ideal ranking down to a rank, or to its end where that comes first; or DCG."""
    ideal = ideal_ranking(qrels)
    last = np.minimum(rank, ideal.lengths[topic])
    inside = last > 0
    out = np.zeros(len(last))
    out[inside] = _running_ideal_gain(qrels, discounted)[(ideal.offsets[topic] + last - 1)[inside]]
    return out


@remembered
def _running_ideal_gain(qrels: Qrels, discounted: bool) -> Floats:
    ideal = ideal_ranking(qrels)
    discounts = log_discounts(ideal.deepest) if discounted else np.ones(len(ideal.grades))
    return running_sum(ideal.ranking, ideal.grades * discounts[ideal.rank - 1])
