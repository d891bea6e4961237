"""How relevant a document may be expected to be, learned from the ranks that runs give it while judgments come in.

A document has a feature for each run, ``HALF / (HALF + rank)``; 0 where the run does not have it. What is expected is

    z b + x u,

where x are these features and a 1, and z is 1, the mean of these features, and what each label source says, scaled to 0
to 1. b is the same for all topics; u, with a weight for each run, belongs to the topic. Both are ridge regressions of
relevance (0 or 1): b starts from the belief that relevance is that mean plus the mean label, u from 0. They follow from
sums over judgments: a new one is a rank-one update, and the order in which judgments came does not matter.

What is expected ranks documents. Probabilities of grades are what an ordinal regression on it says, fitted to what each
judged document would be expected to be without its own judgment, which the residuals of a ridge regression tell.
"""

from __future__ import annotations

import numpy as np

from unjudged.arrays import Floats, Ints, SmallInts
from unjudged.holes.evidence_model.ordinal import Ordinal, fit_ordinal
from unjudged.strategies.candidates import Candidates

__all__ = ["RelevanceModel", "scaled_labels"]

HALF = 20.0
"""The rank at which a feature is a half. TREC-8 hardly distinguishes 20 from 40 (206 and 215 judgments per topic until
80% of the relevant documents are found)."""
RIDGE = 10.0
"""Judgments that the belief that runs are alike on a topic is worth. 2 to 20 need 213 to 193 judgments on TREC-8."""
_SHARED_RIDGE = 1.0
_ONE_BY_ONE = 8
"""New judgments of a topic from which on inverting anew is faster than updating."""
_PRIOR = 0.5
"""Weight of one imagined document for each grade, as relevant as the grade is high: decides while few are judged."""


class RelevanceModel:
    """What is expected of the candidates, given the judgments it was told."""

    def __init__(self, candidates: Candidates) -> None:
        self.candidates = candidates
        sources = len(candidates.labels)
        start = np.concatenate([[0.0, 1.0], np.full(sources, 1.0 / max(1, sources))])
        self._squares, self._products = _SHARED_RIDGE * np.eye(len(start)), _SHARED_RIDGE * start
        self._labels = scaled_labels(candidates.labels)
        self._topics: dict[int, _TopicModel] = {}

    def learn(self, pairs: Ints, relevant: Floats) -> None:
        """Take in how relevant, from 0 to 1, some pairs turned out to be."""
        topics = self.candidates.topic_of[pairs]
        for number in np.unique(topics).tolist():
            mine, topic = topics == number, self._topic(number)
            places = pairs[mine] - self.candidates.offsets[number]
            shared = topic.shared[places]
            self._squares += shared.T @ shared
            self._products += shared.T @ relevant[mine]
            topic.learn(places, relevant[mine])

    def _topic(self, topic: int) -> _TopicModel:
        if topic not in self._topics:
            first, last = self.candidates.offsets[topic : topic + 2].tolist()
            features = _rank_features(self.candidates, topic)
            shared = [np.ones(last - first), features[:, :-1].mean(axis=1), *self._labels[:, first:last]]
            self._topics[topic] = _TopicModel(features, np.stack(shared, axis=1))
        return self._topics[topic]

    def coefficients(self) -> Floats:
        """The weights that all topics share: of 1, of the mean feature, and of each label source."""
        return np.linalg.solve(self._squares, self._products).astype(np.float64)

    def expected(self, topic: int) -> Floats:
        """How relevant each pair of a topic is expected to be, about 0 to 1, judged or not."""
        return self._topic(topic).expected(self.coefficients())

    def grade_probabilities(self, pairs: Ints, judged: Ints, grades: SmallInts) -> Floats:
        """The probability of each grade of the scale, shape (pairs, grades), given all that is *judged*."""
        coefficients = self.coefficients()
        model = self._ordinal(judged, grades)
        topics, out = self.candidates.topic_of[pairs], np.zeros(len(pairs))
        for topic in np.unique(topics).tolist():
            mine = topics == topic
            out[mine] = self._topic(topic).expected(coefficients)[pairs[mine] - self.candidates.offsets[topic]]
        return model.probabilities(out[:, None])

    def without_own(self, judged: Ints) -> Floats:
        """What would be expected of judged pairs, if each were the only one of its topic that is not judged."""
        coefficients, topics = self.coefficients(), self.candidates.topic_of[judged]
        out = np.zeros(len(judged))
        for topic in np.unique(topics).tolist():
            mine = topics == topic
            places = judged[mine] - self.candidates.offsets[topic]
            out[mine] = self._topic(topic).without_own(coefficients, places)
        return out

    def features(self, topic: int) -> Floats:
        """A feature for each pair of a topic and each run, and a 1."""
        return self._topic(topic).features

    def shared(self, topic: int) -> Floats:
        """What the weights that all topics share are for, of each pair of a topic."""
        return self._topic(topic).shared

    def _ordinal(self, judged: Ints, grades: SmallInts) -> Ordinal:
        """Grades from what was expected of judged documents without their own judgment."""
        scale, before = self.candidates.scale, self.without_own(judged)
        levels = np.searchsorted(scale, grades).astype(np.int64)
        every = np.arange(len(scale))
        imagined = every / max(1, len(scale) - 1)
        return fit_ordinal(
            np.concatenate([before, imagined])[:, None],
            np.concatenate([levels, every]),
            np.concatenate([np.ones(len(before)), np.full(len(scale), _PRIOR)]),
            number=len(scale),
            rising=np.ones(1, dtype=bool),
        )[0]


class _TopicModel:
    """One topic: features of its documents, and the sums over its judgments that its weights follow from.

    The weights are ``inverse @ (products - shared_products @ coefficients)``, so that those that all topics share may
    change without another look at the judgments.
    """

    def __init__(self, features: Floats, shared: Floats) -> None:
        self.features, self.shared = features, shared
        runs = features.shape[1]
        self._squares, self._inverse = RIDGE * np.eye(runs), np.eye(runs) / RIDGE
        self._products, self._shared_products = np.zeros(runs), np.zeros((runs, shared.shape[1]))
        self._relevant = np.zeros(len(features))

    def learn(self, places: Ints, relevant: Floats) -> None:
        rows = self.features[places]
        self._relevant[places] = relevant
        self._squares += rows.T @ rows
        self._products += rows.T @ relevant
        self._shared_products += rows.T @ self.shared[places]
        if len(places) >= _ONE_BY_ONE:
            self._inverse = np.linalg.inv(self._squares).astype(np.float64)
            return
        for row in rows:  # Sherman and Morrison, 1950
            moved = self._inverse @ row
            self._inverse -= np.outer(moved, moved / (1.0 + row @ moved))

    def expected(self, coefficients: Floats) -> Floats:
        weights = self._inverse @ (self._products - self._shared_products @ coefficients)
        out: Floats = self.shared @ coefficients + self.features @ weights
        return out

    def without_own(self, coefficients: Floats, places: Ints) -> Floats:
        rows, relevant = self.features[places], self._relevant[places]
        leverage = ((rows @ self._inverse) * rows).sum(axis=1)
        out: Floats = relevant - (relevant - self.expected(coefficients)[places]) / (1.0 - leverage)
        return out


def _rank_features(candidates: Candidates, topic: int) -> Floats:
    """A feature for each pair of a topic and each run, and at last a 1: topics differ in how much is relevant."""
    first, last = candidates.offsets[topic : topic + 2].tolist()
    out = np.zeros((last - first, len(candidates.runs) + 1))
    out[:, -1] = 1.0
    for run in range(len(candidates.runs)):
        pairs, ranks = candidates.ranking(run, topic)
        out[pairs - first, run] = HALF / (HALF + ranks)
    return out


def scaled_labels(labels: Floats) -> Floats:
    """Labels of each source from 0 to 1; where it says nothing, what it says on average."""
    out = np.zeros_like(labels)
    for source, values in enumerate(labels):
        known = values[~np.isnan(values)]
        if len(known) and known.max() > known.min():
            scaled = (values - known.min()) / (known.max() - known.min())
            out[source] = np.where(np.isnan(values), np.nanmean(scaled), scaled)
    return out
