"""One degradation after another, and names that stand for several degradations."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product

from unjudged.data.joined import Joined
from unjudged.errors import Notice, SpecError
from unjudged.simulate.base import Degradation, Left, degradations
from unjudged.spec import Limit, alternatives, param
from unjudged.wording import shortened

__all__ = ["Then", "parse_degradations"]

_THEN = re.compile(r"(?<!\s)\s++then\s+")


@dataclass(frozen=True)
class Another(Limit):
    """A degradation."""

    def read(self, value: object) -> Degradation:
        if not isinstance(value, Degradation):
            raise ValueError
        return value

    def __str__(self) -> str:
        return "a degradation"


class Then(Degradation):
    """One degradation applied to what another leaves: ``DepthCut(30) then KeepFraction(0.1)``."""

    first: Degradation = param(..., Another(), "what is done first")
    second: Degradation = param(..., Another(), "what is done with what that leaves")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.first.leaves_runs_out and self.second.leaves_runs_out:
            raise SpecError(f"{self}: runs can be left out only once")
        if isinstance(self.first, Then) or isinstance(self.second, Then):
            raise SpecError(f"{self}: only two degradations go together")

    def __str__(self) -> str:
        return f"{self.first} then {self.second}"

    __repr__ = __str__

    @property
    def family(self) -> str:
        """Both levels may change along a curve."""
        return f"{self.first.family} then {self.second.family}"

    @property
    def gives_strata(self) -> bool:
        """Whether one of them does."""
        return self.first.gives_strata or self.second.gives_strata

    @property
    def is_level(self) -> bool:
        """Whether one of them is."""
        return self.first.is_level or self.second.is_level

    @property
    def leaves_runs_out(self) -> bool:
        """Whether one of them does."""
        return self.first.leaves_runs_out or self.second.leaves_runs_out

    @property
    def left_out(self) -> str:
        """What the one that leaves runs out does."""
        return self.first.left_out or self.second.left_out

    @property
    def is_random(self) -> bool:
        """Whether repetitions of one of them differ."""
        return self.first.is_random or self.second.is_random

    def in_pool(self, depth: int) -> Degradation:
        """Both about the same pool."""
        return Then(first=self.first.in_pool(depth), second=self.second.in_pool(depth))

    @property
    def pool_depth(self) -> int | None:
        """The shallower one, where they say so."""
        depths = (self.first.pool_depth, self.second.pool_depth)
        return min((depth for depth in depths if depth is not None), default=None)

    def depth_read(self) -> int | None:
        """The deeper of the two."""
        depths = (self.first.depth_read(), self.second.depth_read())
        return None if None in depths else max(depth for depth in depths if depth is not None)

    def check(self, joined: Joined) -> None:
        """What both refuse."""
        self.first.check(joined)
        self.second.check(joined)

    def remarks(self, joined: Joined) -> list[Notice]:
        """What there is to know about both."""
        return [*self.first.remarks(joined), *self.second.remarks(joined)]

    def cases(self, joined: Joined) -> tuple[str, ...]:
        """The cases of the one that has some."""
        return self.first.cases(joined) if self.first.leaves_runs_out else self.second.cases(joined)

    def leave(self, joined: Joined, *, seed: int, repetition: int = 0, case: str = "") -> Left:
        """What the second leaves of what the first leaves."""
        one = self.first.leave(joined, seed=seed, repetition=repetition, case=case)
        # Another seed, so that the second draw is not the first one again.
        two = self.second.leave(joined.against(one.of(joined.qrels)), seed=seed + 1, repetition=repetition, case=case)
        topics = [left.topics for left in (one, two) if left.topics is not None]
        return Left(
            one.judged & two.judged,
            one.pooled & two.pooled,
            topics=None if not topics else topics[0] if len(topics) == 1 else topics[0] & topics[1],
            runs=one.runs if two.runs is None else two.runs,
            grades=one.grades if two.grades is None else two.grades,
            subtopics=one.subtopics if two.subtopics is None else two.subtopics,
            strata=one.strata if two.strata is None else two.strata,
            truth=one.truth if two.truth is None else two.truth,
            docs=one.docs if two.docs is None else two.docs,
        )

    def content(self) -> tuple[object, ...]:
        """Of both."""
        return (*self.first.content(), *self.second.content())


def parse_degradations(text: str) -> list[Degradation]:
    """The degradations that *text* stands for; several values stand for several degradations.

    >>> parse_degradations("DepthCut(4,8)")
    [DepthCut(4), DepthCut(8)]
    >>> parse_degradations("DepthCut(10) then KeepFraction(10%,0.5)")
    [DepthCut(10) then KeepFraction(0.1), DepthCut(10) then KeepFraction(0.5)]
    """
    parts = [[degradations.parse(one) for one in alternatives(part)] for part in _THEN.split(text.strip())]
    if len(parts) == 1:
        return parts[0]
    if len(parts) > 2:
        raise SpecError(f"{shortened(text)}: only two degradations go together")
    return [Then(first=first, second=second) for first, second in product(*parts)]
