"""Several measures in one walk down each ranking, for those that are a sum of which a kernel knows the kind.

A measure says so in :meth:`~unjudged.measures.base.Measure.ranking_sum`; its ``compute`` stays what is meant, and tests
hold both to the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import unjudged.kernels as kernels
from unjudged.arrays import Floats, Ints
from unjudged.data.memo import remembered
from unjudged.data.pool_depth import judged_before_a_hole
from unjudged.data.qrels import Qrels
from unjudged.data.view import View
from unjudged.kernels.reference_walks import RankingSum
from unjudged.measures.base import Measure
from unjudged.measures.precision import ANY_DEPTH

__all__ = ["Together", "Walked", "walked"]

_FEWEST_WEIGHTS = 64
_MOST_SUMS = 64
"""That the kernel takes at once."""


class Together(tuple[Measure, ...]):
    """Measures that are asked for together again and again: which they are need not be compared each time."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


@dataclass(frozen=True, eq=False)
class Walked:
    """What measures and the judged documents that they look at come to; a row for each measure."""

    values: Floats
    looked_at: Ints
    """How many documents each measure looks at."""
    judged: Ints
    """How many of these are judged."""
    judged_first: Ints
    """How many documents of each ranking are judged before the first one that is not."""

    @property
    def shares_judged(self) -> Floats:
        """Share of judged documents; NaN where there are none."""
        shares: Floats = np.full(self.judged.shape, np.nan)
        np.divide(self.judged, self.looked_at, out=shares, where=self.looked_at > 0)
        return shares


@dataclass(frozen=True, eq=False)
class _Plan:
    """The sums that measures ask for, one after the other, then those about judged documents."""

    sums: Any
    """As the core has them."""
    of_measures: list[int | None]
    """Which sum each measure is; None for those that are no sum."""
    is_whole: bool
    """Whether all measures are sums."""
    of_counts: Ints
    """Which sums are the judged documents of each measure, and then those before a hole."""
    depths: Ints
    """Of the measures, a column."""


def walked(measures: Sequence[Measure], view: View, *, scored: bool = True) -> Walked:
    """Score all measures on a view, and look at what of it was judged; unless *scored*, values are NaN."""
    lengths = view.lengths
    if view.sparse is not None or view.residual is not None or view.grades.dtype != np.int32 or not len(view):
        return _one_by_one(measures, view, scored)
    ranks = max(_FEWEST_WEIGHTS, 1 << int(lengths.max(initial=1) - 1).bit_length())
    plan = _plan(view.qrels, measures if isinstance(measures, Together) else tuple(measures), ranks, scored)
    if plan is None:
        return _one_by_one(measures, view, scored)
    out = kernels.sum_rankings(plan.sums, view.topics, view.offsets, view.grades, view.states)
    counts = out.take(plan.of_counts, axis=0).astype(np.int64)
    values = out[: len(measures)]
    if not plan.is_whole or bool(np.isnan(out).any()):
        values = _with_others(measures, view, plan.of_measures, out, scored)
    return Walked(values, np.minimum(lengths, plan.depths), counts[:-1], counts[-1])


def _with_others(
    measures: Sequence[Measure], view: View, of_measures: Sequence[int | None], out: Floats, scored: bool
) -> Floats:
    """Values of measures of which some are no sum, or one that the kernel does not know of these rankings (NaN)."""
    values = np.full((len(measures), len(view)), np.nan)
    for i, (measure, at) in enumerate(zip(measures, of_measures, strict=True) if scored else ()):
        values[i] = measure.score(view) if at is None or np.isnan(out[at]).any() else out[at]
    return values


@remembered
def _plan(qrels: Qrels, measures: tuple[Measure, ...], ranks: int, scored: bool) -> _Plan | None:
    """How to walk rankings of at most so many ranks; None where it would not pay."""
    sums: list[RankingSum] = []
    of_measures: list[int | None] = []
    nothing, no_limit = np.ones(len(qrels.topics)), np.zeros(len(qrels.topics), dtype=np.int64)
    for measure in measures:
        one = measure.ranking_sum(qrels, ranks) if scored and _says_so_itself(measure) else None
        of_measures.append(None if one is None else len(sums))
        if one is not None:
            sums.append(_filled(one, nothing, no_limit))
    depths = [ANY_DEPTH if (depth := measure.depth()) is None else depth for measure in measures]
    different = list(dict.fromkeys(depths))
    first = len(sums)
    sums += [RankingSum("j", depth, divisors=nothing, limits=no_limit) for depth in different]
    sums.append(RankingSum("d", ANY_DEPTH, divisors=nothing, limits=no_limit))
    if len(sums) > _MOST_SUMS:
        return None
    of_counts = [*(first + different.index(depth) for depth in depths), len(sums) - 1]
    is_whole = scored and None not in of_measures
    return _Plan(kernels.ready_sums(sums), of_measures, is_whole, np.array(of_counts), np.array(depths)[:, None])


def _filled(one: RankingSum, nothing: Floats, no_limit: Ints) -> RankingSum:
    """A sum with numbers for each topic, also where all are alike."""
    if len(one.divisors) != len(nothing):
        one = one._replace(divisors=nothing)
    return one if len(one.limits) == len(nothing) else one._replace(limits=no_limit)


def _says_so_itself(measure: Measure) -> bool:
    """Whether it is the class that computes the measure that says which sum it is, and not one above it."""
    if measure.condenses:
        return False
    decisive = ("ranking_sum", "compute", "score", "seen", "depth")
    home = next(cls for cls in type(measure).__mro__ if not vars(cls).keys().isdisjoint(decisive))
    return "ranking_sum" in vars(home)


def _one_by_one(measures: Sequence[Measure], view: View, scored: bool) -> Walked:
    """The same without a kernel."""
    values = np.full((len(measures), len(view)), np.nan)
    looked_at, judged = np.empty(values.shape, dtype=np.int64), np.empty(values.shape, dtype=np.int64)
    for i, measure in enumerate(measures):
        if scored:
            values[i] = measure.score(view)
        top = view.top(measure.depth())
        looked_at[i], judged[i] = top.lengths, top.count(top.judged)
    rows = np.flatnonzero(view.judged)
    first = judged_before_a_hole(view.rank[rows], np.searchsorted(rows, view.offsets))
    return Walked(values, looked_at, judged, first)
