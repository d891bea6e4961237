"""The ideal ranking of a topic whose documents are known from a stratified sample only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.data.memo import remembered
from unjudged.data.qrels import Qrels
from unjudged.data.spans import offsets_of, ranking_blocks, rows_of_spans
from unjudged.data.strata import strata_of
from unjudged.measures.ideal import GainTable, gain_of, log_discounts, refuse_high_grades

__all__ = ["SampleIdeal", "sample_ideal"]


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
        totals = np.bincount(group, weights=gain * self._discounts(end - size, end), minlength=groups)
        return totals.astype(np.float64, copy=False)

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
