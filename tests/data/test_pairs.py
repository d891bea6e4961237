"""Pairs numbered for several runs, what is left of them, and views that carry it."""

from __future__ import annotations

import numpy as np
from measure_views import make_qrels, make_run

from unjudged.data.pairs import Residual, number_pairs
from unjudged.data.view import View, join

QRELS = make_qrels({"1": {"a": 2, "b": 0, "p": -1}, "2": {"a": 1}})  # p is pooled and not judged


def view_of(run: dict[str, str]) -> View:
    """A view of rankings written as words, one letter for each document."""
    return join(make_run({topic: {doc: -float(i) for i, doc in enumerate(docs)} for topic, docs in run.items()}), QRELS)


VIEWS = [view_of({"1": "axb", "2": "ya"}), view_of({"1": "pxz", "2": "x"})]


def test_the_same_pair_has_the_same_number_in_all_runs() -> None:
    pairs, numbers = number_pairs(QRELS, VIEWS, holes=True)
    first, second = (column.tolist() for column in numbers)
    assert (first[0], first[2], first[4]) == (0, 1, 3)  # rows of the judgments
    assert second[0] == 2  # pooled, not judged: listed
    assert second[1] == first[1] >= len(QRELS)  # x for topic 1, in both runs
    assert second[3] != first[1]  # x for topic 2 is another pair
    assert len({*first, *second}) == 8
    assert max(*first, *second) < pairs.size


def test_other_judgments_are_found_by_topic_and_document() -> None:
    pairs, numbers = number_pairs(QRELS, VIEWS, holes=True)
    other = make_qrels({"1": {"x": 1, "b": 1, "new": 1}, "2": {"y": 1}})
    assert pairs.of_judgments(other).tolist() == [numbers[0][1], 1, -1, numbers[0][3]]
    assert pairs.of_judgments(QRELS).tolist() == [0, 1, 2, 3]


def residual() -> tuple[View, Residual]:
    pairs, numbers = number_pairs(QRELS, VIEWS, holes=True)
    left = np.linspace(0.1, 1, pairs.size)
    left_over = Residual(pairs, left, numbers[0])
    return VIEWS[0].after(left_over), left_over


def test_what_is_left_travels_with_the_rows() -> None:
    view, left_over = residual()
    assert view.residual is left_over
    assert VIEWS[0].residual is None
    for other in (view.top(2), view.condensed(), view.only_grades(np.array([False, True, True]))):
        assert other.residual is not None
        expected = {(topic, doc): x for (topic, doc), x in zip(_keys(view), left_over.of_rows(), strict=True)}
        assert dict(zip(_keys(other), other.residual.of_rows(), strict=True)) == {
            key: expected[key] for key in _keys(other)
        }
    assert [block.residual.of_rows().tolist() for block in view.blocks(3) if block.residual] == [
        left_over.of_rows()[:3].tolist(),
        left_over.of_rows()[3:].tolist(),
    ]


def _keys(view: View) -> list[tuple[int, str]]:
    return list(zip(view.topics[view.ranking].tolist(), view.doc_ids(), strict=True))


def test_nothing_is_lost_of_what_no_run_has() -> None:
    _, left_over = residual()
    assert left_over.of_judgments(make_qrels({"1": {"new": 1, "a": 2}})).tolist() == [1.0, left_over.left[0]]
    assert left_over.of_judgments(QRELS).tolist() == left_over.left[:4].tolist()


def test_a_document_is_new_unless_the_judgments_judge_it() -> None:
    view, left_over = residual()
    assert [left_over.is_new(QRELS)[i] for i in range(5)] == [False, True, False, True, False]
    other = Residual(left_over.pairs, left_over.left, number_pairs(QRELS, VIEWS, holes=True)[1][1])
    assert bool(other.is_new(QRELS)[0])  # pooled, not judged
    assert len(view) == 2


def test_a_sparse_view_keeps_ranks_also_when_it_is_cut() -> None:
    view = VIEWS[0].only_grades(np.array([False, True, True]))
    assert view.rank.tolist() == [1, 2]
    assert view.lengths.tolist() == [3, 2]
    assert view.top(1).rank.tolist() == [1]
    assert view.top(1).lengths.tolist() == [1, 1]
