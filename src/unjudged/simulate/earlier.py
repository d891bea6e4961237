"""Judgments that were really missing once: what was judged before a collection was judged more completely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from unjudged.arrays import Flags, GradeColumn, Ints, SmallInts
from unjudged.data.joined import Joined
from unjudged.data.qrels import Qrels, State
from unjudged.data.subtopics import Subtopics, numbers_by_name
from unjudged.errors import InputError, Notice
from unjudged.simulate.base import Degradation, Left
from unjudged.spec import Limit, param

__all__ = ["EarlierJudgments", "earlier_judgments"]


@dataclass(frozen=True, eq=False)
class _Before:
    """Of each row of the later judgments whether it was judged or pooled before, and the grade that it had."""

    judged: Flags
    pooled: Flags
    grades: GradeColumn
    strata: SmallInts | None = None
    subtopics: Subtopics | None = None


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
    called: ClassVar[str] = "earlier judgments"
    """What it is called; users do not type it."""
    before: _Before = param(..., _Rows(), "what was judged before")

    def __str__(self) -> str:
        return self.called

    __repr__ = __str__

    @property
    def family(self) -> str:
        """It has no levels."""
        return str(self)

    @property
    def gives_strata(self) -> bool:
        """Where these judgments are a sample of strata."""
        return self.before.strata is not None

    @property
    def is_level(self) -> bool:
        """There is but this one."""
        return False

    def content(self) -> tuple[object, ...]:
        """What was judged before."""
        before = self.before
        labels = () if before.subtopics is None else (before.subtopics.judged, before.subtopics.grades)
        return (before.judged, before.pooled, before.grades, before.strata, *labels)

    def leave(self, joined: Joined, *, seed: int, repetition: int = 0, case: str = "") -> Left:
        """What was judged before."""
        before = self.before
        return Left(
            before.judged, before.pooled, grades=before.grades, strata=before.strata, subtopics=before.subtopics
        )


def earlier_judgments(earlier: Qrels, later: Qrels) -> tuple[EarlierJudgments, list[Notice]]:
    """How *earlier* judgments follow from the *later*, which must have them all, if with other grades, and more."""
    topics = np.array([later.topic_rows.get(topic, -1) for topic in earlier.topics], dtype=np.int64)
    of_rows = topics[earlier.topic_of_row]
    rows = np.full(len(earlier), -1, dtype=np.int64)
    shared = np.flatnonzero(of_rows >= 0)  # of topics that both have
    rows[shared] = later.pairs.find(of_rows[shared], earlier.docs.take(shared))
    both = ((later, "the truth"), (earlier, "the judgments"))
    names = [name if one.source in ("", "qrels") else one.source for one, name in both]  # a dict has no name of its own
    there = np.flatnonzero(earlier.judged)
    _refuse_lacking(earlier, later, rows, names)
    judged, pooled = np.zeros((2, len(later)), dtype=bool)
    grades = later.grades.astype(np.result_type(later.grades, earlier.grades))
    judged[rows[there]] = True
    listed = np.flatnonzero((rows >= 0) & (earlier.states != State.UNPOOLED))
    pooled[rows[listed]] = True
    grades[rows[there]] = earlier.grades[there]
    changed = int((grades != later.grades).sum())
    before = _Before(judged, pooled, grades, _strata(earlier, later, rows), _subtopics(earlier, later, rows, names))
    same_labels = before.subtopics is None or not _differ(before.subtopics, later)
    if not changed and same_labels and judged[later.judged].all():
        raise InputError(f"{names[0]}: adds no judgment to those in {names[1]}; the truth must have more")
    text = f"{changed:,} of {len(there):,} judgments have another grade in {names[0]} than in {names[1]}"
    return EarlierJudgments(before=before), [Notice("changed-grades", changed, text)] if changed else []


def _refuse_lacking(earlier: Qrels, later: Qrels, rows: Ints, names: Sequence[str]) -> None:
    """Refuse a truth that lacks judgments; and, where rates of strata follow from it, documents of the pool."""
    there = np.flatnonzero(earlier.judged)
    lacking, what, of = (
        there[~np.append(later.judged, False)[rows[there]]],
        "judgments",
        len(there),
    )  # row -1: not there
    if not len(lacking) and earlier.strata is not None:
        lacking, what, of = np.flatnonzero(rows < 0), "pooled documents, from which rates of strata follow,", len(rows)
    if len(lacking):
        first = int(lacking[0])
        topic, doc = earlier.topics[earlier.topic_of_row[first]], next(iter(earlier.docs.take(lacking[:1])))
        raise InputError(
            f"{names[0]}: lacks {len(lacking):,} of the {of:,} {what} in {names[1]}, such as {doc!r} for topic"
            f" {topic!r}; the truth must have them all"
        )


def _strata(earlier: Qrels, later: Qrels, rows: Ints) -> SmallInts | None:
    """The stratum of each row of *later*, where it had one before."""
    if earlier.strata is None:
        return None
    strata = np.zeros(len(later), dtype=np.int32)
    strata[rows] = earlier.strata
    return strata


def _subtopics(earlier: Qrels, later: Qrels, rows: Ints, names: Sequence[str]) -> Subtopics | None:
    """What documents were judged to be for the subtopics of *later*; None where either has no subtopics."""
    before, after = earlier.subtopics, later.subtopics
    if before is None or after is None:
        return None
    moved = numbers_by_name(before, earlier.topics, after, later.topics)
    place = {pair: i for i, pair in enumerate(zip(after.docs.tolist(), after.numbers.tolist(), strict=True))}
    pairs = zip(rows[before.docs].tolist(), moved[before.numbers].tolist(), strict=True)
    places = np.array([place.get(pair, -1) for pair in pairs], dtype=np.int64)
    lacking = np.flatnonzero((places < 0) & before.judged & (before.grades > 0))
    if len(lacking):
        raise InputError(
            f"{names[0]}: lacks {len(lacking):,} judgments in {names[1]} of documents that are relevant to a subtopic,"
            f" such as subtopic {before.names[before.numbers[lacking[0]]]!r}; the truth must have them all"
        )
    judged, grades = np.zeros(len(after), dtype=bool), np.zeros(len(after), dtype=before.grades.dtype)
    kept = np.flatnonzero(places >= 0)
    judged[places[kept]], grades[places[kept]] = before.judged[kept], before.grades[kept]
    return replace(after, judged=judged, grades=grades)


def _differ(before: Subtopics, later: Qrels) -> bool:
    after = later.subtopics
    return after is not None and not np.array_equal(before.grades * before.judged, after.grades * after.judged)
