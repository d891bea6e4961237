"""Sums over documents from a random sample that people judged and labels of all: the difference estimator.

A score such as P, DCG or RBP is a sum of weight times gain over the documents that a run returned. With the gain g of
sampled documents, the gain m that a label makes one expect of any, and the probability pi of being sampled,

    sum of w m over all + sum of w (g - m) / pi over the sampled

is unbiased whatever m is. Its variance is that of what labels leave unexplained.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from unjudged.arrays import Flags, Floats
from unjudged.errors import InputError
from unjudged.limits import Real
from unjudged.results.comparison import LEVEL

__all__ = ["SampledSums", "difference_estimate", "sums_of_terms"]


@dataclass(frozen=True, eq=False)
class SampledSums:
    """Estimates of sums with intervals; an entry for each row of weights."""

    estimate: Floats
    calibrated: Floats
    """Sums of what labels make one expect: biased, but less noisy, so mostly better for the order of runs."""
    error: Floats
    freedom: Floats
    low: Floats
    high: Floats


def difference_estimate(
    weights: Any, gains: Any, expected: Any, sampled: Any, inclusion: Any, *, level: float = LEVEL
) -> SampledSums:
    """Sums of weight times gain for each row of *weights* (rows, documents), a matrix of NumPy or SciPy.

    *gains* count where *sampled* only; *expected* is there for all documents. *inclusion*: the probability with which
    each document was sampled, independently of the others, above 0. The interval is about the sums that judging all
    documents would give, not about other topics.

    >>> gains, expected, sampled = [1, 0, 0, 1], [0.8, 0.2, 0.2, 0.8], [True, True, False, False]
    >>> result = difference_estimate([[1, 1, 1, 1]], gains, expected, sampled, 0.5)
    >>> round(float(result.estimate[0]), 2), round(float(result.calibrated[0]), 2)
    (2.0, 2.0)
    """
    chosen: Flags = np.asarray(sampled, dtype=bool)
    probability = np.broadcast_to(np.asarray(inclusion, dtype=np.float64), chosen.shape)
    if not ((probability[chosen] > 0) & (probability[chosen] <= 1)).all():
        raise InputError("inclusion probabilities of sampled documents must be above 0 and at most 1")
    matrix = weights if hasattr(weights, "power") else np.asarray(weights, dtype=np.float64)
    belief = np.asarray(expected, dtype=np.float64)
    divisor = np.where(chosen, probability, 1.0)
    residuals = np.where(chosen, (np.asarray(gains, dtype=np.float64) - belief) / divisor, 0.0)
    calibrated = np.asarray(matrix @ belief)
    # Each document is in the sample or not, so the variance of its term is (1 - pi) / pi, estimated over the sampled.
    terms = (1 - divisor) * residuals**2
    squared = matrix.power(2) if hasattr(matrix, "power") else matrix**2
    variance = np.asarray(squared @ terms)
    fourth = np.asarray((squared.power(2) if hasattr(squared, "power") else squared**2) @ terms**2)
    return sums_of_terms(calibrated, np.asarray(matrix @ residuals), variance, fourth, level=level)


def sums_of_terms(
    calibrated: Floats, correction: Floats, variance: Floats, fourth: Floats, *, level: float = LEVEL
) -> SampledSums:
    """Estimates and intervals of what is expected and what the sample adds, with its variance.

    *variance* is a sum of a term for each sampled document, and *fourth* that of their squares.
    """
    tail = (1 + Real(0, 1, "neither").checked("level", level)) / 2
    # As many degrees of freedom as equal terms would have, less one: few large residuals say little about the rest.
    alike = np.divide(variance**2, fourth, out=np.full(len(variance), 2.0), where=fourth > 0)
    freedom = np.maximum(alike - 1, 1.0)
    estimate, error = calibrated + correction, np.sqrt(variance)
    half = special.stdtrit(freedom, tail) * error
    return SampledSums(estimate, calibrated, error, freedom, estimate - half, estimate + half)
