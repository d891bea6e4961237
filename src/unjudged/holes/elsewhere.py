"""Relevant documents that other runs may have found: they count in R and the ideal ranking, too."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unjudged.holes.evidence import Verdict, Verdicts
from unjudged.holes.filling import Labels, counts_of_grades

__all__ = ["Elsewhere"]

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Elsewhere:
    """What draws add to the judgments of a topic beside the holes of a ranking: those of all other runs.

    Each draw is one world, in which a document has one grade. So the ideal ranking of a topic is the same for all runs,
    and their scores stay comparable. Counted are holes with evidence that some run has within *depth*, as if every run
    had been pooled so far.
    """

    verdicts: Verdicts
    own: Verdict
    """Of the holes of a view."""
    depth: int
    draws: int
    seed: int

    def any_of(self, topics: Ints) -> NDArray[np.bool_]:
        """Whether there is any such hole, in the whole topic."""
        return np.array([self._total(topic).any() for topic in topics.tolist()], dtype=bool)

    def beside(self, topics: Ints, holes: Ints, labels: Labels) -> Ints:
        """Documents of each grade outside rankings of these topics, shape (rankings, draws, grades).

        *holes* has the numbers of the rankings' own holes, and *labels* their drawn grades.
        """
        total = np.stack([self._total(topic) for topic in topics.tolist()])
        counted = self.own.known & (self.own.ranks <= self.depth)
        return total - counts_of_grades(labels, total.shape[2], counted[holes][:, None, :])

    def _total(self, topic: int) -> Ints:
        return self.verdicts.found(topic, self.depth, self.draws, self.seed)
