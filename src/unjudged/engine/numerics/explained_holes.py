"""What scores of a hole model rest on, hole by hole, for the runs and topics that somebody asks about."""

from __future__ import annotations

from collections.abc import Sequence

from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.data.view import join
from unjudged.engine.numerics.scoring import deepest_rank
from unjudged.errors import InputError
from unjudged.holes.base import HoleModel, Settings
from unjudged.measures.base import Measure
from unjudged.results.explained import HoleRow

__all__ = ["explain_topic", "explaining_model"]


def explaining_model(holes: Sequence[HoleModel]) -> HoleModel:
    """The first hole model that says what its scores rest on."""
    for model in holes:
        if model.explains:
            return model
    raise InputError("to explain holes takes --holes evidence")


def explain_topic(
    run: Run, name: str, topic: str, qrels: Qrels, measures: Sequence[Measure], model: HoleModel, seed: int
) -> list[HoleRow]:
    """The holes of one ranking that each measure sees, by rank."""
    place = qrels.topic_rows[topic]
    rows: list[HoleRow] = []
    for measure in measures:
        if measure.has_holes:
            view = join(run, qrels, range(place, place + 1), depth=deepest_rank([measure]))
            rows += model.explain(name, measure, view, Settings(seed))
    return rows
