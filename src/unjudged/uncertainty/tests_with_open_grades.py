"""Paired t tests where scores are open: unjudged documents could get grades, and scores would follow.

A p-value takes every score for exact. Two ways to be honest about scores that are not: the highest p-value over all
that the differences could be, which needs no belief about the unjudged documents; and a test on differences that
were drawn from a belief, whose variance counts as well (multiple imputation).

Over a box of differences t depends on their sum and the sum of their squares only. What these two can be together is a
polygon (each topic adds an edge), and the least t is on its upper edge.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import special

from unjudged.arrays import Floats
from unjudged.uncertainty.formula_tests import PairedT
from unjudged.uncertainty.paired import in_units
from unjudged.uncertainty.ranks import SAME_MEAN

__all__ = ["ImputedMean", "highest_p", "imputed_mean", "imputed_p", "imputed_ps", "plain_p"]


class ImputedMean(NamedTuple):
    """A mean of differences over topics, of which some were drawn: what it is, and how uncertain. Arrays are of pairs.

    ``topics`` is the variance that other topics would bring, ``draws`` that of the drawn grades; the mean less its
    true value, over the root of both together, has Student's t distribution with so many degrees of ``freedom``.
    """

    mean: Floats
    topics: Floats
    draws: Floats
    freedom: Floats

    def p_below(self, limit: float = 0.0) -> Floats:
        """The p-value of the one-sided test against a true mean of *limit* or more."""
        out: Floats = special.stdtr(self.freedom, (self.mean - limit) / np.sqrt(self.topics + self.draws))
        return out

    def interval(self, level: float) -> tuple[Floats, Floats]:
        """The two-sided confidence interval."""
        half = special.stdtrit(self.freedom, (1 + level) / 2) * np.sqrt(self.topics + self.draws)
        return self.mean - half, self.mean + half


def plain_p(differences: Floats) -> float:
    """The p-value of the paired t test, as ``compare --test t`` has it; 1 where all differences are rounding errors."""
    if np.abs(differences).max() <= SAME_MEAN:
        return 1.0
    largest = np.abs(differences).max(keepdims=True)
    units, _ = in_units(differences[None], largest, len(differences))
    return float(PairedT().compute(units, seed=0, batch=None)[0])


def highest_p(low: Floats, high: Floats) -> float:
    """The highest p-value of the paired t test when each topic's difference is anywhere between *low* and *high*.

    Never too low. It may be a little too high, because one topic may lie between its two ends to reach it.

    >>> round(highest_p(np.array([0.2, 0.3, 0.1, 0.2]), np.array([0.2, 0.3, 0.1, 0.9])), 4)
    0.1354
    >>> highest_p(np.array([0.2, 0.3, -0.8, 0.2]), np.array([0.2, 0.3, 0.1, 0.9]))
    1.0
    """
    if high.mean() < 0:
        low, high = -high, -low
    if low.mean() <= SAME_MEAN or len(low) < 2:
        return 1.0  # the means may be the same, or there is no variance
    if (low == high).all():
        return plain_p(low)
    topics = len(low)
    p = float(2 * special.stdtr(topics - 1, -np.sqrt(_least_t_squared(low, high))))
    # All differences can be the same, for which the test has a rule of its own.
    equal = low.max() <= high.min() + SAME_MEAN
    return max(p, 2.0 ** (1 - topics)) if equal else p


def _least_t_squared(low: Floats, high: Floats) -> float:
    """The least t^2 of differences in a box, whose mean is above 0 everywhere.

    With s the sum of the differences and q the sum of their squares, t^2 = (n - 1) r / (n - r) for r = s^2 / q, so the
    least r is wanted. For a given s, q is highest when each difference is at an end of its range: a topic that goes
    from its low to its high end adds (high - low) to s and (high - low) (high + low) to q. Going through topics by
    falling (high + low) thus leads along the highest q for every s, in straight lines, and r is looked for on these.
    """
    topics = len(low)
    order = np.argsort(-(low + high), kind="stable")
    low, high = low[order], high[order]
    step, slope = high - low, high + low
    s = low.sum() + np.concatenate([[0.0], np.cumsum(step)])
    q = (low**2).sum() + np.concatenate([[0.0], np.cumsum(step * slope)])
    ends = s**2 / q
    # On the line q(x) = q0 + slope (x - s0), the derivative of x^2 / q(x) is 0 at x = 2 (s0 - q0 / slope).
    with np.errstate(divide="ignore", invalid="ignore"):
        x = 2 * (s[:-1] - q[:-1] / slope)
        within = (x > s[:-1]) & (x < s[1:])
        between = np.where(within, x**2 / (q[:-1] + slope * (x - s[:-1])), np.inf)
    r = min(ends.min(), between.min())
    return float((topics - 1) * r / (topics - r)) if r < topics else np.inf


def imputed_p(drawn: Floats) -> float:
    """The p-value of a paired t test on differences (draws, topics), each draw with other grades for the holes."""
    return float(imputed_ps(drawn[None])[0])


def imputed_ps(drawn: Floats) -> Floats:
    """The same for several pairs, shape (pairs, draws, topics).

    Rubin's rules: the variance of the mean is its variance within a draw plus that between draws, of which there are
    at least two. Where draws do not differ it is the plain test.
    """
    topics = drawn.shape[2]
    same = np.ptp(drawn, axis=1).max(axis=1) <= SAME_MEAN
    plain = np.flatnonzero(same if topics > 1 else np.ones(len(drawn), dtype=bool))
    out = np.empty(len(drawn))
    out[plain] = [plain_p(drawn[pair, 0]) for pair in plain.tolist()]
    rest = np.setdiff1d(np.arange(len(drawn)), plain)
    if len(rest):
        mean = imputed_mean(drawn[rest])
        out[rest] = 2 * special.stdtr(mean.freedom, -np.abs(mean.mean) / np.sqrt(mean.topics + mean.draws))
    return out


def imputed_mean(drawn: Floats) -> ImputedMean:
    """Means of differences by Rubin's rules, shape (pairs, draws, topics), with at least two topics and two draws."""
    _, draws, topics = drawn.shape
    means = drawn.mean(axis=2)
    between = (1 + 1 / draws) * means.var(axis=1, ddof=1)
    within = drawn.var(axis=2, ddof=1).mean(axis=1) / topics
    share = np.divide(between, between + within, out=np.zeros(len(drawn)), where=between > 0)
    # Degrees of freedom as Barnard and Rubin (1999) have them for few topics.
    observed = topics / (topics + 2) * (topics - 1) * (1 - share)
    observed = np.where(between > 0, observed, topics - 1)
    with np.errstate(divide="ignore"):
        freedom = 1 / (share**2 / (draws - 1) + 1 / np.maximum(observed, 0.0))
    freedom[observed <= 0] = draws - 1
    return ImputedMean(means.mean(axis=1), within, between, freedom)
