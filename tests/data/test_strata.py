"""Strata: how much of each was judged."""

from __future__ import annotations

import numpy as np
import pytest

from unjudged.data.ids import Ids
from unjudged.data.qrels import Qrels, build_qrels
from unjudged.data.run import TopicColumn
from unjudged.data.strata import strata_of


def qrels_of(rows: list[tuple[str, str, int, int]]) -> Qrels:
    names = tuple(dict.fromkeys(topic for topic, *_ in rows))
    codes = np.array([names.index(topic) for topic, *_ in rows], dtype=np.int64)
    numbers, grades = (np.array([row[i] for row in rows], dtype=np.int64) for i in (2, 3))
    return build_qrels(TopicColumn(names, codes), Ids.of(doc for _, doc, *_ in rows), grades, strata=numbers)[0]


SAMPLE = [
    ("1", "a", 7, 1), ("1", "b", 2, 0), ("1", "c", 2, -1), ("1", "d", 2, -1),
    ("2", "a", 2, -1), ("2", "b", 7, 0), ("2", "c", 2, -1),
]  # fmt: skip


def test_each_topic_has_its_own_rate_for_a_stratum() -> None:
    strata = strata_of(qrels_of(SAMPLE))
    assert strata.topics.tolist() == [0, 0, 1, 1]
    assert strata.numbers.tolist() == [2, 7, 2, 7]
    assert strata.offsets.tolist() == [0, 2, 4]
    assert strata.pooled.tolist() == [3, 1, 2, 1]
    assert strata.judged.tolist() == [1, 1, 0, 1]
    assert strata.rates.tolist() == pytest.approx([1 / 3, 1, 0, 1])
    assert strata.weights.tolist() == [3, 1, 0, 1]
    assert strata.of_row.tolist() == [1, 0, 0, 0, 2, 3, 2]


def test_strata_are_made_once() -> None:
    qrels = qrels_of(SAMPLE)
    assert strata_of(qrels) is strata_of(qrels)


def test_strata_with_large_numbers_and_topics_without_rows() -> None:
    assert len(strata_of(qrels_of([("1", "a", 100_000, 1), ("1", "b", 0, 1)]))) == 2
    assert len(strata_of(qrels_of([]))) == 0


def test_judgments_without_strata() -> None:
    qrels = build_qrels(TopicColumn(("1",), np.array([0])), Ids.of(["a"]), np.array([1]))[0]
    with pytest.raises(TypeError, match="have no strata"):
        strata_of(qrels)
