"""Labels on another scale than grades, and what they are there."""

from __future__ import annotations

import numpy as np

from unjudged.arrays import Floats
from unjudged.labels.recognition import Oddity

__all__ = ["is_another_scale", "on_scale_of"]

_OFF_SCALE = {"shifted", "rescaled"}


def is_another_scale(values: Floats, grades: Floats, odd: list[Oddity]) -> bool:
    """Whether labels cannot count as the grades of the same numbers: they go elsewhere, or say only yes or no."""
    yes_or_no = len(np.unique(values[~np.isnan(values)])) == 2 < len(np.unique(grades))
    return yes_or_no or bool({one.kind for one in odd} & _OFF_SCALE)


def on_scale_of(values: Floats, grades: Floats, *, of: Floats | None = None) -> Floats:
    """Labels as grades: in their order, each grade as often as people gave it where both said something.

    *of*: the labels to turn, those of *values* unless given.
    """
    known = ~(np.isnan(values) | np.isnan(grades))
    scale, counts = np.unique(grades[known], return_counts=True)
    # The middle rank of a label's ties decides, so that equal labels get equal grades.
    ordered = np.sort(values[known])
    turned = values if of is None else of
    middle = (np.searchsorted(ordered, turned, "left") + np.searchsorted(ordered, turned, "right")) / 2
    grade = scale[np.minimum(np.searchsorted(np.cumsum(counts), middle, "right"), len(scale) - 1)]
    return np.where(np.isnan(turned), np.nan, grade)
