"""Text with separators as white-space separated columns, in Python; a part of :mod:`unjudged.kernels.reference`."""

from __future__ import annotations

import re
from functools import cache

__all__ = [
    "BAD_CHARACTER",
    "COMMENT",
    "EMPTY",
    "LINE_BREAK",
    "SPACE",
    "TAB",
    "TEXT_AFTER_QUOTE",
    "UNFINISHED",
    "separated_columns",
]

EMPTY, LINE_BREAK, SPACE, TAB, COMMENT = b"\x1b", b"\x1a", b"\x1f", b"\x1d", b"\x1c"
"""What stands for an empty field, a line end in quotes, a space, a tab, and a ``#`` at the beginning of a line."""
UNFINISHED, TEXT_AFTER_QUOTE, BAD_CHARACTER = 1, 2, 3
"""Problems: a quoted field does not end, it ends before its field does, or there is one of these characters."""

_TAKEN = re.compile(rb"[\x1a\x1b\x1c\x1d\x1f\x0b\x0c]")
"""With a meaning here, or white space where columns are cut."""
_PLAIN = bytes.maketrans(b" \t", SPACE + TAB)
_QUOTED = bytes.maketrans(b" \t\n\r", SPACE + TAB + LINE_BREAK + LINE_BREAK)
_CLOSED = re.compile(rb'"[^"]*+(?:""[^"]*+)*+"')


def separated_columns(text: bytes, separator: int) -> tuple[bytes, int, int, int]:
    r"""Whole lines with fields between *separator* as columns between tabs, as many lines as there were.

    Fields may stand in quotes, as in RFC 4180; spaces around a field are no part of it. Bytes that would cut a field,
    or make a line a comment, are replaced one for one. A record that goes on over several lines is followed by as many
    blank ones, and one with a single field is a blank line.

    Returns the columns, up to the record with a problem; how many bytes and lines of *text* they are; and the problem,
    or 0. A last line without a line feed counts. For ``BAD_CHARACTER``, bytes and lines are those above it.
    """
    field = _field(separator)
    bad = _TAKEN.search(text)
    out: list[bytes] = []
    at = begins = lines = 0
    record: list[bytes] = []
    while at < len(text):
        match = field.match(text, at)
        if match is None or (bad and bad.start() < match.end()):
            closed = _CLOSED.match(text, at)
            if bad and (bad.start() < closed.end() if closed else True):
                here = text.count(b"\n", begins, bad.start())
                return b"".join(out), bad.start(), lines + here, BAD_CHARACTER
            return b"".join(out), begins, lines, TEXT_AFTER_QUOTE if closed else UNFINISHED
        quoted, plain, end = match.groups()
        record.append(plain.translate(_PLAIN) if quoted is None else quoted.replace(b'""', b'"').translate(_QUOTED))
        at = match.end()
        if end == bytes([separator]) and at < len(text):
            continue
        if end == bytes([separator]):  # and the text ends: so does a last field, which is empty
            record.append(b"")
        here = text.count(b"\n", begins, at)
        out.append(_columns(record) + b"\n" * here)
        lines, begins, record = lines + here, at, []
    return b"".join(out), at, lines, 0


@cache
def _field(separator: int) -> re.Pattern[bytes]:
    one = re.escape(bytes([separator]))
    quoted = rb'"([^"]*+(?:""[^"]*+)*+)"'
    return re.compile(rb"(?:%s|(?!\")([^%s\n]*?))(%s|\r?\n|\r?\Z)" % (quoted, one, one))


def _columns(record: list[bytes]) -> bytes:
    if len(record) == 1:
        return b""
    columns = b"\t".join(field.strip(SPACE) or EMPTY for field in record)
    return COMMENT + columns[1:] if columns.startswith(b"#") else columns
