"""Spans of rows: where the rows of rankings lie, one after another; blocks of whole rankings; and sums down them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unjudged.arrays import Floats, Ints

__all__ = [
    "offsets_of",
    "one_above",
    "ranking_blocks",
    "rows_of_spans",
    "running_product",
    "running_sum",
    "sums_of",
    "top_rows",
    "turns",
]


def offsets_of(lengths: NDArray[np.integer[Any] | np.bool_]) -> Ints:
    """Where spans of these lengths begin and end when they lie one after another. Of flags: how many are set before.

    >>> offsets_of(np.array([2, 0, 3])).tolist()
    [0, 2, 2, 5]
    """
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def rows_of_spans(starts: Ints, lengths: Ints) -> Ints:
    """All rows of some spans, span by span.

    >>> rows_of_spans(np.array([7, 0]), np.array([2, 3])).tolist()
    [7, 8, 0, 1, 2]
    """
    offsets = offsets_of(lengths)
    return np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths)


def top_rows(offsets: Ints, depth: int) -> tuple[Ints, Ints]:
    """The first *depth* rows of each span, and where they begin and end.

    >>> rows, ends = top_rows(np.array([0, 3, 4]), 2)
    >>> rows.tolist(), ends.tolist()
    ([0, 1, 3], [0, 2, 3])
    """
    lengths = np.minimum(np.diff(offsets), depth)
    return rows_of_spans(offsets[:-1], lengths), offsets_of(lengths)


def ranking_blocks(offsets: Ints, rows: int) -> Iterator[range]:
    """Ranges of rankings with at most *rows* rows together, or of a single one that has more.

    So memory stays bounded, and threads can share the work.

    >>> list(ranking_blocks(np.array([0, 3, 5, 5, 9]), 5))
    [range(0, 3), range(3, 4)]
    """
    first = 0
    while first < len(offsets) - 1:
        last = max(int(np.searchsorted(offsets, offsets[first] + rows, side="right")) - 1, first + 1)
        yield range(first, last)
        first = last


def sums_of(values: Floats, group: Ints, groups: int) -> Floats:
    """Sum of the values of each of so many groups, where *group* holds that of each value."""
    sums = np.bincount(group, weights=values, minlength=groups)
    return sums.astype(np.float64, copy=False)  # bincount of nothing gives integers


# ---- down rankings, over some of their rows only; *ranking* holds the ranking of each value and must be sorted


def turns(ranking: Ints) -> Ints:
    """How many values of the same ranking are above each.

    >>> turns(np.array([2, 2, 5, 5, 5])).tolist()
    [0, 1, 0, 1, 2]
    """
    first = np.flatnonzero(np.diff(ranking, prepend=-1))
    return np.arange(len(ranking)) - np.repeat(first, np.diff(first, append=len(ranking)))


def one_above(ranking: Ints, values: Floats, at_top: float) -> Floats:
    """The value one row further up in the same ranking; *at_top* for the first of each."""
    out = np.full(len(values), at_top)
    out[1:] = np.where(ranking[1:] == ranking[:-1], values[:-1], at_top)
    return out


def running_sum(ranking: Ints, values: Floats) -> Floats:
    """Sum of the values so far in the same ranking.

    Every ranking is summed apart, from the top down, so its numbers do not depend on what else is in the view.
    """
    out = values.copy()
    for rows in _turn_by_turn(ranking):
        out[rows] += out[rows - 1]
    return out


def running_product(ranking: Ints, values: Floats) -> Floats:
    """Product of the values so far in the same ranking; see :func:`running_sum`."""
    out = values.copy()
    for rows in _turn_by_turn(ranking):
        out[rows] *= out[rows - 1]
    return out


def _turn_by_turn(ranking: Ints) -> Iterator[Ints]:
    """Positions of the second value of every ranking, then of the third, and so on: a loop over depth, not topics."""
    if not len(ranking):
        return
    turn = turns(ranking)
    order = np.argsort(turn, kind="stable")
    ends = np.cumsum(np.bincount(turn))
    for start, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        yield order[start:end]
