"""Runs as the arms of a bandit: the one whose documents were relevant most often of late is looked at next."""

from __future__ import annotations

from typing import Self

import numpy as np

from unjudged.arrays import Flags, Floats, Hashes, Ints, SmallInts
from unjudged.data.ids import Ids
from unjudged.kernels.splitmix import mixed, seeded
from unjudged.spec import Real, param
from unjudged.strategies.base import PLACES, Order, RelevanceStrategy, TopicByTopic
from unjudged.strategies.candidates import Candidates
from unjudged.strategies.run_by_run import RunByRun, Turn, pooled_rankings, which_has_what

__all__ = ["MaxMean", "SharedCredit"]


class MaxMean(RelevanceStrategy):
    """Of the run whose latest judgments are best, the next document. A judgment counts for every run that has it.

    A run is as good as (1 + r) / (2 + n), where n judgments, r of them relevant, are weighted: the latest counts 1,
    and the one before it ``rate`` times as much. With a rate of 0 only the latest counts; with 1 they all do, alike.
    Runs that are equally good are drawn at random.
    """

    name = "mm_ns"
    title = "The run with the best latest judgments (MaxMean, non-stationary)"
    reference = (
        "D. Losada, J. Parapar, A. Barreiro. Feeling lucky? Multi-armed bandits for ordering judgements in"
        " pooling-based evaluation. SAC 2016."
    )
    priority = "mean of the run's latest judgments"
    random = True

    rate: float = param(0.0, Real(0, 1), "what a judgment weighs compared with the next one")

    def start(self, candidates: Candidates, *, seed: int) -> Order:
        """Its order on a collection."""
        return _MaxMean(candidates, self.rel, self.rate, seed)


class _MaxMean(RunByRun):
    def __init__(self, candidates: Candidates, rel: float, rate: float, seed: int) -> None:
        super().__init__(candidates, rel)
        self._rate = rate
        self._topic_keys = mixed(Ids.of(candidates.topics).hashes() + seeded(seed))
        runs = [run for run, pooled in zip(candidates.runs, candidates.pooled_runs.tolist(), strict=True) if pooled]
        self._run_keys = Ids.of(runs).hashes()

    def start_topic(self, topic: int) -> Turn:
        first, last = self.candidates.offsets[topic : topic + 2].tolist()
        keys = mixed(self._run_keys ^ self._topic_keys[topic])
        return _Arms(pooled_rankings(self.candidates, topic), first, last - first, self._rate, keys)


class _Arms(Turn):
    def __init__(self, rankings: list[SmallInts], first: int, documents: int, rate: float, keys: Hashes) -> None:
        super().__init__(rankings, first, documents)
        self._rate, self._keys = rate, keys
        self._has = which_has_what(rankings, first, documents)
        self._weights, self._relevant = np.zeros((2, len(rankings)))

    def copied(self) -> Self:
        other = super().copied()
        other._weights, other._relevant = self._weights.copy(), self._relevant.copy()
        return other

    def _means(self) -> Floats:
        means: Floats = np.round((1.0 + self._relevant) / (2.0 + self._weights), PLACES)
        return means

    def choose(self) -> int:
        means = np.where(self.alive, self._means(), -1.0)
        best = np.flatnonzero(means == means.max())
        lots = mixed(self._keys[best] + seeded(self.looks))
        return int(best[np.argmin(lots)])

    def credit(self, run: int, pair: int, relevant: bool) -> None:
        runs = self._has[:, pair - self._first]
        self._weights[runs] = self._rate * self._weights[runs] + 1.0
        self._relevant[runs] = self._rate * self._relevant[runs] + float(relevant)

    def value(self, run: int) -> float:
        return float(self._means()[run])


class SharedCredit(RelevanceStrategy):
    """Of the run with the highest share of relevant documents so far, the next one. All judgments count for all runs.

    A run is as good as (1 + r) / (2 + n), where n of its documents within the pool depth are judged and r relevant. Of
    runs that are equally good, the one whose next document has the better rank is first, then the one whose name is.
    Judgments may have been made in any order.
    """

    name = "shared_credit"
    title = "The run with the highest share of relevant documents"
    reference = MaxMean.reference
    priority = "share of relevant documents among the run's judged ones"

    def start(self, candidates: Candidates, *, seed: int) -> Order:
        """Its order on a collection."""
        return _SharedCredit(candidates, self.rel)


class _SharedCredit(TopicByTopic):
    def __init__(self, candidates: Candidates, rel: float) -> None:
        super().__init__(candidates)
        self._rel = rel
        self._credits: dict[int, _Credit] = {}

    def _credit(self, topic: int) -> _Credit:
        if topic not in self._credits:
            first, last = self.candidates.offsets[topic : topic + 2].tolist()
            self._credits[topic] = _Credit(pooled_rankings(self.candidates, topic), first, last - first)
        return self._credits[topic]

    def learn(self, pairs: Ints) -> None:
        topics = self.candidates.topic_of[pairs]
        for topic in np.unique(topics).tolist():
            mine = pairs[topics == topic]
            self._credit(topic).learn(mine, self.grades[mine] >= self._rel)

    def ask_topic(self, topic: int, number: int) -> tuple[Ints, Floats]:
        return self._credit(topic).next_pairs(number)


class _Credit:
    """How good the runs are on a topic, and how far down each everything is judged."""

    def __init__(self, rankings: list[SmallInts], first: int, documents: int) -> None:
        self._rankings, self._first = rankings, first
        self._has = which_has_what(rankings, first, documents)
        self._judged = np.zeros(documents, dtype=bool)
        self._seen, self._relevant = np.zeros((2, len(rankings)))
        self._places = [0] * len(rankings)

    def learn(self, pairs: Ints, relevant: Flags) -> None:
        places = pairs - self._first
        self._judged[places] = True
        self._seen += self._has[:, places].sum(axis=1)
        self._relevant += self._has[:, places[relevant]].sum(axis=1)

    def next_pairs(self, number: int) -> tuple[Ints, Floats]:
        means = np.round((1.0 + self._relevant) / (2.0 + self._seen), PLACES)
        taken = self._judged.copy()
        found: list[int] = []
        values: list[float] = []
        places = self._places = [self._next(run, place, taken) for run, place in enumerate(self._places)]
        while len(found) < number:
            ends = [len(ranking) for ranking in self._rankings]
            means[np.array(places) == ends] = -1.0
            run = min(np.flatnonzero(means == means.max()).tolist(), key=lambda one: (places[one], one))
            pair = int(self._rankings[run][places[run]])
            found.append(pair)
            values.append(float(means[run]))
            taken[pair - self._first] = True
            places = [self._next(run, place, taken) for run, place in enumerate(places)]
        return np.array(found, dtype=np.int64), np.array(values)

    def _next(self, run: int, place: int, taken: Flags) -> int:
        ranking = self._rankings[run]
        while place < len(ranking) and taken[ranking[place] - self._first]:
            place += 1
        return place
