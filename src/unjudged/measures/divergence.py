"""Measures that compare a ranking's text with the text judged relevant to each subtopic (Hui et al., ICTIR 2017)."""

from __future__ import annotations

import numpy as np

from unjudged.arrays import Floats
from unjudged.data.memo import remembered
from unjudged.data.view import View
from unjudged.measures.base import CUTOFF_LIMIT, Measure, rel_param
from unjudged.measures.ideal import geometric_discounts
from unjudged.measures.language_models import models_with_divergences, ranking_gains, texts_and_subtopics
from unjudged.measures.smoothing import Smoothing, mu_for
from unjudged.spec import Real, Whole, param

__all__ = ["ABSNB", "ABSRB", "DELTANB", "DELTARB"]

HUI = (
    "K. Hui, K. Berberich and I. Mele. Dealing with incomplete judgments in cascade measures. ICTIR 2017,"
    " doi:10.1145/3121050.3121064."
)
UNJUDGED = (
    "Count like judged ones: a ranking is compared by its text. Judgments matter for the texts that subtopics are"
    " known by."
)


class _Divergence(Measure):
    """What the four measures share: gains of the subtopics down the ranking, and how they are put together."""

    at = "cutoff"
    needs = frozenset({"subtopics", "texts"})
    unjudged = UNJUDGED
    reference = HUI
    has_holes = False  # the grades of retrieved documents play no part
    normalised_by = "mixed"
    value_range = (0.0, float("inf"))

    cutoff: int = param(20, Whole(1, CUTOFF_LIMIT), "number of ranks read")
    mu: float | str = param(
        2500.0, Smoothing(), "smoothing: words of the collection added to each text; 'fitted' to these texts"
    )
    rel: float = rel_param("lowest grade at which a document's text stands for a subtopic")

    def gain(self, gains: Floats) -> Floats:
        """Gain of each rank from the gains of the subtopics (subtopics, ranks)."""
        raise TypeError(f"{type(self).__name__} does not say what a rank is worth")

    def weights(self) -> Floats:
        """Of ranks 1, 2, ..."""
        return np.ones(self.cutoff)

    def compute(self, view: View) -> Floats:
        weights = self.weights()
        values = np.empty(len(view))
        for i, gains in enumerate(_gains(view, self.rel, mu_for(view.qrels, self.mu))):
            values[i] = np.nan if gains is None else self.gain(gains) @ weights[: gains.shape[1]]
        # Nothing relevant to find: 0, as everywhere. Something relevant, but no text of it: nothing to compare with.
        values[view.total_relevant(self.rel) == 0] = 0.0
        return values

    def limits(self) -> tuple[float, float]:
        return 0.0, float(self.weights().sum())


@remembered
def _gains(view: View, rel: float, mu: float) -> list[Floats | None]:
    """For each ranking, the gains of the topic's subtopics down the ranks; None where the topic has no relevant text.

    All four measures are made of these, so they are computed once for a view.
    """
    (texts, _), with_divergences = texts_and_subtopics(view.qrels), models_with_divergences(view.qrels, rel, mu)
    of_rankings = [with_divergences[topic] for topic in view.topics.tolist()]
    return ranking_gains(texts, texts.find(view.doc_ids()), view.offsets, of_rankings, mu)


class _Absolute(_Divergence):
    def gain(self, gains: Floats) -> Floats:
        best: Floats = gains.max(axis=0)
        return best


class _Delta(_Divergence):
    def gain(self, gains: Floats) -> Floats:
        best: Floats = np.diff(gains, axis=1, prepend=0.0).max(axis=0)
        return np.maximum(best, 0.0)


class _RankBiased(_Divergence):
    value_range = (0.0, 1.0)

    theta: float = param(0.8, Real(0, 1, "neither"), "persistence: the chance of going on to the next rank")

    def weights(self) -> Floats:
        return (1.0 - self.theta) * geometric_discounts(self.theta, self.cutoff)


class ABSNB(_Absolute):
    """How close the text down to each rank comes to the subtopic it covers best, summed over ranks.

    A subtopic is known by all text judged relevant to it, a ranking by the text of its first j documents; both are
    language models smoothed with the collection's (Dirichlet, ``mu``). A subtopic's gain at rank j is 0 where the
    ranking's model is no closer to the subtopic's than the collection is, and 1 where they are the same. Subtopics
    without relevant text are left out; a ranking shorter than the cut-off is summed as far as it goes.
    """

    name = "ABSNB"
    title = "Absolute divergence gain"
    formula = "ABSNB = sum over ranks j of max over subtopics i of max(0, 1 - KLD(q_i || R_j) / KLD(q_i || D))"


class ABSRB(_RankBiased, _Absolute):
    """ABSNB for a user who goes on to the next rank with probability ``theta``: early ranks count more.

    See ABSNB for the gain of a rank.
    """

    name = "ABSRB"
    title = "Absolute divergence gain, rank-biased"
    formula = "ABSRB = (1 - theta) * sum over ranks j of theta^(j-1) * max over subtopics i of g(i, j)"


class DELTANB(_Delta):
    """How much closer each document brings the ranking to some subtopic, summed over ranks.

    A document that repeats what was said above moves the ranking's model little, whatever it is judged. See ABSNB for
    the gain g(i, j) of subtopic i at rank j; here a rank is worth the most that any subtopic's gain grows.
    """

    name = "DELTANB"
    title = "Divergence gain of each document"
    formula = "DELTANB = sum over ranks j of max(0, max over subtopics i of g(i, j) - g(i, j-1))"


class DELTARB(_RankBiased, _Delta):
    """DELTANB for a user who goes on to the next rank with probability ``theta``: early ranks count more.

    See ABSNB for the gain of a subtopic and DELTANB for the gain of a rank.
    """

    name = "DELTARB"
    title = "Divergence gain, rank-biased"
    formula = "DELTARB = (1 - theta) * sum over ranks j of theta^(j-1) * max(0, max over i of g(i, j) - g(i, j-1))"
