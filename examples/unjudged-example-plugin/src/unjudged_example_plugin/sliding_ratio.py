"""A measure in one class: its name, parameters, words and code."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from unjudged.arrays import Floats
from unjudged.plugins import Measure, Normaliser, Qrels, Static, View, cutoff_param, ideal_view, share

__all__ = ["SlidingRatio"]


class SlidingRatio(Measure):
    """The grades found down to a rank, as a share of those that could have been found down to that rank.

    Unlike nDCG it does not matter at which of these ranks a document is. 0 for topics without a relevant document.
    """

    name = "SlidingRatio"
    at = "cutoff"
    title = "Share of the gain that could be found"
    formula = "SlidingRatio@k = sum of grades at ranks 1 to k / sum of the k highest grades in the judgments"
    unjudged = "Bring no gain, like documents judged not relevant."
    reference = (
        "S. Pollack. Measures for the comparison of information retrieval systems. American Documentation 19(4), 1968."
    )
    graded = True
    normalised_by: ClassVar[Normaliser] = "ideal"  # bounds ask: judged documents elsewhere can lower the score

    cutoff: int | None = cutoff_param()

    def compute(self, view: View) -> Floats:
        """One score for each ranking of the view, which is cut at ``cutoff`` already."""
        ideal = ideal_view(view.qrels, _gains(view.qrels)).top(self.cutoff)
        return share(_gain(view), _gain(ideal)[view.topics])

    def static(self, qrels: Qrels, ranks: int) -> Static:
        """All ranks weigh the same. Who says so gets fast corpus bootstraps and NRG for nothing."""
        return Static(np.ones(ranks), _gains(qrels))


def _gains(qrels: Qrels) -> Floats:
    """Gain of each grade of the judgments' scale: the grade."""
    return qrels.scale.grades.astype(np.float64)


def _gain(view: View) -> Floats:
    rows = np.flatnonzero(view.judged)
    return view.total(rows, view.grades[rows].astype(np.float64))
