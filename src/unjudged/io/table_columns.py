"""Plain columns out of whatever is in memory: dicts of dicts, tuples, data frames, objects of ranx."""

from __future__ import annotations

import numbers
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

import numpy as np

from unjudged.data.ids import Ids, is_writable
from unjudged.data.qrels import has_several_subtopics
from unjudged.data.run import TopicColumn
from unjudged.errors import InputError
from unjudged.io.column_names import (
    DOCS,
    GRADES,
    ITERATION,
    RANKS,
    SCORES,
    STRATUM,
    SUBTOPICS,
    TOPICS,
    missing,
    named,
    plain_name,
)
from unjudged.limits import QrelsFormat
from unjudged.wording import shortened

__all__ = [
    "Table",
    "coded",
    "is_frame",
    "is_ranx",
    "is_table",
    "known_columns",
    "pairs_from_table",
    "ranx_dicts",
    "ranx_name",
    "read_table",
]

_VALUES = {"grade": GRADES, "score": (*SCORES, *RANKS)}

Value = Literal["grade", "score"]


@dataclass(frozen=True)
class Table:
    """Plain columns: topics, docs and one value each, plus what else was found."""

    topics: TopicColumn
    docs: list[str]
    values: Sequence[Any]
    subtopics: list[str] | None = None
    strata: Sequence[Any] | None = None

    def where(self, row: int) -> str:
        """A row in words."""
        return (
            f"topic {shortened(self.topics.names[int(self.topics.codes[row])])}, document {shortened(self.docs[row])}"
        )


def is_frame(source: object) -> bool:
    """Whether *source* is a pandas, polars or pyarrow table (asked without importing any of them)."""
    return type(source).__module__.split(".")[0] in {"pandas", "polars", "pyarrow"}


def is_table(source: object) -> bool:
    """Whether *source* is a dict of dicts, a frame, an object of ranx or an iterable of tuples, and not a path."""
    return (
        is_frame(source)
        or is_ranx(source)
        or (isinstance(source, Iterable) and not isinstance(source, str | bytes | bytearray))
    )


def read_table(source: Any, value: Value, label: str, kind: QrelsFormat = "auto") -> Table:
    """Columns of a dict of dicts, of tuples, of a frame or of ranx; *value* is what its numbers are."""
    if is_ranx(source):
        source = ranx_dicts(source)
    if isinstance(source, Mapping):
        table = _from_dicts(source, value, label)
    else:
        table = _from_columns(*_columns_of(source, value, label), value, label, kind)
    if not table.docs:
        raise InputError(f"{label}: there are no rows")
    return table


def pairs_from_table(source: Any, label: str) -> tuple[list[str], list[str]]:
    """Topics and docs of {topic: docs}, of (topic, doc) tuples or of a frame, whose other columns are ignored."""
    if is_ranx(source):
        source = ranx_dicts(source)
    if isinstance(source, Mapping):
        source = _pairs_of_dict(source, label)
    names, column = _columns_of(source, None, label)
    topics = _ids(column(_pick(names, TOPICS, label)), label, "topic")
    docs = _ids(column(_pick(names, DOCS, label)), label, "document")
    if not topics:
        raise InputError(f"{label}: there are no rows")
    return topics, docs


def _pairs_of_dict(source: Mapping[Any, Any], label: str) -> Iterator[tuple[Any, Any]]:
    for topic, docs in source.items():
        if isinstance(docs, str) or not isinstance(docs, Iterable):
            raise InputError(
                f"{label}: expected {{topic: docs}}, but topic {shortened(topic)} holds {type(docs).__name__}"
            )
        yield from ((topic, doc) for doc in docs)


def _from_dicts(source: Mapping[Any, Any], value: Value, label: str) -> Table:
    codes: dict[str, int] = {}
    topics: list[int] = []
    docs: list[Any] = []
    values: list[Any] = []
    lengths: list[int] = []
    for topic, inner in source.items():
        if not isinstance(inner, Mapping):
            expected = f"expected {{topic: {{doc: {value}}}}}"
            raise InputError(f"{label}: {expected}, but topic {shortened(topic)} holds {type(inner).__name__}")
        text = _id(topic, label, "topic")
        if inner:
            topics.append(codes.setdefault(text, len(codes)))  # 7 and "7" are one topic
            lengths.append(len(inner))
            docs += inner
            values += inner.values()
    column = TopicColumn(tuple(codes), np.array(topics, dtype=np.int64), np.array(lengths, dtype=np.int64))
    return Table(column, _ids(docs, label, "document"), values)


Column = Callable[[str], list[Any]]


def _columns_of(source: Any, value: Value | None, label: str) -> tuple[Sequence[str], Column]:
    """The names of a frame's or of tuples' columns, and how to get one."""
    if is_frame(source):
        return _frame_columns(source, label)
    rows = list(source)
    if not rows:
        raise InputError(f"{label}: there are no rows")
    return _tuple_columns(rows, value, label)


def _tuple_columns(rows: list[Any], value: Value | None, label: str) -> tuple[Sequence[str], Column]:
    """Named tuples (as ir_measures' and ir_datasets') by field name, others by position: topic, doc, value."""
    fields = getattr(rows[0], "_fields", None)
    usual = (TOPICS[0], DOCS[0], *(() if value is None else _VALUES[value][:1]))
    names = usual if fields is None else fields
    for row in rows:
        same = isinstance(row, tuple | list) and len(row) == len(names) and getattr(row, "_fields", None) == fields
        if not same:
            plain = f"(topic, doc{'' if value is None else f', {value}'}) tuples"
            expected = plain if fields is None else f"tuples of {', '.join(fields)}"
            raise InputError(f"{label}: expected {expected}, got {shortened(row)}")
    return names, lambda name: list(map(operator.itemgetter(names.index(name)), rows))


def _frame_columns(source: Any, label: str) -> tuple[Sequence[str], Column]:
    import narwhals as nw

    try:
        frame = nw.from_native(source, eager_only=True)
    except (TypeError, nw.exceptions.NarwhalsError) as problem:
        lazy = "; collect it first" if type(source).__name__ == "LazyFrame" else ""
        reason = lazy or f": {str(problem).splitlines()[0]}"
        raise InputError(f"{label}: cannot read a {type(source).__name__}{reason}") from None

    def column(name: str) -> list[Any]:
        try:
            values: list[Any] = frame[name].to_list()
        except UnicodeDecodeError:  # pyarrow does not look at text before it is asked for
            raise InputError(f"{label}: the column {name!r} has text that is not UTF-8") from None
        except (ArithmeticError, TypeError, ValueError) as problem:  # such as dates beyond the year 9999
            first = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
            raise InputError(f"{label}: the column {name!r} cannot be read: {first}") from None
        return values

    return frame.columns, column


def _from_columns(names: Sequence[str], column: Column, value: Value, label: str, kind: QrelsFormat) -> Table:
    value_name = _pick(names, _VALUES[value], label)
    values = column(value_name)
    if plain_name(value_name) in RANKS:
        # PyTerrier allows frames with ranks only; the best rank is the smallest.
        values = [-rank if isinstance(rank, numbers.Real) else rank for rank in values]

    def ids(name: str, what: str) -> list[str]:
        return _ids(column(name), label, what)

    topics, docs = ids(_pick(names, TOPICS, label), "topic"), ids(_pick(names, DOCS, label), "document")
    subtopic = named(names, SUBTOPICS)
    subtopics = ids(names[subtopic[0]], "subtopic") if subtopic else None
    if subtopics is None and value == "grade" and ITERATION in names and kind in ("auto", "diversity"):
        iterations = ids(ITERATION, "subtopic")
        # As in files: they are subtopics when a document is judged for more than one of them.
        if kind == "diversity" or (
            len(set(iterations)) > 1 and has_several_subtopics(coded(topics), Ids.of(docs), coded(iterations))
        ):
            subtopics = iterations
    return Table(coded(topics), docs, values, subtopics, column(STRATUM) if STRATUM in names else None)


def _pick(columns: Sequence[str], wanted: tuple[str, ...], label: str) -> str:
    places = named(columns, wanted)
    if places:
        return columns[places[0]]
    raise InputError(f"{label}: {missing(wanted, columns)}")


def known_columns(names: Sequence[str], *, values: bool) -> list[str]:
    """Those of the columns that are looked at here; none where one that is needed is not there."""
    roles = (TOPICS, DOCS, *([_VALUES["grade"] + _VALUES["score"]] if values else []))
    if not all(named(names, role) for role in roles):
        return []
    recognised = {*chain(*roles), *SUBTOPICS, ITERATION, STRATUM}
    return [name for name in names if plain_name(name) in recognised]


# ---- ids


def _ids(values: list[Any], label: str, what: str) -> list[str]:
    """Ids as text."""
    if set(map(type, values)) == {str} and all(values) and list(map(str.strip, values)) == values:
        joined = "".join(values)
        if joined.isascii() or is_writable(joined):
            return values
    return [_id(value, label, what) for value in values]


def _id(value: object, label: str, what: str) -> str:
    """Ids are text. Whole numbers are fine; anything else is a mistake that would silently match nothing."""
    if isinstance(value, bool) or not isinstance(value, str | numbers.Integral):
        raise InputError(f"{label}: a {what} id must be text or a whole number, not {shortened(value)}")
    try:
        text = str(value if isinstance(value, str) else int(value))
    except ValueError:
        raise InputError(f"{label}: a {what} id has more digits than Python writes; give it as text") from None
    if not text or text != text.strip():
        raise InputError(f"{label}: a {what} id is empty or has spaces around it: {shortened(text)}")
    if not is_writable(text):
        raise InputError(f"{label}: a {what} id cannot be written as UTF-8: {shortened(text)}")
    return text


def coded(values: list[str]) -> TopicColumn:
    """Codes of repeating text, in order of appearance."""
    codes = {value: code for code, value in enumerate(dict.fromkeys(values))}
    return TopicColumn(tuple(codes), np.fromiter(map(codes.__getitem__, values), np.int64, len(values)))


def is_ranx(source: object) -> bool:
    """Whether *source* is judgments or a run of ranx."""
    return type(source).__module__.split(".")[0] == "ranx" and hasattr(source, "to_dict")


def ranx_dicts(source: Any) -> dict[str, dict[str, Any]]:
    """The content as {topic: {doc: value}}. ``to_dict`` makes new dicts, so the object stays as it is."""
    return dict(source.to_dict())


def ranx_name(source: object) -> str | None:
    """The name that a run of ranx brings along, if it has one."""
    return getattr(source, "name", None) or None if is_ranx(source) else None
