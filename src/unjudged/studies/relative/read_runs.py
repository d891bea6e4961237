"""The runs that are compared: read once, and put in order."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.data.run_info import RunInfo
from unjudged.data.view import View, join
from unjudged.engine.numerics.prior_run_sets import (
    PriorSets,
    all_earlier,
    all_given,
    every_other,
    other_groups,
)
from unjudged.engine.numerics.scoring import share_judged
from unjudged.engine.numerics.unique_contributions import docs_in_top
from unjudged.errors import InputError, Notice, some_of
from unjudged.holes.base import PreparedHoleModel
from unjudged.io.reading import RunSource
from unjudged.studies.relative.parameters import Question

__all__ = ["ReadRuns", "RelativeRun", "position", "prior_sets", "prior_sources", "reader", "scored_first"]


@dataclass(frozen=True, eq=False)
class RelativeRun:
    """One run, as far as it matters here."""

    view: View
    condensed: View | None
    """Without its unjudged documents, where a hole model wants that."""
    absolute: Floats
    """Score of each topic, NaN where it is undefined."""
    judged: Floats
    docs: Ints | None
    """How often it has each document, for rareness over the whole collection."""


@dataclass(frozen=True, eq=False)
class ReadRuns:
    """Judgments, and runs, of which those that are only prior runs stand behind the ``scored`` ones."""

    qrels: Qrels
    infos: Sequence[RunInfo]
    sources: Sequence[RunSource]
    runs: Sequence[RelativeRun]
    scored: int
    beliefs: Sequence[PreparedHoleModel]
    notices: Sequence[Notice]

    @cached_property
    def names(self) -> list[str]:
        """The names of the runs."""
        return [info.name for info in self.infos]

    @cached_property
    def means(self) -> list[float]:
        """The absolute score of each run."""
        return [float(np.mean(one.absolute)) for one in self.runs]

    @cached_property
    def best_first(self) -> list[int]:
        """The scored runs by absolute score."""
        order: list[int] = np.argsort(-np.array(self.means[: self.scored]), kind="stable").tolist()
        return order


def reader(question: Question, qrels: Qrels) -> Callable[[Run], RelativeRun]:
    """What keeps of a run what the study is going to look at."""
    nrg, absolute, counting = question.nrg, question.absolute, question.counting
    depths = [nrg.depth(), nrg.prior_depth(), counting.depth]
    deepest = None if None in depths else max(depth for depth in depths if depth is not None)
    moves = any(model.looks_below for model in question.holes)
    whole = moves or None in (deepest, absolute.depth()) or absolute.condenses
    to_read = None if whole else max(deepest or 0, absolute.depth() or 0)
    # Without hole models that ask about them, documents without gain take no memory; choosing counts all judged ones.
    choosing = question.choosing.number is not None
    wanted = (nrg.model(qrels, 1).gains != 0) | (qrels.scale.grades >= counting.rel) | choosing

    def keep(run: Run) -> RelativeRun:
        view = join(run, qrels, depth=to_read)
        top = view.top(deepest)
        return RelativeRun(
            view=top if question.with_holes else top.only_grades(wanted),
            condensed=view.condensed().only_grades(wanted) if moves else None,
            absolute=absolute.score(view),
            judged=share_judged(view, nrg.depth()),
            docs=docs_in_top(run, qrels, counting.depth) if counting.rareness == "collection" else None,
        )

    return keep


def prior_sources(runs: Sequence[RunSource], prior_runs: Sequence[RunSource | str]) -> list[RunSource]:
    """The runs to read for prior sets only."""
    more = [one for one in prior_runs if isinstance(one, RunSource)]
    for one in more:
        if any(_same(one, run) for run in runs):
            raise InputError(
                f"{one.path or one.name or 'a run'} is in its own prior set: it is one of the runs, and a prior;"
                " to score the others against it, give its name as prior instead of the file"
            )
    return more


def _same(one: RunSource, other: RunSource) -> bool:
    if one.path is None or other.path is None:
        return one.source is other.source
    return os.path.realpath(one.path) == os.path.realpath(other.path)


def scored_first(names: Sequence[str], runs: int, prior_runs: Sequence[RunSource | str]) -> tuple[list[int], int]:
    """The order in which runs that are scored come before those that are only prior runs; and how many are scored.

    The first *runs* of all were given to be scored, unless a prior has the name of one.
    """
    moved = [position(names[:runs], one, "neither a file nor a run") for one in prior_runs if isinstance(one, str)]
    scored = [i for i in range(runs) if i not in moved]
    if not scored:
        raise InputError("all runs are prior runs, so that there is none to score")
    return [*scored, *dict.fromkeys(moved), *range(runs, len(names))], len(scored)


def position(names: Sequence[str], name: str, what: str = "not a run") -> int:
    """Where a run is, or an error that says which there are."""
    if name not in names:
        shown = some_of(names)
        raise InputError(f"{name!r} is {what}; there is {shown}")
    return list(names).index(name)


def prior_sets(question: Question, read: ReadRuns) -> PriorSets:
    """The prior set of each scored run."""
    asked, names = question.prior_runs, read.names
    if question.groups.given:
        measure = str(question.absolute)
        return other_groups(names, read.means, question.groups, which=asked.of_groups, measure=measure)
    if asked.order is not None:
        return all_earlier(names, asked.order, source=asked.path or "order")
    return all_given(names, range(read.scored, len(names))) if asked.runs else every_other(names)
