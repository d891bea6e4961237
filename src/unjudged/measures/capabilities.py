"""What else may be asked of a measure than its score, one class for each who asks, and the forms that it can have.

The answers here fit most measures.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.data.corpus_images import ImageBlock, Images
from unjudged.data.memo import remembered
from unjudged.data.qrels import GRADE_LIMIT, Qrels
from unjudged.data.scale import Scale
from unjudged.data.view import View
from unjudged.spec import Flag, Spec, Threshold, Whole, param

__all__ = [
    "CUTOFF_LIMIT",
    "MOST_LABELLINGS",
    "Browsing",
    "Divisor",
    "ImageScoring",
    "LabelEffects",
    "Linear",
    "Normaliser",
    "Static",
    "Summary",
    "TopicSummary",
    "WeightedSum",
    "cutoff_param",
    "judged_only_param",
    "max_grade_param",
    "rel_param",
    "share",
]

# ---- parameters that most measures share

CUTOFF_LIMIT = 1_000_000
"""Of measures that need a cut-off: some have a weight for every rank down to it, whether anything is there or not."""


def rel_param(words: str = "lowest grade that counts as relevant") -> Any:
    """The ``rel`` parameter most measures share."""
    return param(1, Threshold(), words)


def cutoff_param(*, required: bool = False) -> Any:
    """The ``cutoff`` parameter most measures share."""
    return param(... if required else None, Whole(1, CUTOFF_LIMIT if required else None), "number of ranks read")


def max_grade_param() -> Any:
    """The ``max_grade`` parameter of measures with graded gains."""
    return param(None, Threshold(GRADE_LIMIT), "top of the grade scale; the highest grade in the qrels unless given")


def judged_only_param() -> Any:
    """The ``judged_only`` parameter most measures share."""
    return param(False, Flag(), "drop unjudged documents first, so that those below move up")


class SharedParameters(Spec):
    """Five parameters that anybody may ask a measure for. One that does not declare them answers with these."""

    @property
    def rel(self) -> float | None:
        """Lowest grade that counts as relevant; None where grades are graded gains, or play no part."""
        return None

    @property
    def max_grade(self) -> float | None:
        """Top of the grade scale; None where it is that of the judgments, or plays no part."""
        return None

    @property
    def judged_only(self) -> bool:
        """Whether unjudged documents are dropped first."""
        return False

    @property
    def cutoff(self) -> int | None:
        """Number of ranks read; None for all of them."""
        return None

    @property
    def mu(self) -> float | str | None:
        """Smoothing of texts: words of the collection added to each; None where it looks at no texts."""
        return None

    @property
    def condenses(self) -> bool:
        """Whether unjudged documents are dropped first, so that those below move up."""
        return self.judged_only

    def depth(self) -> int | None:
        """How many ranks the measure reads; None for all of them."""
        return self.cutoff

    def first_relevant(self, scale: Scale) -> float:
        """The lowest grade that can bring anything: 1 where grades are gains, or a fraction below it that occurs."""
        lowest: float = scale.grades[:2][-1].item()
        return self.rel or min(1, lowest)

    def on_scale(self, top: float) -> Self:
        """The measure when the highest grade is known to be *top*, for measures that take it from the judgments."""
        has_scale = any(field.name == "max_grade" for field in self.parameters())
        return self.replace(max_grade=top) if has_scale and self.max_grade is None and self.rel is None else self


# ---- weighted sums of gains

Normaliser = Literal["none", "ideal", "count", "mixed"]
"""What judged documents outside the ranking do to a score.

``none``: nothing. ``ideal``: they can lower it, as part of the best ranking, as far as the measure reads. ``count``:
they can lower it to 0, as the number of relevant documents has no limit. ``mixed``: they can also raise it.
"""


@dataclass(frozen=True, eq=False)
class Linear:
    """A measure as a weighted sum: score = sum over rows of weight * gain of the row's grade, for each ranking.

    Hole models use it: what an unjudged document could add is its weight times the gain of its grade.
    """

    weights: Floats
    """One per row of the view; whatever normalises the measure is part of it."""
    gains: Floats
    """Gain of each grade of the judgments' scale (``qrels.scale.grades``)."""


@dataclass(frozen=True, eq=False)
class Static:
    """Weights that depend on nothing but the rank: score = sum over ranks of weight * gain, before it is normalised."""

    weights: Floats
    """Of ranks 1, 2, ..."""
    gains: Floats
    """Gain of each grade of the judgments' scale (``qrels.scale.grades``)."""


Divisor = Literal["fixed", "ideal", "total"]
"""What the sum over a browsing model is divided by.

``fixed``: the number ``whole``. ``ideal``: the sum for the documents sorted by gain, as far as the measure reads.
``total``: the gain of all judged documents.
"""


@dataclass(frozen=True, eq=False)
class Browsing:
    """A measure as a model of how somebody reads: score = sum over ranks of seen * gain, over a divisor.

    From this, and nothing else, follows what a ranking adds to others that were read before (``NRG``).
    """

    seen: Floats
    """Chance that somebody looks at ranks 1, 2, ...; at most 1."""
    gains: Floats
    """Gain of each grade of the judgments' scale (``qrels.scale.grades``)."""
    divisor: Divisor
    whole: float = 1.0
    stops: bool = False
    """Whether the gain of a document is also the chance that its reader stops there, as in a cascade."""


class WeightedSum(SharedParameters):
    """What a measure that is a weighted sum of gains says about itself. Most is None where it is none.

    A measure that gives its :meth:`static` weights gets the rest for nothing.
    """

    normalised_by: ClassVar[Normaliser] = "count"
    """Which judged documents the score depends on beside those retrieved; see :meth:`normaliser`."""

    def normaliser(self) -> Normaliser:
        """What judged documents that were not retrieved do to the score."""
        return self.normalised_by

    def static(self, qrels: Qrels, ranks: int) -> Static | None:
        """The measure as weights of the first *ranks* ranks, where they are static; None for most measures."""
        return None

    def linear(self, view: View) -> Linear | None:
        """The measure as a weighted sum of gains, where it is one; *view* is what :meth:`seen` gave."""
        form = self.static(view.qrels, view.deepest)
        if form is None or self.normaliser() != "none":
            return None
        return Linear(form.weights[view.rank - 1], form.gains)

    def divisor(self, qrels: Qrels) -> Floats | None:
        """What a measure that is a weighted sum is divided by, for each topic, where no ranking plays a part in it."""
        return None

    def divisor_of_counts(self, counts: Ints, scale: Scale) -> Floats | None:
        """The same for topics with so many judged documents at each level of a scale, one for each row of *counts*.

        None where that takes the judgments written out.
        """
        return None

    def browsing(self, qrels: Qrels, ranks: int) -> Browsing | None:
        """The measure as a model of how somebody reads the first *ranks* ranks, where it is one.

        Nobody asks measures that drop documents: what is left is no ranking that somebody saw. Those with static
        weights are one without saying so: the first rank is looked at for sure, the others as much less as they weigh.
        """
        form, kind = self.static(qrels, max(1, ranks)), self.normaliser()
        if form is None or kind == "mixed":
            return None
        first = float(form.weights[0])
        divisor: Divisor = "fixed" if kind == "none" else "total" if kind == "count" else "ideal"
        return Browsing(form.weights / first, form.gains, divisor, 1.0 / first)

    def gains_to_total(self, qrels: Qrels) -> Floats | None:
        """Gains of grades where the score is precision at as many ranks as there are relevant documents.

        None for all but R-precision.
        """
        return None

    def pairs(self, qrels: Qrels, ranks: int) -> Static | None:
        """The measure as a sum over relevant documents and those above them, over the number of relevant ones.

        A relevant document brings its rank's weight for itself, and for each relevant one above. None for all but AP.
        """
        return None


class ImageScoring(WeightedSum):
    """Scores on many images of the corpus at once; the corpus bootstrap asks.

    Weighted sums have them without saying how. Where there is no quick way, images are written out and scored.
    """

    def score_images(self, images: Images) -> Floats | None:
        """One value per ranking and image of the corpus, without writing the images out; None where that must be."""
        return self.compute_images(images.condensed() if self.condenses else images)

    def compute_images(self, images: Images) -> Floats | None:
        """What :meth:`compute` is for a view. The cut-off is still to be applied: it is about ranks in the image."""
        total, kind = self.weigh_images(images), self.normaliser()
        if total is None or kind == "none":
            return total
        if kind == "count":
            return share(total, images.total_relevant(self.first_relevant(images.block.qrels.scale)))
        best = _ideal_images(images.block, self)
        return None if best is None else share(total, best[images.view.topics])

    def weigh_images(self, images: Images) -> Floats | None:
        """The weighted sum of the gains of each ranking, in each image; None for what is not such a sum."""
        depth = self.depth()
        form = self.static(images.block.qrels, images.deepest if depth is None else min(depth, images.deepest))
        # A gain for grade 0 is a gain for rows that images do not look at.
        return None if form is None or form.gains[0] != 0 else images.weigh(form.weights, form.gains[images.levels])


@remembered
def _ideal_images(block: ImageBlock, measure: ImageScoring) -> Floats | None:
    """What the ideal rankings come to in these images."""
    form = measure.static(block.qrels, 0)
    return None if form is None else measure.weigh_images(block.ideal(form.gains))


def share(part: Ints | Floats | float, whole: Ints | Floats) -> Floats:
    """part / whole, and 0 where whole is 0: without anything to find, or to look at, the score is 0."""
    part, whole = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    out = np.zeros(np.broadcast(part, whole).shape)
    return np.divide(part, whole, out=out, where=whole != 0)


# ---- labels, and topics

MOST_LABELLINGS = 20_000
"""Ways to label the holes of one ranking that are tried at most, where there is no quicker way to exact bounds."""


class LabelEffects(Spec):
    """What grades for unjudged documents can do to a score; bounds ask."""

    gains_only: ClassVar[bool] = False
    """Whether it looks at nothing but documents with a grade above 0 and their ranks; the rest can then be left out."""
    graded: ClassVar[bool] = False
    """Whether grades matter, and not only which documents are relevant."""

    def monotone(self, top: float) -> bool:
        """Whether neither a higher grade nor moving it up ever lowers the score, while R and the ideal ranking stay.

        *top* is the highest grade. Bounds then only look at the best and the worst place for each set of grades; else
        they try all labels.
        """
        return True

    def fixed_extremes(self, view: View) -> tuple[Floats, Floats] | None:
        """Lowest and highest score over the labels of the holes that the judgments outside the rankings allow.

        Only where there is a better way than to hand out the highest grades to the highest holes; else None.
        """
        return None

    def joint_extremes(self, view: View, top: float) -> tuple[Floats, Floats] | None:
        """Lowest and highest score over all labels (0 to *top*) of the holes, R and ideal ranking following them.

        Only where there is a quicker way than to try the possible numbers of each grade; else None.
        """
        return None

    def lowest(self, view: View, added: Ints) -> Floats | None:
        """A score that none falls below if holes are not relevant and so many other documents have the highest grade.

        *added* has one number for each ranking. Only where it does not follow from the number of judgments of each
        grade; else None.
        """
        return None


Summary = Literal["mean", "sum", "geometric", "standard_error"]
"""How topics become one number. ``geometric`` takes values below 1e-5 as 1e-5, as trec_eval does. ``standard_error`` is
that of a mean over topics with independent errors: the root of the sum of squares, divided by the number of topics."""

LOWEST_IN_GEOMETRIC_MEAN = 1e-5


class TopicSummary(Spec):
    """One number for all topics, at once or from sums over some of them; tables of means ask."""

    summary: ClassVar[Summary] = "mean"

    def summarise(self, values: Floats) -> float:
        """One number for all topics; undefined topics are left out."""
        values = values[~np.isnan(values)]
        if self.summary != "sum" and not len(values):
            return float("nan")
        return float(self.from_sum(self.to_add_up(values).sum(), len(values)))

    def to_add_up(self, values: Floats) -> Floats:
        """What a summary over topics adds up: the values, their logarithms for a geometric mean, or their squares."""
        if self.summary == "standard_error":
            return values**2
        return np.log(np.maximum(values, LOWEST_IN_GEOMETRIC_MEAN)) if self.summary == "geometric" else values

    def from_sum(self, total: Floats, topics: int | Floats | Ints) -> Floats:
        """The summary that follows from such a sum over *topics* topics."""
        if self.summary == "sum":
            return total
        if self.summary == "standard_error":
            return np.sqrt(total) / topics
        mean = total / topics
        return np.exp(mean) if self.summary == "geometric" else mean
