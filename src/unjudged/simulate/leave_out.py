"""Degradations that make some runs newcomers: the pool as it were had they not taken part."""

from __future__ import annotations

import numpy as np

from unjudged.arrays import Ints
from unjudged.data.joined import Joined
from unjudged.errors import InputError
from unjudged.simulate.base import Left, OfPool
from unjudged.spec import Choice, Whole, param

__all__ = ["LeaveOutGroup", "LeaveOutRun"]

BUCKLEY = "C. Buckley, D. Dimmick, I. Soboroff and E. Voorhees. Bias and the limits of pooling. IR 10(6), 2007."


class _LeaveOut(OfPool):
    """What both have in common: documents that only the runs left out have within the depth lose their judgments."""

    depth: int = param(10, Whole(1), "documents of each run that went into the pool")
    rest: str = param("stays", Choice(("stays", "goes")), "judgments of documents that no run has within the depth")

    @property
    def leaves_runs_out(self) -> bool:
        """That is the point."""
        return True

    def check(self, joined: Joined) -> None:
        """Refuse what leaves nobody in, and a depth that no run has."""
        if len(joined.runs) < 2 or len(self.cases(joined)) < 2:
            raise InputError(f"{self} needs at least two runs or groups, so that somebody is left")
        super().check(joined)

    def leave(self, joined: Joined, *, seed: int, repetition: int = 0, case: str = "") -> Left:
        """What is left of the judgments."""
        out = self.members(joined, case)
        others = joined.reached(np.setdiff1d(np.arange(len(joined.runs)), out), self.depth)
        gone = joined.reached(out, self.depth) & ~others if self.rest == "stays" else ~others
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
