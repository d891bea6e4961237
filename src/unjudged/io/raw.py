"""Rows as they stand in a file or a table, before anything is refused. What the doctor looks at.

The readers in :mod:`unjudged.io.trec` and :mod:`unjudged.io.tables` stop at the first duplicate, odd grade or NaN;
these keep such rows, and the columns nobody else reads (ranks, run names), with the lines they came from.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unjudged.data.ids import Ids
from unjudged.data.qrels import Qrels, State
from unjudged.data.run import Run, TopicColumn
from unjudged.errors import InputError
from unjudged.io.columns import Columns, Layout, open_columns, read_columns
from unjudged.io.datasets import PREFIX, dataset_rows
from unjudged.io.parquet import PARQUET, read_parquet
from unjudged.io.reading import RunSource, as_path, refuse_unknown
from unjudged.io.sources import enough_memory, run_name_from_path
from unjudged.io.table_columns import coded, ranx_name, read_table
from unjudged.io.tables import strata_of, whole_number
from unjudged.io.trec import RunColumn, qrels_width, tag_of
from unjudged.limits import QrelsFormat
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


@dataclass(frozen=True, eq=False)
class RawQrels:
    """The rows of judgments. ``grades`` are still text: codes into the different grades of the file."""

    source: str
    topics: TopicColumn
    docs: Ids
    grades: TopicColumn
    second: TopicColumn | None = None
    """The second column (iteration or subtopic)."""
    strata: NDArray[np.int64] | None = None
    is_file: bool = False
    columns: Columns | None = None
    """Where the rows came from; None for what has no lines."""
    kept: NDArray[np.int64] | None = None
    """Which of the rows there these are; None for all."""

    def line(self, row: int) -> int | None:
        """Line number of a row."""
        return _line(self.columns, self.kept, row)

    def only(self, topics: Container[str]) -> RawQrels:
        """The rows of some topics."""
        rows = self.topics.rows_of(topics)
        return replace(
            self,
            topics=self.topics.take(rows),
            docs=self.docs.take(rows),
            grades=self.grades.take(rows),
            second=None if self.second is None else self.second.take(rows),
            strata=None if self.strata is None else self.strata[rows],
            kept=rows,
        )


@dataclass(frozen=True, eq=False)
class RawRun:
    """The rows of a run. ``ranks`` (NaN where the text is not a number) and ``tags`` are None for tables."""

    name: str
    source: str
    topics: TopicColumn
    docs: Ids
    scores: NDArray[np.float64]
    ranks: NDArray[np.float64] | None = None
    tags: TopicColumn | None = None
    is_file: bool = False
    columns: Columns | None = None
    """Where the rows came from; None for what has no lines."""
    kept: NDArray[np.int64] | None = None
    """Which of the rows there these are; None for all."""

    def line(self, row: int) -> int | None:
        """Line number of a row."""
        return _line(self.columns, self.kept, row)

    def only(self, topics: Container[str]) -> RawRun:
        """The rows of some topics."""
        rows = self.topics.rows_of(topics)
        return replace(
            self,
            topics=self.topics.take(rows),
            docs=self.docs.take(rows),
            scores=self.scores[rows],
            ranks=None if self.ranks is None else self.ranks[rows],
            tags=None if self.tags is None else self.tags.take(rows),
            kept=rows,
        )


def _line(columns: Columns | None, kept: NDArray[np.int64] | None, row: int) -> int | None:
    return None if columns is None else columns.line(row if kept is None else int(kept[row]))


def raw_qrels(source: Any, *, kind: QrelsFormat = "auto") -> RawQrels:
    """The rows of judgments, from wherever :func:`unjudged.io.reading.read_qrels` reads them."""
    if isinstance(source, Qrels):
        return _from_qrels(source)
    path = as_path(source)
    if path is None:
        refuse_unknown(source, "judgments")
        return _qrels_table(source, "qrels", is_file=False)
    with enough_memory(path):
        return _qrels_of(path, kind)


def _qrels_of(path: str, kind: QrelsFormat) -> RawQrels:
    if path.startswith(PREFIX):
        return _qrels_table(dataset_rows(path, "qrels"), path, is_file=False)
    if path.endswith(PARQUET):
        return _qrels_table(read_parquet(path), path, is_file=True)
    opened = open_columns(path)
    width = qrels_width(opened, kind)
    grade = width - 1
    layout = Layout(width, text=(2,), coded=(0, 1, grade), integers=(3,) if width == 5 else (), names={3: "stratum"})
    columns = read_columns(opened, layout)
    return RawQrels(
        path,
        columns.coded[0],
        columns.text[2],
        columns.coded[grade],
        second=columns.coded[1],
        strata=columns.integers.get(3),
        is_file=True,
        columns=columns,
    )


def raw_run(source: RunSource, *, threads: int = 1) -> RawRun:
    """The rows of a run, from wherever :func:`unjudged.io.reading.read_run` reads them."""
    raw = _raw_run(source.source, source.name, threads)
    source.refuse_others(raw.topics.names, raw.source)
    return raw if source.only_topics is None else raw.only(source.only_topics)


def _raw_run(given: Any, name: str | None, threads: int) -> RawRun:
    if isinstance(given, Run):
        codes = np.repeat(np.arange(len(given.topics)), np.diff(given.offsets))
        return RawRun(name or given.name, given.source, TopicColumn(given.topics, codes), given.docs, given.scores)
    path = as_path(given)
    if path is None:
        refuse_unknown(given, "a run")
        name = name or ranx_name(given) or "run"
        return _run_table(given, name, name, is_file=False)
    with enough_memory(path):
        return _run_of(path, name, threads)


def _run_of(path: str, name: str | None, threads: int) -> RawRun:
    if path.startswith(PREFIX):
        rows = dataset_rows(path, "scoreddocs")
        return _run_table(rows, path, name or path.removeprefix(PREFIX), is_file=False)
    if path.endswith(PARQUET):
        return _run_table(read_parquet(path), path, name or run_name_from_path(path), is_file=True)
    opened = open_columns(path)
    name = name or tag_of(opened)
    columns = read_columns(opened, _RAW_RUN, threads=threads)
    return RawRun(
        name,
        path,
        columns.coded[RunColumn.TOPIC],
        columns.text[RunColumn.DOC],
        columns.numbers[RunColumn.SCORE],
        ranks=columns.numbers[RunColumn.RANK],
        tags=columns.coded[RunColumn.TAG],
        is_file=True,
        columns=columns,
    )


def _from_qrels(qrels: Qrels) -> RawQrels:
    """Judgments that were read before. What was pooled but not judged is written -1 again."""
    topics, docs = TopicColumn(qrels.topics, qrels.topic_of_row), qrels.docs
    if qrels.subtopics is None:
        grades = np.where(qrels.states == State.POOLED, -1, qrels.grades)
        strata = None if qrels.strata is None else qrels.strata.astype(np.int64)
        return RawQrels(qrels.source, topics, docs, _text_codes(grades.tolist()), strata=strata)
    subtopics = qrels.subtopics
    grades = np.where(subtopics.judged, subtopics.grades, -1)
    topics = TopicColumn(qrels.topics, topics.values[subtopics.docs])
    second = coded([subtopics.names[number] for number in subtopics.numbers.tolist()])
    return RawQrels(qrels.source, topics, docs.take(subtopics.docs), _text_codes(grades.tolist()), second)


def _qrels_table(source: Any, label: str, *, is_file: bool) -> RawQrels:
    table = read_table(source, "grade", label)
    return RawQrels(
        label,
        table.topics,
        Ids.of(table.docs),
        _text_codes(table.values),
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
    return RawRun(name, label, table.topics, Ids.of(table.docs), scores, is_file=is_file)


def _text_codes(values: Sequence[Any] | Iterable[Any]) -> TopicColumn:
    """Grades of any type as codes of their text; whole numbers in any type are the same grade."""

    def text(value: Any) -> str:
        with suppress(TypeError, ValueError, OverflowError):
            return str(whole_number(value))
        return shortened(value) if isinstance(value, int) else str(value)  # Python writes no more than 4,300 digits

    return coded([text(value) for value in values])
