"""Average precision of rankings whose holes have drawn grades, without writing the rankings out."""

from __future__ import annotations

import numpy as np

import unjudged.kernels as kernels
from unjudged.arrays import Floats, Ints, SmallInts
from unjudged.data.scale import Scale
from unjudged.data.spans import offsets_of, rows_of_spans
from unjudged.data.view import View
from unjudged.measures.base import Measure

__all__ = ["first_relevant_level", "is_average_precision", "sums_of_precisions"]


def is_average_precision(measure: Measure, view: View) -> bool:
    """Whether a measure is a sum of precisions at relevant ranks, divided by R."""
    return view.residual is None and measure.pairs(view.qrels, 1) is not None


def first_relevant_level(measure: Measure, scale: Scale) -> int:
    """The lowest level of a scale that counts as relevant; one more than there are where none does."""
    return int(np.searchsorted(scale.grades, measure.first_relevant(scale)))


def sums_of_precisions(
    measure: Measure, view: View, rankings: Ints, rows: Ints, drawn: SmallInts, scale: Scale
) -> Floats:
    """Sum of the precisions at relevant ranks under each labelling of the holes: shape (rankings, draws).

    *rows* (rankings, holes) are the holes' rows in *view*, which is what the measure looks at; *drawn* has shape
    (rankings, draws, holes), and levels of the *scale*.
    """
    relevant = drawn >= first_relevant_level(measure, scale)
    bits = np.packbits(relevant, axis=1, bitorder="little").swapaxes(1, 2)
    hole = np.full(len(view.grades), -1, dtype=np.int64)
    hole[rows.ravel()] = np.arange(rows.size)
    matters = view.relevant(measure.first_relevant(scale)) | (hole >= 0)
    starts, ends = view.offsets[rankings], view.offsets[rankings + 1]
    at = rows_of_spans(starts, ends - starts)
    at, before = at[matters[at]], offsets_of(matters)
    sums, _ = kernels.sum_precisions(
        offsets_of(before[ends] - before[starts]),
        view.rank[at],
        hole[at],
        np.zeros(len(at), dtype=np.uint8),
        np.ascontiguousarray(bits).reshape(rows.size, -1 if rows.size else -(-drawn.shape[1] // 8)),
        drawn.shape[1],
    )
    return sums
