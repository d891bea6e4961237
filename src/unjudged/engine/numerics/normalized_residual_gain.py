"""Several runs beside each other: where each has each document, and so what it adds to any set of the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from unjudged.arrays import Flags, Floats, Ints
from unjudged.data.pairs import Residual, number_pairs
from unjudged.data.qrels import Qrels
from unjudged.data.view import View
from unjudged.measures.base import share
from unjudged.measures.relative import NRG, row_weights, seen_at

__all__ = ["Readings"]


class Readings:
    """Runs joined with the same judgments, as far down as anybody reads them.

    With *holes*, views have all their rows, and what is left of unjudged documents is known too; without, they need
    not have more than the judged ones.
    """

    def __init__(self, measure: NRG, qrels: Qrels, views: Sequence[View], *, holes: bool) -> None:
        self.measure, self.qrels, self.views = measure, qrels, tuple(views)
        self.pairs, self.numbers = number_pairs(qrels, views, holes=holes)
        self._model = measure.model(qrels, max((view.deepest for view in views), default=0))

    def left(self, prior_runs: Sequence[int]) -> Floats:
        """What is left of each pair to somebody who has read these runs (by position)."""
        left = np.ones(self.pairs.size)
        for run in sorted(prior_runs):
            number, missed = self._missed[run]
            left[number] *= missed
        return left

    @cached_property
    def _missed(self) -> list[tuple[Ints, Floats]]:
        """The pairs that each run has, and the probability that its reader missed each."""
        depth, out = self.measure.prior_depth(), []
        for view, numbers in zip(self.views, self.numbers, strict=True):
            inside = slice(None) if depth is None else np.flatnonzero(view.rank <= depth)
            out.append((numbers[inside], 1.0 - seen_at(self._model, view.rank[inside])))
        return out

    def read(self, run: int) -> tuple[View, Ints]:
        """What the measure looks at of a run, and the number of the pair of each row."""
        view, numbers, depth = self.views[run], self.numbers[run], self.measure.depth()
        return (view, numbers) if depth is None else (view.top(depth), numbers[view.rank <= depth])

    def after(self, run: int, left: Floats) -> View:
        """A run as it is to somebody who has so much left."""
        return self.views[run].after(Residual(self.pairs, left, self.numbers[run]))

    def found_by(self, runs: Sequence[int], depth: int | None) -> Ints:
        """How many of these runs have each pair within *depth*."""
        counts = np.zeros(self.pairs.size, dtype=np.int64)
        for run in runs:
            numbers = self.numbers[run]
            counts[numbers if depth is None else numbers[self.views[run].rank <= depth]] += 1
        return counts

    # ---- all runs at once, with unjudged documents as not relevant

    @cached_property
    def columns(self) -> Ints:
        """The pairs that bring gain, topic by topic."""
        gains = self._model.gains[self.qrels.levels]
        return np.flatnonzero(self.qrels.judged & (gains != 0))

    @cached_property
    def worth(self) -> Floats:
        """What each run gets from each of the :attr:`columns` before anything is taken away: shape (runs, columns)."""
        column = np.zeros(len(self.qrels), dtype=np.int64)  # of each judgment that brings gain
        column[self.columns] = np.arange(len(self.columns))
        out = np.zeros((len(self.views), len(self.columns)))
        for run in range(len(self.views)):
            view, numbers = self.read(run)
            rows = np.flatnonzero(view.judged & (self._model.gains[view.levels] != 0))
            gains = self._model.gains[view.levels[rows]]
            out[run, column[numbers[rows]]] = row_weights(self._model, view, rows) * gains
        return out

    def scores(self, left: Floats, counted: Flags | None = None) -> Floats:
        """Score of every run and topic after what *left* says: shape (runs, topics).

        *counted*: whether a run gets what it has in each of the :attr:`columns`; all of it, unless given.
        """
        starts = np.searchsorted(self.qrels.topic_of_row[self.columns], np.arange(len(self.qrels.topics)))
        sums = np.zeros((len(self.views), len(starts)))
        ends = np.append(starts[1:], len(self.columns))
        filled = np.flatnonzero(ends > starts)
        if len(filled):
            gains = self.worth * left[self.columns]
            sums[:, filled] = np.add.reduceat(gains if counted is None else gains * counted, starts[filled], axis=1)
        return share(sums, self.measure.divisors(self.qrels, left[: len(self.qrels)]))

    def pairwise(self) -> Floats:
        """Mean score of every run after every other alone: shape (runs, prior runs); NaN for a run after itself."""
        runs = range(len(self.views))
        out = np.stack([self.scores(self.left([first])).mean(axis=1) for first in runs], axis=1)
        out[runs, runs] = np.nan
        return out

    def greedy(
        self, start: Sequence[int], steps: int, judged: Sequence[Ints], *, per_judgment: bool = False
    ) -> Iterator[tuple[int, float, int]]:
        """Runs in the order in which they add most to *start* and those before them; what each adds, and its cost.

        The cost is how many documents have to be judged for it: those of *judged* (pairs of each run) that no run
        before has. *per_judgment*: each is the run for which these add most on average. What it adds with documents
        that were judged before, or that nobody has to judge for it, does not count there: a copy, or a run that is
        good below the pool, would cost next to nothing, and seem to be worth it.
        """
        left, rest = self.left(start), [run for run in range(len(self.views)) if run not in start]
        new = np.ones(self.pairs.size, dtype=bool)
        for run in start:
            new[judged[run]] = False
        paid = np.stack([np.isin(self.columns, mine) for mine in judged])
        for _ in range(min(steps, len(rest))):
            added = self.scores(left).mean(axis=1)[rest]
            costs = np.array([np.count_nonzero(new[judged[run]]) for run in rest])
            wanted = added
            if per_judgment:
                wanted = share(self.scores(left, paid & new[self.columns]).mean(axis=1)[rest], costs)
            at = int(np.argmax(wanted))
            best = rest.pop(at)
            yield best, float(added[at]), int(costs[at])
            number, missed = self._missed[best]
            left[number] *= missed
            new[judged[best]] = False
