"""Ranks with ties, in one place."""

from __future__ import annotations

import numpy as np

from unjudged.arrays import Floats, Ints

__all__ = ["SAME_MEAN", "ranks_of_means", "share_greater", "tied_ranks", "without_rounding"]


SAME_MEAN = 1e-12
"""Means that differ by less are the same: the order of sums makes no difference between runs."""


def without_rounding(values: Floats) -> Floats:
    """The values, with those made equal that differ by rounding only (1e-12 of the largest); NaN stays NaN.

    The same ten scores, added up in another order, have another mean in the last digit: a tie that would be missed.
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    slack = SAME_MEAN * np.abs(np.nan_to_num(values)).max(initial=0.0)
    is_new = ~(np.diff(ordered, prepend=np.nan) <= slack)
    out = np.empty_like(values)
    out[order] = ordered[is_new][np.cumsum(is_new) - 1]
    return out


def tied_ranks(values: Floats) -> tuple[Ints, Ints]:
    """First and last rank of the group of equal values that each value is in; rank 1 is the lowest value.

    The middle of the two is the usual rank of a tie.
    """
    order = np.sort(values)
    return np.searchsorted(order, values, side="left") + 1, np.searchsorted(order, values, side="right")


def ranks_of_means(means: Floats) -> Ints:
    """Rank of each run in each draw, from 1, best mean first; runs with the same mean share the better rank.

    Both shapes are (runs, draws).
    """
    ranks = np.ones(means.shape, dtype=np.int64)
    for one in means:
        ranks += one > means + SAME_MEAN
    return ranks


def share_greater(differences: Floats) -> Floats:
    """Share of the draws (the last axis) in which a difference is above 0; those that differ by rounding count half."""
    tied = np.abs(differences) <= SAME_MEAN
    return np.asarray(((differences > SAME_MEAN) + 0.5 * tied).mean(axis=-1))
