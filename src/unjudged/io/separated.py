"""Text with separators (CSV, TSV) as the white-space separated columns that :mod:`unjudged.io.columns` reads.

Bytes that would cut a field where it does not end (spaces, tabs inside of CSV, separators in quotes, a ``#`` at the
beginning of a line) are replaced by control characters, one for one, and put back into what was read. So a file with
separators is read by the same kernel, in the same threads, with the same line numbers. A record that goes on over
several lines is followed by as many blank ones.
"""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from unjudged.errors import FileError

__all__ = ["EMPTY", "LINE_BREAK", "Separated", "fields_of"]

EMPTY = b"\x1b"
"""Stands for a field without text."""
LINE_BREAK = b"\x1a"
"""Stands for a line end inside of quotes."""
_SPACE, _TAB, _COMMENT, _CUT = b"\x1f", b"\x1d", b"\x1c", b"\x01"
_TAKEN = (EMPTY, LINE_BREAK, _SPACE, _TAB, _COMMENT, _CUT, b"\x0b", b"\x0c")
"""Control characters with a meaning here, and two more that the kernel takes for spaces."""
_SPACES_AFTER = re.compile(rb"\x1f+(?=[\t\r\n]|\Z)")
_SPACES_BEFORE = re.compile(rb"(?:(?<=[\t\n])|\A)\x1f+")
_SINGLE = re.compile(rb"^[^\t\r\n]+(?=\r?$)", re.MULTILINE)


@dataclass(frozen=True)
class Separated:
    """How fields are separated: by a comma, a semicolon or a tab, which may stand in quotes."""

    separator: str

    @cached_property
    def _table(self) -> bytes:
        """Bytes as the kernel wants them, where nothing is quoted."""
        return bytes.maketrans(b" \t" + self.separator.encode(), _SPACE + _TAB + b"\t")

    @cached_property
    def _quoted_table(self) -> bytes:
        """The same for records that were cut already, and are joined by ``_CUT``."""
        return bytes.maketrans(b" \t" + _CUT + b"\r", _SPACE + _TAB + b"\t" + LINE_BREAK)

    @cached_property
    def back(self) -> bytes:
        """A table that puts back what was replaced, byte for byte."""
        return bytes.maketrans(_SPACE + _TAB + _COMMENT + LINE_BREAK, b" \t#\n")

    def restored(self, text: bytes) -> bytes:
        """What was read, as it stands in the file."""
        return text.translate(self.back, EMPTY)

    def line(self, text: bytes) -> bytes:
        """A whole line as it stands in the file."""
        return self.restored(text.replace(b"\t", self.separator.encode()))

    def has_changes(self, text: bytes) -> bool:
        """Whether anything in a block has to be put back."""
        return any(byte in text for byte in (_SPACE, _TAB, _COMMENT, EMPTY, LINE_BREAK))

    def with_all_fields(self, text: bytes) -> bytes:
        """The same lines with something in fields that are empty, which the kernel would not see."""
        for before, after in ((b"\t", b"\t"), (b"\t", b"\t"), (b"\t", b"\n"), (b"\t", b"\r"), (b"\n", b"\t")):
            text = text.replace(before + after, before + EMPTY + after)
        if text.startswith(b"\t"):
            text = EMPTY + text
        return text + EMPTY if text.endswith(b"\t") else text

    def without_single_fields(self, text: bytes) -> bytes:
        """The same lines, with those blank that have a first field only: Quepid's queries that nobody rated."""
        return _SINGLE.sub(b"", text)

    def blocks(self, path: str, blocks: Iterator[bytes], first: int) -> Iterator[bytes]:
        """Whole lines as white-space separated columns, as many lines as there were. *first* is the number of the
        first one."""
        line = first
        for block in blocks:
            self._refuse_taken(path, block, line)
            if b'"' in block:
                text, lines = self._unquoted(path, block, blocks, line)
            else:
                text, lines = block.translate(self._table), block.count(b"\n")
            yield _trimmed(text)
            line += lines

    def _unquoted(self, path: str, block: bytes, more: Iterator[bytes], first: int) -> tuple[bytes, int]:
        """A block, and as much of the next ones as its last record needs, without quotes; and its number of lines."""
        waiting: deque[str] = deque(_lines_of(block))
        taken = 0

        def lines() -> Iterator[str]:
            while True:
                while waiting:
                    yield waiting.popleft()
                following = next(more, None)
                if following is None:
                    return
                self._refuse_taken(path, following, first + reader.line_num)
                waiting.extend(_lines_of(following))

        reader = csv.reader(lines(), delimiter=self.separator, strict=True)
        out: list[str] = []
        try:
            while waiting:
                record = next(reader)
                text = chr(_CUT[0]).join(record)
                out.append((text.replace("\n", chr(LINE_BREAK[0])) if "\n" in text else text) + "\n")
                out.append("\n" * (reader.line_num - taken - 1))
                taken = reader.line_num
        except csv.Error as problem:
            raise FileError(path, _why(problem), line=first + taken) from None
        return "".join(out).encode().translate(self._quoted_table), taken

    def _refuse_taken(self, path: str, block: bytes, line: int) -> None:
        for byte in _TAKEN:
            at = block.find(byte)
            if at >= 0:
                problem = f"the control character 0x{byte[0]:02x} cannot stand in columns"
                raise FileError(path, problem, line=line + block.count(b"\n", 0, at))


def fields_of(line: str, separator: str) -> list[str]:
    """The fields of a single line, without spaces around them."""
    try:
        return [field.strip() for field in next(csv.reader([line], delimiter=separator, strict=True), [])]
    except csv.Error:
        return []


def _lines_of(block: bytes) -> list[str]:
    lines = block.decode().split("\n")
    last = lines.pop()
    out = [line + "\n" for line in lines]
    return [*out, last] if last else out


def _trimmed(text: bytes) -> bytes:
    """Without spaces around fields, and with no line that looks like a comment."""
    if _SPACE in text:
        if any(one in text for one in (b"\x1f\t", b"\x1f\n", b"\x1f\r")) or text.endswith(_SPACE):
            text = _SPACES_AFTER.sub(b"", text)
        if any(one in text for one in (b"\t\x1f", b"\n\x1f")) or text.startswith(_SPACE):
            text = _SPACES_BEFORE.sub(b"", text)
    if b"#" in text:  # most files have none, which is seen at once
        text = text.replace(b"\n#", b"\n" + _COMMENT)
    return _COMMENT + text[1:] if text.startswith(b"#") else text


def _why(problem: csv.Error) -> str:
    words = str(problem)
    if "unexpected end" in words or "field limit" in words:
        return "a quoted field that begins here does not end"
    if "expected after" in words:
        return "a quote ends here before its field does; double quotes inside of quotes"
    return f"this is not CSV ({words})"
