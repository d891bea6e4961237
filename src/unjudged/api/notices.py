"""What a study wants the user to know, said as Python says it."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Sequence

from unjudged.errors import Notice, NoticeWarning

__all__ = ["warn_of"]


def warn_of(notices: Sequence[Notice]) -> None:
    """Say notices as Python warnings, at the line of the user's call."""
    level, frame = 1, inspect.currentframe()
    while notices and frame is not None and frame.f_globals.get("__name__", "").startswith("unjudged."):
        level, frame = level + 1, frame.f_back
    for notice in notices:
        warnings.warn(notice.message, NoticeWarning, stacklevel=level)
