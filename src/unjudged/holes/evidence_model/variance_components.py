"""How far runs stray from a model that has not seen them: the variance of random effects, and how sure it is.

A run that the model has not seen may be better or worse than its features say on all topics (the run's effect), and on
each of them (the effect of the run on the topic, a *cell*). Effects are normal shifts in log odds. Their standard
deviations are estimated from what each group contributed, predicted by the model without it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.data.spans import offsets_of
from unjudged.holes.evidence_model.ordinal import ATTENUATION, Ordinal, sigmoid, slopes

__all__ = ["VarianceComponents", "estimate_variance_components"]

PRIOR_RUN, PRIOR_CELL = 0.45, 1.2
"""Medians of the prior distributions of both standard deviations ..."""
PRIOR_SPREAD = 0.5
"""... and the standard deviation of their logarithms: a factor of 2.3 either way at 90%."""
_RUN_GRID = np.exp(np.linspace(np.log(0.08), np.log(1.8), 10))
_CELL_GRID = np.exp(np.linspace(np.log(0.35), np.log(3.0), 7))
_SHIFTS = np.arange(-7.0, 7.01, 0.5)
"""Shifts at which likelihoods of cells are computed ..."""
_RUN_SHIFTS = np.arange(-3.5, 3.51, 0.25)
"""... and those of runs."""
_STRETCHES = np.array([1.0, 1.35, 1.8])
_TINY = 1e-12


@dataclass(frozen=True)
class VarianceComponents:
    """Standard deviations of the random effects of a run, on all topics and on each: medians, and how sure they are.

    ``run_spread`` and ``cell_spread`` are standard deviations of their logarithms.
    """

    run: float
    cell: float
    run_spread: float = 0.0
    cell_spread: float = 0.0

    @property
    def scale(self) -> float:
        """How much to stretch log odds so that probabilities averaged over random effects are those of the model."""
        run = self.run**2 * np.exp(2 * self.run_spread**2)
        cell = self.cell**2 * np.exp(2 * self.cell_spread**2)
        return float(np.sqrt(1 + ATTENUATION * (run + cell)))


def estimate_variance_components(
    model: Ordinal, information: Floats, features: Floats, levels: Ints, groups: Ints, runs: Ints, topics: Ints
) -> VarianceComponents:
    odds = _odds_unseen(model, information, features, levels, groups)
    return _posterior(odds, levels, runs, topics)


def _odds_unseen(
    model: Ordinal, information: Floats, features: Floats, levels: Ints, groups: Ints
) -> Floats:
    """Log odds to reach each level, under the model fitted without the row's group (one Newton step away)."""
    _, group = np.unique(groups, return_inverse=True)
    by_group, offsets = np.argsort(group, kind="stable"), offsets_of(np.bincount(group))
    scores, seen = slopes(model, features[by_group], levels[by_group], np.ones(len(levels)), offsets[:-1].tolist())
    free = np.flatnonzero(np.isfinite(np.diag(information)))
    left = (information - seen)[:, free[:, None], free] + 1e-6 * np.eye(len(free))
    moved = np.tile(np.concatenate([model.thresholds, model.weights]), (len(seen), 1))
    moved[:, free] -= np.linalg.solve(left, scores[:, free, None])[:, :, 0]
    top = len(model.thresholds)
    thresholds = np.minimum.accumulate(moved[:, :top], axis=1)[group]
    return thresholds + (features * moved[group, top:]).sum(axis=1, keepdims=True)


def _kernel(at: Floats, to: Floats, deviation: float) -> Floats:
    """Shares of a normal distribution about each of *at* that are nearest to each of *to*."""
    edges = (to[1:] + to[:-1]) / 2
    below = _normal_cdf((edges - at[:, None]) / deviation)
    padded = np.concatenate([np.zeros((len(at), 1)), below, np.ones((len(at), 1))], axis=1)
    return np.diff(padded, axis=1)


def _normal_cdf(x: Floats) -> Floats:
    from math import erf

    return 0.5 * (1.0 + np.vectorize(erf)(x / np.sqrt(2.0)))


def _posterior(odds: Floats, levels: Ints, runs: Ints, topics: Ints) -> VarianceComponents:
    cells, cell = np.unique(runs * (topics.max(initial=0) + 1) + topics, return_inverse=True)
    _, run_of_cell = np.unique(cells // (topics.max(initial=0) + 1), return_inverse=True)
    number = int(run_of_cell.max()) + 1
    order = np.argsort(cell, kind="stable")
    starts = offsets_of(np.bincount(cell))[:-1]
    run_order = np.searchsorted(run_of_cell, np.arange(number))  # cells are sorted by run
    of_cells = [np.add.reduceat(_log_likelihood(odds[order], levels[order], stretch), starts) for stretch in _STRETCHES]
    log_posterior = np.zeros((len(_RUN_GRID), len(_CELL_GRID)))
    for j, cell_deviation in enumerate(_CELL_GRID):
        towards = _kernel(_RUN_SHIFTS, _SHIFTS, cell_deviation)
        of_runs = []
        for one in of_cells:
            most = one.max(axis=1, keepdims=True)
            marginal = np.log(np.maximum(np.exp(one - most) @ towards.T, 1e-300)) + most
            of_runs.append(np.add.reduceat(marginal, run_order))
        for i, run_deviation in enumerate(_RUN_GRID):
            stretch = np.sqrt(1 + ATTENUATION * (run_deviation**2 + cell_deviation**2))
            both = _interpolated(of_runs, stretch)
            most = both.max(axis=1, keepdims=True)
            weights = _kernel(np.zeros(1), _RUN_SHIFTS, run_deviation)[0]
            log_posterior[i, j] = (np.log(np.exp(both - most) @ weights) + most[:, 0]).sum()
    log_run, log_cell = np.log(_RUN_GRID), np.log(_CELL_GRID)
    log_posterior -= 0.5 * ((log_run - np.log(PRIOR_RUN)) / PRIOR_SPREAD)[:, None] ** 2
    log_posterior -= 0.5 * ((log_cell - np.log(PRIOR_CELL)) / PRIOR_SPREAD)[None] ** 2
    weight = np.exp(log_posterior - log_posterior.max())
    weight /= weight.sum()
    mean_run, mean_cell = weight.sum(axis=1) @ log_run, weight.sum(axis=0) @ log_cell
    spread_run = np.sqrt(weight.sum(axis=1) @ (log_run - mean_run) ** 2)
    spread_cell = np.sqrt(weight.sum(axis=0) @ (log_cell - mean_cell) ** 2)
    return VarianceComponents(*(float(x) for x in (np.exp(mean_run), np.exp(mean_cell), spread_run, spread_cell)))


def _interpolated(tables: list[Floats], stretch: float) -> Floats:
    at = int(np.clip(np.searchsorted(_STRETCHES, stretch) - 1, 0, len(_STRETCHES) - 2))
    share = (stretch - _STRETCHES[at]) / (_STRETCHES[at + 1] - _STRETCHES[at])
    return (1 - share) * tables[at] + share * tables[at + 1]


def _log_likelihood(odds: Floats, levels: Ints, stretch: float) -> Floats:
    """Log probability of each row's level at each of the shifts."""
    top, rows = odds.shape[1], np.arange(len(odds))
    reached = np.where((levels > 0)[:, None], sigmoid(stretch * odds[rows, np.maximum(levels - 1, 0)][:, None] + _SHIFTS), 1.0)
    passed = np.where((levels < top)[:, None], sigmoid(stretch * odds[rows, np.minimum(levels, top - 1)][:, None] + _SHIFTS), 0.0)
    return np.log(np.maximum(reached - passed, _TINY))
