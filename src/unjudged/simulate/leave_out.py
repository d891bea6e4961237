"""Degradations that leave runs out: the pool as it were had they not taken part."""

from __future__ import annotations

import numpy as np

from unjudged.arrays import Ints
from unjudged.data.joined import Joined
from unjudged.errors import InputError
from unjudged.simulate.base import Degradation, Left, refuse_depth
from unjudged.spec import Choice, Whole, param

__all__ = ["USUAL_DEPTH", "LeaveOutGroup", "LeaveOutRun"]

BUCKLEY = "C. Buckley, D. Dimmick, I. Soboroff and E. Voorhees. Bias and the limits of pooling. IR 10(6), 2007."


USUAL_DEPTH = 10
"""Documents of each run that went into the pool, where nobody knows better."""


class _LeaveOut(Degradation):
    """What both have in common: documents that only the runs left out have within the depth lose their judgments."""

    depth: int | None = param(
        None,
        Whole(1),
        f"documents of each run that went into the pool; {USUAL_DEPTH}, or as many as the pool seems to have of each,"
        " unless given",
    )
    rest: str = param("stays", Choice(("stays", "goes")), "judgments of documents that no run has within the depth")

    @property
    def leaves_runs_out(self) -> bool:
        """That is the point."""
        return True

    @property
    def pool_depth(self) -> int:
        """That of its pool."""
        return USUAL_DEPTH if self.depth is None else self.depth

    def in_pool(self, depth: int) -> Degradation:
        """The same about a pool of this depth, where nobody said another."""
        return self if self.depth is not None else type(self)(depth=depth, rest=self.rest)

    def depth_read(self) -> int:
        """As deep as its pool."""
        return self.pool_depth

    def check(self, joined: Joined) -> None:
        """Refuse what leaves nobody in, and a depth that no run has."""
        if len(joined.runs) < 2 or len(self.cases(joined)) < 2:
            raise InputError(f"{self} needs at least two runs or groups, so that somebody is left")
        refuse_depth(self, self.pool_depth, joined)

    def leave(self, joined: Joined, *, seed: int, repetition: int = 0, case: str = "") -> Left:
        """What is left of the judgments."""
        out = self.members(joined, case)
        others = joined.reached(np.setdiff1d(np.arange(len(joined.runs)), out), self.pool_depth)
        gone = joined.reached(out, self.pool_depth) & ~others if self.rest == "stays" else ~others
        return Left(joined.qrels.judged & ~gone, ~gone, runs=out)

    def members(self, joined: Joined, case: str) -> Ints:
        """The runs that are left out."""
        raise TypeError(f"{type(self).__name__} does not say who is left out")


class LeaveOutGroup(_LeaveOut):
    """Each group in turn is left out: documents that only its runs have within the depth lose their judgments.

    Such documents were not in the pool either. ``rest='goes'`` keeps only what another group has within the depth, as
    the code released with paper 1 does.
    """

    name = "LeaveOutGroup"
    nameless = "depth"
    title = "The pool without one group"
    reference = BUCKLEY

    @property
    def left_out(self) -> str:
        """All runs of a group."""
        return "group"

    def cases(self, joined: Joined) -> tuple[str, ...]:
        """The groups, in alphabetical order."""
        if joined.groups is None:
            raise InputError(f"{self} needs the group of each run: --groups FILE")
        return tuple(sorted(set(joined.groups)))

    def members(self, joined: Joined, case: str) -> Ints:
        """The runs of the group."""
        return np.flatnonzero(np.array(joined.groups) == case)


class LeaveOutRun(_LeaveOut):
    """Each run in turn is left out: documents that only it has within the depth lose their judgments.

    Gentler than leaving out its group, whose other runs often have the same documents.
    """

    name = "LeaveOutRun"
    nameless = "depth"
    title = "The pool without one run"
    reference = BUCKLEY

    def cases(self, joined: Joined) -> tuple[str, ...]:
        """The runs."""
        return joined.runs

    def members(self, joined: Joined, case: str) -> Ints:
        """The run itself."""
        return np.array([joined.runs.index(case)])
