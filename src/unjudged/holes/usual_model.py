"""What grades of holes are drawn from unless the user says it."""

from __future__ import annotations

from collections.abc import Sequence

from unjudged.holes.base import HoleModel, hole_models
from unjudged.measures.base import Measure

__all__ = ["usual_model"]


def usual_model(measures: Sequence[Measure], *, evidence: bool, sampled: bool = False) -> HoleModel:
    """The first model of those below that has something to say about all of the measures.

    What other runs say, where there is *evidence*; else what a run's own judged documents say, unless those are a
    *sample*, in which holes are no less relevant than judged documents; else the bootstrap.
    """
    names = ["evidence"] * evidence + ["discounted"] * (not sampled) + ["bootstrap"]
    return next(model for model in map(hole_models.parse, names) if all(map(model.suits, measures)))
