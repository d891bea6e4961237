"""Paired tests that look at other data that could have been seen: randomisation, bootstrap, randomised Tukey HSD.

Where p-values are drawn they are (1 + draws at least as extreme) / (1 + draws): what was seen is itself one of the
possible outcomes. So no p-value is 0, and the test is not too bold.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.progress import Progress, watched
from unjudged.results.provenance import DEFAULT_SEED
from unjudged.spec import Choice, Whole, param
from unjudged.uncertainty.base import SignificanceTest
from unjudged.uncertainty.draws import batches, run_orders, signs, topic_counts
from unjudged.uncertainty.formula_tests import without_variance
from unjudged.uncertainty.paired import as_scores, in_units

__all__ = ["BootstrapTest", "Randomisation", "TukeyHSD"]


EXACT_TOPICS = 16
"""Non-zero differences up to which all 2^16 sign patterns are counted instead of drawn."""
_ROUNDING = 1e-11


class Randomisation(SignificanceTest):
    """Swaps the two runs on random topics, and counts how often the mean difference is as large as the one seen.

    If the runs were equally good, any swap would be as likely as what was seen; nothing else is assumed. With up to 16
    topics that show a difference all swaps are counted and the p-value is exact. Draws are shared by all pairs.
    """

    name = "randomisation"
    aliases = ("permutation", "randomization")
    title = "Randomisation test of the mean difference"
    reference = (
        "M. D. Smucker, J. Allan and B. Carterette. A comparison of statistical significance tests for information"
        " retrieval evaluation. CIKM 2007."
    )

    draws: int = param(10_000, Whole(1), "number of draws")
    method: str = param("auto", Choice(("auto", "draws")), "exact where that is possible (auto), or always draws")

    def smallest(self, topics: int) -> float:
        """All topics with the same sign, or one draw where patterns are drawn."""
        exact = self.method == "auto" and topics <= EXACT_TOPICS
        return 2.0 ** (1 - topics) if exact else 1 / (1 + self.draws)

    def compute(self, differences: Floats, *, seed: int, batch: int | None) -> Floats:
        """Share of sign patterns with a sum at least as far from 0."""
        p = np.ones(len(differences))
        counts = (differences != 0).sum(axis=1)
        exact = (counts > 0) & (counts <= (EXACT_TOPICS if self.method == "auto" else 0))
        for number in np.unique(counts[exact]).tolist():
            rows = np.flatnonzero(exact & (counts == number))
            some = differences[rows]
            p[rows] = _exact_share(some[some != 0].reshape(len(rows), number), batch)
        drawn = (counts > 0) & ~exact
        if drawn.any():
            p[drawn] = self._drawn_share(differences[drawn], seed, batch)
        return p

    def _drawn_share(self, differences: Floats, seed: int, batch: int | None) -> Floats:
        rows, topics = differences.shape
        seen = np.abs(differences.sum(axis=1))
        extreme = np.zeros(rows, dtype=np.int64)
        for start, stop in batches(self.draws, max(rows, topics), batch):
            extreme += _as_extreme(differences, signs(seed, start, stop, topics), seen)
        return np.asarray((1 + extreme) / (1 + self.draws))


def _as_extreme(differences: Floats, flips: Floats, seen: Floats) -> Ints:
    """How many rows of *flips* (patterns, topics) bring each row of differences as far from 0 as was seen.

    Each difference is rounded to a unit, so sums that should be equal are within one unit for each topic.
    """
    sums = differences @ flips.T
    np.abs(sums, out=sums)
    return np.asarray(np.count_nonzero(sums >= seen[:, None] - differences.shape[1], axis=1))


def _exact_share(differences: Floats, batch: int | None) -> Floats:
    rows, number = differences.shape
    # The last sign stays +1: a pattern and its mirror image are equally far from 0.
    patterns = 2 ** (number - 1)
    place = np.arange(number, dtype=np.int64)
    seen = np.abs(differences.sum(axis=1))
    extreme = np.zeros(rows, dtype=np.int64)
    for start, stop in batches(patterns, max(rows, number), batch):
        flips = np.where((np.arange(start, stop)[:, None] >> place) & 1, -1.0, 1.0)
        extreme += _as_extreme(differences, flips, seen)
    return np.asarray(extreme / patterns)


class BootstrapTest(SignificanceTest):
    """Draws topics with replacement from differences shifted to mean 0, and counts how often t is as large as seen.

    A draw without variance counts as extreme. Where all differences are equal and not zero, the p-value is that of the
    exact randomisation test, 2^(1 - topics). Draws are shared by all pairs.
    """

    name = "bootstrap"
    title = "Bootstrap test of the mean difference (shift method, studentised)"
    reference = "T. Sakai. Evaluating evaluation metrics based on the bootstrap. SIGIR 2006."

    draws: int = param(10_000, Whole(1), "number of draws")

    def smallest(self, topics: int) -> float:
        """One draw, or the p-value of equal differences."""
        return min(2.0 ** (1 - topics), 1 / (1 + self.draws))

    def compute(self, differences: Floats, *, seed: int, batch: int | None) -> Floats:
        """Achieved significance level, with what was seen counted as a draw."""
        flat, p = without_variance(differences)
        if not flat.all():
            p[~flat] = self._level(differences[~flat], seed, batch)
        return p

    def _level(self, differences: Floats, seed: int, batch: int | None) -> Floats:
        rows, topics = differences.shape
        mean = differences.mean(axis=1)
        shifted = differences - mean[:, None]
        largest = np.abs(shifted).max(axis=1)
        shifted /= largest[:, None]
        mean /= largest
        variance = (shifted**2).mean(axis=1)
        ones = np.ones(rows)
        whole, unit = in_units(shifted, ones, topics)
        whole_squares, _ = in_units(shifted**2, ones, topics)
        extreme = np.zeros(rows, dtype=np.int64)
        for start, stop in batches(self.draws, max(rows, topics), batch):
            counts = topic_counts(seed, start, stop, topics).T
            squares = (whole_squares @ counts) * (unit / topics)[:, None]
            means = (whole @ counts) * (unit / topics)[:, None]
            np.square(means, out=means)
            squares -= means
            squares[squares < _ROUNDING] = 0.0
            # |t*| >= |t| without dividing, so that a draw without variance needs no rule of its own.
            means *= variance[:, None]
            squares *= (mean**2 * (1 - _ROUNDING))[:, None]
            extreme += np.count_nonzero(means >= squares, axis=1)
        return np.asarray((1 + extreme) / (1 + self.draws))


class TukeyHSD(SignificanceTest):
    """Shuffles the runs within each topic, and counts how often best and worst mean are as far apart as the pair seen.

    The question is whether *any* of the runs differ, so the p-values of all pairs hold together and need no
    correction. They depend on which runs are given.
    """

    name = "tukey_hsd"
    aliases = ("tukey", "hsd")
    title = "Randomised Tukey HSD test, all runs together"
    reference = (
        "B. Carterette. Multiple testing in statistical analysis of systems-based information retrieval experiments."
        " ACM TOIS 30(1), 2012."
    )
    corrects = True

    draws: int = param(10_000, Whole(1), "number of draws")

    def smallest(self, topics: int) -> float:
        """One draw."""
        return 1 / (1 + self.draws)

    def p_values(
        self,
        scores: Any,
        pairs: Ints,
        *,
        seed: int = DEFAULT_SEED,
        batch: int | None = None,
        progress: Progress | None = None,
    ) -> Floats:
        """Share of shuffles with a range of means at least as large as the difference of each pair."""
        scores = as_scores(scores)
        runs, topics = scores.shape
        largest = np.full(topics, np.abs(scores).max())
        whole = in_units(scores.T, largest, topics)[0]  # (topics, runs)
        ranges = np.empty(self.draws)
        parts = list(batches(self.draws, topics * runs, batch))
        for start, stop in watched(progress, parts, len(parts), "testing pairs"):
            orders = run_orders(seed, start, stop, topics, runs)
            sums = np.take_along_axis(whole[None], orders, axis=2).sum(axis=1)
            ranges[start:stop] = np.ptp(sums, axis=1)
        totals = whole.sum(axis=0)
        # As above, with two scores rounded for each topic.
        seen = np.abs(totals[pairs[:, 0]] - totals[pairs[:, 1]]) - 2 * topics
        extreme = self.draws - np.searchsorted(np.sort(ranges), seen, side="left")
        return np.asarray((1 + extreme) / (1 + self.draws))
