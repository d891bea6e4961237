"""Measures of how well a ranking agrees with the order that the judgments ask for."""

from __future__ import annotations

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.data.spans import turns
from unjudged.data.view import View
from unjudged.measures.base import Measure, cutoff_param, share
from unjudged.measures.ideal import ideal_ranking
from unjudged.measures.precision import Binary
from unjudged.spec import Flag, Real, param

__all__ = ["Accuracy", "Compat"]


class Compat(Measure):
    """Rank-biased overlap between the ranking and the ideal ranking of relevant documents nearest to it.

    The ideal ranking holds the documents with a grade above 0, highest grade first; within a grade, retrieved
    documents in run order, then the others. Overlap is followed down to the end of the longer ranking. With
    ``normalize`` the score is divided by that of the ideal ranking itself. ir_measures gives documents that were not
    retrieved the score 0 when it orders a grade, so that it differs for runs with scores of 0 or less.
    0 for topics without relevant documents.
    """

    name = "Compat"
    title = "Compatibility"
    graded = True
    formula = "Compat = sum over depths d of p^(d-1) * overlap(d) / d, over sum of p^(d-1); over the ideal ranking's"
    unjudged = "Fill ranks and agree with nothing, like documents judged not relevant."
    reference = "C. Clarke, A. Vtyurina and M. Smucker. Assessing top-k preferences. ACM TOIS 39(3), 2021."
    normalised_by = "mixed"

    p: float = param(0.95, Real(0, 1, "neither"), "persistence: how much deeper ranks count")
    normalize: bool = param(True, Flag(), "divide by the score of the ideal ranking, which is short")

    def compute(self, view: View) -> Floats:
        total = view.total_relevant(view.qrels.above_zero)
        end = np.maximum(view.lengths, total)
        depths = np.arange(1, int(end.max(initial=0)) + 1, dtype=np.float64)
        weights = np.concatenate([[0.0], np.cumsum(self.p ** (depths - 1) / depths)])

        # A document is in both rankings from the deeper of its two positions on, down to the end.
        rows, _ = view.relevant_rows(view.qrels.above_zero)
        deeper = np.maximum(view.rank[rows], _ideal_positions(view, rows))
        score = view.total(rows, weights[end[view.ranking[rows]]] - weights[deeper - 1])
        if self.normalize:
            return share(score, total * weights[end] - np.concatenate([[0.0], np.cumsum(weights)])[total])
        return share(score * (1.0 - self.p), 1.0 - self.p ** end.astype(np.float64))


def _ideal_positions(view: View, rows: Ints) -> Ints:
    """Position of each relevant row in the ideal ranking: after higher grades, then in run order."""
    ideal = ideal_ranking(view.qrels)
    different, code = np.unique(np.concatenate([ideal.grades, view.grades[rows]]), return_inverse=True)
    above, grades = code[: len(ideal.grades)], code[len(ideal.grades) :]
    ranking, scale = view.ranking[rows], len(different)
    by_grade = ideal.ranking * scale + (scale - 1 - above)
    topic = view.topics[ranking]
    higher = np.searchsorted(by_grade, topic * scale + (scale - 1 - grades)) - ideal.offsets[topic]

    group = ranking * scale + (scale - 1 - grades)
    order = np.argsort(group, kind="stable")
    place = np.empty(len(rows), dtype=np.int64)
    place[order] = turns(group[order]) + 1
    return higher + place


class Accuracy(Binary):
    """Chance that a retrieved relevant document is ranked above a retrieved non-relevant one.

    Undefined (NaN) for rankings without a relevant or without a non-relevant document within the cut-off: there is
    no pair to look at. ir_measures leaves out the former and fails on the latter (division by zero). Grades for
    unjudged documents can make it undefined, so hole models give the plain score without bounds.
    """

    name = "Accuracy"
    at = "cutoff"
    title = "Pairwise accuracy"
    formula = "Accuracy = share of (relevant, non-relevant) pairs of retrieved documents with the relevant one on top"
    reference = "S. MacAvaney, C. Macdonald and I. Ounis. Streamlining evaluation with ir-measures. ECIR 2022."
    has_holes = False  # labels for unjudged documents can make it undefined

    cutoff: int | None = cutoff_param()

    def compute(self, view: View) -> Floats:
        rows, count = view.relevant_rows(self.rel)
        relevant_retrieved = view.count(view.relevant(self.rel))
        wrong = view.total(rows, (view.rank[rows] - count).astype(np.float64))
        pairs = relevant_retrieved * (view.lengths - relevant_retrieved)
        return np.where(pairs > 0, 1.0 - share(wrong, pairs), np.nan)
