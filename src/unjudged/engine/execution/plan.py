"""A plan: work cut into blocks that know nothing of each other, so that they may run anywhere, in any order."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Arrays", "Block", "Plan", "digest_of"]

Arrays = dict[str, NDArray[Any]]
"""What a block gives: arrays by name. They can be written and read back without running anybody's code."""


@dataclass(frozen=True)
class Block:
    """One piece of work. ``words`` name it for people and tell it from all other blocks of the plan."""

    item: Any
    words: str


@dataclass(frozen=True, eq=False)
class Plan:
    """``work(shared, block.item)`` for every block. ``work`` is a function that a worker can import."""

    work: Callable[[Any, Any], Arrays]
    shared: Any
    """What all blocks look at and none changes; it is sent to each worker once."""
    blocks: tuple[Block, ...]
    identity: str
    """A digest of all that the results follow from, apart from the block."""

    def key(self, block: Block) -> str:
        """The name of a block's result, the same wherever and whenever the same is computed."""
        return digest_of((self.identity, block.words))


def digest_of(content: object) -> str:
    """A SHA-256 of arrays, texts, numbers, and tuples, lists and data classes of such."""
    digest = hashlib.sha256()
    for part in _parts(content):
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()


def _parts(content: object) -> Iterable[bytes]:
    if isinstance(content, np.ndarray):
        yield f"array {content.dtype.str} {content.shape}".encode()
        yield np.ascontiguousarray(content).tobytes()
    elif isinstance(content, tuple | list):
        yield f"sequence {len(content)}".encode()
        for one in content:
            yield from _parts(one)
    elif is_dataclass(content) and not isinstance(content, type):
        yield type(content).__qualname__.encode()
        for field in fields(content):
            if not field.name.startswith("_"):
                yield from _parts(getattr(content, field.name))
    else:
        yield f"{type(content).__name__} {content!r}".encode()
