"""What a significance test, a correction and an interval method are. Each one is a class with a name users type."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.errors import InputError
from unjudged.progress import Progress, watched
from unjudged.registry import Registry
from unjudged.results.provenance import DEFAULT_SEED
from unjudged.spec import Spec
from unjudged.uncertainty.paired import as_scores, blocks_of_pairs, paired_differences

__all__ = [
    "Correction",
    "IntervalEnds",
    "IntervalMethod",
    "SignificanceTest",
    "corrections",
    "interval_methods",
    "significance_tests",
]


_PAIRS = 2048
"""Pairs tested together: so many that what they share is drawn for them at no cost, so few that progress shows."""

significance_tests: Registry[SignificanceTest] = Registry("significance test", example="t or randomisation")
corrections: Registry[Correction] = Registry("correction", example="holm")
interval_methods: Registry[IntervalMethod] = Registry("interval method", example="t or bca")


class SignificanceTest(Spec):
    """A two-sided paired test over topics. Subclasses with a ``name`` are registered by being defined.

    Rules for every test: a pair without any difference has p = 1; no p-value is NaN; no p-value depends on which other
    pairs are tested, on the batch size, or on threads (``tukey_hsd`` looks at all runs together, by design).
    """

    registry = significance_tests
    title: ClassVar[str] = ""
    reference: ClassVar[str] = ""
    corrects: ClassVar[bool] = False
    """Whether its p-values already allow for the number of comparisons."""

    def smallest(self, topics: int) -> float:
        """The smallest p-value of two runs that differ on so many topics, or a number below it; any for 0 topics."""
        return 0.0

    def p_values(
        self,
        scores: Any,
        pairs: Ints,
        *,
        seed: int = DEFAULT_SEED,
        batch: int | None = None,
        progress: Progress | None = None,
    ) -> Floats:
        """One p-value for each pair of rows of *scores* (runs, topics).

        *batch*: how many draws are handled at once, for tests that draw. It bounds memory and changes no result.
        """
        scores = as_scores(scores)
        blocks = blocks_of_pairs(scores, pairs, most=_PAIRS)
        parts = [
            self.compute(paired_differences(scores, block), seed=seed, batch=batch)
            for block in watched(progress, blocks, len(blocks), "testing pairs")
        ]
        return np.concatenate(parts) if parts else np.zeros(0)

    def compute(self, differences: Floats, *, seed: int, batch: int | None) -> Floats:
        """One p-value for each row of differences, which are whole numbers (see :mod:`unjudged.uncertainty.paired`)."""
        raise TypeError(f"{type(self).__name__} does not say how it computes p-values")


class Correction(Spec):
    """An adjustment of p-values to the number of comparisons; compare the adjusted ones with the level as usual."""

    registry = corrections
    title: ClassVar[str] = ""
    reference: ClassVar[str] = ""

    def adjust(self, p: Any) -> Floats:
        """Adjusted p-values, in the order in which they are given."""
        values = np.asarray(p, dtype=np.float64)
        if values.ndim != 1:
            raise InputError(f"p-values must be one list, not of shape {values.shape}")
        if not ((values >= 0) & (values <= 1)).all():  # also catches NaN
            raise InputError("p-values must be between 0 and 1")
        return self.compute(values) if len(values) else values.copy()

    def compute(self, p: Floats) -> Floats:
        """The adjusted values of at least one p-value."""
        raise TypeError(f"{type(self).__name__} does not say how it adjusts p-values")


IntervalEnds = tuple[Floats, Floats, Floats | None]
"""Low and high ends for each run, and the draws of means (runs, draws) where there are any."""


class IntervalMethod(Spec):
    """A way to get a confidence interval for the mean over topics."""

    registry = interval_methods
    title: ClassVar[str] = ""
    reference: ClassVar[str] = ""

    def compute(self, scores: Floats, level: float, *, seed: int, batch: int | None) -> IntervalEnds:
        """The ends for each row of *scores* (runs, topics)."""
        raise TypeError(f"{type(self).__name__} does not say how it computes an interval")
