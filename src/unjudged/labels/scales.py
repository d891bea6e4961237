"""Labels on another scale than grades, and what they are there."""

from __future__ import annotations

from typing import Any

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.errors import Notice
from unjudged.labels.recognition import Oddity

__all__ = ["is_another_scale", "label_bins", "off_scale", "on_scale_of"]

_MOST_VALUES = 10
"""Labels with more different values are put into so many bins of about equally many."""
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


def off_scale(where: str, values: Floats, grades: Any, *, turned: bool) -> list[Notice]:
    """What to say of labels that are brought to the scale of the *grades*, if they are; and how many need it."""
    if not turned:
        return []
    given = values[~np.isnan(values)]
    others = int((~np.isin(given, grades)).sum())
    which = f"{others:,} of {len(given):,} labels are no grades" if others else "labels use another scale than grades"
    return [Notice("label-scale", max(1, others), f"{where}: {which}; all were brought to their scale, in their order")]


def label_bins(labels: Floats) -> Ints:
    """A number for each value of a label, or for each bin of many, in their order; one more where there is none."""
    known = labels[~np.isnan(labels)]
    values = np.unique(known)
    if len(values) > _MOST_VALUES:
        values = np.unique(np.quantile(known, np.linspace(0, 1, _MOST_VALUES + 1), method="nearest"))
    place = np.searchsorted((values[1:] + values[:-1]) / 2, labels)
    return np.where(np.isnan(labels), len(values), place)
