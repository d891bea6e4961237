"""What labels turned out to mean: the chances of each grade, learned where people judged the same pairs."""

from __future__ import annotations

import numpy as np

from unjudged.arrays import Floats, Hashes, Ints
from unjudged.kernels.splitmix import GOLDEN, mixed, seeded, to_unit

__all__ = ["FOLDS", "Calibration", "drawn_grades", "folds_of"]

FOLDS = 5
_MOST_BINS = 10
"""Labels with more different values are put into so many bins of about equally many."""
_SMOOTHING = 0.5


class Calibration:
    """The chances of each grade given a label.

    Counts are those of pairs with both, plus half a pair spread over the grades as all pairs have them, so that a label
    that is rare says little. Labels with many values are binned; one that was not seen has the chances of its nearest.
    """

    def __init__(self, labels: Floats, grades: Floats, scale: Floats) -> None:
        values = np.unique(labels)
        if len(values) > _MOST_BINS:
            values = np.unique(np.quantile(labels, np.linspace(0, 1, _MOST_BINS + 1), method="nearest"))
        self.values = values
        self.scale = scale
        level = np.searchsorted(scale, grades)
        overall = (np.bincount(level, minlength=len(scale)) + _SMOOTHING / len(scale)) / (len(grades) + _SMOOTHING)
        width = len(scale)
        counts = np.bincount(self._places(labels) * width + level, minlength=len(values) * width)
        table = counts.reshape(len(values), width) + _SMOOTHING * overall
        self.table: Floats = table / table.sum(axis=1, keepdims=True)

    def chances(self, labels: Floats) -> Floats:
        """The chances of each grade, shape (labels, grades)."""
        return self.table[self._places(labels)]

    def _places(self, labels: Floats) -> Ints:
        middle = (self.values[1:] + self.values[:-1]) / 2
        return np.searchsorted(middle, labels).astype(np.int64)


def folds_of(topics: Ints, seed: int) -> Ints:
    """A fold for each topic number, so that no topic says what its own labels mean."""
    words: Hashes = mixed(topics.astype(np.uint64) ^ seeded(seed))
    return (words % np.uint64(FOLDS)).astype(np.int64)


def drawn_grades(chances: Floats, keys: Hashes, draw: int) -> Ints:
    """A level for each row of *chances*, drawn by its key: the same document gets the same grade in every run."""
    u = to_unit(mixed(keys + np.array([draw + 1], dtype=np.uint64) * GOLDEN))
    levels: Ints = (np.cumsum(chances, axis=1) < u[:, None]).sum(axis=1)
    highest: Ints = np.minimum(levels, chances.shape[1] - 1)
    return highest
