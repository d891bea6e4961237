"""Means over a few topics: their variance, and how far the ends of an interval are, where scores are not normal.

Student's interval is for normal scores. What topics add to a mean is skewed, so that with ten topics fewer intervals
hold than are promised. By the first terms of the Edgeworth series of Student's t (Hall 1992), skewness makes them fail,
and says how much wider they have to be, and by how much they have to be moved. With few topics, single rows (runs, or
pairs of runs) know little about their variance or shape; many rows together know more: the shape is an average over
rows, and variances are moved towards each other as far as rows are alike (Smyth 2004, as in limma).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import special

from unjudged.arrays import Flags, Floats

__all__ = ["Shape", "Tails", "independent_rows", "moderated_variances"]

_ALIKE = 1e-6
"""Variances of the logarithms of variances below this are 0."""


class Shape(NamedTuple):
    """How what topics add to means differs from a normal distribution; moments of (rows, topics)."""

    skewness: Floats
    """Of each row, as far as it is more than chance ..."""
    square: float
    """... and its mean square, less what normal scores would have by chance."""
    kurtosis: float
    """Mean excess kurtosis."""
    topics: int

    @classmethod
    def of(cls, residuals: Floats) -> Shape:
        """Fisher's k-statistics, over rows that vary; of at least 4 topics."""
        n = residuals.shape[1]
        off = residuals - residuals.mean(axis=1, keepdims=True)
        square = (off**2).mean(axis=1)
        varies = _rows_that_vary(residuals)
        if not varies.any():
            return cls(np.zeros(len(residuals)), 0.0, 0.0, n)
        skewness, second = np.zeros(len(residuals)), square[varies]
        skewness[varies] = (off[varies] ** 3).mean(axis=1) / second**1.5 * np.sqrt(n * (n - 1)) / (n - 2)
        fourth = (off[varies] ** 4).mean(axis=1) / second**2 - 3
        kurtosis = ((n + 1) * fourth + 6) * (n - 1) / ((n - 2) * (n - 3))
        by_chance = 6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3))
        seen = float((skewness[varies] ** 2).mean())
        more = max(0.0, seen - by_chance)
        return cls(skewness * (more / seen if seen else 0.0), more, float(kurtosis.mean()), n)


class Tails(NamedTuple):
    """How far the ends of intervals are from estimates, in standard errors; an entry for each row."""

    freedom: Floats
    """Degrees of freedom of the standard error; infinite for normal quantiles."""
    skewness: Floats | float = 0.0
    """Of the estimate, which the interval follows."""
    square: Floats | float = 0.0
    kurtosis: Floats | float = 0.0

    @classmethod
    def of(cls, shape: Shape, freedom: Floats, share: Floats, *, skewed: bool = False) -> Tails:
        """Of estimates with so much (*share*) of their variance from a mean over topics of this shape.

        Where *skewed*, the interval follows the skewness of each row; else it is wider on both sides only.
        """
        n = shape.topics
        skewness = shape.skewness * share**1.5 / np.sqrt(n) if skewed else 0.0
        return cls(freedom, skewness, shape.square * share**3 / n, shape.kurtosis * share**2 / n)

    def half(self, z: Floats | float) -> Floats:
        """Half the width of an interval as likely as one of a normal distribution that goes to z."""
        wider = self.square * (z**4 + 2 * z**2 - 3) / 18 - self.kurtosis * (z**2 - 3) / 12
        return _student_quantile(z, self.freedom) + z * np.maximum(0.0, wider)

    def shift(self, z: Floats | float) -> Floats:
        """By how much its middle is above the estimate."""
        return np.broadcast_to(self.skewness * (2 * z**2 + 1) / 6, self.freedom.shape)

    def p_values(self, t: Floats) -> Floats:
        """Two-sided, of estimates so many standard errors from 0: 1 - the level of the interval that ends at 0."""
        low, high = np.zeros(len(t)), np.full(len(t), 37.0)  # beyond, there is no probability left
        for _ in range(60):
            middle = (low + high) / 2
            outside = self.half(middle) < np.abs(t + self.shift(middle))
            low, high = np.where(outside, middle, low), np.where(outside, high, middle)
        p: Floats = 2 * special.ndtr(-low)
        return p


def _student_quantile(z: Floats | float, freedom: Floats) -> Floats:
    """What Student's t exceeds as rarely as a normal variable exceeds z."""
    finite = np.isfinite(freedom)
    t = -special.stdtrit(np.where(finite, freedom, 1.0), special.ndtr(-np.asarray(z)))
    return np.where(finite, t, z)


def _rows_that_vary(residuals: Floats) -> Flags:
    """Rows whose topics differ by more than rounding."""
    varies: Flags = residuals.std(axis=1) > 1e-9 * np.maximum(1.0, np.abs(residuals).max(axis=1, initial=0))
    return varies


def independent_rows(residuals: Floats) -> float:
    """How many independent rows would be as much alike as these: at most one less than there are topics."""
    varies = _rows_that_vary(residuals)
    if not varies.any():
        return 1.0
    off = residuals[varies] - residuals[varies].mean(axis=1, keepdims=True)
    off /= np.sqrt((off**2).sum(axis=1, keepdims=True))
    # The sum of all squared correlations of rows is that of the squares of the smaller product over topics.
    return float(varies.sum() ** 2 / ((off.T @ off) ** 2).sum())


def moderated_variances(residuals: Floats) -> tuple[Floats, Floats]:
    """Variances of rows, moved towards each other as far as rows are alike, and their degrees of freedom.

    Variances of rows are taken for draws from one distribution, whose scale and spread follow from their logarithms
    (Smyth 2004). So each gains degrees of freedom, but not beyond those that all independent rows have together.
    """
    freedom = residuals.shape[1] - 1.0
    varies = _rows_that_vary(residuals)
    variances = residuals.var(axis=1, ddof=1)
    own = np.full(len(residuals), freedom)
    if varies.sum() < 2:
        return variances, own
    logs = np.log(variances[varies]) - special.digamma(freedom / 2) + np.log(freedom / 2)
    spread = max(_ALIKE, float(logs.var(ddof=1)) - float(special.polygamma(1, freedom / 2)))
    prior = 2 * _inverse_trigamma(spread)
    common = np.exp(logs.mean() + special.digamma(prior / 2) - np.log(prior / 2))
    variances[varies] = (prior * common + freedom * variances[varies]) / (prior + freedom)
    own[varies] = max(freedom, min(prior + freedom, independent_rows(residuals) * freedom))
    return variances, own


def _inverse_trigamma(value: float) -> float:
    """Newton's method on one over the function, which is nearly a straight line (Smyth 2004, appendix)."""
    y = 0.5 + 1 / value
    for _ in range(50):
        trigamma = float(special.polygamma(1, y))
        step = trigamma * (1 - trigamma / value) / float(special.polygamma(2, y))
        y += step
        if abs(step) < 1e-8 * y:
            break
    return y
