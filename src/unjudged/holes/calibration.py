"""Intervals that hold: how wide they have to be, from groups that were left out and whose scores are known.

A model's interval says what chance would do if the model were right. Each group that can be left out says how wrong it
is here. Groups, not runs, are exchangeable with a group to come, so each has weight 1, spread over its runs; and one
group more, at infinity, is the one to come (cross-conformal prediction over groups).

One factor widens what could be the mean of *all* runs about its centre (:func:`widened`), so that intervals of means,
differences, ranks and P(A>B) follow from one joint distribution. Scores of one topic have few possible values, so that
no factor helps: their intervals hold a larger share of the draws instead.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unjudged.arrays import Flags, Floats, Ints

__all__ = ["LEVELS", "Calibration", "Misses", "calibrate", "conformal_factor", "widened"]


LEVELS = (0.8, 0.85, 0.9, 0.92, 0.94, 0.96, 0.98, 0.99, 1.0)
"""Shares of the draws that the interval of a topic's score may have to hold."""
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Misses:
    """How far estimates of left-out runs were off; runs without anything to estimate are not among them."""

    groups: Ints
    """The group of each run."""
    errors: Floats
    """Errors of means, in half-widths of their intervals on the side of the truth."""
    levels: Floats
    """Shares of the draws that topics' intervals should hold, those asked for and larger ones."""
    held: Floats
    """Share of each run's topics whose interval holds the truth with each of these shares: (runs, levels)."""


@dataclass(frozen=True)
class Calibration:
    """What left-out groups say about intervals of one measure."""

    level: float
    """What intervals promise."""
    groups: int
    factor: float | None
    """How much wider intervals of means have to be; None where groups are too few to know."""
    largest: float
    """The same for the largest error that was seen."""
    of_topics: float
    """Share of the draws that intervals of topics' scores hold."""
    held: float
    """Share of the means of left-out groups that the intervals hold, each calibrated on the other groups."""
    held_before: float
    """The same of intervals as the model has them."""

    @property
    def known_factor(self) -> float:
        """The factor, and where groups are too few that for the largest error."""
        return self.largest if self.factor is None else self.factor


def calibrate(misses: Misses, level: float) -> Calibration:
    """How much wider intervals have to be in order to hold with probability *level*."""
    weights = _spread(misses.groups)
    factor = conformal_factor(misses.errors, misses.groups, level)
    largest = max(1.0, float(misses.errors.max(initial=0.0)))
    holds = np.zeros(len(misses.errors), dtype=bool)
    for group in np.unique(misses.groups).tolist():
        mine = misses.groups == group
        of_others = conformal_factor(misses.errors[~mine], misses.groups[~mine], level)
        if of_others is None:
            of_others = max(1.0, float(misses.errors[~mine].max(initial=0.0)))
        holds[mine] = misses.errors[mine] <= of_others + _ROUNDING
    shares = _average(misses.held, weights)
    enough = np.flatnonzero(shares >= level - _ROUNDING)
    return Calibration(
        level,
        len(np.unique(misses.groups)),
        factor,
        largest,
        float(misses.levels[enough[0] if len(enough) else -1]),
        float(_average(holds[:, None], weights)[0]),
        float(_average((misses.errors <= 1.0 + _ROUNDING)[:, None], weights)[0]),
    )


def conformal_factor(errors: Floats, groups: Ints, level: float) -> float | None:
    """The smallest factor, at least 1, within which a share *level* of the groups is, with one more at infinity.

    None where that takes the one at infinity: there are too few groups.
    """
    weights = _spread(groups)
    order = np.argsort(errors, kind="stable")
    reached = np.cumsum(weights[order]) >= level * (weights.sum() + 1.0) - _ROUNDING
    first = np.flatnonzero(reached)
    if not len(first) or not np.isfinite(errors[order[first[0]]]):
        return None
    return max(1.0, float(errors[order[first[0]]]))


def widened(draws: Floats, factor: float) -> Floats:
    """Draws, shape (rankings, draws), as far from their centres as they have to be."""
    if factor == 1.0:
        return draws
    centre = draws.mean(axis=1, keepdims=True)
    moved: Floats = centre + factor * (draws - centre)
    return moved


def _spread(groups: Ints) -> Floats:
    """The weight of each run: 1 for each group."""
    _, group, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    weights: Floats = 1.0 / sizes[group]
    return weights


def _average(values: Floats | Flags, weights: Floats) -> Floats:
    total = float(weights.sum())
    average: Floats = (values * weights[:, None]).sum(axis=0) / total if total else np.ones(values.shape[1])
    return average
