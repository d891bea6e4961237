"""What a measure is. One class in one file is a whole measure: name, parameters, limits, words and code.

:class:`Measure` is what a reader must know. Its bases are what else may be asked of a measure, one for each who asks,
in ``capabilities.py`` but for the last:

* ``SharedParameters``: ``rel``, ``max_grade``, ``judged_only``, ``cutoff`` and ``mu``.
* ``WeightedSum``: whether it is a weighted sum or a browsing model; hole models and ``NRG`` ask.
* ``ImageScoring``: scores on images of the corpus; the corpus bootstrap asks.
* ``LabelEffects``: what labels of holes can do to it; bounds ask.
* ``TopicSummary``: one number for all topics; tables of means ask.
* ``TrecNaming`` (``trec_names.py``): what trec_eval calls it; its front ends ask.

All have answers that fit most measures, so that a new one says only what is different about it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from unjudged.arrays import Floats
from unjudged.data.qrels import Qrels
from unjudged.data.view import View
from unjudged.errors import Notice, SpecError
from unjudged.measures.capabilities import (
    CUTOFF_LIMIT,
    MOST_LABELLINGS,
    Browsing,
    Divisor,
    ImageScoring,
    LabelEffects,
    Linear,
    Normaliser,
    Static,
    Summary,
    TopicSummary,
    cutoff_param,
    judged_only_param,
    max_grade_param,
    rel_param,
    share,
)
from unjudged.measures.index import MODULES
from unjudged.measures.trec_names import TrecName, TrecNaming, read_number
from unjudged.registry import Registry

if TYPE_CHECKING:
    from unjudged.kernels.reference_walks import RankingSum

__all__ = [
    "CUTOFF_LIMIT",
    "MOST_LABELLINGS",
    "Browsing",
    "Divisor",
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

Need = Literal["subtopics", "strata", "texts", "priors"]
"""What a measure needs beyond plain judgments and a run."""


class MeasureRegistry(Registry["Measure"]):
    """All measures. An unknown name is compared with our names, with trec_eval's and with those of groups."""

    groups: tuple[str, ...] = ()
    read: Callable[[str], Sequence[Measure]] | None = None
    """Reads names of other tools, too."""

    def meanings(self, text: str) -> Sequence[Measure]:
        """Also of names of trec_eval."""
        try:
            return super().meanings(text) if self.read is None else self.read(text)
        except SpecError:
            return []

    def near_names(self) -> list[str]:
        """Our names first, then trec_eval's, then those of groups."""
        trec = [text for cls in self for trec in cls.trec_names for text in trec.names()]
        return [*super().near_names(), *trec, *self.groups]


measures = MeasureRegistry("measure", "`unjudged measures` lists them all", package="unjudged.measures", index=MODULES)


class Measure(ImageScoring, LabelEffects, TopicSummary, TrecNaming):
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
    needs: ClassVar[frozenset[Need]] = frozenset()
    is_count: ClassVar[bool] = False
    """Whether values are whole numbers, shown without decimals."""
    value_range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    """Lowest and highest possible value."""

    def compute(self, view: View) -> Floats:
        """The measure itself, on a view that is already cut to :meth:`depth`."""
        raise TypeError(f"{type(self).__name__} does not say how it is computed")

    def score(self, view: View) -> Floats:
        """One value per ranking of *view*."""
        return np.asarray(self.compute(self.seen(view)), dtype=np.float64)

    def ranking_sum(self, qrels: Qrels, ranks: int) -> RankingSum | None:
        """What :meth:`compute` sums down rankings of at most so many ranks, where the kernel knows that kind of sum.

        Whoever defines it has to define :meth:`compute`, too: of a class that changes one alone, it is not asked.
        """
        return None

    def seen(self, view: View) -> View:
        """The part of a view that the measure looks at."""
        return (view.condensed() if self.condenses else view).top(self.depth())

    def prepare(self, qrels: Qrels) -> None:
        """Compute what all runs share, where that takes long. A study calls it once: threads would each do it."""

    def limits(self) -> tuple[float, float]:
        """Lowest and highest possible value with these parameters."""
        return self.value_range

    @property
    def has_holes(self) -> bool:
        """Whether a belief about unjudged documents makes sense; not for counts, or where they are dropped."""
        return not (self.is_count or self.condenses)

    def uses_pool(self) -> bool:
        """Whether it tells pooled from unpooled documents among the unjudged, and so wants to know the pool."""
        return False

    def remarks(self, values: Floats) -> tuple[Notice, ...]:
        """What the user should know about these values, which are those of some runs (rows) on all topics."""
        return ()
