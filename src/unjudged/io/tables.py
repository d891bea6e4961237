"""Judgments and runs from tables: what is in memory (dicts, tuples, data frames) or in Parquet files."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.data.ids import Ids
from unjudged.data.qrels import GRADE_LIMIT, Qrels, build_qrels, repeated_judgments
from unjudged.data.run import Run, build_run, keep_one_of_each, repeated_docs
from unjudged.errors import InputError
from unjudged.io.table_columns import Table, coded, read_table
from unjudged.limits import Duplicates, NegativeGrades, QrelsFormat, ScoreType
from unjudged.wording import shortened

__all__ = ["grades_of", "qrels_from_table", "run_from_table", "strata_of", "whole_number"]

Ties = Literal["id", "listed"]
"""Which of two documents with the same score is first: that with the greater id, or the one that is listed first."""

_WHOLE = {int, np.int64}
_REAL = {float, np.float64, np.float32}
"""The usual types of values, for which NumPy does what the loops here do."""


def qrels_from_table(
    source: object, *, kind: QrelsFormat = "auto", negative: NegativeGrades = "auto", label: str = "qrels"
) -> Qrels:
    """Judgments from a dict of dicts, tuples or a frame. *kind* is about a column ``iteration``, as in files."""
    table = read_table(source, "grade", label, kind)
    qrels, _ = build_qrels(
        table.topics,
        Ids.of(table.docs),
        grades_of(table, label),
        strata=strata_of(table, label),
        subtopics=None if table.subtopics is None else coded(table.subtopics),
        negative=negative,
        source=label,
    )
    if not len(qrels):
        raise InputError(f"{label}: all grades are below 0, so dropping them leaves no judgment")
    for judgment, _ in repeated_judgments(qrels):
        row = judgment if qrels.subtopics is None else qrels.subtopics.docs[judgment]
        topic = qrels.topics[int(qrels.topic_of_row[row])]
        raise InputError(
            f"{label}: document {shortened(qrels.docs[int(row)])} is judged twice for topic {shortened(topic)}"
        )
    return qrels


def run_from_table(
    source: object,
    *,
    name: str = "run",
    score_type: ScoreType = "float64",
    duplicates: Duplicates = "error",
    ties: Ties = "id",
    label: str | None = None,
) -> Run:
    """A run from a dict of dicts, tuples or a frame."""
    label = name if label is None else label
    table = read_table(source, "score", label)
    scores = _scores(table, label)
    if ties == "listed":
        scores = _without_ties(scores)
    run, origins = build_run(name, table.topics, Ids.of(table.docs), scores, source=label, score_type=score_type)
    repeated = repeated_docs(run)
    if len(repeated) and duplicates != "error":
        return keep_one_of_each(run, repeated, duplicates, origins)[0]
    for row, _ in repeated:
        topic = run.topics[int(np.searchsorted(run.offsets, row, side="right")) - 1]
        raise InputError(
            f"{label}: document {shortened(run.docs[int(row)])} is ranked twice for topic {shortened(topic)}"
        )
    return run


# ---- values: all at once where they are of the usual types and nothing is wrong, else one by one


def strata_of(table: Table, label: str) -> Ints | None:
    """The strata of judgments, if they have any."""
    return None if table.strata is None else _whole_numbers(table, table.strata, label, "stratum", 0)


def grades_of(table: Table, label: str) -> Ints | Floats:
    """Grades, which are whole numbers where all of them are."""
    values = table.values
    if set(map(type, values)) <= _WHOLE and len(values):
        quick = np.array(values)  # of objects, where a number needs more than 64 bits
        if quick.dtype == np.int64 and quick.min() >= -GRADE_LIMIT and quick.max() <= GRADE_LIMIT:
            return quick
    out = []
    for row, value in enumerate(values):
        try:
            number = _number(value)
        except (TypeError, ValueError, OverflowError):
            raise _wrong(table, row, label, "the grade", f"is not a finite number: {shortened(value)}") from None
        if abs(number) > GRADE_LIMIT:
            limits = f"is not between {-GRADE_LIMIT:,} and {GRADE_LIMIT:,}: {shortened(number)}"
            raise _wrong(table, row, label, "the grade", limits)
        out.append(number)
    if float in set(map(type, out)):
        return np.array(out, dtype=np.float64)
    return np.array(out, dtype=np.int64)


def _number(value: Any) -> float:
    """A finite number of any type, an ``int`` where it is whole, or an exception."""
    try:
        return whole_number(value)
    except TypeError:
        if isinstance(value, str | bytes) or not math.isfinite(float(value)):
            raise
        return float(value)


def _whole_numbers(table: Table, values: Sequence[Any], label: str, what: str, low: int) -> Ints:
    if set(map(type, values)) <= _WHOLE and len(values):
        quick = np.array(values)  # of objects, where a number needs more than 64 bits
        if quick.dtype == np.int64 and low <= quick.min() and quick.max() <= GRADE_LIMIT:
            return quick
    out = []
    for row, value in enumerate(values):
        try:
            number = whole_number(value)
        except (TypeError, ValueError, OverflowError):
            raise _wrong(table, row, label, f"the {what}", f"is not a whole number: {shortened(value)}") from None
        if not low <= number <= GRADE_LIMIT:
            limits = f"is not between {low:,} and {GRADE_LIMIT:,}: {shortened(number)}"
            raise _wrong(table, row, label, f"the {what}", limits)
        out.append(number)
    return np.array(out, dtype=np.int64)


def whole_number(value: Any) -> int:
    """A whole number of any type, or an exception."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return int(value)  # pandas turns integers into floats as soon as one is missing
    return operator.index(value)


def _scores(table: Table, label: str) -> Floats:
    if set(map(type, table.values)) <= _REAL:
        quick = np.array(table.values, dtype=np.float64)
        if np.isfinite(quick).all():
            return quick
    out = []
    for row, value in enumerate(table.values):
        try:
            score = math.nan if isinstance(value, str) else float(value)
        except (TypeError, ValueError, OverflowError):
            score = math.nan
        if not math.isfinite(score):
            raise _wrong(table, row, label, "the score", f"is not a finite number: {shortened(value)}")
        out.append(score)
    return np.array(out, dtype=np.float64)


def _without_ties(scores: Floats) -> Floats:
    """Scores that are all different and rank documents in the same way; of equals, the first is better."""
    places = np.empty_like(scores)
    places[np.argsort(-scores, kind="stable")] = -np.arange(len(scores))
    return places


def _wrong(table: Table, row: int, label: str, what: str, problem: str) -> InputError:
    return InputError(f"{label}: {what} of {table.where(row)} {problem}")
