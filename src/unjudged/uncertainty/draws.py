"""Random draws that belong to a number, not to a generator: draw 7 of seed 42 is the same in every batch and thread.

Each function makes the draws ``start`` to ``stop`` of a stream. There is no state to share or to split, and NumPy may
change its generators without changing a result here. The topic bootstrap is made of such draws.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import Any

import numpy as np

from unjudged.arrays import Floats, Hashes, Ints
from unjudged.kernels.splitmix import GOLDEN, mixed, seeded, to_unit
from unjudged.limits import Whole
from unjudged.results.provenance import DEFAULT_SEED
from unjudged.uncertainty.paired import as_scores, in_units

__all__ = ["Stream", "batches", "hashes", "resampled_means", "run_orders", "signs", "topic_counts"]


_CELLS = 1 << 21
"""Numbers in memory at once, where the caller does not say how many draws to handle together."""

_WORD = 64


class Stream(IntEnum):
    """What draws are for. Draws of one seed for different purposes have nothing to do with each other."""

    SIGNS = 1
    TOPICS = 2
    ORDERS = 3


def batches(draws: int, cells: int, batch: int | None) -> Iterator[tuple[int, int]]:
    """Cut *draws* into ranges: of *batch* draws, or of as many as fit where one draw takes *cells* numbers."""
    Whole(1).checked("draws", draws)
    if batch is not None:
        Whole(1).checked("batch", batch)
    size = max(1, _CELLS // max(1, cells)) if batch is None else batch
    for start in range(0, draws, size):
        yield start, min(draws, start + size)


def hashes(seed: int, stream: Stream, start: int, stop: int, columns: int) -> Hashes:
    """Random 64-bit words, shape (draws, columns): SplitMix64, with a key for each column."""
    origin = mixed(np.array([seeded(seed)]) + np.uint64(stream))
    keys = mixed(mixed(np.arange(1, columns + 1, dtype=np.uint64)) + origin)
    steps = np.arange(start + 1, stop + 1, dtype=np.uint64) * GOLDEN
    return mixed(keys[None, :] + steps[:, None])


def signs(seed: int, start: int, stop: int, topics: int) -> Floats:
    """+1 or -1 for each topic, shape (draws, topics)."""
    words = hashes(seed, Stream.SIGNS, start, stop, -(-topics // _WORD))
    bits = np.unpackbits(words.astype("<u8").view(np.uint8), axis=1, count=topics, bitorder="little")
    return np.where(bits, 1.0, -1.0)


def topic_counts(seed: int, start: int, stop: int, topics: int) -> Floats:
    """How often each topic is in a sample of as many topics, drawn with replacement; shape (draws, topics)."""
    words = hashes(seed, Stream.TOPICS, start, stop, topics)
    picks = (to_unit(words) * topics).astype(np.int64)
    np.minimum(picks, topics - 1, out=picks)  # rounding could reach the end
    number = stop - start
    picks += np.arange(number)[:, None] * topics
    return np.bincount(picks.ravel(), minlength=number * topics).reshape(number, topics).astype(np.float64)


def run_orders(seed: int, start: int, stop: int, topics: int, runs: int) -> Ints:
    """A random order of the runs for each topic, shape (draws, topics, runs)."""
    words = hashes(seed, Stream.ORDERS, start, stop, topics * runs).reshape(stop - start, topics, runs)
    # The low bits of each word become the number of the run, and sorting whole words is faster than argsort.
    low = np.uint64((1 << max(1, (runs - 1).bit_length())) - 1)
    words = (words & ~low) | np.arange(runs, dtype=np.uint64)
    words.sort(axis=-1)
    return (words & low).astype(np.int64)


def resampled_means(scores: Any, *, draws: int = 1000, seed: int = DEFAULT_SEED, batch: int | None = None) -> Floats:
    """Means over samples of topics, drawn with replacement: (runs, topics) to (runs, draws).

    All runs see the same samples, so the difference of two rows is the distribution of the runs' difference. The
    numbers depend on the seed and on nothing else; *batch* (draws handled at once) only bounds memory.

    >>> resampled_means([[0.0, 1.0], [0.5, 0.5]], draws=4)[1]
    array([0.5, 0.5, 0.5, 0.5])
    """
    scores = as_scores(scores)
    runs, topics = scores.shape
    whole, unit = in_units(scores, np.abs(scores).max(axis=1), topics)
    out = np.empty((runs, draws))
    for start, stop in batches(draws, topics, batch):
        np.matmul(whole, topic_counts(seed, start, stop, topics).T, out=out[:, start:stop])
    out *= (unit / topics)[:, None]
    return out
