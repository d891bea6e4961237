"""Groups of a new kind: their own judged documents promise more of their holes than other runs do.

What evidence knows about holes it learned from groups that were in the pool. A system of another kind may find what
none of them would, and evidence then expects too little of it. Its own judged documents, discounted, know nothing of
that. How far both usually are apart is seen from the groups that can be left out. Where a group that is among the best
where it is judged is further on the side of too little than nine in ten of them, its holes are as relevant on average
as discounted has them, and as uncertain; which of them are the better ones evidence still says. So it is, on either
side, with groups of a kind that is missing from the pool, as what they have in common says (`missing_kinds.py`).
"""

from __future__ import annotations

import sys
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from unjudged.arrays import Floats
from unjudged.data.pool_depth import SHALLOWEST
from unjudged.errors import Notice
from unjudged.holes.evidence_model.pool_contributions import Described
from unjudged.wording import counted

if TYPE_CHECKING:
    from unjudged.holes.evidence_model.model import EvidenceModel, FittedModel

__all__ = ["NEW_KIND", "NewKinds"]

NEW_KIND = "new-kind"
"""The code of the notice."""
SHARE = 0.1
"""Of ordinary groups so many count as of a new kind by mistake."""
BEST = 0.25
"""Groups among so many of the best may be of a new kind."""
LEAST_HOLES = 10
"""Fewer documents say nothing about a kind."""
_MARGIN = 0.005
_FURTHEST, _STEPS = 64.0, 50
_NAMED = 3


class Expected(NamedTuple):
    """What is expected of some documents: log odds of their mean grade as a share of the highest."""

    by_own: float
    """By the judged documents of the runs that return them."""
    by_others: float
    """By evidence from other runs."""

    @property
    def distance(self) -> float:
        """How much more the runs' own documents promise."""
        return self.by_own - self.by_others


class NewKinds:
    """Which groups are of a new kind, and by how much more relevant their holes may be."""

    def __init__(self, evidence: EvidenceModel) -> None:
        self._evidence = evidence
        self._of_holes: dict[int, tuple[Expected, float] | None] = {}
        self._of_missing: dict[int, float] = {}

    @cached_property
    def usual(self) -> dict[int, Expected]:
        """What is expected of what each group that was in the pool contributed alone, had it not been there."""
        evidence, contributions = self._evidence, self._evidence.contributions
        out: dict[int, Expected] = {}
        if contributions is not None:
            groups = evidence.occurrences.group_of_run[contributions.contributing_runs]
            for group in np.unique(groups).tolist():
                expected = self._expected(group, left_out=True)
                out |= {} if expected is None else {group: expected}
        return out

    def of_contributed(self, group: int) -> float:
        """By how much log odds of what a group contributed alone are higher, had it been new; 0 for most groups."""
        expected = self.usual.get(group)
        return 0.0 if expected is None or not self._is_new(group, expected) else self._shift(group, expected, True)

    def of_holes(self, group: int) -> float:
        """By how much log odds of a group's holes are higher than evidence has them; 0 for most groups."""
        if self._evidence.missing_kinds.groups[group]:
            if group not in self._of_missing:
                expected = self._expected(group, left_out=False)
                self._of_missing[group] = 0.0 if expected is None else self._shift(group, expected, False)
            return self._of_missing[group]
        if group not in self._of_holes:
            expected = self._expected(group, left_out=False)
            if expected is None or not self._is_new(group, expected):
                self._of_holes[group] = None
            else:
                self._of_holes[group] = expected, self._shift(group, expected, False)
        found = self._of_holes[group]
        return 0.0 if found is None else found[1]

    def follow_their_own(self, group: int) -> bool:
        """Whether a group's holes are as relevant on average as its own judged documents have them."""
        return bool(self._evidence.missing_kinds.groups[group]) or self.of_holes(group) > 0.0

    def _is_new(self, group: int, expected: Expected) -> bool:
        """Whether its distance is among the highest of all groups, with one more; few groups say nothing.

        Only of a group that is among the best where it is judged: a bad one is as far, and its holes are as bad as
        others say.
        """
        others = [one for other, one in self.usual.items() if other != group]
        if not others or expected.by_own <= np.quantile([one.by_own for one in others], 1.0 - BEST):
            return False
        return sum(one.distance >= expected.distance for one in others) + 1 <= SHARE * (len(others) + 1)

    def _described(self, group: int, left_out: bool) -> tuple[FittedModel, Described] | None:
        """A group's holes, or what it contributed alone, as far as holes reach; and the model that it has."""
        evidence = self._evidence
        group_fit = evidence.group_fit(group)
        every = group_fit.contributed if left_out else group_fit.holes
        # Near the top only, where several groups are missing: what is said of many must not depend on other measures.
        deepest = SHALLOWEST if not left_out and evidence.missing_kinds.groups[group] else sys.maxsize
        reach = min(one for one in (evidence.pool_depth, evidence.occurrences.depth, deepest) if one is not None)
        described = every.rows(np.flatnonzero(every.ranks <= reach))
        return None if group_fit.model is None or len(described.pairs) < LEAST_HOLES else (group_fit.model, described)

    def _expected(self, group: int, *, left_out: bool) -> Expected | None:
        there = self._described(group, left_out)
        if there is None:
            return None
        model, described = there
        unjudged = described.pairs if left_out else None
        own = self._evidence.discounted.expected_of(described.pairs, described.runs, described.ranks, unjudged=unjudged)
        return Expected(self._log_odds(own), self._log_odds(model.probabilities(described.features)))

    def _shift(self, group: int, expected: Expected, left_out: bool) -> float:
        """What to add to the log odds of each document, so that their mean grade is that by the runs' own."""
        there = self._described(group, left_out)
        if there is None:
            return 0.0
        model, described = there
        low, high = (0.0, _FURTHEST) if expected.distance >= 0 else (-_FURTHEST, 0.0)
        for _ in range(_STEPS):
            middle = (low + high) / 2
            enough = self._log_odds(model.moved(middle).probabilities(described.features)) >= expected.by_own
            low, high = (low, middle) if enough else (middle, high)
        return high

    def _log_odds(self, probabilities: Floats) -> float:
        share = self._share(probabilities)
        return float(np.log(share + _MARGIN) - np.log(1.0 - share + _MARGIN))

    def _share(self, probabilities: Floats) -> float:
        grades = self._evidence.scale.grades
        return float((probabilities @ grades).mean()) / max(float(grades.max()), 1.0)

    def notices(self) -> list[Notice]:
        """Which groups are of a new kind, of those that somebody has asked about."""
        out = []
        for group, found in self._of_holes.items():
            if found is not None:
                runs = np.flatnonzero(self._evidence.occurrences.group_of_run == group).tolist()
                names = sorted(self._evidence.occurrences.names[run] for run in runs)
                more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
                text = (
                    f"{', '.join(names[:_NAMED])}{more}: maybe a new kind of system: by its own judged documents, the"
                    f" odds that unjudged ones are relevant are {np.exp(found[0].distance):.1f} times those by other"
                    f" runs, further apart than for 9 in 10 of {counted(len(self.usual), 'group')} left out; estimates"
                    " follow its own, with intervals as wide as those of discounted"
                )
                out.append(Notice(NEW_KIND, len(runs), text))
        return out
