"""What all blocks look at, for the processes of this machine: each opens it once, and all share one copy of its arrays.

joblib would hand it to every task anew: a worker then maps the same files, and touches their pages for the first time,
with each block. Here arrays lie in memory that has no name in any folder, so that nothing is left behind by a process
that is killed.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import pickle
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["CAN_MAP", "Mapped", "mapped"]

CAN_MAP = hasattr(os, "memfd_create")
"""Linux has such memory; elsewhere joblib's files must do."""
_ALIGNED = 64

_opened: dict[str, Any] = {}
"""In a worker: what it opened last, by name."""


@dataclass(frozen=True)
class Mapped:
    """Small enough to go with every task: where the arrays lie, and all the rest."""

    name: str
    path: str
    rest: bytes
    spans: tuple[tuple[int, int], ...]

    def get(self) -> Any:
        """What it is, opened at the first call in a process."""
        if self.name not in _opened:
            _opened.clear()
            with Path(self.path).open("rb") as file:
                arrays = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
            # Not from disk: the rest came through the pipe from the process that asks for the work.
            parts = [arrays[start:end] for start, end in self.spans]
            _opened[self.name] = pickle.loads(self.rest, buffers=parts)  # noqa: S301
        return _opened[self.name]


@contextlib.contextmanager
def mapped(content: object) -> Iterator[Mapped]:
    """Lay content out for workers, who must get it before this ends."""
    import cloudpickle

    buffers: list[pickle.PickleBuffer] = []
    rest = cloudpickle.dumps(content, protocol=5, buffer_callback=buffers.append)
    spans: list[tuple[int, int]] = []
    memory = os.memfd_create("unjudged")
    with os.fdopen(memory, "wb") as file:
        for buffer in buffers:
            file.write(bytes(-file.tell() % _ALIGNED))
            start = file.tell()
            file.write(buffer.raw())
            spans.append((start, file.tell()))
        file.write(b"\0")  # nothing at all could not be mapped
        file.flush()
        yield Mapped(uuid.uuid4().hex, f"/proc/{os.getpid()}/fd/{memory}", rest, tuple(spans))
