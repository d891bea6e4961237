"""What scores of a hole model rest on, hole by hole, for the runs and topics that somebody asks about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.data.view import join
from unjudged.engine.numerics.scoring import deepest_rank
from unjudged.errors import InputError
from unjudged.holes.base import Belief, ExplainedBelief, HoleModel, Settings
from unjudged.measures.base import Measure
from unjudged.results.explained import HoleRow

__all__ = ["check_explains", "explain_topic", "explaining_belief"]


def check_explains(holes: Sequence[HoleModel]) -> None:
    """Refuse hole models none of which says what its scores rest on."""
    if not any(model.explains for model in holes):
        raise InputError("to explain holes takes --holes evidence")


def explaining_belief(holes: Sequence[HoleModel], beliefs: Sequence[Belief]) -> ExplainedBelief:
    """What was prepared by the first hole model that says what its scores rest on."""
    return cast(ExplainedBelief, next(belief for model, belief in zip(holes, beliefs, strict=True) if model.explains))


def explain_topic(
    run: Run, name: str, topic: str, qrels: Qrels, measures: Sequence[Measure], belief: ExplainedBelief, seed: int
) -> list[HoleRow]:
    """The holes of one ranking that each measure sees, by rank."""
    place = qrels.topic_rows[topic]
    rows: list[HoleRow] = []
    for measure in measures:
        if measure.has_holes:
            view = join(run, qrels, range(place, place + 1), depth=deepest_rank([measure]))
            rows += belief.explain(name, measure, view, Settings(seed))
    return rows
