"""Paired tests with a formula: Student's t, Wilcoxon's signed ranks, signs."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy import special

from unjudged.arrays import Flags, Floats, Ints
from unjudged.uncertainty.base import SignificanceTest
from unjudged.uncertainty.ranks import tied_ranks

__all__ = ["PairedT", "SignTest", "Wilcoxon", "without_variance"]


EXACT_RANKS = 50
"""Non-zero differences up to which Wilcoxon's distribution is counted exactly (counts stay below 2^53)."""


def without_variance(differences: Floats) -> tuple[Flags, Floats]:
    """Rows in which all differences are equal, and the p-values of such rows for tests that divide by a variance.

    Without a difference p = 1. With the same difference on all n topics a t statistic is infinite and its p-value
    would be 0, which no n topics can justify; we give 2^(1 - n), the exact randomisation test's.
    """
    topics = differences.shape[1]
    p = np.where(differences[:, 0] == 0, 1.0, 2.0 ** (1 - topics))
    return np.ptp(differences, axis=1) == 0, p


class PairedT(SignificanceTest):
    """Student's t test on the differences.

    Takes means of differences as normal, which is good from about 30 topics on. Where all differences are equal and
    not zero, t is infinite; the p-value is then that of the exact randomisation test, 2^(1 - topics).
    """

    name = "t"
    aliases = ("t-test", "student")
    title = "Paired t test"
    reference = "Student. The probable error of a mean. Biometrika 6(1), 1908."

    def compute(self, differences: Floats, *, seed: int, batch: int | None) -> Floats:
        """Twice the tail of Student's t."""
        flat, p = without_variance(differences)
        some = differences[~flat]
        if len(some):
            topics = some.shape[1]
            t = some.mean(axis=1) / (some.std(axis=1, ddof=1) / np.sqrt(topics))
            p[~flat] = 2 * special.stdtr(topics - 1, -np.abs(t))
        return p


class SignTest(SignificanceTest):
    """Counts the topics on which each run is better; topics without a difference are left out.

    Uses the least information, and needs no assumption about the size of differences. The p-value is exact.
    """

    name = "sign"
    title = "Sign test"
    reference = "W. J. Dixon and A. M. Mood. The statistical sign test. JASA 41(236), 1946."

    def smallest(self, topics: int) -> float:
        """All topics with the same sign."""
        return 2.0 ** (1 - topics)

    def compute(self, differences: Floats, *, seed: int, batch: int | None) -> Floats:
        """Twice the tail of the binomial distribution."""
        better, worse = (differences > 0).sum(axis=1), (differences < 0).sum(axis=1)
        tail = special.bdtr(np.minimum(better, worse).astype(float), better + worse, 0.5)
        return np.asarray(np.minimum(1.0, 2 * tail))


class Wilcoxon(SignificanceTest):
    """Wilcoxon's signed rank test: topics without a difference are left out, ties have their middle rank.

    With up to 50 differences the distribution is counted exactly, ties included; above, it is the normal
    approximation, corrected for ties, without a correction for continuity.
    """

    name = "wilcoxon"
    title = "Wilcoxon signed rank test"
    reference = "F. Wilcoxon. Individual comparisons by ranking methods. Biometrics Bulletin 1(6), 1945."

    def smallest(self, topics: int) -> float:
        """All topics with the same sign."""
        return 2.0 ** (1 - topics)

    def compute(self, differences: Floats, *, seed: int, batch: int | None) -> Floats:
        """Twice the tail of the smaller sum of ranks."""
        return np.array([_signed_ranks(row[row != 0]) for row in differences])


def _signed_ranks(differences: Floats) -> float:
    number = len(differences)
    if not number:
        return 1.0
    first, last = tied_ranks(np.abs(differences))
    doubled = first + last  # twice the middle rank is a whole number
    total = int(doubled.sum())
    smaller = min(int(doubled[differences > 0].sum()), int(doubled[differences < 0].sum()))
    if number <= EXACT_RANKS:
        ways = _subset_sums(doubled) if (first < last).any() else _untied_sums(number)
        return min(1.0, float(2 * ways[: smaller + 1].sum() / 2.0**number))
    deviation = np.sqrt((doubled.astype(float) ** 2).sum())
    return float(2 * special.ndtr((2 * smaller - total) / deviation))


@lru_cache(EXACT_RANKS)
def _untied_sums(number: int) -> Floats:
    """The sums of the ranks 1 to *number*, doubled: the same for all pairs without ties."""
    return _subset_sums(2 * np.arange(1, number + 1))


def _subset_sums(ranks: Ints) -> Floats:
    """How many subsets of the ranks have each sum."""
    ways = np.zeros(int(ranks.sum()) + 1)
    ways[0] = 1
    reach = 0
    for rank in ranks.tolist():
        # The right side is a new array before the left side changes.
        ways[rank : rank + reach + 1] += ways[: reach + 1].copy()
        reach += rank
    return ways
