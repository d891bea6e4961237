"""Processes of this machine, through joblib: deaf to Ctrl-C, and what joblib would say is said in our words.

What all blocks share is laid out once, in memory without a name, which workers map and keep.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import pickle
import re
import signal
import uuid
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["CAN_MAP", "Mapped", "in_processes", "mapped", "why_no_processes", "without_last_words"]


@cache
def why_no_processes() -> str | None:
    """What keeps joblib from starting processes, in the system's words; None where nothing does.

    joblib makes a semaphore when it is imported, to see whether it can: Linux keeps them in /dev/shm, which may be
    full. It would warn, and use threads, which our work is not made for.
    """
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        from joblib._multiprocessing_helpers import mp
    if mp is not None:
        return None
    words = [re.sub(r"^\[Errno \d+\] |\.  joblib .*", "", str(one.message)) for one in warned]
    return words[0] if words else "there are no semaphores"


def in_processes(workers: int, calls: Iterator[Any]) -> Iterator[Any]:
    """Results from processes of this machine, which joblib keeps between two calls for the same number of them."""
    import joblib

    parallel = joblib.Parallel(workers, backend="loky", return_as="generator_unordered", batch_size=1)
    with _ctrl_c_for_this_process_alone():
        results = parallel(calls)
    return without_last_words(results)


def without_last_words(results: Any) -> Iterator[Any]:
    """The same results; joblib does not comment on it when nobody wants more of them, who knows why."""
    try:
        for one in results:  # noqa: UP028  # `yield from` would close the inner generator before `finally`
            yield one
    finally:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", r"\d+ tasks ", UserWarning)
            results.close()


@contextlib.contextmanager
def _ctrl_c_for_this_process_alone() -> Iterator[None]:
    """Processes that are started meanwhile are deaf to Ctrl-C, which a terminal sends to all of them.

    This process hears it, if later, and ends them; they would each print where they were.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    from multiprocessing import resource_tracker

    from joblib.externals.loky.backend import resource_tracker as joblibs_tracker

    for tracker in (resource_tracker, joblibs_tracker):
        tracker.ensure_running()  # what starts it lifts the mask
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


CAN_MAP = hasattr(os, "memfd_create")
"""Linux has such memory; elsewhere joblib's files must do."""
_ALIGNED = 64

_opened: dict[str, Any] = {}
"""In a worker: what it opened last, by name."""


@dataclass(frozen=True)
class Mapped:
    """Small enough to go with every task: where the arrays lie, and all the rest."""

    name: str
    path: str
    rest: bytes
    spans: tuple[tuple[int, int], ...]

    def get(self) -> Any:
        """What it is, opened at the first call in a process."""
        if self.name not in _opened:
            _opened.clear()
            with Path(self.path).open("rb") as file:
                arrays = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
            # Not from disk: the rest came through the pipe from the process that asks for the work.
            parts = [arrays[start:end] for start, end in self.spans]
            _opened[self.name] = pickle.loads(self.rest, buffers=parts)  # noqa: S301
        return _opened[self.name]


@contextlib.contextmanager
def mapped(content: object) -> Iterator[Mapped]:
    """Lay content out for workers, who must get it before this ends."""
    import cloudpickle

    buffers: list[pickle.PickleBuffer] = []
    rest = cloudpickle.dumps(content, protocol=5, buffer_callback=buffers.append)
    spans: list[tuple[int, int]] = []
    memory = os.memfd_create("unjudged")
    with os.fdopen(memory, "wb") as file:
        for buffer in buffers:
            file.write(bytes(-file.tell() % _ALIGNED))
            start = file.tell()
            file.write(buffer.raw())
            spans.append((start, file.tell()))
        file.write(b"\0")  # nothing at all could not be mapped
        file.flush()
        yield Mapped(uuid.uuid4().hex, f"/proc/{os.getpid()}/fd/{memory}", rest, tuple(spans))
