"""Does a range of possible scores put a run on the right side of others? Paper 1, Table 6."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from unjudged.arrays import Flags, Floats, Ints

__all__ = ["Reconstruction", "Ties", "count_preferences", "reconstruction"]


Ties = Literal["neither", "first"]
"""What a tie says: that neither is better (the paper's words), or that the run with the range is (its code)."""

_SAME = 1e-12
"""Scores that differ by less are tied."""


class Reconstruction(NamedTuple):
    """How much of the order of runs a method finds, topic by topic; means over the topics that have runs to order."""

    precision: float
    """Share of right ones among the preferences that it emits; 0 where it emits none."""
    recall: float
    """Share of the true preferences that it emits."""
    f1: float


def count_preferences(low: Floats, high: Floats, truth: Floats, counted: Flags, *, ties: Ties = "neither") -> Ints:
    """Right, emitted and true preferences of each topic, shape (topics, 3).

    All but the result have shape (runs, topics). Each *counted* run in turn has its range from *low* to *high*, all
    others their true scores. A preference is emitted where the range lies above or below the score of another run.
    """
    out = np.zeros((truth.shape[1], 3), dtype=np.int64)
    slack = _SAME if ties == "neither" else -_SAME
    for topic in np.flatnonzero(counted.any(axis=0)).tolist():
        mine = np.flatnonzero(counted[:, topic])
        score = truth[:, topic]
        other = np.ones((len(mine), len(score)), dtype=bool)
        other[np.arange(len(mine)), mine] = False
        above = (low[mine, topic, None] - score > slack) & other
        below = (score - high[mine, topic, None] > _SAME) & other & ~above
        truly_above = (score[mine, None] - score > slack) & other
        truly_below = (score - score[mine, None] > _SAME) & other & ~truly_above
        right = int((above & truly_above).sum() + (below & truly_below).sum())
        out[topic] = right, int(above.sum() + below.sum()), int(truly_above.sum() + truly_below.sum())
    return out


def reconstruction(counts: Ints) -> Reconstruction:
    """Precision, recall and F1 from such counts; NaN where no topic has a true preference."""
    counts = counts[counts[:, 2] > 0].astype(np.float64)
    if not len(counts):
        return Reconstruction(np.nan, np.nan, np.nan)
    right, emitted, true = counts.T
    precision = np.divide(right, emitted, out=np.zeros(len(right)), where=emitted > 0)
    recall = right / true
    both = precision + recall
    f1 = np.divide(2 * precision * recall, both, out=np.zeros(len(right)), where=both > 0)
    return Reconstruction(float(precision.mean()), float(recall.mean()), float(f1.mean()))
