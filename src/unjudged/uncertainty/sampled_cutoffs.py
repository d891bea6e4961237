"""R-precision from a random sample of documents that people judged and labels of all: linearised.

R-precision reads as many ranks as the topic has relevant documents, R, and is the share of relevant ones among them.
How many there are is not known, but follows from what is known and expected of all documents: R varies about the sum of
these chances. So a rank counts with the mean, over what R may be, of 1/R where R reaches it and 0 where it does not. A
document moves the score by its own rank's weight, and by what one more relevant document does to all weights; the rest
is as in :mod:`.sampled_ratios`.

Both change with R, and where a topic is richer than expected, its top is, too: straight lines are .03 too low with 5%
of the documents of DL19. An estimate that counts pairs of sampled documents (as in :mod:`.sampled_products`) is right
on average, but half as far off again; so estimates are straight lines, and intervals as wide as pairs make them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import special

from unjudged.arrays import Flags, Floats, Ints
from unjudged.results.comparison import LEVEL
from unjudged.uncertainty.difference_estimator import SampledSums, sums_of_terms
from unjudged.uncertainty.sampled_products import SampledProducts

__all__ = ["SampledCutoffs", "exact_cutoffs", "sampled_cutoffs"]

_WIDE = 6.0
"""R is within so many standard deviations of its mean."""


class SampledCutoffs(SampledProducts):
    """Scores of runs, and what each sampled document adds to them. Estimates are without pairs of these."""

    def estimate(self, first: Ints, second: Ints | None = None, *, level: float = LEVEL) -> SampledSums:
        """Estimates of these runs, or of their differences from the *second* ones, with intervals."""
        calibrated, slopes, curves = self.of(first, second)
        open_ = self._left > 0
        # Each pair is in the sums of two documents: with the root of a half of these, its square counts once.
        squares, alone = (one[:, open_] ** 2 / self._left[open_] for one in (slopes + np.sqrt(0.5) * curves, slopes))
        variance, usual = squares.sum(axis=1), alone.sum(axis=1)
        # As many degrees of freedom as without pairs: these are few and large, which the width has seen already.
        wider = np.divide(variance, usual, out=np.ones(len(usual)), where=usual > 0)
        fourth = (alone**2).sum(axis=1) * wider**2
        return sums_of_terms(calibrated, slopes.sum(axis=1), variance, fourth, level=level)


def sampled_cutoffs(
    found: Sequence[tuple[Ints, Ints]],
    relevant: Floats,
    expected: Floats,
    *,
    sampled: Flags,
    inclusion: Floats,
    topics: Ints,
) -> SampledCutoffs:
    """Means over topics of the share of relevant documents among the first R.

    *found*: which documents each run has, and at which ranks. *relevant* says which documents are, where *sampled*, and
    *expected* the chance of it. A topic without relevant documents scores 0.
    """
    number = int(topics.max()) + 1
    chosen, of = np.flatnonzero(sampled), topics[sampled]
    left = 1 - np.asarray(inclusion, dtype=np.float64)[chosen]
    off = (relevant - expected)[chosen] * left / (1 - left)
    chances = np.where(sampled, relevant, expected)
    mean = np.bincount(topics, chances, minlength=number).astype(np.float64)
    spread = np.sqrt(np.bincount(topics, chances * (1 - chances), minlength=number))
    deepest = max((int(ranks.max(initial=0)) for _, ranks in found), default=0)
    some = (mean > 0)[:, None]
    less, weights, more = (some * _rank_weights(mean + step, spread, deepest) for step in (-1.0, 0.0, 1.0))
    slopes, curves = (more - less) / 2, more - 2 * weights + less
    scores, by_total, bends = np.zeros(len(found)), *np.zeros((2, len(found), number))
    own, own_bends = np.zeros((2, len(found), len(chosen)))
    place = np.full(len(topics), -1)
    place[chosen] = np.arange(len(chosen))
    for run, (docs, ranks) in enumerate(found):
        cell = topics[docs], ranks - 1
        scores[run] = chances[docs] @ weights[cell]
        by_total[run] = np.bincount(cell[0], chances[docs] * slopes[cell], minlength=number)
        bends[run] = np.bincount(cell[0], chances[docs] * curves[cell], minlength=number)
        drawn = place[docs] >= 0
        own[run, place[docs[drawn]]] = weights[cell][drawn]
        own_bends[run, place[docs[drawn]]] = slopes[cell][drawn]
    # Pairs of sampled documents of a topic: each without itself.
    others = np.bincount(of, off, minlength=number)[of] - off
    together = np.stack([np.bincount(of, one * off, minlength=number) for one in own_bends])[:, of] - own_bends * off
    first = (own + by_total[:, of]) * off
    second = ((own_bends + bends[:, of]) * others + together) * off
    return SampledCutoffs(scores / number, first / number, second / number, left)


def exact_cutoffs(found: Sequence[tuple[Ints, Ints]], relevant: Flags, topics: Ints) -> Floats:
    """R-precision where it is known which documents are relevant."""
    known, nothing = relevant.astype(np.float64), np.zeros(len(topics), dtype=bool)
    ones = np.ones(len(topics))
    return sampled_cutoffs(found, known, known, sampled=nothing, inclusion=ones, topics=topics).calibrated


def _rank_weights(mean: Floats, spread: Floats, deepest: int) -> Floats:
    """Shape (topics, ranks): the mean of 1/R where R reaches the rank, R being nearly normal."""
    most = int(np.ceil((mean + _WIDE * spread).max(initial=0))) + 1
    values = np.arange(1, max(most, deepest) + 1)
    # Without a spread, all of R is at the whole number that it is.
    ends = (values + 0.5 - mean[:, None]) / np.maximum(spread, 1e-6)[:, None]
    below = special.ndtr(ends)
    chance = np.diff(below, axis=1, prepend=0.0)  # a topic with any relevant document has one
    reaching = np.cumsum((chance / values)[:, ::-1], axis=1)[:, ::-1]
    return reaching[:, :deepest]
