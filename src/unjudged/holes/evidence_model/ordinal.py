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
from unjudged.data.spans import offsets_of

__all__ = ["Ordinal", "VarianceComponents", "estimate_variance_components", "fit_ordinal", "sigmoid"]


RIDGE = 1.0
"""Precision of the weights' normal prior, on features with a standard deviation of 1: a weak pull to 0."""
_STEPS = 60
_CLOSE = 1e-9
_TINY = 1e-12
_HALVINGS = 30
_WIDEST = 9.0
"""Variance above which no estimate is taken: at a standard deviation of 3 anything goes anyway."""
_ATTENUATION = (16 * np.sqrt(3) / (15 * np.pi)) ** 2
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

    def reaches(self, features: Floats, scale: float = 1.0) -> Floats:
        """Probability to reach each level above 0, shape (rows, levels - 1); *scale* stretches the log odds."""
        # A row's sum, not a matrix product: how that adds up may depend on how many rows there are.
        sums: Floats = (features * self.weights).sum(axis=1, keepdims=True)
        return sigmoid(scale * (self.thresholds + sums))

    def probabilities(self, features: Floats, scale: float = 1.0) -> Floats:
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
        scores, information = _slopes(model, features, levels, weight)
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
    return model, _slopes(model, features, levels, weight)[1][0] + np.diag(penalty)


def _objective(model: Ordinal, features: Floats, levels: Ints, weight: Floats) -> float:
    """Penalised log likelihood; minus infinity where the thresholds are out of order."""
    if (np.diff(model.thresholds) >= 0).any():
        return -np.inf
    probability = model.probabilities(features)[np.arange(len(levels)), levels]
    return float((weight * np.log(np.maximum(probability, _TINY))).sum() - 0.5 * RIDGE * (model.weights**2).sum())


def _slopes(
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


# ---- how far groups stray


@dataclass(frozen=True)
class VarianceComponents:
    """Standard deviations of the random effect, in log odds, that a group has on all topics and on each."""

    group: float
    cell: float

    @property
    def scale(self) -> float:
        """How much to stretch log odds so that probabilities averaged over random effects are those of the model."""
        return float(np.sqrt(1 + _ATTENUATION * (self.group**2 + self.cell**2)))


def estimate_variance_components(
    model: Ordinal, information: Floats, features: Floats, levels: Ints, groups: Ints, topics: Ints
) -> VarianceComponents:
    """How far the model is off for whole groups, and for a group on one topic, when it has not seen the group.

    Each group is predicted by the model without it (one Newton step away). What a group's levels are above or below
    that, per unit of log odds, is its shift; so is that of each (group, topic) cell. Their variances beyond what chance
    explains are those of Paule and Mandel (1982), as in a meta-analysis of studies.
    """
    expected, variance, steep = _predicted_unseen(model, information, features, levels, groups)
    _, cell = np.unique(groups * (topics.max(initial=0) + 1) + topics, return_inverse=True)
    group_of_cell = np.zeros(cell.max(initial=0) + 1, dtype=np.int64)
    group_of_cell[cell] = groups
    off, noise, slope = (_sums(cell, one) for one in (levels - expected, variance, steep))
    total = _paule_mandel(off, noise, slope)
    between = 0.0
    # What cells vary beside their groups is noise to a group's shift, and the other way round: a few rounds settle it.
    for _ in range(20):
        scatter = noise + slope**2 * max(total - between, 0.0)
        sums = [_sums(group_of_cell, one) for one in (off, scatter, slope)]
        estimate = min(_paule_mandel(*(one[sums[2] > 0] for one in sums)), total)
        if abs(estimate - between) < 1e-4:
            break
        between = estimate
    return VarianceComponents(float(np.sqrt(between)), float(np.sqrt(max(total - between, 0.0))))


def _sums(places: Ints, values: Floats) -> Floats:
    """Sum of the values at each place."""
    return np.bincount(places, weights=values).astype(np.float64, copy=False)


def _predicted_unseen(
    model: Ordinal, information: Floats, features: Floats, levels: Ints, groups: Ints
) -> tuple[Floats, Floats, Floats]:
    """Mean, variance and slope of each row's level under the model fitted without the row's group."""
    _, group = np.unique(groups, return_inverse=True)
    by_group, offsets = np.argsort(group, kind="stable"), offsets_of(np.bincount(group))
    scores, seen = _slopes(model, features[by_group], levels[by_group], np.ones(len(levels)), offsets[:-1].tolist())
    free = np.flatnonzero(np.isfinite(np.diag(information)))
    left = (information - seen)[:, free[:, None], free] + 1e-6 * np.eye(len(free))
    moved = np.tile(np.concatenate([model.thresholds, model.weights]), (len(seen), 1))
    moved[:, free] -= np.linalg.solve(left, scores[:, free, None])[:, :, 0]
    top = len(model.thresholds)
    without = Ordinal(np.minimum.accumulate(moved[:, :top], axis=1)[group], moved[group, top:])
    probabilities, reached = without.probabilities(features), without.reaches(features)
    number = np.arange(top + 1)
    mean = probabilities @ number
    variance, steep = probabilities @ number**2 - mean**2, (reached * (1 - reached)).sum(axis=1)
    return mean, np.maximum(variance, _TINY), np.maximum(steep, _TINY)


def _paule_mandel(off: Floats, noise: Floats, slope: Floats) -> float:
    """Variance of effects about 0, so that their squares over their variances average 1; 0 where noise explains all."""
    shift, sampling_variance = off / slope, noise / slope**2

    def excess(variance: float) -> float:
        return float((shift**2 / (sampling_variance + variance)).mean()) - 1.0

    if not len(shift) or excess(0.0) <= 0:
        return 0.0
    if excess(_WIDEST) >= 0:
        return _WIDEST
    low, high = 0.0, _WIDEST
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return (low + high) / 2
