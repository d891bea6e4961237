"""Ratios from a random sample of documents that people judged and labels of all, such as nDCG: linearised.

nDCG is a sum over the documents of a run, divided by what the topic's best documents would give, which depends on how
many documents of each grade there are. Both are functions of all grades. Take the grades of sampled documents, and what
labels make one expect of all others: near there, the score moves with each document's grade by its *influence*. With
the influence u of a sampled document's grade, less that of what was expected of it, and the probability pi of being
sampled,

    score of what is known and expected + sum of u (1 - pi) / pi over the sampled

is the first-order (linearised) difference estimate, and the score itself where all are sampled. It is unbiased as far
as ratios are straight lines over the errors of what is expected; so that has to know how rich a topic is, and not only
what its labels say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from unjudged.arrays import Flags, Floats, Ints
from unjudged.results.comparison import LEVEL
from unjudged.uncertainty.difference_estimator import SampledSums, sums_of_terms

__all__ = ["SampledRatios", "exact_ratios", "expected_ratios", "sampled_ratios"]

_NODES = (np.array([-np.sqrt(3.0), 0.0, np.sqrt(3.0)]), np.array([1, 4, 1]) / 6)
"""Of Gauss and Hermite's rule, for the mean over a normal distribution."""
_CELLS = 1 << 22
"""Influences that are held in memory at once."""


@dataclass(frozen=True, eq=False)
class SampledRatios:
    """Scores of runs, and by how much each sampled document moves them."""

    calibrated: Floats
    """Scores of what is known, and expected of other documents: biased, but less noisy."""
    _own: csr_array
    """Shape (runs, sampled): influence by what the run gains, over the number of topics ..."""
    _sums: Floats
    """... and by what it is divided by: this, of shape (runs, topics), times ..."""
    _shared: Floats
    """... this, of each sampled document."""
    _topics: Ints
    _inclusion: Floats

    def estimate(self, first: Ints, second: Ints | None = None, *, level: float = LEVEL) -> SampledSums:
        """Estimates of these runs, or of their differences from the *second* ones, with intervals."""
        size = max(1, _CELLS // max(1, len(self._topics)))
        parts = [
            self._some(first[i : i + size], None if second is None else second[i : i + size])
            for i in range(0, len(first), size)
        ]
        calibrated = self.calibrated[first] - (0.0 if second is None else self.calibrated[second])
        return sums_of_terms(calibrated, *(np.concatenate(one) for one in zip(*parts, strict=True)), level=level)

    def _some(self, first: Ints, second: Ints | None) -> tuple[Floats, Floats, Floats]:
        own, sums = self._own[first].toarray(), self._sums[first]
        if second is not None:
            own, sums = own - self._own[second].toarray(), sums - self._sums[second]
        influence = (own + sums[:, self._topics] * self._shared) / self._inclusion
        terms = (1 - self._inclusion) * influence**2
        return influence @ (1 - self._inclusion), terms.sum(axis=1), (terms**2).sum(axis=1)


def sampled_ratios(
    weights: csr_array,
    reached: Floats,
    expected: Floats,
    steps: Floats,
    *,
    ideal: Floats | None,
    sampled: Flags,
    inclusion: Floats,
    topics: Ints,
) -> SampledRatios:
    """Means over topics of weighted sums of gains over the best such sum.

    *weights* (runs, documents) of where runs have documents; *reached* (documents, gains) says which gains a document
    reaches, by people where *sampled*, *expected* the chance of it; each gain adds one of the *steps*. *ideal*: weights
    of the ranks of the best ranking; None where the divisor is all gain there is. A topic without gain scores 0.
    """
    number = int(topics.max()) + 1
    chosen = np.flatnonzero(sampled)
    off, of = reached[chosen] - expected[chosen], topics[chosen]
    expected = np.where(sampled[:, None], reached, expected)
    counts = np.stack([np.bincount(topics, one, minlength=number) for one in expected.T], axis=1).astype(np.float64)
    chance = expected * (1 - expected)
    spread = np.sqrt(np.stack([np.bincount(topics, one, minlength=number) for one in chance.T], axis=1))
    inverse, falling = _inverse(counts, spread, steps, ideal)
    by_topic = csr_array((np.ones(len(topics)), (np.arange(len(topics)), topics)), shape=(len(topics), number))
    sums = np.asarray((weights.multiply((expected @ steps)[None, :]) @ by_topic).todense())
    own = csr_array(weights[:, chosen].multiply((off @ steps * inverse[of])[None, :]))
    shared = (falling[of] * off).sum(axis=1)
    scores = (sums * inverse).sum(axis=1)
    return SampledRatios(
        scores / number, own / number, sums / number, shared, of, np.asarray(inclusion, dtype=np.float64)[chosen]
    )


def _inverse(counts: Floats, spread: Floats, steps: Floats, ideal: Floats | None) -> tuple[Floats, Floats]:
    """One over the divisor of each topic, and how much one more document that reaches a gain changes it.

    The mean over counts that vary about what is expected by so much: the divisor is no straight line.
    """
    # A topic has no gain or at least one document's; less is expected of it where it may have none.
    least = float(steps[0]) * (1.0 if ideal is None else float(ideal[0]))
    inverse, falling = np.zeros(len(counts)), np.zeros_like(counts)
    # Counts are not below 0, so that their logarithms vary.
    logs = np.log1p(np.divide(spread, counts, out=np.zeros_like(counts), where=counts > 0) ** 2)
    for node, weight in zip(*_NODES, strict=True):
        times = np.exp(node * np.sqrt(logs) - logs / 2)
        divisor, slopes = _ideal(counts * times, steps, ideal)
        one = 1 / np.maximum(divisor, least)
        inverse += weight * one
        falling -= weight * np.where((divisor > least)[:, None], times * slopes * one[:, None] ** 2, 0.0)
    return np.where(counts[:, 0] > 0, inverse, 0.0), falling


def _ideal(counts: Floats, steps: Floats, ideal: Floats | None) -> tuple[Floats, Floats]:
    """What the best documents give where so many reach each gain, and how much one more that does adds."""
    if ideal is None:
        return counts @ steps, np.broadcast_to(steps, counts.shape)
    within = np.minimum(counts, len(ideal))
    rank = np.minimum(np.floor(within).astype(np.int64), len(ideal) - 1)
    whole = np.concatenate([[0.0], np.cumsum(ideal)])[rank]
    # Between two whole numbers, the weight of the next rank in part.
    gained = whole + (within - rank) * ideal[rank]
    slopes: Floats = np.where(counts < len(ideal), ideal[rank], 0.0) * steps
    return gained @ steps, slopes


def exact_ratios(weights: csr_array, reached: Any, steps: Floats, *, ideal: Floats | None, topics: Ints) -> Floats:
    """The same scores where it is known which gains each document reaches."""
    nothing = np.zeros(len(topics), dtype=bool)
    known = np.asarray(reached, dtype=np.float64)
    ones = np.ones(len(topics))
    found = sampled_ratios(weights, known, known, steps, ideal=ideal, sampled=nothing, inclusion=ones, topics=topics)
    return found.calibrated


def expected_ratios(weights: csr_array, gains: Floats, *, ideal: Floats | None, topics: Ints) -> Floats:
    """Means over topics of expected sums over the best ranking of what is expected, or over all that is."""
    number = int(topics.max()) + 1
    if ideal is None:
        best = np.bincount(topics, gains, minlength=number)
    else:
        order = np.lexsort((-gains, topics))
        counts = np.bincount(topics, minlength=number)
        rank = np.arange(len(topics)) - np.repeat(np.cumsum(counts) - counts, counts)
        top = rank < len(ideal)
        best = np.bincount(topics[order][top], gains[order][top] * ideal[rank[top]], minlength=number)
    over = np.divide(1.0, best, out=np.zeros(number), where=best > 0)
    means: Floats = weights @ (gains * over[topics]) / number
    return means
