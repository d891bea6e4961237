"""Measures on subtopics that look at each of them apart: how many are covered, and how well, on average."""

from __future__ import annotations

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.data.profiles import Hits, hits_of, profiles_of
from unjudged.data.view import View
from unjudged.measures.base import cutoff_param, judged_only_param, rel_param
from unjudged.measures.precision import AP
from unjudged.measures.subtopics import OnSubtopics, by_subtopic

__all__ = ["AP_IA", "P_IA", "StRecall"]


AGRAWAL = "R. Agrawal, S. Gollapudi, A. Halverson, S. Ieong. Diversifying search results. WSDM 2009."


class AP_IA(OnSubtopics):
    """Average precision for each subtopic, averaged over the subtopics."""

    name = "AP_IA"
    aliases = ("MAP-IA", "MAP_IA", "AP-IA")
    title = "Intent-aware average precision"
    formula = "AP_IA = sum over subtopics i of p_i * AP with the documents relevant to i"
    reference = AGRAWAL
    normalised_by = "count"

    rel: int = rel_param()
    judged_only: bool = judged_only_param()

    def terms(self, view: View, hits: Hits) -> Floats:
        relevant = profiles_of(view.qrels).relevant[hits.numbers]
        return np.asarray((hits.before + 1) / view.rank[hits.rows] / relevant, dtype=np.float64)

    def joint_extremes(self, view: View, top: int) -> tuple[Floats, Floats]:
        apart, ranking, shares = by_subtopic(view)
        low, high = (
            np.bincount(ranking, weights=shares * ends, minlength=len(view)).astype(np.float64)
            for ends in AP().joint_extremes(apart, 1)
        )
        return low, high

    def lowest(self, view: View, added: Ints) -> Floats:
        hits, profiles = hits_of(view), profiles_of(view.qrels)
        relevant = profiles.relevant[hits.numbers]
        shrink = relevant / (relevant + added[view.ranking[hits.rows]])
        return view.total(hits.rows, profiles.shares[hits.numbers] * self.terms(view, hits) * shrink)


class P_IA(OnSubtopics):
    """Precision for each subtopic, averaged over the subtopics."""

    name = "P_IA"
    aliases = ("P-IA",)
    at = "cutoff"
    title = "Intent-aware precision"
    formula = "P_IA@k = sum over subtopics i of p_i * P@k with the documents relevant to i"
    reference = AGRAWAL

    rel: int = rel_param()
    judged_only: bool = judged_only_param()
    cutoff: int = cutoff_param(required=True)  # type: ignore[assignment]

    def terms(self, view: View, hits: Hits) -> Floats:
        return np.full(len(hits.rows), 1.0 / self.cutoff)


class StRecall(OnSubtopics):
    """Share of the subtopics that some document is relevant to."""

    name = "StRecall"
    aliases = ("strec", "S-recall")
    at = "cutoff"
    title = "Subtopic recall"
    formula = "StRecall@k = sum of p_i over subtopics i that one of the first k documents is relevant to"
    reference = (
        "C. Zhai, W. Cohen, J. Lafferty. Beyond independent relevance: methods and evaluation metrics for subtopic"
        " retrieval. SIGIR 2003."
    )

    rel: int = rel_param()
    judged_only: bool = judged_only_param()
    cutoff: int = cutoff_param(required=True)  # type: ignore[assignment]

    def terms(self, view: View, hits: Hits) -> Floats:
        return np.asarray(hits.before == 0, dtype=np.float64)
