"""How deep the pool seems to be, from the ranks down to which runs are judged."""

from __future__ import annotations

import numpy as np

from unjudged.arrays import Ints
from unjudged.data.qrels import Qrels
from unjudged.data.run_occurrences import OccurrencesInRuns

__all__ = ["SHALLOWEST", "inferred_depth", "judged_depths"]


SHALLOWEST = 5
"""Pools less deep are not told from luck."""
_ALLOWED = 0.05
"""Share of its topics on which a contributing run may have a hole within the pool depth."""


def judged_depths(qrels: Qrels, occurrences: OccurrencesInRuns) -> Ints:
    """Down to which rank each run is judged, apart from a few of its topics."""
    judged = np.append(qrels.judged, np.zeros(len(occurrences.unlisted.topics), dtype=bool))
    everything = np.iinfo(np.int64).max
    out = []
    for one in occurrences.run_occurrences:
        rows = np.flatnonzero(judged[one.pairs])
        starts = np.searchsorted(rows, one.offsets)
        topic = np.repeat(np.arange(len(one.lengths)), np.diff(starts))
        place = np.arange(len(rows)) - starts[topic] + 1
        depth = np.bincount(topic[one.ranks[rows] == place], minlength=len(one.lengths)).astype(np.int64)
        depth[depth == one.lengths] = everything  # nothing more to judge
        answered = np.sort(depth[one.lengths > 0])
        out.append(int(answered[int(_ALLOWED * len(answered))]) if len(answered) else 0)
    return np.array(out, dtype=np.int64)


def inferred_depth(qrels: Qrels, occurrences: OccurrencesInRuns) -> int | None:
    """How deep the pool seems to be; None where no run seems to have been in it.

    The depth to which the best-judged run of each group is judged, of the groups for which that is not next to
    nothing, and of these the lower middle one.
    """
    depths = judged_depths(qrels, occurrences)
    best = np.array([depths[occurrences.group_of_run == group].max() for group in range(len(occurrences.keys))])
    best = np.sort(best[best >= SHALLOWEST])
    longest = max(int(one.lengths.max(initial=0)) for one in occurrences.run_occurrences)
    return min(int(best[(len(best) - 1) // 2]), longest) if len(best) else None
