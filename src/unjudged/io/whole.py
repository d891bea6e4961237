"""Files that are there as a whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

__all__ = ["whole_file"]


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
