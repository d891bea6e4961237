"""Measures of novelty: on each subtopic, a document brings less the more was said above it (cascades)."""

from __future__ import annotations

import math
from typing import Self

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.data.memo import remembered
from unjudged.data.qrels import GRADE_LIMIT, Qrels
from unjudged.data.relevance_profiles import Hits, hits_of, profiles_of
from unjudged.data.spans import one_above, running_product
from unjudged.data.view import View
from unjudged.errors import Notice, SpecError
from unjudged.measures.base import cutoff_param, judged_only_param, rel_param
from unjudged.measures.diversity import OnSubtopics
from unjudged.measures.ideal import geometric_discounts, log_discounts
from unjudged.measures.novelty import best_ranking, greedy_ranking
from unjudged.spec import Choice, Real, Threshold, param

__all__ = ["ERR_IA", "NRBP", "alpha_DCG", "alpha_nDCG", "nERR_IA", "nNRBP"]


CLARKE_2008 = "C. Clarke et al. Novelty and diversity in information retrieval evaluation. SIGIR 2008."
CLARKE_2009 = "C. Clarke, M. Kolla, O. Vechtomova. An effectiveness measure for ambiguous queries. ICTIR 2009."
CHAPELLE = "O. Chapelle et al. Intent-based diversification of web search results. Information Retrieval 14(6), 2011."
NOVELTY = "novelty(r) = sum over subtopics i relevant at rank r of p_i * (1 - alpha)^(documents above relevant to i)"

GREEDY_LIMIT = math.e / (math.e - 1.0)
"""The highest score over a greedy ideal ranking. It gains at least 1 - 1/e of what the best one does: what n documents
bring is a submodular function of their set, and a discounted sum over ranks is a sum of such functions."""

DEEPEST = 10_000
"""Rank at which ideal rankings for measures without a cut-off end."""


class Cascade(OnSubtopics):
    """Novelty of each rank, discounted: the base of alpha-DCG, ERR-IA and NRBP."""

    alpha: float = param(0.5, Real(0, 1), "how much a document loses with each one above on the same subtopic")
    rel: float = rel_param()

    def discounts(self, ranks: int) -> Floats:
        """What ranks 1, 2, ... weigh."""
        raise TypeError(f"{type(self).__name__} does not say how it discounts")

    def terms(self, view: View, hits: Hits) -> Floats:
        discounts = self.discounts(view.deepest)
        return np.asarray((1.0 - self.alpha) ** hits.before * discounts[view.rank[hits.rows] - 1], dtype=np.float64)

    def most(self) -> float:
        """What a ranking gains in which every document is relevant to all subtopics: nothing gains more."""
        discounts = self.discounts(self.depth() or 0)
        return float(((1.0 - self.alpha) ** np.arange(len(discounts)) * discounts).sum())

    def divisor(self, qrels: Qrels) -> Floats:
        return np.full(len(qrels.topics), self.most())

    def lowest(self, view: View, added: Ints) -> Floats:
        return self.gained(view, hits_of(view)) / self.most() if self.most() else np.zeros(len(view))


class OverIdeal(Cascade):
    """The same over what an ideal ranking of the judged documents gains."""

    value_range = (0.0, GREEDY_LIMIT)
    normalised_by = "ideal"

    def divisor(self, qrels: Qrels) -> Floats:
        """Gain of the ideal ranking of each topic."""
        return _ideal_gain(qrels, self)

    def ideal_depth(self) -> int:
        """Ranks of the ideal ranking that matter."""
        return self.depth() or 0

    def limits(self) -> tuple[float, float]:
        return (0.0, 1.0) if self.is_exact() else self.value_range

    def remarks(self, values: Floats) -> tuple[Notice, ...]:
        above = int((values > 1.0 + 1e-9).sum())
        if not above or self.is_exact():
            return ()
        better = self.with_best_ideal()
        hint = "" if better is None else f"; {better} divides by the best"
        text = f"{self} is above 1 for {above} (run, topic) pairs: the greedy ideal ranking is not the best one{hint}"
        return (Notice("above-ideal", above, text),)

    def is_exact(self) -> bool:
        """Whether the ideal ranking is the best one."""
        return False

    def with_best_ideal(self) -> Self | None:
        """The measure over the best ranking, where it can have that."""
        return None


@remembered
def _ideal_gain(qrels: Qrels, measure: OverIdeal) -> Floats:
    depth = measure.ideal_depth()
    if measure.is_exact():
        ranking = best_ranking(qrels, measure.alpha, measure.discounts(depth))
    else:
        ranking = greedy_ranking(qrels, measure.alpha, depth)
    return measure.gained(ranking, hits_of(ranking))


class OverEitherIdeal(OverIdeal):
    """The same where the user says which ideal ranking it is over."""

    ideal: str = param("greedy", Choice(("greedy", "exact")), "the ideal ranking: ndeval's greedy one, or the best")

    def is_exact(self) -> bool:
        return self.ideal == "exact"

    def with_best_ideal(self) -> Self:
        return self.replace(ideal="exact")


class _Logarithmic(Cascade):
    def discounts(self, ranks: int) -> Floats:
        return log_discounts(ranks)


class _Reciprocal(Cascade):
    def discounts(self, ranks: int) -> Floats:
        return np.asarray(1.0 / np.arange(1, ranks + 1), dtype=np.float64)


class _Geometric(Cascade):
    beta: float = param(0.5, Real(0, 1), "patience: the chance of going on to the next rank")

    def discounts(self, ranks: int) -> Floats:
        return geometric_discounts(self.beta, ranks)

    def most(self) -> float:
        rate = 1.0 - (1.0 - self.alpha) * self.beta
        return 1.0 / rate if rate else math.inf


class alpha_DCG(_Logarithmic):
    """Discounted cumulative gain in which a document brings less the more was said on its subtopics above it.

    Divided by what a ranking gains in which every document is relevant to all subtopics, as in ndeval ("collection-
    independent normalisation"); ndeval forgets that at cut-off 1.
    """

    name = "alpha_DCG"
    aliases = ("alpha-DCG",)
    at = "cutoff"
    title = "Alpha discounted cumulative gain"
    formula = f"alpha_DCG@k = sum over r <= k of novelty(r) / log2(r + 1), normalised; {NOVELTY}"
    reference = CLARKE_2008

    judged_only: bool = judged_only_param()
    cutoff: int = cutoff_param(required=True)


class alpha_nDCG(_Logarithmic, OverEitherIdeal):
    """Alpha-DCG over that of an ideal ranking of the judged documents.

    The best ranking is hard to find, so ndeval takes at each rank the document that brings most there (of several, the
    one with the greatest id). That is not always the best ranking, and scores above 1 are possible; they are counted in
    a warning. ``ideal='exact'`` divides by the best one, which takes longer.
    """

    name = "alpha_nDCG"
    aliases = ("alpha-nDCG",)
    at = "cutoff"
    title = "Normalised alpha-DCG"
    formula = f"alpha_nDCG@k = alpha_DCG@k / alpha_DCG@k of the ideal ranking; {NOVELTY}"
    reference = CLARKE_2008

    judged_only: bool = judged_only_param()
    cutoff: int = cutoff_param(required=True)


class ERR_IA(_Reciprocal):
    """Expected reciprocal rank of the document that satisfies the user, averaged over what users may mean.

    As in ndeval, a relevant document satisfies with probability ``alpha`` whatever its grade, and the score is divided
    by that of a ranking in which every document is relevant to all subtopics (not at cut-off 1 in ndeval).
    ``form='graded'`` is the definition as published instead: a document of grade g satisfies with probability
    (2^g - 1) / 2^max_grade, and nothing is divided; ``alpha`` and ``rel`` play no part.
    """

    name = "ERR_IA"
    aliases = ("ERR-IA",)
    at = "cutoff"
    title = "Intent-aware expected reciprocal rank"
    formula = f"ERR_IA@k = sum over r <= k of novelty(r) / r, normalised; {NOVELTY}"
    reference = CHAPELLE

    form: str = param("ndeval", Choice(("ndeval", "graded")), "binary and normalised, or graded and as published")
    max_grade: float | None = param(
        None,
        Threshold(GRADE_LIMIT),
        "top of the grade scale for form='graded'; the highest grade in the qrels unless given",
    )
    judged_only: bool = judged_only_param()
    cutoff: int = cutoff_param(required=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.form == "graded" and (self.alpha, self.rel) != (0.5, 1):
            raise SpecError("ERR_IA: form='graded' takes neither alpha nor rel: grades decide")
        if self.form != "graded" and self.max_grade is not None:
            raise SpecError("ERR_IA: max_grade is for form='graded'")

    def scale(self) -> float | None:
        return None if self.form == "graded" else self.rel

    def terms(self, view: View, hits: Hits) -> Floats:
        if self.form != "graded":
            return super().terms(view, hits)
        top = float(self.max_grade or profiles_of(view.qrels).top)
        satisfied = np.exp2(np.minimum(hits.grades, top) - top) - np.exp2(-top)
        # The documents of one ranking on one subtopic, one after the other.
        order = np.lexsort((hits.rows, hits.numbers, view.ranking[hits.rows]))
        group = np.cumsum(hits.before[order] == 0)
        stays = running_product(group, 1.0 - satisfied[order])
        out = np.empty(len(order))
        out[order] = one_above(group, stays, 1.0) * satisfied[order]
        return out / view.rank[hits.rows]

    def most(self) -> float:
        return 1.0 if self.form == "graded" else super().most()

    def on_scale(self, top: float) -> Self:
        return self.replace(max_grade=top) if self.form == "graded" and self.max_grade is None else self


class nERR_IA(_Reciprocal, OverEitherIdeal):
    """Intent-aware expected reciprocal rank over that of an ideal ranking of the judged documents.

    See :class:`alpha_nDCG` for the ideal ranking.
    """

    name = "nERR_IA"
    aliases = ("nERR-IA",)
    at = "cutoff"
    title = "Normalised intent-aware ERR"
    formula = f"nERR_IA@k = ERR_IA@k / ERR_IA@k of the ideal ranking; {NOVELTY}"
    reference = CHAPELLE

    judged_only: bool = judged_only_param()
    cutoff: int = cutoff_param(required=True)


class NRBP(_Geometric):
    """Novelty for a user who goes on to the next rank with probability ``beta``; reads the whole ranking."""

    name = "NRBP"
    title = "Novelty- and rank-biased precision"
    formula = f"NRBP = (1 - (1 - alpha) * beta) * sum over r of novelty(r) * beta^(r-1); {NOVELTY}"
    reference = CLARKE_2009


class nNRBP(_Geometric, OverIdeal):
    """Novelty- and rank-biased precision over that of the greedy ideal ranking of the judged documents.

    See :class:`alpha_nDCG` for the ideal ranking. ndeval gives no number for topics without relevant documents; here
    they score 0.
    """

    name = "nNRBP"
    title = "Normalised NRBP"
    formula = f"nNRBP = NRBP / NRBP of the ideal ranking; {NOVELTY}"
    reference = CLARKE_2009

    def ideal_depth(self) -> int:
        # Ranks that weigh less than a rounding error of the first are left out.
        return DEEPEST if self.beta == 1 else min(DEEPEST, math.ceil(-60 / math.log2(self.beta)) if self.beta else 1)
