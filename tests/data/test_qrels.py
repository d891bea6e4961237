"""Judgments: grouping, negative grades, strata, duplicates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unjudged.data.ids import Ids
from unjudged.data.qrels import Qrels, State, build_qrels, repeated_judgments
from unjudged.data.run import TopicColumn
from unjudged.limits import NegativeGrades

Row = tuple[str, str, int]


def coded(values: list[str]) -> TopicColumn:
    names = tuple(dict.fromkeys(values))
    return TopicColumn(names, np.array([names.index(value) for value in values], dtype=np.int64))


def qrels_of(rows: list[Row], negative: NegativeGrades = "pooled", **columns: Any) -> Qrels:
    topics, docs, grades = [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows]
    values = np.array(grades, dtype=np.int64)
    qrels, origin = build_qrels(coded(topics), Ids.of(docs), values, negative=negative, **columns)
    kept = [rows[i] for i in origin.tolist()]
    assert [(qrels.topics[t], doc) for t, doc in zip(qrels.topic_of_row, qrels.docs, strict=True)] == [
        row[:2] for row in kept
    ]
    return qrels


rows = st.lists(
    st.tuples(st.sampled_from(["1", "2", "x", "02"]), st.sampled_from(["a", "b", "c", "é"]), st.integers(-2, 3)),
    min_size=1,
    max_size=15,
    unique_by=lambda row: row[:2],
)


@given(rows)
def test_pooled_is_a_state_of_its_own(given_rows: list[Row]) -> None:
    qrels = qrels_of(given_rows)
    assert qrels.topics == tuple(dict.fromkeys(row[0] for row in given_rows))
    for topic in qrels.topics:
        assert qrels.judgments(topic) == {doc: grade for one, doc, grade in given_rows if one == topic and grade >= 0}
    assert (qrels.states == State.POOLED).sum() == sum(row[2] < 0 for row in given_rows)
    assert qrels.grades.min() >= 0


@given(rows)
def test_judged_makes_them_0(given_rows: list[Row]) -> None:
    qrels = qrels_of(given_rows, "judged")
    assert bool((qrels.states == State.JUDGED).all())
    for topic in qrels.topics:
        assert qrels.judgments(topic) == {doc: max(0, grade) for one, doc, grade in given_rows if one == topic}


@given(rows)
def test_drop_is_as_if_the_line_were_not_there(given_rows: list[Row]) -> None:
    kept = [row for row in given_rows if row[2] >= 0]
    qrels = qrels_of(given_rows, "drop")
    topics = {topic for topic, _, _ in kept}
    assert set(qrels.topics) == topics and len(qrels) == len(kept)
    for topic in topics:
        assert qrels.judgments(topic) == {doc: grade for one, doc, grade in kept if one == topic}


@given(rows)
def test_counts_by_brute_force(given_rows: list[Row]) -> None:
    qrels = qrels_of(given_rows)
    judged = [row for row in given_rows if row[2] >= 0]
    assert qrels.grade_counts() == {
        grade: sum(row[2] == grade for row in judged) for grade in sorted({row[2] for row in judged})
    }
    assert qrels.max_grade == max([1, *(row[2] for row in judged)])
    expected = [sum(row[0] == topic and row[2] >= 1 for row in judged) for topic in qrels.topics]
    assert qrels.count(qrels.grades >= 1).tolist() == expected


def test_judgments_of_an_unknown_topic() -> None:
    assert qrels_of([("1", "a", 1)]).judgments("2") == {}


def test_strata_follow_their_rows() -> None:
    strata = np.array([1, 2, 3], dtype=np.int64)
    qrels = qrels_of([("2", "a", 1), ("1", "b", -1), ("2", "c", 0)], strata=strata)
    assert qrels.strata is not None and qrels.strata.tolist() == [1, 3, 2]
    dropped = qrels_of([("2", "a", -1), ("1", "b", 1), ("2", "c", 0)], "drop", strata=strata)
    assert dropped.strata is not None and dropped.strata.tolist() == [3, 2]


def test_repeated_judgments() -> None:
    qrels = qrels_of([("1", "a", 1), ("2", "a", 1), ("1", "a", 0), ("1", "b", 0), ("1", "a", 2)])
    assert repeated_judgments(qrels).tolist() == [[1, 0], [3, 0]]


def test_documents_listed_for_any_topic_with_any_grade() -> None:
    qrels = qrels_of([("1", "a", 1), ("2", "b", -1)])
    wanted = Ids.of(["a", "b", "c"])
    assert (qrels.listed_docs.find(np.zeros(3, dtype=np.int64), wanted) >= 0).tolist() == [True, True, False]


def test_things_are_computed_once() -> None:
    qrels = qrels_of([("1", "a", 1), ("1", "b", 0), ("2", "a", 2)])
    assert (qrels.total_relevant(1).tolist(), qrels.total_nonrelevant(2).tolist()) == ([1, 1], [2, 0])
    assert qrels.total_relevant(1) is qrels.total_relevant(1)
    assert qrels.total_relevant(2).tolist() == [0, 1]


def test_repr() -> None:
    assert repr(qrels_of([("1", "a", 2), ("1", "b", -1)])) == "Qrels(1 topic, 1 judged, grades {2: 1})"


@pytest.mark.parametrize("field", ["topics", "grades"])
def test_frozen(field: str) -> None:
    with pytest.raises(AttributeError):
        setattr(qrels_of([("1", "a", 2)]), field, None)
