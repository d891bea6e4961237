"""Intervals that hold: how wide they have to be, from groups that were left out and whose scores are known.

A model's draws say what chance would do if the model were right. Each group that can be left out says how wrong it is
here: how many standard deviations of its draws the mean of a run was off. These errors are Student's t with 4 degrees
of freedom, as those of runs are in the model itself, with a scale that is learned: its posterior distribution follows
from the errors, groups counting alike however many runs they have. Where groups are few, the scale is uncertain, and
that makes draws wider.

What could be the mean of *all* runs is moved from its centre so that it has that distribution (:func:`widened`): each
draw by its own factor, the same for all runs and topics. So intervals of means, differences, ranks and P(A>B) follow
from one joint distribution. Scores of one topic have few possible values, so that no factor helps: their intervals hold
a larger share of the draws instead.

A quantile of the errors in place of the scale (cross-conformal prediction over groups) is right for intervals of one
level only: with it, P(A>B) was too near to 1/2 (experiments/results/intervals.md).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from unjudged.arrays import Flags, Floats, Ints
from unjudged.kernels.splitmix import GOLDEN, mixed

__all__ = ["LEVELS", "Calibration", "Misses", "calibrate", "enough_groups", "error_scale", "widened"]


LEVELS = (0.8, 0.85, 0.9, 0.92, 0.94, 0.96, 0.98, 0.99, 1.0)
"""Shares of the draws that the interval of a topic's score may have to hold."""
PRIOR_SCALE = 1.25
"""Median of the scale's prior distribution: models are a little too sure of themselves ..."""
PRIOR_SPREAD = 0.5
"""... and the standard deviation of its logarithm: a factor of 2.3 either way at 90%."""
FREEDOM = 4.0
"""Degrees of freedom of the errors."""
_SCALES = np.exp(np.linspace(np.log(0.2), np.log(12.0), 80))
_ROUNDING = 1e-9
_NEWTON_STEPS = 20
_LARGEST_ERROR = 1e3
"""In standard deviations: keeps errors finite of runs whose draws were all the same."""


@dataclass(frozen=True, eq=False)
class Misses:
    """How far estimates of left-out runs were off; runs without anything to estimate are not among them."""

    groups: Ints
    """The group of each run."""
    draws: Floats
    """Of the mean of each run: shape (runs, draws)."""
    truths: Floats
    levels: Floats
    """Shares of the draws that topics' intervals should hold, those asked for and larger ones."""
    held: Floats
    """Share of each run's topics whose interval holds the truth with each of these shares: (runs, levels)."""

    @property
    def errors(self) -> Floats:
        """How far means are off, in standard deviations of their draws."""
        off, spread = np.abs(self.truths - self.draws.mean(axis=1)), self.draws.std(axis=1)
        off[off <= _ROUNDING] = 0.0
        out: Floats = off / np.maximum(spread, off / _LARGEST_ERROR + _ROUNDING)
        return out

    def hold(self, intervals: Floats) -> Flags:
        """Whether the means' intervals, shape (runs, 2), hold the truth."""
        low, high = intervals.T
        held: Flags = (low <= self.truths + _ROUNDING) & (self.truths <= high + _ROUNDING)
        return held


@dataclass(frozen=True)
class Calibration:
    """What left-out groups say about intervals of one measure."""

    level: float
    """What intervals promise."""
    groups: int
    scale: float
    """Of the errors, in standard deviations of the draws."""
    wider: float
    """How many times as wide intervals of means become."""
    of_topics: float
    """Share of the draws that intervals of topics' scores hold."""
    held: float
    """Share of the means of left-out groups that the intervals hold, each calibrated on the other groups."""
    held_before: float
    """The same of intervals as the model has them."""

    @property
    def is_known(self) -> bool:
        """Whether there are enough groups to see whether intervals hold."""
        return self.groups >= enough_groups(self.level)


def enough_groups(level: float) -> int:
    """As many as it takes for one of them, or the one to come, to be outside of intervals that hold what they promise.

    With fewer there is no interval that holds with this probability whatever errors are like (conformal prediction).
    """
    return math.ceil(round(level / (1.0 - level), 9))


def calibrate(misses: Misses, intervals: Callable[[Floats], Floats], level: float) -> Calibration:
    """How wide *intervals* of draws, made to hold with probability *level*, have to be to do so."""
    weights, names = _spread(misses.groups), np.unique(misses.groups)
    errors, scale = misses.errors, error_scale(misses.errors, misses.groups)
    widest = misses.draws.copy()
    for group in names.tolist():
        mine = misses.groups == group
        widest[mine] = widened(misses.draws[mine], error_scale(errors[~mine], misses.groups[~mine]))
    before = intervals(misses.draws)
    widths, wider = (np.diff(one, axis=1).sum() for one in (before, intervals(widened(misses.draws, scale))))
    shares = _average(misses.held, weights)
    enough = np.flatnonzero(shares >= level - _ROUNDING)
    return Calibration(
        level,
        len(names),
        scale,
        float(wider / widths) if widths > 0 else 1.0,
        float(misses.levels[enough[0] if len(enough) else -1]),
        float(_average(misses.hold(intervals(widest))[:, None], weights)[0]),
        float(_average(misses.hold(before)[:, None], weights)[0]),
    )


def error_scale(errors: Floats, groups: Ints) -> float:
    """The scale of the errors of runs of these groups: the root of the mean square of its posterior distribution.

    Every group has weight 1, spread over its runs.
    """
    log_likelihood = -np.log(_SCALES) - (FREEDOM + 1) / 2 * np.log1p((errors[:, None] / _SCALES) ** 2 / FREEDOM)
    log_posterior = (_spread(groups)[:, None] * log_likelihood).sum(axis=0)
    log_posterior -= 0.5 * (np.log(_SCALES / PRIOR_SCALE) / PRIOR_SPREAD) ** 2
    posterior = np.exp(log_posterior - log_posterior.max())
    return float(np.sqrt((posterior * _SCALES**2).sum() / posterior.sum()))


def widened(draws: Floats, scale: float | None) -> Floats:
    """Draws, shape (rankings, draws), as far from their centres as errors of this *scale* are; None: as they are."""
    if scale is None:
        return draws
    centre = draws.mean(axis=1, keepdims=True)
    moved = scale * _tails(draws.shape[1]) * (draws - centre)
    out: Floats = centre + (moved - moved.mean(axis=1, keepdims=True))
    return out


@cache
def _tails(draws: int) -> Floats:
    """How much further from the centre draws of Student's t are than normal ones, in no order.

    Roots of 4 / chi-square, at as many quantiles of its distribution as there are draws: so little of what they do is
    left to chance.
    """
    order = np.argsort(mixed(np.arange(1, draws + 1, dtype=np.uint64) * GOLDEN), kind="stable")
    chi_square = _chi_square_4_quantiles((order + 0.5) / draws)
    tails: Floats = np.sqrt(FREEDOM / chi_square)
    tails.flags.writeable = False
    return tails


def _chi_square_4_quantiles(p: Floats) -> Floats:
    """Quantiles of the chi-square distribution with 4 degrees of freedom: twice the x at which 1 - (1 + x) exp(-x) = p.

    By Newton steps on the logarithm of what is left, which is concave; loading SciPy takes longer than evidence does.
    """
    left = np.log1p(-p)
    x = np.sqrt(-2.0 * left) - left  # too far at all p, so that steps come from one side
    for _ in range(_NEWTON_STEPS):
        x += (np.log1p(x) - x - left) * (1.0 + x) / x
    return 2.0 * x


def _spread(groups: Ints) -> Floats:
    """The weight of each run: 1 for each group."""
    _, group, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    weights: Floats = 1.0 / sizes[group]
    return weights


def _average(values: Floats | Flags, weights: Floats) -> Floats:
    total = float(weights.sum())
    average: Floats = (values * weights[:, None]).sum(axis=0) / total if total else np.ones(values.shape[1])
    return average
