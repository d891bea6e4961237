"""Ties in score: how high and how low a measure can get when tied documents change places."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unjudged.arrays import Ints
from unjudged.data.view import View

__all__ = ["blocks_of_ties", "extreme_orders", "tied_at"]


def blocks_of_ties(view: View, scores: NDArray[np.float64]) -> Ints:
    """The block of each row: rows of one ranking with equal scores share a block. Blocks ascend with the rows."""
    begins = np.ones(len(scores), dtype=bool)
    begins[1:] = scores[1:] != scores[:-1]
    begins[view.offsets[:-1][view.lengths > 0]] = True
    return np.cumsum(begins) - 1


def tied_at(view: View, blocks: Ints, cutoff: int) -> Ints:
    """Rankings in which the documents at ranks *cutoff* and *cutoff* + 1 are tied."""
    long_enough = np.flatnonzero(view.lengths > cutoff)
    below = view.offsets[long_enough] + cutoff
    tied: Ints = long_enough[blocks[below] == blocks[below - 1]]
    return tied


def extreme_orders(view: View, blocks: Ints, cutoff: int) -> tuple[View, View]:
    """Worst and best order of tied documents, for every measure that a better document higher up cannot lower.

    In each block of ties the grades ascend (worst) or descend (best). Only what can reach the first *cutoff* ranks
    is kept: the blocks that begin there.
    """
    first_row = np.searchsorted(blocks, np.arange(int(blocks[-1]) + 1)) if len(blocks) else blocks
    reaches = view.rank[first_row][blocks] <= cutoff
    part, kept = view.kept(reaches), blocks[reaches]
    worst = np.lexsort((part.grades, kept))
    best = np.lexsort((-part.grades, kept))
    return _reordered(part, worst), _reordered(part, best)


def _reordered(view: View, rows: Ints) -> View:
    return View(view.qrels, view.topics, view.offsets, view.grades[rows], view.states[rows])
