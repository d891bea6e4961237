"""Intervals of means over images of the corpus, and whether they say of two runs what a test over topics says.

J. Zobel and L. Rashidi (CIKM 2020) end with an observation: "pairs of systems whose scores lie outside each other's
confidence bounds are consistently found to be significantly different by a t-test". If that held, a paper that prints
scores with such bounds would let its readers see what is significant. Here it can be tried.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from unjudged.arrays import Flags, Floats, Ints
from unjudged.results.comparison import LEVEL, SIGNIFICANT
from unjudged.uncertainty.paired import all_pairs, blocks_of_pairs
from unjudged.uncertainty.ranks import SAME_MEAN, share_greater

__all__ = ["MeansOnImages", "PairsOnImages", "Rule", "RuleAgainstTest", "compare_rules", "means_on_images"]

Rule = Literal["outside", "disjoint", "difference", "scaled"]
"""When two runs are taken for different. ``outside``: the mean of each is outside of the other's interval.
``disjoint``: their intervals have nothing in common. ``difference``: the interval of their difference, image by image,
does not hold 0; that takes the runs, the others only what papers print. ``scaled``: as outside, with intervals as many
times as wide as makes enough of the pairs significant."""


@dataclass(frozen=True, eq=False)
class MeansOnImages:
    """Each run's mean over topics on images: its mean over these, its deviation, and the ends of an interval."""

    mean: Floats
    sd: Floats
    low: Floats
    high: Floats
    pairs: PairsOnImages


@dataclass(frozen=True, eq=False)
class PairsOnImages:
    """Every two runs, first less second."""

    pairs: Ints
    sd: Floats
    """Standard deviation over images of the difference."""
    low: Floats
    high: Floats
    p_greater: Floats
    """Share of the images on which the first is better."""
    gap: Floats
    """How far the means are apart, in units of the interval's half between them, the longer one: above 1, each mean is
    outside of the other's interval. Infinite where there is a difference and neither interval has a width there."""
    disjoint: Flags


class RuleAgainstTest(NamedTuple):
    """How many pairs a rule takes for different (``apart``), how many a test, and how many both.

    Intervals are made ``factor`` times as wide. ``corrected`` and ``both_corrected`` count by the corrected p-value.
    """

    rule: Rule
    factor: float
    apart: int
    significant: int
    both: int
    corrected: int
    both_corrected: int


def means_on_images(means: Floats, *, level: float = LEVEL) -> MeansOnImages:
    """From the means over topics of each run on each image (runs, images).

    Images on which the mean of some run is undefined are left out.
    """
    means = means[:, ~np.isnan(means).any(axis=0)]
    if means.shape[1] < 2:
        means = np.full((len(means), 2), np.nan)  # nothing is known
    tails = ((1 - level) / 2, (1 + level) / 2)
    low, high = np.quantile(means, tails, axis=1)
    mean = means.mean(axis=1)
    pairs = all_pairs(len(means))
    parts = [_compared(means, block, tails) for block in blocks_of_pairs(means, pairs)]
    sd, of_low, of_high, greater = (np.concatenate(column) for column in zip(*parts, strict=True))
    upper = np.where(mean[pairs[:, 0]] >= mean[pairs[:, 1]], pairs[:, 0], pairs[:, 1])
    lower = pairs.sum(axis=1) - upper
    return MeansOnImages(
        mean=mean,
        sd=means.std(axis=1, ddof=1),
        low=low,
        high=high,
        pairs=PairsOnImages(
            pairs=pairs,
            sd=sd,
            low=of_low,
            high=of_high,
            p_greater=greater,
            gap=_gap(mean[upper] - mean[lower], np.maximum(mean[upper] - low[upper], high[lower] - mean[lower])),
            disjoint=low[upper] > high[lower] + SAME_MEAN,
        ),
    )


def _compared(means: Floats, pairs: Ints, tails: tuple[float, float]) -> tuple[Floats, Floats, Floats, Floats]:
    differences = means[pairs[:, 0]] - means[pairs[:, 1]]
    low, high = np.quantile(differences, tails, axis=1)
    return differences.std(axis=1, ddof=1), low, high, share_greater(differences)


def _gap(distance: Floats, half: Floats) -> Floats:
    apart = distance > SAME_MEAN
    with np.errstate(divide="ignore"):
        gap = np.divide(distance, half, out=np.zeros_like(distance), where=apart)
    return np.asarray(gap)


def compare_rules(pairs: PairsOnImages, p: Floats, corrected: Floats, *, enough: float = 0.95) -> list[RuleAgainstTest]:
    """What rules and a test with these p-values say of the same pairs.

    For ``scaled``, *enough* is the share of the pairs that must be significant, before the correction.
    """
    significant, surely = p < SIGNIFICANT, corrected < SIGNIFICANT
    factor = _scaled(pairs.gap, significant, enough)
    verdicts: dict[Rule, tuple[float, Flags]] = {
        "outside": (1.0, pairs.gap > 1),
        "disjoint": (1.0, pairs.disjoint),
        "difference": (1.0, (pairs.low > SAME_MEAN) | (pairs.high < -SAME_MEAN)),
        "scaled": (factor, pairs.gap > factor),
    }
    return [
        RuleAgainstTest(
            rule,
            times,
            int(apart.sum()),
            int(significant.sum()),
            int((apart & significant).sum()),
            int(surely.sum()),
            int((apart & surely).sum()),
        )
        for rule, (times, apart) in verdicts.items()
    ]


def _scaled(gaps: Floats, significant: Flags, enough: float) -> float:
    """The least factor such that at least a share of *enough* of the pairs beyond it are significant."""
    apart = np.flatnonzero(gaps > 0)
    order = apart[np.argsort(-gaps[apart], kind="stable")]
    ordered = np.append(gaps[order], 0.0)
    reached = np.cumsum(significant[order]) >= enough * np.arange(1, len(order) + 1)
    # Pairs with the same gap are beyond a factor together.
    last = np.flatnonzero(reached & (ordered[1:] < ordered[:-1]))
    return float(ordered[last[-1] + 1] if len(last) else ordered[0])
