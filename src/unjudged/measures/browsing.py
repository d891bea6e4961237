"""Measures with a model of how far a user reads: gains are weighted by the chance that a rank is looked at."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from unjudged.arrays import Floats, GradeColumn, Ints
from unjudged.data.memo import remembered
from unjudged.data.qrels import Qrels
from unjudged.data.spans import one_above, running_product, running_sum
from unjudged.data.view import View
from unjudged.errors import SpecError
from unjudged.kernels.reference_walks import RankingSum
from unjudged.measures.base import Measure, Normaliser, Static, TrecName, cutoff_param, max_grade_param, read_number
from unjudged.measures.gain import NO_GAIN
from unjudged.measures.ideal import geometric_discounts, graded_rows, whole_grades
from unjudged.measures.precision import ANY_DEPTH, binary_gains
from unjudged.spec import Choice, Flag, Real, Threshold, Whole, param
from unjudged.wording import shortened

__all__ = [
    "INSQ",
    "INST",
    "RBP",
    "RBPresid",
    "ScaledGains",
    "gain_from_param",
    "hoped_for_param",
    "horizon_param",
    "inverse_squares_from",
]

MOFFAT_ZOBEL = (
    "A. Moffat and J. Zobel. Rank-biased precision for measurement of retrieval effectiveness. ACM TOIS 27(1), 2008."
)


def gain_from_param() -> Any:
    """The ``rel`` parameter of measures whose gains are graded without it."""
    return param(None, Threshold(), "lowest grade that counts as relevant; graded gains unless given")


def horizon_param() -> Any:
    """The ``horizon`` parameter of measures that read on without end."""
    return param(None, Whole(1), "ranks over which the weights sum to 1; infinitely many unless given")


def hoped_for_param(least: float = 0.001) -> Any:
    """The ``T`` parameter of measures with weights of inverse squares.

    Beyond these limits, weights differ by less than numbers can, or the first rank has all of it.
    """
    return param(1.0, Real(least, 1e6), "number of relevant documents the user hopes for")


class ScaledGains(Measure):
    """What measures share whose gains end at 1: the grade over the top of the scale, or 1 from the grade ``rel`` on."""

    graded = True
    normalised_by = "none"
    unjudged = NO_GAIN

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rel is not None and self.max_grade is not None:
            raise SpecError(f"{self.name}: give rel (binary gains) or max_grade (graded gains), not both")

    def gains(self, view: View) -> tuple[Ints, Floats]:
        """The rows that bring gain, and their gains."""
        rows, steps, top = self.steps_of_gain(view)
        return rows, steps / top

    def steps_of_gain(self, view: View) -> tuple[Ints, GradeColumn, float]:
        """The rows that bring gain, their gains in whole steps, and how many steps are a gain of 1."""
        if self.rel is None:
            return graded_rows(view, self.max_grade)
        rows, _ = view.relevant_rows(self.rel)
        return rows, np.ones(len(rows), dtype=np.int64), 1

    def gains_of_grades(self, qrels: Qrels) -> Floats:
        """Gain of each grade of the judgments' scale."""
        if self.rel is not None:
            return binary_gains(qrels, self.rel)
        top = self.max_grade or qrels.max_grade
        return np.minimum(qrels.scale.grades, top) / top


class _Persistent(Measure):
    """A user who goes on to the next rank with the same probability everywhere."""

    p: float = param(0.8, Real(0, 1, "neither"), "persistence: the chance of going on to the next rank")

    @classmethod
    def from_trec(cls, trec: TrecName, arguments: str) -> list[Self]:
        values: dict[str, Any] = dict(trec.fixed)
        if arguments:
            name, _, value = arguments.partition("=")
            if name != "p":
                raise SpecError(f"trec_eval measure {trec.name!r}: {shortened(arguments)} should look like p=0.8")
            values["p"] = read_number(trec, value)
        return [cls(**values)]


class RBP(_Persistent, ScaledGains):
    """Gain per document for a user who goes on to the next rank with probability ``p``.

    The gain of a document is its grade over ``max_grade`` (the highest grade in the qrels unless given; grades above
    it count as it), or with ``rel`` 1 from that grade on and 0 below. ``scale='topic'`` takes the highest grade of the
    topic instead, as trec_eval 10 does. Weights sum to 1 over infinitely many ranks, also with a cut-off; cwl_eval
    (and so ir_measures) stops at rank 1000, so its score is ours / (1 - p^1000).
    """

    name = "RBP"
    at = "cutoff"
    title = "Rank-biased precision"
    formula = "RBP = (1 - p) * sum over ranks i of gain(i) * p^(i-1)"
    unjudged = "Bring no gain; RBPresid says how much they could bring."
    reference = MOFFAT_ZOBEL
    trec_names = (TrecName("rbp", fixed=(("p", 0.9), ("scale", "topic")), arguments=True),)

    rel: float | None = gain_from_param()
    max_grade: float | None = max_grade_param()
    scale: str = param("collection", Choice(("collection", "topic")), "whose highest grade is the top of the scale")
    cutoff: int | None = cutoff_param()

    def compute(self, view: View) -> Floats:
        rows, gain = self.gains(view)
        total = (1.0 - self.p) * view.total(rows, gain * geometric_discounts(self.p, view.deepest)[view.rank[rows] - 1])
        if self._scale_of_topic():
            top = _topic_top(view.qrels)
            total = total * view.qrels.max_grade / np.where(top > 0, top, 1)[view.topics]
        return total

    def ranking_sum(self, qrels: Qrels, ranks: int) -> RankingSum | None:
        grades, top = whole_grades(qrels), self.max_grade or qrels.max_grade
        if grades is None or self._scale_of_topic():
            return None
        gains = (grades >= self.rel).astype(np.float64) if self.rel is not None else np.minimum(grades, top) / top
        weights, divisors = geometric_discounts(self.p, ranks), np.ones(len(qrels.topics))
        depth = self.cutoff or ANY_DEPTH
        return RankingSum("g", depth, first=1.0 - self.p, weights=weights, gains=gains, divisors=divisors)

    def static(self, qrels: Qrels, ranks: int) -> Static | None:
        if self._scale_of_topic():
            return None
        weights = (1.0 - self.p) * geometric_discounts(self.p, ranks)
        return Static(weights, self.gains_of_grades(qrels))

    def normaliser(self) -> Normaliser:
        return "ideal" if self._scale_of_topic() else "none"

    def on_scale(self, top: float) -> Self:
        return self if self._scale_of_topic() else super().on_scale(top)

    def _scale_of_topic(self) -> bool:
        return self.scale == "topic" and self.rel is None and self.max_grade is None


class RBPresid(_Persistent):
    """How much higher RBP could be if every unjudged document had the highest gain.

    With ``tail`` the ranks below the last retrieved (or read) one count as unjudged too. trec_eval's ``rbp_resid`` does
    that, except that it is 0 for a ranking without any unjudged document: ``as_in='trec_eval'``. An empty ranking has
    nothing known about it: 1 with the tail, 0 without.
    """

    name = "RBPresid"
    at = "cutoff"
    title = "Residual of rank-biased precision"
    formula = "RBPresid = (1 - p) * sum over ranks i with an unjudged document of p^(i-1), + p^n for the ranks after n"
    unjudged = "They are what is measured: each adds the weight of its rank."
    reference = MOFFAT_ZOBEL
    trec_names = (TrecName("rbp_resid", fixed=(("p", 0.9), ("as_in", "trec_eval")), arguments=True),)
    has_holes = False

    tail: bool = param(True, Flag(), "count the ranks below the last one as unjudged")
    as_in: str = param(
        "unjudged", Choice(("unjudged", "trec_eval")), "whose rule for rankings without unjudged documents"
    )
    cutoff: int | None = cutoff_param()

    def compute(self, view: View) -> Floats:
        rows = np.flatnonzero(~view.judged)
        holes = (1.0 - self.p) * view.total(rows, geometric_discounts(self.p, view.deepest)[view.rank[rows] - 1])
        if not self.tail:
            return holes
        tail = np.power(self.p, view.lengths.astype(np.float64))
        if self.as_in == "trec_eval":
            tail[view.count(~view.judged) == 0] = 0.0
        return np.minimum(holes + tail, 1.0)


_LEAST_T_FROM_0 = 0.5
"""Where ranks count from 0, the first weight is (2T - 1)^-2."""


class INSQ(ScaledGains):
    """Gain per document for a user who goes on more readily the further they have read.

    ``T`` is the number of relevant documents the user hopes for. The gain is as in RBP: grade over ``max_grade``, or
    binary with ``rel``. Weights sum to 1 over infinitely many ranks, or over the first ``horizon``; cwl_eval (and so
    ir_measures) reads 1000 ranks: ``INSQ(horizon=1000)``. ``first_rank=0`` gives the first document the weight of rank
    0, the second that of rank 1 and so on, and divides as before: with T = 5 weights sum to 1.117. That is our guess at
    how the corpus bootstrapping paper (Zobel and Rashidi, CIKM 2020) computes it.
    """

    name = "INSQ"
    title = "Inverse squares"
    formula = "INSQ = sum over ranks i of gain(i) * W(i), W(i) = (i + 2T - 1)^-2 / zeta(2, 2T)"
    reference = "A. Moffat, F. Scholer and P. Thomas. Models and metrics: IR evaluation as a user process. ADCS 2012."

    T: float = hoped_for_param()
    rel: float | None = gain_from_param()
    max_grade: float | None = max_grade_param()
    horizon: int | None = horizon_param()
    first_rank: int = param(1, Whole(0, 1), "rank that the first document counts as")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.first_rank == 0 and self.T <= _LEAST_T_FROM_0:
            raise SpecError(f"INSQ(first_rank=0) has no weight for rank 0 unless T is above 0.5, not {self.T:g}")

    def depth(self) -> int | None:
        return self.horizon

    def limits(self) -> tuple[float, float]:
        if self.first_rank == 1:
            return self.value_range
        first, beyond = inverse_squares_from(np.array([2 * self.T - 1, 2 * self.T - 1 + (self.horizon or 0)]))
        return 0.0, float(first - (beyond if self.horizon else 0)) / self._whole()

    def compute(self, view: View) -> Floats:
        rows, gain = self.gains(view)
        return view.total(rows, gain * self._inverse_squares(view.rank[rows])) / self._whole()

    def _inverse_squares(self, ranks: NDArray[np.integer]) -> Floats:
        return np.asarray((ranks + (2 * self.T - 2 + self.first_rank)) ** -2.0, dtype=np.float64)

    def _whole(self) -> float:
        """What the weights sum to before they are normalised."""
        ends = np.array([2 * self.T, 2 * self.T + (self.horizon or 0)])
        first, beyond = inverse_squares_from(ends)
        return float(first - beyond) if self.horizon else float(first)

    def static(self, qrels: Qrels, ranks: int) -> Static:
        weights = self._inverse_squares(np.arange(1, ranks + 1)) / self._whole()
        return Static(weights, self.gains_of_grades(qrels))


class INST(ScaledGains):
    """Gain per document for a user who hopes for ``T`` relevant documents and loses interest as they are found.

    The gain is as in RBP: grade over ``max_grade``, or binary with ``rel``. The weights depend on the gains seen so
    far. They sum to 1 over infinitely many ranks (nothing is gained below the last retrieved one, and the sum has a
    closed form), or over the first ``horizon``; cwl_eval (and so ir_measures) reads 1000 ranks: ``INST(horizon=1000)``.
    With ``T`` below 0.5 the chance of going on could exceed 1.
    """

    name = "INST"
    title = "INST"
    formula = (
        "INST = sum over ranks i of gain(i) * W(i), W(i+1) = W(i) * ((i + T + T(i) - 1) / (i + T + T(i)))^2,"
        " T(i) = T - gains down to rank i, W sums to 1"
    )
    reference = (
        "A. Moffat, P. Bailey, F. Scholer and P. Thomas. INST: an adaptive metric for information retrieval evaluation."
        " ADCS 2015."
    )

    T: float = hoped_for_param(0.5)
    rel: float | None = gain_from_param()
    max_grade: float | None = max_grade_param()
    horizon: int | None = horizon_param()

    def depth(self) -> int | None:
        return self.horizon

    def compute(self, view: View) -> Floats:
        """Between two documents with gain the weights telescope, so that only those documents are looked at.

        From a document at rank s on, with a = T + T(s), the weight of rank i > s is that of s times
        ((s + a - 1) / (i + a - 1))^2, and sums of inverse squares are differences of two values of zeta(2, x).
        """
        rows, gain = self.gains(view)
        ranking, rank = view.ranking[rows], view.rank[rows].astype(np.float64)
        is_first = np.diff(ranking, prepend=-1) != 0
        a = 2 * self.T - running_sum(ranking, gain)
        a_above, start_above = one_above(ranking, a, 2 * self.T), one_above(ranking, rank, 1.0)
        weight = running_product(ranking, ((start_above + a_above - 1) / (rank + a_above - 1)) ** 2)

        # What the ranks below a document weigh, down to the next document with gain, the horizon, or without end.
        is_last = np.append(is_first[1:], True)[: len(rows)]
        end = np.where(is_last, (self.horizon or 0) + 1.0, np.append(rank[1:], 0.0)[: len(rows)])
        below = inverse_squares_from(rank + a)
        after = inverse_squares_from(np.maximum(end + a - 1, rank + a))
        if self.horizon is None:
            after[is_last] = 0.0
        total = view.total(rows, weight * (1 + (rank + a - 1) ** 2 * (below - after)))

        # And the ranks above the first one, where the weight of rank 1 is 1.
        first = rows[is_first]
        above = inverse_squares_from(np.append(2 * self.T, rank[is_first] + 2 * self.T - 1))
        total += view.total(first, (2 * self.T) ** 2 * (above[0] - above[1:]))
        gained = view.total(rows, weight * gain)
        return np.divide(gained, total, out=np.zeros(len(view)), where=gained > 0)


def inverse_squares_from(x: Floats) -> Floats:
    """x^-2 + (x+1)^-2 + (x+2)^-2 + ..., Hurwitz' zeta(2, x)."""
    from scipy.special import zeta  # loaded on use: importing it takes longer than most evaluations

    return np.asarray(zeta(2.0, x), dtype=np.float64)


@remembered
def _topic_top(qrels: Qrels) -> GradeColumn:
    top = np.zeros(len(qrels.topics), dtype=qrels.grades.dtype)
    np.maximum.at(top, qrels.topic_of_row, qrels.grades)
    return top
