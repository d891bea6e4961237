"""Judgments: what assessors said about (topic, document) pairs."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property
from itertools import compress

import numpy as np
from numpy.typing import NDArray

import unjudged.kernels as kernels
from unjudged.arrays import Bytes, Flags, Floats, GradeColumn, Ints, SmallInts
from unjudged.data.ids import Ids, PairIndex
from unjudged.data.memo import Memo, remembered
from unjudged.data.run import TopicColumn, group_rows
from unjudged.data.scale import ABOVE_ZERO, ORDINARY_TOP, Scale, as_grades, scale_of
from unjudged.data.spans import offsets_of
from unjudged.data.subtopics import Subtopics, number_subtopics
from unjudged.errors import Notice, some_of
from unjudged.limits import NegativeGrades
from unjudged.notebook_repr import NotebookRepr
from unjudged.wording import counted

__all__ = [
    "GRADE_LIMIT",
    "Qrels",
    "State",
    "build_qrels",
    "has_several_subtopics",
    "judgments_of",
    "meaning_of_negative_grades",
    "nameless_judgments",
    "repeated_judgments",
]


GRADE_LIMIT = 100_000
"""Grades and strata beyond this are columns in the wrong place."""

_SHOWN = ORDINARY_TOP + 1
"""Different grades up to which the number of judgments of each is shown."""


class State(IntEnum):
    """What is known about a (topic, document) pair. A grade is never a flag; the state has its own column."""

    UNPOOLED = 0
    POOLED = 1
    JUDGED = 2


@dataclass(frozen=True, eq=False)
class Qrels(Memo, NotebookRepr):
    """Judgments, topic by topic. Topic ``i`` owns rows ``offsets[i]:offsets[i + 1]``, one for each document.

    ``grades`` are 0 wherever ``states`` is not ``JUDGED``. ``strata`` (sampling strata) and ``subtopics`` (diversity
    judgments) are None where the input has none. With subtopics, the grade of a document is its highest over them, and
    it is judged if it was judged for any.
    """

    topics: tuple[str, ...]
    offsets: Ints
    docs: Ids
    grades: GradeColumn
    states: Bytes
    strata: SmallInts | None = None
    subtopics: Subtopics | None = None
    source: str = ""
    given_scale: Scale | None = None
    """The grade scale of judgments that do not show all of it, because they were made from others."""
    notices: tuple[Notice, ...] = ()
    """What was assumed when they were read."""

    def __len__(self) -> int:
        return len(self.grades)

    def __repr__(self) -> str:
        judged, counts = f"{int(self.judged.sum()):,} judged", self.grade_counts()
        grades = (
            f"grades {counts}"
            if len(counts) <= _SHOWN
            else f"{len(counts):,} grades from {min(counts)} to {max(counts)}"
        )
        return f"Qrels({counted(len(self.topics), 'topic')}, {judged}, {grades})"

    @cached_property
    def topic_rows(self) -> dict[str, int]:
        """Position of each topic."""
        return {topic: i for i, topic in enumerate(self.topics)}

    @cached_property
    def judged(self) -> Flags:
        """Rows that were judged, and not only listed."""
        judged: Flags = self.states == State.JUDGED
        return judged

    @cached_property
    def topic_of_row(self) -> Ints:
        """Topic position of each row."""
        return np.repeat(np.arange(len(self.topics), dtype=np.int64), np.diff(self.offsets))

    @cached_property
    def pairs(self) -> PairIndex:
        """Finds (topic position, doc)."""
        return PairIndex(self.topic_of_row, self.docs)

    def judges(self, topics: Ints, docs: Ids) -> Flags:
        """Which of these pairs of a topic's position and a document were judged."""
        rows = self.pairs.find(topics, docs)
        judged: Flags = (rows >= 0) & self.judged[rows]
        return judged

    @cached_property
    def listed_docs(self) -> PairIndex:
        """Finds documents that are listed for *any* topic, with any grade (under group 0), as BEIR's Hole@k does."""
        return PairIndex(np.zeros(len(self), dtype=np.int64), self.docs)

    @cached_property
    def max_grade(self) -> float:
        """The highest grade of the collection (at least 1): the top of the scale unless the user says otherwise.

        An ``int`` where grades are whole numbers; the highest that occurs where some are not.
        """
        if self.has_fractions:
            return self.scale.top
        return max(1, int(self.grades.max(initial=0)))

    @property
    def has_fractions(self) -> bool:
        """Whether some grade is not a whole number."""
        return bool(self.grades.dtype.kind == "f")

    @property
    def above_zero(self) -> float:
        """The threshold of measures for which every grade above 0 is relevant."""
        return ABOVE_ZERO if self.has_fractions else 1

    @cached_property
    def scale(self) -> Scale:
        """The grades that a judge can give: what tables with one number for each grade are indexed by."""
        return scale_of(self.grades) if self.given_scale is None else self.given_scale

    @cached_property
    def levels(self) -> NDArray[np.integer]:
        """The level of each row's grade on the scale."""
        return self.scale.levels(self.grades)

    def grade_counts(self) -> dict[float, int]:
        """How many judgments there are of each grade."""
        grades, counts = np.unique(self.grades[self.judged], return_counts=True)
        return dict(zip(grades.tolist(), counts.tolist(), strict=True))

    def judgments(self, topic: str) -> dict[str, float]:
        """The judged documents of one topic with their grades."""
        if topic not in self.topic_rows:
            return {}
        rows = np.arange(*self.offsets[self.topic_rows[topic] :][:2])
        rows = rows[self.judged[rows]]
        return dict(zip(self.docs.take(rows), self.grades[rows].tolist(), strict=True))

    def count(self, chosen: Flags) -> Ints:
        """Number of chosen rows in each topic."""
        return np.bincount(self.topic_of_row[chosen], minlength=len(self.topics)).astype(np.int64)

    @remembered
    def total_relevant(self, rel: float) -> Ints:
        """Judged documents of at least grade *rel* in each topic."""
        return self.count(self.judged & (self.grades >= rel))

    @remembered
    def total_nonrelevant(self, rel: float) -> Ints:
        """Judged documents below grade *rel* in each topic."""
        return self.count(self.judged & (self.grades < rel))

    def only(self, topics: Container[str]) -> Qrels:
        """The judgments of some topics, in the order that they have."""
        kept = np.array([topic in topics for topic in self.topics], dtype=bool)
        listed = kept[self.topic_of_row]
        return replace(
            self,
            topics=tuple(compress(self.topics, kept)),
            offsets=offsets_of(np.diff(self.offsets)[kept]),
            docs=self.docs.take(np.flatnonzero(listed)),
            grades=self.grades[listed],
            states=self.states[listed],
            strata=None if self.strata is None else self.strata[listed],
            subtopics=None if self.subtopics is None else self.subtopics.only(kept, listed),
        )

    def left(self, kept: Flags, pooled: Flags | None = None) -> Qrels:
        """The judgments as they were if those that are not *kept* had never been made, nor their documents pooled.

        Where *pooled* is given, its rows are still listed: as pooled but not judged, where they are not kept.
        """
        listed = kept if pooled is None else kept | (pooled & (self.states != State.UNPOOLED))
        states = np.where(kept, self.states, np.where(listed, State.POOLED, State.UNPOOLED))
        return replace(
            self,
            grades=np.where(kept, self.grades, 0).astype(self.grades.dtype),
            states=states.astype(np.uint8),
            subtopics=None if self.subtopics is None else self.subtopics.left(kept),
        )


def build_qrels(
    topics: TopicColumn,
    docs: Ids,
    grades: Ints | Floats,
    *,
    strata: Ints | None = None,
    subtopics: TopicColumn | None = None,
    negative: NegativeGrades = "pooled",
    source: str = "",
) -> tuple[Qrels, Ints]:
    """Group rows by topic and turn grades below 0 into a state. Also returns the input row of each judgment.

    Without *subtopics* a judgment is a row of the result; with them it is a judgment of ``Qrels.subtopics``.
    """
    order, offsets = group_rows(topics)
    rows = np.arange(len(grades), dtype=np.int64) if order is None else order
    names = topics.names
    notices: tuple[Notice, ...] = ()
    if negative == "auto":
        negative = meaning_of_negative_grades(topics, grades, strata)
        notices = _assumption(grades, negative, source)
    if negative == "drop" and bool((grades < 0).any()):
        rows = rows[grades[rows] >= 0]
        counts = np.bincount(topics.codes[rows], minlength=len(names))
        # A topic that loses all its judgments is not a judged topic.
        names = tuple(name for name, count in zip(names, counts.tolist(), strict=True) if count)
        offsets = offsets_of(counts[counts > 0])
    below = grades[rows] < 0
    states = np.where(below & (negative == "pooled"), State.POOLED, State.JUDGED).astype(np.uint8)
    qrels = Qrels(
        names,
        offsets.astype(np.int64),
        docs if len(rows) == len(grades) and order is None else docs.take(rows),
        as_grades(np.where(below, 0, grades[rows])),
        states,
        strata=None if strata is None else strata[rows].astype(np.int32),
        source=source,
        notices=notices,
    )
    if subtopics is None:
        return qrels, rows
    qrels, order = _by_document(qrels, subtopics.codes[rows], subtopics.names)
    return qrels, rows[order]


def meaning_of_negative_grades(topics: TopicColumn, grades: Ints | Floats, strata: Ints | None) -> NegativeGrades:
    """What grades below 0 seem to mean: that a document was ``pooled`` but not judged, or a judgment.

    In a sample of the pool all of them are -1, they stand beside 0, which is what a judgment of not relevant looks like
    there, and half of the topics have some or more; and judgments from strata are a sample. What is below -1 is a
    judgment, such as the Web track's -2 for spam, and so is a -1 in few topics, or beside grades of which none is 0.
    """
    below = grades < 0
    if strata is not None or below.all():
        return "pooled"
    if not below.any() or grades.min() < -1 or not (grades == 0).any():
        return "judged"
    return "pooled" if 2 * len(np.unique(topics.codes[below])) >= len(topics.names) else "judged"


def _assumption(grades: Ints | Floats, meaning: NegativeGrades, source: str) -> tuple[Notice, ...]:
    """What was assumed about grades below 0, where there are any, and how to change it."""
    below, numbers = np.unique(grades[grades < 0], return_counts=True)
    number = int(numbers.sum())
    if not number:
        return ()
    shown = some_of([f"{grade:g}" for grade in below.tolist()[::-1]])
    taken, other = ("pooled but not judged", "judged") if meaning == "pooled" else ("judged, with grade 0", "pooled")
    text = f"{source or 'qrels'}: {counted(number, 'grade')} below 0 ({shown}) taken as {taken};"
    text += f" say --negative {other} if that is wrong"
    return (Notice("negative-grades", number, text),)


def _by_document(lines: Qrels, codes: Ints, names: tuple[str, ...]) -> tuple[Qrels, Ints]:
    """One row for each document instead of one for each line; and the line of each judgment of a subtopic."""
    first = lines.pairs.find(lines.topic_of_row, lines.docs)
    rows = np.flatnonzero(first == np.arange(len(lines)))
    doc = np.searchsorted(rows, first)
    numbers, offsets, named = number_subtopics(lines.topic_of_row, codes, names, len(lines.topics))
    order = np.lexsort((numbers, doc))
    subtopics = Subtopics(
        offsets=offsets,
        names=tuple(names[i] for i in named.tolist()),
        weights=np.ones(len(named)),
        docs=doc[order],
        numbers=numbers[order],
        grades=lines.grades[order],
        judged=lines.judged[order],
    )
    grades, states = np.zeros(len(rows), dtype=lines.grades.dtype), np.zeros(len(rows), dtype=np.uint8)
    np.maximum.at(grades, doc, lines.grades)
    np.maximum.at(states, doc, lines.states)
    counts = np.bincount(lines.topic_of_row[rows], minlength=len(lines.topics))
    qrels = Qrels(
        lines.topics,
        offsets_of(counts),
        lines.docs.take(rows),
        grades,
        states,
        subtopics=subtopics,
        source=lines.source,
        notices=lines.notices,
    )
    return qrels, order


def judgments_of(counts: Ints, scale: Scale) -> Qrels:
    """Judgments with so many documents of each grade of a scale, one topic for each row of *counts*."""
    topics, levels = counts.shape
    level = np.repeat(np.tile(np.arange(levels), topics), counts.ravel())
    return nameless_judgments(scale.grades[level], offsets_of(counts.sum(axis=1)), scale)


def nameless_judgments(grades: GradeColumn, offsets: Ints, scale: Scale) -> Qrels:
    """Judgments of documents whose ids do not matter, with these grades, for as many topics as *offsets* has."""
    ids = Ids(np.zeros(0, dtype=np.uint8), np.zeros(len(grades) + 1, dtype=np.int64))
    states = np.full(len(grades), State.JUDGED, dtype=np.uint8)
    return Qrels(tuple(map(str, range(len(offsets) - 1))), offsets, ids, grades, states, given_scale=scale)


def has_several_subtopics(topics: TopicColumn, docs: Ids, subtopics: TopicColumn) -> bool:
    """Whether some document of a topic is listed with two subtopics, which tells diversity judgments from others."""
    if len(subtopics.names) < 2:
        return False
    first = PairIndex(topics.codes, docs).find(topics.codes, docs)
    return bool((subtopics.codes[first] != subtopics.codes).any())


def repeated_judgments(qrels: Qrels) -> Ints:
    """Documents judged more than once for a topic, or a subtopic: (judgment, first judgment) pairs."""
    if qrels.subtopics is None:
        return kernels.find_duplicates(qrels.offsets, qrels.docs.blob, qrels.docs.offsets)
    docs, numbers = qrels.subtopics.docs, qrels.subtopics.numbers
    is_new = (np.diff(docs, prepend=-1) != 0) | (np.diff(numbers, prepend=-1) != 0)
    again = np.flatnonzero(~is_new)
    first = np.flatnonzero(is_new)[np.cumsum(is_new)[again] - 1]
    return np.stack([again, first], axis=1)
