"""Where names go beside points so that no two of them overlap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

__all__ = ["Box", "Place", "label_box", "place_labels"]

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
    width = width_of(name)
    left = at.x - {"left": 0.0, "center": width / 2, "right": width}[at.align]
    return Box(left, at.y - _LINE / 2, left + width, at.y + _LINE / 2)


def width_of(name: str) -> float:
    """Pixels that a name takes at most."""
    return sum(
        _WIDE if one in "mwMW@%" or not one.isascii() else _CAPITAL if one.isupper() else _LETTER for one in name
    )


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
        free = [
            at
            for at in _around(points[i])
            if _is_free(label_box(at, names[i]), taken) and label_box(at, names[i]).inside(frame)
        ]
        if free:
            best = next((at for at in free if _is_free(label_box(at, names[i]), obstacles)), free[0])
            places[i] = best
            taken.append(label_box(best, names[i]))
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
