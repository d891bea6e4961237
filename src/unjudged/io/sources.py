"""Opening what a user names: a path, a compressed file, or ``-`` for standard input, as blocks of whole lines.

Files are untrusted: compressed data is streamed and never held whole, lines have a limit, and every way a file can be
unreadable has its own one-line message.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path, PurePath
from typing import IO, cast

import numpy as np

from unjudged.errors import FileError, InputError
from unjudged.io.compression import unpacked

__all__ = [
    "STDIN",
    "as_path",
    "count_lines",
    "digest",
    "enough_memory",
    "explain",
    "line_blocks",
    "plain_lines",
    "raw_blocks",
    "run_name_from_path",
    "show",
    "size_on_disk",
    "unique_names",
]

STDIN = "-"
LINE_LIMIT = 1 << 20
"""Longest line accepted, in bytes, unless a reader says otherwise. Real runs and judgments stay below a few hundred."""
BLOCK_BYTES = LINE_LIMIT

_LINE_FEED = ord("\n")
_BOM = b"\xef\xbb\xbf"
_OTHER_BOMS = (b"\xff\xfe", b"\xfe\xff")


def raw_blocks(path: str, block_bytes: int | None = None) -> Iterator[bytes]:
    """The bytes of *path*, decompressed, in blocks as they come."""
    with _open(path) as stream:
        while block := stream.read(block_bytes or BLOCK_BYTES):
            yield block


def line_blocks(
    path: str,
    *,
    block_bytes: int | None = None,
    line_limit: int | None = None,
    blocks: Iterable[bytes] | None = None,
) -> Iterator[bytes]:
    """The text of *path* in blocks of whole lines. The last line may lack its line feed.

    Checks that the text is UTF-8, has no NUL bytes and no line beyond the limit; drops a byte order mark at the
    beginning of any line (files are often joined). *blocks* are its bytes, where somebody has begun to read them.
    """
    limit = line_limit or LINE_LIMIT
    if blocks is not None:
        yield from _whole_lines(path, blocks, limit)
        return
    # No larger than a line may be, so that only the first line of a block can be too long.
    size = min(block_bytes or BLOCK_BYTES, LINE_LIMIT)
    with _open(path) as stream:
        yield from _whole_lines(path, iter(lambda: stream.read(size), b""), limit)


def _whole_lines(path: str, blocks: Iterable[bytes], limit: int) -> Iterator[bytes]:
    line = 1
    rest = first = b""  # the lines of the first block are counted when there is another
    for block in blocks:
        line += count_lines(first)
        first = b""
        cut = block.rfind(b"\n") + 1
        if len(rest) + (block.find(b"\n") if cut else len(block)) > limit:
            _refuse_old_mac(path, rest, line)
            raise FileError(path, f"the line is longer than {limit:,} bytes", line=line)
        if cut == 0:
            rest += block
            continue
        if rest or cut < len(block):
            whole, rest = b"".join((rest, memoryview(block)[:cut])), block[cut:]  # one copy, not two
        else:
            whole = block
        yield _checked(path, whole, line)
        if line == 1:
            first = whole
        else:
            line += count_lines(whole)
    if rest:
        line += count_lines(first)
        text = _checked(path, rest, line)
        _refuse_old_mac(path, text, line)
        yield text


def plain_lines(path: str) -> Iterator[tuple[int, bytes, str]]:
    """The lines of a small file that are neither blank nor comments: number, bytes, and the text without its ends."""
    every = (raw for block in line_blocks(path) for raw in block.splitlines())
    for number, raw in enumerate(every, start=1):
        line = raw.decode().strip()
        if line and not line.startswith("#"):
            yield number, raw, line


def count_lines(block: bytes) -> int:
    """How many lines end in a block."""
    if not block:
        return 0
    # Several times faster than block.count, which looks for one line feed after the other.
    return int(np.count_nonzero(np.frombuffer(block, dtype=np.uint8) == _LINE_FEED))


@contextmanager
def _open(path: str) -> Iterator[IO[bytes]]:
    """Plain bytes. Every OSError while reading becomes a message; standard input stays open, as it is not ours."""
    try:
        if path == STDIN:
            yield unpacked(path, _standard_input())
        else:
            with Path(path).open("rb") as stream:
                yield unpacked(path, stream)
    except OSError as problem:
        raise explain(path, problem) from None


def _standard_input() -> IO[bytes]:
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None or stream.closed:
        raise FileError(STDIN, "there is no standard input")
    return cast("IO[bytes]", stream)


def _refuse_old_mac(path: str, text: bytes, line: int) -> None:
    if line == 1 and b"\r" in text.rstrip():
        raise FileError(path, r"lines end in CR alone (old Mac); convert the file with: tr '\r' '\n'", line=1)


def _checked(path: str, block: bytes, line: int) -> bytes:
    if line == 1 and block.startswith(_OTHER_BOMS):
        raise FileError(path, "the text is UTF-16; convert the file with: iconv -f UTF-16 -t UTF-8", line=1)
    nul = block.find(b"\0")
    if nul >= 0:
        raise FileError(path, "this is binary data, not text (a NUL byte)", line=line + block.count(b"\n", 0, nul))
    if block.isascii():
        return block
    try:
        block.decode("utf-8")
    except UnicodeDecodeError as problem:
        at = line + block.count(b"\n", 0, problem.start)
        message = f"byte 0x{block[problem.start]:02x} is not UTF-8; convert the file with: iconv -f LATIN1 -t UTF-8"
        raise FileError(path, message, line=at) from None
    return block.removeprefix(_BOM).replace(b"\n" + _BOM, b"\n")


def as_path(source: object) -> str | None:
    """The path that *source* is, or None if it is none."""
    if not isinstance(source, str | os.PathLike):
        return None
    path = os.fsdecode(source)
    if not path or "\0" in path:
        raise InputError(f"this is not a file name: {path!r}")
    return path


@contextmanager
def enough_memory(path: str) -> Iterator[None]:
    """What does not fit in memory while a file is read becomes a message that says which file."""
    try:
        yield
    except MemoryError:
        raise FileError(path, "there is not enough memory to read it") from None


def explain(path: str, problem: OSError) -> FileError:
    """What the operating system said, in the user's words."""
    if isinstance(problem, FileNotFoundError):
        hint = "; addresses are not downloaded, save the file first" if "://" in path else ""
        return FileError(path, f"no such file{hint}")
    if isinstance(problem, IsADirectoryError):
        return FileError(path, "this is a directory; a file is needed here")
    if isinstance(problem, PermissionError):
        return FileError(path, "permission denied")
    return FileError(path, f"cannot be read: {os.strerror(problem.errno) if problem.errno else problem}")


def digest(path: str) -> str | None:
    """SHA-256 of a file's bytes as they are on disk.

    None for what is no file or can be read only once (pipes), and for what cannot be read, which its reader reports.
    """
    try:
        if not Path(path).is_file():
            return None
        import hashlib  # which loads OpenSSL

        with Path(path).open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return None


def size_on_disk(path: str) -> int | None:
    """Bytes of a file; None for what is no file."""
    try:
        return os.path.getsize(path) if os.path.isfile(path) else None  # noqa: PTH113,PTH202
    except OSError:
        return None


def show(line: bytes, limit: int = 60) -> str:
    """A line for an error message: one line, printable, not too long."""
    text = line.decode("utf-8", "replace").strip()
    return repr(text if len(text) <= limit else text[: limit - 3] + "...")


_ENDINGS = (
    ".gz",
    ".bz2",
    ".xz",
    ".zst",
    ".parquet",
    ".txt",
    ".csv",
    ".tsv",
    ".jsonl",
    ".json",
    ".run",
    ".res",
    ".trec",
)


def run_name_from_path(path: str) -> str:
    """The file's name without folders, endings such as ``.run.gz``, and TREC's ``input.``."""
    name = PurePath(path).name
    for ending in _ENDINGS:
        name = name.removesuffix(ending) or name
    return name.removeprefix("input.") or name


def unique_names(runs: Sequence[tuple[str, str]]) -> list[str]:
    """A name of its own for every run, from (tag, source): the tag, the file name where tags collide, or a number.

    >>> unique_names([("bm25", "a/one.run.gz"), ("bm25", "a/two.run"), ("dense", "b/one.run")])
    ['one', 'two', 'dense']
    """
    tags = Counter(tag for tag, _ in runs)
    taken = {tag for tag, times in tags.items() if times == 1}
    numbers = {tag: count(1) for tag in tags}
    names: list[str] = []
    for tag, source in runs:
        name = tag
        if tags[tag] > 1:
            name = run_name_from_path(source) if source != STDIN else ""
            while not name or name in taken:
                name = f"{tag}.{next(numbers[tag])}"
            taken.add(name)
        names.append(name)
    return names
