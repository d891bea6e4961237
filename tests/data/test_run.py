"""Runs: grouping, THE tie rule, duplicates."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unjudged.data.ids import Ids
from unjudged.data.run import Run, TopicColumn, build_run, group_rows, repeated_docs
from unjudged.errors import InputError

Row = tuple[str, str, float]


def coded(values: list[str]) -> TopicColumn:
    names = tuple(dict.fromkeys(values))
    return TopicColumn(names, np.array([names.index(value) for value in values], dtype=np.int64))


def run_of(rows: list[Row], **options: object) -> tuple[Run, list[int]]:
    topics, docs = coded([row[0] for row in rows]), Ids.of([row[1] for row in rows]).copy()
    scores = [row[2] for row in rows]
    run, origin = build_run("r", topics, docs, np.array(scores, dtype=np.float64), **options)  # type: ignore[arg-type]
    rows = origin.all().tolist()
    assert [origin[row] for row in range(len(run))] == rows
    return run, rows


@given(st.lists(st.sampled_from("abcd"), max_size=30))
def test_group_rows(topics: list[str]) -> None:
    column = coded(topics)
    order, offsets = group_rows(column)
    rows = list(range(len(topics))) if order is None else order.tolist()
    expected = [[row for row, topic in enumerate(topics) if topic == name] for name in column.names]
    assert [rows[start:end] for start, end in pairwise(offsets)] == expected
    assert (order is None) == (topics == sorted(topics, key=column.names.index))


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 4)), max_size=12))
def test_a_column_of_stretches_is_a_column(stretches: list[tuple[str, int]]) -> None:
    plain = coded([topic for topic, length in stretches for _ in range(length)])
    names = tuple(dict.fromkeys(topic for topic, _ in stretches))
    values = np.array([names.index(topic) for topic, _ in stretches], dtype=np.int64)
    column = TopicColumn(names, values, np.array([length for _, length in stretches], dtype=np.int64))
    assert [names[code] for code in column.codes] == [plain.names[code] for code in plain.codes]
    assert (
        dict(zip(names, column.counts().tolist(), strict=True)).items()
        >= dict(zip(plain.names, plain.counts().tolist(), strict=True)).items()
    )


rows = st.lists(
    st.tuples(
        st.sampled_from("12"), st.sampled_from(["a", "b", "ab", "B", "é", "z"]), st.sampled_from([0.0, -0.0, 1.0, 2.5])
    ),
    max_size=14,
    unique_by=lambda row: row[:2],
)


@given(rows, st.sampled_from([1, 4]), st.booleans())
def test_score_descending_then_doc_descending_by_bytes(given_rows: list[Row], threads: int, reuse: bool) -> None:
    run, origin = run_of(given_rows, threads=threads, reuse=reuse)
    for topic in run.topics:
        expected = [(doc, score) for one, doc, score in given_rows if one == topic]
        expected.sort(key=lambda row: (row[1], row[0].encode()), reverse=True)
        assert run.ranking(topic) == expected
    assert [given_rows[row][1] for row in origin] == list(run.docs)
    assert not len(repeated_docs(run))


def test_the_given_arrays_are_not_touched_unless_reused() -> None:
    scores = np.array([1.0, 2.0])
    docs = Ids.of(["a", "b"]).copy()
    build_run("r", coded(["1", "1"]), docs, scores)
    assert scores.tolist() == [1.0, 2.0] and list(docs) == ["a", "b"]


def test_equal_documents_keep_their_order_and_are_found() -> None:
    run, origin = run_of([("1", "a", 1.0), ("1", "b", 1.0), ("1", "a", 1.0), ("2", "a", 1.0)])
    assert origin == [1, 0, 2, 3]
    assert repeated_docs(run).tolist() == [[2, 1]]
    assert repeated_docs(run, threads=4).tolist() == [[2, 1]]


def test_float32() -> None:
    given_rows = [("1", "a", 0.30000001), ("1", "b", 0.3), ("1", "c", 1e39), ("1", "d", 2e39)]
    assert list(run_of(given_rows)[0].docs) == ["d", "c", "a", "b"]
    run, _ = run_of(given_rows, score_type="float32")
    assert list(run.docs) == ["d", "c", "b", "a"]
    assert run.scores[2] == np.float32(0.3)


def test_nan_is_refused() -> None:
    with pytest.raises(InputError, match=r"^r: a score is NaN, so the documents cannot be ranked$"):
        run_of([("1", "a", float("nan"))])


def test_small_questions() -> None:
    run, _ = run_of([("1", "a", 1.0), ("2", "b", 1.0)])
    assert (len(run), run.topic_rows, run.ranking("3")) == (2, {"1": 0, "2": 1}, [])
    assert repr(run) == "Run('r', 2 topics, 2 documents)"
    assert run.renamed("other").name == "other" and run.name == "r"
