"""What a study wants the user to know, said as Python says it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from unjudged.errors import Notice, UnjudgedWarning

__all__ = ["warn_of"]


def warn_of(notices: Sequence[Notice]) -> None:
    """Say notices as Python warnings, at the line of the user's call."""
    for notice in notices:
        warnings.warn(notice.message, UnjudgedWarning, stacklevel=3)
