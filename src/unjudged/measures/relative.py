"""What a ranking adds to others that were read before: normalized residual gain over any browsing model."""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar, Self

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.data.memo import remembered
from unjudged.data.pairs import Residual
from unjudged.data.qrels import Qrels, nameless_judgments
from unjudged.data.scale import Scale, whole_scale
from unjudged.data.spans import one_above, running_product, sums_of, turns
from unjudged.data.view import View
from unjudged.errors import SpecError
from unjudged.measures.base import Browsing, Linear, Measure, Need, Normaliser, Static, measures, rel_param, share
from unjudged.measures.ideal import gain_of, refuse_high_grades
from unjudged.measures.precision import binary_gains
from unjudged.measures.relative_bounds import cascade_extremes, ideal_extremes, ideal_sums
from unjudged.spec import Choice, Limit, param

__all__ = ["NRG", "seen_at"]


class Base(Limit):
    """A measure, by value or by name."""

    def read(self, value: object) -> Measure:
        """The measure; a name that cannot be read says itself what is wrong with it."""
        if isinstance(value, Measure):
            return value.complete()
        if not isinstance(value, str):
            raise ValueError
        return measures.parse(value)

    def show(self, value: Any) -> str:
        """Its name, which is itself a specification and so stands in quotes."""
        return repr(str(value))

    def __str__(self) -> str:
        return "a measure such as 'nDCG@10'"


class NRG(Measure):
    """What a ranking adds for somebody who has read other rankings, the prior set, before.

    A document's gain is multiplied by the chance that the reader missed it in each of them, where the chance of having
    seen a rank is that of the ``base`` measure's browsing model. The sum is divided as the base is; an ideal ranking
    is sorted by what is left. Without prior rankings this is the base measure. ``gain`` replaces the gains of the base:
    the grade (linear), 2^grade - 1 (exponential), or 1 from grade ``rel`` on (binary); they are scaled to at most 1
    for measures that are not divided by anything and end at 1. With ``priors='cutoff'`` prior rankings are read down
    to the base's cut-off, as the paper has it; with ``priors='all'`` to their end.
    """

    name = "NRG"
    nameless = "base"
    title = "Normalized residual gain"
    graded = True
    needs: ClassVar[frozenset[Need]] = frozenset({"priors"})
    value_range = (0.0, float("inf"))
    formula = (
        "NRG = 1/N * sum over ranks i of seen(i) * gain(i) * product over prior rankings j of"
        " (1 - seen(rank of the document in j))"
    )
    unjudged = "Bring no gain, like documents judged not relevant; `unjudged relative` says what could hide there."
    reference = (
        "A. Bigdeli, N. Arabzadeh, E. Bagheri and C. Clarke. Evaluating relative retrieval effectiveness with"
        " normalized residual gain. SIGIR-AP 2024."
    )

    base: Measure = param(..., Base(), "the measure whose browsing model is used")
    gain: str | None = param(None, Choice(("linear", "exponential", "binary")), "gains, instead of the base's own")
    rel: float = rel_param("lowest grade that counts, with gain='binary'")
    priors: str = param("cutoff", Choice(("cutoff", "all")), "how far prior rankings are read")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rel != 1 and self.gain != "binary":
            raise SpecError(f"{self.name}: rel={self.rel} goes with gain='binary'")
        if "subtopics" in self.base.needs:
            raise SpecError(
                f"{self.name}: what a document is worth to {self.base} depends on the subtopics found above it, so no"
                " gain of its own is left after others; use a measure without subtopics, such as nDCG@10"
            )
        base, one = self.base, _one_judgment(1)
        if base.summary != "mean" or base.condenses or base.browsing(one, 1) is None:
            raise SpecError(
                f"{self.name}: {self.base} does not say how likely somebody is to look at a rank;"
                " use a measure that does, such as nDCG@10, RBP, P@10, R@100, RR, ERR or INSQ"
            )
        if self.gain is None:
            return
        if self._base_model(one, 1).stops:
            raise SpecError(f"{self.name}: {self.base} has gains of its own, which say when a reader stops")
        if not self.base.graded or self.base.rel is not None:
            raise SpecError(f"{self.name}: {self.base} says itself which grades count; leave gain={self.gain!r} out")

    @classmethod
    def over(cls, base: Measure) -> NRG:
        """NRG with this base, and everything else as usual; NRG itself stays as it is."""
        return base if isinstance(base, NRG) else cls(base=base)

    # ---- the browsing model

    def _base_model(self, qrels: Qrels, ranks: int) -> Browsing:
        model = self.base.browsing(qrels, ranks)
        if model is None:  # excluded when the measure was made
            raise TypeError(f"{self.base} has no browsing model")
        return model

    def model(self, qrels: Qrels, ranks: int) -> Browsing:
        """The browsing model of the base, with the gains that were asked for."""
        model = self._base_model(qrels, ranks)
        if self.gain is None:
            return model
        if self.gain == "binary":
            gains = binary_gains(qrels, self.rel)
        else:
            top = self.base.max_grade or qrels.max_grade
            dcg = "exp-log2" if self.gain == "exponential" else "log2"
            refuse_high_grades(qrels, dcg, top)
            to_top = gain_of(np.append(np.minimum(qrels.scale.grades, top), top), dcg)
            is_scaled = model.divisor == "fixed" and np.isfinite(self.base.limits()[1])
            gains = to_top[:-1] / to_top[-1] if is_scaled else to_top[:-1]
        return Browsing(model.seen, gains, model.divisor, model.whole, model.stops)

    def prior_depth(self) -> int | None:
        """How many ranks of a prior ranking are read; None for all of them."""
        return self.base.depth() if self.priors == "cutoff" else None

    # ---- what measures do

    def seen(self, view: View) -> View:
        return self.base.seen(view)

    def depth(self) -> int | None:
        return self.base.depth()

    def normaliser(self) -> Normaliser:
        return self.base.normaliser()

    def limits(self) -> tuple[float, float]:
        return self.base.limits()

    def monotone(self, top: float) -> bool:
        # In a cascade, a good document that was seen before keeps its reader from what is new below it; and where a
        # divisor follows what is left, a good document far down adds more to the divisor than to the sum.
        model = self.model(_one_judgment(top), 1)
        return not model.stops and model.divisor == "fixed" and bool((np.diff(model.gains) >= 0).all())

    def on_scale(self, top: float) -> Self:
        return self.replace(base=self.base.on_scale(top))

    def compute(self, view: View) -> Floats:
        if view.residual is None and self.gain is None:
            return self.base.compute(view)
        model = self.model(view.qrels, view.deepest)
        rows = np.flatnonzero(view.judged & (model.gains[view.levels] != 0))
        gains, weights = model.gains[view.levels[rows]], row_weights(model, view, rows)
        if view.residual is None:
            return share(view.total(rows, weights * gains), self.divisors(view.qrels)[view.topics])
        gains = gains * view.residual.left[view.residual.rows[rows]]
        return share(view.total(rows, weights * gains), self._divisor(view, view.residual, rows, gains))

    def linear(self, view: View) -> Linear | None:
        if view.residual is None and self.gain is None:
            return self.base.linear(view)
        model = self.model(view.qrels, view.deepest)
        if model.stops or model.divisor != "fixed":
            return None  # with a label for a hole, the divisor changes too
        left = 1.0 if view.residual is None else view.residual.of_rows()
        return Linear(seen_at(model, view.rank) * left / model.whole, model.gains)

    def static(self, qrels: Qrels, ranks: int) -> Static | None:
        return None  # what is left of a document's gain does not depend on its rank

    def _divisor(self, view: View, residual: Residual, rows: Ints, gains: Floats) -> Floats:
        """N of each ranking; *gains* are what is left of those of *rows*.

        A label for a document that the judgments do not have adds to what there is to find. Were the divisor fixed, one
        new document among others that everybody has seen would be worth more than the best ranking.
        """
        qrels, left = view.qrels, residual.of_judgments(view.qrels)
        new = np.flatnonzero(residual.is_new(qrels)[rows])
        if not len(new):
            return _divisors(residual, self, qrels)[view.topics]
        ranking = view.ranking[rows[new]]
        turn = turns(ranking)
        more = np.zeros((len(view), int(turn.max()) + 1))
        more[ranking, turn] = gains[new]
        return self.divisors_with(qrels, left, view.topics, more)

    def divisors_with(self, qrels: Qrels, left: Floats, topics: Ints, more: Floats) -> Floats:
        """N of some *topics*, each with a row of *more* gains, of documents that the judgments do not have."""
        model = self.model(qrels, 1)
        if model.divisor != "ideal":
            divisors = self.divisors(qrels, left)[topics]
            return divisors if model.divisor == "fixed" else divisors + more.sum(axis=1)
        out = np.empty(len(topics))
        for topic in np.unique(topics).tolist():
            mine, rows = np.flatnonzero(topics == topic), slice(*qrels.offsets[topic : topic + 2].tolist())
            gains = np.where(qrels.judged[rows], model.gains[qrels.levels[rows]], 0.0) * left[rows]
            seen = self._base_model(qrels, len(gains) + more.shape[1]).seen
            out[mine] = ideal_sums(seen, self.depth(), gains, more[mine])
        return out

    def divisors(self, qrels: Qrels, left: Floats | float = 1.0) -> Floats:
        """N of each topic of the judgments; *left* is what is left of each judged document."""
        topics = len(qrels.topics)
        model = self.model(qrels, int(np.diff(qrels.offsets).max(initial=0)))
        if model.divisor == "fixed":
            return np.full(topics, model.whole)
        gains = np.where(qrels.judged, model.gains[qrels.levels], 0.0) * left
        rows = np.flatnonzero(gains > 0)
        if model.divisor == "total":
            return sums_of(gains[rows], qrels.topic_of_row[rows], topics)
        rows = rows[np.lexsort((-gains[rows], qrels.topic_of_row[rows]))]
        topic = qrels.topic_of_row[rows]
        place = np.arange(len(rows)) - np.searchsorted(topic, np.arange(topics))[topic]
        depth = self.depth()
        if depth is not None:
            inside = place < depth
            rows, topic, place = rows[inside], topic[inside], place[inside]
        return sums_of(gains[rows] * model.seen[place], topic, topics)

    def joint_extremes(self, view: View, top: float) -> tuple[Floats, Floats] | None:
        if view.residual is None:
            return None
        # As many ranks as an ideal ranking of what is judged and what could be judged has.
        ranks = view.deepest + int(np.diff(view.qrels.offsets).max(initial=0))
        scale = view.qrels.scale.up_to(top)
        model = self.model(_judgment_on(scale), ranks)
        left, holes = view.residual.of_rows(), np.flatnonzero(~view.judged)
        if model.stops:
            return cascade_extremes(model, scale, view, left)
        weights = seen_at(model, view.rank) * left
        gains = np.where(view.judged, model.gains[scale.levels(view.grades)], 0.0) * weights
        sums = view.total(np.arange(len(gains)), gains)
        total = self.divisors(view.qrels, view.residual.of_judgments(view.qrels))[view.topics]
        if model.divisor == "ideal":
            return ideal_extremes(model, scale, self.depth(), view, left, sums, share(sums, total))
        ends = [view.total(holes, weights[holes] * end) for end in (model.gains.min(), model.gains.max())]
        if model.divisor == "total":
            # Every rank weighs the same, so a hole adds to both sides, and sums <= total: it can only raise the share.
            return share(sums, total), share(sums + ends[1], total + ends[1])
        return (sums + ends[0]) / total, (sums + ends[1]) / total


def row_weights(model: Browsing, view: View, rows: Ints) -> Floats:
    """Chance that somebody gets to each of *rows*, which must be all that bring gain: in a cascade they may stop."""
    seen = seen_at(model, view.rank[rows])
    if not model.stops:
        return seen
    ranking = view.ranking[rows]
    goes_on = running_product(ranking, 1.0 - model.gains[view.levels[rows]])
    return seen * one_above(ranking, goes_on, 1.0)


def seen_at(model: Browsing, ranks: Ints) -> Floats:
    """Chance that somebody looks at these ranks; 0 below what the model knows about."""
    return np.append(model.seen, 0.0)[np.minimum(ranks - 1, len(model.seen))]


@cache
def _one_judgment(grade: int) -> Qrels:
    """Judgments of one document: a scale of all whole numbers that ends at *grade*."""
    return _judgment_on(whole_scale(grade))


def _judgment_on(scale: Scale) -> Qrels:
    """Judgments of one document that has the highest grade of a scale."""
    return nameless_judgments(scale.grades[-1:], np.array([0, 1], dtype=np.int64), scale)


@remembered
def _divisors(residual: Residual, measure: NRG, qrels: Qrels) -> Floats:
    return measure.divisors(qrels, residual.of_judgments(qrels))
