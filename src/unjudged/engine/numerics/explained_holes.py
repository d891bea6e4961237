"""What a score with evidence rests on, hole by hole."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.data.view import join
from unjudged.engine.numerics.scoring import deepest_rank
from unjudged.errors import InputError
from unjudged.holes.base import Belief, Settings
from unjudged.holes.bootstrap import InformedBootstrap
from unjudged.holes.evidence_model.model import EvidenceModel
from unjudged.holes.imputation.filling import Holes
from unjudged.holes.imputation.labelling import HoleGrades
from unjudged.measures.base import Measure
from unjudged.results.explained import HoleRow

__all__ = ["explain_holes", "with_evidence"]


def with_evidence(beliefs: Sequence[Belief]) -> InformedBootstrap:
    """The hole model that can be explained."""
    for belief in beliefs:
        if isinstance(belief, InformedBootstrap) and isinstance(belief.grade_source, EvidenceModel):
            return belief
    raise InputError("to explain holes takes --holes evidence")


def explain_holes(
    run: Run, name: str, topic: str, qrels: Qrels, measures: Sequence[Measure], belief: InformedBootstrap, seed: int
) -> list[HoleRow]:
    """The holes of one ranking that each measure sees, by rank."""
    return [
        row
        for measure in measures
        if measure.has_holes
        for row in _explain(run, name, topic, qrels, measure, belief, Settings(seed))
    ]


def _explain(
    run: Run, name: str, topic: str, qrels: Qrels, measure: Measure, belief: InformedBootstrap, settings: Settings
) -> list[HoleRow]:
    others = belief.grade_source
    if not isinstance(others, EvidenceModel):
        raise TypeError("only what other runs say can be explained")
    place = qrels.topic_rows[topic]
    seen = measure.seen(join(run, qrels, range(place, place + 1), depth=deepest_rank([measure])))
    holes = Holes(seen, belief.model.bins(seen.qrels))
    hole_grades = belief.model.hole_grades(measure, holes, others, settings.seed)
    # Probabilities as they are on average over what moves holes together, not those that draws start from.
    probabilities = np.where(
        hole_grades.informed[:, None],
        others.grade_probabilities(seen, holes.rows).probabilities,
        hole_grades.sampler.of_holes(),
    )
    facts = others.facts(seen, holes.rows)
    worth = _worth(measure, hole_grades, belief)
    grades = tuple(holes.scale.grades.tolist())
    docs, model = list(seen.doc_ids().take(holes.rows)), str(belief.model)
    return [
        HoleRow(
            run=name,
            topic=topic,
            measure=str(measure),
            holes=model,
            rank=int(seen.rank[row]),
            doc=docs[i],
            groups=None if fact is None else fact.groups,
            best_rank=None if fact is None else fact.best_rank,
            run_mean=None if fact is None else fact.run_mean,
            pool_mean=None if fact is None else fact.pool_mean,
            grades=grades,
            chances=tuple(probabilities[i].tolist()),
            expected=float(probabilities[i] @ holes.scale.grades),
            share=worth[i],
        )
        for i, (row, fact) in enumerate(zip(holes.rows.tolist(), facts, strict=True))
    ]


def _worth(measure: Measure, hole_grades: HoleGrades, belief: InformedBootstrap) -> list[float | None]:
    """Which share of the mean over draws is lost if a hole has grade 0 in all of them, for each hole."""
    holes, model = hole_grades.holes, belief.model
    out: list[float | None] = [None] * len(holes.rows)
    score = model.scorer(measure, holes)
    for some in model.label(hole_grades, np.flatnonzero(holes.counts > 0)):
        mean = float(score(*some).mean())
        for column, hole in enumerate(np.searchsorted(holes.rows, some.rows[0]).tolist()):
            less = some.labels.copy()
            less[:, :, column] = 0
            lost = mean - float(score(*some._replace(labels=less)).mean())
            out[hole] = lost / mean if mean else None
    return out
