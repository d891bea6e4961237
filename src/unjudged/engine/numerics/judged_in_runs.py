"""Where runs have judged documents, and how good these runs are by the judgments of other documents."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.data.qrels import Qrels
from unjudged.data.run_occurrences import OccurrencesInRuns
from unjudged.data.spans import sums_of

__all__ = ["JudgedInRuns"]

_FUSION = 60.0
"""Reciprocal rank fusion's constant (Cormack, Clarke and Büttcher, 2009)."""
_LEAST_SUPPORT = 0.06
"""Support that a document without any has: as much as one group brings that has it at rank 940."""
_TOP = 10
"""Groups that have a document among so many first ones are counted apart: most users look no further."""
_UNSEEN = 10
"""What no run has counts as so many times deeper than all ranks there are."""
_SHRINKAGE = 2.0
"""A run's documents on one topic are joined by so many of its average, and this by one of the collection's."""


class JudgedInRuns:
    """The judged documents (*rows* of the judgments) in runs. What several runs of a group have counts once.

    A document at rank r weighs 60 / (60 + r), as in reciprocal rank fusion.
    """

    def __init__(self, occurrences: OccurrencesInRuns, qrels: Qrels, rows: Ints) -> None:
        number = np.full(len(qrels), -1, dtype=np.int64)
        number[rows] = np.arange(len(rows))
        columns = occurrences.columns
        kept = np.flatnonzero(number[columns.pairs] >= 0)
        self._documents = number[columns.pairs[kept]]
        self._runs = columns.runs[kept].astype(np.int64)
        self._ranks = columns.ranks[kept].astype(np.int64)
        self._weights: Floats = _FUSION / (_FUSION + self._ranks.astype(np.float64))
        # Columns are by document, then by group, from the best rank on.
        key = self._documents * len(occurrences.keys) + columns.groups[kept]
        self._best = np.flatnonzero(np.diff(key, prepend=-1))
        self._topics, self._grades = qrels.topic_of_row[rows], qrels.grades[rows].astype(np.float64)
        self._shape = (len(occurrences.run_occurrences), len(qrels.topics))
        self._average = float(self._grades.mean())

    @cached_property
    def groups(self) -> Ints:
        """How many groups have each document, at any rank."""
        return np.bincount(self._documents[self._best], minlength=len(self._topics))

    @cached_property
    def best_rank(self) -> Ints:
        """The best rank of each document, 0 where no run has it."""
        unseen = int(self._ranks.max(initial=0)) + 1
        ranks = np.full(len(self._topics), unseen, dtype=np.int64)
        np.minimum.at(ranks, self._documents, self._ranks)
        return np.where(ranks == unseen, 0, ranks)

    @cached_property
    def standing(self) -> tuple[Floats, Floats, Floats]:
        """Logs of how many groups have each document, weighted; of its best rank; and of how many have it on top."""
        first, number = self._documents[self._best], len(self._topics)
        on_top = np.bincount(first[self._ranks[self._best] <= _TOP], minlength=number)
        unseen = _UNSEEN * max(int(self._ranks.max(initial=0)), _TOP)
        best = np.where(self.best_rank == 0, unseen, self.best_rank)
        return np.log(self._support + _LEAST_SUPPORT), -np.log(best), np.log1p(on_top)

    @cached_property
    def _support(self) -> Floats:
        return sums_of(self._weights[self._best], self._documents[self._best], len(self._topics))

    def quality_on_topic(self, folds: Ints) -> Floats:
        """Mean grade of what the runs have that have a document, for its topic, by documents of other *folds*."""
        runs, topics = self._shape
        number = int(folds.max(initial=0)) + 1
        cells = (self._runs * topics + self._topics[self._documents]) * number + folds[self._documents]
        counts, sums = (one.reshape(runs, topics, number) for one in self._totals(cells, runs * topics * number))
        counts, sums = (one.sum(axis=2, keepdims=True) - one for one in (counts, sums))
        of_run = (sums.sum(axis=1) + self._average) / (counts.sum(axis=1) + 1.0)
        quality = (sums + _SHRINKAGE * of_run[:, None, :]) / (counts + _SHRINKAGE)
        documents = self._documents[self._best]
        return self._fused(quality[self._runs[self._best], self._topics[documents], folds[documents]])

    def quality_elsewhere(self) -> Floats:
        """Mean grade of what the runs have that have a document, for all other topics."""
        runs, topics = self._shape
        cells = self._runs * topics + self._topics[self._documents]
        counts, sums = (one.reshape(runs, topics) for one in self._totals(cells, runs * topics))
        counts, sums = (one.sum(axis=1, keepdims=True) - one for one in (counts, sums))
        quality = (sums + self._average) / (counts + 1.0)
        return self._fused(quality[self._runs[self._best], self._topics[self._documents[self._best]]])

    def _totals(self, cells: Ints, size: int) -> tuple[Floats, Floats]:
        """Weighted documents in each cell, and the sum of their grades."""
        return sums_of(self._weights, cells, size), sums_of(self._weights * self._grades[self._documents], cells, size)

    def _fused(self, quality: Floats) -> Floats:
        """The mean over groups for each document, weighted by rank; the collection's average where nobody has it."""
        sums = sums_of(self._weights[self._best] * quality, self._documents[self._best], len(self._topics))
        return (sums + _LEAST_SUPPORT * self._average) / (self._support + _LEAST_SUPPORT)
