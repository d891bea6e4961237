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
    reached = model.reaches(features)
    probabilities = np.maximum(model.probabilities(features), _TINY)
    top = reached.shape[1]
    steep = _padded(reached * (1 - reached), first=0.0)
    gradient = np.zeros((len(levels), top + features.shape[1]))
    information = np.zeros((len(starts), gradient.shape[1], gradient.shape[1]))
    parts = [slice(*ends) for ends in pairwise([*starts, len(levels)])]
    for level in range(top + 1):
        # The derivative of the probability of this level, by thresholds and then by weights.
        slope = np.zeros_like(gradient)
        if level > 0:
            slope[:, level - 1] = steep[:, level]
        if level < top:
            slope[:, level] = -steep[:, level + 1]
        slope[:, top:] = features * (steep[:, level] - steep[:, level + 1])[:, None]
        weighted = slope * (weight / probabilities[:, level])[:, None]
        for part, rows in enumerate(parts):
            information[part] += weighted[rows].T @ slope[rows]
        here = levels == level
        gradient[here] = weighted[here]
    return np.add.reduceat(gradient, starts), information


def _padded(columns: Floats, first: float = 1.0) -> Floats:
    """A column of *first* before, and one of 0 after."""
    rows = len(columns)
    return np.concatenate([np.full((rows, 1), first), columns, np.zeros((rows, 1))], axis=1)
