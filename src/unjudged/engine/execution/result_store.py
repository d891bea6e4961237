"""A folder with the results of finished blocks, so that a study that was killed goes on where it was."""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unjudged.engine.execution.plan import Arrays
from unjudged.errors import FileError
from unjudged.io.array_files import read_array
from unjudged.io.sources import explain
from unjudged.io.writing import is_draft, unwritable, whole_file
from unjudged.version import __version__
from unjudged.wording import visible

__all__ = ["Store"]

_LABEL = "unjudged-store.json"
_FORMAT = 1
_CHECKSUM = 64
"""Characters of a SHA-256."""


class Store:
    """Results by key. Several studies may use it at once: a key says what was computed, from which input.

    A result is a file with a checksum and arrays in NumPy's format, without pickles. It is written under another name
    and then renamed, so that it is there as a whole or not at all. What is damaged all the same counts as not there.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder)
        self.damaged = 0
        """Results that were there and could not be used."""
        label = self._folder / _LABEL
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            # Others may open it at the same time, or have been killed while they did: their labels and drafts are no
            # strangers. A label is there before any block is, so whoever sees a block first finds the label afterwards.
            strangers = [one for one in self._folder.iterdir() if one != label and not is_draft(one)]
            if label.exists():
                self._check(label)
            elif strangers:
                raise FileError(str(folder), "is not empty and not a store; choose another folder for --store")
            else:
                text = json.dumps({"format": _FORMAT, "version": __version__})
                _replace(label, text.encode())
        except OSError as problem:
            raise FileError(str(folder), f"cannot be used as a store: {problem.strerror}") from None

    def get(self, key: str) -> Arrays | None:
        """The result of a block, or None where there is none, or a damaged one."""
        path = self._path(key)
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as problem:
            raise explain(str(path), problem) from None
        arrays = _unpack(content)
        if arrays is None:
            self.damaged += 1
        return arrays

    def put(self, key: str, arrays: Arrays) -> None:
        """Keep a result."""
        path = self._path(key)
        try:
            path.parent.mkdir(exist_ok=True)
            _replace(path, _pack(arrays))
        except OSError as problem:
            raise unwritable(path, problem) from None

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key}.block"

    def _check(self, label: Path) -> None:
        try:
            written = json.loads(label.read_text(encoding="utf-8"))
            made = written["format"], written["version"]
        except (ValueError, TypeError, KeyError, RecursionError):
            raise FileError(str(label), "is damaged; choose another folder for --store") from None
        if made != (_FORMAT, __version__):
            raise FileError(
                str(self._folder),
                f"this store was made by unjudged {visible(str(made[1]))}, and this is {__version__}; choose another"
                " folder for --store, or delete it",
            )


def _replace(path: Path, content: bytes) -> None:
    with whole_file(path) as file:
        file.write(content)


def _pack(arrays: Arrays) -> bytes:
    out = io.BytesIO()
    np.savez(out, allow_pickle=False, **arrays)
    content = out.getvalue()
    return hashlib.sha256(content).hexdigest().encode() + content


def _unpack(content: bytes) -> Arrays | None:
    """Arrays by name, or None for anything but what :func:`_pack` makes, whose checksum anybody can make anew."""
    checksum, rest = content[:_CHECKSUM], content[_CHECKSUM:]
    if hashlib.sha256(rest).hexdigest().encode() != checksum:
        return None
    try:
        with zipfile.ZipFile(io.BytesIO(rest)) as archive:
            return {_name(one): _read(archive, one) for one in archive.infolist()}
    except Exception:  # zipfile has errors of its own, and those of all it is made of
        return None


def _name(member: zipfile.ZipInfo) -> str:
    name, _, kind = member.filename.rpartition(".")
    if kind != "npy" or member.compress_type != zipfile.ZIP_STORED:  # compressed, little could become a lot
        raise ValueError(f"not an array: {member.filename}")
    return name


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    with archive.open(member) as stream:
        return read_array(stream, member.compress_size)
