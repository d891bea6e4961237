"""What a format is: how its files begin, and how rows are read from them."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.data.ids import Ids, concatenate_ids, is_writable
from unjudged.data.run import TopicColumn
from unjudged.errors import FileError
from unjudged.io.columns import Layout
from unjudged.io.json_stream import JsonStream, key_path
from unjudged.io.rows import Places, Rows
from unjudged.io.sources import run_name_from_path
from unjudged.limits import QrelsFormat
from unjudged.wording import shortened

__all__ = [
    "HEAD_BYTES",
    "Asked",
    "Collector",
    "Format",
    "Head",
    "JsonFormat",
    "RunColumns",
    "Value",
    "Written",
    "as_text",
    "quoted",
]

Value = Literal["grade", "score", "pair"]
"""What is read beside topics and documents: grades of judgments, scores of a run, or nothing (of a pool)."""

HEAD_BYTES = 1 << 16
"""What is looked at to tell a format."""
_CHUNK = 1 << 16
_DATA_LINE = re.compile(rb"^[^\S\n]*([^\s#].*)", re.MULTILINE)
_JSON = re.compile(rb'\s*(?:\{\s*["}]|\[\s*(?:[\[{"\]\d-]|true|false|null|\Z))')
_PLAIN_ID = re.compile(r"(?!\s)[^\n\r]*(?<!\s)\Z")
_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|[{}\[\],:]|[^\s{}\[\],:"]+')


@dataclass(frozen=True)
class Head:
    """How a file begins: what its format is told from."""

    text: bytes

    @classmethod
    def of(cls, block: bytes) -> Head:
        """The beginning of the first block."""
        return cls(block[:HEAD_BYTES].removeprefix(b"\xef\xbb\xbf"))

    @cached_property
    def line(self) -> str:
        """The first line that is neither blank nor a comment; empty where there is none."""
        match = None if self.text.isspace() else _DATA_LINE.search(self.text)
        return match[1].decode("utf-8", "replace").strip() if match else ""

    @cached_property
    def is_json(self) -> bool:
        """Whether it begins as JSON does. A topic such as ``[1]`` at the beginning of a line of TREC's is none."""
        if not _JSON.match(self.text):
            return False
        fields = self.line.split()
        return not (len(fields) in (4, 5, 6) and fields[0].startswith("[") and fields[0].endswith("]"))

    @cached_property
    def opening(self) -> str:
        """The first character of JSON."""
        return self.text.lstrip()[:1].decode()

    @cached_property
    def keys(self) -> Mapping[str, str]:
        """The keys of the first object, and the character that each of their values begins with.

        The first object is the first item where the file is an array. A key of an object in it is ``outer.inner``.
        """
        tokens = _TOKEN.finditer(self.text.decode("utf-8", "replace"))
        out: dict[str, str] = {}
        depth, outer, key, last, started = 0, "", "", "", False
        for token in tokens:
            char = token[0][:1]
            if char == ":" and depth in (1, 2) and last:
                key = last if depth == 1 else f"{outer}.{last}"
                outer = last if depth == 1 else outer
                continue
            if key:
                out.setdefault(key, char)
                key = ""
            if char in "{[":
                if started or char == "{":
                    started, depth = True, depth + 1
            elif char in "}]":
                depth -= 1
                if started and depth <= 0:
                    break
            last = token[1] if token[1] is not None else ""
        return out


@dataclass(frozen=True)
class Asked:
    """What somebody wants to have read."""

    path: str
    value: Value
    kind: QrelsFormat = "auto"
    threads: int = 1


@dataclass(frozen=True, eq=False, kw_only=True)
class Written:
    """Judgments or a run to be written: topic ``i`` owns rows ``offsets[i]:offsets[i + 1]``."""

    name: str
    topics: tuple[str, ...]
    offsets: Ints
    docs: Ids
    values: Floats | Ints
    is_run: bool
    second: tuple[str, ...] | None = None
    """The second column of TREC's judgments, of each row."""
    strata: Ints | None = None
    has_subtopics: bool = False

    def __iter__(self) -> Iterator[tuple[str, list[str], list[str]]]:
        """Each topic with its documents and their numbers as text; those of a run begin with the best."""
        for topic, first, last in zip(self.topics, self.offsets[:-1].tolist(), self.offsets[1:].tolist(), strict=True):
            yield topic, list(self.docs.slice(first, last)), list(map(as_text, self.values[first:last].tolist()))


def as_text(value: float) -> str:
    """A number with as many digits as it has, and no more."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def quoted(text: str) -> str:
    """Text as JSON."""
    return json.dumps(text, ensure_ascii=False)


@dataclass(frozen=True, eq=False)
class RunColumns:
    """A run as columns that are still to be cut: one of topics, one of documents and one of numbers."""

    name: str
    blocks: Iterator[bytes]
    layout: Layout
    are_ranks: bool = False
    """Whether the numbers are ranks, of which 1 is the best."""


class Format(ABC):
    """A format of judgments, runs or both. A module of this folder that has one makes it known by defining it."""

    name: ClassVar[str]
    """The word for it in ``--qrels-format`` and ``--run-format``."""
    reads: ClassVar[frozenset[Value]] = frozenset({"grade", "score", "pair"})
    what: ClassVar[str]
    """What it is, in words."""

    @abstractmethod
    def recognises(self, head: Head) -> bool:
        """Whether a file that begins so is of this format."""

    @abstractmethod
    def rows(self, asked: Asked, head: Head, blocks: Iterator[bytes]) -> Rows:
        """The rows of a file whose bytes these are."""

    def run_columns(self, asked: Asked, head: Head, blocks: Iterator[bytes]) -> RunColumns | None:
        """The same for a run whose rows are lines that can be cut by themselves; None where they cannot."""
        return None

    def values(self, head: Head) -> frozenset[Value]:
        """What a file that begins so may hold: grades, scores, or either where its beginning does not say."""
        return self.reads - {"pair"}

    def write(self, written: Written) -> Iterator[str]:
        """Judgments or a run as text of this format, in pieces."""
        raise NotImplementedError(f"{self.name} is not written")

    refused: ClassVar[re.Pattern[str]] = re.compile(r"[\r\n]")
    """What an id must not have inside to be written so."""
    refused_topic: ClassVar[re.Pattern[str]] = re.compile(r"\A\Z")
    """What a topic must not match besides."""


@dataclass
class _Group:
    """Rows of one topic that came together."""

    start: int
    way: str
    """To what the numbers or the ids of the rows are in."""
    numbers: array[int] | None
    """Where in an array each row stood; None where its id is its key."""
    line: int | None
    """The line of the value that they are in, where there are several."""


class Collector:
    """Rows of JSON as they come: ids are packed, and each row knows its place."""

    def __init__(self, stream: JsonStream, asked: Asked) -> None:
        self._stream = stream
        self._asked = asked
        self._codes: dict[str, int] = {}
        self._topics: list[int] = []
        self._lengths: list[int] = []
        self._groups: list[_Group] = []
        self._chunks: list[Ids] = []
        self._docs: list[str] = []
        self._values = array("d")
        self._rows = 0
        self._in_lines = False
        """Whether each row is a line of its own, and its number that of the line."""

    def add(
        self, topic: Any, docs: Sequence[Any], values: Sequence[Any], numbers: Sequence[int] | None = None, *way: str
    ) -> None:
        """The documents of a topic, with their grades or scores.

        They are members of the object at hand; with *numbers*, items of the array there. *way* leads on to it.
        """
        stream = self._stream
        name = self._id(topic, "topic")

        def at(place: int) -> tuple[str | int, ...]:
            return (*way, docs[place] if numbers is None else numbers[place])

        for place, doc in enumerate(docs):
            if type(doc) is not str or not doc or not is_writable(doc) or not _PLAIN_ID.match(doc):
                self._id(doc, "document", *at(place))
        if not set(map(type, values)) <= {int, float}:
            values = [self._number(value, at(place)) for place, value in enumerate(values)]
        try:
            self._values.extend(map(float, values))
        except OverflowError:
            large = next(place for place, value in enumerate(values) if abs(value) > 1e308)
            raise self._no_number(values[large], at(large)) from None
        if docs:
            self._begin(name, key_path(*stream.keys, *way) if stream.keys or way else "", len(docs), numbers)
            self._docs.extend(map(str, docs))
            self._rows += len(docs)
            if len(self._docs) >= _CHUNK:
                self._pack()

    def add_row(self, topic: Any, doc: Any, value: Any) -> None:
        """A row by itself, which is an item of an array, or a value of the file."""
        if self._stream.keys:
            number = self._stream.keys.pop()
            self.add(topic, [doc], [value], [int(number)])
            self._stream.keys.append(number)
        else:
            self._in_lines = True
            self._stream.of_several = self._stream.of_several or 1
            self.add(topic, [doc], [value], [self._stream.of_several])

    def _begin(self, name: str, way: str, size: int, numbers: Sequence[int] | None) -> None:
        code = self._codes.setdefault(name, len(self._codes))
        line = self._stream.of_several
        last = self._groups[-1] if self._groups else None
        goes_on = last is not None and (self._in_lines or (last.way, last.line) == (way, line))
        # Rows by themselves would be a group each.
        if goes_on and last and last.numbers is not None and numbers is not None and self._topics[-1] == code:
            last.numbers.extend(numbers)
            self._lengths[-1] += size
            return
        self._topics.append(code)
        self._lengths.append(size)
        self._groups.append(_Group(self._rows, way, None if numbers is None else array("q", numbers), line))

    def rows(self, name: str = "") -> Rows:
        """All rows."""
        if not self._rows:
            raise FileError(self._asked.path, f"there are no {'scores' if self._asked.value == 'score' else 'grades'}")
        self._pack()
        topics = TopicColumn(
            tuple(self._codes), np.array(self._topics, dtype=np.int64), np.array(self._lengths, dtype=np.int64)
        )
        docs = concatenate_ids(self._chunks)
        values: Floats = np.frombuffer(self._values, dtype=np.float64).copy()
        return Rows(
            source=self._asked.path, name=name, topics=topics, docs=docs, values=values, places=self._places(docs)
        )

    def _places(self, docs: Ids) -> Places:
        starts: Ints = np.array([group.start for group in self._groups], dtype=np.int64)

        def group_of(row: int) -> tuple[_Group, int]:
            group = self._groups[int(np.searchsorted(starts, row, side="right")) - 1]
            return group, 0 if group.numbers is None else group.numbers[row - group.start]

        def key(row: int) -> str:
            group, number = group_of(row)
            end = key_path(docs[row] if group.numbers is None else number)
            return group.way + (end[1:] if group.way and end.startswith(".[") else end)

        def line(row: int) -> int:
            group, number = group_of(row)
            return number if self._in_lines else group.line or 1

        if self._in_lines:
            return Places(line=line)
        several = any(group.line is not None for group in self._groups)
        return Places(line=line if several else None, key=key)

    def _pack(self) -> None:
        self._chunks.append(Ids.of(self._docs))
        self._docs.clear()

    def _id(self, value: Any, what: str, *way: str | int) -> str:
        if type(value) is int:
            return str(value)
        if not isinstance(value, str) or not value.strip() or not is_writable(value):
            raise self._stream.error(f"this is no id of a {what}: {shortened(value)}", *way)
        if not _PLAIN_ID.match(value):
            raise self._stream.error(f"a {what} id has spaces around it or a line break: {shortened(value)}", *way)
        return value

    def _number(self, value: Any, way: tuple[str | int, ...]) -> float:
        """A number, which some tools write as text; nothing where there is no grade."""
        if value is None and self._asked.value == "grade":
            return float("nan")
        if isinstance(value, str) and "_" not in value:
            try:
                return float(value)
            except ValueError:
                raise self._no_number(value, way) from None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._no_number(value, way)
        return value

    def _no_number(self, value: Any, way: tuple[str | int, ...]) -> FileError:
        what = "score" if self._asked.value == "score" else "grade"
        return self._stream.error(f"the {what} is not a number: {shortened(value)}", *way)


class JsonFormat(Format):
    """A format of JSON, whose values are collected."""

    def rows(self, asked: Asked, head: Head, blocks: Iterator[bytes]) -> Rows:
        stream = JsonStream(asked.path, blocks)
        collector = Collector(stream, asked)
        name = ""
        for line in stream.documents():
            name = self.read(stream, collector, asked, line) or name
        return collector.rows(name or run_name_from_path(asked.path))

    @abstractmethod
    def read(self, stream: JsonStream, rows: Collector, asked: Asked, line: int) -> str | None:
        """Collect the rows of one value of the file; what it calls the run, if anything."""
