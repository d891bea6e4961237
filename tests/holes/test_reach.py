"""evidence: what only other runs return counts in R and the ideal ranking as deep as a measure reads."""

from __future__ import annotations

import sys

import pytest
from evidence_oracles import with_occurrences
from grouped_runs import DEPTH, collection, pooled

from unjudged.holes.evidence_model.model import EvidenceModel


@pytest.mark.parametrize(
    ("pool", "measure", "expected"),
    [
        (DEPTH, 3, 3),
        (DEPTH, DEPTH, DEPTH),
        (DEPTH, 40, 40),
        (DEPTH, None, DEPTH),
        (None, 40, 40),
        (None, None, sys.maxsize),
    ],
)
def test_holes_of_other_runs_count_as_deep_as_a_measure_reads(
    pool: int | None, measure: int | None, expected: int
) -> None:
    truth, rankings, group_of = collection(4, groups=3, topics=3, docs=60)
    judged = pooled(truth, rankings, ["g0r0"], DEPTH if pool else 2)
    qrels, occurrences = with_occurrences(judged, rankings, group_of)
    model = EvidenceModel(qrels, occurrences, pool)
    assert model.pool_depth == pool
    assert model.reach(measure) == expected
