"""What may be judged: pools of some runs, whatever the judgments list."""

from __future__ import annotations

import numpy as np
import pytest
from rankings_by_hand import joined

from unjudged.strategies import Candidates, candidates_of, even_shares

RANKINGS = {"b": {"1": ["x", "a", "y"], "2": ["a", "z"]}, "a": {"1": ["y", "x", "w"]}}
JUDGED = {"1": {"a": 1, "q": 0, "y": 0}, "2": {"b": 1}}


def shown(candidates: Candidates) -> list[tuple[str, str, bool]]:
    topics = [candidates.topics[topic] for topic in candidates.topic_of.tolist()]
    return list(zip(topics, candidates.docs, candidates.askable.tolist(), strict=True))


def test_a_document_is_a_candidate_once_however_many_runs_have_it() -> None:
    candidates = candidates_of(joined(JUDGED, RANKINGS), depth=2)
    assert shown(candidates) == [
        ("1", "a", True),
        ("1", "q", False),  # judged, but no run has it
        ("1", "x", True),
        ("1", "y", True),
        ("2", "a", True),
        ("2", "b", False),
        ("2", "z", True),
    ]
    assert candidates.found_by(2) == [("b", 1), ("a", 2)]
    assert candidates.found_by(3) == [("a", 1), ("b", 3)]  # below the pool, too
    assert candidates.best_rank[candidates.askable].tolist() == [2, 1, 1, 1, 2]
    pairs, grades = candidates.judgments(joined(JUDGED, RANKINGS).qrels)
    assert (pairs.tolist(), grades.tolist()) == ([0, 1, 3, 5], [1, 0, 0, 1])


def test_runs_that_were_not_pooled_are_evidence_only() -> None:
    candidates = candidates_of(joined(JUDGED, RANKINGS), depth=1, pooled_runs=np.array([True, False]))
    assert candidates.runs == ("a", "b")
    assert [doc for _, doc, askable in shown(candidates) if askable] == ["x", "a"]
    assert candidates.found_by(2) == [("b", 1), ("a", 2)]
    assert candidates.best_rank[2] == 1


def test_only_some_of_them() -> None:
    every = candidates_of(joined(JUDGED, RANKINGS), depth=2)
    some = every.only(every.askable)
    assert [doc for _, doc, _ in shown(some)] == ["a", "x", "y", "a", "z"]
    assert some.found_by(1) == every.found_by(2)
    ranking = some.ranking(1, 0)
    assert (ranking.pairs.tolist(), ranking.ranks.tolist()) == ([1, 0, 2], [1, 2, 3])


@pytest.mark.parametrize(
    ("done", "left", "number", "shares"),
    [
        ([0, 0], [5, 5], 3, [2, 1]),
        ([4, 0], [5, 5], 3, [0, 3]),
        ([4, 0], [5, 5], 6, [1, 5]),
        ([0, 0, 0], [1, 0, 9], 99, [1, 0, 9]),
        ([0, 9], [0, 2], 1, [0, 1]),
    ],
)
def test_topics_are_judged_as_evenly_as_can_be(
    done: list[int], left: list[int], number: int, shares: list[int]
) -> None:
    assert even_shares(np.array(done), np.array(left), number).tolist() == shares
