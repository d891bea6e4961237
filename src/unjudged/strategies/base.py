"""What a strategy is: a rule for which document is judged next, given what was judged so far.

A `Strategy` is a specification, such as ``mtf`` or ``sample(rate=10%)``. Its `start` gives an `Order`, which is
told judgments (`tell`) and asked for documents (`ask`):

    candidates = candidates_of(joined, depth=100)          # what may be judged, and which run has it where
    order = strategies.choose("depth").start(candidates, seed=42)
    order.tell(*candidates.judgments(joined.qrels))         # what is judged already
    batch = order.ask(100)                                  # what should be judged next, best first, and why
    order.tell(batch.pairs, grades)                         # what the assessors said

What holds for every order, and is checked for each in `tests/strategies/test_every_strategy.py`:

* `ask` gives pairs that may be asked for (`Candidates.askable`) and are not judged, each once, as many as there are if
  fewer than asked for (of a sample, `is_sample`: as many as are drawn); it changes nothing, so
  that asking again gives the same.
* What is asked for follows from the candidates, the judgments that were told and the seed; not from the calls in which
  they were told, nor from how runs and judgments were given.
* `ask(m)` is the beginning of `ask(n)` for m < n, unless the class says that its batches are diverse.
* Ties go to the document with the better best rank in a run of the pool, then to the lower pair number: the earlier
  topic, then the document whose id comes first in byte order (`first_by`). What is compared is rounded (`PLACES`), so
  that the last bits of floating point, which differ between machines, decide nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from unjudged.arrays import Flags, Floats, GradeColumn, Ints, SmallInts
from unjudged.errors import InputError
from unjudged.measures.capabilities import rel_param
from unjudged.registry import Registry
from unjudged.spec import Spec
from unjudged.strategies.candidates import Candidates

__all__ = [
    "PLACES",
    "Batch",
    "Order",
    "RelevanceStrategy",
    "Strategy",
    "TopicByTopic",
    "even_shares",
    "first_by",
    "strategies",
]

PLACES = 9
"""Decimal places of priorities that count: two that are equal so far are a tie."""

strategies: Registry[Strategy] = Registry("strategy", example="depth or sample(rate=10%)")


@dataclass(frozen=True, eq=False)
class Batch:
    """What to judge next, in this order, and why. Every column is as long as :attr:`pairs`, or None."""

    pairs: Ints
    """Numbers of :class:`Candidates`."""
    priorities: Floats
    """What the strategy has chosen them by, in a unit of its own (:attr:`Strategy.priority`); higher is earlier."""
    effects: Floats | None = None
    """The expected effect on what is to be decided, where the strategy has a question in mind."""
    inclusion: Floats | None = None
    """The probability with which each was to be asked for, where that is known: what unbiased estimates need."""
    strata: SmallInts | None = None
    """The stratum that each was drawn from."""
    parts: SmallInts | None = None
    """Which assessor's part of the batch each belongs to."""

    def __len__(self) -> int:
        return len(self.pairs)

    def first(self, number: int) -> Batch:
        """The first *number* of them."""
        columns: dict[str, Any] = {}
        for column in fields(self):
            values = getattr(self, column.name)
            columns[column.name] = None if values is None else values[:number]
        return Batch(**columns)


class Strategy(Spec):
    """Says what should be judged next. A subclass with a ``name`` is registered by being defined."""

    registry = strategies
    title: ClassVar[str] = ""
    reference: ClassVar[str] = ""
    priority: ClassVar[str] = "priority"
    """What the numbers of :attr:`Batch.priorities` are, in a few words."""
    random: ClassVar[bool] = False
    """Whether the seed matters."""
    uses_labels: ClassVar[bool] = False
    """Whether labels of other judges are part of it."""
    is_sample: ClassVar[bool] = False
    """Whether it asks for a part of the pool only, drawn with known probabilities."""
    seeks_relevant: ClassVar[bool] = False
    """Whether what seems relevant comes first, so that what is left is worse than it looks."""

    @property
    def gives_strata(self) -> bool:
        """Whether what is judged has strata, which some measures need."""
        return self.is_sample

    def check(self, candidates: Candidates) -> None:
        """Raise an error where it cannot be followed; asked before any work starts."""

    def start(self, candidates: Candidates, *, seed: int) -> Order:
        """Its order on a collection of which nothing has been told yet."""
        raise TypeError(f"{type(self).__name__} does not say what should be judged next")


class RelevanceStrategy(Strategy):
    """A strategy that asks whether a document is relevant, and looks for those that are."""

    seeks_relevant = True
    rel: float = rel_param()


class Order(ABC):
    """The state of a strategy on a collection: what it has been told, and what it would ask next."""

    def __init__(self, candidates: Candidates) -> None:
        self.candidates = candidates
        self.judged: Flags = np.zeros(len(candidates), dtype=bool)
        self.grades: GradeColumn = np.zeros(len(candidates), dtype=candidates.scale.dtype)
        """Of the judged pairs; 0 elsewhere."""
        self.strata: SmallInts | None = None
        """The stratum of each pair, whether or not it is drawn, where a sample is drawn from strata."""

    @property
    def open(self) -> Flags:
        """Pairs that may still be asked for."""
        return self.candidates.askable & ~self.judged

    def tell(self, pairs: Ints, grades: GradeColumn) -> None:
        """Take judgments in. A pair that was told before is an error: judgments do not change."""
        if self.judged[pairs].any() or len(np.unique(pairs)) < len(pairs):
            raise InputError("a document was judged twice")
        self.judged[pairs] = True
        self.grades[pairs] = grades
        self.learn(pairs)

    def learn(self, pairs: Ints) -> None:  # noqa: B027  # an order that judgments do not change need not follow
        """Follow up on judgments that were just told; :attr:`judged` and :attr:`grades` have them already."""

    def grade_probabilities(self, pairs: Ints) -> Floats | None:
        """The probability of each grade of ``Candidates.scale``, shape (pairs, grades), where the order has a belief.

        It is apart from :meth:`ask`, because it may take longer than that.
        """
        return None

    @abstractmethod
    def ask(self, number: int) -> Batch:
        """The next *number* pairs to judge, or as many as are left; changes nothing."""


class TopicByTopic(Order):
    """An order within each topic; topics take turns, so that all get equally many judgments, as far as there are."""

    def ask(self, number: int) -> Batch:
        """From each topic so many that the numbers of judged documents are as even as can be; topics take turns."""
        topics, topic_of = len(self.candidates.topics), self.candidates.topic_of
        left = np.bincount(topic_of[self.open], minlength=topics)
        done = np.bincount(topic_of[self.judged], minlength=topics)
        shares = even_shares(done, left, number)
        parts = [self.ask_topic(topic, share) for topic, share in enumerate(shares.tolist()) if share]
        if not parts:
            return Batch(np.zeros(0, dtype=np.int64), np.zeros(0))
        pairs = np.concatenate([pairs for pairs, _ in parts])
        turn = np.concatenate([done[topic] + np.arange(share) for topic, share in enumerate(shares.tolist())])
        order = np.argsort(turn, kind="stable")
        return self.batch(pairs[order], np.concatenate([priorities for _, priorities in parts])[order])

    def batch(self, pairs: Ints, priorities: Floats) -> Batch:
        """What there is to say about pairs that are asked for."""
        return Batch(pairs, priorities)

    @abstractmethod
    def ask_topic(self, topic: int, number: int) -> tuple[Ints, Floats]:
        """The next *number* open pairs of a topic, which has so many, in order; and their priorities."""


def even_shares(done: Ints, left: Ints, number: int) -> Ints:
    """How many of *number* each topic gets, who have *done* so many and have so many *left*, to be as even as can be.

    Where it does not come out even, topics that come first get one more.

    >>> even_shares(np.array([5, 0, 1]), np.array([9, 9, 1]), 6).tolist()
    [0, 5, 1]
    """
    number = min(number, int(left.sum()))
    low, high = 0, int((done + left).max(initial=0))
    while low < high:  # the highest level up to which all can be filled
        level = (low + high + 1) // 2
        if int(np.clip(level - done, 0, left).sum()) <= number:
            low = level
        else:
            high = level - 1
    shares = np.clip(low - done, 0, left)
    more = np.flatnonzero((done + shares <= low) & (shares < left))
    shares[more[: number - int(shares.sum())]] += 1
    return shares


def first_by(candidates: Candidates, among: Ints, priorities: Floats, number: int) -> tuple[Ints, Floats]:
    """The *number* pairs of highest priority *among* some, in order, and their priorities; ties as the module says."""
    rounded = np.round(priorities, PLACES)
    if 0 < number < len(among):  # no need to order those that are not wanted
        wanted = rounded >= np.partition(rounded, len(among) - number)[len(among) - number]
        among, priorities, rounded = among[wanted], priorities[wanted], rounded[wanted]
    order = np.lexsort((candidates.ties[among], -rounded))[:number]
    return among[order], priorities[order]
