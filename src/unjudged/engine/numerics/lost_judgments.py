"""Which runs and topics have something to estimate when judgments are taken away, and what nobody ever judged."""

from __future__ import annotations

import numpy as np

from unjudged.arrays import Flags, Floats, Ints
from unjudged.data.joined import Joined
from unjudged.engine.numerics.estimates_on_degraded_qrels import Estimates
from unjudged.engine.numerics.reuse_trial import Trial
from unjudged.measures.base import Measure
from unjudged.simulate.base import Degradation

__all__ = ["lost_judgments", "lost_shares", "never_judged_share", "reach", "something_to_estimate"]


def reach(measure: Measure, how: Degradation) -> int | None:
    """Down to which rank of runs holes are counted: as far as the measure looks.

    Where runs are left out, it is also as far as the pool reached, below which others were not judged either.
    """
    depths = (measure.depth(), how.pool_depth if how.leaves_runs_out else None)
    return min((depth for depth in depths if depth is not None), default=None)


def never_judged_share(joined: Joined, depth: int | None) -> Floats:
    """The share of the first documents of each run, as it was given, that nobody ever judged."""
    judged, documents = joined.judged_in_all(depth)
    share: Floats = (documents - judged).sum(axis=1) / np.maximum(documents.sum(axis=1), 1)
    return share


def lost_shares(trial: Trial, degraded: Joined, runs: Ints, how: Degradation) -> list[Floats]:
    """For each measure, the share of the first documents of each run whose judgment was taken away.

    It is 0 for runs without documents. Most measures of a study read equally far, so each depth is looked at once.
    """
    depths = [reach(measure, how) for measure in trial.methods.measures]
    by_depth: dict[int | None, Floats] = {}
    for depth in set(depths):
        before, documents = (every[runs] for every in trial.joined.judged_in_all(depth))
        after, _ = degraded.judged_within(depth, runs)
        by_depth[depth] = (before - after).sum(axis=1) / np.maximum(documents.sum(axis=1), 1)
    return [by_depth[depth] for depth in depths]


def lost_judgments(trial: Trial, estimates: Estimates, runs: Ints, topics: Flags | None) -> Flags:
    """Pairs (measure, run, topic) on which methods are judged: something that the measure reads is no longer judged."""
    out = estimates.judged < trial.truth.judged
    mine = np.zeros(len(trial.joined.runs), dtype=bool)
    mine[runs] = True
    out &= mine[None, :, None]
    return out if topics is None else out & topics


def something_to_estimate(trial: Trial, estimates: Estimates, m: int, topics: Flags | None) -> Flags:
    """Runs whose mean is an estimate: they lost a judgment that the measure reads, or a topic.

    So is that of every run where the truth is another measure.
    """
    if trial.methods.measures[m] != trial.methods.truths[m] or (topics is not None and not topics.all()):
        return np.ones(len(trial.joined.runs), dtype=bool)
    lost: Flags = (estimates.judged[m] < trial.truth.judged[m]).any(axis=1)
    return lost
