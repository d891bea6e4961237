"""What a score with evidence rests on, hole by hole."""

from __future__ import annotations

import numpy as np

from unjudged.holes.imputation.filling import counts_of_levels
from unjudged.holes.imputation.grade_source import LearnedFromRuns
from unjudged.holes.imputation.scores_of_draws import Drawing
from unjudged.results.scores import HoleRow

__all__ = ["explain_holes"]


def explain_holes(run: str, model: str, drawing: Drawing, source: LearnedFromRuns) -> list[HoleRow]:
    """The holes of a run's rankings, by topic and rank: what is known about each, and what it is worth."""
    hole_grades = drawing.hole_grades
    holes = hole_grades.holes
    seen = holes.view
    # Probabilities as they are on average over what moves holes together, not those that draws start from.
    probabilities = np.where(
        hole_grades.informed[:, None],
        source.grade_probabilities(seen, holes.rows).probabilities,
        hole_grades.sampler.of_holes(),
    )
    facts = source.facts(seen, holes.rows)
    worth = _worth(drawing)
    grades = tuple(holes.scale.grades.tolist())
    docs = list(seen.doc_ids().take(holes.rows))
    return [
        HoleRow(
            run=run,
            topic=seen.qrels.topics[seen.topics[seen.ranking[row]]],
            measure=str(drawing.measure),
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


def _worth(drawing: Drawing) -> list[float | None]:
    """Which share of the mean over draws is lost if a hole has grade 0 in all of them, for each hole."""
    holes = drawing.hole_grades.holes
    out: list[float | None] = [None] * len(holes.rows)
    for some in drawing.labelled(np.flatnonzero(holes.counts > 0)):
        scores = drawing.score(some)
        lost = []
        for column in range(some.rows.shape[1]):
            less, new = some.drawn.copy(), some.new
            less[:, :, column] = 0
            if new is not None:
                levels, here = new.shape[2], slice(column, column + 1)
                new = (
                    new + counts_of_levels(less[:, :, here], levels) - counts_of_levels(some.drawn[:, :, here], levels)
                )
            lost.append(drawing.score(some._replace(drawn=less, new=new)))
        for i, rows in enumerate(some.rows):
            mean = float(scores[i].mean())
            for column, hole in enumerate(np.searchsorted(holes.rows, rows).tolist()):
                out[hole] = (mean - float(lost[column][i].mean())) / mean if mean else None
    return out
