"""Kinds of systems that are missing from a pool: groups that were not in it and return the same unjudged documents.

A document that nobody else found is a find of one team. What is known of such documents, here or from other
collections, comes from teams that were left out one at a time. Where several groups that were not in the pool agree on
documents that it does not have, a kind of system is missing, and what all of them find may be better or worse than
what a team would. So the odds of their holes share another shift, which is as uncertain as that of a team.

That takes runs of the pool, and somebody who says who made which run. A run that is asked about alone may be of such a
kind as well, and nothing that one run and judgments have tells. Where little of it is judged, intervals that rest on
its own judged documents held too seldom, also of runs of single teams (docs/discounted.md). So it has that shift, too,
and its mean has bounds in place of an interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from unjudged.arrays import Flags, Ints
from unjudged.data.pool_depth import SHALLOWEST
from unjudged.data.qrels import Qrels
from unjudged.data.run_occurrences import OccurrencesInRuns
from unjudged.errors import LITTLE_JUDGED, MAYBE_MISSING_KIND, Notice
from unjudged.holes.interval_calibration import enough_groups

__all__ = ["ENOUGH_JUDGED", "MISSING_KIND", "MissingKinds"]


MISSING_KIND = "missing-kind"
"""The code of the notice."""
ENOUGH_JUDGED = 0.75
"""Share of a run's first 10 documents that has to be judged for an interval of its mean that rests on these alone."""
FEW = 0.05
"""Share of a group's documents that may be unjudged, were it in the pool, and share of these that may be others'."""
_NAMED = 3


class _Held(NamedTuple):
    """What groups have near the top: an entry for each group and pair."""

    pairs: Ints
    groups: Ints
    is_hole: Flags


class MissingKinds:
    """Which groups are of a kind that is missing from the pool; none, where no run of the pool is among them.

    Where nobody says who made which run, each run counts as a group, apart from near copies.
    """

    def __init__(self, qrels: Qrels, occurrences: OccurrencesInRuns) -> None:
        self._occurrences = occurrences
        self._judged = np.append(qrels.judged, np.zeros(len(occurrences.unlisted.topics), dtype=bool))

    @property
    def _depth(self) -> int:
        """As deep as any pool is, so that it does not depend on how deep measures read."""
        depths = (SHALLOWEST, self._occurrences.pool_depth, self._occurrences.depth)
        return min(one for one in depths if one is not None)

    @cached_property
    def _held(self) -> _Held:
        # Not from the columns of all occurrences, which take long to order: few are near the top.
        runs, number = self._occurrences.run_occurrences, len(self._occurrences.keys)
        tops = [one.pairs[one.ranks <= self._depth].astype(np.int64) for one in runs]
        group_of_row = np.repeat(self._occurrences.group_of_run, list(map(len, tops)))
        pairs, groups = np.divmod(np.unique(np.concatenate(tops) * number + group_of_row), number)
        return _Held(pairs, groups, ~self._judged[pairs])

    @cached_property
    def _was_pooled(self) -> Flags:
        """Groups that have documents near the top, of which but a few are holes."""
        return (self._documents > 0) & (self._holes <= FEW * self._documents)

    @cached_property
    def _documents(self) -> Ints:
        return np.bincount(self._held.groups, minlength=len(self._occurrences.keys))

    @cached_property
    def _holes(self) -> Ints:
        return np.bincount(self._held.groups[self._held.is_hole], minlength=len(self._occurrences.keys))

    @property
    def pooled(self) -> int:
        """How many groups were in the pool."""
        return int(self._was_pooled.sum())

    @property
    def _show(self) -> bool:
        """Whether groups show what is missing: at least two are, and one was in the pool."""
        return len(self._occurrences.keys) >= 3 and self.pooled > 0

    @property
    def are_told(self) -> bool:
        """Whether it is known which runs are of a kind that is missing."""
        return self._occurrences.groups_given and self._show

    def may_be_missing(self, group: int) -> bool:
        """Whether a group's runs are of a missing kind, unless one team made them and others; nobody says."""
        return bool(self.groups[group]) and not self.are_told

    def scale(self, group: int, usual: float, *, little_judged: bool) -> float:
        """Of the shift that holes of such kinds share, for those of a group's run; *usual* is that of missing kinds."""
        return usual if self.groups[group] or little_judged else 0.0

    @cached_property
    def groups(self) -> Flags:
        """The groups that were not in the pool, and have more than a few of their holes in common with others such."""
        number = len(self._occurrences.keys)
        if not self._show:
            return np.zeros(number, dtype=bool)
        held, missing = self._held, (self._documents > 0) & ~self._was_pooled
        mine = held.is_hole & missing[held.groups]
        pairs, groups = held.pairs[mine], held.groups[mine]
        is_shared = np.bincount(pairs, minlength=len(self._judged))[pairs] > 1
        out: Flags = missing & (np.bincount(groups, weights=is_shared, minlength=number) > FEW * self._holes)
        return out

    def are_known(self, level: float) -> bool:
        """Whether the pool has enough groups to say how intervals turn out."""
        return self.pooled >= enough_groups(level)

    def notices(self) -> tuple[Notice, ...]:
        """What the user should know."""
        runs = np.flatnonzero(self.groups[self._occurrences.group_of_run]).tolist()
        if not runs:
            return ()
        names = self._named(runs)
        if not self.are_told:
            text = (
                f"{names}: runs that were not in the pool return the same unjudged documents; unless one team made"
                " them, a kind of system is missing from the pool, so intervals of means are bounds; --groups says who"
                " made which run"
            )
            return (Notice(MAYBE_MISSING_KIND, len(runs), text),)
        text = (
            f"{names}: {int(self.groups.sum())} groups that were not in the pool return the"
            " same unjudged documents, so a kind of system is missing from it, and how relevant its documents are is"
            " less certain than of one team's; intervals are wider"
        )
        return (Notice(MISSING_KIND, len(runs), text),)

    def little_judged(self, runs: Sequence[int]) -> tuple[Notice, ...]:
        """What the user should know of runs of which too little is judged."""
        if not runs or not self._occurrences.names:
            return ()
        text = (
            f"{self._named(runs)}: less than {ENOUGH_JUDGED:.0%} of the first 10 documents are judged, so nothing says"
            " how far off estimates may be: intervals of means are bounds; runs that were in the pool and --groups"
            " would tell more"
        )
        return (Notice(LITTLE_JUDGED, len(runs), text),)

    def _named(self, runs: Sequence[int]) -> str:
        names = sorted(self._occurrences.names[run] for run in runs)
        return ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
