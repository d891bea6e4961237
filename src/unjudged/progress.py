"""How far the work is: studies tell, whoever called them shows it.

A study wraps what takes long in `watched(progress, items, total, "drawing grades")`. What `progress` is, whoever
calls decides: nothing in the library unless given, a bar (`reports/bars.py`) on the command line. It is rich's on a
terminal and a line of HTML below the cell of a notebook; rich's own for notebooks needs widgets, and complains in the
cell without. The bar appears when something has taken a third of a second, so that short work does not flicker.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

__all__ = ["Progress", "watched"]

T = TypeVar("T")


class Progress(Protocol):
    """Shows how far the work is: gets results as they come and how many there will be, and hands them on.

    *words* say what is being done, where a study has several steps.
    """

    def __call__(self, items: Iterable[T], total: int, words: str = "", /) -> Iterable[T]:
        """The same items."""


def watched(progress: Progress | None, items: Iterable[T], total: int, words: str = "") -> Iterable[T]:
    """The items, shown as they come where somebody wants to see that."""
    return items if progress is None else progress(items, total, words)
