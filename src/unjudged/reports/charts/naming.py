"""Which runs a chart shows, under which names, and where these go: whatever their number, names do not overlap."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from unjudged.reports.layout import shorten
from unjudged.wording import visible

__all__ = ["TOP", "Box", "Place", "label_box", "names_axis", "place_labels", "rest", "run_axis", "short_names"]

TOP = 40
"""Runs that a chart with one line for each shows; more do not fit on a page."""
_LONGEST = 36
_PIXELS = 260
"""That names beside an axis may have; the longest that :func:`short_names` leaves fit."""


def short_names(names: Sequence[str]) -> list[str]:
    """Names as they are shown, with the middle of long ones left out; still different from each other."""
    out: list[str] = []
    taken: set[str] = set()
    for name in map(visible, names):
        short, number = shorten(name, _LONGEST), 1
        while short in taken:
            number += 1
            short = f"{shorten(name, _LONGEST - 4)} ({number})"
        taken.add(short)
        out.append(short)
    return out


def run_axis(alt: Any, runs: Sequence[str], *, field: str = "run", **axis: Any) -> Any:
    """A line for each run, in this order, with its name beside it."""
    return alt.Y(f"{field}:N", title=None, scale=alt.Scale(domain=runs), axis=names_axis(alt, **axis))


def names_axis(alt: Any, **axis: Any) -> Any:
    """An axis that has names."""
    return alt.Axis(labelLimit=_PIXELS, **axis)


def rest(
    what: str, shown: int, total: int, hidden: Sequence[float] = (), *, of: str = "runs", form: str = ".3f"
) -> tuple[str, ...]:
    """What a chart leaves out, in words; nothing where it leaves nothing out.

    *what* are those that it shows ("best"); *hidden* are values of the others, NaN where they are undefined.
    """
    if shown >= total:
        return ()
    text = f"The {what} {shown} of {total} {of}"
    defined = [value for value in hidden if not math.isnan(value)]
    if not defined:
        return (text + ".",)
    low, high = min(defined), max(defined)
    others = "the other has" if total - shown == 1 else f"the other {total - shown} have"
    return (f"{text}; {others} {low:{form}}" + ("." if high == low else f" to {high:{form}}."),)


# ---- names beside points

_LETTER, _CAPITAL, _WIDE = 5.1, 6.7, 8.0
"""Pixels that letters of a name take, on the safe side for the font (Helvetica or alike) and size of names, 9."""
_LINE = 11.0
_POINT = 4.5
"""Half of the side of the square that a point covers."""


class Box(NamedTuple):
    """A rectangle."""

    left: float
    low: float
    right: float
    high: float

    def overlaps(self, other: Box) -> bool:
        """Whether they share more than an edge."""
        beside = self.right <= other.left or other.right <= self.left
        return not (beside or self.high <= other.low or other.high <= self.low)

    def inside(self, frame: Box) -> bool:
        """Whether nothing of it is outside the frame."""
        return (
            frame.left <= self.left and frame.low <= self.low and self.right <= frame.right and self.high <= frame.high
        )


class Place(NamedTuple):
    """Where a name is written: a point half-way up its line, and which end of the name is there."""

    x: float
    y: float
    align: Literal["left", "center", "right"]


def label_box(at: Place, name: str) -> Box:
    """The rectangle of a name."""
    width = sum(
        _WIDE if one in "mwMW@%" or not one.isascii() else _CAPITAL if one.isupper() else _LETTER for one in name
    )
    left = at.x - {"left": 0.0, "center": width / 2, "right": width}[at.align]
    return Box(left, at.y - _LINE / 2, left + width, at.y + _LINE / 2)


def place_labels(
    points: Sequence[tuple[float, float]],
    names: Sequence[str],
    order: Sequence[int],
    frame: Box,
    obstacles: Sequence[Box] = (),
) -> list[Place | None]:
    """Where each name is, or None where it has no room without covering a point or a name.

    Names are placed in *order*, each at the first of six places around its point that is free; obstacles are avoided
    where that is possible.
    """
    taken = [Box(x - _POINT, y - _POINT, x + _POINT, y + _POINT) for x, y in points]
    places: list[Place | None] = [None] * len(points)
    for i in order:
        boxes = {at: label_box(at, names[i]) for at in _around(points[i])}
        free = [at for at, box in boxes.items() if box.inside(frame) and _is_free(box, taken)]
        if free:
            best = next((at for at in free if _is_free(boxes[at], obstacles)), free[0])
            places[i] = best
            taken.append(boxes[best])
    return places


def _is_free(box: Box, taken: Sequence[Box]) -> bool:
    return not any(box.overlaps(other) for other in taken)


def _around(point: tuple[float, float]) -> list[Place]:
    """Right, left, above, below, and the two on the right that lie askew."""
    x, y = point
    beside, above = _POINT + 2, _POINT + _LINE / 2
    return [
        Place(x + beside, y, "left"),
        Place(x - beside, y, "right"),
        Place(x, y + above, "center"),
        Place(x, y - above, "center"),
        Place(x + beside, y + above, "left"),
        Place(x + beside, y - above, "left"),
    ]
