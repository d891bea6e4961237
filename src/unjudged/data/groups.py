"""Who made which run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from unjudged.data.copies import Fingerprint, without_copies
from unjudged.data.joined import of_each_run

__all__ = ["Groups"]


@dataclass(frozen=True)
class Groups:
    """The group of each run, by name, and where that is written; without, near copies are taken for one group."""

    of_run: Mapping[str, str] | None = None
    source: str = "groups"

    def number(self, names: Sequence[str], prints: Sequence[Fingerprint]) -> Sequence[object]:
        """What runs of one group have in common."""
        if self.of_run is None:
            return [int(first) for first in without_copies(prints)]
        return of_each_run(names, self.of_run, self.source)
