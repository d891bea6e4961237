"""Threads for work whose time is spent in kernels that release the GIL: runs beside runs, blocks beside blocks."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

__all__ = ["PARSING_THREADS", "in_order", "worker_count"]

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
