"""Which unjudged documents would decide between two runs, and how many of them it takes.

The documents come from the draws that the decision rests on, and not from the strategy ``decide(A, B)`` of ``next``:
that asks which run has the higher score on these topics, without a margin and whatever other topics would say. Where a
gate is undecided because of either, that question is often answered already, and its list is empty.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.collection import BaseCollection
from unjudged.data.ids import Ids, concatenate_ids
from unjudged.data.view import join
from unjudged.engine.numerics.joint_imputations import ScoredRun, sampler_of
from unjudged.engine.numerics.scoring import deepest_rank
from unjudged.holes.imputation.grade_sampler import joined
from unjudged.measures.base import Measure
from unjudged.results.gate import JudgmentToMake
from unjudged.studies.gate.decision import Difference, chance_of_an_answer, first_reached
from unjudged.studies.runs_to_compare import ComparedRuns

__all__ = ["OpenDocuments", "open_documents", "rows_to_judge"]

_DRAWS = 200
"""Draws of grades that say how much documents move together."""
_POINTS = 24
"""Numbers of judgments that are looked at, each so much larger than the one before."""
_AS_LIKELY_AS_NOT = 0.5


@dataclass(frozen=True, eq=False)
class OpenDocuments:
    """Unjudged documents that count differently for two runs, those first that move the difference most."""

    holes: Ints
    """Where each stands among the holes of both runs, one after the other."""
    topics: Ints
    ranks: Ints
    """In the baseline and in the candidate, 0 where it is not there: shape (documents, 2)."""
    effects: Floats
    """Standard deviations of the difference of means that the grades bring."""
    left: Floats
    """What is left of the variance of the holes after the first so many judgments, of ``numbers``, as a share."""
    numbers: Ints

    def outlook(self, difference: Difference, *, margin: float, confidence: float) -> tuple[int | None, float]:
        """How many to judge until an answer is as likely as not, and how likely one is once all are judged."""
        left = self.left * difference.holes
        chances = chance_of_an_answer(difference, left, margin=margin, confidence=confidence)
        needed = first_reached(self.numbers, chances, _AS_LIKELY_AS_NOT)
        return (None if needed is None else max(needed, 1)), float(chances[-1])


def open_documents(measure: Measure, compared: ComparedRuns) -> OpenDocuments:
    """The documents whose grades would tell a baseline and a candidate, the first two runs, apart.

    For measures that are no weighted sums of gains a document counts by 1 / rank: that orders the documents, and says
    how much their grades have in common, but not how large their effect is.
    """
    runs, seed = compared.scored_runs[:2], compared.collection.seed
    sampler = joined([sampler_of(one, compared.prior, seed) for one in runs])
    _, first, document = np.unique(sampler.keys, return_index=True, return_inverse=True)
    of_run = np.repeat([0, 1], [len(one.keys) for one in runs])
    weights = np.zeros((len(first), 2))
    ranks = np.zeros((len(first), 2), dtype=np.int64)
    weights[document, of_run] = np.concatenate([_weights(measure, one) for one in runs])
    ranks[document, of_run] = np.concatenate([one.view.rank[one.holes.rows] for one in runs])
    topics = np.concatenate([one.holes.topics for one in runs])[first]
    counted = np.isin(topics, compared.kept)
    balance = np.where(counted, weights[:, 1] - weights[:, 0], 0.0) / max(1, len(compared.kept))
    levels = sampler.draw(first[None], _DRAWS)[0]
    added = _gains(measure, runs[0])[levels] * balance
    effects = added.std(axis=0)
    order = np.lexsort((ranks.max(axis=1), topics, -np.round(effects, 12)))
    order = order[effects[order] > 0]
    numbers = np.unique(np.geomspace(1, max(1, len(order)), _POINTS).round().astype(np.int64))
    numbers = np.concatenate([[0], numbers[numbers <= len(order)]])
    return OpenDocuments(
        first[order], topics[order], ranks[order], effects[order], _left(added[:, order], numbers), numbers
    )


def _weights(measure: Measure, run: ScoredRun) -> Floats:
    """What the gain of each hole is multiplied by in the score of its topic."""
    form = measure.linear(run.view)
    return 1.0 / run.view.rank[run.holes.rows] if form is None else form.weights[run.holes.rows]


def _gains(measure: Measure, run: ScoredRun) -> Floats:
    """The gain of each level that a hole can have."""
    form = measure.linear(run.view)
    levels = len(run.holes.scale)
    if form is None or len(form.gains) != levels:
        return np.arange(levels) / max(1, levels - 1)
    return form.gains


def _left(added: Floats, numbers: Ints) -> Floats:
    """The share of the variance of a sum that is left when its first terms are known, for each number of terms.

    The terms are *added* in each draw (draws, terms), and vary together. What the known ones say about the others is
    not counted: hole models do not learn from it how far off they are.
    """
    rest = np.cumsum(added[:, ::-1], axis=1)[:, ::-1]
    rest = np.concatenate([rest, np.zeros((len(added), 1))], axis=1)[:, numbers]
    variance = rest.var(axis=0)
    return np.minimum.accumulate(variance / variance[0]) if variance[0] > 0 else np.zeros(len(numbers))


def rows_to_judge(
    collection: BaseCollection, measure: Measure, documents: OpenDocuments, number: int
) -> tuple[JudgmentToMake, ...]:
    """The first so many documents, with their names, for which the two runs are read again."""
    ids = concatenate_ids([_hole_ids(collection, measure, run) for run in (0, 1)]).take(documents.holes[:number])
    names = collection.qrels.topics
    return tuple(
        JudgmentToMake(place, names[topic], doc, ranks[0] or None, ranks[1] or None, effect)
        for place, (topic, doc, ranks, effect) in enumerate(
            zip(
                documents.topics[:number].tolist(),
                ids,
                documents.ranks[:number].tolist(),
                documents.effects[:number].tolist(),
                strict=True,
            ),
            start=1,
        )
    )


def _hole_ids(collection: BaseCollection, measure: Measure, run: int) -> Ids:
    """The documents of a run that nobody judged, as far as the measure looks, in the order of its holes."""
    view = measure.seen(join(collection.runs[run].read(), collection.qrels, depth=deepest_rank([measure])))
    return view.doc_ids().take(np.flatnonzero(~view.judged))
