"""Orders that choose a run, and then the best document of it that nobody has looked at: what they have in common."""

from __future__ import annotations

from abc import abstractmethod
from copy import copy
from typing import Self

import numpy as np

from unjudged.arrays import Flags, Floats, Ints, SmallInts
from unjudged.strategies.base import TopicByTopic
from unjudged.strategies.candidates import Candidates

__all__ = ["RunByRun", "Turn", "pooled_rankings", "which_has_what"]


def pooled_rankings(candidates: Candidates, topic: int) -> list[SmallInts]:
    """The pairs that may be asked for, of each run of the pool, within the pool depth and best first."""
    out = []
    for run in np.flatnonzero(candidates.pooled_runs).tolist():
        pairs, ranks = candidates.ranking(run, topic)
        out.append(pairs if candidates.depth is None else pairs[ranks <= candidates.depth])
    return out


def which_has_what(rankings: list[SmallInts], first: int, documents: int) -> Flags:
    """Whether each of these rankings has each of the topic's pairs, of which there are so many from *first* on."""
    has = np.zeros((len(rankings), documents), dtype=bool)
    for run, pairs in enumerate(rankings):
        has[run, pairs - first] = True
    return has


class Turn:
    """One topic: how far down each run its documents were looked at, and which are left.

    A document is passed over where it was looked at in another run. Pairs count from the first of the topic.
    """

    def __init__(self, rankings: list[SmallInts], first: int, documents: int) -> None:
        self._rankings, self._first = rankings, first
        self._looked_at: Flags = np.zeros(documents, dtype=bool)
        self._places = [0] * len(rankings)
        self.alive: Flags = np.ones(len(rankings), dtype=bool)
        """Runs that have documents left, as far as anybody knows."""
        self.looks = 0

    def copied(self) -> Self:
        """The same, to try what would come next."""
        other = copy(self)
        other._looked_at, other._places, other.alive = self._looked_at.copy(), list(self._places), self.alive.copy()
        return other

    def top(self, run: int) -> int | None:
        """The best pair of a run that nobody has looked at; None where it has no more."""
        ranking, place = self._rankings[run], self._places[run]
        while place < len(ranking) and self._looked_at[ranking[place] - self._first]:
            place += 1
        self._places[run] = place
        if place == len(ranking):
            self.alive[run] = False
            return None
        return int(ranking[place])

    def look(self, pair: int) -> None:
        """Note that a pair was looked at."""
        self._looked_at[pair - self._first] = True
        self.looks += 1

    @abstractmethod
    def choose(self) -> int:
        """The run to look at, of those that are :attr:`alive`."""

    @abstractmethod
    def credit(self, run: int, pair: int, relevant: bool) -> None:
        """Take in what was found out about a pair that a run has brought."""

    def value(self, run: int) -> float:
        """What the run was chosen by."""
        return 0.0


class RunByRun(TopicByTopic):
    """Runs are looked at in turns, and what was found in one decides which is next.

    The turns of a topic are taken from the start, with the judgments there are as answers: so the state follows from
    the judgments, not from when they were made. Where an answer is open, later documents of the same batch are chosen
    without it.
    """

    def __init__(self, candidates: Candidates, rel: float) -> None:
        super().__init__(candidates)
        self.rel = rel
        self._turns: dict[int, Turn] = {}

    @abstractmethod
    def start_topic(self, topic: int) -> Turn:
        """A topic nobody has looked at."""

    def ask_topic(self, topic: int, number: int) -> tuple[Ints, Floats]:
        """What comes up next that is not judged."""
        if topic not in self._turns:
            self._turns[topic] = self.start_topic(topic)
        self._look(self._turns[topic], 0)
        found = self._look(self._turns[topic].copied(), number)
        pairs = np.array([pair for pair, _ in found], dtype=np.int64)
        return pairs, np.array([value for _, value in found], dtype=np.float64)

    def _look(self, turn: Turn, number: int) -> list[tuple[int, float]]:
        """Take turns through all that is judged, until *number* pairs are found that are not."""
        found: list[tuple[int, float]] = []
        while turn.alive.any():
            run = turn.choose()
            pair = turn.top(run)
            if pair is None:
                continue
            if not self.judged[pair]:
                if len(found) == number:
                    break
                found.append((pair, turn.value(run)))
                turn.look(pair)
                continue
            turn.look(pair)
            turn.credit(run, pair, bool(self.grades[pair] >= self.rel))
        return found
