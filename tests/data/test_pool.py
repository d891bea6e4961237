"""Judgments together with a pool."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unjudged.data.ids import Ids
from unjudged.data.pool import Pool, depth_pool, with_pool
from unjudged.data.qrels import Qrels, State
from unjudged.data.run import Run
from unjudged.data.texts import texts_of, with_texts
from unjudged.errors import InputError
from unjudged.io.table_columns import coded
from unjudged.io.tables import qrels_from_table, run_from_table
from unjudged.io.texts import read_texts

Pairs = list[tuple[str, str]]


def pool_of(pairs: Pairs) -> Pool:
    return Pool(coded([topic for topic, _ in pairs]), Ids.of(doc for _, doc in pairs))


def rows_of(qrels: Qrels) -> dict[tuple[str, str], tuple[State, int]]:
    topics = [qrels.topics[i] for i in qrels.topic_of_row.tolist()]
    values = zip(map(State, qrels.states.tolist()), qrels.grades.tolist(), strict=True)
    return dict(zip(zip(topics, qrels.docs, strict=True), values, strict=True))


def test_pairs_of_the_pool_become_pooled_rows_and_judged_ones_stay() -> None:
    qrels = qrels_from_table({"1": {"a": 2, "b": -1}, "2": {"c": 0}})
    pooled = with_pool(qrels, pool_of([("2", "z"), ("1", "a"), ("1", "x"), ("1", "b"), ("2", "z"), ("9", "a")]))
    assert pooled.topics == ("1", "2")
    assert rows_of(pooled) == {
        ("1", "a"): (State.JUDGED, 2),
        ("1", "b"): (State.POOLED, 0),
        ("1", "x"): (State.POOLED, 0),
        ("2", "c"): (State.JUDGED, 0),
        ("2", "z"): (State.POOLED, 0),
    }
    assert len(qrels) == 3
    assert pooled.source == qrels.source


def test_a_pool_without_anything_new_changes_nothing() -> None:
    qrels = qrels_from_table({"1": {"a": 2}})
    assert with_pool(qrels, pool_of([("1", "a")])) is qrels
    assert with_pool(qrels, pool_of([("2", "a")])) is qrels


def test_texts_stay_with_the_judgments() -> None:
    texts = read_texts({"a": "one two"})
    qrels = with_texts(qrels_from_table({"1": {"a": 2}}), texts)
    assert texts_of(with_pool(qrels, pool_of([("1", "b")]))) is texts


IDS = st.sampled_from(["a", "b", "c", "dd", "é"])
TOPICS = st.sampled_from(["1", "2", "3"])


@given(
    grades=st.dictionaries(st.tuples(TOPICS, IDS), st.integers(-1, 2), min_size=1),
    pairs=st.lists(st.tuples(TOPICS, IDS), min_size=1),
)
def test_the_same_as_lines_with_grade_minus_1(grades: dict[tuple[str, str], int], pairs: Pairs) -> None:
    judged_topics = {topic for topic, _ in grades}
    more = {pair: -1 for pair in pairs if pair[0] in judged_topics} | grades
    qrels = qrels_from_table([(*pair, grade) for pair, grade in grades.items()], negative="pooled")
    before = (list(qrels.docs), qrels.grades.copy(), qrels.states.copy(), qrels.offsets.copy())
    expected = qrels_from_table([(*pair, grade) for pair, grade in more.items()], negative="pooled")
    pooled = with_pool(qrels, pool_of(pairs))
    assert rows_of(pooled) == rows_of(expected)
    assert np.diff(pooled.offsets).sum() == len(pooled)
    assert list(qrels.docs) == before[0]
    for old, column in zip(before[1:], (qrels.grades, qrels.states, qrels.offsets), strict=True):
        np.testing.assert_array_equal(old, column)


def test_judgments_with_strata_take_no_pool() -> None:
    qrels = qrels_from_table({"1": {"a": 1}})
    strata = np.zeros(1, dtype=np.int32)
    odd = Qrels(qrels.topics, qrels.offsets, qrels.docs, qrels.grades, qrels.states, strata=strata, source="q")
    with pytest.raises(InputError, match="list their pool"):
        with_pool(odd, pool_of([("1", "a")]))


def runs() -> list[Run]:
    first = run_from_table({"1": {"a": 3, "b": 2, "c": 1}, "2": {"d": 1}})
    return [first, run_from_table({"3": {"e": 1}, "1": {"c": 3, "b": 2, "x": 1}})]


@pytest.mark.parametrize(
    ("depth", "pairs"),
    [
        (1, {"1a", "2d", "1c", "3e"}),
        (2, {"1a", "1b", "2d", "1c", "3e"}),
        (99, {"1a", "1b", "1c", "1x", "2d", "3e"}),
    ],
)
def test_pool_of_the_first_documents_of_runs(depth: int, pairs: set[str]) -> None:
    pool = depth_pool(iter(runs()), depth)
    names = [pool.topics.names[code] for code in pool.topics.codes.tolist()]
    assert {topic + doc for topic, doc in zip(names, pool.docs, strict=True)} == pairs
    assert len(names) == len(pool)
    assert repr(pool) == f"Pool(3 topics, {len(pool)} documents)"


def test_a_depth_of_0_and_a_pool_of_no_runs_are_refused() -> None:
    with pytest.raises(InputError, match="at least 1, not 0"):
        depth_pool(runs(), 0)
    with pytest.raises(InputError, match="at least one run"):
        depth_pool([], 10)


def test_the_top_of_a_run_is_a_run() -> None:
    top = runs()[0].top(2)
    assert [top.ranking(topic) for topic in top.topics] == [[("a", 3.0), ("b", 2.0)], [("d", 1.0)]]
    assert (top.name, top.topics) == ("run", ("1", "2"))
