"""Writing files: results for people, and what must be there as a whole or not at all."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import BinaryIO

from unjudged.errors import FileError

__all__ = ["is_draft", "whole_file", "write_file"]


def write_file(path: str | PathLike[str], content: str | bytes) -> None:
    """Write a result to where the user wants it; a link, a pipe or /dev/null stays what it is."""
    try:
        Path(path).write_bytes(content.encode() if isinstance(content, str) else content)
    except OSError as problem:
        raise FileError(os.fspath(path), f"cannot be written: {problem.strerror}") from None


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write that takes its place at the end, whoever else writes it at the same time, or not at all."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        with draft.open("x+b") as stream:
            yield stream
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def is_draft(found: Path, path: Path) -> bool:
    """Whether a file is what :func:`whole_file` writes, or wrote when it was killed, before it becomes *path*."""
    return re.fullmatch(rf"\.{re.escape(path.name)}\.[0-9]+\.[0-9a-f]{{8}}", found.name) is not None
