"""Measures estimated from a stratified sample of the pool, and the standard errors of these estimates.

docs/sampled.md explains what is estimated, and how well.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from unjudged.arrays import Flags, Floats, Ints
from unjudged.data.memo import remembered
from unjudged.data.qrels import Qrels
from unjudged.data.spans import one_above, rows_of_spans, running_sum
from unjudged.data.strata import strata_of
from unjudged.data.view import View
from unjudged.measures.base import Measure, Need, Summary, cutoff_param, rel_param, share
from unjudged.measures.ideal import GainTable, gain_of, log_discounts
from unjudged.measures.sample import Replicates, Sample, SampleIdeal, jackknife, sample_ideal
from unjudged.spec import Choice, Gains, Real, param

__all__ = ["infNDCG", "infNDCG_se", "xinfAP", "xinfAP_se"]


YILMAZ = (
    "E. Yilmaz, E. Kanoulas, J. Aslam. A simple and efficient sampling method for estimating AP and NDCG. SIGIR 2008."
)
WOLTER = "K. Wolter. Introduction to Variance Estimation, 2nd edition, chapter 4. Springer, 2007."
JACKKNIFE = (
    "se^2 = sum over strata, with n judged of N pooled documents, of (1 - n/N) * (n - 1)/n * sum over these n of the"
    " squared difference between the estimate without the document and the mean of such estimates"
)


class Estimated(Measure):
    """What measures estimated from a stratified sample share."""

    needs: ClassVar[frozenset[Need]] = frozenset({"strata"})
    has_holes = False

    def standard_error(self, view: View) -> Floats:
        """Standard error of each ranking's estimate: how much it varies over samples that could have been drawn."""
        sample = Sample(view.top(self.depth()))
        return jackknife(sample, self.without_one(sample), self.total(sample) > 0)

    def without_one(self, sample: Sample) -> Replicates:
        """What the estimate would be without each judged document."""
        raise TypeError(f"{type(self).__name__} does not say what it is without a document")

    def total(self, sample: Sample) -> Floats:
        """What the estimate is divided by, for each ranking; 0 where nothing relevant was judged."""
        raise TypeError(f"{type(self).__name__} does not say what it is divided by")


class xinfAP(Estimated):
    """Average precision estimated from a sample in which each stratum of the pool was judged at its own rate.

    Needs judgments with strata (5 columns). A judged document stands for N/n documents, where n of the N pooled
    documents of its stratum were judged. Precision above a relevant document is inferred stratum by stratum. Equals
    infAP of NIST's sample_eval.pl, whose maximum result size is the cut-off here (``xinfAP@100`` for TREC 2018
    Precision Medicine). ``epsilon`` and ``guess`` keep the estimate defined where nothing above was judged; with one
    stratum and ``guess=0.5`` this is infAP of trec_eval. 0 for topics without a judged relevant document.
    """

    name = "xinfAP"
    at = "cutoff"
    title = "Extended inferred average precision"
    formula = (
        "xinfAP = 1/R * sum over retrieved relevant documents, at rank k in a stratum with n judged of N documents, of"
        " N/n * (1 + E)/k, where E sums d * (r + epsilon)/(j + epsilon/guess) over the strata, with d pooled, j judged"
        " and r relevant documents above k, and R sums N/n over all judged relevant documents"
    )
    unjudged = (
        "Pooled ones count as relevant as often as the judged ones of their stratum above the same rank, others as not"
        " relevant."
    )
    reference = YILMAZ

    rel: float = rel_param()
    epsilon: float = param(1e-5, Real(1e-12, 1, "left"), "smoothing of the share of relevant documents")
    guess: float = param(
        1 / 3, Real(0, 1, "right"), "share of relevant documents where none above was judged; infAP takes 0.5"
    )
    cutoff: int | None = cutoff_param()

    def compute(self, view: View) -> Floats:
        sample = Sample(view)
        return share(sample.by_ranking(self._summed_precision(sample)), self.total(sample))

    def total(self, sample: Sample) -> Floats:
        return sample.by_ranking(self._relevant_in_stratum(sample) * sample.strata.weights[sample.pair_cell])

    def without_one(self, sample: Sample) -> Replicates:
        relevant = self._relevant(sample)
        weights, judged = sample.strata.weights[sample.pair_cell], sample.strata.judged[sample.pair_cell]
        relevant_judged = self._relevant_in_stratum(sample)
        # The judged documents that are left in the stratum stand for more documents each.
        grows = judged / np.maximum(judged - 1, 1)
        here, total = self._summed_precision(sample), relevant_judged * weights
        other, other_total = (sample.by_ranking(part)[sample.pair_ranking] - part for part in (here, total))

        def estimate(pair: Ints, *, less: Floats, less_elsewhere: Floats, fewer: Floats) -> Floats:
            value = other[pair] - less_elsewhere + grows[pair] * (here[pair] - less)
            return share(value, other_total[pair] + grows[pair] * (total[pair] - fewer * weights[pair]))

        rows = np.flatnonzero(sample.judged)
        own = np.where(relevant, self._precision(sample) * sample.weights, 0.0)
        within, everywhere = self._precision_lost_below(sample)
        retrieved = estimate(
            sample.pair[rows],
            less=(own + within)[rows],
            less_elsewhere=(everywhere - within)[rows],
            fewer=relevant[rows].astype(np.float64),
        )
        pairs = np.arange(len(judged))
        nothing = np.zeros(len(pairs))
        missed = relevant_judged - sample.count_by_pair(relevant)
        not_relevant = judged - relevant_judged - sample.count_by_pair(sample.judged & ~relevant)
        values = [estimate(pairs, less=nothing, less_elsewhere=nothing, fewer=nothing + fewer) for fewer in (1, 0)]
        return Replicates(
            np.concatenate([sample.pair[rows], pairs, pairs]),
            np.concatenate([retrieved, *values]),
            np.concatenate([np.ones(len(rows), dtype=np.int64), missed, not_relevant]),
        )

    def _relevant(self, sample: Sample) -> Flags:
        return sample.judged & (sample.grades >= self.rel)

    def _relevant_in_stratum(self, sample: Sample) -> Ints:
        """Judged relevant documents of each pair's stratum, retrieved or not."""
        return _relevant_in_strata(sample.qrels, self.rel)[sample.pair_cell]

    def _summed_precision(self, sample: Sample) -> Floats:
        """Weighted sum over each pair of the precision at its relevant documents."""
        return sample.by_pair(np.where(self._relevant(sample), self._precision(sample) * sample.weights, 0.0))

    def _precision(self, sample: Sample) -> Floats:
        """Inferred precision at each row, if the document there is relevant."""
        inferred = self._inferred(*self._counts(sample))
        # What each row adds to the relevant documents inferred for its stratum, added up over all strata.
        down_to = running_sum(sample.ranking, inferred - sample.previous(inferred))
        return (1.0 + one_above(sample.ranking, down_to, 0.0)) / sample.rank

    def _counts(self, sample: Sample) -> tuple[Ints, Ints, Ints]:
        """Pooled, judged and relevant documents of the row's stratum down to each row."""
        chosen = (np.ones_like(sample.judged), sample.judged, self._relevant(sample))
        pooled, judged, relevant = (sample.running_count(rows) for rows in chosen)
        return pooled, judged, relevant

    def _inferred(self, pooled: Ints, judged: Ints, relevant: Ints) -> Floats:
        """How many of the pooled documents are relevant."""
        rate: Floats = (relevant + self.epsilon) / (judged + self.epsilon / self.guess)
        return pooled * rate

    def _precision_lost_below(self, sample: Sample) -> tuple[Floats, Floats]:
        """What the weighted precision at relevant rows below a judged row loses without its judgment, added up.

        First over the relevant rows of the same stratum, then over all.
        """
        relevant = self._relevant(sample)
        pooled, judged, relevant_judged = self._counts(sample)
        inferred = self._inferred(pooled, judged, relevant_judged)
        fewer = np.maximum(judged - 1, 0)
        lost = inferred - self._inferred(pooled, fewer, np.maximum(relevant_judged - 1, 0))
        gained = inferred - self._inferred(pooled, fewer, relevant_judged)
        # The counts of a stratum stay as they are down to its next row: all relevant rows on the way share them.
        effect = np.where(relevant, sample.weights / sample.rank, 0.0)
        reach = running_sum(sample.ranking, effect)
        everywhere = sample.next(reach, sample.last(reach)) - reach
        within = sample.next(effect, np.zeros(len(effect)))
        of_stratum, of_all = (
            np.where(relevant, sample.sum_from_here(reached * lost), sample.sum_from_here(reached * gained))
            for reached in (within, everywhere)
        )
        return of_stratum, of_all


class xinfAP_se(xinfAP):
    """Standard error of xinfAP: how much it varies over the samples that could have been drawn.

    A jackknife: takes the judged documents of each stratum as a simple random sample of it, and looks at how the
    estimate changes without each of them. The number for all topics is the standard error of the mean score. Strata
    that were judged completely add nothing, nor do those that were not judged at all. NaN where a stratum has one
    judged document of several, and where no relevant document was found in a pool that was not judged completely: such
    a sample does not say how far off it may be.
    """

    name = "xinfAP_se"
    title = "Standard error of xinfAP"
    formula = JACKKNIFE
    unjudged = "Treated as in xinfAP."
    reference = WOLTER
    summary: ClassVar[Summary] = "standard_error"
    value_range = (0.0, float("inf"))

    def compute(self, view: View) -> Floats:
        return self.standard_error(view)


@remembered
def _relevant_in_strata(qrels: Qrels, rel: float) -> Ints:
    strata = strata_of(qrels)
    return np.bincount(strata.of_row[qrels.judged & (qrels.grades >= rel)], minlength=len(strata)).astype(np.int64)


class infNDCG(Estimated):
    """nDCG estimated from a sample in which each stratum of the pool was judged at its own rate.

    Needs judgments with strata (5 columns). The gain of a stratum's retrieved documents is their number times the mean
    discounted gain of those that were judged. The ideal ranking holds the estimated number of documents of each gain,
    rounded. Equals infNDCG of NIST's sample_eval.pl, whose maximum result size is the cut-off here (``infNDCG@100`` for
    TREC 2018 Precision Medicine). Its ideal ranking overflows: each gain that comes after it is full adds one document
    below the cut-off, which lowers scores at small cut-offs. ``ideal='cutoff'`` stops at the cut-off. Can be above 1.
    0 for topics without a judged document that brings gain.
    """

    name = "infNDCG"
    aliases: ClassVar[tuple[str, ...]] = ("infnDCG",)
    at = "cutoff"
    title = "Inferred nDCG"
    formula = (
        "infNDCG@k = sum over strata, with d pooled and j judged documents in the top k, of d/j * sum over these j of"
        " gain / log2(rank + 1), divided by the DCG@k of round(sum of N/n) documents of each gain, sorted by gain"
    )
    unjudged = (
        "Pooled ones bring the mean discounted gain of the judged ones of their stratum in the top k, others none."
    )
    reference = YILMAZ
    value_range = (0.0, float("inf"))

    dcg: str = param("log2", Choice(("log2", "exp-log2")), "gain: the grade (log2) or 2^grade - 1 (exp-log2)")
    gains: GainTable | None = param(None, Gains(), "gain of some grades, instead of the usual one")
    ideal: str = param(
        "sample_eval", Choice(("sample_eval", "cutoff")), "whether the ideal ranking stops at the cut-off"
    )
    cutoff: int | None = cutoff_param()

    def compute(self, view: View) -> Floats:
        sample = Sample(view)
        total = self.total(sample)
        pooled, _, mean = self._strata_means(sample)
        return share(sample.by_ranking(pooled * mean), total)

    def total(self, sample: Sample) -> Floats:
        return self._ideal(sample).dcg[sample.view.topics]

    def without_one(self, sample: Sample) -> Replicates:
        ideal = self._ideal(sample)
        kinds, total = ideal.kinds, ideal.without_one()
        pooled, judged, mean = self._strata_means(sample)
        gain = sample.by_ranking(pooled * mean)
        # Documents in the ranking: their stratum's mean gain changes, and the ideal.
        rows = np.flatnonzero(sample.judged)
        pair, kind = sample.pair[rows], kinds.of_row[sample.qrels_rows[rows]]
        left = (mean * judged)[pair] - self._discounted(sample)[rows]
        changed = share(left, judged[pair] - 1) - mean[pair]
        retrieved = share(gain[sample.ranking[rows]] + pooled[pair] * changed, total[kind])
        # All others change the ideal only, and all of a kind in the same way.
        offsets = np.searchsorted(kinds.cell, np.arange(len(sample.strata) + 1))
        sizes = np.diff(offsets)[sample.pair_cell]
        first = np.cumsum(sizes) - sizes
        pairs = np.repeat(np.arange(len(sizes)), sizes)
        other = rows_of_spans(offsets[sample.pair_cell], sizes)
        slots = first[pair] + kind - offsets[sample.cell[rows]]
        missed = kinds.count[other] - np.bincount(slots, minlength=len(other))
        return Replicates(
            np.concatenate([pair, pairs]),
            np.concatenate([retrieved, share(gain[sample.pair_ranking[pairs]], total[other])]),
            np.concatenate([np.ones(len(rows), dtype=np.int64), missed]),
        )

    def _discounted(self, sample: Sample) -> Floats:
        """Discounted gain of each judged row."""
        gain = np.where(sample.judged, gain_of(sample.grades, self.dcg, self.gains), 0.0)
        return gain * log_discounts(int(sample.rank.max(initial=0)))[sample.rank - 1]

    def _strata_means(self, sample: Sample) -> tuple[Ints, Ints, Floats]:
        """Pooled and judged documents of each pair, and the mean discounted gain of the judged ones."""
        pooled, judged = (sample.count_by_pair(rows) for rows in (np.ones_like(sample.judged), sample.judged))
        return pooled, judged, share(sample.by_pair(self._discounted(sample)), judged)

    def _ideal(self, sample: Sample) -> SampleIdeal:
        return sample_ideal(sample.qrels, self.dcg, self.gains, self.cutoff, overflows=self.ideal == "sample_eval")


class infNDCG_se(infNDCG):
    """Standard error of infNDCG: how much it varies over the samples that could have been drawn.

    A jackknife: takes the judged documents of each stratum as a simple random sample of it, and looks at how the
    estimate changes without each of them. The number for all topics is the standard error of the mean score. See
    xinfAP_se for what adds nothing and where it is NaN.
    """

    name = "infNDCG_se"
    aliases = ()
    title = "Standard error of infNDCG"
    formula = JACKKNIFE
    unjudged = "Treated as in infNDCG."
    reference = WOLTER
    summary: ClassVar[Summary] = "standard_error"

    def compute(self, view: View) -> Floats:
        return self.standard_error(view)
