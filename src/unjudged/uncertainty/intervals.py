"""Confidence intervals for the mean over topics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from unjudged.arrays import Floats
from unjudged.limits import Real
from unjudged.results.comparison import LEVEL
from unjudged.results.distributions import quantiles
from unjudged.results.provenance import DEFAULT_SEED
from unjudged.spec import Whole, param
from unjudged.uncertainty.base import IntervalEnds, IntervalMethod, interval_methods
from unjudged.uncertainty.draws import resampled_means
from unjudged.uncertainty.paired import as_scores

__all__ = ["BCa", "Basic", "MeanInterval", "Percentile", "StudentT", "mean_interval"]


@dataclass(frozen=True, eq=False)
class MeanInterval:
    """Mean and interval of each run. ``draws`` (runs, draws) are the resampled means where the method has them."""

    mean: Floats
    low: Floats
    high: Floats
    draws: Floats | None = None


def mean_interval(
    scores: Any,
    method: str | IntervalMethod | type[IntervalMethod] = "percentile",
    *,
    level: float = LEVEL,
    seed: int = DEFAULT_SEED,
    batch: int | None = None,
) -> MeanInterval:
    """Interval for the mean of each run over topics; *scores* is a matrix (runs, topics).

    *method*: ``percentile``, ``basic``, ``bca`` or ``t``; the first three take ``draws``, as in
    ``"bca(draws=2000)"``. A run with the same score on all topics has an interval without width.

    >>> result = mean_interval([[0.2, 0.4, 0.6]], "t")
    >>> result.low.round(3), result.high.round(3)
    (array([-0.097]), array([0.897]))
    """
    Real(0, 1, "neither").checked("level", level)
    values = as_scores(scores, topics=2)  # one topic says nothing about the next
    low, high, draws = interval_methods.choose(method).compute(values, level, seed=seed, batch=batch)
    mean = values.mean(axis=1)
    flat = np.ptp(values, axis=1) == 0
    return MeanInterval(mean, np.where(flat, mean, low), np.where(flat, mean, high), draws)


def _tails(level: float) -> tuple[float, float]:
    return (1 - level) / 2, (1 + level) / 2


class Percentile(IntervalMethod):
    """Percentiles of means over topics drawn with replacement.

    The simplest one. With fewer than about 50 topics it is too narrow.
    """

    name = "percentile"
    title = "Percentiles of the topic bootstrap"
    reference = "B. Efron and R. J. Tibshirani. An introduction to the bootstrap. Chapman & Hall, 1993, section 13.3."

    draws: int = param(10_000, Whole(1), "number of draws")

    def compute(self, scores: Floats, level: float, *, seed: int, batch: int | None) -> IntervalEnds:
        """Low, high and the draws."""
        draws = resampled_means(scores, draws=self.draws, seed=seed, batch=batch)
        low, high = quantiles(draws, None, _tails(level)).T
        return low, high, draws


class Basic(Percentile):
    """The percentile interval mirrored at the mean: twice the mean less the percentiles.

    It takes errors of the resampled means for errors of the mean itself. It can leave the range of the measure.
    """

    name = "basic"
    title = "Mirrored percentiles of the topic bootstrap"
    reference = "A. C. Davison and D. V. Hinkley. Bootstrap methods and their application. 1997, section 5.2.1."

    def compute(self, scores: Floats, level: float, *, seed: int, batch: int | None) -> IntervalEnds:
        """Low, high and the draws."""
        low, high, draws = super().compute(scores, level, seed=seed, batch=batch)
        double = 2 * scores.mean(axis=1)
        return double - high, double - low, draws


class BCa(IntervalMethod):
    """Percentiles of the topic bootstrap, corrected for bias and for skew (bias-corrected and accelerated).

    Skewed scores move both ends.
    """

    name = "bca"
    aliases = ("BCa",)
    title = "Percentiles of the topic bootstrap, corrected for bias and skew"
    reference = "B. Efron. Better bootstrap confidence intervals. JASA 82(397), 1987."

    draws: int = param(10_000, Whole(1), "number of draws")

    def compute(self, scores: Floats, level: float, *, seed: int, batch: int | None) -> IntervalEnds:
        """Low, high and the draws."""
        draws = resampled_means(scores, draws=self.draws, seed=seed, batch=batch)
        mean = scores.mean(axis=1)
        # A draw of the very same mean is half below. It may differ from the mean by rounding.
        slack = (1e-11 * np.abs(scores).max(axis=1))[:, None]
        below = (draws < mean[:, None] - slack).sum(axis=1) + (draws <= mean[:, None] + slack).sum(axis=1)
        # Half a draw stays on either side, where SciPy gives NaN.
        bias = special.ndtri(np.clip(below / (2 * self.draws), 0.5 / self.draws, 1 - 0.5 / self.draws))
        skew = _acceleration(scores - mean[:, None])
        shifted = bias[:, None] + special.ndtri(_tails(level))
        room = np.maximum(1 - skew[:, None] * shifted, np.finfo(float).tiny)
        at = special.ndtr(bias[:, None] + shifted / room)
        low, high = np.array([np.quantile(one, ends) for one, ends in zip(draws, at, strict=True)]).T
        return low, high, draws


def _acceleration(centred: Floats) -> Floats:
    """The jackknife's skewness of the mean: its leave-one-out values are the centred scores over -(n - 1)."""
    largest = np.abs(centred).max(axis=1, keepdims=True)
    scaled = centred / np.where(largest > 0, largest, 1.0)
    squares = (scaled**2).sum(axis=1)
    return np.asarray((scaled**3).sum(axis=1) / (6 * np.where(squares > 0, squares, 1.0) ** 1.5))


class StudentT(IntervalMethod):
    """The mean, plus and minus a multiple of its standard error from Student's t distribution.

    Exact where scores are normal; of all methods here the best with few topics. It can leave the range of the measure.
    """

    name = "t"
    title = "Student's t interval"
    reference = "Student. The probable error of a mean. Biometrika 6(1), 1908."

    def compute(self, scores: Floats, level: float, *, seed: int, batch: int | None) -> IntervalEnds:
        """Low and high; nothing is drawn."""
        topics = scores.shape[1]
        mean = scores.mean(axis=1)
        half = special.stdtrit(topics - 1, _tails(level)[1]) * scores.std(axis=1, ddof=1) / np.sqrt(topics)
        return mean - half, mean + half, None
