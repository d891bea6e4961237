"""What a kind of case is: how its input is made, and what a user would do with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

__all__ = ["Kind", "in_file", "joined", "parts"]

Make = Callable[[Random], bytes]
Use = Callable[[bytes, Path], object]

_BETWEEN = b"%%\n"


@dataclass(frozen=True)
class Kind:
    """One kind of input. It is bytes, so that what failed can be saved, made smaller and tried again."""

    name: str
    make: Make
    use: Use
    """Works with the bytes as a user would; may write into the folder. Gives a result or raises."""
    check: Callable[[bytes, object], None] = lambda data, result: None
    """Asserts what must be true of a result, beyond what must be true of all."""
    needs: str = ""
    """A package without which there are no such cases."""
    weight: int = 1
    """How often it is tried, beside the others."""


def in_file(read: Callable[[str], object], name: str = "file.txt") -> Use:
    """Read the bytes as a file of this name."""

    def use(data: bytes, folder: Path) -> object:
        path = folder / name
        path.write_bytes(data)
        return read(str(path))

    return use


def joined(*files: bytes) -> bytes:
    """Several files as one input."""
    return _BETWEEN.join(files)


def parts(data: bytes, folder: Path, *names: str) -> list[str]:
    """The files of one input, written out; what is missing is empty."""
    result = data.split(_BETWEEN, len(names) - 1)
    paths = [folder / name for name in names]
    for path, content in zip(paths, [*result, *[b""] * len(names)], strict=False):
        path.write_bytes(content)
    return [str(path) for path in paths]
