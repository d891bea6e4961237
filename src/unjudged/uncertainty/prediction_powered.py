"""Means over topics from a few topics that people judged and many that only a machine did: PPI++.

With human scores y and scores from labels f on n topics, and f alone on N more, for any weight lambda

    mean_n(y - lambda f) + lambda mean_N(f)

estimates the mean of y without bias, whatever the labels are worth; they decide how narrow the interval is. The
published interval fits lambda to the topics whose residuals it measures, and takes normal quantiles: with 15 topics,
91% hold where 95% are promised. Ours fits lambda for each topic to the others, over all rows (runs, or pairs of runs)
together, and takes variances and t quantiles for few topics that are not normal (:mod:`.few_topics`).

There may be several ways to a score from labels, such as labels as they are and calibrated ones. Then each topic takes
the way that explains most of the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import special

from unjudged.arrays import Floats
from unjudged.errors import InputError
from unjudged.limits import Real
from unjudged.results.comparison import LEVEL
from unjudged.results.provenance import DEFAULT_SEED
from unjudged.uncertainty.draws import batches, signs
from unjudged.uncertainty.few_topics import Shape, Tails, moderated_variances
from unjudged.uncertainty.paired import as_scores

__all__ = ["LEAST_TOPICS", "PoweredMeans", "classical", "powered_randomisation", "prediction_powered", "published_ppi"]

LEAST_TOPICS = 4
"""Topics with human judgments: lambda is fitted to one less, and their residuals have a variance."""


@dataclass(frozen=True, eq=False)
class PoweredMeans:
    """Estimates of means with intervals; an entry for each row."""

    estimate: Floats
    error: Floats
    """Standard error."""
    freedom: Floats
    """Degrees of freedom of its estimate; infinite for normal quantiles."""
    low: Floats
    high: Floats
    weight: float
    """Lambda: how much of the labels is used, from 0 (nothing) to 1."""
    tails: Tails

    @property
    def p_values(self) -> Floats:
        """Two-sided, of the hypothesis that the mean is 0: intervals at this level end there.

        1 where nothing varies and the estimate is 0.
        """
        t = np.divide(self.estimate, self.error, out=np.zeros_like(self.error), where=self.error > 0)
        return np.where(self.error > 0, self.tails.p_values(t), np.where(self.estimate == 0, 1.0, 0.0))


def classical(human: Any, *, level: float = LEVEL) -> PoweredMeans:
    """Student's interval of the mean of each row (rows, topics), from human scores alone.

    >>> result = classical([[0.1, 0.3, 0.5, 0.7]])
    >>> round(float(result.estimate[0]), 4), round(float(result.low[0]), 4), round(float(result.high[0]), 4)
    (0.4, -0.0109, 0.8109)
    """
    y = as_scores(human, topics=2)
    topics = y.shape[1]
    error = y.std(axis=1, ddof=1) / np.sqrt(topics)
    return _with_ends(y.mean(axis=1), error, Tails(np.full(len(y), topics - 1.0)), level, 0.0)


def prediction_powered(
    human: Any, predicted: Any, others: Any, *, level: float = LEVEL, differences: bool = True
) -> PoweredMeans:
    """The mean of each row, with what labels say about topics that nobody judged.

    *human* (rows, n) and *predicted* (rows, n) are scores of the same topics, *others* (rows, N) those from labels of
    further topics; or (ways, rows, topics) where there are several ways to these. For *differences* of runs, all three
    are differences. One lambda serves all rows, and is fitted out of fold. Scores of runs go up and down together:
    their variances say the same about each other as about themselves, and they are skewed in the same direction.
    """
    y, f, rest = _checked(human, predicted, others)
    n, further = y.shape[1], rest.shape[2]
    weights = _left_out_weights(y, f, rest, together=not differences)
    residuals, labels = _explained(weights, y, f, rest)
    weight = float(weights.sum(axis=0).mean())
    # Each residual is off a lambda that its topic had no part in, so that residuals are as large as they should be. But
    # where rows go up and down together, lambda is fitted to little more than one row, and there is as much less left
    # that says how large they are.
    if differences:
        variances, own = moderated_variances(residuals)
    else:
        used = float((weights > 0).any(axis=0).mean())
        variances, own = residuals.var(axis=1, ddof=1), np.full(len(y), n - 1.0 - used)
    from_human, from_labels = variances / n, labels.var(axis=1, ddof=1) / further
    variance = from_human + from_labels
    # Welch and Satterthwaite's degrees of freedom of a sum of two variances.
    spread = from_human**2 / own + from_labels**2 / (further - 1)
    freedom = np.divide(variance**2, spread, out=own.copy(), where=spread > 0)
    share = np.divide(from_human, variance, out=np.ones(len(y)), where=variance > 0)
    tails = Tails.of(Shape.of(residuals), freedom, share, skewed=not differences)
    return _with_ends(residuals.mean(axis=1), np.sqrt(variance), tails, level, weight)


def published_ppi(
    human: Any, predicted: Any, others: Any, *, level: float = LEVEL, weight: float | None = None
) -> PoweredMeans:
    """PPI++ as published: one lambda for all rows, fitted to all topics, unless *weight* says it; normal quantiles.

    With few topics its intervals are too narrow. It is here to be compared with.
    """
    y, f, rest = _checked(human, predicted, others)
    f, rest = f[0], rest[0]
    n, further = y.shape[1], rest.shape[1]
    if weight is None:
        together = np.concatenate([f, rest], axis=1).var(axis=1, ddof=1).sum()
        common = ((y - y.mean(axis=1, keepdims=True)) * f).mean(axis=1).sum()
        weight = float(np.clip(common / ((1 + n / further) * together), 0, 1)) if together else 0.0
    estimate = (y - weight * f).mean(axis=1) + weight * rest.mean(axis=1)
    error = np.sqrt((y - weight * f).var(axis=1) / n + weight**2 * rest.var(axis=1) / further)
    return _with_ends(estimate, error, Tails(np.full(len(y), np.inf)), level, weight)


def powered_randomisation(
    human: Any, predicted: Any, others: Any, *, draws: int = 10_000, seed: int = DEFAULT_SEED
) -> Floats:
    """P-values of Fisher's randomisation test for the estimate of :func:`prediction_powered`, one for each row.

    The signs of what each topic adds to the estimate are drawn: residuals of topics that people judged, and deviations
    of labels from their mean on the others, so that labels that favour one of two runs alike everywhere show no
    difference by themselves.
    """
    y, f, rest = _checked(human, predicted, others)
    n, further = y.shape[1], rest.shape[2]
    residuals, labels = _explained(_left_out_weights(y, f, rest, together=False), y, f, rest)
    parts = [residuals / n, (labels - labels.mean(axis=1, keepdims=True)) / further]
    terms = np.concatenate(parts, axis=1)
    observed = np.abs(parts[0].sum(axis=1))
    reached = np.zeros(len(y))
    for start, stop in batches(draws, max(terms.shape), None):
        drawn = np.abs(signs(seed, start, stop, terms.shape[1]) @ terms.T)
        reached += (drawn >= observed * (1 - 1e-9)).sum(axis=0)
    return np.where(observed > 0, (reached + 1) / (draws + 1), 1.0)


# ---- the arithmetic


def _left_out_weights(y: Floats, f: Floats, rest: Floats, *, together: bool) -> Floats:
    """Lambda of each way for each topic, from the others, shape (ways, topics): of one way, and 0 for all others.

    It is cov(y, f) / ((1 + n/N) var(f)), both summed over rows, within 0 and 1. Where rows go up and down *together*,
    it is 0 if it explains no more than chance would on average (F below 1).
    """
    covariance, variance = (np.stack(one) for one in zip(*map(partial(_moments, y), f, rest), strict=True))
    # Rounding leaves some 1e-17 of what is constant.
    varies = variance > 1e-14 * np.maximum(1.0, np.abs(f).max(axis=(1, 2), initial=0))[:, None]
    weights = np.clip(np.divide(covariance, variance, out=np.zeros_like(variance), where=varies), 0, 1)
    explained = weights * (2 * covariance - weights * variance)
    if together:
        left = _squares_without(y, y).sum(axis=0) / (y.shape[1] - 2) - explained
        weights, explained = (np.where(explained * (y.shape[1] - 3) > left, one, 0.0) for one in (weights, explained))
    best = explained.argmax(axis=0) == np.arange(len(f))[:, None]
    return np.where(best, weights, 0.0)


def _moments(y: Floats, f: Floats, rest: Floats) -> tuple[Floats, Floats]:
    """cov(y, f) and (1 + n/N) var(f) of all topics but one, for each topic; summed over rows."""
    n, further = y.shape[1], rest.shape[1]
    total = _squares_without(f, f) + ((rest - rest.mean(axis=1, keepdims=True)) ** 2).sum(axis=1, keepdims=True)
    covariance = _squares_without(y, f).sum(axis=0) / (n - 2)
    variance = total.sum(axis=0) / (n - 2 + further - 1)
    return covariance, variance * (1 + n / further)


def _squares_without(a: Floats, b: Floats) -> Floats:
    """Sums of products of deviations from the mean over all topics but one, for each topic."""
    a_sum, b_sum = (one.sum(axis=1, keepdims=True) - one for one in (a, b))
    left: Floats = (a * b).sum(axis=1, keepdims=True) - a * b - a_sum * b_sum / (a.shape[1] - 1)
    return left


def _explained(weights: Floats, y: Floats, f: Floats, rest: Floats) -> tuple[Floats, Floats]:
    """What labels leave of human scores, with the mean of labels on other topics for theirs; and these labels."""
    off = f - rest.mean(axis=2, keepdims=True)
    mean = weights.mean(axis=1)
    return y - (weights[:, None, :] * off).sum(axis=0), np.tensordot(mean, rest, axes=1)


def _with_ends(estimate: Floats, error: Floats, tails: Tails, level: float, weight: float) -> PoweredMeans:
    z = float(special.ndtri((1 + Real(0, 1, "neither").checked("level", level)) / 2))
    middle, half = estimate + tails.shift(z) * error, tails.half(z) * error
    return PoweredMeans(estimate, error, tails.freedom, middle - half, middle + half, weight, tails)


def _checked(human: Any, predicted: Any, others: Any) -> tuple[Floats, Floats, Floats]:
    """Human scores (rows, topics), and those from labels (ways, rows, topics)."""
    y = as_scores(human, topics=LEAST_TOPICS)
    f, rest = (
        np.stack([as_scores(way, topics=least) for way in given])
        if np.ndim(given) == 3
        else as_scores(given, topics=least)[None]
        for given, least in ((predicted, 1), (others, 2))
    )
    if f.shape[1:] != y.shape or rest.shape[:2] != f.shape[:2]:
        raise InputError(
            "human and predicted scores need the same shape, and others the same rows;"
            f" the shapes are {y.shape}, {np.shape(predicted)} and {np.shape(others)}"
        )
    return y, f, rest
