"""How the process works: threads, where kernels release the GIL (runs beside runs), and freed memory that it keeps."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import TypeVar

import numpy as np

__all__ = ["PARSING_THREADS", "in_order", "keep_freed_memory", "worker_count"]

Item = TypeVar("Item")
Result = TypeVar("Result")

PARSING_THREADS = 4
"""More threads than these do not read a single file faster."""


def worker_count(jobs: int | None, tasks: int) -> int:
    """How many threads to use: what the user asked for, or one per core, and never more than there are tasks."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)
    return max(1, min(cores if jobs is None else jobs, tasks))


def in_order(function: Callable[[Item], Result], items: Iterable[Item], workers: int) -> Iterator[Result]:
    """``map`` in threads: results in the order of the items, and only a few of them in memory at any time."""
    if workers <= 1:
        yield from map(function, items)
        return
    with ThreadPoolExecutor(workers) as pool:
        waiting: deque[Future[Result]] = deque()
        try:
            for item in items:
                waiting.append(pool.submit(function, item))
                if len(waiting) > 2 * workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


@cache
def keep_freed_memory() -> None:
    """Have memory of some megabytes, which every block asks for and frees, stay with the process.

    The GNU C library would hand it back to the system each time, and a fifth of the time went into getting it again,
    page by page. It stops doing so for sizes up to that of the largest array it has seen freed. Elsewhere this does
    nothing: the array is never written to.
    """
    np.empty(31 << 20, dtype=np.uint8)
