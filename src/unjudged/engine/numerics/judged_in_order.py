"""Judging a collection again: the order in which a strategy asks, as a block of work; and what is left at a budget."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unjudged.arrays import Ints
from unjudged.data.joined import Joined
from unjudged.data.qrels import Qrels
from unjudged.engine.execution.plan import Arrays, Block, Plan, digest_of
from unjudged.registry import plugin_of
from unjudged.simulate.base import Degradation, Left
from unjudged.spec import Limit, Whole, param
from unjudged.strategies import Candidates, Strategy, replay
from unjudged.version import __version__

__all__ = ["Followed", "JudgedInOrder", "Judging", "follow", "judging_plan"]

REVISION = 1
"""Raise it when :func:`follow` gives something else for the same input, so that no store hands out the old."""


@dataclass(frozen=True, eq=False)
class Judging:
    """What all blocks look at: what may be judged, and what the answers are."""

    candidates: Candidates
    qrels: Qrels
    strategies: tuple[Strategy, ...]
    seed: int
    most: int
    """Judgments after which nobody looks any more."""


@dataclass(frozen=True)
class Followed:
    """Which block: a strategy (by its place), and a repetition."""

    strategy: int
    repetition: int


def follow(judging: Judging, which: Followed) -> Arrays:
    """The rows of the judgments in the order of a strategy, and the stratum of every row where it draws from strata.

    A judgment for each topic is made before the strategy is asked again.
    """
    strategy = judging.strategies[which.strategy]
    seed = judging.seed + (which.repetition << 32)
    topics = max(1, len(judging.candidates.topics))
    done = replay(strategy, judging.candidates, judging.qrels, seed=seed, batch=topics, most=judging.most)
    return {"rows": done.rows, **({} if done.strata is None else {"strata": done.strata})}


def judging_plan(judging: Judging, repeat: int) -> Plan:
    """A block for each strategy, and for each repetition of those that draw at random."""
    blocks = [
        Block(Followed(place, repetition), f"{strategy}, repetition {repetition}")
        for place, strategy in enumerate(judging.strategies)
        for repetition in range(repeat if strategy.random else 1)
    ]
    versions = (__version__, REVISION, *sorted({str(plugin_of(type(one)) or "") for one in judging.strategies}))
    candidates, qrels = judging.candidates, judging.qrels
    content = (
        (candidates.topics, candidates.offsets, candidates.docs, candidates.qrels_rows, candidates.askable),
        (candidates.runs, candidates.pooled_runs, candidates.depth, candidates.ranking_offsets),
        (candidates.ranked.pairs, candidates.ranked.ranks, candidates.labels),
        (qrels.grades, qrels.states, judging.seed, judging.most),
    )
    return Plan(follow, judging, tuple(blocks), digest_of((versions, content)))


class _Rows(Limit):
    def read(self, value: object) -> object:
        if not isinstance(value, tuple):
            raise ValueError
        return value

    def __str__(self) -> str:
        return "rows of judgments"


class _OfStrategies(Limit):
    def read(self, value: object) -> object:
        if not isinstance(value, Strategy):
            raise ValueError
        return value

    def __str__(self) -> str:
        return "a strategy"


class JudgedInOrder(Degradation):
    """The judgments that a strategy has asked for by the time a budget is spent; the study makes it of a replay.

    The rest counts as pooled but not judged.
    """

    title = "The judgments that a strategy asks for first"
    strategy: Strategy = param(..., _OfStrategies(), "what asks")
    judgments: int = param(..., Whole(1), "how many judgments are made")
    replays: tuple[Arrays, ...] = param(..., _Rows(), "what :func:`follow` gave, for each repetition")

    def __str__(self) -> str:
        return f"{self.strategy} to {self.judgments}"

    __repr__ = __str__

    @property
    def is_random(self) -> bool:
        """Whether the strategy draws at random."""
        return self.strategy.random

    @property
    def family(self) -> str:
        """The strategy: budgets are points of its curve."""
        return str(self.strategy)

    @property
    def gives_strata(self) -> bool:
        """Whether a sample is drawn from strata."""
        return "strata" in self.replays[0]

    def content(self) -> tuple[object, ...]:
        """The orders."""
        return tuple(array for one in self.replays for array in one.values())

    def leave(self, joined: Joined, *, seed: int, repetition: int = 0, case: str = "") -> Left:
        """What is judged by then."""
        order = self.replays[repetition]
        kept = np.zeros(len(joined.qrels), dtype=bool)
        rows: Ints = order["rows"][: self.judgments]
        kept[rows] = True
        strata = order.get("strata")
        # What was not in the pool could not be drawn: it is in no stratum.
        return Left(kept, joined.qrels.judged if strata is None else strata > 0, strata=strata)
