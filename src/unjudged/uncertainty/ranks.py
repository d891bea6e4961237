"""Ranks with ties, in one place."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["tied_ranks"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def tied_ranks(values: Floats) -> tuple[Ints, Ints]:
    """First and last rank of the group of equal values that each value is in; rank 1 is the lowest value.

    The middle of the two is the usual rank of a tie.
    """
    order = np.sort(values)
    return np.searchsorted(order, values, side="left") + 1, np.searchsorted(order, values, side="right")
