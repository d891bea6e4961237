"""Exact bounds of what a reader gains per rank who stops once enough is gained."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.data.scale import Scale
from unjudged.data.view import View
from unjudged.measures.base import MOST_LABELLINGS

__all__ = ["Supply", "extremes_until_enough", "left_outside", "one_for_each_hole"]

Supply = Callable[[View, Ints], Ints]
"""How many documents of each gain the holes of each ranking can be: shape (rankings, gains from 0). Given are a view
and the gain of each grade of a scale."""

_CELLS = 1 << 22
"""Numbers (rankings x gains x sums of gains) held in memory at once."""


def left_outside(view: View, steps: Ints) -> Ints:
    """Judged documents that are not in the ranking."""
    qrels, kinds = view.qrels, int(steps.max()) + 1
    size = len(qrels.topics) * kinds
    total = np.bincount((qrels.topic_of_row * kinds + steps[qrels.levels])[qrels.judged], minlength=size)
    size = len(view) * kinds
    inside = np.bincount((view.ranking * kinds + steps[view.levels])[view.judged], minlength=size)
    left: Ints = total.reshape(-1, kinds)[view.topics] - inside.reshape(-1, kinds)
    return left


def one_for_each_hole(view: View, steps: Ints) -> Ints:
    """As many as there are holes, of each gain that a grade has: any labels are possible."""
    supply = np.zeros((len(view), int(steps.max()) + 1), dtype=np.int64)
    supply[:, steps] = view.count(~view.judged)[:, None]
    return supply


def extremes_until_enough(
    view: View, scale: Scale, steps: Ints, supply: Supply, enough: int, cutoff: int
) -> tuple[Floats, Floats] | None:
    """Lowest and highest gain per rank of a reader who stops when *enough* is gained, or at the *cutoff*.

    Gains are whole steps; *steps* has that of each grade of the *scale*. A hole has no gain, or one of its *supply*.
    None where there are too many different gains.

    Gains add up in any order. So the reader gets to a rank if the gains above it are less than enough, and which of the
    holes above have them does not matter: all that counts is how few documents make up a sum.
    """
    gains = int(steps.max())
    sums = min(enough, gains * view.deepest + 1)
    if (gains + 1) * sums > MOST_LABELLINGS:
        return None
    parts = [
        _extremes(block, steps[scale.levels(block.grades)], supply(block, steps), enough, cutoff, sums)
        for block in view.blocks(max(1, _CELLS // ((gains + 1) * sums)))
    ]
    low, high = (np.concatenate(ends) for ends in zip(*parts, strict=True))
    return low, high


def _extremes(view: View, gains: Ints, supply: Ints, enough: int, cutoff: int, sums: int) -> tuple[Floats, Floats]:
    """The same for a view whose rows have these *gains*."""
    lengths = view.lengths
    above = {0: _fewest(supply, sums)}
    for gain in (np.flatnonzero(supply[:, 1:].any(axis=0)) + 1).tolist():
        fewest = above[0]
        if gain < sums:
            # The gain of a hole at which somebody stops is no longer there for the holes above.
            others = supply.copy()
            others[:, gain] -= 1
            fewest = _fewest(others, sums)
        above[gain] = np.where(supply[:, [gain]] > 0, fewest, np.inf)

    low, high = np.full(len(view), np.inf), np.full(len(view), -np.inf)
    gained, holes = np.zeros(len(view), dtype=np.int64), np.zeros(len(view), dtype=np.int64)

    def stop(rank: int, rankings: Ints, added: Ints | int, fewest: Floats) -> None:
        """Take in what those gain who stop at this rank, where so much is *added*."""
        before = gained[rankings][:, None] + np.arange(sums)
        total = before + np.reshape(added, (-1, 1))
        possible = (fewest[rankings] <= holes[rankings][:, None]) & (before < enough)
        possible &= (total >= enough) | (rank == cutoff)
        low[rankings] = np.minimum(low[rankings], np.where(possible, total, np.inf).min(axis=1) / rank)
        high[rankings] = np.maximum(high[rankings], np.where(possible, total, -np.inf).max(axis=1) / rank)

    for rank in range(1, min(cutoff, view.deepest) + 1):
        rankings = np.flatnonzero(lengths >= rank)
        rows = view.offsets[rankings] + rank - 1
        judged, gain_here = view.judged[rows], gains[rows]
        stop(rank, rankings[judged], gain_here[judged], above[0])
        for gain, fewest in above.items():
            stop(rank, rankings[~judged], gain, fewest)
        gained[rankings] += gain_here  # that of a hole is 0 as yet
        holes[rankings] += ~judged
    stop(cutoff, np.flatnonzero(lengths < cutoff), 0, above[0])
    return low, high


def _fewest(supply: Ints, sums: int) -> Floats:
    """The fewest documents whose gains add up to 0, 1, ... (so many *sums*); infinitely many where none do."""
    fewest = np.full((len(supply), sums), np.inf)
    fewest[:, 0] = 0
    for gain in range(1, min(sums, supply.shape[1])):
        without = fewest.copy()
        for number in range(1, min((sums - 1) // gain, int(supply[:, gain].max(initial=0))) + 1):
            has_so_many = supply[:, [gain]] >= number
            together = np.where(has_so_many, without[:, : sums - number * gain] + number, np.inf)
            np.minimum(fewest[:, number * gain :], together, out=fewest[:, number * gain :])
    return fewest
