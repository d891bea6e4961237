"""Text with separators (CSV, TSV) as the white-space separated columns that :mod:`unjudged.io.columns` reads.

A kernel takes quotes away, and replaces bytes that would cut a field where it does not end by control characters, one
for one; they are put back into what was read. So a file with separators is read by the same kernel as TREC's, in the
same threads, with the same line numbers.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import unjudged.kernels as kernels
from unjudged.data.ids import Ids
from unjudged.errors import FileError
from unjudged.kernels.reference_separated import (
    BAD_CHARACTER,
    COMMENT,
    EMPTY,
    LINE_BREAK,
    SPACE,
    TAB,
    TEXT_AFTER_QUOTE,
    UNFINISHED,
)

__all__ = ["EMPTY", "LINE_BREAK", "Separated", "fields_of"]

_LARGEST_RECORD = 1 << 24
"""In bytes: what a quote that does not end makes us read at most."""
_BACK = bytes.maketrans(SPACE + TAB + COMMENT + LINE_BREAK, b" \t#\n")
_NO_END = "a quoted field that begins here does not end"


@dataclass(frozen=True)
class Separated:
    """How fields are separated: by a comma, a semicolon or a tab, which may stand in quotes."""

    separator: str

    def restored(self, text: bytes) -> bytes:
        """What was read, as it stands in the file."""
        return text.translate(_BACK, EMPTY)

    def restored_ids(self, ids: Ids) -> Ids:
        """A column of ids as they stand in the file, where none is empty."""
        blob = ids.blob.tobytes()
        if not self.has_changes(blob):
            return ids
        return Ids(np.frombuffer(blob.translate(_BACK), dtype=np.uint8), ids.offsets)

    def line(self, text: bytes) -> bytes:
        """A whole line as it stands in the file."""
        return self.restored(text.replace(b"\t", self.separator.encode()))

    def has_changes(self, text: bytes) -> bool:
        """Whether anything in a block has to be put back."""
        return any(byte in text for byte in (SPACE, TAB, COMMENT, EMPTY, LINE_BREAK))

    def blocks(self, path: str, blocks: Iterator[bytes], first: int) -> Iterator[bytes]:
        """Whole lines as white-space separated columns, as many lines as there were. *first* is the number of the
        first one."""
        line, rest = first, b""
        for block in blocks:
            data = rest + block if rest else block
            columns, used, lines, problem = kernels.separated_columns(data, ord(self.separator))
            if columns:
                yield columns  # what is wrong above is said first
            line += lines
            rest = data[used:] if problem == UNFINISHED else b""
            if problem == BAD_CHARACTER:
                what = f"the control character 0x{data[used]:02x} cannot stand in columns"
                raise FileError(path, what, line=line)
            if problem == TEXT_AFTER_QUOTE:
                what = "a quote ends here before its field does; double quotes inside of quotes"
                raise FileError(path, what, line=line)
            if len(rest) > _LARGEST_RECORD:
                raise FileError(path, _NO_END, line=line)
        if rest:
            raise FileError(path, _NO_END, line=line)


def fields_of(line: str, separator: str) -> list[str]:
    """The fields of a single line, without spaces around them."""
    try:
        return [field.strip() for field in next(csv.reader([line], delimiter=separator, strict=True), [])]
    except csv.Error:
        return []
