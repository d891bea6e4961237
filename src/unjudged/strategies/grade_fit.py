"""Where the posterior of a model of grades is highest, and how sharply it falls from there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.holes.evidence_model.ordinal import sigmoid
from unjudged.strategies.grade_posterior import GradeDescriptions, GradePosterior

__all__ = ["fit_grades"]

_STEPS = 50
_CLOSE = 1e-6
"""The last step of Newton's method, in log odds: what is wrong before it is squared by it, so 1e-12 or so is left."""
_LONGEST = 2.0
"""A step at most."""
_LEAST = 1e-12
"""A probability at least."""


class _Examples(NamedTuple):
    """Judged documents, by features and level; and how much each counts."""

    features: Floats
    levels: Ints
    counts: Floats


class _Curve(NamedTuple):
    """Of a log likelihood, by thresholds first: its slope, and the matrix of minus its second derivatives."""

    slope: Floats
    information: Floats


def fit_grades(
    descriptions: GradeDescriptions, judged: Ints, grades: Ints, start: Floats | None = None
) -> GradePosterior:
    """The posterior after these judgments; from where Newton's method starts changes nothing but the time it takes."""
    thresholds, levels = descriptions.levels - 1, descriptions.levels_of(grades)
    near = descriptions.is_near(judged)
    own = descriptions.design(judged[near])
    # The others have no effects of runs: they take much of the room otherwise, where judgments go deep.
    far = descriptions.design(judged[~near], runs=False)
    parts = [
        _Examples(own, levels[near], np.ones(len(own))),
        _Examples(far, levels[~near], np.ones(len(far))),
        _imagined(descriptions),
    ]
    mean, precision = descriptions.prior_mean, descriptions.prior_precision
    at = mean if start is None else start
    value = _log_posterior(at, parts, thresholds, mean, precision)
    for _ in range(_STEPS):
        curve = _curve(at, parts, thresholds)
        information = curve.information + np.diag(precision)
        step = np.linalg.solve(information, curve.slope - precision * (at - mean))
        longest = float(np.abs(step).max(initial=0.0))
        length = min(1.0, _LONGEST / longest) if longest > 0 else 1.0
        while True:
            moved = at + length * step
            tried = _log_posterior(moved, parts, thresholds, mean, precision)
            if tried >= value - 1e-12 * abs(value) or length < 1e-6:
                break
            length /= 2
        at, value = moved, tried
        if longest < _CLOSE:
            break
    information = _curve(at, parts, thresholds).information + np.diag(precision)
    return GradePosterior(descriptions, at, np.asarray(np.linalg.inv(information), dtype=np.float64))


def _imagined(descriptions: GradeDescriptions) -> _Examples:
    """One document, with each level as likely as before the first judgment.

    It changes nothing about what is likeliest then, and keeps thresholds apart between which no document was seen: the
    highest posterior would be where they meet.
    """
    reached = np.concatenate([[1.0], sigmoid(descriptions.prior_mean[: descriptions.levels - 1]), [0.0]])
    return _Examples(np.zeros((descriptions.levels, 0)), np.arange(descriptions.levels), -np.diff(reached))


def _around(at: Floats, examples: _Examples, thresholds: int) -> tuple[Floats, Floats]:
    """The probabilities to reach the level of each document, and the one above it."""
    features, levels, _ = examples
    odds = features @ at[thresholds : thresholds + features.shape[1]]
    bounds = np.concatenate([[np.inf], at[:thresholds], [-np.inf]])
    return sigmoid(bounds[levels] + odds), sigmoid(bounds[levels + 1] + odds)


def _log_posterior(at: Floats, parts: Sequence[_Examples], thresholds: int, mean: Floats, precision: Floats) -> float:
    """But for a constant; minus infinity where the thresholds are out of order."""
    if (np.diff(at[:thresholds]) >= 0).any():
        return -np.inf
    total = -0.5 * float((precision * (at - mean) ** 2).sum())
    for part in parts:
        reached, above = _around(at, part, thresholds)
        total += float(part.counts @ np.log(np.maximum(reached - above, _LEAST)))
    return total


def _curve(at: Floats, parts: Sequence[_Examples], thresholds: int) -> _Curve:
    """Of all parts. Some lack the last features."""
    slope, information = np.zeros(len(at)), np.zeros((len(at), len(at)))
    for part in parts:
        size = thresholds + part.features.shape[1]
        of_part = _curve_of(at, part, thresholds)
        slope[:size] += of_part.slope
        information[:size, :size] += of_part.information
    return _Curve(slope, information)


def _curve_of(at: Floats, examples: _Examples, thresholds: int) -> _Curve:
    """With A and B the probabilities to reach a document's level and the next, and a and b their derivatives.

    The log of A - B has the slopes a / (A - B) by its lower threshold, -b / (A - B) by its upper one, and 1 - A - B by
    both together, which is by what a feature of 1 weighs. Minus the derivatives of the latter are a and b; the rest
    follows from what these must add up to.
    """
    features, levels, counts = examples
    reached, above = _around(at, examples, thresholds)
    likely = np.maximum(reached - above, _LEAST)
    lower, upper = counts * reached * (1 - reached), counts * above * (1 - above)
    by_lower, by_upper = lower / likely, upper / likely

    def summed(of_lower: Floats, of_upper: Floats) -> Floats:
        out: Floats = np.bincount(levels, of_lower, thresholds + 1)[1:].astype(np.float64)
        return out + np.bincount(levels, of_upper, thresholds + 1)[:-1]

    slope = np.concatenate([summed(by_lower, -by_upper), (counts * (1 - reached - above)) @ features])
    both = by_lower * above * (1 - above) / likely
    of_thresholds = np.diag(summed(lower + both, upper + both))
    between = np.bincount(levels, both, thresholds + 1)[1:-1]
    of_thresholds -= np.diag(between, 1) + np.diag(between, -1)
    weights = np.zeros((len(levels), thresholds + 2))
    weights[np.arange(len(levels)), levels] = lower
    weights[np.arange(len(levels)), levels + 1] = upper
    mixed = weights[:, 1:-1].T @ features
    of_features = (features * (lower + upper)[:, None]).T @ features
    return _Curve(slope, np.block([[of_thresholds, mixed], [mixed.T, of_features]]))
