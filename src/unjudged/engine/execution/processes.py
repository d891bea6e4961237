"""Processes of this machine, through joblib: deaf to Ctrl-C, and what joblib would say is said in our words."""

from __future__ import annotations

import contextlib
import re
import signal
import warnings
from collections.abc import Iterator
from functools import cache
from typing import Any

__all__ = ["in_processes", "why_no_processes", "without_last_words"]


@cache
def why_no_processes() -> str | None:
    """What keeps joblib from starting processes, in the system's words; None where nothing does.

    joblib makes a semaphore when it is imported, to see whether it can: Linux keeps them in /dev/shm, which may be
    full. It would warn, and use threads, which our work is not made for.
    """
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        from joblib._multiprocessing_helpers import mp
    if mp is not None:
        return None
    words = [re.sub(r"^\[Errno \d+\] |\.  joblib .*", "", str(one.message)) for one in said]
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
