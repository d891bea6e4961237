"""Who made which run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from unjudged.arrays import Ints
from unjudged.data.copies import Fingerprint, without_copies
from unjudged.data.joined import of_each_run

__all__ = ["Groups"]


@dataclass(frozen=True)
class Groups:
    """The group of each run, by name, and where that is written; without, near copies are taken for one group."""

    of_run: Mapping[str, str] | None = None
    source: str = "groups"

    def numbers(self, names: Sequence[str]) -> Ints:
        """A number for the group of each run; a run whose group nobody knows is one of its own."""
        groups = [name if self.of_run is None else self.of_run.get(name, name) for name in names]
        return np.unique(groups, return_inverse=True)[1].astype(np.int64)

    def number(self, names: Sequence[str], prints: Sequence[Fingerprint]) -> Sequence[object]:
        """What runs of one group have in common."""
        if self.of_run is None:
            return [int(first) for first in without_copies(prints)]
        return of_each_run(names, self.of_run, self.source)
