"""Running sums and products down rankings, over some of their rows only."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from unjudged.arrays import Floats, Ints

__all__ = ["one_above", "running_product", "running_sum"]


def running_sum(ranking: Ints, values: Floats) -> Floats:
    """Sum of the values so far in the same ranking; *ranking* holds the ranking of each value and must be sorted.

    Every ranking is summed apart, from the top down, so its numbers do not depend on what else is in the view.
    """
    out = values.copy()
    for turn in _turns(ranking):
        out[turn] += out[turn - 1]
    return out


def running_product(ranking: Ints, values: Floats) -> Floats:
    """Product of the values so far in the same ranking; see :func:`running_sum`."""
    out = values.copy()
    for turn in _turns(ranking):
        out[turn] *= out[turn - 1]
    return out


def one_above(ranking: Ints, values: Floats, at_top: float) -> Floats:
    """The value one row further up in the same ranking; *at_top* for the first of each."""
    out = np.full(len(values), at_top)
    out[1:] = np.where(ranking[1:] == ranking[:-1], values[:-1], at_top)
    return out


def _turns(ranking: Ints) -> Iterator[Ints]:
    """Positions of the second value of every ranking, then of the third, and so on: a loop over depth, not topics."""
    if not len(ranking):
        return
    first = np.flatnonzero(np.diff(ranking, prepend=-1))
    turn = np.arange(len(ranking)) - np.repeat(first, np.diff(first, append=len(ranking)))
    order = np.argsort(turn, kind="stable")
    ends = np.cumsum(np.bincount(turn))
    for start, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        yield order[start:end]
