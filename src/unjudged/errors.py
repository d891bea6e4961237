"""Every exception and warning of the package, and how they name things.

::

    Exception
     └── UnjudgedError                 anything this package raises on purpose
          ├── InputError (ValueError)  what the user gave is wrong; the command line exits with 2
          │    ├── FileError           ... in a file, at a line
          │    └── SpecError           ... in a name such as "nDCG(dcg='exp')@10"
          └── MissingExtraError (ImportError)  an optional package is not installed

    UserWarning
     └── UnjudgedWarning               something the user should know about a result
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial

__all__ = [
    "FileError",
    "InputError",
    "MissingExtraError",
    "Notice",
    "SpecError",
    "UnjudgedError",
    "UnjudgedWarning",
    "few_of_each_kind",
    "some_of",
    "unsaid",
    "warn_of",
]


class UnjudgedError(Exception):
    """Base class of all errors raised on purpose."""


class InputError(UnjudgedError, ValueError):
    """What the user gave is wrong. The message is one line: what, where, the value, the next step."""


class FileError(InputError):
    """A file cannot be used. Says which file and, where it applies, which line."""

    def __init__(self, path: str, message: str, *, line: int | None = None) -> None:
        self.path = path
        self.line = line
        self.problem = message
        where = path if line is None else f"{path}:{line}"
        super().__init__(f"{where}: {message}")

    def __reduce__(self) -> tuple[object, ...]:
        # Exceptions are rebuilt from ``args`` when they cross a process; ours takes other arguments.
        return partial(FileError, line=self.line), (self.path, self.problem)


class SpecError(InputError):
    """A measure, hole model or parameter does not exist or has an impossible value."""


class MissingExtraError(UnjudgedError, ImportError):
    """An optional dependency is needed. Names the install command; without an *extra*, that of the package itself."""

    def __init__(self, package: str, extra: str | None, purpose: str) -> None:
        install = package if extra is None else f"'unjudged[{extra}]'"
        super().__init__(f"{purpose} needs {package}: pip install {install}")


class UnjudgedWarning(UserWarning):
    """Something the user should know about a result that is otherwise valid."""


CALIBRATED, TOO_FEW_GROUPS = "calibrated", "too-few-groups"
"""Codes of notices that say on how many groups intervals were calibrated, or that there are too few, so that they are
bounds."""
LITTLE_JUDGED, MAYBE_MISSING_KIND = "little-judged", "maybe-missing-kind"
"""Codes of notices about runs of which nobody says whether their kind is missing from the pool: little of them is
judged, or they return the same unjudged documents."""
MOSTLY_UNJUDGED = "mostly-unjudged"
"""Code of the notice that says what a measure means where most that it reads was never judged."""


@dataclass(frozen=True)
class Notice:
    """A counted remark that travels with a result (``warnings`` in the JSON output)."""

    code: str
    count: int
    message: str

    @property
    def is_warning(self) -> bool:
        """Whether there is something to beware of; the others only say what a result rests on."""
        return self.code not in {CALIBRATED, TOO_FEW_GROUPS, LITTLE_JUDGED, MAYBE_MISSING_KIND, MOSTLY_UNJUDGED}


def few_of_each_kind(notices: Sequence[Notice], most: int = 3) -> tuple[list[Notice], dict[str, int]]:
    """The first notices of each kind, and how many more there are, by code: nobody reads the same remark 129 times."""
    counts: dict[str, int] = {}
    shown = []
    for notice in notices:
        counts[notice.code] = counts.get(notice.code, 0) + 1
        if counts[notice.code] <= most:
            shown.append(notice)
    return shown, {code: count - most for code, count in counts.items() if count > most}


def some_of(names: Sequence[str], most: int = 5) -> str:
    """Names for a message, not more than a reader wants, and how many more there are.

    >>> some_of(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    return ", ".join(names[:most]) + (f" and {len(names) - most:,} more" if len(names) > most else "")


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
        if not notice.is_warning:
            continue
        warnings.warn(notice.message, UnjudgedWarning, stacklevel=level)
