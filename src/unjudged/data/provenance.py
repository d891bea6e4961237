"""Where a result comes from: version, command, seed and the input files with their hashes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from unjudged.version import __version__

__all__ = ["DEFAULT_SEED", "Input", "Provenance", "Role"]

DEFAULT_SEED = 42

Role = Literal["qrels", "run", "pool", "intents", "texts", "groups", "labels"]


@dataclass(frozen=True)
class Input:
    """One input. ``sha256`` is None for what is not a file: standard input, frames, dictionaries."""

    path: str
    sha256: str | None
    role: Role


@dataclass(frozen=True)
class Provenance:
    """Enough to make a result again."""

    command: tuple[str, ...] = ()
    seed: int = DEFAULT_SEED
    inputs: tuple[Input, ...] = ()
    version: str = field(default=__version__)
