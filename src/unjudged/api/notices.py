"""What a study wants the user to know, said as Python says it."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from unjudged.errors import Notice, UnjudgedWarning

__all__ = ["unsaid", "warn_of"]

_unsaid: ContextVar[bool] = ContextVar("_unsaid", default=False)


@contextmanager
def unsaid() -> Iterator[None]:
    """Meanwhile nothing is said: whoever asks says it in another way."""
    before = _unsaid.set(True)
    try:
        yield
    finally:
        _unsaid.reset(before)


def warn_of(notices: Sequence[Notice]) -> None:
    """Say notices as Python warnings, at the line of the user's call."""
    if _unsaid.get() or not notices:
        return
    level, frame = 1, inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith("unjudged."):
        level, frame = level + 1, frame.f_back
    for notice in notices:
        warnings.warn(notice.message, UnjudgedWarning, stacklevel=level)
