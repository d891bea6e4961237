"""NumPy arrays from files that anybody may have changed: arrays of numbers come out, or an error, whatever is in there.

``numpy.load`` believes the header of an array: it makes room for what is announced before it looks how much there is,
and a header that is no literal can raise whatever Python's parser has in store.
"""

from __future__ import annotations

import math
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

__all__ = ["is_column", "is_packed", "read_array"]

_NUMBERS = "biuf"


def read_array(stream: IO[bytes], size: int) -> NDArray[Any]:
    """The array of numbers that begins here, of at most *size* bytes. Raises ValueError for anything else."""
    try:
        read = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}[npy.read_magic(stream)]
        shape, in_columns, dtype = read(stream)
        length = math.prod(shape) * dtype.itemsize
        if dtype.kind not in _NUMBERS or not dtype.isnative or not 0 <= length <= size:
            raise ValueError(f"{dtype} of shape {shape} in {size} bytes")
        content = np.empty(length, dtype=np.uint8)
        if stream.readinto(content) != length:  # type: ignore[attr-defined]
            raise ValueError("cut short")
        return content.view(dtype).reshape(shape, order="F" if in_columns else "C")
    except Exception as problem:  # a header is Python's syntax for a dict: its parser alone has half a dozen errors
        raise ValueError(f"not an array of numbers: {problem}") from None


def is_column(array: NDArray[Any], dtype: Any, length: int | None = None) -> bool:
    """Whether an array has one dimension, this type, and this length where it is given."""
    return array.ndim == 1 and array.dtype == dtype and length in {None, len(array)}


def is_packed(offsets: NDArray[Any], length: int) -> bool:
    """Whether these are the bounds of rows that follow each other from 0 to *length*."""
    if not is_column(offsets, np.int64) or not len(offsets):
        return False
    return bool(offsets[0] == 0 and offsets[-1] == length and (offsets[1:] >= offsets[:-1]).all())
