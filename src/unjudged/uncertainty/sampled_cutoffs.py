"""R-precision from a random sample of documents that people judged and labels of all: linearised.

R-precision reads as many ranks as the topic has relevant documents, R, and is the share of relevant ones among them.
How many there are is not known, but follows from what is known and expected of all documents: R varies about the sum of
these chances. So a rank counts with the mean, over what R may be, of 1/R where R reaches it and 0 where it does not. A
document moves the score by its own rank's weight, and by what one more relevant document does to all weights; the rest
is as in :mod:`.sampled_ratios`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import special
from scipy.sparse import csr_array

from unjudged.arrays import Flags, Floats, Ints
from unjudged.uncertainty.sampled_ratios import SampledRatios

__all__ = ["exact_cutoffs", "sampled_cutoffs"]

_WIDE = 6.0
"""R is within so many standard deviations of its mean."""


def sampled_cutoffs(
    found: Sequence[tuple[Ints, Ints]],
    relevant: Floats,
    expected: Floats,
    *,
    sampled: Flags,
    inclusion: Floats,
    topics: Ints,
) -> SampledRatios:
    """Means over topics of the share of relevant documents among the first R.

    *found*: which documents each run has, and at which ranks. *relevant* says which documents are, where *sampled*, and
    *expected* the chance of it. A topic without relevant documents scores 0.
    """
    number = int(topics.max()) + 1
    chosen = np.flatnonzero(sampled)
    off, of = (relevant - expected)[chosen], topics[chosen]
    chances = np.where(sampled, relevant, expected)
    mean = np.bincount(topics, chances, minlength=number).astype(np.float64)
    spread = np.sqrt(np.bincount(topics, chances * (1 - chances), minlength=number))
    deepest = max((int(ranks.max(initial=0)) for _, ranks in found), default=0)
    # One more relevant document, half of it above and half below the mean.
    some = (mean > 0)[:, None]
    less, weights, more = (some * _rank_weights(mean + step, spread, deepest) for step in (-0.5, 0.0, 0.5))
    scores, sums = np.zeros(len(found)), np.zeros((len(found), number))
    own = np.zeros((len(found), len(chosen)))
    place = np.full(len(topics), -1)
    place[chosen] = np.arange(len(chosen))
    for run, (docs, ranks) in enumerate(found):
        cell = topics[docs], ranks - 1
        scores[run] = chances[docs] @ weights[cell]
        sums[run] = np.bincount(cell[0], chances[docs] * (more - less)[cell], minlength=number)
        drawn = place[docs] >= 0
        own[run, place[docs[drawn]]] = weights[cell][drawn] * off[place[docs[drawn]]]
    return SampledRatios(
        *(scores / number, csr_array(own / number), sums / number, off, of),
        np.asarray(inclusion, dtype=np.float64)[chosen],
    )


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
