"""Drawn grades, and what AP makes of them, in NumPy; a part of :mod:`unjudged.kernels.reference`."""

from __future__ import annotations

import numpy as np

from unjudged.arrays import Bytes, Floats, Hashes, Ints, SmallInts
from unjudged.kernels.splitmix import GOLDEN, mixed, to_unit

__all__ = ["count_marked", "draw_levels", "draw_reached", "sum_precisions"]


def draw_levels(keys: Hashes, odds: Floats, which: Ints, factors: Floats, moved: Ints) -> SmallInts:
    """Levels drawn for holes, as many times as *factors* has columns: (holes, draws).

    A number in [0, 1) follows from the *keys* of the hole and the number of the draw (SplitMix64). A hole has reached a
    level if the odds of its number, divided by its factor, are at least those of the level: *odds* ascend in rows, of
    which each hole has *which*; *factors* (rows, draws) are positive, and *moved* is the row of each hole.
    """
    steps = np.arange(1, factors.shape[1] + 1, dtype=np.uint64) * GOLDEN
    uniform = to_unit(mixed(keys[:, None] + steps))
    uniform /= (1.0 - uniform) * factors[moved]
    levels = np.zeros(uniform.shape, dtype=np.int32)
    for limits in odds.T:
        levels += uniform >= limits[which][:, None]
    return levels


def draw_reached(
    keys: Hashes, odds: Floats, which: Ints, factors: Floats, moved: Ints, counted: Bytes
) -> tuple[Bytes, Ints]:
    """Whether holes reach one level, in as many draws as *factors* has columns, drawn as by :func:`draw_levels`.

    *odds* has those of each distribution to reach it. Bits, the first draw the lowest one, of each hole: (holes,
    bytes). Also how many of the holes that are *counted* (1, else 0) reach it in each draw.
    """
    reached = draw_levels(keys, odds[:, None], which, factors, moved) == 1
    bits = np.packbits(reached, axis=1, bitorder="little").reshape(len(keys), -(-factors.shape[1] // 8))
    return bits, reached[counted == 1].sum(axis=0)


def count_marked(row_offsets: Ints, items: Ints, marks: Bytes) -> Ints:
    """How many *items* of each ranking are marked (1, else 0); items are rows of *marks*."""
    before = np.cumsum(np.append(0, marks[items]), dtype=np.int64)
    counts: Ints = before[row_offsets[1:]] - before[row_offsets[:-1]]
    return counts


def sum_precisions(
    row_offsets: Ints, ranks: Ints, holes: Ints, apart: Bytes, relevant: Bytes, draws: int
) -> tuple[Floats, Ints]:
    """Sums of the precisions at relevant rows, in each draw: (rankings, draws).

    A row is relevant in all draws if its number in *holes* is -1, else where the bits of that row of *relevant* say so
    (the first draw is the lowest bit). Rows that are never relevant may be left out: *ranks* has those of the others.
    Also how many of the rows that are *apart* (1, else 0) are relevant in each draw.
    """
    sums = np.zeros((len(row_offsets) - 1, draws))
    counts = np.zeros(sums.shape, dtype=np.int64)
    for ranking in np.flatnonzero(np.diff(row_offsets)).tolist():
        rows = slice(int(row_offsets[ranking]), int(row_offsets[ranking + 1]))
        own, is_known, here = ranks[rows], holes[rows] < 0, holes[rows]
        below = np.append(np.cumsum(np.where(is_known, 1.0 / own, 0.0)[:0:-1])[::-1], 0.0)
        known = np.cumsum(is_known)
        flags = np.unpackbits(relevant[here[~is_known]], axis=1, count=draws, bitorder="little")
        drawn = np.cumsum(flags, axis=0, dtype=np.int64)
        added = flags * ((known[~is_known, None] + drawn) / own[~is_known, None] + below[~is_known, None])
        # One after the other, as the compiled core does.
        of_known = np.cumsum(known[is_known] / own[is_known])[-1:].sum()
        sums[ranking] = np.cumsum(np.concatenate([np.full((1, draws), of_known), added]), axis=0)[-1]
        is_apart = apart[rows] == 1
        counts[ranking] = (is_apart & is_known).sum() + flags[is_apart[~is_known]].sum(axis=0)
    return sums, counts
