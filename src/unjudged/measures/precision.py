"""Measures on binary relevance: a document counts when its grade is at least ``rel``."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from unjudged.arrays import Floats
from unjudged.data.corpus_images import Images
from unjudged.data.qrels import Qrels
from unjudged.data.spans import running_sum, turns
from unjudged.data.view import View
from unjudged.kernels.reference_walks import RankingSum
from unjudged.measures.base import (
    Browsing,
    Divisor,
    Linear,
    Measure,
    Normaliser,
    Static,
    TrecName,
    cutoff_param,
    judged_only_param,
    rel_param,
    share,
)
from unjudged.spec import Flag, Real, param

__all__ = ["AP", "GMAP", "RR", "IPrec", "P", "R", "Rprec", "Success"]


VAN_RIJSBERGEN = "C. J. van Rijsbergen. Information Retrieval, 2nd edition. Butterworths, 1979."
BUCKLEY_VOORHEES = "C. Buckley and E. Voorhees. Retrieval system evaluation. In TREC: Experiment and Evaluation, 2005."
CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
RECALLS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def binary_gains(qrels: Qrels, rel: float) -> Floats:
    """1 for every grade of the judgments' scale that counts as relevant, else 0."""
    return (qrels.scale.grades >= rel).astype(np.float64)


ANY_DEPTH = 1 << 62
"""A depth that no ranking has."""


def over_relevant(qrels: Qrels, rel: float) -> Floats:
    """What sums over relevant documents are divided by: how many there are."""
    return qrels.total_relevant(rel).astype(np.float64)


class Binary(Measure):
    """What measures share to which a document is relevant or not: it is from the grade ``rel`` on."""

    unjudged = "Counted as not relevant."

    rel: float = rel_param()

    def gains_of_grades(self, qrels: Qrels) -> Floats:
        """Gain of each grade of the judgments' scale."""
        return binary_gains(qrels, self.rel)


class P(Binary):
    """Share of relevant documents among the first ranks.

    Divides by the cut-off, also for runs that are shorter. With ``relative=True`` it divides by the best possible,
    min(cut-off, number of relevant documents).
    """

    name = "P"
    aliases = ("Precision",)
    at = "cutoff"
    title = "Precision"
    formula = "P@k = |relevant in top k| / k"
    reference = VAN_RIJSBERGEN
    trec_names = (TrecName("P", at=CUTOFFS), TrecName("relative_P", at=CUTOFFS, fixed=(("relative", True),)))

    relative: bool = param(False, Flag(), "divide by the best possible precision at this cut-off")
    judged_only: bool = judged_only_param()
    cutoff: int = cutoff_param(required=True)

    def compute(self, view: View) -> Floats:
        relevant_retrieved = view.count(view.relevant(self.rel))
        if self.relative:
            return share(relevant_retrieved, np.minimum(view.total_relevant(self.rel), self.cutoff))
        return relevant_retrieved / self.cutoff

    def ranking_sum(self, qrels: Qrels, ranks: int) -> RankingSum:
        total = qrels.total_relevant(self.rel)
        most = np.minimum(total, self.cutoff) if self.relative else np.full(len(total), self.cutoff)
        return RankingSum("n", self.cutoff, self.rel, divisors=most.astype(np.float64))

    def linear(self, view: View) -> Linear | None:
        most = np.full(len(view), self.cutoff)
        if self.relative:
            most = np.minimum(view.total_relevant(self.rel), self.cutoff)
        return Linear(share(1.0, most)[view.ranking], self.gains_of_grades(view.qrels))

    def browsing(self, qrels: Qrels, ranks: int) -> Browsing:
        divisor: Divisor = "ideal" if self.relative else "fixed"
        return Browsing(np.ones(ranks), self.gains_of_grades(qrels), divisor, self.cutoff)

    def compute_images(self, images: Images) -> Floats:
        relevant_retrieved = images.weigh(np.ones(self.cutoff), (images.grades >= self.rel).astype(np.float64))
        if self.relative:
            return share(relevant_retrieved, np.minimum(images.total_relevant(self.rel), self.cutoff))
        return relevant_retrieved / self.cutoff

    def normaliser(self) -> Normaliser:
        return "count" if self.relative else "none"


class R(Binary):
    """Share of the relevant documents that are among the first ranks."""

    name = "R"
    aliases = ("Recall",)
    at = "cutoff"
    title = "Recall"
    formula = "R@k = |relevant in top k| / R"
    reference = VAN_RIJSBERGEN
    trec_names = (TrecName("recall", at=CUTOFFS),)

    judged_only: bool = judged_only_param()
    cutoff: int | None = cutoff_param()

    def compute(self, view: View) -> Floats:
        return share(view.count(view.relevant(self.rel)), view.total_relevant(self.rel))

    def ranking_sum(self, qrels: Qrels, ranks: int) -> RankingSum:
        return RankingSum("n", self.cutoff or ANY_DEPTH, self.rel, divisors=over_relevant(qrels, self.rel))

    def linear(self, view: View) -> Linear | None:
        return Linear(share(1.0, view.total_relevant(self.rel))[view.ranking], self.gains_of_grades(view.qrels))

    def static(self, qrels: Qrels, ranks: int) -> Static:
        return Static(np.ones(ranks), self.gains_of_grades(qrels))

    def joint_extremes(self, view: View, top: float) -> tuple[Floats, Floats]:
        # (r + c) / (R + c) grows with the number c of unjudged documents that are relevant, since r <= R.
        relevant_retrieved, total = view.count(view.relevant(self.rel)), view.total_relevant(self.rel)
        holes = view.count(~view.judged) * (self.rel <= top)
        return share(relevant_retrieved, total), share(relevant_retrieved + holes, total + holes)


class AP(Binary):
    """Mean, over all relevant documents, of the precision at their rank; 0 for those not retrieved.

    With a cut-off, relevant documents below it count as not retrieved; the divisor stays R, as in trec_eval.
    """

    name = "AP"
    aliases: ClassVar[tuple[str, ...]] = ("MAP",)
    at = "cutoff"
    title = "Average precision"
    gains_only = True
    formula = "AP = 1/R * sum over retrieved relevant documents of P@(its rank)"
    reference = BUCKLEY_VOORHEES
    trec_names: ClassVar[tuple[TrecName, ...]] = (TrecName("map"), TrecName("map_cut", at=CUTOFFS))

    judged_only: bool = judged_only_param()
    cutoff: int | None = cutoff_param()

    def compute(self, view: View) -> Floats:
        rows, count = view.relevant_rows(self.rel)
        return share(view.total(rows, count / view.rank[rows]), view.total_relevant(self.rel))

    def ranking_sum(self, qrels: Qrels, ranks: int) -> RankingSum:
        return RankingSum("p", self.cutoff or ANY_DEPTH, self.rel, divisors=over_relevant(qrels, self.rel))

    def pairs(self, qrels: Qrels, ranks: int) -> Static:
        return Static(1.0 / np.arange(1, ranks + 1), self.gains_of_grades(qrels))

    def compute_images(self, images: Images) -> Floats:
        """Copy j of a document with f relevant and o other copies above it has precision (f + j) / (f + o + j).

        That is 1 - o / rank, so its c copies bring c less o times the sum of 1 / rank over their ranks.
        """
        ranks = images.deepest if self.cutoff is None else min(self.cutoff, images.deepest)
        gains = (images.grades >= self.rel).astype(np.float64)
        relevant_retrieved = (
            images.relevant_retrieved(self.rel) if self.cutoff is None else images.weigh(np.ones(ranks), gains)
        )
        others = images.above - images.relevant_above(self.rel)
        lost = images.weigh(1.0 / np.arange(1, ranks + 1), gains, others)
        return share(relevant_retrieved - lost, images.total_relevant(self.rel))

    def joint_extremes(self, view: View, top: float) -> tuple[Floats, Floats]:
        """For each number c of relevant holes, the best are the c highest and the worst the c lowest; R grows by c.

        Adding one hole to the c before it raises the sum of precisions by its own precision and by 1/rank for every
        relevant document below, so that all c are done in one pass down (best) and one up (worst).
        """
        rows, count = view.relevant_rows(self.rel)
        holes = np.flatnonzero(~view.judged)
        ranking = view.ranking[holes]
        start = view.total(rows, count / view.rank[rows])
        total = view.total_relevant(self.rel).astype(np.float64)
        plain = share(start, total)
        if not len(holes) or self.rel > top:
            return plain, plain
        above = view.counted_above(view.relevant(self.rel), holes)
        inverse = np.append(running_sum(view.ranking[rows], 1.0 / view.rank[rows]), 0.0)
        down_to = np.where(above > 0, inverse[np.searchsorted(rows, holes) - 1], 0.0)
        below = view.total(rows, 1.0 / view.rank[rows])[ranking] - down_to
        turn = turns(ranking) + 1
        best = running_sum(ranking, (above + turn) / view.rank[holes] + below) + start[ranking]
        high = plain.copy()
        np.maximum.at(high, ranking, best / (total[ranking] + turn))
        # Upwards: the same with the order of the holes reversed.
        up = len(view) - 1 - ranking[::-1]
        placed = running_sum(up, 1.0 / view.rank[holes][::-1]) - 1.0 / view.rank[holes][::-1]
        worst = (
            running_sum(up, (above[::-1] + 1) / view.rank[holes][::-1] + below[::-1] + placed) + start[ranking[::-1]]
        )
        number = (np.bincount(ranking, minlength=len(view))[ranking] - turn + 1)[::-1]
        low = plain.copy()
        np.minimum.at(low, ranking[::-1], worst / (total[ranking[::-1]] + number))
        return low, high


class GMAP(AP):
    """Average precision, summarised over topics by the geometric mean, which weak topics pull down.

    Topics below 0.00001 count as 0.00001, as in trec_eval.
    """

    name = "GMAP"
    aliases = ()
    title = "Geometric mean average precision"
    formula = "GMAP = exp(mean over topics of ln max(AP, 0.00001))"
    reference = "S. Robertson. On GMAP: and other transformations. CIKM 2006."
    trec_names = (TrecName("gm_map"),)
    summary = "geometric"


class Rprec(Binary):
    """Precision at rank R, where R is the topic's number of relevant documents; there precision equals recall."""

    name = "Rprec"
    aliases = ("RPrec",)
    title = "R-precision"
    formula = "Rprec = |relevant in top R| / R"
    reference = BUCKLEY_VOORHEES
    trec_names = (TrecName("Rprec"),)
    normalised_by = "mixed"  # a larger R also means that more ranks are read

    judged_only: bool = judged_only_param()

    def compute(self, view: View) -> Floats:
        total = view.total_relevant(self.rel)
        rows, _ = view.relevant_rows(self.rel)
        inside = rows[view.rank[rows] <= total[view.ranking[rows]]]
        return share(np.bincount(view.ranking[inside], minlength=len(view)), total)

    def ranking_sum(self, qrels: Qrels, ranks: int) -> RankingSum:
        divisors, limits = over_relevant(qrels, self.rel), qrels.total_relevant(self.rel)
        return RankingSum("r", ANY_DEPTH, self.rel, divisors=divisors, limits=limits)

    def linear(self, view: View) -> Linear | None:
        total = view.total_relevant(self.rel)[view.ranking]
        return Linear(np.where(view.rank <= total, share(1.0, total), 0.0), self.gains_of_grades(view.qrels))

    def gains_to_total(self, qrels: Qrels) -> Floats:
        return self.gains_of_grades(qrels)

    def compute_images(self, images: Images) -> Floats:
        at = np.flatnonzero(images.grades >= self.rel)
        total, above = images.total_relevant(self.rel), images.above[at]
        depth = total[images.view.ranking[images.rows[at]]]
        inside = np.minimum(above + images.own[at], depth) - np.minimum(above, depth)
        return share(images.total(inside.astype(np.float64), at), total)


class RR(Binary):
    """One over the rank of the first relevant document; 0 when there is none."""

    name = "RR"
    aliases = ("MRR",)
    at = "cutoff"
    title = "Reciprocal rank"
    gains_only = True
    formula = "RR = 1 / rank of the first relevant document"
    reference = "P. Kantor and E. Voorhees. The TREC-5 confusion track. Information Retrieval 2, 2000."
    trec_names = (TrecName("recip_rank"),)
    normalised_by = "none"

    judged_only: bool = judged_only_param()
    cutoff: int | None = cutoff_param()

    def compute(self, view: View) -> Floats:
        rows, count = view.relevant_rows(self.rel)
        first = rows[count == 1]
        return view.total(first, 1.0 / view.rank[first])

    def ranking_sum(self, qrels: Qrels, ranks: int) -> RankingSum:
        return RankingSum("f", self.cutoff or ANY_DEPTH, self.rel, divisors=np.ones(len(qrels.topics)))

    def browsing(self, qrels: Qrels, ranks: int) -> Browsing:
        return Browsing(1.0 / np.arange(1, ranks + 1), self.gains_of_grades(qrels), "fixed", stops=True)

    def compute_images(self, images: Images) -> Floats:
        before = images.relevant_above(self.rel)
        # Few documents are the first relevant one in some image: most have a relevant copy above them in all images.
        at = np.flatnonzero((images.grades >= self.rel) & (before.min(axis=1) == 0))
        above = images.above[at]
        is_first = (before[at] == 0) & (images.own[at] > 0)
        if self.cutoff is not None:
            is_first &= above < self.cutoff
        return images.total(np.where(is_first, 1.0 / (above + 1), 0.0), at)


class Success(Binary):
    """1 when a relevant document is among the first ranks, else 0. Some call this Recall@k or hit rate."""

    name = "Success"
    aliases = ("HitRate", "hit_rate")
    at = "cutoff"
    title = "Success"
    gains_only = True
    formula = "Success@k = 1 if some document in the top k is relevant, else 0"
    reference = "E. Voorhees. Overview of the TREC 2004 robust retrieval track. TREC 2004."
    trec_names = (TrecName("success", at=(1, 5, 10)),)
    normalised_by = "none"

    judged_only: bool = judged_only_param()
    cutoff: int = cutoff_param(required=True)

    def compute(self, view: View) -> Floats:
        return (view.count(view.relevant(self.rel)) > 0).astype(np.float64)

    def ranking_sum(self, qrels: Qrels, ranks: int) -> RankingSum:
        return RankingSum("s", self.cutoff, self.rel, divisors=np.ones(len(qrels.topics)))

    def compute_images(self, images: Images) -> Floats:
        gains = (images.grades >= self.rel).astype(np.float64)
        return (images.weigh(np.ones(self.cutoff), gains) > 0).astype(np.float64)


class IPrec(Binary):
    """Highest precision at this recall or any higher one: a point of the recall-precision curve.

    ``@`` sets the recall, not a rank: ``IPrec@0.1``. The recall is turned into a number of relevant documents as
    trec_eval 9 does, floor(recall * R + 0.9); trec_eval 10 rounds instead.
    """

    name = "IPrec"
    at = "recall"
    title = "Interpolated precision"
    gains_only = True
    formula = "IPrec@r = max precision at any rank where at least r * R relevant documents were found"
    reference = VAN_RIJSBERGEN
    trec_names = (TrecName("iprec_at_recall", at=RECALLS, form="{:.2f}"),)

    judged_only: bool = judged_only_param()
    recall: float = param(..., Real(0, 1), "share of the relevant documents found")

    def compute(self, view: View) -> Floats:
        needed = np.floor(self.recall * view.total_relevant(self.rel) + 0.9).astype(np.int64)
        rows, count = view.relevant_rows(self.rel)
        ranking = view.ranking[rows]
        enough = count >= needed[ranking]
        # Precision peaks at relevant documents, so only they need to be looked at.
        best = np.zeros(len(view))
        np.maximum.at(best, ranking[enough], count[enough] / view.rank[rows[enough]])
        return best
