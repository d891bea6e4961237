"""Distributions of scores: what a score could be, given what is not known about the unjudged documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unjudged.showing import Shown

__all__ = ["Distribution", "modes", "nearest_intervals", "quantiles"]

Floats = NDArray[np.float64]

_BINS = 20
_ONE_BIN = 0.0001
_ROUNDING = 1e-9
_DIGITS = 9


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


def nearest_intervals(values: Floats, weights: Floats | None, share: float) -> Floats:
    """An interval between two values of each row, shape (rows, 2), with as nearly that *share* of the row as possible.

    Where values are few, the narrowest interval with at least the share can have far more: a score with one hole has
    two values. So it competes with the best that is narrower, and whose share is nearer wins. NaN where a value is NaN.
    """
    weights = np.ones_like(values) if weights is None else weights
    order = np.argsort(values, axis=1, kind="stable")
    ordered, shares = np.take_along_axis(values, order, axis=1), np.take_along_axis(weights, order, axis=1)
    is_new = np.diff(ordered, axis=1, prepend=-np.inf) > _ROUNDING
    out = np.full((len(values), 2), np.nan)
    for row in np.flatnonzero(~np.isnan(values).any(axis=1)).tolist():
        first = np.flatnonzero(is_new[row])
        held = np.add.reduceat(shares[row], first)
        out[row] = _nearest_interval(ordered[row, first], held / held.sum(), share)
    return out


def _nearest_interval(values: Floats, weights: Floats, share: float) -> tuple[float, float]:
    """The same for one row of different values, ascending."""
    below = np.append(0.0, np.cumsum(weights))
    # From each value on, the first at which the share is reached; where it never is, an infinitely wide interval.
    reached = np.searchsorted(below, below[:-1] + share - _ROUNDING) - 1
    width = float((np.append(values, np.inf)[reached] - values).min())

    def best(up_to: float) -> tuple[int, int, float]:
        """Of all intervals less wide than this, the one that holds most: where it begins and ends, and its share.

        Of equals the narrowest, and of those the lowest.
        """
        ends = np.searchsorted(values, values + up_to)
        held = np.round(below[ends] - below[:-1], _DIGITS)
        most = np.flatnonzero(held == held.max())
        first = int(most[np.argmin(np.round(values[ends[most] - 1] - values[most], _DIGITS))])
        return first, int(ends[first]) - 1, float(held[first])

    first, last, held = best(width + _ROUNDING)
    if width > _ROUNDING:
        narrower = best(width - _ROUNDING)
        if share - narrower[2] < held - share - _ROUNDING:
            first, last, _ = narrower
    return float(values[first]), float(values[last])


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
