"""Measures that only trec_eval has, so that all of ``-m all_trec`` can be computed. Experimental or obsolete."""

from __future__ import annotations

import math
from typing import Self

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.data.spans import running_sum
from unjudged.data.view import View
from unjudged.errors import SpecError
from unjudged.measures.base import Measure, Normaliser, TrecName, judged_only_param, read_number, rel_param, share
from unjudged.measures.gain import JARVELIN, NO_GAIN
from unjudged.measures.ideal import ideal_gain_at, log_discounts
from unjudged.measures.incomplete import Bpref
from unjudged.measures.precision import RECALLS, VAN_RIJSBERGEN, Binary, IPrec
from unjudged.spec import Real, param
from unjudged.wording import shortened

__all__ = ["AvgIPrec", "BinG", "G", "GMBpref", "RnDCG", "RprecMult", "Utility", "nDCGrel"]

BUCKLEY = "C. Buckley. trec_eval, help text of the measure. https://github.com/usnistgov/trec_eval"
MULTIPLES = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)


class AvgIPrec(Binary):
    """Interpolated precision averaged over the 11 recall points 0, 0.1, ..., 1. Obsolete: use average precision.

    Recall points become numbers of documents as in trec_eval 9; see :class:`IPrec`.
    """

    name = "AvgIPrec"
    title = "11-point average precision"
    formula = "AvgIPrec = mean of IPrec@0, IPrec@0.1, ..., IPrec@1"
    reference = VAN_RIJSBERGEN
    trec_names = (TrecName("11pt_avg"),)

    judged_only: bool = judged_only_param()

    def compute(self, view: View) -> Floats:
        return sum((IPrec(rel=self.rel, recall=x).compute(view) for x in RECALLS), np.zeros(len(view))) / len(RECALLS)


class RprecMult(Binary):
    """Precision at a multiple of R, where R is the topic's number of relevant documents. ``@`` sets the multiple.

    The rank is floor(multiple * R + 0.9), as in trec_eval; precision divides by it, also for shorter runs. 0 for topics
    without relevant documents.
    """

    name = "RprecMult"
    at = "multiple"
    title = "Precision at multiples of R"
    formula = "RprecMult@x = P@(x * R)"
    reference = BUCKLEY
    trec_names = (TrecName("Rprec_mult", at=MULTIPLES, form="{:.2f}"),)
    normalised_by = "mixed"

    judged_only: bool = judged_only_param()
    multiple: float = param(..., Real(0, float("inf"), "neither"), "how many times R ranks are read")

    def compute(self, view: View) -> Floats:
        # A whole number, but not of a type that ends somewhere: multiples do not.
        cutoff = np.floor(self.multiple * view.total_relevant(self.rel) + 0.9)
        rows, _ = view.relevant_rows(self.rel)
        inside = rows[view.rank[rows] <= cutoff[view.ranking[rows]]]
        return share(np.bincount(view.ranking[inside], minlength=len(view)), cutoff)


class Utility(Binary):
    """Sum of what each kind of document is worth to the user.

    trec_eval's fourth weight, for non-relevant documents that were not retrieved, needs the size of the corpus and is
    left out (its default is 0). With ``missed`` there are no guaranteed bounds: any number of documents can be missed.
    """

    name = "Utility"
    title = "Set utility"
    formula = "Utility = found * |relevant retrieved| + noise * |other retrieved| + missed * |relevant not retrieved|"
    reference = "D. Lewis. The TREC-4 filtering track. TREC-4, 1995."
    trec_names = (TrecName("utility", arguments=True),)
    value_range = (float("-inf"), float("inf"))

    judged_only: bool = judged_only_param()
    found: float = param(1.0, Real(), "worth of a relevant document that is retrieved")
    noise: float = param(-1.0, Real(), "worth of another document that is retrieved")
    missed: float = param(0.0, Real(), "worth of a relevant document that is not retrieved")

    def monotone(self, top: float) -> bool:
        return self.found >= self.noise + self.missed

    def normaliser(self) -> Normaliser:
        return "none" if self.missed == 0 else "mixed"

    def compute(self, view: View) -> Floats:
        relevant_retrieved = view.count(view.relevant(self.rel))
        missed = view.total_relevant(self.rel) - relevant_retrieved
        worth = (
            self.found * relevant_retrieved + self.noise * (view.lengths - relevant_retrieved) + self.missed * missed
        )
        return np.asarray(worth, dtype=np.float64)

    @classmethod
    def from_trec(cls, trec: TrecName, arguments: str) -> list[Self]:
        worth = [read_number(trec, text) for text in (arguments or "1,-1,0,0").split(",")]
        if len(worth) != 4 or worth[3] != 0:
            raise SpecError(
                f"trec_eval measure 'utility': give four numbers, the last of them 0, not {shortened(arguments)}"
            )
        found, noise, missed, _ = worth
        return [cls(found=found, noise=noise, missed=missed)]


class BinG(Binary):
    """Gain of relevant documents, discounted by the number of other documents above instead of by rank.

    0 for topics without relevant documents.
    """

    name = "BinG"
    title = "Binary G"
    formula = "BinG = 1/R * sum over retrieved relevant documents of 1 / log2(2 + other documents above)"
    reference = BUCKLEY
    trec_names = (TrecName("binG"),)

    judged_only: bool = judged_only_param()

    def compute(self, view: View) -> Floats:
        rows, count = view.relevant_rows(self.rel)
        other = view.rank[rows] - count
        return share(view.total(rows, 1.0 / np.log2(2 + other)), view.total_relevant(self.rel))


class G(Measure):
    """Gain of documents, discounted by how much less was gained so far than could have been.

    The gain is the grade. Below the last document of the ideal ranking, every rank costs 1. 0 for topics without
    relevant documents. Moving a better document up can lower the score.
    """

    name = "G"
    title = "Normalised gain"
    graded = True
    formula = (
        "G = sum over retrieved documents of gain / log2(2 + best possible gain down to its rank - gain down to its"
        " rank), over the sum of all gains"
    )
    unjudged = NO_GAIN
    reference = BUCKLEY
    trec_names = (TrecName("G"),)

    judged_only: bool = judged_only_param()

    def monotone(self, top: float) -> bool:
        return False

    def compute(self, view: View) -> Floats:
        rows, _ = view.relevant_rows(view.qrels.above_zero)
        grades = view.grades[rows].astype(np.float64)
        ranking, rank, total = view.ranking[rows], view.rank[rows], view.total_relevant(view.qrels.above_zero)
        best = ideal_gain_at(view.qrels, view.topics[ranking], rank) + np.maximum(rank - total[ranking], 0)
        short = best - running_sum(ranking, grades)
        return share(view.total(rows, grades / np.log2(2 + short)), ideal_gain_at(view.qrels, view.topics, total))


class nDCGrel(Measure):
    """nDCG averaged over the ranks of the relevant documents; for those not retrieved, nDCG at the end of the run.

    The gain is the grade, and every grade above 0 is relevant. 0 for topics without relevant documents. A higher grade,
    or moving a better document up, can lower the score.
    """

    name = "nDCGrel"
    title = "nDCG averaged over relevant documents"
    graded = True
    formula = "nDCGrel = 1/R * (sum over retrieved relevant documents of nDCG@(its rank) + (R - retrieved) * nDCG)"
    unjudged = NO_GAIN
    reference = BUCKLEY
    trec_names = (TrecName("ndcg_rel"),)
    normalised_by = "mixed"

    judged_only: bool = judged_only_param()

    def monotone(self, top: float) -> bool:
        return False

    def compute(self, view: View) -> Floats:
        rows, gain = _discounted_rows(view)
        ranking, total = view.ranking[rows], view.total_relevant(view.qrels.above_zero)
        ideal = ideal_gain_at(view.qrels, view.topics[ranking], view.rank[rows], discounted=True)
        at_documents = share(running_sum(ranking, gain), ideal)
        at_end = share(view.total(rows, gain), ideal_gain_at(view.qrels, view.topics, total, discounted=True))
        missing = total - view.count(view.relevant(view.qrels.above_zero))
        return share(view.total(rows, at_documents) + missing * at_end, total)


class RnDCG(Measure):
    """nDCG averaged over the ranks at which the ideal ranking goes from one grade to the next.

    The gain is the grade. As in trec_eval's code (its help text says otherwise), the ranks are the numbers of documents
    of at least grade g, for each grade g > 0 that occurs, and the end of rankings with more than R + 1 documents. 0 for
    topics without a document of at least grade ``rel``.
    """

    name = "RnDCG"
    title = "nDCG at changes of the ideal grade"
    graded = True
    formula = "RnDCG = mean of nDCG@(documents of at least grade g), over the topic's grades g > 0, and of nDCG"
    unjudged = NO_GAIN
    reference = JARVELIN
    trec_names = (TrecName("Rndcg"),)
    normalised_by = "mixed"

    rel: float = rel_param("topics without a document of at least this grade score 0")
    judged_only: bool = judged_only_param()

    def compute(self, view: View) -> Floats:
        rows, gain = _discounted_rows(view)
        rank, ranking = view.rank[rows], view.ranking[rows]

        def ndcg_at(cutoff: Ints) -> Floats:
            inside = rank <= cutoff[ranking]
            ideal = ideal_gain_at(view.qrels, view.topics, cutoff, discounted=True)
            return share(view.total(rows[inside], gain[inside]), ideal)

        total, points = np.zeros(len(view)), np.zeros(len(view), dtype=np.int64)
        for grade in view.qrels.grade_counts():
            if grade > 0:
                cutoff = view.total_relevant(grade)
                occurs = cutoff > view.total_relevant(
                    math.nextafter(grade, math.inf) if view.qrels.has_fractions else grade + 1
                )
                total += np.where(occurs, ndcg_at(cutoff), 0.0)
                points += occurs
        goes_on = view.lengths > view.total_relevant(view.qrels.above_zero) + 1
        total += np.where(goes_on, ndcg_at(view.lengths), 0.0)
        return np.where(view.total_relevant(self.rel) > 0, share(total, points + goes_on), 0.0)


def _discounted_rows(view: View) -> tuple[Ints, Floats]:
    """The rows with a grade above 0, and their grades discounted by rank."""
    rows, _ = view.relevant_rows(view.qrels.above_zero)
    discounts = log_discounts(view.deepest)
    return rows, view.grades[rows] * discounts[view.rank[rows] - 1]


class GMBpref(Bpref):
    """Binary preference, summarised over topics by the geometric mean, which weak topics pull down.

    Topics below 0.00001 count as 0.00001, as in trec_eval.
    """

    name = "GMBpref"
    title = "Geometric mean of binary preference"
    formula = "GMBpref = exp(mean over topics of ln max(bpref, 0.00001))"
    reference = BUCKLEY
    trec_names = (TrecName("gm_bpref"),)
    summary = "geometric"
