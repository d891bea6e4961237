"""Forms that a measure can have, beside its code. Whoever asks for one can do more with a measure than score with it.

A measure says through its methods whether it has them: ``linear``, ``static``, ``browsing`` and ``normaliser``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from unjudged.arrays import Floats

__all__ = ["Browsing", "Linear", "Normaliser", "Static"]


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
