"""How a study of reuse is done: which judgments are the truth, which runs and topics it is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from unjudged.arrays import Ints
from unjudged.data.joined import Joined
from unjudged.errors import InputError, some_of
from unjudged.limits import Choice, NeverJudged, Whole
from unjudged.measures.base import Measure
from unjudged.simulate.samples import Share
from unjudged.spec import near_miss

__all__ = ["Protocol", "scored_runs"]


@dataclass(frozen=True)
class Protocol:
    """What the user may say about it, and what follows where nothing was said."""

    truth_qrels: Any = None
    """Later judgments, which are the truth; the degradation is then what there was before."""
    bands: Sequence[Any] = ()
    """Shares unjudged at which topics are divided, such as 0.25 or 25%."""
    never_judged: NeverJudged | None = None
    top_share: Any = None
    """Share of the runs, the best by their true scores, that are scored."""
    without: Sequence[str] = ()
    """Groups (or runs) that are not scored."""
    repeat: int = 10

    def check(self) -> None:
        """Refuse what cannot be meant."""
        Whole(1).checked("the number of repetitions", self.repeat)
        if self.never_judged is not None:
            Choice(get_args(NeverJudged)).checked("never_judged", self.never_judged)
        if self.top_share is not None:
            Share().checked("the share of the top runs", self.top_share)
        if list(self.band_ends) != sorted(set(self.band_ends)):
            raise InputError(f"bands must rise, such as 0.25 0.5, not {' '.join(map(str, self.bands))}")
        if self.bands and self.truth_qrels is None:
            raise InputError("bands divide topics by what later judgments added; give these with --truth-qrels FILE")

    @property
    def band_ends(self) -> tuple[float, ...]:
        """The shares as numbers."""
        return tuple(float(Share().checked("a band", band)) for band in self.bands)

    @property
    def what_was_never_judged(self) -> NeverJudged:
        """As somebody says; else removed, but what later judgments lack, which are taken for complete, has grade 0."""
        return self.never_judged or ("removed" if self.truth_qrels is None else "nonrelevant")


def scored_runs(joined: Joined, truth: Measure, protocol: Protocol) -> Ints:
    """The runs that are scored, in their order; the others only contributed to the pool."""
    runs = np.arange(len(joined.runs))
    if protocol.without:
        runs = runs[~_without(joined, protocol.without)]
    if protocol.top_share is not None:
        kept = Share().read(protocol.top_share) * len(runs)
        means = [truth.summarise(truth.score(joined.view(range(run, run + 1)))) for run in runs.tolist()]
        best = np.argsort(-np.nan_to_num(means, nan=-np.inf), kind="stable")
        runs = np.sort(runs[best[: -(-kept.numerator // kept.denominator)]])
    if len(runs) < 2:
        rest = "one is" if len(runs) else "none is"
        raise InputError(f"reuse compares orders of runs, so it needs at least two, and {rest} left")
    return runs


def _without(joined: Joined, names: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    of_run = np.array(joined.runs if joined.groups is None else joined.groups)
    known = sorted(set(of_run.tolist()))
    for name in names:
        if name not in known:
            what = "run" if joined.groups is None else "group"
            near = near_miss(name, known) or f"; there is {some_of(known, 3)}"
            raise InputError(f"no {what} {name!r} to leave out{near}")
    return np.isin(of_run, names)
