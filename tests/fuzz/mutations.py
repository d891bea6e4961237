"""Changes to bytes that are otherwise a valid file: of lines, of columns, of line ends, and of single bytes."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from hostile import HOSTILE_NUMBERS, HOSTILE_TEXTS

__all__ = ["mutated", "mutated_bytes"]

Mutation = Callable[[Random, bytes], bytes]

LONG_LINE = (1 << 20) + 3
"""Just above the longest line that readers of columns take."""


def mutated(rng: Random, data: bytes) -> bytes:
    """Text as it is (two times of five), or with one to three changes."""
    for _ in range(rng.choice((0, 0, 1, 1, 3))):
        data = rng.choice(_OF_TEXT)(rng, data)
    return data


def mutated_bytes(rng: Random, data: bytes) -> bytes:
    """Binary data as it is (one time of four), or with changes that know nothing of its structure."""
    for _ in range(rng.choice((0, 1, 1, 3))):
        data = rng.choice(_OF_BYTES)(rng, data)
    return data


def _lines(data: bytes) -> list[bytes]:
    return data.splitlines(keepends=True)


def _with_line(data: bytes, at: int, line: bytes) -> bytes:
    lines = _lines(data)
    return b"".join([*lines[:at], line, *lines[at + 1 :]])


def _any_line(rng: Random, data: bytes) -> tuple[int, bytes]:
    lines = _lines(data) or [b""]
    at = rng.randrange(len(lines))
    return at, lines[at]


def _repeat_line(rng: Random, data: bytes) -> bytes:
    _, line = _any_line(rng, data)
    at, other = _any_line(rng, data)
    return _with_line(data, at, other + line)


def _drop_line(rng: Random, data: bytes) -> bytes:
    return _with_line(data, _any_line(rng, data)[0], b"")


def _shuffle_lines(rng: Random, data: bytes) -> bytes:
    lines = _lines(data)
    rng.shuffle(lines)
    return b"".join(lines)


def _drop_column(rng: Random, data: bytes) -> bytes:
    at, line = _any_line(rng, data)
    fields = line.split(b" ")
    del fields[rng.randrange(len(fields))]
    return _with_line(data, at, b" ".join(fields))


def _add_column(rng: Random, data: bytes) -> bytes:
    at, line = _any_line(rng, data)
    fields = line.split(b" ")
    fields.insert(rng.randrange(len(fields) + 1), _hostile(rng))
    return _with_line(data, at, b" ".join(fields))


def _replace_column(rng: Random, data: bytes) -> bytes:
    at, line = _any_line(rng, data)
    fields = line.split(b" ")
    fields[rng.randrange(len(fields))] = _hostile(rng)
    return _with_line(data, at, b" ".join(fields))


def _hostile(rng: Random) -> bytes:
    return rng.choice(HOSTILE_TEXTS + HOSTILE_NUMBERS).encode()


def _other_line_ends(rng: Random, data: bytes) -> bytes:
    return data.replace(
        b"\n", rng.choice((b"\r\n", b"\r", b"\n\n", b" \n", b"\n\xef\xbb\xbf", "\u2028".encode(), b"\x0b"))
    )


def _other_spaces(rng: Random, data: bytes) -> bytes:
    return data.replace(b" ", rng.choice((b"\t", b"  ", b" \t ", b",", b"\x0c", "\xa0".encode(), b"\x1f")))


def _no_last_line_end(rng: Random, data: bytes) -> bytes:
    return data.rstrip(b"\r\n") + rng.choice((b"", b"\r", b" ", b"\x00", b"#", b"\n\n\n"))


def _insert_line(rng: Random, data: bytes) -> bytes:
    at, line = _any_line(rng, data)
    new = rng.choice((b"\n", b"# a comment\n", b" \t\n", b"#\n", b"\xef\xbb\xbf\n", b"\x0c\n", _hostile(rng) + b"\n"))
    return _with_line(data, at, new + line)


def _begin_with(rng: Random, data: bytes) -> bytes:
    return (
        rng.choice((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\n\n", b"\x1f\x8b", b"PAR1", b"{", b"<", b"%")) + data
    )


def _very_long_line(rng: Random, data: bytes) -> bytes:
    if rng.random() < 0.9:  # they take a hundred times as long as other cases
        return _replace_column(rng, data)
    at, line = _any_line(rng, data)
    # Of short words: the core in NumPy takes seconds for one word of a megabyte, in texts, whose lines may be longer.
    return _with_line(data, at, line.rstrip(b"\n") + rng.choice((b"x ", b"  ", b"9\t")) * (LONG_LINE // 2) + b"\n")


def _flip_byte(rng: Random, data: bytes) -> bytes:
    at = rng.randrange(len(data)) if data else 0
    return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]


def _cut_short(rng: Random, data: bytes) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _drop_bytes(rng: Random, data: bytes) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + data[at + rng.randint(1, 8) :]


def _insert_bytes(rng: Random, data: bytes) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice((_hostile(rng), rng.randbytes(rng.randint(1, 4)))) + data[at:]


def _append(rng: Random, data: bytes) -> bytes:
    return data + rng.choice((data, b"\0" * rng.randint(1, 9), b"x", data[: len(data) // 2]))


def _to_nothing(rng: Random, data: bytes) -> bytes:
    return rng.choice((b"", b"\n", b" ", b"\0", b"#", b"\xef\xbb\xbf", b"\r"))


_OF_BYTES: tuple[Mutation, ...] = (_flip_byte, _flip_byte, _cut_short, _drop_bytes, _insert_bytes, _append)
_OF_TEXT: tuple[Mutation, ...] = (
    _repeat_line, _drop_line, _shuffle_lines, _drop_column, _add_column, _replace_column, _replace_column,
    _other_line_ends, _other_spaces, _no_last_line_end, _insert_line, _begin_with, _very_long_line, _to_nothing,
    *_OF_BYTES,
)  # fmt: skip
