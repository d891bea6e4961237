"""Average precision, and preferences, from few judgments: what was not judged is ignored, or inferred."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.data.corpus_images import Images
from unjudged.data.memo import remembered
from unjudged.data.qrels import Qrels, State
from unjudged.data.view import View
from unjudged.kernels.reference_walks import RankingSum
from unjudged.measures.base import TrecName, share
from unjudged.measures.precision import ANY_DEPTH, Binary, over_relevant
from unjudged.spec import Choice, Flag, Real, Whole, param

__all__ = ["Bpref", "indAP", "infAP", "subAP"]

YILMAZ = "E. Yilmaz, J. Aslam. Estimating average precision when judgments are incomplete. KAIS 16, 2008."


class Bpref(Binary):
    """Share of judged non-relevant documents that are ranked below a relevant one, averaged over relevant documents.

    At most R + ``plus`` documents above count (L). trec_eval divides them by min(L, N), where N is the number of judged
    non-relevant documents of the topic, the paper by L (``form='paper'``); the two differ when N < L. ``plus=10`` is
    bpref-10, made for topics with very few relevant documents. Relevant documents that are not retrieved add 0. 0 for
    topics without relevant documents. Documents that are judged without being retrieved can raise the score:
    with more judged non-relevant documents, each above counts less.
    """

    name = "Bpref"
    title = "Binary preference"
    formula = (
        "bpref = 1/R * sum over retrieved relevant documents of 1 - min(judged non-relevant above, L) / min(L, N),"
        " L = R + plus"
    )
    unjudged = "Ignored: removing them changes nothing."
    reference = "C. Buckley and E. Voorhees. Retrieval evaluation with incomplete information. SIGIR 2004."
    trec_names: ClassVar[tuple[TrecName, ...]] = (TrecName("bpref"),)
    normalised_by = "mixed"

    form: str = param("trec_eval", Choice(("trec_eval", "paper")), "whether to divide by min(L, N) or by L")
    plus: int = param(0, Whole(0), "how many non-relevant documents more than R count; 10 for bpref-10")

    def compute(self, view: View) -> Floats:
        rows, _ = view.relevant_rows(self.rel)
        total = view.total_relevant(self.rel)
        limit = total + self.plus
        most = np.minimum(limit, view.total_nonrelevant(self.rel)) if self.form == "trec_eval" else limit
        ranking = view.ranking[rows]
        # No more than N can be above, so the divisor is as good a limit as L; unless labels were drawn for holes.
        above = np.minimum(view.counted_above(view.nonrelevant(self.rel), rows), most[ranking])
        return share(view.total(rows, 1.0 - share(above, most[ranking])), total)

    def ranking_sum(self, qrels: Qrels, ranks: int) -> RankingSum:
        limits = qrels.total_relevant(self.rel) + self.plus
        if self.form == "trec_eval":
            limits = np.minimum(limits, qrels.total_nonrelevant(self.rel))
        return RankingSum("b", ANY_DEPTH, self.rel, divisors=over_relevant(qrels, self.rel), limits=limits)

    def compute_images(self, images: Images) -> Floats:
        judged = images.condensed()
        at = np.flatnonzero(judged.grades >= self.rel)
        total = images.total_relevant(self.rel)
        limit = total + self.plus
        most = np.minimum(limit, images.total_nonrelevant(self.rel)) if self.form == "trec_eval" else limit
        ranking = judged.view.ranking[judged.rows[at]]
        above = np.minimum((judged.above - judged.relevant_above(self.rel))[at], limit[ranking])
        return share(judged.total(judged.own[at] * (1.0 - share(above, most[ranking])), at), total)


class indAP(Binary):
    """Average precision after dropping what was not judged.

    Only documents of the pool that nobody judged are dropped; documents outside the pool stay, as non-relevant ones.
    ``pool=False`` drops every unjudged document (``trec_eval -J -m map``), so that the score changes even where the
    whole pool was judged. With complete judgments of the pool, the default is average precision exactly. 0 for topics
    without relevant documents.
    """

    name = "indAP"
    title = "Induced average precision"
    formula = "indAP = 1/R * sum over retrieved relevant documents of precision at its rank, after dropping"
    unjudged = "Pooled ones are dropped, others count as not relevant; all are dropped with pool=False."
    reference = YILMAZ
    has_holes = False

    pool: bool = param(True, Flag(), "keep documents outside the pool, as non-relevant ones")

    def uses_pool(self) -> bool:
        return self.pool

    def compute(self, view: View) -> Floats:
        rows, count = view.relevant_rows(self.rel)
        dropped = view.states == State.POOLED if self.pool else ~view.judged
        rank = view.rank[rows] - view.counted_above(dropped, rows)
        return share(view.total(rows, count / rank), view.total_relevant(self.rel))


class subAP(Binary):
    """Average precision on a random part of the collection that holds the judged documents.

    Judged documents are a share ``p`` of the pool. Keeping each document outside the pool with the same probability
    makes the whole a random part of the collection, on which average precision hardly depends on ``p``. The expected
    precision over all ways to keep them is exact, without sampling. Pooled documents that nobody judged are dropped.
    With complete judgments of the pool, p is 1 and this is average precision exactly. 0 for topics without relevant
    documents.
    """

    name = "subAP"
    title = "Subcollection average precision"
    formula = (
        "subAP = 1/R * sum over retrieved relevant documents, with r relevant, n non-relevant and u documents outside"
        " the pool down to their rank, of E[r / (r + n + i)], i binomial(u, p)"
    )
    unjudged = "Pooled ones are dropped, others are not relevant and each is kept with probability p."
    reference = YILMAZ
    has_holes = False

    p: float | None = param(
        None, Real(0, 1, "right"), "share of the pool that was judged; that of the topic in the judgments unless given"
    )

    def uses_pool(self) -> bool:
        return True

    def compute(self, view: View) -> Floats:
        rows, relevant = view.relevant_rows(self.rel)
        judged = relevant + view.counted_above(view.nonrelevant(self.rel), rows)
        outside = view.counted_above(view.states == State.UNPOOLED, rows)
        shares = share_of_pool_judged(view.qrels)[view.topics] if self.p is None else np.full(len(view), self.p)
        precision = expected_precision(relevant, judged, outside, shares[view.ranking[rows]])
        return share(view.total(rows, precision), view.total_relevant(self.rel))


class infAP(Binary):
    """Average precision estimated from a random sample of the pool.

    At each relevant document, precision above it is inferred: documents that were not pooled count as not relevant,
    pooled ones are taken to be relevant as often as the judged ones among them. Needs qrels in which pooled but
    unjudged documents are listed (with a grade below 0), or a pool beside them; where there is neither, every unjudged
    document counts as not pooled. ``pool=False`` takes every document for a pooled one. ``epsilon`` keeps the estimate
    defined where nothing above was judged; there it is 1/``c``. With complete judgments this is average precision up to
    ``epsilon``. 0 for topics without relevant documents.
    """

    name = "infAP"
    title = "Inferred average precision"
    formula = (
        "infAP = 1/R * sum over retrieved relevant documents, at rank k with r relevant, n non-relevant and d pooled"
        " documents above, of 1/k + d/k * (r + epsilon) / (r + n + c * epsilon)"
    )
    unjudged = "Pooled ones count as relevant as often as the judged ones above the same rank, others as not relevant."
    reference = "E. Yilmaz, J. Aslam. Estimating average precision with incomplete and imperfect judgments. CIKM 2006."
    trec_names = (TrecName("infAP"),)
    has_holes = False

    pool: bool = param(True, Flag(), "count documents outside the pool as not relevant, instead of as pooled")
    epsilon: float = param(1e-5, Real(0, 1, "neither"), "smoothing of the share of relevant documents")
    c: float = param(2.0, Real(1), "with nothing judged above, one in c documents is taken to be relevant")

    def uses_pool(self) -> bool:
        return self.pool

    def compute(self, view: View) -> Floats:
        rows, count = view.relevant_rows(self.rel)
        relevant_above = count - 1
        not_found = view.counted_above(view.nonrelevant(self.rel), rows)
        pooled = view.rank[rows] - 1
        if self.pool:
            pooled = pooled - view.counted_above(view.states == State.UNPOOLED, rows)
        inferred = (relevant_above + self.epsilon) / (relevant_above + not_found + self.c * self.epsilon)
        return share(view.total(rows, (1.0 + pooled * inferred) / view.rank[rows]), view.total_relevant(self.rel))

    def ranking_sum(self, qrels: Qrels, ranks: int) -> RankingSum:
        kind, among = "i" if self.pool else "I", self.c * self.epsilon
        divisors = over_relevant(qrels, self.rel)
        return RankingSum(kind, ANY_DEPTH, self.rel, self.epsilon, among, divisors=divisors)


@remembered
def share_of_pool_judged(qrels: Qrels) -> Floats:
    """For each topic, the share of its listed documents that were judged."""
    return share(qrels.count(qrels.judged), np.diff(qrels.offsets))


def expected_precision(relevant: Ints, judged: Ints, outside: Ints, p: Floats) -> Floats:
    """E[relevant / (judged + i)], i ~ binomial(outside, p); one value for each row of the arguments.

    With E(u) for u documents outside the pool, E(0) = relevant / judged, and integrating t^(judged - 1) (1 - p + p t)^u
    by parts gives E(u) = (relevant + u (1 - p) E(u - 1)) / (judged + u): one step for each document, in which every
    term is positive and errors shrink. No factorials, and no powers that vanish.
    """
    order = np.argsort(-outside, kind="stable")  # so that the rows that go on are the first ones
    top, below, drop = relevant[order].astype(np.float64), judged[order].astype(np.float64), 1.0 - p[order]
    value = top / below
    going = np.searchsorted(-outside[order], -np.arange(1, int(outside.max(initial=0)) + 1), side="right")
    for u, rows in enumerate(going.tolist(), start=1):
        value[:rows] = (top[:rows] + u * drop[:rows] * value[:rows]) / (below[:rows] + u)
    out = np.empty(len(value))
    out[order] = value
    return out
