"""Distributions of scores: what a score could be, given what is not known about the unjudged documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.data.spans import offsets_of
from unjudged.notebook_repr import NotebookRepr

__all__ = ["Distribution", "modes", "nearest_intervals", "quantiles"]


_BINS = 20
_ONE_BIN = 0.0001
_ROUNDING = 1e-9
_DIGITS = 9
_ROWS_AT_ONCE = 256
"""So few that what is added to keep distributions apart costs no digit that matters."""


@dataclass(frozen=True, eq=False)
class Distribution(NotebookRepr):
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
    two values. So it competes with the best that is narrower, and whose share is nearer wins. NaN where a value
    is not finite.
    """
    out = np.full((len(values), 2), np.nan)
    rows = np.flatnonzero(np.isfinite(values).all(axis=1))
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        some = rows[start : start + _ROWS_AT_ONCE]
        out[some] = _Steps.of(values[some], None if weights is None else weights[some]).nearest_interval(share).T
    return out


@dataclass(frozen=True, eq=False)
class _Steps:
    """The different values of several distributions, ascending, those of one after those of the other."""

    values: Floats
    below: Floats
    """The share below each value, to which every earlier distribution adds 1; and their number at the end."""
    starts: Ints
    """Where each distribution begins."""
    row: Ints
    """The distribution that each value is of."""

    @classmethod
    def of(cls, values: Floats, weights: Floats | None) -> _Steps:
        if weights is None:
            ordered = np.sort(values, axis=1)
            shares = np.full(values.shape, 1 / values.shape[1])
        else:
            order = np.argsort(values, axis=1, kind="stable")
            ordered = np.take_along_axis(values, order, axis=1)
            shares = np.take_along_axis(weights / weights.sum(axis=1, keepdims=True), order, axis=1)
        is_new = np.diff(ordered, axis=1, prepend=-np.inf) > _ROUNDING
        first = np.flatnonzero(is_new)
        below = np.append(0.0, np.cumsum(np.add.reduceat(shares.ravel(), first)))
        counts = is_new.sum(axis=1)
        return cls(ordered.ravel()[first], below, offsets_of(counts)[:-1], np.repeat(np.arange(len(values)), counts))

    @cached_property
    def _places(self) -> Floats:
        """The values moved and stretched so that all ascend: those of a distribution lie within 1, the next is 3 on."""
        return (self.values - self.values[self.starts][self.row]) / self._spans[self.row] + 3.0 * self.row

    @cached_property
    def _spans(self) -> Floats:
        span = np.maximum.reduceat(self.values, self.starts) - self.values[self.starts]
        return np.where(span > 0, span, 1.0)

    def nearest_interval(self, share: float) -> Floats:
        """Low and high of each distribution, shape (2, distributions)."""
        width = self._least_width(share)
        enough, held = self._fullest(width + _ROUNDING)
        narrower, held_less = self._fullest(np.maximum(width - _ROUNDING, 0.0))
        nearer = (width > _ROUNDING) & (share - held_less < held - share - _ROUNDING)
        return np.where(nearer, narrower, enough)

    def _least_width(self, share: float) -> Floats:
        """Of the narrowest interval with at least the share."""
        # From each value on, the first at which the share is reached; where it never is, the width is infinite.
        reached = np.searchsorted(self.below, self.below[:-1] + share - _ROUNDING) - 1
        ends = np.append(self.starts[1:], len(self.values))[self.row]
        inside = np.minimum(reached, ends - 1)
        width = np.where(reached < ends, self.values[inside] - self.values, np.inf)
        return np.minimum.reduceat(width, self.starts)

    def _fullest(self, width: Floats) -> tuple[Floats, Floats]:
        """Of all intervals less wide than this, the one that holds most: low and high, and its share.

        Of equals the narrowest, and of those the lowest.
        """
        ends = np.searchsorted(self._places, self._places + (width / self._spans)[self.row])
        ends = np.maximum(ends, np.arange(len(ends)) + 1)
        held = np.round(self.below[ends] - self.below[:-1], _DIGITS)
        most = np.maximum.reduceat(held, self.starts)
        wide = np.round(self.values[ends - 1] - self.values, _DIGITS)
        wide[held < most[self.row]] = np.inf
        best = np.flatnonzero(wide == np.minimum.reduceat(wide, self.starts)[self.row])
        best = best[np.searchsorted(self.row[best], np.arange(len(self.starts)))]
        return np.stack([self.values[best], self.values[ends[best] - 1]]), most


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
