"""A file of white-space separated columns as arrays, with the line of whatever cannot be read.

Blocks of lines are cut apart from each other, so that threads can share the work; the result does not depend on where
a block ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import chain

import numpy as np
from numpy.typing import NDArray

import unjudged.kernels as kernels
from unjudged.data.ids import Ids, concatenate_ids
from unjudged.data.run import TopicColumn
from unjudged.errors import FileError
from unjudged.io.sources import STDIN, line_blocks, show
from unjudged.threads import in_order

__all__ = ["Columns", "FirstRow", "Layout", "Opened", "open_columns", "read_columns"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

# Spaces, then something that does not begin a comment. ``.`` stops at the line feed.
_DATA_LINE = re.compile(rb"^[^\S\n]*([^\s#].*)", re.MULTILINE)


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
    names: Mapping[int, str] = field(default_factory=dict)
    """What messages call a column."""

    @property
    def keep(self) -> tuple[int, ...]:
        """Columns that are read at all."""
        return tuple(sorted({*self.text, *self.coded, *self.numbers, *self.integers}))


@dataclass(frozen=True, eq=False)
class Columns:
    """What was read from a file: the columns that the layout asks for, and the lines they came from."""

    rows: int
    text: dict[int, Ids]
    coded: dict[int, TopicColumn]
    numbers: dict[int, Floats]
    integers: dict[int, Ints]
    complete: bool
    """Whether the last line ends with a line feed."""
    gap_rows: Ints
    """Rows that have blank or comment lines right above them, in ascending order."""
    gap_lines: Ints
    """For each of them, the number of such lines from the beginning of the file."""

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


def open_columns(path: str) -> Opened:
    """Look at the first data line of a file."""
    blocks = line_blocks(path)
    lines = 0
    for block in blocks:
        found = _DATA_LINE.search(block)
        if found:
            first = FirstRow(found[1].split(), found[1], lines + 1 + block.count(b"\n", 0, found.start(1)))
            return Opened(path, first, chain([block], blocks), lines)
        lines += block.count(b"\n") + (not block.endswith(b"\n"))
    return Opened(path, None, iter(()), lines)


def read_columns(source: str | Opened, layout: Layout, *, threads: int = 1) -> Columns:
    """Read a file of columns; the first line that cannot be read is an error with its number."""
    opened = open_columns(source) if isinstance(source, str) else source
    path = opened.path
    collected = _Collected(layout, opened.lines_before)
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
    array = np.frombuffer(data, dtype=np.uint8)
    starts, ends, skipped, lines, fault, found = kernels.split_fields(array, layout.columns, layout.keep)
    fields = {column: (starts[:, i], ends[:, i]) for i, column in enumerate(layout.keep)}
    rows_above = skipped - np.arange(len(skipped))
    problems: list[tuple[int, str]] = []
    if fault >= 0:
        shown = show(data.split(b"\n", fault + 1)[fault])
        problems.append((fault, f"expected {layout.columns} columns, got {found}: {shown}"))

    def check(column: int, bad: int, kind: str) -> None:
        if bad >= 0:
            name = layout.names.get(column, f"column {column + 1}")
            shown = show(_field(data, fields[column], bad))
            line = bad + int(np.searchsorted(rows_above, bad, side="right"))
            problems.append((line, f"the {name} is not {kind}: {shown}"))

    numbers, integers = {}, {}
    for column in layout.numbers:
        numbers[column], bad = kernels.parse_numbers(array, *fields[column])
        if bad >= 0 and column in layout.lenient:
            numbers[column], bad = _numbers_or_nan(data, fields[column]), -1
        check(column, bad, "a number")
    for column in layout.integers:
        integers[column], bad = kernels.parse_integers(array, *fields[column])
        check(column, bad, "a whole number")
    gap_rows, gap_sizes = np.unique(rows_above, return_counts=True)
    return _Block(
        len(starts),
        lines,
        data.endswith(b"\n"),
        (gap_rows, gap_sizes),
        text={column: Ids(*kernels.pack_fields(array, *fields[column])) for column in layout.text},
        coded={column: _runs_of_values(data, array, fields[column]) for column in layout.coded},
        numbers=numbers,
        integers=integers,
        problem=min(problems, default=None),
    )


def _field(data: bytes, fields: tuple[Ints, Ints], row: int) -> bytes:
    return data[fields[0][row] : fields[1][row]]


def _numbers_or_nan(data: bytes, fields: tuple[Ints, Ints]) -> Floats:
    out = np.full(len(fields[0]), np.nan)
    for row in range(len(out)):
        text = _field(data, fields, row)
        if b"_" not in text:
            with suppress(ValueError):
                out[row] = float(text)
    return out


def _runs_of_values(data: bytes, array: NDArray[np.uint8], fields: tuple[Ints, Ints]) -> tuple[list[bytes], Ints]:
    heads = kernels.group_heads(array, *fields)
    starts, ends = fields[0][heads].tolist(), fields[1][heads].tolist()
    values = [data[start:end] for start, end in zip(starts, ends, strict=True)]
    return values, np.diff(heads, append=len(fields[0]))


# ---- all blocks


class _Collected:
    """The blocks so far."""

    def __init__(self, layout: Layout, lines_before: int) -> None:
        self._layout = layout
        self._blocks: list[_Block] = []
        self._codes: dict[int, dict[bytes, int]] = {column: {} for column in layout.coded}
        self._coded: dict[int, list[tuple[Ints, Ints]]] = {column: [] for column in layout.coded}
        self._gaps = [(np.zeros(1, dtype=np.int64), np.array([lines_before], dtype=np.int64))]
        self.rows = 0
        self.lines = lines_before

    def add(self, block: _Block) -> None:
        self.lines += block.lines
        self._gaps.append((block.gaps[0] + self.rows, block.gaps[1]))
        self.rows += block.rows
        for column, codes in self._codes.items():
            # One look-up per change of value: topics and tags repeat.
            values, lengths = block.coded[column]
            found = [codes.setdefault(value, len(codes)) for value in values]
            self._coded[column].append((np.array(found, dtype=np.int64), lengths))
        if block.rows:
            self._blocks.append(block)
        self._complete = block.complete

    def columns(self) -> Columns:
        gap_rows, gap_sizes = (np.concatenate(parts) for parts in zip(*self._gaps, strict=True))
        blocks = self._blocks
        # Taken out of the blocks as they are joined, so that only one column is in memory twice.
        return Columns(
            self.rows,
            {column: concatenate_ids([block.text.pop(column) for block in blocks]) for column in self._layout.text},
            {column: self._topic_column(column) for column in self._layout.coded},
            {
                column: np.concatenate([block.numbers.pop(column) for block in blocks])
                for column in self._layout.numbers
            },
            {
                column: np.concatenate([block.integers.pop(column) for block in blocks])
                for column in self._layout.integers
            },
            self._complete,
            gap_rows,
            np.cumsum(gap_sizes),
        )

    def _topic_column(self, column: int) -> TopicColumn:
        names = tuple(name.decode("utf-8") for name in self._codes[column])
        values, lengths = (np.concatenate(parts) for parts in zip(*self._coded[column], strict=True))
        return TopicColumn(names, values, lengths)
