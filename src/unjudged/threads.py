"""How the process works: threads, where kernels release the GIL (runs beside runs), and freed memory that it keeps."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Generic, TypeVar

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
    todo: SimpleQueue[_Task[Item, Result] | None] = SimpleQueue()
    threads: list[Thread] = []
    waiting: deque[_Task[Item, Result]] = deque()
    try:
        for item in items:
            waiting.append(_Task(item))
            todo.put(waiting[-1])
            if len(threads) < workers:
                threads.append(Thread(target=_work, args=(function, todo)))
                threads[-1].start()
            if len(waiting) > 2 * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for task in waiting:
            task.is_wanted = False
        for _ in threads:
            todo.put(None)
        for thread in threads:
            thread.join()


class _Task(Generic[Item, Result]):
    """Work on one item, and what came of it; ``concurrent.futures`` takes as long to import as a small run to rank."""

    def __init__(self, item: Item) -> None:
        self._items, self._values = [item], list[Result]()
        self._problem: BaseException | None = None
        self._is_done = Lock()
        self._is_done.acquire()
        self.is_wanted = True

    def run(self, function: Callable[[Item], Result]) -> None:
        """Do it, unless nobody wants the result any more."""
        item = self._items.pop()  # which nobody keeps beside the result
        try:
            if self.is_wanted:
                self._values.append(function(item))
        except BaseException as problem:  # who asks for the result gets it
            self._problem = problem
        finally:
            self._is_done.release()

    def result(self) -> Result:
        """What came of it, once it is done."""
        with self._is_done:
            if self._problem is not None:
                raise self._problem
            return self._values.pop()


def _work(function: Callable[[Item], Result], todo: SimpleQueue[_Task[Item, Result] | None]) -> None:
    while (task := todo.get()) is not None:
        task.run(function)


@cache
def keep_freed_memory() -> None:
    """Have memory of some megabytes, which every block asks for and frees, stay with the process.

    The GNU C library would hand it back to the system each time, and a fifth of the time went into getting it again,
    page by page. It stops doing so for sizes up to that of the largest array it has seen freed. Elsewhere this does
    nothing: the array is never written to.
    """
    np.empty(31 << 20, dtype=np.uint8)
