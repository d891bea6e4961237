"""Measures made for incomplete judgments: they look at judged documents, or infer what was not judged."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from unjudged.data.qrels import State
from unjudged.data.view import View
from unjudged.measures.base import Floats, Measure, TrecName, rel_param, share
from unjudged.spec import Real, param

__all__ = ["Bpref", "infAP"]


class Bpref(Measure):
    """Share of judged non-relevant documents that are ranked below a relevant one, averaged over relevant documents.

    trec_eval's form: counts at most R documents above and divides by min(R, N), where N is the number of judged
    non-relevant documents; the paper's equation divides by R, which differs when N < R. Relevant documents that are not
    retrieved add 0. 0 for topics without relevant documents. Documents that are judged without being retrieved can
    raise the score: with more judged non-relevant documents, each above counts less.
    """

    name = "Bpref"
    title = "Binary preference"
    formula = "bpref = 1/R * sum over retrieved relevant documents of 1 - min(judged non-relevant above, R) / min(R, N)"
    unjudged = "Ignored: removing them changes nothing."
    reference = "C. Buckley and E. Voorhees. Retrieval evaluation with incomplete information. SIGIR 2004."
    trec_names: ClassVar[tuple[TrecName, ...]] = (TrecName("bpref"),)
    normalised_by = "mixed"

    rel: int = rel_param()

    def compute(self, view: View) -> Floats:
        rows, _ = view.relevant_rows(self.rel)
        total = view.total_relevant(self.rel)
        most = np.minimum(total, view.total_nonrelevant(self.rel))
        ranking = view.ranking[rows]
        # No more than N can be above, so min(R, N) is as good as R; unless labels were drawn for unjudged documents.
        above = np.minimum(view.counted_above(view.nonrelevant(self.rel), rows), most[ranking])
        return share(view.total(rows, 1.0 - share(above, most[ranking])), total)


class infAP(Measure):
    """Average precision estimated from a random sample of the pool.

    At each relevant document, precision above it is inferred: documents that were not pooled count as not relevant,
    pooled ones are taken to be relevant as often as the judged ones among them. Needs qrels in which pooled but
    unjudged documents are listed (with a grade below 0); where none are, every unjudged document counts as not pooled.
    ``epsilon`` keeps the estimate defined where nothing above was judged. With complete judgments this is average
    precision up to ``epsilon``. 0 for topics without relevant documents.
    """

    name = "infAP"
    title = "Inferred average precision"
    formula = (
        "infAP = 1/R * sum over retrieved relevant documents, at rank k with r relevant, n non-relevant and d pooled"
        " documents above, of 1/k + d/k * (r + epsilon) / (r + n + 2 * epsilon)"
    )
    unjudged = "Pooled ones count as relevant as often as the judged ones above the same rank, others as not relevant."
    reference = "E. Yilmaz, J. Aslam. Estimating average precision with incomplete and imperfect judgments. CIKM 2006."
    trec_names = (TrecName("infAP"),)
    has_holes = False

    rel: int = rel_param()
    epsilon: float = param(1e-5, Real(0, 1, "neither"), "smoothing of the share of relevant documents")

    def compute(self, view: View) -> Floats:
        rows, count = view.relevant_rows(self.rel)
        found = count - 1
        not_found = view.counted_above(view.nonrelevant(self.rel), rows)
        pooled = found + not_found + view.counted_above(view.states == State.POOLED, rows)
        inferred = (found + self.epsilon) / (found + not_found + 2 * self.epsilon)
        return share(view.total(rows, (1.0 + pooled * inferred) / view.rank[rows]), view.total_relevant(self.rel))
