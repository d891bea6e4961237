"""Where a result comes from: version, command, seed and the input files with their hashes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from unjudged.errors import Notice
from unjudged.registry import plugins_here
from unjudged.version import __version__
from unjudged.wording import json_text

__all__ = ["DEFAULT_SEED", "Input", "Provenance", "Role"]

DEFAULT_SEED = 42

Role = Literal[
    "qrels",
    "run",
    "pool",
    "intents",
    "only_topics",
    "feature",
    "texts",
    "groups",
    "types",
    "order",
    "topics",
    "labels",
    "assessors",
    "truth",
    "segments",
]


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
    files: tuple[str, ...] = ()
    """Absolute paths of what was read, as far as they are known: nothing that is made of the result overwrites them."""

    def document(self, content: Mapping[str, Any], warnings: Sequence[Notice], **about: str) -> str:
        """The JSON document of a result, as the docs describe it: its content between where it comes from and warnings.

        *about* is said beside version, command and seed.
        """
        plugins = [str(plugin) for plugin in plugins_here()]
        made: dict[str, Any] = {"version": self.version, "command": list(self.command), "seed": self.seed, **about}
        document = {
            "unjudged": {**made, "plugins": plugins} if plugins else made,
            "inputs": [asdict(one) for one in self.inputs],
            **content,
            "warnings": [asdict(notice) for notice in warnings],
        }
        return json_text(document)
