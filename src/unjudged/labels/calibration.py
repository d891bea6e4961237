"""Folds of topics, and grades drawn for documents, that depend on names and seed alone."""

from __future__ import annotations

import numpy as np

from unjudged.arrays import Floats, Hashes, Ints
from unjudged.kernels.splitmix import GOLDEN, mixed, seeded, to_unit

__all__ = ["FOLDS", "drawn_grades", "folds_of"]

FOLDS = 5


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
