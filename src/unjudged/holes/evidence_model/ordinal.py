"""Ordinal logistic regression: the probability of each grade from a few features, and how far groups stray from it.

A grade reaches level k with p = 1 / (1 + exp(-(threshold[k] + weights · features))): "proportional odds" (McCullagh,
1980). It has few parameters, one direction for each feature, and a distribution over all grades.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from unjudged.arrays import Flags, Floats, Ints

__all__ = ["ATTENUATION", "Ordinal", "fit_ordinal", "sigmoid", "slopes"]


RIDGE = 1.0
"""Precision of the weights' normal prior, on features with a standard deviation of 1: a weak pull to 0."""
_STEPS = 60
_CLOSE = 1e-9
_TINY = 1e-12
ATTENUATION = (16 * np.sqrt(3) / (15 * np.pi)) ** 2
"""The logistic curve averaged over a normal shift is about a flatter one (Zeger, Liang and Albert, 1988)."""


def sigmoid(x: Floats) -> Floats:
    """1 / (1 + exp(-x)), without overflow."""
    out: Floats = 0.5 * (1.0 + np.tanh(0.5 * x))
    return out


@dataclass(frozen=True, eq=False)
class Ordinal:
    """A fitted model for levels 0, 1, ...; ``thresholds`` (levels - 1) descend, ``weights`` has one per feature.

    Or one for each row of the features: then both have a row for each.
    """

    thresholds: Floats
    weights: Floats

    def reaches(self, features: Floats, scale: float | Floats = 1.0) -> Floats:
        """Probability to reach each level above 0, shape (rows, levels - 1); *scale* stretches the log odds."""
        # A row's sum, not a matrix product: how that adds up may depend on how many rows there are.
        sums: Floats = (features * self.weights).sum(axis=1, keepdims=True)
        return sigmoid(scale * (self.thresholds + sums))

    def probabilities(self, features: Floats, scale: float | Floats = 1.0) -> Floats:
        """Probability of each level, shape (rows, levels)."""
        reached = _padded(self.reaches(features, scale))
        return reached[:, :-1] - reached[:, 1:]


def fit_ordinal(
    features: Floats, levels: Ints, weight: Floats, *, number: int, rising: Flags
) -> tuple[Ordinal, Floats]:
    """Fit by maximum penalised likelihood; *number* of levels, each of which must have some *weight*.

    Features for which *rising* is set get no negative weight: whoever of them would is left out. Also returns the
    penalised Fisher information at the fit, thresholds first.
    """
    used = np.ones(features.shape[1], dtype=bool)
    while True:
        model, information = _newton(features[:, used], levels, weight, number)
        wrong = rising[used] & (model.weights < 0)
        if not wrong.any():
            break
        used[np.flatnonzero(used)[wrong]] = False
    weights = np.zeros(len(used))
    weights[used] = model.weights
    kept = np.concatenate([np.ones(number - 1, dtype=bool), used])
    whole = np.diag(np.where(kept, 0.0, np.inf))  # a feature that is left out is known to have no weight
    whole[np.ix_(kept, kept)] = information
    return Ordinal(model.thresholds, weights), whole


def _newton(features: Floats, levels: Ints, weight: Floats, number: int) -> tuple[Ordinal, Floats]:
    """Fisher scoring with halved steps; the penalised likelihood is concave, so it finds the one maximum."""
    top = number - 1
    share = np.bincount(levels, weights=weight, minlength=number) / weight.sum()
    above = 1.0 - np.cumsum(share)[:-1]
    model = Ordinal(np.log(above / (1 - above)), np.zeros(features.shape[1]))
    penalty = np.concatenate([np.zeros(top), np.full(features.shape[1], RIDGE)])
    value = _objective(model, features, levels, weight)
    for _ in range(_STEPS):
        scores, information = slopes(model, features, levels, weight)
        at = np.concatenate([model.thresholds, model.weights])
        step = np.linalg.solve(information[0] + np.diag(penalty), scores[0] - penalty * at)
        length = 1.0
        while True:
            moved = at + length * step
            tried = Ordinal(moved[:top], moved[top:])
            objective = _objective(tried, features, levels, weight)
            if objective >= value or length < 1e-6:
                break
            length /= 2
        gain, value, model = objective - value, objective, tried
        if gain <= _CLOSE * (1 + abs(value)):
            break
    return model, slopes(model, features, levels, weight)[1][0] + np.diag(penalty)


def _objective(model: Ordinal, features: Floats, levels: Ints, weight: Floats) -> float:
    """Penalised log likelihood; minus infinity where the thresholds are out of order."""
    if (np.diff(model.thresholds) >= 0).any():
        return -np.inf
    probability = model.probabilities(features)[np.arange(len(levels)), levels]
    return float((weight * np.log(np.maximum(probability, _TINY))).sum() - 0.5 * RIDGE * (model.weights**2).sum())


def slopes(
    model: Ordinal, features: Floats, levels: Ints, weight: Floats, starts: Sequence[int] = (0,)
) -> tuple[Floats, Floats]:
    """Gradient of the log likelihood, shape (parts, parameters), and Fisher information, of parts of the rows.

    *starts* has where each part begins; unless given, there is one.
    """
    top, number = len(model.thresholds), features.shape[1]
    padded = _padded(model.reaches(features))
    weights = weight[:, None] / np.maximum(padded[:, :-1] - padded[:, 1:], _TINY)
    steep = padded * (1 - padded)
    # The derivative of the probability of a level: by its own threshold, by the next one (minus), and by the weights.
    along = steep[:, :-1] - steep[:, 1:]
    rows = np.arange(len(levels))
    gradient = np.zeros((len(levels), top + number))
    of_level = weights[rows, levels]
    above, below = np.flatnonzero(levels > 0), np.flatnonzero(levels < top)
    gradient[above, levels[above] - 1] = (of_level * steep[rows, levels])[above]
    gradient[below, levels[below]] = -(of_level * steep[rows, levels + 1])[below]
    gradient[:, top:] = features * (of_level * along[rows, levels])[:, None]
    information = np.empty((len(starts), top + number, top + number))
    for part, here in enumerate(slice(*ends) for ends in pairwise([*starts, len(levels)])):
        information[part] = _information(features[here], weights[here], steep[here, 1:-1], along[here])
    return np.add.reduceat(gradient, starts), information


def _information(features: Floats, weights: Floats, steep: Floats, along: Floats) -> Floats:
    """Sum over rows and levels of the products of derivatives, each with its weight."""
    top = steep.shape[1]
    out = np.zeros((top + features.shape[1],) * 2)
    at = np.arange(top)
    # A threshold moves the probabilities of two levels.
    out[at, at] = ((weights[:, 1:] + weights[:, :-1]) * steep**2).sum(axis=0)
    out[at[1:], at[:-1]] = -(weights[:, 1:-1] * steep[:, 1:] * steep[:, :-1]).sum(axis=0)
    out[at[:-1], at[1:]] = out[at[1:], at[:-1]]
    weighted = weights * along
    out[top:, :top] = features.T @ (steep * (weighted[:, 1:] - weighted[:, :-1]))
    out[:top, top:] = out[top:, :top].T
    out[top:, top:] = features.T @ (features * (weighted * along).sum(axis=1)[:, None])
    return out


def _padded(columns: Floats) -> Floats:
    """A column of 1 before, and one of 0 after."""
    rows = len(columns)
    return np.concatenate([np.ones((rows, 1)), columns, np.zeros((rows, 1))], axis=1)
