"""Distributions of the grades of holes, and the grades that they get, as many at once as fit."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from unjudged.arrays import Flags, Ints
from unjudged.holes.imputation.filling import DrawnGrades, Holes
from unjudged.holes.imputation.grade_sampler import GradeSampler
from unjudged.holes.imputation.holes_of_other_runs import OtherHoles

__all__ = ["HoleGrades", "RankingsWithGrades", "batches_that_fit", "levels_of_any_hole"]


_AT_LEAST = 8
"""Holes that a ranking counts as having at least: there are other arrays beside grades."""


@dataclass(frozen=True, eq=False)
class HoleGrades:
    """Distributions of the grades of a view's holes: which of them have evidence, and how they are drawn."""

    holes: Holes
    informed: Flags
    sampler: GradeSampler
    other_holes: OtherHoles | None = None

    @cached_property
    def is_open(self) -> Flags:
        """Rankings with holes, or whose ideal ranking follows what other runs may have found."""
        own: Flags = self.holes.counts > 0
        return own if self.other_holes is None else own | self.other_holes.any_of(self.holes.view.topics)


class RankingsWithGrades(NamedTuple):
    """Some rankings of a view with grades for their holes."""

    rankings: Ints
    rows: Ints
    """Of the holes (rankings, holes)."""
    drawn: DrawnGrades
    """Shape (rankings, draws, holes)."""
    new: Ints | None
    """Numbers of new judgments at each level, where other runs bring some, too: shape (rankings, draws, levels)."""


def levels_of_any_hole(sampler: GradeSampler, holes: Holes) -> Flags:
    """For each ranking and level, whether any of the ranking's holes can have it."""
    ranking = holes.view.ranking[holes.rows]
    possible = (sampler.probabilities > 0).T
    columns = [np.bincount(ranking[level[sampler.which]], minlength=len(holes.view)) > 0 for level in possible]
    return np.stack(columns, axis=1)


def batches_that_fit(counts: Ints, rankings: Ints, draws: int, cells: int, *, counted: int = 0) -> list[Ints]:
    """Rankings with equally many holes, in batches with so many grades (rankings x draws x holes) that they fit.

    Where grades at each of so many levels are to be *counted*, counts have to fit too.
    """
    out = []
    for number in np.unique(counts[rankings]).tolist():
        same = rankings[counts[rankings] == number]
        size = max(1, cells // (draws * max(number, counted, _AT_LEAST)))
        out += [same[i : i + size] for i in range(0, len(same), size)]
    return out
