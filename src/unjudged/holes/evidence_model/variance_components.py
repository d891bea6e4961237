"""How far a model's log odds stray: for all holes of a group, of a run, and of a run on one topic.

All of it is learned from the examples, each predicted by the model without the example's own group:

* what the model would be without one group or another says how uncertain its parameters are (the jackknife over
  groups); a group's holes share that error, which is larger for documents unlike the examples;
* a run strays beyond that, and so does a run on one topic. Both scales have a posterior distribution on a grid, from
  the likelihood of the levels with the effects summed out. Runs stray with the tails of Student's t with 4 degrees
  of freedom: some are of a kind of their own. Where there are few runs, the scales are uncertain, and a draw of grades
  draws the scales as well.

The prior distributions of the scales are wide; what they are matters where groups are few.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.data.spans import offsets_of
from unjudged.holes.evidence_model.ordinal import ATTENUATION, Ordinal, sigmoid, slopes

__all__ = ["VarianceComponents", "estimate_variance_components"]


def _both_signs(*values: float) -> Floats:
    return np.array([*(-one for one in reversed(values)), 0.0, *values])


PRIOR_RUN, PRIOR_CELL = 0.5, 1.2
"""Medians of the prior distributions of both scales ..."""
PRIOR_SPREAD = 0.5
"""... and the standard deviation of their logarithms: a factor of 2.3 either way at 90%."""
_RUN_SCALES = np.exp(np.linspace(np.log(0.08), np.log(1.6), 7))
_CELL_SCALES = np.exp(np.linspace(np.log(0.4), np.log(2.8), 7))
_SHIFTS = _both_signs(0.5, 1, 1.5, 2, 2.5, 3, 4, 5.5, 7.5)
"""Shifts at which likelihoods of cells are computed ..."""
_RUN_SHIFTS = _both_signs(0.12, 0.25, 0.4, 0.6, 0.85, 1.2, 1.7, 2.5, 4)
"""... and those of runs."""
_STRETCHES = np.array([1.0, 1.25, 1.6, 2.2])
"""Stretched log odds at which likelihoods are computed; between them, logarithms are interpolated."""
_LEAST = 1e-300
_TINY = 1e-12
_SINGULAR = 1e-6
T4_VARIANCE = 2.0
"""Of Student's t with 4 degrees of freedom."""


@dataclass(frozen=True, eq=False)
class VarianceComponents:
    """How far log odds stray."""

    run: float
    """The scale of a run's effect on all topics (median of its posterior distribution) ..."""
    cell: float
    """... and the standard deviation of its effect on one topic."""
    run_spread: float
    """Standard deviations of the logarithms of both."""
    cell_spread: float
    covariance: Floats
    """Of the model's middle threshold and weights, by the jackknife over groups."""

    def fit_deviations(self, features: Floats) -> Floats:
        """Standard deviations of the log odds of documents with these (standardised) features, as the model's are."""
        return np.sqrt(_quadratic(_with_constant(features), self.covariance))

    def stretch(self, fit_deviations: Floats) -> Floats:
        """How much to stretch log odds so that probabilities averaged over random effects are those of the model."""
        run = T4_VARIANCE * self.run**2 * np.exp(2 * self.run_spread**2)
        cell = self.cell**2 * np.exp(2 * self.cell_spread**2)
        stretched: Floats = np.sqrt(1 + ATTENUATION * (run + cell + fit_deviations**2))
        return stretched


def estimate_variance_components(
    model: Ordinal, information: Floats, features: Floats, levels: Ints, groups: Ints, runs: Ints, topics: Ints
) -> VarianceComponents:
    """From examples with these levels, seen from these runs of these groups, on these topics.

    *information* is that of the fit, infinite for weights that were left out.
    """
    unseen = _without_each_group(model, information, features, levels, groups)
    _, group = np.unique(groups, return_inverse=True)
    thresholds = np.minimum.accumulate(unseen[:, : len(model.thresholds)], axis=1)
    sums = (features * unseen[group, len(model.thresholds) :]).sum(axis=1, keepdims=True)
    covariance = _jackknife(model, unseen)
    numbers, run = np.unique(runs, return_inverse=True)
    size = np.bincount(run)
    average = np.stack([np.bincount(run, one) / size for one in features.T], axis=1)
    of_fit = _quadratic(_with_constant(average), covariance)
    # Groups count alike, however many runs they have.
    first = np.searchsorted(run[order := np.argsort(run, kind="stable")], np.arange(len(numbers)))
    group_of_run = group[order[first]]
    weights = 1.0 / np.bincount(group_of_run)[group_of_run]
    return VarianceComponents(*_scales(thresholds[group] + sums, levels, run, topics, of_fit, weights), covariance)


# ---- the model without a group


def _without_each_group(model: Ordinal, information: Floats, features: Floats, levels: Ints, groups: Ints) -> Floats:
    """Parameters of the model fitted without each group, one Newton step away: shape (groups, parameters)."""
    _, group = np.unique(groups, return_inverse=True)
    by_group, offsets = np.argsort(group, kind="stable"), offsets_of(np.bincount(group))
    scores, seen = slopes(model, features[by_group], levels[by_group], np.ones(len(levels)), offsets[:-1].tolist())
    free = np.flatnonzero(np.isfinite(np.diag(information)))
    left = (information - seen)[:, free[:, None], free] + _SINGULAR * np.eye(len(free))
    moved = np.tile(np.concatenate([model.thresholds, model.weights]), (len(seen), 1))
    moved[:, free] -= np.linalg.solve(left, scores[:, free, None])[:, :, 0]
    return moved


def _jackknife(model: Ordinal, unseen: Floats) -> Floats:
    """Covariance of the middle threshold and the weights, from the parameters without each group."""
    middle, top = int(np.argmin(np.abs(model.thresholds))), len(model.thresholds)
    kept = unseen[:, [middle, *range(top, unseen.shape[1])]]
    off = kept - kept.mean(axis=0)
    covariance: Floats = (len(off) - 1) / len(off) * (off.T @ off)
    return covariance


def _with_constant(features: Floats) -> Floats:
    return np.concatenate([np.ones((len(features), 1)), features], axis=1)


def _quadratic(rows: Floats, covariance: Floats) -> Floats:
    # A row's sum, not a matrix product: how that adds up may depend on how many rows there are.
    moved = (rows[:, :, None] * covariance[None]).sum(axis=1)
    variances: Floats = np.maximum((moved * rows).sum(axis=1), 0.0)
    return variances


# ---- scales of random effects


def _scales(
    odds: Floats, levels: Ints, run: Ints, topics: Ints, of_fit: Floats, weights: Floats
) -> tuple[float, float, float, float]:
    """Medians of the scales of runs and cells, and standard deviations of their logarithms.

    *odds* are log odds to reach each level; *of_fit* has, for each run, the variance that the fit's error brings.
    """
    cells, cell = np.unique(run * (topics.max(initial=0) + 1) + topics, return_inverse=True)
    first_cells = np.searchsorted(cells // (topics.max(initial=0) + 1), np.arange(len(weights)))
    by_cell, starts = np.argsort(cell, kind="stable"), offsets_of(np.bincount(cell))[:-1]
    cells_at = [
        _Scaled.of(np.add.reduceat(_log_likelihood(odds[by_cell], levels[by_cell], stretch), starts))
        for stretch in _STRETCHES
    ]
    zero = np.zeros(1)
    of_run = [_shares(zero, _RUN_SHIFTS, np.sqrt(scale**2 + of_fit)[:, None], _t4_cdf) for scale in _RUN_SCALES]
    log_posterior = np.empty((len(_RUN_SCALES), len(_CELL_SCALES)))
    for j, scale in enumerate(_CELL_SCALES.tolist()):
        towards = _towards_cells(scale)
        stretches = np.sqrt(1 + ATTENUATION * (T4_VARIANCE * _RUN_SCALES**2 + scale**2))
        at = np.clip(np.searchsorted(_STRETCHES, stretches) - 1, 0, len(_STRETCHES) - 2)
        share = np.minimum(1.0, (stretches - _STRETCHES[at]) / (_STRETCHES[at + 1] - _STRETCHES[at]))
        needed = np.union1d(at, at + 1)
        log_runs = {k: np.add.reduceat(cells_at[k].log_sums(towards), first_cells) for k in needed.tolist()}
        for i, (k, s) in enumerate(zip(at.tolist(), share.tolist(), strict=True)):
            both = (1 - s) * log_runs[k] + s * log_runs[k + 1]
            most = both.max(axis=1)
            summed = (np.exp(both - most[:, None]) * of_run[i]).sum(axis=1)
            log_posterior[i, j] = (weights * (np.log(np.maximum(summed, _LEAST)) + most)).sum()
    return _medians(log_posterior)


def _medians(log_posterior: Floats) -> tuple[float, float, float, float]:
    """Where both scales are, and how uncertain their logarithms; the prior distributions join in."""
    log_run, log_cell = np.log(_RUN_SCALES), np.log(_CELL_SCALES)
    off_run, off_cell = log_run - np.log(PRIOR_RUN), log_cell - np.log(PRIOR_CELL)
    log_posterior = log_posterior - 0.5 * (off_run[:, None] ** 2 + off_cell**2) / PRIOR_SPREAD**2
    weight = np.exp(log_posterior - log_posterior.max())
    weight /= weight.sum()
    run, cell = weight.sum(axis=1), weight.sum(axis=0)
    at_run, at_cell = float((run * log_run).sum()), float((cell * log_cell).sum())
    # What lies between two scales of the grid is not told apart.
    steps = np.diff(log_run[:2])[0] ** 2 / 12, np.diff(log_cell[:2])[0] ** 2 / 12
    run_spread = float(np.sqrt((run * (log_run - at_run) ** 2).sum() + steps[0]))
    cell_spread = float(np.sqrt((cell * (log_cell - at_cell) ** 2).sum() + steps[1]))
    return float(np.exp(at_run)), float(np.exp(at_cell)), run_spread, cell_spread


def _log_likelihood(odds: Floats, levels: Ints, stretch: float) -> Floats:
    """Log probability of each row's level at each of the shifts."""
    top, rows = odds.shape[1], np.arange(len(odds))
    reached = sigmoid(stretch * odds[rows, np.maximum(levels - 1, 0)][:, None] + _SHIFTS)
    passed = sigmoid(stretch * odds[rows, np.minimum(levels, top - 1)][:, None] + _SHIFTS)
    reached[levels == 0], passed[levels == top] = 1.0, 0.0
    return np.log(np.maximum(reached - passed, _TINY))


class _Scaled(NamedTuple):
    """Likelihoods of cells at the shifts, as shares of their highest, and its logarithm."""

    likelihoods: Floats
    log_highest: Floats

    @classmethod
    def of(cls, logs: Floats) -> _Scaled:
        highest = logs.max(axis=1, keepdims=True)
        return cls(np.exp(logs - highest), highest)

    def log_sums(self, shares: Floats) -> Floats:
        """Logarithms of likelihoods with these shares of the shifts, for each row of them: (cells, rows)."""
        # Not a matrix product, for which threads would spin; nor does how it adds up depend on how many rows there are.
        summed = np.einsum("cs,rs->cr", self.likelihoods, shares)
        logs: Floats = np.log(np.maximum(summed, _LEAST)) + self.log_highest
        return logs


def _shares(at: Floats, to: Floats, scale: float | Floats, cdf: Callable[[Floats], Floats]) -> Floats:
    """Shares of a distribution about each of *at* that are nearest to each of *to*."""
    below = cdf(((to[1:] + to[:-1]) / 2 - at[:, None]) / scale)
    edge = np.zeros((len(below), 1))
    return np.diff(np.concatenate([edge, below, edge + 1.0], axis=1), axis=1)


@cache
def _towards_cells(scale: float) -> Floats:
    """Shares of the effects of cells of this *scale* about each shift of a run; the same for all fits."""
    return _shares(_RUN_SHIFTS, _SHIFTS, scale, _normal_cdf)


def _normal_cdf(x: Floats) -> Floats:
    # Few numbers, once: loading SciPy takes longer than all fits of a collection.
    erf = np.array([math.erf(one) for one in (x / np.sqrt(2.0)).ravel().tolist()]).reshape(x.shape)
    below: Floats = 0.5 * (1.0 + erf)
    return below


def _t4_cdf(x: Floats) -> Floats:
    w = x / np.sqrt(4.0 + x**2)
    below: Floats = 0.5 + 0.75 * (w - w**3 / 3.0)
    return below
