"""Parts of the topics for cross-fitting. Apart from what is fitted, since scoring must not wait for SciPy."""

from __future__ import annotations

import numpy as np

from unjudged.arrays import Hashes, Ints
from unjudged.kernels.splitmix import mixed, seeded

__all__ = ["FOLDS", "dealt_folds", "folds_of"]

FOLDS = 5
"""Of topics."""


def folds_of(topics: Ints, seed: int) -> Ints:
    """A fold for each topic number, so that no topic says what its own labels mean."""
    words: Hashes = mixed(topics.astype(np.uint64) ^ seeded(seed))
    return (words % np.uint64(FOLDS)).astype(np.int64)


def dealt_folds(keys: Hashes, first: int) -> Ints:
    """A fold for each topic by its random number, as many of the *first* topics in each, and as many of the others."""
    folds = np.empty(len(keys), dtype=np.int64)
    for part in (slice(0, first), slice(first, len(keys))):
        folds[part] = np.argsort(np.argsort(keys[part], kind="stable"), kind="stable") % FOLDS
    return folds
