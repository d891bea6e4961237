"""What a degradation is: a rule for which judgments are left."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from unjudged.arrays import Flags, GradeColumn, Hashes, Ints, SmallInts
from unjudged.data.ids import Ids, pair_keys
from unjudged.data.joined import Joined
from unjudged.data.qrels import Qrels
from unjudged.data.subtopics import Subtopics
from unjudged.errors import InputError, Notice
from unjudged.registry import Registry
from unjudged.spec import Spec, Whole, param

__all__ = [
    "Degradation",
    "Left",
    "OfPool",
    "degradations",
    "document_keys",
    "judgment_keys",
    "lowest_keys",
    "refuse_depth",
    "topic_keys",
]


degradations: Registry[Degradation] = Registry(
    "degradation", example="DepthCut(10) or 'DepthCut(10) then KeepFraction(10%)'"
)


@dataclass(frozen=True, eq=False)
class Left:
    """What a degradation leaves: masks over the rows of the judgments, not a copy of them."""

    judged: Flags
    """Rows whose judgment is left."""
    pooled: Flags
    """Rows whose document is still known to have been in the pool, judged or not."""
    topics: Flags | None = None
    """Topics that still count; None for all."""
    runs: Ints | None = None
    """Runs that are new to the pool that is left; None where there is no such thing."""
    grades: GradeColumn | None = None
    """Grades of the rows whose judgment is left, where they are not the true ones."""

    subtopics: Subtopics | None = None
    """What documents were judged to be for subtopics, where that is not what it is in truth."""
    strata: SmallInts | None = None
    """The stratum of each row, where they are known."""
    truth: Flags | None = None
    """Rows whose judgment the truth rests on; None for all."""
    docs: Ints | None = None
    """Which of the documents runs may return (rows of ``Joined.docs``); None for all."""

    def of(self, qrels: Qrels) -> Qrels:
        """The judgments that are left."""
        left = qrels.left(self.judged, self.pooled)
        if self.grades is not None:
            left = replace(left, grades=np.where(self.judged, self.grades, 0).astype(self.grades.dtype))
        if self.subtopics is not None:
            left = replace(left, subtopics=self.subtopics.left(self.judged))
        return left if self.strata is None else replace(left, strata=self.strata)


class Degradation(Spec):
    """Says which judgments are left. A subclass with a ``name`` is registered by being defined.

    Repetition 7 of seed 42 is the same whatever else is asked for.
    """

    registry = degradations
    title: ClassVar[str] = ""
    reference: ClassVar[str] = ""
    random: ClassVar[bool] = False
    """Whether repetitions differ."""

    @property
    def is_random(self) -> bool:
        """Whether repetitions of this very degradation differ."""
        return self.random

    @property
    def family(self) -> str:
        """Its name without the level, such as a depth or a share: those of one family are points of one curve."""
        shown = [
            f"{field.name}={field.metadata['limit'].show(value)}"
            for field in self.parameters()
            if field.name != self.nameless and (value := getattr(self, field.name)) != field.default
        ]
        return self.name + (f"({','.join(shown)})" if shown else "")

    @property
    def gives_strata(self) -> bool:
        """Whether what is left has strata, which some measures need."""
        return False

    @property
    def is_level(self) -> bool:
        """Whether it is one of several amounts, which are points of a curve."""
        return True

    @property
    def leaves_runs_out(self) -> bool:
        """Whether some runs are new to what is left."""
        return False

    @property
    def left_out(self) -> str:
        """What is left out in each case: ``"group"``, ``"system"``, or nothing."""
        return "system" if self.leaves_runs_out else ""

    @property
    def pool_depth(self) -> int | None:
        """How many documents of each run are in the pool that is left, where it says so."""
        return None

    def in_pool(self, depth: int) -> Degradation:
        """The same about a pool of this depth, where nobody said another."""
        return self

    def depth_read(self) -> int | None:
        """How deep runs must be read for it; 0 where it does not look at runs, None for all of them."""
        return 0

    def check(self, joined: Joined) -> None:
        """Raise an error where it cannot be applied; a study asks before any work starts."""

    def remarks(self, joined: Joined) -> list[Notice]:
        """What to know about it on these judgments."""
        return []

    def content(self) -> tuple[object, ...]:
        """Arrays that what is left follows from, where its name does not say it."""
        return ()

    def cases(self, joined: Joined) -> tuple[str, ...]:
        """Names of the cases there are, such as one for each group that may be left out."""
        return ("",)

    def leave(self, joined: Joined, *, seed: int, repetition: int = 0, case: str = "") -> Left:
        """What is left of the judgments."""
        raise TypeError(f"{type(self).__name__} does not say which judgments are left")


class OfPool(Degradation):
    """A degradation that asks which documents the pool would have: the first ``depth`` of each run."""

    depth: int = param(..., Whole(1), "documents of each run that went into the pool")

    @property
    def pool_depth(self) -> int | None:
        """That of its pool."""
        return self.depth

    def depth_read(self) -> int | None:
        """As deep as its pool."""
        return self.depth

    def check(self, joined: Joined) -> None:
        """Refuse a depth that no run has."""
        refuse_depth(self, self.depth, joined)


def refuse_depth(how: Degradation, depth: int, joined: Joined) -> None:
    """Refuse a depth that no run has."""
    if depth > joined.deepest:
        raise InputError(f"{how}: no run is so deep; the deepest has {joined.deepest:,} documents for a topic")


def document_keys(docs: Ids, seed: int, repetition: int) -> Hashes:
    """A random number for each document, the same for all topics."""
    return pair_keys([""], np.zeros(len(docs), dtype=np.int64), docs, _stream(seed, repetition))


def topic_keys(qrels: Qrels, seed: int, repetition: int) -> Hashes:
    """A random number for each topic, which depends on its name and not on its place."""
    return document_keys(Ids.of(qrels.topics), seed, repetition)


def judgment_keys(qrels: Qrels, seed: int, repetition: int) -> Hashes:
    """A random number for each (topic, document) pair, which depends on their names and not on their place."""
    return pair_keys(qrels.topics, qrels.topic_of_row, qrels.docs, _stream(seed, repetition))


def _stream(seed: int, repetition: int) -> int:
    """A seed for one repetition, other than that of any other seed's."""
    return seed + (repetition << 32)


def lowest_keys(qrels: Qrels, among: Flags, keys: Hashes, sizes: Ints) -> Flags:
    """In each topic, the *sizes* rows with the lowest keys *among* some; all of them where there are fewer."""
    rows = np.flatnonzero(among)
    rows = rows[np.lexsort((keys[rows], qrels.topic_of_row[rows]))]
    counts = qrels.count(among)
    place = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    out = np.zeros(len(qrels), dtype=bool)
    out[rows[place < np.repeat(sizes, counts)]] = True
    return out
