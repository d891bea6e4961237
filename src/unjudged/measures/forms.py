"""Forms that a measure can have, beside its code: who asks for one can do more with a measure than score with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.data.qrels import Qrels
from unjudged.data.view import View
from unjudged.measures.parameters import SharedParameters

__all__ = ["Browsing", "Linear", "Normaliser", "Static", "WeightedSum", "share"]


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


@dataclass(frozen=True, eq=False)
class Browsing:
    """A measure as a model of how somebody reads: score = sum over ranks of seen * gain, over a divisor.

    From this, and nothing else, follows what a ranking adds to others that were read before (``NRG``).
    """

    seen: Floats
    """Chance that somebody looks at ranks 1, 2, ...; at most 1."""
    gains: Floats
    """Gain of each grade of the judgments' scale (``qrels.scale.grades``)."""
    divisor: Literal["fixed", "ideal", "total"]
    """``fixed``: the number ``whole``. ``ideal``: the sum for the documents sorted by gain, as far as the measure
    reads. ``total``: the gain of all judged documents."""
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
        form = self.static(view.qrels, int(view.lengths.max(initial=0)))
        if form is None or self.normaliser() != "none":
            return None
        return Linear(form.weights[view.rank - 1], form.gains)

    def divisor(self, qrels: Qrels) -> Floats | None:
        """What a measure that is a weighted sum is divided by, for each topic, where no ranking plays a part in it."""
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


def share(part: Ints | Floats | float, whole: Ints | Floats) -> Floats:
    """part / whole, and 0 where whole is 0: without anything to find, or to look at, the score is 0."""
    part, whole = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    out = np.zeros(np.broadcast(part, whole).shape)
    return np.divide(part, whole, out=out, where=whole != 0)
