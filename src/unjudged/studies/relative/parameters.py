"""What is asked: what each run is compared with, what is counted, and which runs are chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import get_args

from unjudged.data.groups import Groups
from unjudged.engine.numerics.fusion import Fusion
from unjudged.engine.numerics.unique_contributions import Counting
from unjudged.errors import InputError
from unjudged.holes.base import HoleModel, Settings
from unjudged.io.reading import RunSource
from unjudged.limits import Choice, ChooseBy, OtherGroups, Whole
from unjudged.measures.base import Measure
from unjudged.measures.relative import NRG

__all__ = ["Choosing", "PriorRuns", "Question"]


@dataclass(frozen=True)
class PriorRuns:
    """Whom runs are compared with: these ``runs``, or all that came before by an ``order``.

    Of runs that are named, those that are given anyway are not scored. ``path``: where the order is written. Without
    both, the best run, or all (``of_groups``), of each other group, where groups are known; else every other run.
    """

    runs: Sequence[RunSource | str] = ()
    order: Mapping[str, int] | None = None
    path: str | None = None
    of_groups: OtherGroups = "best"


@dataclass(frozen=True)
class Choosing:
    """How many runs are chosen (None: nobody asked), by what, and how they are put together."""

    number: int | None = None
    by: ChooseBy = "gain"
    fusion: Fusion | None = None

    def __post_init__(self) -> None:
        Choice(get_args(ChooseBy)).checked("choose_by", self.by)
        if self.number is not None:
            Whole(1).checked("choose", self.number)
        elif self.fusion is not None:
            raise InputError(f"{self.fusion} puts chosen runs together: say how many, such as --choose 3")
        elif self.by != "gain":
            raise InputError(f"runs are chosen by {self.by} where it is said how many, such as --choose 3")


@dataclass(frozen=True, eq=False)
class Question:
    """What is asked, with what follows from the measure where the user says nothing."""

    nrg: NRG
    absolute: Measure
    holes: Sequence[HoleModel]
    prior_runs: PriorRuns
    groups: Groups
    counting: Counting
    choosing: Choosing
    types: Groups
    """What kind of run each is."""
    settings: Settings

    def __post_init__(self) -> None:
        prior_runs = self.prior_runs
        if self.absolute.summary != "mean":
            raise InputError(f"{self.absolute} is not a mean over topics; use a measure that is, such as nDCG@10")
        if sum([bool(prior_runs.runs), self.groups.given, prior_runs.order is not None]) > 1:
            raise InputError("give prior runs, groups or an order, not several of them")
        Choice(get_args(OtherGroups)).checked("other_groups", prior_runs.of_groups)
        if prior_runs.of_groups == "all" and not self.groups.given:
            raise InputError("all runs of other groups can only be prior runs where groups are given")
        if self.counting.tasc == "group" and not self.groups.given:
            raise InputError("TaSC against the run's own group needs groups")

    @cached_property
    def with_holes(self) -> bool:
        """Whether some hole model asks about unjudged documents where they stand."""
        return any(not (model.looks_below or model.takes_as_nonrelevant) for model in self.holes)
