"""Distributions of scores: what a score could be, given what is not known about the unjudged documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unjudged.showing import Shown

__all__ = ["Distribution", "modes", "quantiles"]

Floats = NDArray[np.float64]

_BINS = 20
_ONE_BIN = 0.0001
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Distribution(Shown):
    """Possible scores. ``weights`` are their probabilities, or None for draws, which are equally likely."""

    values: Floats
    weights: Floats | None = None

    @property
    def exact(self) -> bool:
        """Whether this is the whole distribution, and not draws from it."""
        return self.weights is not None

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        kind = "exact" if self.exact else "draws"
        return f"Distribution({len(self):,} {kind}, mean {self.mean():.4f}, std {self.std():.4f})"

    def mean(self) -> float:
        """Expected score."""
        return float(np.average(self.values, weights=self.weights))

    def std(self) -> float:
        """Standard deviation of the score."""
        return float(np.sqrt(np.average((self.values - self.mean()) ** 2, weights=self.weights)))

    def quantile(self, p: float) -> float:
        """The score that is not exceeded with probability *p*; see :func:`quantiles`."""
        return float(quantiles(self.values[None], self._row(), [p])[0, 0])

    def mode(self) -> float:
        """The most likely score; see :func:`modes`."""
        return float(modes(self.values[None], self._row())[0])

    def _row(self) -> Floats | None:
        return None if self.weights is None else self.weights[None]


def quantiles(values: Floats, weights: Floats | None, p: Sequence[float]) -> Floats:
    """Quantiles of each row: of draws by linear interpolation (type 7), of exact distributions the inverse of the CDF.

    A value with weight 0 is padding.
    """
    if weights is None:
        return np.quantile(values, p, axis=1).T
    order = np.argsort(values, axis=1, kind="stable")
    cumulated = np.cumsum(np.take_along_axis(weights, order, axis=1), axis=1)
    cumulated /= cumulated[:, -1:]
    # A probability that is reached but for rounding is reached.
    at = np.stack([(cumulated < one - _ROUNDING).sum(axis=1) for one in p], axis=1)
    at = np.minimum(at, values.shape[1] - 1)
    return np.take_along_axis(np.take_along_axis(values, order, axis=1), at, axis=1)


def modes(values: Floats, weights: Floats | None) -> Floats:
    """The "most likely score" of each row, as in the code of the bootstrapped nDCG paper.

    Scores are put into 20 bins over their range, those in the fullest bins are kept, this is done once more with what
    was kept, and the highest is returned. It is not the textbook mode, and unstable for draws.
    """
    weights = np.ones_like(values) if weights is None else weights
    kept = weights > 0
    row = np.arange(len(values))[:, None]
    for _ in range(2):
        low = np.where(kept, values, np.inf).min(axis=1, keepdims=True)
        span = np.where(kept, values, -np.inf).max(axis=1, keepdims=True) - low
        wide = span > _ONE_BIN
        # Bins are (0, .05], ..., (.95, 1] of the range; its lowest value belongs to the first.
        place = np.where(wide, (values - low) / np.where(wide, span, 1.0), 0.0) * _BINS
        bins = np.clip(np.ceil(place - _ROUNDING), 1, _BINS).astype(np.int64) - 1
        flat = np.bincount((row * _BINS + bins)[kept], weights=weights[kept], minlength=_BINS * len(values))
        mass = flat.reshape(-1, _BINS)
        fullest = mass.max(axis=1, keepdims=True)
        kept &= ~wide | (np.take_along_axis(mass, bins, axis=1) >= fullest * (1 - _ROUNDING))
    return np.asarray(np.where(kept, values, -np.inf).max(axis=1))
