"""Scores that multiply what documents are, such as AP and ERR, from a random sample that people judged: second order.

AP adds up pairs of relevant documents, ERR what readers gain who were not satisfied before. What is expected of
documents cannot be put in their place: documents that one run has at its top are more often relevant *together* than
each by itself makes one expect, and a straight line through what is expected (as in :mod:`.sampled_ratios`) does not
see that. So the second term of the series counts, too, from pairs of sampled documents. With d the error of what was
expected of a sampled document, times (1 - pi) / pi, slopes u and curvatures H of the score,

    score of what is known and expected + sum of u d over the sampled + 1/2 sum of H d d over pairs of the sampled

The variance is that of what each sampled document adds, with all its pairs, as a jackknife has it; that counts pairs
twice, and so is rather too large.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from unjudged.arrays import Flags, Floats, Ints
from unjudged.results.comparison import LEVEL
from unjudged.uncertainty.difference_estimator import SampledSums, sums_of_terms

__all__ = ["Product", "Rankings", "SampledProducts", "product_scores", "sampled_products"]

Product = Literal["pairs", "stops"]
"""``pairs``: pairs of relevant documents, over the number of relevant ones. ``stops``: readers stop where they are
satisfied."""
_CELLS = 1 << 22
"""Cells of rankings that are held in memory at once."""


@dataclass(frozen=True, eq=False)
class Rankings:
    """Where runs have documents: run by run, topic by topic, in the order of their ranks."""

    docs: Ints
    weights: Floats
    """Of their ranks."""
    rows: Ints
    """The list of each: number of the run, times topics, plus number of the topic."""
    runs: int
    topics: int

    @classmethod
    def of(cls, found: Sequence[tuple[Ints, Ints]], weights: Floats, topics: Ints, number: int) -> Rankings:
        """From the documents of each run and their ranks, as far as there are *weights*; *topics* of all documents."""
        parts = []
        for run, (docs, ranks) in enumerate(found):
            inside = np.flatnonzero(ranks <= len(weights))
            order = inside[np.lexsort((ranks[inside], topics[docs[inside]]))]
            parts.append((docs[order], weights[ranks[order] - 1], run * number + topics[docs[order]]))
        docs, weigh, rows = (np.concatenate(one) for one in zip(*parts, strict=True))
        return cls(docs, weigh, rows, len(found), number)

    @cached_property
    def blocks(self) -> list[Rankings]:
        """Some runs at a time."""
        ends = np.searchsorted(self.rows, np.arange(self.runs + 1) * self.topics)
        step = max(1, _CELLS // max(1, int(np.diff(ends).max(initial=0)), self.topics))
        parts = [(first, min(first + step, self.runs)) for first in range(0, self.runs, step)]
        cells = [slice(ends[first], ends[last]) for first, last in parts]
        return [
            Rankings(self.docs[of], self.weights[of], self.rows[of] - first * self.topics, last - first, self.topics)
            for of, (first, last) in zip(cells, parts, strict=True)
        ]

    @cached_property
    def starts(self) -> Ints:
        """The first place of the list of each place."""
        starts: Ints = np.searchsorted(self.rows, np.arange(self.runs * self.topics))[self.rows]
        return starts

    @cached_property
    def columns(self) -> Ints:
        """Which place each is in its list, from 0."""
        return np.arange(len(self.rows)) - self.starts

    def by_rank(self, cells: Floats) -> Floats:
        """A row for each list, with 0 after its last place."""
        out = np.zeros((self.runs * self.topics, int(self.columns.max(initial=-1)) + 1))
        out[self.rows, self.columns] = cells
        return out

    def sums(self, cells: Floats) -> Floats:
        """Over each list, shape (runs, topics)."""
        sums = np.bincount(self.rows, cells, minlength=self.runs * self.topics).astype(np.float64)
        return sums.reshape(self.runs, -1)

    def above(self, cells: Floats) -> Floats:
        """Sums over the places above each in its list."""
        sums = np.cumsum(cells) - cells
        above: Floats = sums - sums[self.starts]
        return above

    def below(self, cells: Floats) -> Floats:
        """Sums over the places below each in its list."""
        below: Floats = self.sums(cells).ravel()[self.rows] - self.above(cells) - cells
        return below


class Sample(NamedTuple):
    """Sampled documents, and how far they are off what was expected, times (1 - pi) / pi."""

    docs: Ints
    topics: Ints
    off: Floats
    of_all: Floats
    """The same for all documents: 0 where they are not sampled."""

    def of_runs(self, rankings: Rankings, *cells: Floats) -> list[Floats]:
        """Shape (runs, sampled): what stands in the *cells* where these documents are; 0 elsewhere."""
        place = np.full(len(self.of_all), -1)
        place[self.docs] = np.arange(len(self.docs))
        column = place[rankings.docs]
        here = np.flatnonzero(column >= 0)
        run, column = rankings.rows[here] // rankings.topics, column[here]
        out = [np.zeros((rankings.runs, len(self.docs))) for _ in cells]
        for one, given in zip(out, cells, strict=True):
            one[run, column] = given[here]
        return out


class Series(NamedTuple):
    """Scores (runs, topics) at what is known and expected, and terms of first and second order (runs, sampled)."""

    scores: Floats
    first: Floats
    second: Floats


@dataclass(frozen=True, eq=False)
class SampledProducts:
    """Scores of runs, and what each sampled document adds to them."""

    calibrated: Floats
    _first: Floats
    _second: Floats
    _left: Floats
    """The chance of each sampled document not to be sampled."""

    def of(self, first: Ints, second: Ints | None) -> tuple[Floats, Floats, Floats]:
        """Scores of these runs, or differences from the *second*, and terms of first and second order."""
        columns = self.calibrated, self._first, self._second
        calibrated, slopes, curves = (one[first] - (0.0 if second is None else one[second]) for one in columns)
        return calibrated, slopes, curves

    def estimate(self, first: Ints, second: Ints | None = None, *, level: float = LEVEL) -> SampledSums:
        """Estimates of these runs, or of their differences from the *second* ones, with intervals."""

        calibrated, slopes, curves = self.of(first, second)
        open_ = self._left > 0
        terms = (slopes + curves)[:, open_] ** 2 / self._left[open_]
        correction = slopes.sum(axis=1) + curves.sum(axis=1) / 2
        fourth = (terms**2).sum(axis=1)
        return sums_of_terms(calibrated, correction, terms.sum(axis=1), fourth, level=level)


def sampled_products(
    form: Product,
    rankings: Rankings,
    gains: Floats,
    expected: Floats,
    *,
    sampled: Flags,
    inclusion: Floats,
    topics: Ints,
) -> SampledProducts:
    """Means over topics; *gains* of documents count where they are *sampled*, with the chance *inclusion*."""
    docs = np.flatnonzero(sampled)
    left = 1 - inclusion[docs]
    of_all = np.zeros(len(gains))
    of_all[docs] = (gains[docs] - expected[docs]) * left / inclusion[docs]
    sample = Sample(docs, topics[docs], of_all[docs], of_all)
    known = np.where(sampled, gains, expected)
    parts = [_SERIES[form](block, known, sample, topics) for block in rankings.blocks]
    scores, first, second = (np.concatenate(one) / rankings.topics for one in zip(*parts, strict=True))
    return SampledProducts(scores.sum(axis=1), first, second, left)


def product_scores(form: Product, rankings: Rankings, gains: Floats, topics: Ints) -> Floats:
    """The same scores where all gains are known."""
    nothing, ones = np.zeros(len(gains), dtype=bool), np.ones(len(gains))
    found = sampled_products(form, rankings, gains, gains, sampled=nothing, inclusion=ones, topics=topics)
    return found.calibrated


def _pairs(rankings: Rankings, known: Floats, sample: Sample, topics: Ints) -> Series:
    """AP: each relevant document adds 1 / its rank for itself and each relevant one above it, over their number R."""
    weights = rankings.weights
    total = np.bincount(topics, known, minlength=rankings.topics)
    spread = np.bincount(topics, known * (1 - known), minlength=rankings.topics)
    least = np.maximum(total, 1.0)  # a topic has no relevant document, or at least one
    x, off = known[rankings.docs], sample.of_all[rankings.docs]
    above = 1 + rankings.above(x)
    slopes = weights * above + rankings.below(weights * x)
    pairs = rankings.sums(weights * x * above)
    common = rankings.sums(x * (1 - x) * slopes)
    scores = pairs / least * (1 + spread / least**2) - common / least**2
    with_others = weights * rankings.above(off) + rankings.below(weights * off)
    own, with_others = sample.of_runs(rankings, slopes, with_others)
    of, d = sample.topics, sample.off
    rest = np.bincount(of, d, minlength=rankings.topics)[of] - d
    moved = rankings.sums(slopes * off)[:, of] - own * d
    divisor, pairs = least[of], pairs[:, of]
    first = (own / divisor - pairs / divisor**2) * d
    second = (with_others / divisor - (own * rest + moved) / divisor**2 + 2 * pairs / divisor**3 * rest) * d
    return Series(scores, first, second)


def _stops(rankings: Rankings, known: Floats, sample: Sample, topics: Ints) -> Series:
    """ERR: what a document adds is its weight times its gain, for those who did not stop above it."""
    cells = known[rankings.docs], sample.of_all[rankings.docs], rankings.weights
    x, off, weights = (rankings.by_rank(one) for one in cells)
    # What is still to be gained after each place, and how that moves with the gains of sampled documents.
    after, moves = np.zeros((2, len(x), x.shape[1] + 1))
    for k in range(x.shape[1] - 1, -1, -1):
        after[:, k] = weights[:, k] * x[:, k] + (1 - x[:, k]) * after[:, k + 1]
        moves[:, k] = off[:, k] * (weights[:, k] - after[:, k + 1]) + (1 - x[:, k]) * moves[:, k + 1]
    reach, reach_moves = np.ones(len(x)), np.zeros(len(x))
    slopes, curves = np.zeros(x.shape), np.zeros(x.shape)
    for k in range(x.shape[1]):
        brings = weights[:, k] - after[:, k + 1]
        slopes[:, k] = reach * brings
        curves[:, k] = reach_moves * brings - reach * moves[:, k + 1]
        reach, reach_moves = reach * (1 - x[:, k]), reach_moves * (1 - x[:, k]) - reach * off[:, k]
    flat = (one[rankings.rows, rankings.columns] for one in (slopes, curves))
    first, second = (one * sample.off for one in sample.of_runs(rankings, *flat))
    return Series(after[:, 0].reshape(rankings.runs, -1), first, second)


_SERIES: dict[Product, Callable[[Rankings, Floats, Sample, Ints], Series]] = {"pairs": _pairs, "stops": _stops}
