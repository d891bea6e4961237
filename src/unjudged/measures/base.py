"""What a measure is. One class in one file is a whole measure: name, parameters, limits, words and code."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from unjudged.arrays import Floats
from unjudged.data.images import Images
from unjudged.data.qrels import GRADE_LIMIT, Qrels
from unjudged.data.view import View
from unjudged.errors import Notice
from unjudged.measures.forms import Browsing, Linear, Normaliser, Static
from unjudged.measures.trec_names import TrecName, read_number
from unjudged.registry import Registry
from unjudged.spec import Flag, Spec, Whole, param

__all__ = [
    "CUTOFF_LIMIT",
    "MOST_LABELLINGS",
    "Browsing",
    "Floats",
    "Linear",
    "Measure",
    "Need",
    "Normaliser",
    "Static",
    "Summary",
    "TrecName",
    "cutoff_param",
    "judged_only_param",
    "max_grade_param",
    "measures",
    "read_number",
    "rel_param",
    "share",
]


CUTOFF_LIMIT = 1_000_000
"""Of measures that need a cut-off: some have a weight for every rank down to it, whether anything is there or not."""

Summary = Literal["mean", "sum", "geometric", "standard_error"]
"""How topics become one number. ``geometric`` takes values below 1e-5 as 1e-5, as trec_eval does. ``standard_error`` is
that of a mean over topics with independent errors: the root of the sum of squares, divided by the number of topics."""

LOWEST_IN_GEOMETRIC_MEAN = 1e-5

MOST_LABELLINGS = 20_000
"""Ways to label the holes of one ranking that are tried at most, where there is no quicker way to exact bounds."""

Need = Literal["subtopics", "strata", "texts", "priors"]
"""What a measure needs beyond plain judgments and a run."""


class MeasureRegistry(Registry["Measure"]):
    """All measures. An unknown name is compared with our names, with trec_eval's and with those of groups."""

    groups: tuple[str, ...] = ()

    def near_names(self) -> list[str]:
        """Our names first, then trec_eval's, then those of groups."""
        trec = [text for cls in self for trec in cls.trec_names for text in trec.names()]
        return [*super().near_names(), *trec, *self.groups]


measures = MeasureRegistry("measure", "`unjudged measures` lists them all")


class Measure(Spec):
    """Maps a view to one number per ranking.

    A subclass with a ``name`` is registered by being defined. Its docstring is the text users read: the first
    paragraph says what it measures, the rest how. NaN says that the measure is undefined for a ranking.
    """

    registry = measures
    title: ClassVar[str] = ""
    formula: ClassVar[str] = ""
    unjudged: ClassVar[str] = ""
    """What happens to unjudged documents, in one sentence."""
    reference: ClassVar[str] = ""
    trec_names: ClassVar[tuple[TrecName, ...]] = ()
    needs: ClassVar[frozenset[Need]] = frozenset()
    summary: ClassVar[Summary] = "mean"
    is_count: ClassVar[bool] = False
    """Whether values are whole numbers, shown without decimals."""
    value_range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    """Lowest and highest possible value."""
    gains_only: ClassVar[bool] = False
    """Whether it looks at nothing but documents with a grade above 0 and their ranks; the rest can then be left out."""
    graded: ClassVar[bool] = False
    """Whether grades matter, and not only which documents are relevant."""
    normalised_by: ClassVar[Normaliser] = "count"
    """Which judged documents the score depends on beside those retrieved; see :meth:`normaliser`."""

    @property
    def has_holes(self) -> bool:
        """Whether a belief about unjudged documents makes sense; not for counts, or where they are dropped."""
        return not (self.is_count or self.condenses)

    @property
    def condenses(self) -> bool:
        """Whether unjudged documents are dropped first, so that those below move up."""
        return getattr(self, "judged_only", False)

    def prepare(self, qrels: Qrels) -> None:
        """Compute what all runs share, where that takes long. A study calls it once: threads would each do it."""

    def score(self, view: View) -> Floats:
        """One value per ranking of *view*."""
        return np.asarray(self.compute(self.seen(view)), dtype=np.float64)

    def seen(self, view: View) -> View:
        """The part of a view that the measure looks at."""
        return (view.condensed() if self.condenses else view).top(self.depth())

    def depth(self) -> int | None:
        """How many ranks the measure reads; None for all of them."""
        cutoff: int | None = getattr(self, "cutoff", None)
        return cutoff

    def uses_pool(self) -> bool:
        """Whether it tells pooled from unpooled documents among the unjudged, and so wants to know the pool."""
        return False

    def compute(self, view: View) -> Floats:
        """The measure itself, on a view that is already cut to :meth:`depth`."""
        raise TypeError(f"{type(self).__name__} does not say how it is computed")

    def monotone(self, top: int) -> bool:
        """Whether neither a higher grade nor moving it up ever lowers the score, while R and the ideal ranking stay.

        *top* is the highest grade. Bounds then only look at the best and the worst place for each set of grades; else
        they try all labels.
        """
        return True

    def normaliser(self) -> Normaliser:
        """What judged documents that were not retrieved do to the score."""
        return self.normalised_by

    def limits(self) -> tuple[float, float]:
        """Lowest and highest possible value with these parameters."""
        return self.value_range

    def on_scale(self, top: int) -> Measure:
        """The measure when the highest grade is known to be *top*, for measures that take it from the judgments."""
        own_scale = getattr(self, "max_grade", top) is not None or getattr(self, "rel", None) is not None
        return self if own_scale else self.replace(max_grade=top)

    def first_relevant(self) -> int:
        """The lowest grade that can bring anything."""
        return getattr(self, "rel", None) or 1

    def fixed_extremes(self, view: View) -> tuple[Floats, Floats] | None:
        """Lowest and highest score over the labels of the holes that the judgments outside the rankings allow.

        Only where there is a better way than to hand out the highest grades to the highest holes; else None.
        """
        return None

    def lowest(self, view: View, added: NDArray[np.int64]) -> Floats | None:
        """A score that none falls below if holes are not relevant and so many other documents have the highest grade.

        *added* has one number for each ranking. Only where it does not follow from the number of judgments of each
        grade; else None.
        """
        return None

    def joint_extremes(self, view: View, top: int) -> tuple[Floats, Floats] | None:
        """Lowest and highest score over all labels (0 to *top*) of the holes, R and ideal ranking following them.

        Only where there is a quicker way than to try the possible numbers of each grade; else None.
        """
        return None

    def linear(self, view: View) -> Linear | None:
        """The measure as a weighted sum of gains, where it is one; *view* is what :meth:`seen` gave."""
        form = self.static(view.qrels, int(view.lengths.max(initial=0)))
        if form is None or self.normaliser() != "none":
            return None
        return Linear(form.weights[view.rank - 1], form.gains)

    def divisor(self, qrels: Qrels) -> Floats | None:
        """What a measure that is a weighted sum is divided by, for each topic, where no ranking plays a part in it."""
        return None

    def static(self, qrels: Qrels, ranks: int) -> Static | None:
        """The measure as weights of the first *ranks* ranks, where they are static; None for most measures."""
        return None

    def browsing(self, qrels: Qrels, ranks: int) -> Browsing | None:
        """The measure as a model of how somebody reads the first *ranks* ranks, where it is one.

        Measures with static weights are one without saying so: the first rank is looked at for sure, the others as
        much less as they weigh less.
        """
        form, kind = self.static(qrels, max(1, ranks)), self.normaliser()
        if form is None or kind == "mixed" or self.condenses:
            return None
        first = float(form.weights[0])
        divisor: Literal["fixed", "ideal", "total"] = (
            "fixed" if kind == "none" else "total" if kind == "count" else "ideal"
        )
        return Browsing(form.weights / first, form.gains, divisor, 1.0 / first)

    def score_images(self, images: Images) -> Floats | None:
        """One value per ranking and image of the corpus, without writing the images out; None where that must be."""
        return self.compute_images(images.condensed() if self.condenses else images)

    def compute_images(self, images: Images) -> Floats | None:
        """What :meth:`compute` is for a view. The cut-off is still to be applied: it is about ranks in the image."""
        qrels, depth = images.block.qrels, self.depth()

        def weigh(images: Images) -> Floats | None:
            ranks = images.deepest if depth is None else min(depth, images.deepest)
            form = self.static(qrels, ranks)
            # A gain for grade 0 is a gain for rows that images do not look at.
            return None if form is None or form.gains[0] != 0 else images.weigh(form.weights, form.gains[images.levels])

        total, kind = weigh(images), self.normaliser()
        if total is None or kind == "none":
            return total
        if kind == "count":
            return share(total, images.total_relevant(self.first_relevant()))
        form = self.static(qrels, 0)
        best = images.block.remember(("ideal", self), lambda: None if form is None else weigh(images.ideal(form.gains)))
        return None if best is None else share(total, best[images.view.topics])

    def remarks(self, values: Floats) -> tuple[Notice, ...]:
        """What the user should know about these values, which are those of some runs (rows) on all topics."""
        return ()

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

    def from_sum(self, total: Floats, topics: int | Floats | NDArray[np.int64]) -> Floats:
        """The summary that follows from such a sum over *topics* topics."""
        if self.summary == "sum":
            return total
        if self.summary == "standard_error":
            return np.sqrt(total) / topics
        mean = total / topics
        return np.exp(mean) if self.summary == "geometric" else mean

    def trec_name(self) -> str | None:
        """trec_eval's name for this very measure, or None where it has none."""
        for trec in self.trec_names:
            sets = trec.sets or self.at
            fixed = dict(trec.fixed)
            value = getattr(self, sets) if trec.at else None
            if trec.at and value is None:
                continue
            if trec.at:
                fixed[sets] = value
            if type(self)(**fixed) == self:
                return f"{trec.name}_{trec.form.format(value)}" if trec.at else trec.name
        return None

    @classmethod
    def from_trec(cls, trec: TrecName, arguments: str) -> list[Measure]:
        """What trec_eval means by ``name.arguments``; *arguments* is empty where there are none.

        Here the arguments are the values of one parameter, such as cut-offs, and no arguments are the default ones.
        """
        fixed = dict(trec.fixed)
        if not trec.at:
            return [cls(**fixed)]
        values = [read_number(trec, text) for text in arguments.split(",")] if arguments else trec.at
        return [cls(**fixed, **{trec.sets or cls.at: value}) for value in values]


def share(part: NDArray[np.int64] | Floats | float, whole: NDArray[np.int64] | Floats) -> Floats:
    """part / whole, and 0 where whole is 0: without anything to find, or to look at, the score is 0."""
    part, whole = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    out = np.zeros(np.broadcast(part, whole).shape)
    return np.divide(part, whole, out=out, where=whole != 0)


def rel_param(words: str = "lowest grade that counts as relevant") -> int:
    """The ``rel`` parameter most measures share."""
    value: int = param(1, Whole(1), words)
    return value


def cutoff_param(*, required: bool = False) -> int | None:
    """The ``cutoff`` parameter most measures share."""
    value: int | None = param(
        ... if required else None, Whole(1, CUTOFF_LIMIT if required else None), "number of ranks read"
    )
    return value


def max_grade_param() -> int | None:
    """The ``max_grade`` parameter of measures with graded gains."""
    value: int | None = param(
        None, Whole(1, GRADE_LIMIT), "top of the grade scale; the highest grade in the qrels unless given"
    )
    return value


def judged_only_param() -> bool:
    """The ``judged_only`` parameter most measures share."""
    value: bool = param(False, Flag(), "drop unjudged documents first, so that those below move up")
    return value
