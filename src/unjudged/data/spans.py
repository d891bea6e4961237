"""Spans of rows: where the rows of many rankings lie, one after another, and blocks of whole rankings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unjudged.arrays import Ints

__all__ = ["offsets_of", "ranking_blocks", "rows_of_spans", "top_rows"]


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
