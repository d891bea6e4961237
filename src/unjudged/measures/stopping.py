"""Measures of a user who may stop at every document: what is gained per rank that is read.

All are of the C/W/L family (https://github.com/ireval/cwl): C(i) is the chance of going on from rank i to the next one,
V(i) = C(1) * ... * C(i-1) that of reading it, and the score is the sum of V(i) * gain(i) over that of V(i). Ranks below
the last retrieved one are read as well, and bring nothing.
"""

from __future__ import annotations

import math

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.data.spans import one_above, running_product, running_sum
from unjudged.data.view import View
from unjudged.measures.base import cutoff_param, max_grade_param, share
from unjudged.measures.browsing import (
    ScaledGains,
    gain_from_param,
    hoped_for_param,
    horizon_param,
    inverse_squares_from,
)
from unjudged.measures.stopping_bounds import Supply, extremes_until_enough, left_outside, one_for_each_hole
from unjudged.spec import Real, param

__all__ = ["BPM", "NERR8", "NERR9", "NERR10", "NERR11"]


NEARLY = (
    "L. Azzopardi, J. Mackenzie and A. Moffat. ERR is not C/W/L: exploring the relationship between expected reciprocal"
    " rank and other metrics. ICTIR 2021."
)


class BPM(ScaledGains):
    """Gain per document read by a user who stops as soon as enough is gained, or after ``cutoff`` ranks.

    Enough is ``T``, counted in documents of full gain. The gain is as in RBP: grade over ``max_grade``, or binary with
    ``rel``; with binary gains and ``T=1`` this is RR. The ``cutoff`` counts also where fewer documents are retrieved.
    With several grades a better document can lower the score, because its reader stops just before a good one. This is
    the static model; in the paper's dynamic one, what the user hopes for changes on the way. cwl_eval (and so
    ir_measures) reads at most 1000 ranks, and adds up gains as rounded numbers: of ten gains of 0.1 it says that they
    are not enough for ``T=1``.
    """

    name = "BPM"
    at = "cutoff"
    title = "Bejeweled player model"
    gains_only = True
    formula = (
        "BPM@k = 1/s * sum over ranks i <= s of gain(i), s being the first rank down to which the gains reach T, or k"
        " where none does"
    )
    reference = (
        "F. Zhang, Y. Liu, X. Li, M. Zhang, Y. Xu and S. Ma. Evaluating web search with a Bejeweled player model."
        " SIGIR 2017."
    )

    T: float = param(1.0, Real(0, float("inf"), "neither"), "gain that is enough, in documents of full gain")
    rel: float | None = gain_from_param()
    max_grade: float | None = max_grade_param()
    cutoff: int = cutoff_param(required=True)

    def monotone(self, top: float) -> bool:
        # Of equal gains as many are enough wherever they are, so the earlier the better. Of unequal ones, a small gain
        # can make the reader stop before a large one.
        return self.rel is not None or (isinstance(top, int) and min(top, self.max_grade or top) == 1)

    def fixed_extremes(self, view: View) -> tuple[Floats, Floats] | None:
        if self.monotone(view.qrels.max_grade):
            return None
        return self._extremes(view, view.qrels.max_grade, left_outside)

    def joint_extremes(self, view: View, top: float) -> tuple[Floats, Floats] | None:
        if self.monotone(top):
            return None
        return self._extremes(view, top, one_for_each_hole)

    def _extremes(self, view: View, top: float, supply: Supply) -> tuple[Floats, Floats] | None:
        full = self.max_grade or view.qrels.max_grade
        scale = view.qrels.scale.up_to(top)
        if scale.is_fractional:
            return None  # sums of fractional gains are too many
        steps = np.minimum(scale.grades, full).astype(np.int64)
        most = min(self.T, self.cutoff + 1.0)  # more cannot be gained
        near = math.ceil(most * full)  # but for rounding
        enough = next(number for number in (near - 1, near, near + 1) if number / full >= most)
        ends = extremes_until_enough(view, scale, steps, supply, enough, self.cutoff)
        return None if ends is None else (ends[0] / full, ends[1] / full)

    def compute(self, view: View) -> Floats:
        rows, steps, top = self.steps_of_gain(view)
        ranking = view.ranking[rows]
        # Whole steps are added up, and divided once: as many steps are enough in whichever order they come.
        gained = running_sum(ranking, steps.astype(np.float64)) / top
        is_read = one_above(ranking, gained, 0.0) < self.T
        is_last = is_read & (gained >= self.T)
        read = np.full(len(view), self.cutoff, dtype=np.int64)
        read[ranking[is_last]] = view.rank[rows[is_last]]
        return view.total(rows[is_read], steps[is_read].astype(np.float64)) / read / top


class _NearlyERR(ScaledGains):
    """A user who stops at a document with the chance of its gain, or for want of patience, which only ranks cost.

    A higher gain, or one further up, leaves fewer readers below it. So more is gained (each reader stops with gain
    sooner) on fewer ranks, and the score grows.
    """

    gains_only = True
    reference = NEARLY

    rel: float | None = gain_from_param()
    max_grade: float | None = max_grade_param()

    def patience(self, rank: Ints) -> Floats:
        """The chance of reading these ranks if nothing brings gain."""
        raise TypeError(f"{type(self).__name__} does not say how patient its user is")

    def patience_below(self, rank: Ints) -> Floats:
        """The sum of such probabilities over all lower ranks."""
        raise TypeError(f"{type(self).__name__} does not say how patient its user is")

    def compute(self, view: View) -> Floats:
        """Ranks without gain cost patience only, so that the sum over those between two others is a difference."""
        rows, gain = self.gains(view)
        ranking, rank = view.ranking[rows], view.rank[rows]
        stays = running_product(ranking, 1.0 - gain)
        stays_above = one_above(ranking, stays, 1.0)
        below = self.patience_below(rank)
        from_above = one_above(ranking, below, float(self.patience_below(np.zeros(1, dtype=np.int64))[0]))
        read = view.total(rows, stays_above * (from_above - below))
        is_last = np.append(np.diff(ranking) != 0, True)[: len(rows)]
        read += view.total(rows[is_last], (stays * below)[is_last])
        return share(view.total(rows, stays_above * self.patience(rank) * gain), read)


class NERR8(_NearlyERR):
    """Gain per document read by a user who stops at each document with the chance of its gain, or after ``cutoff``.

    The gain is as in RBP: grade over ``max_grade``, or binary with ``rel``; with binary gains this is RR. The
    ``cutoff`` counts also where fewer documents are retrieved. Named, like the other three, after its equation in the
    paper, which looks for a measure near ERR that is a gain per document. Not to be confused with nERR. cwl_eval (and
    so ir_measures) reads at most 1000 ranks.
    """

    name = "NERR8"
    at = "cutoff"
    title = "Nearly ERR, to a fixed depth"
    formula = "NERR8@k = sum over i <= k of V(i) * gain(i) / sum over i <= k of V(i), V(i+1) = V(i) * (1 - gain(i))"

    cutoff: int = cutoff_param(required=True)

    def patience(self, rank: Ints) -> Floats:
        return np.ones(len(rank))

    def patience_below(self, rank: Ints) -> Floats:
        return (self.cutoff - rank).astype(np.float64)


class NERR9(_NearlyERR):
    """As NERR8, for a user who loses patience as ERR discounts ranks: rank i is read with a chance of 1/i at most.

    It is ERR (with these gains as probabilities to be satisfied) over the number of ranks that are read. cwl_eval (and
    so ir_measures) reads at most 1000 ranks.
    """

    name = "NERR9"
    at = "cutoff"
    title = "Nearly ERR, discounted by rank"
    formula = (
        "NERR9@k = sum over i <= k of V(i) * gain(i) / sum over i <= k of V(i),"
        " V(i+1) = V(i) * (1 - gain(i)) * i / (i + 1)"
    )

    cutoff: int = cutoff_param(required=True)

    def patience(self, rank: Ints) -> Floats:
        return 1.0 / rank

    def patience_below(self, rank: Ints) -> Floats:
        from scipy.special import digamma  # loaded on use: importing it takes longer than most evaluations

        # Sums of 1/i are differences of digamma.
        return np.asarray(digamma(self.cutoff + 1.0) - digamma(rank + 1.0), dtype=np.float64)


class NERR10(_NearlyERR):
    """As NERR8, for a user who goes on to the next rank with probability ``p`` at most, as in RBP.

    There are infinitely many ranks, or the first ``horizon``; cwl_eval (and so ir_measures) reads 1000 of them:
    ``NERR10(horizon=1000)``.
    """

    name = "NERR10"
    title = "Nearly ERR, with the patience of RBP"
    formula = "NERR10 = sum over ranks i of V(i) * gain(i) / sum of V(i), V(i+1) = V(i) * (1 - gain(i)) * p"

    p: float = param(0.9, Real(0, 1, "neither"), "persistence: the chance of going on if there is no gain")
    horizon: int | None = horizon_param()

    def depth(self) -> int | None:
        return self.horizon

    def patience(self, rank: Ints) -> Floats:
        return np.asarray(self.p ** (rank - 1.0), dtype=np.float64)

    def patience_below(self, rank: Ints) -> Floats:
        beyond = self.p**self.horizon if self.horizon else 0.0
        return np.asarray((self.p ** rank.astype(np.float64) - beyond) / (1.0 - self.p), dtype=np.float64)


class NERR11(_NearlyERR):
    """As NERR8, for a user who hopes for ``T`` relevant documents and has the patience of INSQ.

    There are infinitely many ranks, or the first ``horizon``; cwl_eval (and so ir_measures) reads 1000 of them:
    ``NERR11(horizon=1000)``.
    """

    name = "NERR11"
    title = "Nearly ERR, with the patience of INSQ"
    formula = (
        "NERR11 = sum over ranks i of V(i) * gain(i) / sum of V(i),"
        " V(i+1) = V(i) * (1 - gain(i)) * ((i + 2T - 1) / (i + 2T))^2"
    )

    T: float = hoped_for_param()
    horizon: int | None = horizon_param()

    def depth(self) -> int | None:
        return self.horizon

    def patience(self, rank: Ints) -> Floats:
        return np.asarray((2 * self.T / (rank + (2 * self.T - 1))) ** 2, dtype=np.float64)

    def patience_below(self, rank: Ints) -> Floats:
        start = rank.astype(np.float64) + 2 * self.T
        beyond = inverse_squares_from(np.array([self.horizon + 2 * self.T])) if self.horizon else 0.0
        return np.asarray((2 * self.T) ** 2 * (inverse_squares_from(start) - beyond), dtype=np.float64)
