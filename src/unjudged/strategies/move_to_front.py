"""Move to front: stay with a run as long as what it brings is relevant."""

from __future__ import annotations

from typing import Self

import numpy as np

from unjudged.arrays import SmallInts
from unjudged.strategies.base import Order, RelevanceStrategy
from unjudged.strategies.candidates import Candidates
from unjudged.strategies.run_by_run import RunByRun, Turn, pooled_rankings

__all__ = ["MoveToFront"]


class MoveToFront(RelevanceStrategy):
    """Documents of one run, best first, until one is not relevant; then of the run that has failed the fewest times.

    Of runs that failed equally often, the one that has waited longest is next: at first, in the order of their names.
    """

    name = "mtf"
    title = "Move to front"
    reference = "G. Cormack, C. Palmer, C. Clarke. Efficient construction of large test collections. SIGIR 1998."
    priority = "minus the times that the run has failed"

    def start(self, candidates: Candidates, *, seed: int) -> Order:
        """Its order on a collection."""
        return _MoveToFront(candidates, self.rel)


class _MoveToFront(RunByRun):
    def start_topic(self, topic: int) -> Turn:
        first, last = self.candidates.offsets[topic : topic + 2].tolist()
        return _Queue(pooled_rankings(self.candidates, topic), first, last - first)


class _Queue(Turn):
    def __init__(self, rankings: list[SmallInts], first: int, documents: int) -> None:
        super().__init__(rankings, first, documents)
        self._failures = [0] * len(rankings)
        self._since = list(range(len(rankings)))
        """When each run came to where it is in the queue."""

    def copied(self) -> Self:
        other = super().copied()
        other._failures, other._since = list(self._failures), list(self._since)
        return other

    def choose(self) -> int:
        waiting = np.flatnonzero(self.alive).tolist()
        return min(waiting, key=lambda run: (self._failures[run], self._since[run]))

    def credit(self, run: int, pair: int, relevant: bool) -> None:
        if not relevant:
            self._failures[run] += 1
            self._since[run] = len(self._since) + self.looks

    def value(self, run: int) -> float:
        return -float(self._failures[run])
