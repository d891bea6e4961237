"""The documents to judge, and why."""

from __future__ import annotations

import numpy as np

from unjudged.arrays import Ints
from unjudged.results.next_judgments import JudgmentRow
from unjudged.strategies import Batch, Order
from unjudged.strategies.decide import open_directions
from unjudged.studies.next_judgments.findings import Findings

__all__ = ["judgment_rows"]


def judgment_rows(findings: Findings, order: Order, chosen: Batch, assessors: int) -> tuple[JudgmentRow, ...]:
    """Those that were *chosen*, in order; *assessors* get equal parts of them."""
    candidates, pairs = order.candidates, chosen.pairs
    descriptions = findings.posterior.descriptions
    chances = findings.posterior.chances(pairs)
    gains = findings.posterior.predict(chances, descriptions.of_levels(findings.order.weights.gains))
    probabilities = order.grade_probabilities(pairs)
    if probabilities is None:
        probabilities = findings.posterior.of_grades(chances.probabilities)
    directions = open_directions(findings.outlook, findings.order.wanted, findings.risk, relative=False)
    in_order = np.argsort(pairs)
    effects = np.zeros(len(pairs))
    effects[in_order] = np.sqrt(findings.outlook.narrowing(directions, pairs[in_order], gains.take(in_order)))
    parts = _parts(candidates.topic_of[pairs], assessors) if chosen.parts is None else chosen.parts
    return tuple(
        JudgmentRow(
            place + 1,
            int(parts[place]) + 1,
            candidates.topics[candidates.topic_of[pair]],
            doc,
            float(probabilities[place] @ candidates.scale),
            tuple(probabilities[place].tolist()),
            float(effects[place]),
            float(chosen.priorities[place]),
            None if chosen.inclusion is None else float(chosen.inclusion[place]),
            None if chosen.strata is None else int(chosen.strata[place]),
            tuple(candidates.found_by(pair)),
        )
        for place, (pair, doc) in enumerate(zip(pairs.tolist(), candidates.docs.take(pairs), strict=True))
    )


def _parts(topics: Ints, assessors: int) -> Ints:
    """Which assessor gets each document: equally many each, and the documents of a topic together as far as can be."""
    parts = np.empty(len(topics), dtype=np.int64)
    parts[np.argsort(topics, kind="stable")] = np.arange(len(topics)) * assessors // max(len(topics), 1)
    return parts
