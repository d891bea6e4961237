"""Judgments per topic until 80% of the relevant documents of TREC-8 are found, against earlier figures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import unjudged as uj
from unjudged.data.joined import Joined, join_runs
from unjudged.data.pool_depth import joined_judged_depths
from unjudged.strategies import Candidates, candidates_of, replay, strategies

pytestmark = [pytest.mark.shared, pytest.mark.slow]


@pytest.fixture(scope="module")
def joined(shared_data: Path) -> Joined:
    qrels = uj.read_qrels(shared_data / "trec8" / "trec8.qrels")
    return join_runs(qrels, uj.read_runs(shared_data / "trec8" / "runs"))


@pytest.fixture(scope="module")
def candidates(joined: Joined) -> Candidates:
    return candidates_of(joined, depth=100, pooled_runs=joined_judged_depths(joined, 100).of_runs >= 100)


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("depth", 727 * 0.97, 727 * 1.03),
        ("mtf", 437 * 0.97, 437 * 1.03),
        ("mm_ns", 384 * 0.97, 384 * 1.03),
        ("shared_credit", 245 * 0.97, 245 * 1.03),
        ("evidence", 0, 235),
    ],
)
def test_judgments_until_most_relevant_documents_are_found(
    joined: Joined, candidates: Candidates, text: str, least: float, most: float
) -> None:
    qrels, strategy = joined.qrels, strategies.choose(text)
    relevant, needed = qrels.grades >= 1, []
    for seed in range(1, 6 if strategy.random else 2):
        rows = replay(strategy, candidates, qrels, seed=seed, batch=len(qrels.topics)).rows
        topics = qrels.topic_of_row[rows]
        for topic, there in enumerate(qrels.total_relevant(1).tolist()):
            found = np.cumsum(relevant[rows[topics == topic]])
            needed.append(int(np.searchsorted(found, 0.8 * there - 1e-9)) + 1)
    assert least <= np.mean(needed) <= most
