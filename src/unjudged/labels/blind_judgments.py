"""Judgments that look as if nobody had looked at the document: how suspicious they are, and how many there can be.

A *blind* judgment is a grade drawn as often as the topic has it, whatever the document says. ``chances`` (documents,
grades) are those of grades given what is known about each document, ``shares`` those in its topic. How much likelier a
grade is from an assessor who looked than from one who did not is their ratio, and the judgments themselves say how far
it can be trusted: where the ratio is low, so many grades should be there, and so many are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import optimize, stats

from unjudged.arrays import Floats, Ints
from unjudged.data.spans import sums_of

__all__ = ["BlindJudgments", "topic_shares"]

_SHRINKAGE = 5.0
"""A topic's judgments are joined by so many of the collection's."""
_TAILS = 12
"""Sizes of the tail in which the most blind judgments are counted, each twice the one before."""
_CONFIDENCE = 0.95


def topic_shares(topics: Ints, levels: Ints, *, number: int) -> Floats:
    """How often each topic has each of so many levels, shape (documents, levels), for the documents of topics."""
    cells = sums_of(np.ones(len(levels)), topics * number + levels, (int(topics.max(initial=0)) + 1) * number)
    counts = cells.reshape(-1, number)
    collection = counts.sum(axis=0) / counts.sum()
    shares: Floats = (counts + _SHRINKAGE * collection) / (counts.sum(axis=1, keepdims=True) + _SHRINKAGE)
    of_documents: Floats = shares[topics]
    return of_documents


@dataclass(frozen=True, eq=False)
class BlindJudgments:
    """Judgments (``levels``) beside the ``chances`` of all grades and their ``shares`` in the topic."""

    levels: Ints
    chances: Floats
    shares: Floats

    @cached_property
    def ratios(self) -> Floats:
        """Chance over share of every grade of every document; infinite for grades that nobody ever gave."""
        ratios = np.full(self.chances.shape, np.inf)
        np.divide(self.chances, self.shares, out=ratios, where=self.shares > 0)
        return ratios

    @cached_property
    def own(self) -> Floats:
        """The ratio of each judgment: the lower, the more suspicious."""
        return self.ratios[np.arange(len(self.levels)), self.levels]

    @cached_property
    def _steps(self) -> tuple[Floats, Floats]:
        """Ratios in ascending order, and what each is worth: grades there over those that blind judges would give."""
        given = np.zeros(self.ratios.shape, dtype=bool)
        given[np.arange(len(self.levels)), self.levels] = True
        some = (self.shares > 0).ravel()
        ratios, weights, given = self.ratios.ravel()[some], self.shares.ravel()[some], given.ravel()[some]
        values, place = np.unique(ratios, return_inverse=True)
        blind, there = sums_of(weights, place, len(values)), sums_of(given * 1.0, place, len(values))
        return values, optimize.isotonic_regression(there / blind, weights=blind).x

    def calibrated(self, ratios: Floats) -> Floats:
        """What ratios are worth: as often as blind judges would give such grades, times this, they are there."""
        values, worth = self._steps
        out: Floats = worth[np.minimum(np.searchsorted(values, ratios), len(values) - 1)]
        return out

    @cached_property
    def most(self) -> float:
        """The largest share of blind judgments that is compatible with what is there, with 95% confidence.

        Of blind judgments many would be at the lowest ratios, and there are not more than are there. The tail that
        says most decides, and its limit (Poisson) allows for having tried all of them.
        """
        ratios, weights = self.ratios.ravel(), self.shares.ravel()
        order = np.argsort(ratios, kind="stable")
        given = np.zeros(self.ratios.shape, dtype=bool)
        given[np.arange(len(self.levels)), self.levels] = True
        blind, there = np.cumsum(weights[order]), np.cumsum(given.ravel()[order])
        ends = np.searchsorted(blind, blind[-1] / 2.0 ** np.arange(_TAILS))
        ends = np.unique(np.minimum(ends, len(blind) - 1))
        limit = stats.chi2.ppf(1 - (1 - _CONFIDENCE) / len(ends), 2 * (there[ends] + 1)) / 2
        return float(min(1.0, (limit / blind[ends]).min()))

    def wrong(self, error_rate: float) -> Floats:
        """The chance that each judgment is blind and wrong, if so large a share of all is blind."""
        worth = np.maximum(self.calibrated(self.own), 1e-12)
        blind = np.minimum(1.0, error_rate / worth)
        share = self.shares[np.arange(len(self.levels)), self.levels]
        if error_rate == 1:  # nobody looked, so that nothing says which grade is right but how often each is given
            return blind * (1 - share)
        looked = np.clip((worth * share - error_rate * share) / (1 - error_rate), 0.0, 1.0)
        return blind * (1 - looked)

    def planted(self, checked: Ints) -> tuple[Floats, Floats, Floats]:
        """Which share of wrong blind judgments one finds who looks at so many of the most suspicious ones.

        Of all, of grades that are too high, and of those that are too low. Every document is given every other grade,
        as often as a blind judge would give it, one at a time: no draws are needed.
        """
        levels = np.arange(self.shares.shape[1])
        higher, lower = (
            np.where(where, self.shares, 0.0)
            for where in (levels > self.levels[:, None], levels < self.levels[:, None])
        )
        limits = np.sort(self.own)[np.minimum(checked, len(self.own)) - 1]
        order = np.argsort(self.ratios, axis=None, kind="stable")
        ends = np.searchsorted(self.ratios.ravel()[order], limits, side="right")
        sums = [np.concatenate([[0.0], np.cumsum(one.ravel()[order])]) for one in (higher, lower)]
        parts = [one[ends] for one in sums]
        totals = [max(one[-1], 1e-300) for one in sums]
        return sum(parts) / max(sum(totals), 1e-300), parts[0] / totals[0], parts[1] / totals[1]
