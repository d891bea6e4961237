"""Judgments that were really missing once: what was judged before a collection was judged more completely."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unjudged.arrays import Flags
from unjudged.data.joined import Joined
from unjudged.data.qrels import Qrels, State
from unjudged.errors import InputError, Notice
from unjudged.simulate.base import Degradation, Left
from unjudged.spec import Limit, param

__all__ = ["EarlierJudgments", "earlier_judgments"]


@dataclass(frozen=True, eq=False)
class _Before:
    """Of each row of the later judgments whether it was judged or pooled before, and the grade that it had."""

    judged: Flags
    pooled: Flags
    grades: np.ndarray[tuple[int], np.dtype[np.int32]]


class _Rows(Limit):
    def read(self, value: object) -> object:
        if not isinstance(value, _Before):
            raise ValueError
        return value

    def __str__(self) -> str:
        return "rows of judgments"


class EarlierJudgments(Degradation):
    """The judgments that there were before others were added; :func:`earlier_judgments` makes it of both."""

    title = "The judgments before others were added"
    said: ClassVar[str] = "earlier judgments"
    """What it is called; users do not type it."""
    before: _Before = param(..., _Rows(), "what was judged before")

    def __str__(self) -> str:
        return self.said

    __repr__ = __str__

    @property
    def family(self) -> str:
        """It has no levels."""
        return str(self)

    @property
    def is_level(self) -> bool:
        """There is but this one."""
        return False

    def content(self) -> tuple[object, ...]:
        """What was judged before."""
        return (self.before.judged, self.before.pooled, self.before.grades)

    def leave(self, joined: Joined, *, seed: int, repetition: int = 0, case: str = "") -> Left:
        """What was judged before."""
        return Left(self.before.judged, self.before.pooled, grades=self.before.grades)


def earlier_judgments(earlier: Qrels, later: Qrels) -> tuple[EarlierJudgments, list[Notice]]:
    """How *earlier* judgments follow from the *later*, which must have them all, if with other grades, and more."""
    there = np.flatnonzero(earlier.judged)
    topics = np.array([later.topic_rows.get(topic, -1) for topic in earlier.topics], dtype=np.int64)
    of_rows = topics[earlier.topic_of_row]
    rows = np.full(len(earlier), -1, dtype=np.int64)
    known = np.flatnonzero(of_rows >= 0)
    rows[known] = later.pairs.find(of_rows[known], earlier.docs.take(known))
    lacking = there[~np.append(later.judged, False)[rows[there]]]  # row -1 is the last one: not there
    both = ((later, "the truth"), (earlier, "the judgments"))
    names = [name if one.source in ("", "qrels") else one.source for one, name in both]  # a dict has no name of its own
    if len(lacking):
        first = int(lacking[0])
        topic, doc = earlier.topics[earlier.topic_of_row[first]], next(iter(earlier.docs.take(lacking[:1])))
        raise InputError(
            f"{names[0]}: lacks {len(lacking):,} of the {len(there):,} judgments in {names[1]}, such as {doc!r} for"
            f" topic {topic!r}; the truth must have them all"
        )
    judged, pooled = np.zeros((2, len(later)), dtype=bool)
    grades = later.grades.copy()
    judged[rows[there]] = True
    listed = np.flatnonzero((rows >= 0) & (earlier.states != State.UNPOOLED))
    pooled[rows[listed]] = True
    grades[rows[there]] = earlier.grades[there]
    changed = int((grades != later.grades).sum())
    if not changed and judged[later.judged].all():
        raise InputError(f"{names[0]}: adds no judgment to those in {names[1]}; the truth must have more")
    text = f"{changed:,} of {len(there):,} judgments have another grade in {names[0]} than in {names[1]}"
    return (
        EarlierJudgments(before=_Before(judged, pooled, grades)),
        [Notice("changed-grades", changed, text)] if changed else [],
    )
