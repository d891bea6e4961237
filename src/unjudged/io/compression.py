"""Unpacking gzip, bzip2, xz and zstd as a stream.

Files are untrusted, so memory is bounded whatever a file claims: output comes in pieces, window sizes have a limit, and
so has what a small file may unpack to.
Data that stops early is an error in all four formats; the readers of the standard library and of zstandard differ on
that (zstandard's gives what it has and says nothing).
"""

from __future__ import annotations

import bz2
import io
import lzma
import os
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import PurePath
from typing import IO, Any, Protocol, cast

from unjudged.errors import FileError, InputError, MissingExtraError

__all__ = ["refuse_bomb", "unpacked"]

WINDOW_LIMIT = 1 << 27
"""Most memory that a file may ask for, in bytes. ``xz -9`` needs 2**26, ``zstd --long`` 2**27."""
UNPACK_LIMIT = 1 << 28
"""Bytes that any file may unpack to; beyond, a file may unpack to ``RATIO_LIMIT`` times its size."""
RATIO_LIMIT = 100
"""Runs and judgments unpack to 3 to 20 times their size. Beyond 100 are only copies of the same lines."""

_MAGIC = {
    "gzip": b"\x1f\x8b",
    "bzip2": b"BZh",
    "xz": b"\xfd7zXZ\x00",
    "zstd": b"\x28\xb5\x2f\xfd",
    "zip": b"PK\x03\x04",
    "Parquet": b"PAR1",
}
_LONGEST_MAGIC = 6
_SUFFIX = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}
_ADVICE = {"zip": "unpack it first", "Parquet": "give it the suffix .parquet"}


def unpacked(path: str, stream: IO[bytes]) -> IO[bytes]:
    """*stream* as plain bytes. The content decides, not the name: downloads are often renamed."""
    head = _read_fully(stream, _LONGEST_MAGIC)
    kind = next((kind for kind, magic in _MAGIC.items() if head.startswith(magic)), None)
    if kind in _ADVICE:
        raise FileError(path, f"this is a {kind} file; {_ADVICE[kind]}")
    suffix = PurePath(path).suffix
    if kind is None and suffix in _SUFFIX and head:
        raise FileError(path, f"the name ends in {suffix}, but the content is not {_SUFFIX[suffix]}")
    raw: io.RawIOBase = _Joined(head, stream) if kind is None else _Unpacker(path, kind, head, stream)
    return cast("IO[bytes]", io.BufferedReader(raw))


def refuse_bomb(path: str, packed: int, plain: int) -> None:
    """Refuse a file that unpacks to far more than any real one of its size. ``UNJUDGED_UNPACK_LIMIT`` allows more."""
    if plain <= RATIO_LIMIT * packed or plain <= (limit := _unpack_limit()):
        return
    raise FileError(
        path,
        f"this unpacks to more than {limit >> 20:,} MB and more than {RATIO_LIMIT} times its size;"
        " to read it all the same, set UNJUDGED_UNPACK_LIMIT (in MB) higher",
    )


def _unpack_limit() -> int:
    given = os.environ.get("UNJUDGED_UNPACK_LIMIT", "")
    if not given:
        return UNPACK_LIMIT
    if not (given.isascii() and given.isdigit() and len(given) < 10):
        raise InputError(f"UNJUDGED_UNPACK_LIMIT is a whole number of MB, not {given!r}")
    return int(given) << 20


def _read_fully(stream: IO[bytes], size: int) -> bytes:
    """*size* bytes, or fewer at the end: a pipe may give them one by one."""
    data = b""
    while len(data) < size and (more := stream.read(size - len(data))):
        data += more
    return data


class _Joined(io.RawIOBase):
    """The bytes that were looked at, then the rest."""

    def __init__(self, head: bytes, stream: Any) -> None:
        self._head = head
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._head:
            return int(self._stream.readinto(buffer))
        data, self._head = self._head[: len(buffer)], self._head[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)


class _Decompressor(Protocol):
    """What ``bz2`` and ``lzma`` offer; the two classes below give zlib and zstandard the same face."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


@cache
def _zlib() -> Any:
    """The fastest zlib that is installed: Intel's, which needs half the time, or Python's."""
    try:
        from isal import isal_zlib
    except ImportError:
        return zlib
    return isal_zlib


class _Gzip:
    def __init__(self) -> None:
        self._inner = _zlib().decompressobj(wbits=16 + zlib.MAX_WBITS)

    @property
    def eof(self) -> bool:
        return bool(self._inner.eof)

    @property
    def needs_input(self) -> bool:
        return not self._inner.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return bytes(self._inner.unused_data)

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return bytes(self._inner.decompress(self._inner.unconsumed_tail + data, max_length))


class _Zstd:
    """zstandard cannot bound its output, but a piece of input has at most 2**15 times its size of output."""

    needs_input = True

    def __init__(self) -> None:
        import zstandard

        self._inner = zstandard.ZstdDecompressor(max_window_size=WINDOW_LIMIT).decompressobj()

    @property
    def eof(self) -> bool:
        return bool(self._inner.eof)

    @property
    def unused_data(self) -> bytes:
        return bytes(self._inner.unused_data)

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return bytes(self._inner.decompress(data))


def _new_xz() -> _Decompressor:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=WINDOW_LIMIT)


_NEW: dict[str, Callable[[], _Decompressor]] = {
    "gzip": _Gzip,
    "bzip2": bz2.BZ2Decompressor,
    "xz": _new_xz,
    "zstd": _Zstd,
}


class _Unpacker(io.RawIOBase):
    """Reads through a decompressor, one member after the other (``cat a.gz b.gz`` is a gzip file)."""

    def __init__(self, path: str, kind: str, head: bytes, stream: IO[bytes]) -> None:
        self._path = path
        self._magic = _MAGIC[kind]
        self._stream = stream
        self._input = 1 << 10 if kind == "zstd" else 1 << 16
        self._new = _NEW[kind]
        self._errors: tuple[type[Exception], ...] = (zlib.error, lzma.LZMAError, OSError)
        if kind == "gzip":
            self._errors = (_zlib().error,)
        if kind == "zstd":
            try:
                import zstandard
            except ImportError:
                raise MissingExtraError("zstandard", "zstd", "reading .zst files") from None
            self._errors = (zstandard.ZstdError,)
        self._member = self._new()
        self._packed = head
        self._plain = memoryview(b"")
        self._bytes_in, self._bytes_out = len(head), 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._plain:
            if self._member.eof and not self._next_member():
                return 0
            if not self._packed and self._member.needs_input:
                self._packed = self._read()
                if not self._packed:
                    raise FileError(self._path, "the compressed file is cut short; copy it again")
            data, self._packed = self._packed, b""
            self._plain = memoryview(self._decompress(data, len(buffer)))
            self._bytes_out += len(self._plain)
            refuse_bomb(self._path, self._bytes_in, self._bytes_out)
        size = min(len(buffer), len(self._plain))
        buffer[:size], self._plain = self._plain[:size], self._plain[size:]
        return size

    def _read(self) -> bytes:
        data = self._stream.read(self._input)
        self._bytes_in += len(data)
        return data

    def _decompress(self, data: bytes, max_length: int) -> bytes:
        try:
            return self._member.decompress(data, max_length)
        except self._errors as problem:
            if "memory" in str(problem).lower():
                message = f"the compressed data asks for more than {WINDOW_LIMIT >> 20} MB of memory; compress it anew"
                raise FileError(self._path, message) from None
            raise FileError(self._path, "the compressed data is damaged; copy the file again") from None

    def _next_member(self) -> bool:
        """Begin the next member; False at the end. Zeros between members are padding."""
        data = self._member.unused_data.lstrip(b"\0")
        while not data:
            data = self._read()
            if not data:
                return False
            data = data.lstrip(b"\0")
        data += _read_fully(self._stream, len(self._magic) - len(data))
        if not data.startswith(self._magic):
            raise FileError(self._path, "other data follows the compressed data; copy the file again")
        self._member = self._new()
        self._packed = data
        return True
