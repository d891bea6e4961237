"""Where names go beside points so that no two of them overlap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Box", "place_labels"]

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


def label_box(at: tuple[float, float], name: str) -> Box:
    """The rectangle of a name that starts at a point, half-way up its line."""
    x, y = at
    return Box(x, y - _LINE / 2, x + width_of(name), y + _LINE / 2)


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
) -> list[tuple[float, float] | None]:
    """Where each name starts, or None where it has no room without covering a point, a name or an obstacle.

    Names are placed in *order*, each at the first of six places around its point that is free.
    """
    taken = [*obstacles, *(Box(x - _POINT, y - _POINT, x + _POINT, y + _POINT) for x, y in points)]
    places: list[tuple[float, float] | None] = [None] * len(points)
    for i in order:
        for at in _around(points[i], width_of(names[i])):
            box = label_box(at, names[i])
            if box.inside(frame) and not any(box.overlaps(other) for other in taken):
                taken.append(box)
                places[i] = at
                break
    return places


def _around(point: tuple[float, float], width: float) -> list[tuple[float, float]]:
    """Right, left, above, below, and the two on the right that lie askew."""
    x, y = point
    beside, above = _POINT + 2, _POINT + _LINE / 2
    return [
        (x + beside, y),
        (x - beside - width, y),
        (x - width / 2, y + above),
        (x - width / 2, y - above),
        (x + beside, y + above),
        (x + beside, y - above),
    ]
