"""How the process treats memory."""

from __future__ import annotations

from functools import cache

import numpy as np

__all__ = ["keep_freed_memory"]


@cache
def keep_freed_memory() -> None:
    """Have memory of some megabytes, which every block asks for and frees, stay with the process.

    The GNU C library would hand it back to the system each time, and a fifth of the time went into getting it again,
    page by page. It stops doing so for sizes up to that of the largest array it has seen freed. Elsewhere this does
    nothing: the array is never written to.
    """
    np.empty(31 << 20, dtype=np.uint8)
