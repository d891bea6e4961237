"""What scores are divided by, while most judgments are still to come: the ideal ranking of each topic as a posterior.

The ideal ranking has the best documents of a topic first, whichever run has them. Its sum depends on how many documents
reach each grade level, nothing else: with ``N[k]`` documents at level k or above, and ``C(n)`` what the first n ranks
count together, it is the sum over levels of ``C(N[k])`` times what the level adds to the gain. ``C`` bends, so that the
expected sum is below that of the expected numbers: half a perfect document is worth less than a whole one half of the
time only where it comes after others.

Judged documents are counted; the others' number is uncertain in two ways. What is not known of the topic moves all of
them together: a few values of one shift of their log odds stand for that, as likely as the posterior has them. And
grades are drawn: with the shift known, the number is taken to be binomial, with the mean and the variance that it has.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import special

from unjudged.arrays import Floats, Ints
from unjudged.holes.evidence_model.ordinal import sigmoid
from unjudged.measures.capabilities import Browsing

__all__ = ["DocumentCounts", "IdealRankings", "ideal_rankings"]

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(7)
_LEAST = 1e-12
_WIDEST = 3.0
"""Standard deviation of a shift of log odds at most."""


class DocumentCounts(NamedTuple):
    """Documents of each topic at each level above the lowest, or higher: all of shape (topics, levels - 1)."""

    known: Floats
    """Judged ones."""
    expected: Floats
    """Of the others."""
    variance: Floats
    """Of the number of the others, while grades are drawn with the parameters known."""
    by_parameters: Floats
    """The same, while the parameters are drawn."""
    others: Ints
    """How many others a topic has, whatever their grade; shape (topics,)."""


class IdealRankings(NamedTuple):
    """What the ideal ranking's sum of each topic may be."""

    values: Floats
    """At each of a few shifts of the topic's log odds, shape (shifts, topics)."""
    probabilities: Floats
    """Of each shift."""
    more: Floats
    """How much more gain than expected unjudged documents have there together, shape (shifts, topics)."""
    by_level: Floats
    """What one more document of each level adds to the expected sum, shape (topics, levels)."""

    def inverse(self) -> Floats:
        """One over the sum, as expected, for each topic."""
        out: Floats = self.probabilities @ (1.0 / self.values)
        return out

    def inverse_with_gains(self) -> Floats:
        """Its covariance with the gain of all unjudged documents of the topic, which goes up as the ideal does."""
        out: Floats = self.probabilities @ (self.more / self.values)
        return out


def ideal_rankings(form: Browsing, gains: Floats, counts: DocumentCounts) -> IdealRankings:
    """The sums, where levels have these *gains*.

    They are never below that of one document that brings half of the highest gain: a topic without any relevant one
    counts as one where there is little to find.
    """
    topics, levels = len(counts.others), len(gains)
    unmoved = np.zeros((len(_NODES), topics))
    if form.divisor == "fixed":
        nothing = np.zeros((topics, levels))
        return IdealRankings(np.full_like(unmoved, form.whole), _WEIGHTS / _WEIGHTS.sum(), unmoved, nothing)
    probabilities = _WEIGHTS / _WEIGHTS.sum()
    number = _shifted(counts, probabilities)
    adds = np.maximum(np.diff(gains), 0.0)
    if form.divisor == "total":
        values, next_rank = counts.known + number, np.ones_like(number)
        least = 0.5 * float(gains.max())
    else:
        reached = _reaching(counts, number, len(form.seen))
        values = reached @ form.seen
        exactly = np.concatenate([np.ones((*reached.shape[:-1], 1)), reached[..., :-1]], axis=-1) - reached
        next_rank = exactly @ form.seen
        least = 0.5 * float(gains.max()) * float(form.seen[0])
    total = np.maximum(values @ adds, least)
    more = number @ adds - probabilities @ (number @ adds)
    one_more = np.einsum("s,stk->tk", probabilities, next_rank) * adds
    by_level = np.concatenate([np.zeros((topics, 1)), np.cumsum(one_more, axis=1)], axis=1)
    return IdealRankings(total, probabilities, more, by_level)


def _shifted(counts: DocumentCounts, probabilities: Floats) -> Floats:
    """The expected number of others at each shift, shape (shifts, topics, levels - 1); on average it is what it was.

    It moves as far as its variance says, and stays between none and all of them.
    """
    others = np.maximum(counts.others, 1)[:, None].astype(np.float64)
    share = np.clip(counts.expected / others, _LEAST, 1 - 1e-9)
    spread = np.sqrt(np.maximum(counts.by_parameters, 0.0)) / np.maximum(others * share * (1 - share), _LEAST)
    moved = _NODES[:, None, None] * np.minimum(spread, _WIDEST)
    number = others * sigmoid(np.log(share / (1 - share)) + moved)
    mean = np.einsum("s,stk->tk", probabilities, number)
    out: Floats = np.minimum(number * (counts.expected / np.maximum(mean, _LEAST)), others)
    return out


def _reaching(counts: DocumentCounts, number: Floats, ranks: int) -> Floats:
    """The probability that there are as many documents as each rank, shape (shifts, topics, levels - 1, ranks)."""
    others = np.maximum(counts.others, 1)[:, None].astype(np.float64)
    drawn = np.clip(counts.variance / np.maximum(counts.expected, _LEAST), _LEAST, 1.0)
    failed = 1 - (1 - drawn) * number / np.maximum(counts.expected, _LEAST)
    chance = 1 - np.clip(failed, 1e-9, 1 - 1e-9)
    trials = np.minimum(number / chance, others)
    wanted = np.arange(1, ranks + 1) - counts.known[..., None]
    wanted = np.broadcast_to(wanted, (*number.shape, ranks))
    trials, chance = (np.broadcast_to(one[..., None], wanted.shape) for one in (trials, chance))
    possible = (wanted > 0) & (wanted < trials + 1)
    out = (wanted <= 0).astype(np.float64)
    out[possible] = special.betainc(wanted[possible], (trials - wanted + 1)[possible], chance[possible])
    return out
