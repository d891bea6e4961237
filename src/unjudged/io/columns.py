"""A file of white-space separated columns as arrays, with the line of whatever cannot be read.

Blocks of lines are cut apart from each other, so that threads can share the work; the result does not depend on where
a block ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

import unjudged.kernels as kernels
from unjudged.arrays import Floats, Ints
from unjudged.data.ids import Ids
from unjudged.data.run import TopicColumn
from unjudged.errors import FileError
from unjudged.io.separated import EMPTY, LINE_BREAK, Separated
from unjudged.io.sources import STDIN, count_lines, line_blocks, show, size_on_disk
from unjudged.threads import in_order, keep_freed_memory

__all__ = ["Columns", "FirstRow", "Layout", "Opened", "open_columns", "read_columns"]


# Spaces, then something that does not begin a comment. ``.`` stops at the line feed.
_DATA_LINE = re.compile(rb"^[^\S\n]*([^\s#].*)", re.MULTILINE)
_FIELD = re.compile(rb"\S*")


@dataclass(frozen=True)
class Layout:
    """How to read a file's columns: which as plain text, as codes of repeating text, as numbers, as whole numbers."""

    columns: int
    text: tuple[int, ...] = ()
    coded: tuple[int, ...] = ()
    numbers: tuple[int, ...] = ()
    integers: tuple[int, ...] = ()
    lenient: tuple[int, ...] = ()
    """Columns of ``numbers`` in which what is not a number becomes NaN instead of an error."""
    optional: tuple[int, ...] = ()
    """Columns of ``numbers`` in which nothing becomes NaN instead of an error."""
    fractional: tuple[int, ...] = ()
    """Columns of ``integers`` that become numbers where one is not whole."""
    names: Mapping[int, str] = field(default_factory=dict)
    """What messages call a column."""
    separated: Separated | None = None
    """How the file separates its columns, where it is not by white space."""
    lines: str = ""
    """What lines look like, for messages about those that do not."""

    @cached_property
    def kinds(self) -> str:
        """One letter for each column, as :func:`unjudged.kernels.cut_rows` wants them."""
        by_kind = (("t", self.text), ("c", self.coded), ("n", self.numbers), ("i", self.integers))
        letters = {column: letter for letter, columns in by_kind for column in columns}
        return "".join(letters.get(column, ".") for column in range(self.columns))

    def name(self, column: int) -> str:
        """What a message calls a column."""
        return self.names.get(column, f"column {column + 1}")


@dataclass(frozen=True, eq=False)
class Columns:
    """What was read from a file: the columns that the layout asks for, and the lines they came from."""

    rows: int
    text: dict[int, Ids]
    coded: dict[int, TopicColumn]
    numbers: dict[int, Floats]
    integers: dict[int, Ints | Floats]
    """Floats for columns that may be fractional, where one number is."""
    complete: bool
    """Whether the last line ends with a line feed."""
    gap_rows: Ints
    """Rows that have blank or comment lines right above them, in ascending order."""
    gap_lines: Ints
    """For each of them, the number of such lines from the beginning of the file."""

    def whole(self, column: int) -> Ints:
        """A column of whole numbers."""
        return self.integers[column].astype(np.int64, copy=False)

    def line(self, row: int) -> int:
        """Line number (from 1) of a data row."""
        gaps = int(np.searchsorted(self.gap_rows, row, side="right"))
        return row + 1 + (int(self.gap_lines[gaps - 1]) if gaps else 0)


@dataclass(frozen=True)
class FirstRow:
    """The first data line of a file."""

    fields: list[bytes]
    text: bytes
    line: int


@dataclass(frozen=True)
class Opened:
    """A file whose first data line is known. It may be a pipe, so it is read only once."""

    path: str
    first: FirstRow | None
    """None where the file has no data."""
    blocks: Iterator[bytes]
    """The lines, from the block on that has the first data line."""
    lines_before: int
    """How many lines there are before these blocks."""
    size: int | None = None
    """How many bytes there are, where the file system knows."""

    def width(self, accepted: Collection[int], expected: str, hints: Mapping[int, str]) -> int | None:
        """How many columns the first data line has, None where there is none. Refuses what is not *accepted*.

        *hints* say what a line with so many columns may be; that of 0 columns is for all others.
        """
        if self.first is None:
            return None
        width = len(self.first.fields)
        if width not in accepted:
            told = hints.get(width, hints.get(0, ""))
            hint = f" ({told})" if told else ""
            message = f"expected {expected}, got {width}{hint}: {show(self.first.text)}"
            raise FileError(self.path, message, line=self.first.line)
        return width

    def below_header(self, separated: Separated) -> Opened:
        """What is below the first data line, which is a header, as white-space separated columns."""

        def blocks() -> Iterator[bytes]:
            above = self.first.line - self.lines_before if self.first is not None else 0
            for block in self.blocks:
                yield b"\n" * above + (block.split(b"\n", above)[-1] if block.count(b"\n") >= above else b"")
                break
            yield from self.blocks

        return replace(self, blocks=separated.blocks(self.path, blocks(), self.lines_before + 1))


def open_columns(path: str, blocks: Iterable[bytes] | None = None) -> Opened:
    """Look at the first data line of a file; *blocks* are its bytes, where somebody has begun to read them."""
    blocks = line_blocks(path, blocks=blocks)
    lines = 0
    for block in blocks:
        # The search takes long for each blank line, and there may be gigabytes of them.
        match = None if block.isspace() else _DATA_LINE.search(block)
        if match:
            first = FirstRow(match[1].split(), match[1], lines + 1 + block.count(b"\n", 0, match.start(1)))
            return Opened(path, first, chain([block], blocks), lines, size_on_disk(path))
        lines += count_lines(block) + (not block.endswith(b"\n"))
    return Opened(path, None, iter(()), lines)


def read_columns(source: str | Opened, layout: Layout, *, threads: int = 1) -> Columns:
    """Read a file of columns; the first line that cannot be read is an error with its number."""
    keep_freed_memory()
    opened = open_columns(source) if isinstance(source, str) else source
    path = opened.path
    collected = _Collected(layout, opened)
    for block in in_order(partial(_cut, layout), opened.blocks, threads):
        if block.problem is not None:
            line, message = block.problem
            raise FileError(path, message, line=collected.lines + line + 1)
        collected.add(block)
    if not collected.rows:
        empty = "standard input is empty (it can be read only once)" if path == STDIN else "the file is empty"
        raise FileError(path, "there is no data, only comments or blank lines" if collected.lines else empty)
    return collected.columns()


# ---- one block


@dataclass(frozen=True)
class _Block:
    """One block of lines, cut into columns: a pure function of its bytes."""

    size: int
    """In bytes."""
    rows: int
    lines: int
    complete: bool
    gaps: tuple[Ints, Ints]
    """Rows that have skipped lines right above them, and how many."""
    text: dict[int, Ids]
    coded: dict[int, tuple[list[bytes], Ints]]
    """Values, and how many rows in succession have each."""
    numbers: dict[int, Floats]
    integers: dict[int, Ints]
    problem: tuple[int, str] | None
    """(line index in the block, message) of the first thing that cannot be read."""


def _cut(layout: Layout, data: bytes) -> _Block:
    separated, size = layout.separated, len(data)
    parts, rows, gap_rows, gap_lines, width = kernels.cut_rows(np.frombuffer(data, dtype=np.uint8), layout.kinds)
    lines = rows + int(gap_lines.sum())
    problems: list[tuple[int, str]] = []
    if width:
        whole = data.split(b"\n", lines + 1)[lines]
        shown = show(whole if separated is None else separated.line(whole))
        hint = f" ({layout.lines})" if layout.lines else ""
        problems.append((lines, f"expected {layout.columns} columns, got {width}{hint}: {shown}"))

    def refuse(row: int, problem: str) -> None:
        problems.append((row + int(gap_lines[gap_rows <= row].sum()), problem))

    def numbers(column: int, kind: str) -> NDArray[Any]:
        values: NDArray[Any]
        values, starts = parts[column]
        if len(values) < rows and column in layout.lenient:
            return _numbers_or_nan(data, starts)
        if len(values) < rows and column in layout.fractional:
            kind, kinds = "a number", "".join("n" if place == column else "." for place in range(layout.columns))
            values, starts = kernels.cut_rows(np.frombuffer(data, dtype=np.uint8), kinds)[0][column]
        if len(values) < rows and column in layout.optional:
            values = _numbers_or_nan(data, starts, only_empty=True)
        if len(values) < rows:
            bad = _field(data, int(starts[len(values)]))
            bad = bad if separated is None else separated.restored(bad)
            refuse(len(values), f"the {layout.name(column)} is not {kind}: {show(bad)}")
        return values

    text = {column: Ids(*parts[column]) for column in layout.text}
    coded = {column: _runs_of_values(data, rows, *parts[column]) for column in layout.coded}
    if separated is not None and separated.has_changes(data):
        for column, ids in text.items():
            _refuse_odd_ids(ids, partial(_refuse_id, refuse, layout.name(column)))
            text[column] = separated.restored_ids(ids)
        for column, (values, lengths) in coded.items():
            for place, value in enumerate(values):
                if EMPTY in value or LINE_BREAK in value:
                    _refuse_id(refuse, layout.name(column), int(lengths[:place].sum()), empty=EMPTY in value)
                    break
            coded[column] = [separated.restored(value) for value in values], lengths
    return _Block(
        size,
        rows,
        lines,
        data.endswith(b"\n"),
        (gap_rows, gap_lines),
        text=text,
        coded=coded,
        numbers={column: numbers(column, "a number") for column in layout.numbers},
        integers={column: numbers(column, "a whole number") for column in layout.integers},
        problem=min(problems, default=None),
    )


def _refuse_id(refuse: Callable[[int, str], None], name: str, row: int, *, empty: bool) -> None:
    refuse(row, f"the {name} is empty" if empty else f"the {name} has a line break in it")


def _refuse_odd_ids(ids: Ids, refuse: Callable[..., None]) -> None:
    """Refuse the first id that is empty or has a line break."""
    blob = ids.blob.tobytes()
    for byte in (EMPTY, LINE_BREAK):
        at = blob.find(byte)
        if at >= 0:
            refuse(int(np.searchsorted(ids.offsets, at, side="right")) - 1, empty=byte == EMPTY)


def _field(data: bytes, start: int) -> bytes:
    match = _FIELD.match(data, start)
    return match[0] if match else b""


def _numbers_or_nan(data: bytes, starts: Ints, *, only_empty: bool = False) -> Floats:
    """Numbers, NaN for what is none; with *only_empty* up to the first that is none and not empty."""
    out = np.full(len(starts), np.nan)
    for row, start in enumerate(starts.tolist()):
        text = _field(data, start)
        if only_empty and text == EMPTY:
            continue
        try:
            if b"_" in text:
                raise ValueError  # Python reads "1_000"
            out[row] = float(text)
        except ValueError:
            if only_empty:
                return out[:row]
    return out


def _runs_of_values(data: bytes, rows: int, heads: Ints, starts: Ints, ends: Ints) -> tuple[list[bytes], Ints]:
    values = [data[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    return values, np.diff(heads, append=rows)


# ---- all blocks


class _Growing:
    """An array that is filled from its beginning. Room that was never filled takes no memory."""

    def __init__(self, dtype: type) -> None:
        self._array: NDArray[Any] = np.empty(0, dtype=dtype)
        self._size = 0

    def add(self, values: NDArray[Any], share: float) -> None:
        """Append *values*. With them it holds that *share* of all that will come, or so."""
        if values.dtype.kind == "f" and self._array.dtype.kind == "i":  # the first that is not whole
            self._array = self._array.astype(np.float64)
        end = self._size + len(values)
        if end > len(self._array):
            grown = np.empty(int(1.1 * end / share) + 1, dtype=self._array.dtype)
            grown[: self._size] = self.filled
            self._array = grown
        self._array[self._size : end] = values
        self._size = end

    @property
    def filled(self) -> NDArray[Any]:
        return self._array[: self._size]


class _GrowingIds:
    """A column of ids that grows at its end."""

    def __init__(self) -> None:
        self._blob, self._offsets = _Growing(np.uint8), _Growing(np.int64)
        self._offsets.add(np.zeros(1, dtype=np.int64), 1)

    def add(self, ids: Ids, share: float) -> None:
        self._offsets.add(ids.offsets[1:] + len(self._blob.filled), share)
        self._blob.add(ids.blob, share)

    @property
    def filled(self) -> Ids:
        return Ids(self._blob.filled, self._offsets.filled)


class _Collected:
    """The blocks so far, joined as they come: they never are in memory twice."""

    def __init__(self, layout: Layout, opened: Opened) -> None:
        self._file_size = opened.size
        self._bytes = 0
        self._text = {column: _GrowingIds() for column in layout.text}
        self._numbers = {column: _Growing(np.float64) for column in layout.numbers}
        self._integers = {column: _Growing(np.int64) for column in layout.integers}
        self._codes: dict[int, dict[bytes, int]] = {column: {} for column in layout.coded}
        self._coded: dict[int, list[tuple[Ints, Ints]]] = {column: [] for column in layout.coded}
        self._gaps = [(np.zeros(1, dtype=np.int64), np.array([opened.lines_before], dtype=np.int64))]
        self.rows = 0
        self.lines = opened.lines_before

    def add(self, block: _Block) -> None:
        self.lines += block.lines
        self._gaps.append((block.gaps[0] + self.rows, block.gaps[1]))
        self.rows += block.rows
        for column, codes in self._codes.items():
            # One look-up per change of value: topics and tags repeat.
            values, lengths = block.coded[column]
            numbers = [codes.setdefault(value, len(codes)) for value in values]
            self._coded[column].append((np.array(numbers, dtype=np.int64), lengths))
        self._bytes += block.size
        # What is compressed, or no file, has an unknown size: then make room for as much again.
        has_size = self._file_size is not None and self._bytes <= self._file_size
        share = self._bytes / self._file_size if has_size and self._file_size else 0.5
        for column, ids in self._text.items():
            ids.add(block.text[column], share)
        for column, floats in self._numbers.items():
            floats.add(block.numbers[column], share)
        for column, ints in self._integers.items():
            ints.add(block.integers[column], share)
        self._complete = block.complete

    def columns(self) -> Columns:
        gap_rows, gap_sizes = (np.concatenate(parts) for parts in zip(*self._gaps, strict=True))
        return Columns(
            self.rows,
            {column: ids.filled for column, ids in self._text.items()},
            {column: self._topic_column(column) for column in self._codes},
            {column: floats.filled for column, floats in self._numbers.items()},
            {column: ints.filled for column, ints in self._integers.items()},
            self._complete,
            gap_rows,
            np.cumsum(gap_sizes),
        )

    def _topic_column(self, column: int) -> TopicColumn:
        names = tuple(name.decode("utf-8") for name in self._codes[column])
        values, lengths = (np.concatenate(parts) for parts in zip(*self._coded[column], strict=True))
        return TopicColumn(names, values, lengths)
