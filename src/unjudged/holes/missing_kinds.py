"""Kinds of systems that are missing from a pool: groups that were not in it and return the same unjudged documents.

A document that nobody else found is a find of one team. What is known of such documents, here or from other
collections, comes from teams that were left out one at a time. Where several groups that were not in the pool agree on
documents that it does not have, a kind of system is missing, and what all of them find may be better or worse than
what a team would. So the odds of their holes share another shift, which is as uncertain as that of a team.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from unjudged.arrays import Flags, Ints
from unjudged.data.pool_depth import SHALLOWEST
from unjudged.data.qrels import Qrels
from unjudged.data.run_occurrences import OccurrencesInRuns
from unjudged.errors import Notice
from unjudged.holes.interval_calibration import enough_groups

__all__ = ["MISSING_KIND", "MissingKinds"]


MISSING_KIND = "missing-kind"
"""The code of the notice."""
FEW = 0.05
"""Share of a group's documents that may be unjudged, were it in the pool, and share of these that may be others'."""
_NAMED = 3


class _Held(NamedTuple):
    """What groups have near the top: an entry for each group and pair."""

    pairs: Ints
    groups: Ints
    is_hole: Flags


class MissingKinds:
    """Which groups are of a kind that is missing from the pool.

    None are, where nobody says who made which run, or no run of the pool is among them.
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
        columns = self._occurrences.columns
        kept = np.flatnonzero(columns.ranks <= self._depth)
        pairs, groups = columns.pairs[kept].astype(np.int64), columns.groups[kept].astype(np.int64)
        first = np.flatnonzero((np.diff(pairs, prepend=-1) != 0) | (np.diff(groups, prepend=-1) != 0))
        return _Held(pairs[first], groups[first], ~self._judged[pairs[first]])

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

    @cached_property
    def groups(self) -> Flags:
        """The groups that were not in the pool, and have more than a few of their holes in common with others such."""
        number = len(self._occurrences.keys)
        if (
            not self._occurrences.groups_given or number < 3 or not self.pooled
        ):  # two are missing, and one was in the pool
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
        names = sorted(self._occurrences.names[run] for run in runs)
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        text = (
            f"{', '.join(names[:_NAMED])}{more}: {int(self.groups.sum())} groups that were not in the pool return the"
            " same unjudged documents, so a kind of system is missing from it, and how relevant its documents are is"
            " less certain than of one team's; intervals are wider"
        )
        return (Notice(MISSING_KIND, len(runs), text),)
