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

PRIOR_RUN, PRIOR_CELL = 0.5, 1.2
"""Medians of the prior distributions of both scales ..."""
PRIOR_SPREAD = 0.5
"""... and the standard deviation of their logarithms: a factor of 2.3 either way at 90%."""
_RUN_GRID = np.exp(np.linspace(np.log(0.08), np.log(1.6), 9))
_CELL_GRID = np.exp(np.linspace(np.log(0.4), np.log(2.8), 9))
_SHIFTS = np.arange(-7.0, 7.01, 0.5)
"""Shifts at which likelihoods of cells are computed ..."""
_RUN_SHIFTS = np.arange(-4.0, 4.01, 0.25)
"""... and those of runs."""
_STRETCHES = np.array([1.0, 1.25, 1.6, 2.2])
_TINY = 1e-12
HEAVY = 2.0
"""Variance of Student's t with 4 degrees of freedom."""
import os
GE=float(os.environ.get("GE","1")); TD=int(os.environ.get("TD","4")); SUB=int(os.environ.get("SUB","1"))
if TD==0: HEAVY=1.0


@dataclass(frozen=True)
class VarianceComponents:
    run: float
    cell: float
    run_spread: float = 0.0
    cell_spread: float = 0.0
    covariance: Floats | None = None
    factor: float = 1.0
    z: tuple = ()

    def fit_deviations(self, features):
        x = np.concatenate([np.ones((len(features), 1)), features], axis=1)
        return self.factor*np.sqrt(np.maximum(((x @ self.covariance) * x).sum(axis=1), 0.0))

    def scale(self, more=0.0):
        """How much to stretch log odds so that probabilities averaged over random effects are those of the model."""
        run = HEAVY * self.run**2 * np.exp(2 * self.run_spread**2) * self.factor**2
        cell = self.cell**2 * np.exp(2 * self.cell_spread**2)
        return np.sqrt(1 + ATTENUATION * (run + cell + more))


def estimate_variance_components(
    model: Ordinal, information: Floats, features: Floats, levels: Ints, groups: Ints, runs: Ints, topics: Ints, errors: Floats
) -> VarianceComponents:
    odds, cov = _odds_unseen(model, information, features, levels, groups)
    _, r = np.unique(runs, return_inverse=True)
    n = np.bincount(r)
    x = np.stack([np.bincount(r, one) / n for one in features.T], axis=1)
    x = np.concatenate([np.ones((len(x), 1)), x], axis=1)
    fixed = GE**2*SUB*((x @ cov) * x).sum(axis=1)
    out = VarianceComponents(*_posterior(odds, levels, runs, topics, fixed, _wts(groups, runs)), cov)
    if float(os.environ.get("M", "10")) > 0:
        from dataclasses import replace
        z = _zlin(out, odds, levels, groups, runs, topics, features, errors)
        out = replace(out, factor=_factor(*z, float(os.environ.get("M", "10")), float(os.environ.get("INF", "1"))))
    return out


def _zlin(v, odds, levels, groups, runs, topics, features, errors):
    P = sigmoid(odds); n = len(P)
    PP = np.concatenate([np.ones((n, 1)), P, np.zeros((n, 1))], axis=1)
    pr = PP[:, :-1] - PP[:, 1:]; L = np.arange(pr.shape[1])
    mean = pr @ L; var = pr @ L**2 - mean**2; s = (P * (1 - P)).sum(axis=1)
    ru, r = np.unique(runs, return_inverse=True); g = np.zeros(len(ru), dtype=int); g[r] = groups
    cu, c = np.unique(r * (topics.max() + 1) + topics, return_inverse=True); rc = cu // (topics.max() + 1)
    srun = HEAVY * v.run**2 * np.exp(2 * v.run_spread**2); scell = v.cell**2 * np.exp(2 * v.cell_spread**2)
    S1 = np.bincount(r, s)
    xb = np.stack([np.bincount(r, s * q) / S1 for q in features.T], axis=1)
    fit = v.fit_deviations(xb) ** 2 + np.bincount(r, s * errors) ** 2 / S1**2
    k2 = 1 + ATTENUATION * (srun + scell + fit[r])
    S = np.bincount(r, s / np.sqrt(k2)); Sc = np.bincount(c, s / np.sqrt(k2))
    own = np.maximum(var - s**2 / k2 * (srun + scell + fit[r]), 0.25 * var)
    noise = np.bincount(r, own) + np.bincount(rc, Sc**2) * scell
    return np.bincount(r, levels - mean), noise, S**2 * (srun + fit), g


def _factor(err, noise, shared, g, m, inf, level=0.9, q=1.645):
    cr = np.sqrt(np.maximum(err**2 / q**2 - noise, 0) / shared)
    _, gi, nn = np.unique(g, return_inverse=True, return_counts=True); w = 1 / nn[gi]
    rho = np.average(shared / (shared + noise), weights=w)
    grid = np.sort(np.concatenate([cr, np.linspace(0.5, 8, 500)]))
    o = np.argsort(cr); cw = np.concatenate([[0], np.cumsum(w[o])])
    virt = 2 * _normal_cdf(q * np.sqrt(1 - rho + grid**2 * rho)) - 1
    val = cw[np.searchsorted(cr[o], grid, side="right")] + m * virt
    ok = val >= level * (w.sum() + m + inf) - 1e-9
    return max(1.0, float(grid[ok][0]) if ok.any() else 8.0)


def _odds_unseen(model: Ordinal, information: Floats, features: Floats, levels: Ints, groups: Ints):
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
    K = len(seen)
    off = moved[:, free] - moved[:, free].mean(axis=0)
    V = (K - 1) / K * off.T @ off
    whole = np.zeros((len(information), len(information)))
    whole[np.ix_(free, free)] = V
    mid = int(np.argmin(abs(model.thresholds)))
    keep = np.array([mid, *range(top, len(information))])
    return thresholds + (features * moved[group, top:]).sum(axis=1, keepdims=True), whole[np.ix_(keep, keep)]


def _kernel(at: Floats, to: Floats, deviation, cdf) -> Floats:
    """Shares of a distribution about each of *at* that are nearest to each of *to*."""
    edges = (to[1:] + to[:-1]) / 2
    below = cdf((edges - at[:, None]) / deviation)
    padded = np.concatenate([np.zeros((len(below), 1)), below, np.ones((len(below), 1))], axis=1)
    return np.diff(padded, axis=1)


def _normal_cdf(x: Floats) -> Floats:
    from math import erf

    return 0.5 * (1.0 + np.vectorize(erf)(x / np.sqrt(2.0)))


def _t4_cdf(x: Floats) -> Floats:
    if TD==0: return _normal_cdf(x)
    w = x / np.sqrt(4.0 + x**2)
    return 0.5 + 0.75 * (w - w**3 / 3.0)


def _wts(groups, runs):
    P = float(os.environ.get("WP", "1"))
    u, first = np.unique(runs, return_index=True)
    _, g, n = np.unique(groups[first], return_inverse=True, return_counts=True)
    return 1.0 / n[g] ** P


def _posterior(odds: Floats, levels: Ints, runs: Ints, topics: Ints, fixed, wts=1.0):
    cells, cell = np.unique(runs * (topics.max(initial=0) + 1) + topics, return_inverse=True)
    _, run_of_cell = np.unique(cells // (topics.max(initial=0) + 1), return_inverse=True)
    number = int(run_of_cell.max()) + 1
    order = np.argsort(cell, kind="stable")
    starts = offsets_of(np.bincount(cell))[:-1]
    run_order = np.searchsorted(run_of_cell, np.arange(number))  # cells are sorted by run
    of_cells = [np.add.reduceat(_log_likelihood(odds[order], levels[order], stretch), starts) for stretch in _STRETCHES]
    log_posterior = np.zeros((len(_RUN_GRID), len(_CELL_GRID)))
    kernels = [_kernel(np.zeros((1)), _RUN_SHIFTS, np.sqrt(run**2 + fixed)[:, None], _t4_cdf) for run in _RUN_GRID]
    for j, cell_deviation in enumerate(_CELL_GRID):
        towards = _kernel(_RUN_SHIFTS, _SHIFTS, cell_deviation, _normal_cdf)
        stretches = np.sqrt(1 + ATTENUATION * (HEAVY * _RUN_GRID**2 + cell_deviation**2))
        needed = np.zeros(len(_STRETCHES), dtype=bool)
        at = np.clip(np.searchsorted(_STRETCHES, stretches) - 1, 0, len(_STRETCHES) - 2)
        needed[at] = needed[at + 1] = True
        of_runs = []
        for one, need in zip(of_cells, needed):
            if not need:
                of_runs.append(None)
                continue
            most = one.max(axis=1, keepdims=True)
            marginal = np.log(np.maximum(np.exp(one - most) @ towards.T, 1e-300)) + most
            of_runs.append(np.add.reduceat(marginal, run_order))
        for i, stretch in enumerate(stretches):
            a = at[i]
            share = min(1.0, (stretch - _STRETCHES[a]) / (_STRETCHES[a + 1] - _STRETCHES[a]))
            both = (1 - share) * of_runs[a] + share * of_runs[a + 1]
            most = both.max(axis=1, keepdims=True)
            log_posterior[i, j] = (np.log(np.maximum((np.exp(both - most) * kernels[i]).sum(axis=1), 1e-300)) + most[:, 0]) @ (wts * np.ones(number))
    log_run, log_cell = np.log(_RUN_GRID), np.log(_CELL_GRID)
    log_posterior -= 0.5 * ((log_run - np.log(PRIOR_RUN)) / PRIOR_SPREAD)[:, None] ** 2
    log_posterior -= 0.5 * ((log_cell - np.log(PRIOR_CELL)) / PRIOR_SPREAD)[None] ** 2
    weight = np.exp(log_posterior - log_posterior.max())
    weight /= weight.sum()
    mean_run, mean_cell = weight.sum(axis=1) @ log_run, weight.sum(axis=0) @ log_cell
    spread_run = np.sqrt(weight.sum(axis=1) @ (log_run - mean_run) ** 2)
    spread_cell = np.sqrt(weight.sum(axis=0) @ (log_cell - mean_cell) ** 2)
    return [float(x) for x in (np.exp(mean_run), np.exp(mean_cell), spread_run, spread_cell)]


def _log_likelihood(odds: Floats, levels: Ints, stretch: float) -> Floats:
    """Log probability of each row's level at each of the shifts."""
    top, rows = odds.shape[1], np.arange(len(odds))
    reached = np.where((levels > 0)[:, None], sigmoid(stretch * odds[rows, np.maximum(levels - 1, 0)][:, None] + _SHIFTS), 1.0)
    passed = np.where((levels < top)[:, None], sigmoid(stretch * odds[rows, np.minimum(levels, top - 1)][:, None] + _SHIFTS), 0.0)
    return np.log(np.maximum(reached - passed, _TINY))
