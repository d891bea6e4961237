"""Does a range of possible scores put a run on the right side of others? Paper 1, Table 6."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np

from unjudged.arrays import Flags, Floats, Ints

__all__ = ["TIES", "Reconstruction", "Ties", "count_preferences", "f1_of_topics", "reconstruction"]


Ties = Literal["neither", "first"]
"""What it says if the score of another run is an end of the range: that neither is better (the paper's words), or, as
in its code, that the run with the range is, where it is the lower end, and the other, where it is the upper end alone.
So an estimate, which is both ends, wins its ties."""

TIES = get_args(Ties)

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
        below = (score - high[mine, topic, None] > slack) & other & ~above
        truly_above = (score[mine, None] - score > slack) & other
        truly_below = (score - score[mine, None] > slack) & other & ~truly_above
        right = int((above & truly_above).sum() + (below & truly_below).sum())
        out[topic] = right, int(above.sum() + below.sum()), int(truly_above.sum() + truly_below.sum())
    return out


def reconstruction(counts: Ints) -> Reconstruction:
    """Precision, recall and F1 from such counts; NaN where no topic has a true preference."""
    rates = _of_topics(counts[counts[:, 2] > 0].astype(np.float64))
    return Reconstruction(*(float(one.mean()) if len(one) else np.nan for one in rates))


def f1_of_topics(counts: Ints | Floats) -> Floats:
    """F1 of each topic; NaN where it has no true preference."""
    return np.where(counts[:, 2] > 0, _of_topics(counts.astype(np.float64))[2], np.nan)


def _of_topics(counts: Floats) -> tuple[Floats, Floats, Floats]:
    right, emitted, true = counts.T
    precision, recall = (_share(right, whole) for whole in (emitted, true))
    return precision, recall, _share(2 * precision * recall, precision + recall)


def _share(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)
