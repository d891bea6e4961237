"""Rows as they stand in a file or a table, before anything is refused. What the doctor looks at.

The readers in :mod:`unjudged.io.trec` and :mod:`unjudged.io.tables` stop at the first duplicate, odd grade or NaN;
these keep such rows, and the columns nobody else reads (ranks, run names), with the lines they came from.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.data.ids import Ids
from unjudged.data.qrels import Qrels, State
from unjudged.data.run import Run, TopicColumn
from unjudged.errors import InputError
from unjudged.io.columns import Columns, Layout, read_columns
from unjudged.io.formats import opened_or_rows
from unjudged.io.reading import RunSource, name_of_table, table_or_file
from unjudged.io.rows import Rows
from unjudged.io.table_columns import coded, read_table
from unjudged.io.tables import strata_of, whole_number
from unjudged.io.trec import RunColumn, qrels_width, tag_of
from unjudged.limits import QrelsFormat, RunFormat
from unjudged.wording import shortened

__all__ = ["RawQrels", "RawRun", "raw_qrels", "raw_run"]

_RAW_RUN = Layout(
    RunColumn.COUNT,
    text=(RunColumn.DOC,),
    coded=(RunColumn.TOPIC, RunColumn.TAG),
    numbers=(RunColumn.RANK, RunColumn.SCORE),
    lenient=(RunColumn.RANK,),
    names={RunColumn.SCORE: "score"},
)


@dataclass(frozen=True, eq=False, kw_only=True)
class _Rows:
    """The rows of judgments or of a run."""

    source: str
    topics: TopicColumn
    docs: Ids
    is_file: bool = False
    line_of: Callable[[int], int] | None = None
    """The line of each row of the file; None for what has no lines."""
    columns: Columns | None = None
    """Where the rows of a file of TREC's columns came from."""
    kept: Ints | None = None
    """Which of the rows there these are; None for all."""

    def line(self, row: int) -> int | None:
        """Line number of a row."""
        return None if self.line_of is None else self.line_of(row if self.kept is None else int(self.kept[row]))

    def only(self, topics: Container[str]) -> Self:
        """The rows of some topics."""
        rows = self.topics.rows_of(topics)
        taken: dict[str, Any] = {"kept": rows}
        for field in fields(self):
            column = getattr(self, field.name)
            if isinstance(column, TopicColumn | Ids):
                taken[field.name] = column.take(rows)
            elif isinstance(column, np.ndarray):
                taken[field.name] = column[rows]
        return replace(self, **taken)


@dataclass(frozen=True, eq=False, kw_only=True)
class RawQrels(_Rows):
    """The rows of judgments. ``grades`` are still text: codes into the different grades of the file."""

    grades: TopicColumn
    second: TopicColumn | None = None
    """The second column (iteration or subtopic)."""
    strata: Ints | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class RawRun(_Rows):
    """The rows of a run. ``ranks`` (NaN where the text is not a number) and ``tags`` are None for tables."""

    name: str
    scores: Floats
    ranks: Floats | None = None
    tags: TopicColumn | None = None


def raw_qrels(source: Any, *, kind: QrelsFormat = "auto") -> RawQrels:
    """The rows of judgments, from wherever :func:`unjudged.io.reading.read_qrels` reads them."""
    if isinstance(source, Qrels):
        return _from_qrels(source)
    with table_or_file(source, "judgments", "qrels") as (table, path, is_file):
        if table is not None:
            return _qrels_table(table, path or "qrels", is_file=is_file)
        opened = opened_or_rows(path, "grade", kind)
        if isinstance(opened, Rows):
            return _from_rows(opened)
        width = qrels_width(opened, kind)
        grade = width - 1
        strata = (3,) if width == 5 else ()
        columns = read_columns(
            opened, Layout(width, text=(2,), coded=(0, 1, grade), integers=strata, names={3: "stratum"})
        )
        return RawQrels(
            source=path,
            topics=columns.coded[0],
            docs=columns.text[2],
            grades=columns.coded[grade],
            second=columns.coded[1],
            strata=columns.whole(3) if strata else None,
            is_file=True,
            line_of=columns.line,
            columns=columns,
        )


def raw_run(source: RunSource, *, threads: int = 1) -> RawRun:
    """The rows of a run, from wherever :func:`unjudged.io.reading.read_run` reads them."""
    raw = _raw_run(source.source, source.name, source.format, threads)
    source.refuse_others(raw.topics.names, raw.source)
    return raw if source.only_topics is None else raw.only(source.only_topics)


def _raw_run(given: Any, name: str | None, word: RunFormat, threads: int) -> RawRun:
    if isinstance(given, Run):
        codes = np.repeat(np.arange(len(given.topics)), np.diff(given.offsets))
        topics = TopicColumn(given.topics, codes)
        return RawRun(name=name or given.name, source=given.source, topics=topics, docs=given.docs, scores=given.scores)
    with table_or_file(given, "a run", "scoreddocs") as (table, path, is_file):
        if table is not None:
            name = name or name_of_table(given)
            return _run_table(table, path or name, name, is_file=is_file)
        opened = opened_or_rows(path, "score", word, threads)
        if isinstance(opened, Rows):
            line_of = opened.places.line
            return RawRun(
                name=name or opened.name,
                source=path,
                topics=opened.topics,
                docs=opened.docs,
                scores=opened.values.astype(np.float64),
                is_file=True,
                line_of=line_of,
            )
        name = name or tag_of(opened)
        columns = read_columns(opened, _RAW_RUN, threads=threads)
        return RawRun(
            name=name,
            source=path,
            topics=columns.coded[RunColumn.TOPIC],
            docs=columns.text[RunColumn.DOC],
            scores=columns.numbers[RunColumn.SCORE],
            ranks=columns.numbers[RunColumn.RANK],
            tags=columns.coded[RunColumn.TAG],
            is_file=True,
            line_of=columns.line,
            columns=columns,
        )


def _from_rows(rows: Rows) -> RawQrels:
    """Judgments from a file that is no file of TREC's columns; those without a grade are left out."""
    rated = rows.rated()[0]
    return RawQrels(
        source=rated.source,
        topics=rated.topics,
        docs=rated.docs,
        grades=_text_codes(rated.values.tolist()),
        second=rated.second,
        strata=rated.strata,
        is_file=not rated.are_subtopics,
        line_of=rated.places.line,
    )


def _from_qrels(qrels: Qrels) -> RawQrels:
    """Judgments that were read before. What was pooled but not judged is written -1 again."""
    topics, docs, subtopics = TopicColumn(qrels.topics, qrels.topic_of_row), qrels.docs, qrels.subtopics
    second = strata = None
    if subtopics is None:
        grades = np.where(qrels.states == State.POOLED, -1, qrels.grades)
        strata = None if qrels.strata is None else qrels.strata.astype(np.int64)
    else:
        grades = np.where(subtopics.judged, subtopics.grades, -1)
        topics, docs = TopicColumn(qrels.topics, topics.values[subtopics.docs]), docs.take(subtopics.docs)
        second = coded([subtopics.names[number] for number in subtopics.numbers.tolist()])
    texts = _text_codes(grades.tolist())
    return RawQrels(source=qrels.source, topics=topics, docs=docs, grades=texts, second=second, strata=strata)


def _qrels_table(source: Any, label: str, *, is_file: bool) -> RawQrels:
    table = read_table(source, "grade", label)
    return RawQrels(
        source=label,
        topics=table.topics,
        docs=Ids.of(table.docs),
        grades=_text_codes(table.values),
        second=None if table.subtopics is None else coded(table.subtopics),
        strata=strata_of(table, label),
        is_file=is_file,
    )


def _run_table(source: Any, label: str, name: str, *, is_file: bool) -> RawRun:
    table = read_table(source, "score", label)
    scores = np.empty(len(table.values))
    for row, value in enumerate(table.values):
        try:
            scores[row] = np.nan if isinstance(value, str) else float(value)
        except (TypeError, ValueError, OverflowError):
            raise InputError(f"{label}: the score of {table.where(row)} is not a number: {shortened(value)}") from None
    docs = Ids.of(table.docs)
    return RawRun(name=name, source=label, topics=table.topics, docs=docs, scores=scores, is_file=is_file)


def _text_codes(values: Sequence[Any] | Iterable[Any]) -> TopicColumn:
    """Grades of any type as codes of their text; whole numbers in any type are the same grade."""

    def text(value: Any) -> str:
        with suppress(TypeError, ValueError, OverflowError):
            return str(whole_number(value))
        return shortened(value) if isinstance(value, int) else str(value)  # Python writes no more than 4,300 digits

    return coded([text(value) for value in values])
