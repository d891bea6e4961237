"""What a stratified sample says about rankings: their pooled documents stratum by stratum, and the jackknife."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unjudged.arrays import Flags, Floats, Ints, SmallInts
from unjudged.data.qrels import Qrels
from unjudged.data.spans import rows_of_spans
from unjudged.data.strata import strata_of
from unjudged.data.view import View
from unjudged.measures.running import running_sum

__all__ = ["Replicates", "Sample", "jackknife"]


class Sample:
    """The rows of a view whose documents are in the pool, each with its stratum. Columns are in the view's order.

    Whether a document was judged, and its grade, are what the judgments say: these measures infer the rest themselves,
    so that what a hole model believes plays no part. A *pair* is a ranking and one stratum of its topic; a ranking has
    one for every stratum, also for those it retrieved nothing of. Pairs are sorted by ranking.
    """

    def __init__(self, view: View) -> None:
        self.view = view
        self.qrels: Qrels = view.qrels
        self.strata = strata_of(view.qrels)
        rows = np.flatnonzero(view.qrels_rows >= 0)
        self.qrels_rows: Ints = view.qrels_rows[rows]
        self.ranking: Ints = view.ranking[rows]
        self.rank: Ints = view.rank[rows]
        self.judged: Flags = self.qrels.judged[self.qrels_rows]
        self.grades: SmallInts = self.qrels.grades[self.qrels_rows]
        self.cell: Ints = self.strata.of_row[self.qrels_rows]
        self.weights: Floats = self.strata.weights[self.cell]
        """How many pooled documents a judged document of the row's stratum stands for."""
        first_cell = self.strata.offsets[view.topics]
        cells = self.strata.offsets[view.topics + 1] - first_cell
        first_pair = np.cumsum(cells) - cells
        self.pair: Ints = (first_pair - first_cell)[self.ranking] + self.cell
        self.pair_ranking: Ints = np.repeat(np.arange(len(view)), cells)
        self.pair_cell: Ints = rows_of_spans(first_cell, cells)
        self._order = np.argsort(self.pair, kind="stable")
        ordered = self.pair[self._order]
        self._starts: Flags = np.diff(ordered, prepend=-1) != 0
        self._ends: Flags = np.diff(ordered, append=-1) != 0

    # ---- sums

    def by_pair(self, values: Floats) -> Floats:
        """Sum of *values*, one per row, over each pair."""
        return np.bincount(self.pair, weights=values, minlength=len(self.pair_cell)).astype(np.float64, copy=False)

    def count_by_pair(self, chosen: Flags) -> Ints:
        """Number of chosen rows in each pair."""
        return np.bincount(self.pair[chosen], minlength=len(self.pair_cell)).astype(np.int64, copy=False)

    def by_ranking(self, values: Floats) -> Floats:
        """Sum of *values*, one per pair, over each ranking."""
        sums = np.bincount(self.pair_ranking, weights=values, minlength=len(self.view))
        return sums.astype(np.float64, copy=False)

    # ---- down a ranking

    def above(self, values: Floats) -> Floats:
        """The value of the row above in the same ranking, 0 where there is none."""
        out = np.zeros(len(values))
        out[1:] = np.where(self.ranking[1:] == self.ranking[:-1], values[:-1], 0.0)
        return out

    def last(self, values: Floats) -> Floats:
        """The value of the last row of the row's ranking."""
        return values[np.searchsorted(self.ranking, self.ranking, side="right") - 1]

    # ---- down a ranking, within one stratum

    def running_count(self, chosen: Flags) -> Ints:
        """Chosen documents of the row's stratum, down to and including the row."""
        count = np.cumsum(chosen[self._order])
        starts = np.flatnonzero(self._starts)
        before: Ints = (count - chosen[self._order])[starts]
        return self._back(count - np.repeat(before, np.diff(starts, append=len(count))))

    def previous(self, values: Floats) -> Floats:
        """The value of the stratum's row above, 0 where there is none."""
        return self._back(np.where(self._starts, 0.0, np.roll(values[self._order], 1)))

    def next(self, values: Floats, otherwise: Floats) -> Floats:
        """The value of the stratum's row below, that of *otherwise* where there is none."""
        return self._back(np.where(self._ends, otherwise[self._order], np.roll(values[self._order], -1)))

    def sum_from_here(self, values: Floats) -> Floats:
        """Sum over the row and the rows of its stratum below it."""
        upwards = self._order[::-1]
        out = np.empty(len(values))
        out[upwards] = running_sum(len(self.pair_cell) - self.pair[upwards], values[upwards])
        return out

    def _back(self, ordered: NDArray) -> NDArray:  # type: ignore[type-arg]
        out = np.empty_like(ordered)
        out[self._order] = ordered
        return out


@dataclass(frozen=True, eq=False)
class Replicates:
    """Estimates from the sample without one of its documents, which is then pooled but not judged.

    ``pair`` says which ranking an estimate is about and which stratum the document is from, ``count`` how many
    documents lead to this very value. In each pair, counts add up to the stratum's judged documents.
    """

    pair: Ints
    value: Floats
    count: Ints


def jackknife(sample: Sample, replicates: Replicates, known: Flags) -> Floats:
    """Standard error of each ranking's estimate, taking each stratum as sampled at random without replacement.

    se^2 = sum over strata of (1 - n/N) * (n - 1)/n * sum of squares of (replicate - mean replicate). *known* says which
    rankings have an estimate that rests on something.
    """
    pooled, judged = sample.strata.pooled[sample.pair_cell], sample.strata.judged[sample.pair_cell]
    pairs = len(judged)
    sums = np.bincount(replicates.pair, weights=replicates.value * replicates.count, minlength=pairs)
    mean = sums / np.maximum(judged, 1)
    apart = replicates.count * (replicates.value - mean[replicates.pair]) ** 2
    spread: Floats = np.bincount(replicates.pair, weights=apart, minlength=pairs).astype(np.float64)
    variance = spread * (1.0 - judged / pooled) * (judged - 1) / np.maximum(judged, 1)
    # One document says nothing about how documents differ; a stratum that was not sampled is not part of the estimate.
    variance[(judged == 1) & (pooled > 1)] = np.nan
    variance[judged == 0] = 0.0
    out = sample.by_ranking(variance)
    incomplete = sample.by_ranking((judged < pooled).astype(np.float64)) > 0
    out[~known & incomplete] = np.nan
    # A ranking that retrieved nothing from the pool scores 0 whatever was sampled.
    out[np.bincount(sample.ranking, minlength=len(sample.view)) == 0] = 0.0
    return np.sqrt(out)
