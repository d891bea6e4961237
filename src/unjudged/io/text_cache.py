"""Term counts kept on disk, so that a collection is read once.

A cache file is a line with a name, a version and a checksum, then NumPy arrays one after the other. It is written under
another name and then renamed, so that nobody reads half a file; the checksum finds what the disk did to it afterwards.
It does not find what somebody did on purpose, who can make a new one: so arrays must also fit each other. A file that
cannot be used is as good as none. Nothing is unpickled.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from unjudged.data.ids import Ids
from unjudged.data.texts import Texts
from unjudged.errors import FileError
from unjudged.io.array_files import is_column, is_packed, read_array
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
    """What is kept under *path*; None where there is nothing, or nothing that can be used."""
    try:
        with path.open("rb") as stream:
            header = stream.read(_HEADER)
            if not header.startswith(_MAGIC) or header[len(_MAGIC) :] != _checksum(stream).encode() + b"\n":
                return None
            stream.seek(_HEADER)
            return _read_arrays(stream)
    except (OSError, ValueError):
        return None


def _unwritable(path: Path, problem: OSError) -> FileError:
    return FileError(str(path.parent), f"term counts cannot be kept here: {problem.strerror or problem}")


def _checksum(stream: IO[bytes]) -> str:
    """Of everything after the header. Leaves the stream where it was."""
    position = stream.tell()
    stream.seek(_HEADER)
    digest = hashlib.sha256()
    while block := stream.read(1 << 20):
        digest.update(block)
    stream.seek(position)
    return digest.hexdigest()


def _write_arrays(stream: IO[bytes], texts: Texts, wanted: Ids | None) -> None:
    everything = wanted is None
    asked = Ids.of([]) if wanted is None else wanted
    numbers = np.array([texts.tokens, texts.documents, everything], dtype=np.int64)
    ids = [column for one in (texts.docs, texts.words, asked) for column in (one.blob, one.offsets)]
    for array in (numbers, texts.offsets, texts.terms, texts.counts, texts.collection, *ids):
        np.save(stream, array, allow_pickle=False)


def _read_arrays(stream: IO[bytes]) -> CachedTexts:
    end = os.fstat(stream.fileno()).st_size

    def array() -> NDArray[Any]:
        return read_array(stream, end - stream.tell())

    numbers, offsets, terms, counts, collection = (array() for _ in range(5))
    docs, words, asked = (_ids(array(), array()) for _ in range(3))
    if not is_column(numbers, np.int64, 3) or numbers.min() < 0:
        raise ValueError("three numbers are needed")
    if not len(docs) or len(offsets) != len(docs) + 1 or not is_packed(offsets, len(terms)):
        raise ValueError("each document needs a row of terms")
    if not is_column(terms, np.int32) or terms.min(initial=0) < 0 or terms.max(initial=-1) >= len(words):
        raise ValueError("each term needs a word")
    begins = np.zeros(len(terms) + 1, dtype=bool)
    begins[offsets] = True
    if not (begins[1:-1] | (terms[1:] > terms[:-1])).all():
        raise ValueError("the terms of a document ascend")
    if not is_column(counts, np.int32, len(terms)) or counts.min(initial=1) < 1:
        raise ValueError("each term needs a count")
    if not is_column(collection, np.int64, len(words)) or collection.min(initial=1) < 1:
        raise ValueError("each word needs a count")
    if collection.sum(dtype=np.float64) > numbers[0]:
        raise ValueError("the collection has all words")
    texts = Texts(docs, offsets, terms, counts, words, collection, int(numbers[0]), int(numbers[1]))
    return CachedTexts(texts, None if numbers[2] else asked)


def _ids(blob: NDArray[Any], offsets: NDArray[Any]) -> Ids:
    if not is_column(blob, np.uint8) or not is_packed(offsets, len(blob)):
        raise ValueError("ids need bytes, and where each begins")
    blob.tobytes().decode()  # a UnicodeDecodeError is a ValueError
    starts = blob[offsets[:-1][np.diff(offsets) > 0]]
    if ((starts & 0xC0) == 0x80).any():
        raise ValueError("an id begins within a character")
    return Ids(blob, offsets)
