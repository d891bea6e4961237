"""Names for the arrays that the whole package passes around."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Bytes", "Flags", "Floats", "GradeColumn", "Hashes", "Ints", "SmallInts"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
SmallInts = NDArray[np.int32]
"""Columns as long as all runs together."""
GradeColumn = NDArray[Any]
"""Grades: whole numbers of 32 bits; floats where a judgment has another, such as 0.5."""
Flags = NDArray[np.bool_]
Hashes = NDArray[np.uint64]
Bytes = NDArray[np.uint8]
"""Text, and states; also copies of documents."""
