"""What is said of ranges that promise less than they seem to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from unjudged.holes import hole_models
from unjudged.reports.cells import between
from unjudged.results.scores import is_outside

__all__ = ["CHANCE_ALONE", "Ranges", "is_chance_alone"]

_CHANCE, _OUTSIDE = "*", "!"
CHANCE_ALONE = (
    "what chance alone would do if the model were right; the truth of a mean lies outside much more often than that."
    " Intervals of discounted and evidence hold what they promise."
)
"""What such a range is."""


def is_chance_alone(holes: str) -> bool:
    """Whether what a hole model of this name says of a mean is what chance alone would do."""
    return hole_models.parse(holes).range_of_means == "chance alone"


@dataclass
class Ranges:
    """Cells of ranges with marks, and what the marks that were used mean."""

    chance: bool = False
    outside: bool = False

    def cell(self, value: float, low: float | None, high: float | None, *, chance_alone: bool) -> str:
        """Between what a value lies, marked where that is less than it seems; empty where it is one number."""
        text = between(low, high)
        if low is None or high is None or not low < high:
            return text
        outside = is_outside(value, low, high)
        self.chance |= chance_alone
        self.outside |= outside
        return text + _CHANCE * chance_alone + _OUTSIDE * outside

    def words(self) -> list[str]:
        """A sentence for each mark."""
        return list(self._words())

    def _words(self) -> Iterable[str]:
        if self.chance:
            yield f"{_CHANCE}: {CHANCE_ALONE}"
        if self.outside:
            yield f"{_OUTSIDE}: the value is outside, because topics have another point of their draws than the mean."
