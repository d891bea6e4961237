"""Measures on graded relevance: a document brings a gain that follows from its grade."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.data.corpus_images import ImageBlock, Images
from unjudged.data.memo import remembered
from unjudged.data.qrels import GRADE_LIMIT, Qrels
from unjudged.data.scale import Scale
from unjudged.data.spans import one_above, running_product, running_sum
from unjudged.data.view import View
from unjudged.errors import SpecError
from unjudged.kernels.reference_walks import RankingSum
from unjudged.measures.base import (
    Browsing,
    Linear,
    Measure,
    Normaliser,
    Static,
    TrecName,
    cutoff_param,
    judged_only_param,
    max_grade_param,
    read_number,
    rel_param,
    share,
)
from unjudged.measures.ideal import (
    GainTable,
    discounted_gain,
    gain_of,
    gains_of_grades,
    graded_rows,
    ideal_dcg_of_counts,
    ideal_gain_at,
    ideal_ranking,
    log_discounts,
    refuse_high_grades,
    refuse_vanishing_grades,
    whole_grades,
)
from unjudged.measures.precision import ANY_DEPTH, CUTOFFS
from unjudged.spec import Choice, Gains, Real, param
from unjudged.wording import shortened

__all__ = ["DCG", "ERR", "SDCG", "Q", "nDCG", "nERR"]

NO_GAIN = "Bring no gain, like documents judged not relevant."
JARVELIN = "K. Järvelin and J. Kekäläinen. Cumulated gain-based evaluation of IR techniques. ACM TOIS 20(4), 2002."
SAKAI = "T. Sakai. Metrics, statistics, tests. Bridging Between Information Retrieval and Databases, LNCS 8173, 2014."


_NEXT = 1e-9
"""How near to a grade with a gain of its own another fractional grade may be."""


class DCG(Measure):
    """Gains of the retrieved documents, each divided by the logarithm of its rank.

    With ``dcg='log2'`` the gain is the grade, as in trec_eval; with ``dcg='exp-log2'`` it is 2^grade - 1, as in gdeval.
    ``gains`` sets the gain of some grades by hand; grades that it does not list keep theirs. Gains below 0 subtract,
    as in trec_eval (ir_measures takes documents with such a gain as unjudged).
    """

    name = "DCG"
    at = "cutoff"
    title = "Discounted cumulative gain"
    graded = True
    formula = "DCG@k = sum over ranks i <= k of gain(i) / log2(i + 1)"
    unjudged = NO_GAIN
    reference = JARVELIN
    trec_names: ClassVar[tuple[TrecName, ...]] = (TrecName("dcg", arguments=True),)
    value_range = (0.0, float("inf"))
    normalised_by: ClassVar[Normaliser] = "none"

    dcg: str = param("log2", Choice(("log2", "exp-log2")), "gain: the grade (log2) or 2^grade - 1 (exp-log2)")
    gains: GainTable | None = param(None, Gains(), "gain of some grades, instead of the usual one")
    judged_only: bool = judged_only_param()
    cutoff: int | None = cutoff_param()

    def compute(self, view: View) -> Floats:
        return discounted_gain(view, self.dcg, self.gains)

    def ranking_sum(self, qrels: Qrels, ranks: int) -> RankingSum | None:
        return self._discounted(qrels, ranks, np.ones(len(qrels.topics)))

    def _discounted(self, qrels: Qrels, ranks: int, divisors: Floats) -> RankingSum | None:
        grades = whole_grades(qrels)
        if grades is None:
            return None
        refuse_high_grades(qrels, self.dcg)
        gains = gain_of(grades, self.dcg, self.gains)
        depth = self.cutoff or ANY_DEPTH
        return RankingSum("g", depth, weights=log_discounts(ranks), gains=gains, divisors=divisors)

    def monotone(self, top: float) -> bool:
        gains = self._gains_to(top)
        return bool((gains[1:] >= gains[:-1]).all())

    def _gains_to(self, top: float) -> Floats:
        """Gains of grades up to *top*: of those that were set, and of their neighbours; in between gains only rise."""
        near = (-1, -_NEXT, 0, _NEXT, 1) if isinstance(top, float) else (-1, 0, 1)  # grades are fractional, or whole
        beside = {grade + step for grade, _ in self.gains or () for step in near}
        grades = sorted({0, top, *(grade for grade in beside if 0 <= grade <= top)})
        with np.errstate(over="ignore"):  # of grades that judgments with such gains cannot have
            return gain_of(np.array(grades), self.dcg, self.gains)

    def _highest_set(self) -> float:
        """A grade above all those whose gain was set: from there on gains are regular."""
        return max((min(grade, GRADE_LIMIT) + 1 for grade, _ in self.gains or ()), default=1)

    def limits(self) -> tuple[float, float]:
        low, high = self.value_range
        return (-np.inf if (self._gains_to(self._highest_set()) < 0).any() else low), high

    def static(self, qrels: Qrels, ranks: int) -> Static:
        return Static(log_discounts(ranks), gains_of_grades(qrels, self.dcg, self.gains))

    @classmethod
    def from_trec(cls, trec: TrecName, arguments: str) -> list[Self]:
        if not (trec.arguments and arguments):
            return super().from_trec(trec, arguments)
        values: dict[str, Any] = {"gains": read_gains(trec, arguments)}
        return [cls(**values)]


class nDCG(DCG):
    """Discounted cumulative gain over that of the best ranking of the topic's judged documents.

    0 for topics without a document that brings gain. See :class:`DCG` for ``dcg`` and ``gains``; with gains below 0
    the score can be below 0. trec_eval sorts gains for the ideal ranking as whole numbers, so gains that are less
    than 1 apart can give another score there.
    """

    name = "nDCG"
    aliases = ("NDCG",)
    title = "Normalised discounted cumulative gain"
    formula = "nDCG@k = DCG@k / DCG@k of the judged documents sorted by gain"
    trec_names = (TrecName("ndcg", arguments=True), TrecName("ndcg_cut", at=CUTOFFS))
    value_range = (0.0, 1.0)

    def prepare(self, qrels: Qrels) -> None:
        self.divisor(qrels)

    def compute(self, view: View) -> Floats:
        return share(discounted_gain(view, self.dcg, self.gains), self.divisor(view.qrels)[view.topics])

    def ranking_sum(self, qrels: Qrels, ranks: int) -> RankingSum | None:
        return self._discounted(qrels, ranks, self.divisor(qrels))

    def normaliser(self) -> Normaliser:
        # Where grade 0 has a gain or a higher grade a lower one, it is not the highest grades that lower the score.
        return "ideal" if self.monotone(self._highest_set()) and self._gains_to(0)[0] == 0 else "mixed"

    def linear(self, view: View) -> Linear | None:
        form = self.static(view.qrels, view.deepest)
        ideal = self.divisor(view.qrels)[view.topics][view.ranking]
        return Linear(share(form.weights[view.rank - 1], ideal), form.gains)

    def divisor(self, qrels: Qrels) -> Floats:
        return _ideal_dcg(qrels, self.dcg, self.gains, self.cutoff)

    def divisor_of_counts(self, counts: Ints, scale: Scale) -> Floats:
        return ideal_dcg_of_counts(counts, gain_of(scale.grades, self.dcg, self.gains), self.cutoff)


@remembered
def _ideal_dcg(qrels: Qrels, dcg: str, gains: GainTable | None, cutoff: int | None) -> Floats:
    return discounted_gain(ideal_ranking(qrels, dcg, gains).top(cutoff), dcg, gains)


class SDCG(Measure):
    """Discounted cumulative gain over that of a ranking in which every document has the highest grade.

    Unlike nDCG it does not ask how many relevant documents there are. Grades above ``max_grade`` count as
    ``max_grade``. ir_measures wants the highest grade to be given (``max_rel``); here it is the qrels' unless given.
    """

    name = "SDCG"
    at = "cutoff"
    title = "Scaled discounted cumulative gain"
    graded = True
    formula = "SDCG@k = sum over i <= k of grade(i) / max_grade / log2(i + 1), over the sum of 1 / log2(i + 1)"
    unjudged = NO_GAIN
    reference = (
        "A. Moffat, P. Bailey, F. Scholer and P. Thomas. Incorporating user expectations and behavior into the"
        " measurement of search effectiveness. ACM TOIS 35(3), 2017."
    )
    normalised_by = "none"

    max_grade: float | None = max_grade_param()
    cutoff: int = cutoff_param(required=True)

    def compute(self, view: View) -> Floats:
        rows, grades, top = graded_rows(view, self.max_grade)
        discounts = log_discounts(self.cutoff)
        return view.total(rows, grades / top * discounts[view.rank[rows] - 1]) / float(discounts.sum())

    def static(self, qrels: Qrels, ranks: int) -> Static:
        top = self.max_grade or qrels.max_grade
        discounts = log_discounts(self.cutoff)
        return Static(discounts[:ranks] / discounts.sum(), np.minimum(qrels.scale.grades, top) / top)


class ERR(Measure):
    """Expected value of one over the rank at which a user is satisfied and stops.

    A document of grade g satisfies with probability (2^g - 1) / 2^max_grade. gdeval (and so ir_measures) takes 4 as
    the top of the scale for every collection: ``ERR(max_grade=4)``. Grades above ``max_grade`` count as ``max_grade``.
    """

    name = "ERR"
    at = "cutoff"
    title = "Expected reciprocal rank"
    graded = True
    gains_only = True
    formula = "ERR@k = sum over i <= k of R(i)/i * product over j < i of (1 - R(j)), R = (2^grade - 1) / 2^max_grade"
    unjudged = "Never satisfy the user, like documents judged not relevant."
    reference = (
        "O. Chapelle, D. Metzler, Y. Zhang, P. Grinspan. Expected reciprocal rank for graded relevance. CIKM 2009."
    )
    normalised_by: ClassVar[Normaliser] = "none"

    max_grade: float | None = max_grade_param()
    judged_only: bool = judged_only_param()
    cutoff: int | None = cutoff_param()

    def compute(self, view: View) -> Floats:
        rows, grades, top = graded_rows(view, self.max_grade)
        satisfied = np.exp2(grades - top) - np.exp2(-float(top))
        ranking = view.ranking[rows]
        # The user still looks after this document; of the document itself, after the one above it.
        stays = running_product(ranking, 1.0 - satisfied)
        looks = one_above(ranking, stays, 1.0)
        return view.total(rows, looks * satisfied / view.rank[rows])

    def browsing(self, qrels: Qrels, ranks: int) -> Browsing | None:
        top = self.max_grade or qrels.max_grade
        satisfied = np.exp2(np.minimum(qrels.scale.grades, top) - float(top)) - np.exp2(-float(top))
        return Browsing(1.0 / np.arange(1, ranks + 1), satisfied, "fixed", stops=True)

    def compute_images(self, images: Images) -> Floats:
        top = self.max_grade or images.block.qrels.max_grade
        satisfied = np.exp2(np.minimum(images.grades, top) - top)[:, None] - np.exp2(-float(top))
        stays, ranking, most = 1.0 - satisfied, images.view.ranking[images.rows], int(images.own.max(initial=0))
        stays_after = np.take_along_axis(stays ** np.arange(most + 1), images.own.astype(np.int64), axis=1)
        running = running_product(ranking, stays_after)
        looks = np.ones(images.own.shape)
        looks[1:] = np.where((ranking[1:] == ranking[:-1])[:, None], running[:-1], 1.0)
        value = np.zeros(images.own.shape)
        for copy in range(1, most + 1):
            rank = images.above + copy
            counts = images.own >= copy if self.cutoff is None else (images.own >= copy) & (rank <= self.cutoff)
            value += np.where(counts, looks * satisfied / rank, 0.0)
            looks = looks * stays
        return images.total(value)


class nERR(ERR):
    """Expected reciprocal rank over that of the topic's judged documents sorted by grade.

    0 for topics without relevant documents. Not to be confused with NERR8 to NERR11 ("nearly ERR").
    """

    name = "nERR"
    title = "Normalised expected reciprocal rank"
    formula = "nERR@k = ERR@k / ERR@k of the judged documents sorted by grade"
    reference = SAKAI
    normalised_by = "ideal"

    def compute(self, view: View) -> Floats:
        qrels = view.qrels
        refuse_vanishing_grades(qrels, self.name, self.max_grade or qrels.max_grade)
        return share(super().compute(view), _ideal_err(qrels, self)[view.topics])

    def browsing(self, qrels: Qrels, ranks: int) -> Browsing | None:
        # Sorting by what is left of the gains does not give the best ranking: readers who are satisfied early may
        # stop before what is new. Without a best ranking there is nothing to divide by.
        return None

    def compute_images(self, images: Images) -> Floats:
        refuse_vanishing_grades(images.block.qrels, self.name, self.max_grade or images.block.qrels.max_grade)
        return share(super().compute_images(images), _ideal_err_images(images.block, self)[images.view.topics])


@remembered
def _ideal_err(qrels: Qrels, measure: ERR) -> Floats:
    return ERR.compute(measure, ideal_ranking(qrels).top(measure.cutoff))


@remembered
def _ideal_err_images(block: ImageBlock, measure: ERR) -> Floats:
    return ERR.compute_images(measure, block.ideal(block.qrels.scale.grades.astype(np.float64)))


class Q(Measure):
    """Average precision with graded relevance: at each relevant document, precision is blended with cumulative gain.

    ``beta`` says how much the gain counts; with 0 this is average precision. The gain is the grade where the grade is
    at least ``rel``, else 0. 0 for topics without relevant documents. Moving the better of two relevant documents up
    can lower the score.
    """

    name = "Q"
    title = "Q-measure"
    graded = True
    gains_only = True
    formula = (
        "Q = 1/R * sum over retrieved relevant documents of (C + beta * G) / (rank + beta * G*), where C relevant"
        " documents with gains G in total are ranked down to it, and G* is the most that this many ranks can bring"
    )
    unjudged = NO_GAIN
    reference = SAKAI

    beta: float = param(1.0, Real(0), "weight of the gain, against the count of documents")
    rel: float = rel_param()
    judged_only: bool = judged_only_param()

    def monotone(self, top: float) -> bool:
        # Which of two relevant grades had better be on top depends on how the ideal gain grows between their ranks.
        return self.beta == 0 or self.rel >= top

    def compute(self, view: View) -> Floats:
        rows, count = view.relevant_rows(self.rel)
        ranking, rank = view.ranking[rows], view.rank[rows]
        gain = running_sum(ranking, view.grades[rows].astype(np.float64))
        # The ideal ranking goes on with lower grades, which bring nothing here.
        total = view.total_relevant(self.rel)
        best = ideal_gain_at(view.qrels, view.topics[ranking], np.minimum(rank, total[ranking]))
        return share(view.total(rows, (count + self.beta * gain) / (rank + self.beta * best)), total)


def read_gains(trec: TrecName, arguments: str) -> dict[float, float]:
    """``1=3.5,2=9`` as gains of grades; whether these are whole numbers is for the measure to say."""
    gains = {}
    for argument in arguments.split(","):
        grade, equals, gain = argument.partition("=")
        if not equals:
            raise SpecError(
                f"trec_eval measure {trec.name!r}: {shortened(argument)} should look like 1=3.5 (grade=gain)"
            )
        gains[read_number(trec, grade)] = read_number(trec, gain)
    return gains
