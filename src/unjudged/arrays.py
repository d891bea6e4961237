"""Names for the arrays that the whole package passes around."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Bytes", "Flags", "Floats", "Hashes", "Ints", "SmallInts"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
SmallInts = NDArray[np.int32]
"""Grades, and columns as long as all runs together."""
Flags = NDArray[np.bool_]
Hashes = NDArray[np.uint64]
Bytes = NDArray[np.uint8]
"""Text, and states; also copies of documents."""
