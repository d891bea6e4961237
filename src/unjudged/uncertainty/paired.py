"""Scores of runs on the same topics, and their differences, in a form in which sums have no rounding error.

Two things go wrong with floating point numbers in paired tests. ``0.3 - 0.2`` and ``0.2 - 0.1`` are not equal, so
tied ranks and tied sums are missed. And the last digit of a sum depends on its order, so a result depends on the batch
size and on the machine. Both end here: differences are rounded to whole multiples of a unit, about 1e-12 of the
largest score of the pair. Sums of whole numbers below 2^53 are exact in any order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.errors import InputError

__all__ = ["all_pairs", "as_scores", "blocks_of_pairs", "in_units", "paired_differences", "pairs_against"]


_CELLS = 1 << 21
"""Differences (pairs x topics) in memory at once."""
_BITS = 40
"""A unit is 2^-40 of the power of two above the largest number ..."""
_EXACT_BITS = 51
"""... or coarser, where sums of so many topics would not be exact otherwise (above 2,048 topics)."""
_LEAST_EXPONENT = -980
"""Units must be normal numbers; scores below 1e-295 count as 0."""


def as_scores(values: Any, *, runs: int = 1, topics: int = 1) -> Floats:
    """The scores as a matrix (runs, topics) of finite numbers with at least so many runs and topics."""
    try:
        scores = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("scores must be a matrix of numbers with a row for each run") from None
    if scores.ndim != 2:
        raise InputError(f"scores must be a matrix of shape (runs, topics), not of shape {scores.shape}")
    for number, needed, kind in zip(scores.shape, (runs, topics), ("run", "topic"), strict=True):
        if number < needed:
            raise InputError(f"at least {needed} {kind}{'s' if needed > 1 else ''} must be given, not {number}")
    bad = int((~np.isfinite(scores)).sum())
    if bad:
        raise InputError(f"{bad:,} of {scores.size:,} scores are NaN or infinite; leave those topics out first")
    return scores


def all_pairs(runs: int) -> Ints:
    """Pairs (first, second) of runs, first < second; shape (pairs, 2)."""
    return np.stack(np.triu_indices(runs, 1), axis=1).astype(np.int64)


def pairs_against(runs: int, baseline: int) -> Ints:
    """Pairs (run, baseline) for all other runs; shape (runs - 1, 2)."""
    if not 0 <= baseline < runs:
        raise InputError(f"the baseline must be a row from 0 to {runs - 1}, not {baseline}")
    others = np.delete(np.arange(runs, dtype=np.int64), baseline)
    return np.stack([others, np.full(runs - 1, baseline)], axis=1)


def in_units(values: Floats, largest: Floats, terms: int) -> tuple[Floats, Floats]:
    """Each row as whole multiples of a unit, and the units; sums of *terms* of these numbers are exact.

    *largest* bounds the numbers of a row; they may be up to twice as large.
    """
    exponent = np.maximum(np.frexp(largest)[1], _LEAST_EXPONENT)
    unit = np.ldexp(1.0, exponent - min(_BITS, _EXACT_BITS - max(0, terms - 1).bit_length()))
    return np.rint(values / unit[:, None]), unit


def blocks_of_pairs(scores: Floats, pairs: Ints, most: int | None = None) -> list[Ints]:
    """The pairs in blocks whose differences fit in memory, of at most so many pairs."""
    size = max(1, _CELLS // scores.shape[1])
    size = size if most is None else min(size, most)
    return [pairs[start : start + size] for start in range(0, len(pairs), size)]


def paired_differences(scores: Floats, pairs: Ints) -> Floats:
    """Differences first - second in whole units of each pair, shape (pairs, topics)."""
    largest = np.abs(scores).max(axis=1)
    first, second = pairs.T
    raw = scores[first] - scores[second]
    return in_units(raw, np.maximum(largest[first], largest[second]), scores.shape[1])[0]
