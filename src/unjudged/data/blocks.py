"""Cutting many rankings into blocks of whole rankings, so that memory stays bounded and threads can share the work."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["ranking_blocks"]


def ranking_blocks(offsets: NDArray[np.int64], rows: int) -> Iterator[range]:
    """Ranges of rankings with at most *rows* rows together, or of a single one that has more.

    >>> list(ranking_blocks(np.array([0, 3, 5, 5, 9]), 5))
    [range(0, 3), range(3, 4)]
    """
    first = 0
    while first < len(offsets) - 1:
        last = max(int(np.searchsorted(offsets, offsets[first] + rows, side="right")) - 1, first + 1)
        yield range(first, last)
        first = last
