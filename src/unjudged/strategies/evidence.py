"""The document that is most likely to be relevant, by a model that learns from each judgment."""

from __future__ import annotations

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.spec import Choice, param
from unjudged.strategies.base import Batch, Order, RelevanceStrategy, TopicByTopic, first_by
from unjudged.strategies.candidates import Candidates
from unjudged.strategies.relevance_model import RelevanceModel

__all__ = ["Evidence"]


class Evidence(RelevanceStrategy):
    """The document that is expected to be most relevant, by a regression on the ranks that all runs give it.

    The regression is refitted with each judgment: how much a run is worth on a topic shows in what was judged there.
    Runs that are not in the pool are evidence, too, and so are labels of other judges. Until something is judged,
    documents that many runs have on top come first. With ``topics='best'`` topics that promise more relevant documents
    are judged more; usually all get equally many judgments.
    """

    name = "evidence"
    title = "The document that is most likely to be relevant"
    reference = (
        "G. Cormack, M. Grossman. Autonomy and reliability of continuous active learning for technology-assisted"
        " review. arXiv, 2015."
    )
    priority = "expected relevance"
    uses_labels = True

    topics: str = param("even", Choice(("even", "best")), "topics are judged alike, or the best of all")

    def start(self, candidates: Candidates, *, seed: int) -> Order:
        """Its order on a collection."""
        order = _ByTopic if self.topics == "even" else _Anywhere
        return order(candidates, self.rel)


class _Learning(Order):
    """Tells a model how relevant documents turned out to be."""

    def __init__(self, candidates: Candidates, rel: float) -> None:
        super().__init__(candidates)
        self._rel = rel
        self.model = RelevanceModel(candidates)

    def learn(self, pairs: Ints) -> None:
        self.model.learn(pairs, (self.grades[pairs] >= self._rel).astype(np.float64))

    def grade_probabilities(self, pairs: Ints) -> Floats:
        judged = np.flatnonzero(self.judged)
        return self.model.grade_probabilities(pairs, judged, self.grades[judged])


class _ByTopic(_Learning, TopicByTopic):
    def ask_topic(self, topic: int, number: int) -> tuple[Ints, Floats]:
        first, last = self.candidates.offsets[topic : topic + 2].tolist()
        places = np.flatnonzero(self.open[first:last])
        return first_by(self.candidates, first + places, self.model.expected(topic)[places], number)


class _Anywhere(_Learning):
    def ask(self, number: int) -> Batch:
        expected = [self.model.expected(topic) for topic in range(len(self.candidates.topics))]
        among = np.flatnonzero(self.open)
        pairs, priorities = first_by(self.candidates, among, np.concatenate([*expected, np.zeros(0)])[among], number)
        return Batch(pairs, priorities)
