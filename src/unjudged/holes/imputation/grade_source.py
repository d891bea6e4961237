"""What knows more about holes than the prior does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from unjudged.arrays import Flags, Ints
from unjudged.data.view import View
from unjudged.errors import Notice
from unjudged.holes.imputation.grade_sampler import GradeProbabilities
from unjudged.holes.imputation.holes_of_other_runs import OtherHoles
from unjudged.holes.missing_kinds import MissingKinds

__all__ = ["Facts", "GradeSource", "LearnedFromRuns"]


class Facts(NamedTuple):
    """What is known about one hole, in the words of whoever asks."""

    groups: int | None
    """Other groups that return it, at any depth, and the best rank that one of them has it at; None if not asked."""
    best_rank: int | None
    run_mean: float
    pool_mean: float


class GradeSource(Protocol):
    """Something that gives grade probabilities of holes, such as another judge's labels."""

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What the user should know about it."""

    def grade_probabilities(self, view: View, rows: Ints) -> GradeProbabilities:
        """Those of some rows of a view."""

    def other_holes(self, own: GradeProbabilities, depth: int | None, draws: int, seed: int) -> OtherHoles | None:
        """What other runs' holes add to R and the ideal rankings of rankings with their *own* holes, if anything."""


class LearnedFromRuns(GradeSource, Protocol):
    """One that has learned from what the runs of a study return."""

    @property
    def missing_kinds(self) -> MissingKinds:
        """Which groups are of a kind that is missing from the pool."""

    def pairs(self, view: View, rows: Ints) -> Ints:
        """Numbers of some rows of a view among all that runs return; -1 for what nobody was asked about."""

    def pair_probabilities(self, pairs: Ints) -> GradeProbabilities:
        """Grade probabilities of documents with these numbers."""

    def without_precedent(self, view: View, rows: Ints) -> Flags:
        """Which rows of a view are holes of runs of which too little is known for an interval of their mean."""

    def reach(self, depth: int | None) -> int:
        """Down to which rank documents count that only other runs have."""

    def facts(self, view: View, rows: Ints) -> Sequence[Facts | None]:
        """What is known about some rows of a view; None where there is no evidence."""
