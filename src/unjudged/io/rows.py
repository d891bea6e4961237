"""What a file says row by row, whatever its format, and the judgments or the run that are made of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.data.ids import Ids
from unjudged.data.pool import Pool
from unjudged.data.qrels import GRADE_LIMIT, Qrels, build_qrels, has_several_subtopics, repeated_judgments
from unjudged.data.run import Run, TopicColumn, build_run, keep_one_of_each, repeated_docs
from unjudged.errors import FileError, Notice
from unjudged.limits import Duplicates, NegativeGrades, QrelsFormat, ScoreType
from unjudged.wording import counted, shortened

__all__ = ["Places", "Rows", "pool_of", "qrels_of", "run_of"]


@dataclass(frozen=True)
class Places:
    """Where rows stand in their file: in a *line*, at a *key* path such as ``.q1.d7``, or both."""

    line: Callable[[int], int] | None = None
    key: Callable[[int], str] | None = None

    def words(self, row: int) -> str:
        """A place inside a sentence."""
        if self.line is not None:
            return f"line {self.line(row)}"
        return "" if self.key is None else self.key(row)

    def error(self, path: str, row: int, problem: str) -> FileError:
        """What is wrong with a row."""
        line = None if self.line is None else self.line(row)
        key = "" if self.key is None else self.key(row)
        return FileError(path, f"{key}: {problem}" if key else problem, line=line)


@dataclass(frozen=True, eq=False, kw_only=True)
class Rows:
    """Rows of judgments or of a run, before anything about them is refused."""

    source: str
    topics: TopicColumn
    docs: Ids
    values: Floats | Ints
    """Grades, or scores; NaN for a grade that was left empty, where there may be such."""
    places: Places
    name: str = ""
    """What the file calls the run."""
    second: TopicColumn | None = None
    """What may be subtopics."""
    are_subtopics: bool = False
    """Whether they certainly are."""
    strata: Ints | None = None
    always_graded: bool = False
    """Whether the format has no way to leave a grade empty, so that NaN is what the file says, and wrong."""

    def rated(self) -> tuple[Rows, tuple[Notice, ...]]:
        """The rows that have a grade, and how many have none."""
        if self.always_graded or self.values.dtype != np.float64 or not (empty := np.isnan(self.values)).any():
            return self, ()
        kept, number = np.flatnonzero(~empty), int(empty.sum())
        if not len(kept):
            raise FileError(self.source, "no row has a grade")
        line, key = self.places.line, self.places.key
        places = Places(
            line=None if line is None else lambda row: line(int(kept[row])),
            key=None if key is None else lambda row: key(int(kept[row])),
        )
        text = f"{self.source}: {counted(number, 'row')} without a grade; these documents count as not judged"
        return replace(
            self,
            topics=self.topics.take(kept),
            docs=self.docs.take(kept),
            values=self.values[kept],
            second=None if self.second is None else self.second.take(kept),
            strata=None if self.strata is None else self.strata[kept],
            places=places,
        ), (Notice("no-grade", number, text),)


def run_of(
    rows: Rows,
    *,
    name: str | None = None,
    score_type: ScoreType = "float64",
    duplicates: Duplicates = "error",
    threads: int = 1,
) -> Run:
    """The run that rows are."""
    path, places = rows.source, rows.places
    finite = np.isfinite(rows.values)
    if not finite.all():
        row = int(np.argmin(finite))
        raise places.error(path, row, f"the score is not a finite number: {rows.values[row]}")
    run, origins = build_run(
        name or rows.name,
        rows.topics,
        rows.docs,
        rows.values.astype(np.float64, copy=False),
        source=path,
        score_type=score_type,
        reuse=True,
        threads=threads,
    )
    repeated = repeated_docs(run, threads=threads)
    if len(repeated) and duplicates != "error":
        return keep_one_of_each(run, repeated, duplicates, origins)[0]
    if len(repeated):
        first, again = sorted(origins[int(row)] for row in repeated[0])
        topic = run.topics[int(np.searchsorted(run.offsets, repeated[0, 0], side="right")) - 1]
        doc = run.docs[int(repeated[0, 0])]
        problem = f"document {shortened(doc)} is ranked twice for topic {shortened(topic)}"
        raise _twice(rows, problem, first, again, len(repeated), way_out=", --duplicates best keeps one of each")
    return run


def qrels_of(rows: Rows, *, kind: QrelsFormat = "auto", negative: NegativeGrades = "auto") -> Qrels:
    """The judgments that rows are."""
    rows, empty = rows.rated()
    path, topics, docs, subtopics = rows.source, rows.topics, rows.docs, rows.second
    grades = _grades(rows)
    _check_range(rows, "grade", grades, -GRADE_LIMIT)
    if rows.strata is not None:
        _check_range(rows, "stratum", rows.strata, 0)
    is_sure = kind == "diversity" or rows.are_subtopics
    if subtopics is not None and not is_sure and not has_several_subtopics(topics, docs, subtopics):
        subtopics = None
    qrels, order = build_qrels(
        topics, docs, grades, strata=rows.strata, subtopics=subtopics, negative=negative, source=path
    )
    if not len(qrels):
        raise FileError(path, "all grades are below 0, so dropping them leaves no judgment")
    repeated = repeated_judgments(qrels)
    if len(repeated):
        raise _judged_twice(rows, qrels, order, repeated)
    return replace(qrels, notices=(*empty, *qrels.notices)) if empty else qrels


def pool_of(rows: Rows) -> Pool:
    """The pool that rows are; the same pair twice is no mistake."""
    return Pool(rows.topics, rows.docs, rows.source)


def _grades(rows: Rows) -> Ints | Floats:
    """Grades as whole numbers where all of them are."""
    if rows.values.dtype == np.int64:
        return rows.values.astype(np.int64, copy=False)
    values = rows.values.astype(np.float64, copy=False)
    finite = np.isfinite(values)
    if not finite.all():
        row = int(np.argmin(finite))
        raise rows.places.error(rows.source, row, f"the grade is not a finite number: {values[row]}")
    return values.astype(np.int64) if np.array_equal(values, np.floor(values)) and _fits(values) else values


def _fits(values: Floats) -> bool:
    return bool(np.abs(values).max(initial=0.0) < 2.0**53)


def _check_range(rows: Rows, name: str, values: Ints | Floats, low: int) -> None:
    outside = (values < low) | (values > GRADE_LIMIT)
    if outside.any():
        row = int(np.argmax(outside))
        message = f"the {name} is not between {low:,} and {GRADE_LIMIT:,}: {values[row]}"
        raise rows.places.error(rows.source, row, message)


def _judged_twice(rows: Rows, qrels: Qrels, order: Ints, repeated: Ints) -> FileError:
    again, first = (int(judgment) for judgment in repeated[0])
    subtopics, row = qrels.subtopics, again if qrels.subtopics is None else int(qrels.subtopics.docs[again])
    where = f"topic {shortened(qrels.topics[int(qrels.topic_of_row[row])])}"
    if subtopics is not None:
        where += f", subtopic {shortened(subtopics.names[int(subtopics.numbers[again])])}"
    grades, states = (qrels.grades, qrels.states) if subtopics is None else (subtopics.grades, subtopics.judged)
    same = grades[again] == grades[first] and states[again] == states[first]
    problem = f"document {shortened(qrels.docs[row])} is judged twice{'' if same else ', with different grades,'}"
    return _twice(rows, f"{problem} for {where}", int(order[first]), int(order[again]), len(repeated))


def _twice(rows: Rows, problem: str, first: int, again: int, count: int, *, way_out: str = "") -> FileError:
    total = f"{count:,} {'duplicate' if count == 1 else 'duplicates'} in all, `unjudged doctor` lists them{way_out}"
    return rows.places.error(rows.source, again, f"{problem} (first in {rows.places.words(first)}); {total}")
