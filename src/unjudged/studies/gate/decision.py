"""Worse, not worse or undecided: a test of non-inferiority over topics and drawn grades together.

*Not worse* is said where the interval of the difference lies above minus the margin, as in trials of non-inferiority
(ICH E9); else *worse* where it lies below 0. Of several measures all have to be not worse, which needs no correction
(an intersection-union test: Berger 1982). One that is worse is enough, so these claims are corrected together (Holm).
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from scipy import special

from unjudged.arrays import Floats, Ints
from unjudged.results.gate import Answer
from unjudged.uncertainty.multiple_comparisons import Holm
from unjudged.uncertainty.ranks import SAME_MEAN
from unjudged.uncertainty.tests_with_open_grades import ImputedMean, imputed_mean

__all__ = [
    "Difference",
    "chance_of_an_answer",
    "corrected",
    "decide",
    "difference_of",
    "first_reached",
    "overall",
]

_PATHS = 400
"""Ways in which the judgments to come could turn out, that are tried: quantiles of what the difference could be."""


class Difference(NamedTuple):
    """A difference of means, candidate less baseline: what it is, and between which ends it lies."""

    mean: float
    low: float
    high: float
    topics: float
    """The variance that other topics would bring; NaN with a single topic."""
    holes: float
    """The variance of what the unjudged documents could be."""
    freedom: float

    def p_below(self, limit: float) -> float:
        """The p-value of a true difference of *limit* or more; 1 where nothing is known about other topics."""
        if self.topics + self.holes <= SAME_MEAN**2:  # the randomisation test's, as in `formula_tests`
            return 0.5 ** (self.freedom + 1) if self.mean < limit - SAME_MEAN else 1.0
        p = float(self._imputed().p_below(limit)[0])
        return 1.0 if np.isnan(p) else p

    def _imputed(self) -> ImputedMean:
        return ImputedMean(*(np.array([one]) for one in (self.mean, self.topics, self.holes, self.freedom)))


def difference_of(drawn: Floats, confidence: float) -> Difference:
    """The difference of *drawn* scores of each topic, shape (draws, topics)."""
    draws, topics = drawn.shape
    if topics < 2:
        return Difference(float(drawn.mean()), np.nan, np.nan, np.nan, float(drawn.mean(axis=1).var()), 1.0)
    if draws == 1 or np.ptp(drawn, axis=0).max() <= SAME_MEAN:  # nothing is drawn, but for rounding errors
        drawn = np.repeat(drawn[:1], 2, axis=0)
    mean = imputed_mean(drawn[None])
    if mean.topics[0] + mean.draws[0] <= SAME_MEAN**2:
        low = high = mean.mean  # the same on all topics
    else:
        low, high = mean.interval(confidence)
    parts = (mean.mean, low, high, mean.topics, mean.draws, mean.freedom)
    return Difference(*(float(one[0]) for one in parts))


def decide(difference: Difference, p: float, *, margin: float, confidence: float) -> Answer:
    """The answer for one measure, with the corrected p-value of its being worse."""
    if difference.low > -margin or (difference.low == difference.high and abs(difference.mean) <= SAME_MEAN):
        return "not worse"
    return "worse" if p < (1 - confidence) / 2 else "undecided"


def corrected(p: Sequence[float]) -> list[float]:
    """P-values of everything that could be called worse, corrected together."""
    adjusted: list[float] = Holm().adjust(np.array(p)).tolist()
    return adjusted


def overall(answers: Sequence[Answer], failed: Sequence[bool]) -> Answer:
    """The answer for all measures, and for segments that may have failed."""
    if "worse" in answers or any(failed):
        return "worse"
    return "undecided" if "undecided" in answers else "not worse"


def chance_of_an_answer(difference: Difference, left: Floats, *, margin: float, confidence: float) -> Floats:
    """How likely there is an answer when of the variance of the holes so much is *left*, for each of these numbers.

    What is expected of the difference wanders as judgments come in, by as much as they narrow it.
    """
    z = np.array([NormalDist().inv_cdf((i + 0.5) / _PATHS) for i in range(_PATHS)])
    half = special.stdtrit(difference.freedom, (1 + confidence) / 2)
    wandered = difference.mean + np.sqrt(np.maximum(difference.holes - left, 0.0))[:, None] * z
    ends = half * np.sqrt(difference.topics + left)[:, None]
    answered = (wandered - ends > -margin) | (wandered + ends < 0)
    share: Floats = answered.mean(axis=1)
    return share


def first_reached(numbers: Ints, chances: Floats, wanted: float) -> int | None:
    """The first of the *numbers* with a chance that is large enough."""
    reached = np.flatnonzero(chances >= wanted)
    return int(numbers[reached[0]]) if len(reached) else None
