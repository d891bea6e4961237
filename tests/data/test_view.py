"""Runs joined with judgments, beside a brute force in plain Python."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unjudged.data.qrels import Qrels, State
from unjudged.data.run import Run
from unjudged.data.spans import ranking_blocks
from unjudged.data.view import View, ideal_view, join, stacked, topic_blocks
from unjudged.io.tables import qrels_from_table, run_from_table

TOPICS = ["1", "2", "3", "x", "é"]
DOCS = ["a", "b", "c", "d", "e", "f"]

Judgments = dict[str, dict[str, int]]
Rankings = dict[str, dict[str, float]]


def some(values: st.SearchStrategy[int]) -> st.SearchStrategy[dict[str, dict[str, int]]]:
    inner = st.dictionaries(st.sampled_from(DOCS), values, min_size=1)
    return st.dictionaries(st.sampled_from(TOPICS), inner, min_size=1)


worlds = st.tuples(some(st.integers(-1, 3)), some(st.integers(0, 4)))
World = tuple[Judgments, Rankings]


def read(world: World) -> tuple[Qrels, Run]:
    return qrels_from_table(world[0], negative="pooled"), run_from_table(world[1])


def plain(world: World) -> list[list[tuple[str, int, State]]]:
    """For each judged topic the ranked (doc, grade, state)."""
    out = []
    for topic, judged in world[0].items():
        ranking = sorted(world[1].get(topic, {}).items(), key=lambda one: (one[1], one[0]), reverse=True)
        rows = []
        for doc, _ in ranking:
            grade = judged.get(doc)
            state = State.UNPOOLED if grade is None else State.POOLED if grade < 0 else State.JUDGED
            rows.append((doc, grade if grade is not None and grade > 0 else 0, state))
        out.append(rows)
    return out


def rows_of(view: View) -> list[list[tuple[str, int, State]]]:
    docs = list(view.doc_ids())
    flat = list(zip(docs, view.grades.tolist(), map(State, view.states.tolist()), strict=True))
    return [flat[start:end] for start, end in zip(view.offsets[:-1].tolist(), view.offsets[1:].tolist(), strict=True)]


def in_lists(view: View, values: np.ndarray) -> list[list[int]]:
    return [values[start:end].tolist() for start, end in zip(view.offsets[:-1], view.offsets[1:], strict=True)]


def is_relevant(rel: int) -> Callable[[tuple[str, int, State]], bool]:
    return lambda row: row[2] is State.JUDGED and row[1] >= rel


@given(worlds)
def test_join(world: World) -> None:
    qrels, run = read(world)
    view = join(run, qrels)
    expected = plain(world)
    assert rows_of(view) == expected
    assert len(view) == len(expected) and view.topics.tolist() == list(range(len(expected)))
    assert view.lengths.tolist() == [len(one) for one in expected]
    assert in_lists(view, view.rank) == [list(range(1, len(one) + 1)) for one in expected]
    assert in_lists(view, view.ranking) == [[i] * len(one) for i, one in enumerate(expected)]


@given(worlds, st.integers(1, 30), st.integers(1, 3))
def test_blocks_give_the_same(world: World, size: int, rankings: int) -> None:
    qrels, run = read(world)
    view = join(run, qrels)
    joined_in_pieces = [join(run, qrels, topics) for topics in topic_blocks(run, qrels, size, rankings)]
    assert all(len(piece) <= rankings for piece in joined_in_pieces)
    for pieces in (list(view.blocks(size)), joined_in_pieces):
        assert [ranking for piece in pieces for ranking in rows_of(piece)] == rows_of(view)
        assert [topic for piece in pieces for topic in piece.topics.tolist()] == view.topics.tolist()
        assert all(len(piece.grades) <= size or len(piece) == 1 for piece in pieces)
        relevant = np.concatenate([piece.total_relevant(1) for piece in pieces])
        assert relevant.tolist() == view.total_relevant(1).tolist()


@given(st.lists(worlds, min_size=1, max_size=3))
def test_stacked(several: list[World]) -> None:
    qrels, _ = read(several[0])
    views = [join(read(world)[1], qrels) for world in several]
    together = stacked(views)
    assert rows_of(together) == [ranking for view in views for ranking in rows_of(view)]
    assert list(together.doc_ids()) == [doc for view in views for doc in view.doc_ids()]
    assert together.topics.tolist() == [topic for view in views for topic in view.topics.tolist()]
    assert together.runs.tolist() == [r for r, view in enumerate(views) for _ in range(len(view))]


@given(worlds, st.integers(0, 4))
def test_relevant_and_nonrelevant(world: World, rel: int) -> None:
    view = join(*reversed(read(world)))
    expected = plain(world)
    relevant = is_relevant(rel)
    assert in_lists(view, view.relevant(rel)) == [[relevant(row) for row in one] for one in expected]
    assert in_lists(view, view.nonrelevant(rel)) == [
        [row[2] is State.JUDGED and row[1] < rel for row in one] for one in expected
    ]
    judged = [[grade for grade in docs.values() if grade >= 0] for docs in world[0].values()]
    assert view.total_relevant(rel).tolist() == [sum(grade >= rel for grade in one) for one in judged]
    assert view.total_nonrelevant(rel).tolist() == [sum(grade < rel for grade in one) for one in judged]


@given(worlds, st.integers(0, 3))
def test_relevant_rows_count_within_their_ranking(world: World, rel: int) -> None:
    view = join(*reversed(read(world)))
    rows, so_far = view.relevant_rows(rel)
    expected = []
    start = 0
    for ranking in plain(world):
        hits = [i for i, row in enumerate(ranking) if is_relevant(rel)(row)]
        expected += [(start + i, n) for n, i in enumerate(hits, start=1)]
        start += len(ranking)
    assert list(zip(rows.tolist(), so_far.tolist(), strict=True)) == expected


@given(worlds, st.data())
def test_counts(world: World, data: st.DataObject) -> None:
    view = join(*reversed(read(world)))
    n = len(view.grades)
    chosen = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)), dtype=bool)
    in_rankings = in_lists(view, chosen)
    assert view.count(chosen).tolist() == [sum(one) for one in in_rankings]
    rows = np.arange(n)
    above = [sum(one[:i]) for one in in_rankings for i in range(len(one))]
    assert view.counted_above(chosen, rows).tolist() == above
    values = np.array(data.draw(st.lists(st.integers(-5, 5), min_size=n, max_size=n)), dtype=np.int64)
    assert in_lists(view, view.running(values)) == [
        [sum(one[: i + 1]) for i in range(len(one))] for one in in_lists(view, values)
    ]
    totals = view.total(np.flatnonzero(chosen), values[chosen].astype(float))
    picked = zip(in_lists(view, values), in_rankings, strict=True)
    assert totals.tolist() == [sum(v for v, yes in zip(one, which, strict=True) if yes) for one, which in picked]


@given(worlds, st.integers(1, 5))
def test_top_and_condensed(world: World, cutoff: int) -> None:
    view = join(*reversed(read(world)))
    expected = plain(world)
    judged = [[row for row in one if row[2] is State.JUDGED] for one in expected]
    assert rows_of(view.top(cutoff)) == [one[:cutoff] for one in expected]
    assert rows_of(view.condensed()) == judged
    assert rows_of(view.condensed().top(cutoff)) == [one[:cutoff] for one in judged]
    assert rows_of(view.top(cutoff).condensed()) == [
        [row for row in one[:cutoff] if row[2] is State.JUDGED] for one in expected
    ]
    assert view.top(None) is view and view.top(100) is view
    assert [rows for piece in view.condensed().blocks(3) for rows in rows_of(piece)] == judged


def test_a_completed_view_knows_its_rows_in_the_new_judgments() -> None:
    few, more = qrels_from_table({"1": {"b": 2}}), qrels_from_table({"1": {"a": 1, "b": 2}})
    run = run_from_table({"1": {"b": 3.0, "x": 2.0, "a": 1.0}})
    view = join(run, few, keep_qrels_rows=True)
    assert view.qrels_rows.tolist() == [0, -1, -1]
    assert view.completed(more).qrels_rows.tolist() == join(run, more).qrels_rows.tolist() == [1, -1, 0]
    assert view.completed(more).grades.tolist() == [2, 0, 1]


@given(some(st.integers(-1, 3)))
def test_ideal_view(judgments: Judgments) -> None:
    qrels = qrels_from_table(judgments, negative="pooled")
    gain_of_grade = np.array([0.0, 1.0, 0.0, 7.0])
    view = ideal_view(qrels, gain_of_grade)
    expected = [
        sorted((grade for grade in docs.values() if grade in {1, 3}), reverse=True) for docs in judgments.values()
    ]
    assert in_lists(view, view.grades) == expected
    ids = iter(view.doc_ids())
    for docs, grades in zip(judgments.values(), expected, strict=True):
        assert [docs[next(ids)] for _ in grades] == grades
    with pytest.raises(TypeError, match="without document ids"):
        View(qrels, view.topics, view.offsets, view.grades, view.states).doc_ids()


def test_a_run_without_a_judged_topic() -> None:
    view = join(run_from_table({"9": {"a": 1}}), qrels_from_table({"1": {"a": 1}, "2": {"b": 1}}))
    assert rows_of(view) == [[], []]
    assert view.count(view.judged).tolist() == [0, 0]


@given(st.lists(st.integers(0, 9), max_size=12), st.integers(1, 12))
def test_ranking_blocks(lengths: list[int], rows: int) -> None:
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    blocks = list(ranking_blocks(offsets, rows))
    assert [ranking for block in blocks for ranking in block] == list(range(len(lengths)))
    assert all(len(block) == 1 or sum(lengths[i] for i in block) <= rows for block in blocks)
