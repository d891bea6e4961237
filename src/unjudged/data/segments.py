"""Slices of the topics: languages, head and tail queries, kinds of questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from unjudged.arrays import Ints
from unjudged.errors import InputError, Notice, some_of

__all__ = ["Segments"]


@dataclass(frozen=True)
class Segments:
    """The segment of each topic, and where that is written."""

    of_topic: Mapping[str, str]
    source: str = "segments"

    @property
    def names(self) -> list[str]:
        """The segments, in the order in which they are first named."""
        return list(dict.fromkeys(self.of_topic.values()))

    def positions(self, topics: Sequence[str]) -> dict[str, Ints]:
        """Positions of the topics of each segment that has any, in the order in which segments are first named."""
        places: dict[str, list[int]] = {segment: [] for segment in self.names}
        for place, topic in enumerate(topics):
            if topic in self.of_topic:
                places[self.of_topic[topic]].append(place)
        found = {name: np.array(own, dtype=np.int64) for name, own in places.items() if own}
        if not found:
            raise InputError(
                f"{self.source}: none of the {len(topics):,} judged topics has a segment; it lists"
                f" {some_of(list(self.of_topic), 3)}"
            )
        return found

    def notices(self, topics: Sequence[str]) -> list[Notice]:
        """Whether there are topics that belong to no segment."""
        outside = [topic for topic in topics if topic not in self.of_topic]
        if not outside:
            return []
        text = (
            f"{self.source}: {len(outside):,} of {len(topics):,} topics {'has' if len(outside) == 1 else 'have'} no"
            f" segment, such as {some_of(outside, 3)}; they count in the whole only"
        )
        return [Notice("no-segment", len(outside), text)]
