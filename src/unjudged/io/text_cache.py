"""Term counts kept on disk, so that a collection is read once.

A cache file is a line with a name, a version and a checksum, then NumPy arrays one after the other. It is written under
another name and then renamed, so that nobody reads half a file; the checksum finds what the disk did to it afterwards.
A file that cannot be trusted is as good as none. Nothing is unpickled.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from unjudged.data.ids import Ids
from unjudged.data.texts import Texts
from unjudged.errors import FileError
from unjudged.io.writing import whole_file

__all__ = ["CachedTexts", "load_texts", "save_texts"]

_MAGIC = b"unjudged texts 1 "
_DIGEST = 64
_HEADER = len(_MAGIC) + _DIGEST + 1


@dataclass(frozen=True, eq=False)
class CachedTexts:
    """Texts as they were kept, and which documents somebody asked for: one that has no text is not read for again."""

    texts: Texts
    wanted: Ids | None
    """None: all documents of the collection."""


def save_texts(path: Path, texts: Texts, wanted: Ids | None) -> None:
    """Keep texts under *path*, whose folder is made if need be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as stream:
            stream.write(_MAGIC + b"0" * _DIGEST + b"\n")
            _write_arrays(stream, texts, wanted)
            stream.seek(len(_MAGIC))
            stream.write(_checksum(stream).encode())
    except OSError as problem:
        raise _unwritable(path, problem) from None


def load_texts(path: Path) -> CachedTexts | None:
    """What is kept under *path*; None where there is nothing, or nothing that can be trusted."""
    try:
        with path.open("rb") as stream:
            header = stream.read(_HEADER)
            if not header.startswith(_MAGIC) or header[len(_MAGIC) :] != _checksum(stream).encode() + b"\n":
                return None
            stream.seek(_HEADER)
            return _read_arrays(stream)
    except (OSError, ValueError, EOFError):
        return None


def _unwritable(path: Path, problem: OSError) -> FileError:
    return FileError(str(path.parent), f"term counts cannot be kept here: {problem.strerror or problem}")


def _checksum(stream: IO[bytes]) -> str:
    """Of everything after the header. Leaves the stream where it was."""
    position = stream.tell()
    stream.seek(_HEADER)
    found = hashlib.sha256()
    while block := stream.read(1 << 20):
        found.update(block)
    stream.seek(position)
    return found.hexdigest()


def _write_arrays(stream: IO[bytes], texts: Texts, wanted: Ids | None) -> None:
    everything = wanted is None
    asked = Ids.of([]) if wanted is None else wanted
    numbers = np.array([texts.tokens, texts.documents, everything], dtype=np.int64)
    ids = [column for one in (texts.docs, texts.words, asked) for column in (one.blob, one.offsets)]
    for array in (numbers, texts.bounds, texts.terms, texts.counts, texts.collection, *ids):
        np.save(stream, array, allow_pickle=False)


def _read_arrays(stream: IO[bytes]) -> CachedTexts:
    def array() -> NDArray[np.generic]:
        return np.load(stream, allow_pickle=False)  # type: ignore[no-any-return]

    numbers, bounds, terms, counts, collection = (array() for _ in range(5))
    docs, words, asked = (Ids(array(), array()) for _ in range(3))  # type: ignore[arg-type]
    texts = Texts(docs, bounds, terms, counts, words, collection, int(numbers[0]), int(numbers[1]))  # type: ignore[arg-type]
    return CachedTexts(texts, None if numbers[2] else asked)
