"""Exact bounds of what a reader gains per rank who stops once enough is gained."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unjudged.data.qrels import State
from unjudged.data.view import View
from unjudged.measures.base import Floats

__all__ = ["extremes_until_enough", "left_outside"]

Ints = NDArray[np.int64]


def left_outside(view: View, steps: Ints) -> Ints:
    """Judged documents of each gain that are not in the ranking: shape (rankings, steps of gain).

    *steps* has the gain of each grade.
    """
    qrels, kinds = view.qrels, int(steps.max()) + 1
    judged = qrels.states == State.JUDGED
    size = len(qrels.topics) * kinds
    total = np.bincount((qrels.topic_of_row * kinds + steps[qrels.grades])[judged], minlength=size)
    size = len(view) * kinds
    inside = np.bincount((view.ranking * kinds + steps[view.grades])[view.judged], minlength=size)
    left: Ints = total.reshape(-1, kinds)[view.topics] - inside.reshape(-1, kinds)
    return left


def extremes_until_enough(view: View, steps: Ints, supply: Ints, enough: int, cutoff: int) -> tuple[Floats, Floats]:
    """Lowest and highest gain per rank of a reader who stops when *enough* is gained, or at the *cutoff*.

    Gains are whole steps; *steps* has that of each grade. A hole has no gain, or one of *supply*, which has the number
    of documents with each gain (from 0, of which there are always enough) for each ranking.

    Gains add up in any order. So the reader gets to a rank if the gains above it are less than enough, and which of the
    holes above have them does not matter: all that counts is how few documents make up a sum.
    """
    lengths, holes = view.lengths, ~view.judged
    most = min(enough, (supply.shape[1] - 1) * int(lengths.max(initial=0)) + 1)
    sums = np.arange(most)
    # The gain of a hole at which somebody stops is no longer there for the holes above.
    above = {0: _fewest(supply, most)}
    for gain in range(1, supply.shape[1]):
        others = supply.copy()
        others[:, gain] -= 1
        above[gain] = np.where(supply[:, [gain]] > 0, _fewest(others, most), np.inf)

    low, high = np.full(len(view), np.inf), np.full(len(view), -np.inf)
    known, open_ranks = np.zeros(len(view), dtype=np.int64), np.zeros(len(view), dtype=np.int64)

    def stop(rankings: Ints, added: Ints, fewest: Floats, rank: int) -> None:
        """Take in what is gained by those who stop at this rank."""
        before = known[rankings][:, None] + sums
        total = before + added[:, None]
        possible = (fewest[rankings] <= open_ranks[rankings][:, None]) & (before < enough)
        possible &= (total >= enough) | (rank == cutoff)
        low[rankings] = np.minimum(low[rankings], np.where(possible, total, np.inf).min(axis=1) / rank)
        high[rankings] = np.maximum(high[rankings], np.where(possible, total, -np.inf).max(axis=1) / rank)

    for rank in range(1, min(cutoff, int(lengths.max(initial=0))) + 1):
        rankings = np.flatnonzero(lengths >= rank)
        rows = view.bounds[rankings] + rank - 1
        is_hole = holes[rows]
        stop(rankings[~is_hole], steps[view.grades[rows[~is_hole]]], above[0], rank)
        for gain, fewest in above.items():
            stop(rankings[is_hole], np.full(int(is_hole.sum()), gain), fewest, rank)
        known[rankings[~is_hole]] += steps[view.grades[rows[~is_hole]]]
        open_ranks[rankings[is_hole]] += 1
    short = np.flatnonzero(lengths < cutoff)
    stop(short, np.zeros(len(short), dtype=np.int64), above[0], cutoff)
    return low, high


def _fewest(supply: Ints, most: int) -> Floats:
    """The fewest documents whose gains add up to each sum below *most*; infinitely many where none do."""
    fewest = np.full((len(supply), most), np.inf)
    fewest[:, 0] = 0
    for gain in range(1, supply.shape[1]):
        without = fewest.copy()
        for number in range(1, min((most - 1) // gain, int(supply[:, gain].max(initial=0))) + 1):
            enough_left = supply[:, [gain]] >= number
            beside = np.where(enough_left, without[:, : most - number * gain] + number, np.inf)
            np.minimum(fewest[:, number * gain :], beside, out=fewest[:, number * gain :])
    return fewest
