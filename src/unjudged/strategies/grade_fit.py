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


class _Examples(NamedTuple):
    """Steps that judged documents have tried: features, and whether each was taken."""

    features: Floats
    taken: Floats


def fit_grades(
    descriptions: GradeDescriptions, judged: Ints, grades: Ints, start: Floats | None = None
) -> GradePosterior:
    """The posterior after these judgments; from where Newton's method starts changes nothing but the time it takes."""
    levels, near = descriptions.levels_of(grades), descriptions.is_near(judged)
    # Documents beyond the cut-off have no effects of runs: they take much of the room otherwise.
    parts = [
        _examples(descriptions, judged[some], levels[some], runs=runs) for some, runs in ((near, True), (~near, False))
    ]
    mean, precision = descriptions.prior_mean, descriptions.prior_precision
    at = mean if start is None else start
    value = _log_posterior(at, parts, mean, precision)
    for _ in range(_STEPS):
        slope, information = _curve(at, parts)
        step = np.linalg.solve(information + np.diag(precision), slope - precision * (at - mean))
        longest = float(np.abs(step).max(initial=0.0))
        length = min(1.0, _LONGEST / longest) if longest > 0 else 1.0
        while True:
            moved = at + length * step
            tried = _log_posterior(moved, parts, mean, precision)
            if tried >= value - 1e-12 * abs(value) or length < 1e-6:
                break
            length /= 2
        at, value = moved, tried
        if longest < _CLOSE:
            break
    information = _curve(at, parts)[1] + np.diag(precision)
    return GradePosterior(descriptions, at, np.asarray(np.linalg.inv(information), dtype=np.float64))


def _examples(descriptions: GradeDescriptions, pairs: Ints, levels: Ints, *, runs: bool) -> _Examples:
    """A document of level k has taken k steps, and failed to take the next, if there is one."""
    tried = np.minimum(levels + 1, descriptions.steps)
    which = np.repeat(np.arange(len(pairs)), tried)
    step = np.arange(len(which)) - np.repeat(np.cumsum(tried) - tried, tried)
    one_step = np.zeros((len(which), descriptions.steps))
    one_step[np.arange(len(which)), step] = 1.0
    features = descriptions.design(pairs[which], one_step, runs=runs)
    return _Examples(features, (step < levels[which]).astype(np.float64))


def _log_posterior(at: Floats, parts: Sequence[_Examples], mean: Floats, precision: Floats) -> float:
    """But for a constant."""
    total = -0.5 * float((precision * (at - mean) ** 2).sum())
    for features, taken in parts:
        odds = features @ at[: features.shape[1]]
        total -= float(np.logaddexp(0.0, np.where(taken > 0, -odds, odds)).sum())
    return total


def _curve(at: Floats, parts: Sequence[_Examples]) -> tuple[Floats, Floats]:
    """The log likelihood's slope, and the matrix of minus its second derivatives. Some parts lack the last features."""
    slope, information = np.zeros(len(at)), np.zeros((len(at), len(at)))
    for features, taken in parts:
        size = features.shape[1]
        chance = sigmoid(features @ at[:size])
        slope[:size] += (taken - chance) @ features
        information[:size, :size] += (features * (chance * (1 - chance))[:, None]).T @ features
    return slope, information
