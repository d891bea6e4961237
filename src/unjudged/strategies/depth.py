"""Depth pooling as an order: the documents that some run has on top first."""

from __future__ import annotations

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.strategies.base import Order, Strategy, TopicByTopic
from unjudged.strategies.candidates import Candidates

__all__ = ["Depth"]


class Depth(Strategy):
    """Documents in the order of their best rank in a run of the pool; judgments change nothing.

    After a whole rank this is the pool of that depth, the usual way to build a test collection.
    """

    name = "depth"
    title = "By best rank"
    reference = "E. Voorhees, D. Harman. TREC: experiment and evaluation in information retrieval. MIT Press, 2005."
    priority = "minus the best rank"

    def start(self, candidates: Candidates, *, seed: int) -> Order:
        """Its order on a collection."""
        return _ByRank(candidates)


class _ByRank(TopicByTopic):
    def __init__(self, candidates: Candidates) -> None:
        super().__init__(candidates)
        self._order = np.lexsort((candidates.ties, candidates.topic_of))

    def ask_topic(self, topic: int, number: int) -> tuple[Ints, Floats]:
        mine = self._order[slice(*self.candidates.offsets[topic : topic + 2])]
        pairs = mine[self.open[mine]][:number]
        return pairs, -self.candidates.best_rank[pairs].astype(np.float64)
