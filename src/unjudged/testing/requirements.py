"""How checks say what does not hold, and what they ask of measures and hole models alike."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from unjudged.data.view import View
from unjudged.holes import HoleModel
from unjudged.measures import Measure
from unjudged.spec import Spec

__all__ = ["columns_of", "explains", "reads_back", "require", "untouched"]


def require(holds: object, message: str) -> None:
    """Raise an error unless something holds."""
    if not holds:
        raise AssertionError(message)


def reads_back(spec: Spec, parse: Callable[[str], Spec]) -> None:
    """What a specification prints is what users type."""
    require(parse(str(spec)) == spec, f"{spec} does not read back as itself: {parse(str(spec))}")


def explains(cls: type[Spec], **texts: str) -> None:
    """There are words for users: these, each in one line, and a docstring of its own."""
    for what, text in texts.items():
        require(text.strip(), f"{cls.name} has no {what}")
        require(text.strip() == text and "\n" not in text, f"{cls.name}: {what} is not one line of text")
    doc = inspect.getdoc(cls)
    require(doc and doc not in {inspect.getdoc(Measure), inspect.getdoc(HoleModel)}, f"{cls.name} has no docstring")


def columns_of(view: View) -> list[NDArray[np.generic]]:
    """Copies of what nobody may change; see :func:`untouched`."""
    return [column.copy() for column in (view.grades, view.states, view.offsets, view.qrels.grades)]


def untouched(view: View, before: list[NDArray[np.generic]], who: Spec) -> None:
    """A view is as it was."""
    for old, now in zip(before, columns_of(view), strict=True):
        np.testing.assert_array_equal(old, now, err_msg=f"{who} changes the view that it looks at")
