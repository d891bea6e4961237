"""What a stratified sample says: pooled documents of rankings stratum by stratum, the jackknife, and ideal rankings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unjudged.arrays import Flags, Floats, GradeColumn, Ints
from unjudged.data.memo import remembered
from unjudged.data.qrels import Qrels
from unjudged.data.spans import offsets_of, ranking_blocks, rows_of_spans, running_sum, sums_of
from unjudged.data.strata import strata_of
from unjudged.data.view import View
from unjudged.measures.ideal import GainTable, gain_of, log_discounts, refuse_high_grades

__all__ = ["Replicates", "Sample", "SampleIdeal", "jackknife", "sample_ideal"]


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
        # Row -1 is the last one: not there. Rows without a cell are no longer listed.
        rows = np.flatnonzero(np.append(self.strata.of_row, -1)[view.qrels_rows] >= 0)
        self.qrels_rows: Ints = view.qrels_rows[rows]
        self.ranking: Ints = view.ranking[rows]
        self.rank: Ints = view.rank[rows]
        self.judged: Flags = self.qrels.judged[self.qrels_rows]
        self.grades: GradeColumn = self.qrels.grades[self.qrels_rows]
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
        return sums_of(values, self.pair, len(self.pair_cell))

    def count_by_pair(self, chosen: Flags) -> Ints:
        """Number of chosen rows in each pair."""
        return np.bincount(self.pair[chosen], minlength=len(self.pair_cell)).astype(np.int64, copy=False)

    def by_ranking(self, values: Floats) -> Floats:
        """Sum of *values*, one per pair, over each ranking."""
        return sums_of(values, self.pair_ranking, len(self.view))

    # ---- down a ranking

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
    mean = sums_of(replicates.value * replicates.count, replicates.pair, pairs) / np.maximum(judged, 1)
    apart = replicates.count * (replicates.value - mean[replicates.pair]) ** 2
    variance = sums_of(apart, replicates.pair, pairs) * (1.0 - judged / pooled) * (judged - 1) / np.maximum(judged, 1)
    # One document says nothing about how documents differ; a stratum that was not sampled is not part of the estimate.
    variance[(judged == 1) & (pooled > 1)] = np.nan
    variance[judged == 0] = 0.0
    out = sample.by_ranking(variance)
    incomplete = sample.by_ranking((judged < pooled).astype(np.float64)) > 0
    out[~known & incomplete] = np.nan
    # A ranking that retrieved nothing from the pool scores 0 whatever was sampled.
    out[np.bincount(sample.ranking, minlength=len(sample.view)) == 0] = 0.0
    return np.sqrt(out)


# ---- the ideal ranking of a topic whose documents are known from the sample only


BLOCK_ROWS = 1 << 18
"""Kinds of documents looked at together, to bound memory where judgments have very many strata or grades."""


@dataclass(frozen=True, eq=False)
class Kinds:
    """Judged documents that differ in nothing that matters here: ``count`` of them in one cell with one gain.

    Kinds are sorted by cell, and so by topic, then by gain, highest first. A gain that is not above 0 counts as 0.
    """

    of_row: Ints
    """Kind of each row of the judgments; -1 where it was not judged."""
    cell: Ints
    gain: Floats
    count: Ints

    @classmethod
    def of(cls, qrels: Qrels, dcg: str, gains: GainTable | None) -> Kinds:
        """The kinds of documents in the judgments."""
        rows = np.flatnonzero(qrels.judged)
        falling, code = np.unique(-np.maximum(gain_of(qrels.grades[rows], dcg, gains), 0.0), return_inverse=True)
        span = max(len(falling), 1)
        cell = strata_of(qrels).of_row[rows]
        keys, kind, count = np.unique(cell * span + code.reshape(-1), return_inverse=True, return_counts=True)
        of_row = np.full(len(qrels), -1, dtype=np.int64)
        of_row[rows] = kind.reshape(-1)
        return cls(of_row, keys // span, -falling[keys % span], count)


class SampleIdeal:
    """DCG of the best possible ranking of each topic, as the sample says, and as it would say without one document.

    *overflows*: a gain that comes after the ranking is full still adds one document, below the cut-off (sample_eval).
    """

    def __init__(self, qrels: Qrels, dcg: str, gains: GainTable | None, cutoff: int | None, *, overflows: bool) -> None:
        refuse_high_grades(qrels, dcg)
        self._strata = strata_of(qrels)
        self._cutoff = cutoff
        self._overflows = overflows
        self.kinds = kinds = Kinds.of(qrels, dcg, gains)
        strata = self._strata
        self.dcg: Floats = self._totals(
            strata.topics[kinds.cell],
            np.arange(len(kinds.cell)),
            kinds.count * strata.pooled[kinds.cell] / strata.judged[kinds.cell],
            len(qrels.topics),
        )
        """One value per topic."""

    def without_one(self) -> Floats:
        """For each kind, the ideal DCG of its topic if one document of that kind had not been judged.

        Where nothing would be left of the stratum, and where all of it was judged, the value is not used and is the
        topic's ideal DCG as it is.
        """
        kinds, strata = self.kinds, self._strata
        topic, judged = strata.topics[kinds.cell], strata.judged[kinds.cell]
        out = self.dcg[topic]
        chosen = np.flatnonzero((judged > 1) & (judged < strata.pooled[kinds.cell]))
        # Every kind leads to one ideal ranking, which is made of all kinds of its topic.
        first = np.searchsorted(kinds.cell, strata.offsets)
        sizes = np.diff(first)[topic[chosen]]
        for block in ranking_blocks(offsets_of(sizes), BLOCK_ROWS):
            some, lengths = chosen[block.start : block.stop], sizes[block.start : block.stop]
            group = np.repeat(np.arange(len(some)), lengths)
            kind = rows_of_spans(first[topic[some]], lengths)
            left_out = some[group]
            count = kinds.count[kind] - (kind == left_out)
            left = judged[kind] - (kinds.cell[kind] == kinds.cell[left_out])
            out[some] = self._totals(group, kind, count * strata.pooled[kinds.cell[kind]] / left, len(some))
        return out

    def _totals(self, group: Ints, kind: Ints, estimated: Floats, groups: int) -> Floats:
        """DCG for each group of kinds, of which there are estimated numbers of documents; *group* is sorted."""
        # A level is all documents of one gain in a group. Levels lie by group, highest gain first.
        gain = self.kinds.gain[kind]
        order = np.lexsort((-gain, group))
        group, gain = group[order], gain[order]
        starts = np.ones(len(order), dtype=bool)
        starts[1:] = (np.diff(group) != 0) | (np.diff(gain) != 0)
        level = np.cumsum(starts) - 1
        # Rounded once all strata are added up, half up, as sample_eval does.
        size = np.floor(np.bincount(level, weights=estimated[order]) + 0.5).astype(np.int64)
        group, gain = group[starts], gain[starts]
        size[gain == 0] = 0
        end = np.cumsum(size)
        end -= np.concatenate([[0], end])[np.searchsorted(group, group)]
        return sums_of(gain * self._discounts(end - size, end), group, groups)

    def _discounts(self, start: Ints, end: Ints) -> Floats:
        """Sum of the discounts of ranks start + 1 to end."""
        discounts = log_discounts(int(end.max(initial=0)) + 1)
        cutoff = len(discounts) if self._cutoff is None else self._cutoff
        up_to = np.concatenate([[0.0], np.cumsum(np.where(np.arange(len(discounts)) < cutoff, discounts, 0.0))])
        sums: Floats = up_to[end] - up_to[start]
        if self._overflows:
            sums = np.where((start >= cutoff) & (end > start), discounts[start], sums)
        return sums


@remembered
def sample_ideal(
    qrels: Qrels, dcg: str, gains: GainTable | None, cutoff: int | None, *, overflows: bool
) -> SampleIdeal:
    """The ideal of the judgments, made once for all runs."""
    return SampleIdeal(qrels, dcg, gains, cutoff, overflows=overflows)
