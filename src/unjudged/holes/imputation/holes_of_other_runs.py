"""Relevant documents that other runs may have found: they count in R and the ideal ranking, too."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unjudged.arrays import Flags, Ints
from unjudged.data.ids import Ids, pair_keys
from unjudged.data.qrels import Qrels
from unjudged.data.spans import offsets_of
from unjudged.data.view import View
from unjudged.holes.imputation.filling import DrawnGrades, counts_of_levels
from unjudged.holes.imputation.grade_sampler import GradeProbabilities, GradeSampler
from unjudged.measures.base import Measure

__all__ = ["AllHoles", "OtherHoles", "all_holes_of", "depends_on_other_holes"]


_AT_ONCE = 2048
"""Holes that are drawn together: 8 MB for 1,000 draws."""


def depends_on_other_holes(measure: Measure, view: View) -> bool:
    """Whether scores depend on what is relevant outside a ranking."""
    return measure.normaliser() != "none" and view.residual is None


class AllHoles:
    """The grades that the holes of all runs have in each draw, each document once."""

    def __init__(self, sampler: GradeSampler, topics: Ints, draws: int, *, number_of_topics: int) -> None:
        """*topics* has that of each hole in *sampler*."""
        self._sampler, self._draws = sampler, draws
        self._by_topic = np.argsort(topics, kind="stable")
        self._offsets = offsets_of(np.bincount(topics, minlength=number_of_topics))
        self._counts: dict[int, Ints] = {}

    def any_of(self, topics: Ints) -> Flags:
        """Whether topics have any."""
        has: Flags = np.diff(self._offsets)[topics] > 0
        return has

    def counts(self, topic: int) -> Ints:
        """How many holes of a topic are at each level, in each draw: shape (draws, levels)."""
        if topic not in self._counts:
            self._draw_from(topic)
        return self._counts[topic]

    def _draw_from(self, first: int) -> None:
        """Draw the holes of a topic and of some after it, which somebody is going to ask about, too."""
        end = int(np.searchsorted(self._offsets, self._offsets[first] + _AT_ONCE, side="right")) - 1
        topics = range(first, max(first + 1, end))
        offsets = self._offsets[first : topics.stop + 1] - self._offsets[first]
        holes = self._by_topic[self._offsets[first] : self._offsets[topics.stop]]
        drawn = self._sampler.draw(holes[None], self._draws)[0]
        levels = self._sampler.probabilities.shape[1]
        for topic, start, stop in zip(topics, offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
            self._counts[topic] = counts_of_levels(drawn[:, start:stop], levels)


def all_holes_of(
    qrels: Qrels, topics: Ints, docs: Ids, probabilities: GradeProbabilities, draws: int, seed: int
) -> AllHoles:
    """Those about which there is something to say, of documents of these topics."""
    some = probabilities.informed
    keys = pair_keys(qrels.topics, topics, docs, seed)[some]
    wanted = probabilities.take(some)
    sampler = GradeSampler(keys, wanted.conditional, np.arange(len(keys)), wanted.random_effects, seed)
    return AllHoles(sampler, topics[some], draws, number_of_topics=len(qrels.topics))


@dataclass(frozen=True, eq=False)
class OtherHoles:
    """What draws add to the judgments of a topic beside the holes of a ranking: those of all other runs.

    Each draw is one world, in which a document has one grade. So the ideal ranking of a topic is the same for all runs,
    and their scores stay comparable. Counted are holes that some run has within a depth, as if every run had been
    pooled so far.
    """

    everyones: AllHoles
    among: Flags
    """Which holes of a view are among them."""

    def any_of(self, topics: Ints) -> Flags:
        """Whether there is any such hole, in the whole topic."""
        return self.everyones.any_of(topics)

    def with_own(self, topics: Ints, holes: Ints, drawn: DrawnGrades) -> Ints:
        """Documents at each level that these and the rankings' own holes add, shape (rankings, draws, levels).

        *topics* are those of the rankings; *holes* has the numbers of their holes, and *drawn* the drawn levels.
        """
        total = np.stack([self.everyones.counts(topic) for topic in topics.tolist()])
        apart = ~self.among[holes]  # the others are in the total
        return total + counts_of_levels(drawn, total.shape[2], apart[:, None, :]) if apart.any() else total
