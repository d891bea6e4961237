"""Prior sets: which runs somebody has read before each run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from unjudged.data.groups import Groups, of_each_run
from unjudged.errors import InputError, Notice, some_of
from unjudged.limits import OtherGroups
from unjudged.wording import counted

__all__ = ["PriorSets", "all_earlier", "all_given", "every_other", "other_groups"]


@dataclass(frozen=True)
class PriorSets:
    """For each scored run its prior set, as positions of runs; and who that is, in words."""

    sets: tuple[tuple[int, ...], ...]
    words: str
    notices: tuple[Notice, ...] = ()


def every_other(names: Sequence[str]) -> PriorSets:
    """All other runs."""
    if len(names) < 2:
        raise InputError(f"{names[0]} is the only run, so its prior set is empty; give more runs, or --prior-run RUN")
    positions = range(len(names))
    return PriorSets(tuple(tuple(j for j in positions if j != i) for i in positions), "every other run")


def all_given(names: Sequence[str], prior_runs: Sequence[int]) -> PriorSets:
    """The same runs for all; *names* has those that are scored first."""
    shown = some_of([names[j] for j in prior_runs], 3)
    words = shown if len(prior_runs) <= 3 else f"{len(prior_runs)} runs ({shown})"
    return PriorSets((tuple(prior_runs),) * (len(names) - len(prior_runs)), words)


def other_groups(
    names: Sequence[str],
    means: Sequence[float],
    groups: Groups,
    *,
    which: OtherGroups = "best",
    measure: str,
) -> PriorSets:
    """Runs of the other groups: the best one of each by *means*, the first one of equals; or all of them."""
    mine = groups.of_each(names)
    runs: dict[str, list[int]] = {}
    for i in np.argsort(-np.asarray(means), kind="stable").tolist():
        runs.setdefault(mine[i], []).append(i)
    if len(runs) < 2:
        raise InputError(
            f"{groups.source}: all runs are of group {mine[0]!r}; without another group prior sets are empty"
        )
    taken = {group: some[:1] if which == "best" else some for group, some in runs.items()}
    sets = tuple(tuple(sorted(i for other in taken if other != group for i in taken[other])) for group in mine)
    words = f"the best run by {measure} of each other group" if which == "best" else "all runs of other groups"
    return PriorSets(sets, words, _not_given(names, groups.of_run or {}, groups.source))


def all_earlier(names: Sequence[str], order: Mapping[str, int], *, source: str) -> PriorSets:
    """All runs that came before."""
    place = of_each_run(names, order, source, "place")
    sets = tuple(tuple(j for j, other in enumerate(place) if other < mine) for mine in place)
    if not any(sets):
        raise InputError(f"{source}: no run came before another, so all prior sets are empty")
    first = [name for name, earlier in zip(names, sets, strict=True) if not earlier]
    text = f"{some_of(first, 3)}: no run came before, so relative and absolute are the same"
    notices = (Notice("empty-prior", len(first), text), *_not_given(names, order, source))
    return PriorSets(sets, "all earlier runs", notices)


def _not_given(names: Sequence[str], by_run: Mapping[str, object], source: str) -> tuple[Notice, ...]:
    unknown = [run for run in by_run if run not in names]
    if not unknown:
        return ()
    shown = some_of(unknown, 3)
    text = f"{source} lists {counted(len(unknown), 'run that was', 'runs that were')} not given ({shown}); left out"
    return (Notice("unknown-runs", len(unknown), text),)
