"""The range that ties allow, against every order of the tied documents."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from unjudged.data.run import Run
from unjudged.data.view import View, join
from unjudged.io.tables import qrels_from_table, run_from_table
from unjudged.measures import P, nDCG
from unjudged.studies.doctor.order_checks import blocks_of_ties, extreme_orders, tied_at

documents = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from([None, 0, 1, 2])), min_size=1, max_size=6
)  # (score, grade or unjudged)
topics = st.lists(documents, min_size=1, max_size=2)


def collection(rankings: list[list[tuple[int, int | None]]]) -> tuple[Run, View, np.ndarray]:
    qrels = {str(t): {f"d{i}": g for i, (_, g) in enumerate(one) if g is not None} for t, one in enumerate(rankings)}
    for topic in qrels.values():
        topic["not-retrieved"] = 2
    run = run_from_table({str(t): {f"d{i}": s for i, (s, _) in enumerate(one)} for t, one in enumerate(rankings)})
    view = join(run, qrels_from_table(qrels))
    return run, view, blocks_of_ties(view, run.scores)


def every_order(view: View, blocks: np.ndarray) -> list[View]:
    groups = [np.flatnonzero(blocks == block) for block in np.unique(blocks)]
    return [
        View(view.qrels, view.topics, view.offsets, view.grades[rows], view.states[rows])
        for rows in map(np.concatenate, itertools.product(*(itertools.permutations(group) for group in groups)))
    ]


@settings(deadline=None, max_examples=80)
@given(rankings=st.lists(documents, min_size=1, max_size=1), cutoff=st.integers(1, 5))
def test_the_range_is_that_of_all_orders(rankings: list[list[tuple[int, int | None]]], cutoff: int) -> None:
    _, view, blocks = collection(rankings)
    worst, best = extreme_orders(view, blocks, cutoff)
    orders = every_order(view, blocks)
    for measure in (P @ cutoff, nDCG @ cutoff):
        values = [float(measure.score(one)[0]) for one in orders]
        assert measure.score(worst)[0] == min(values)
        assert np.isclose(measure.score(best)[0], max(values))


@settings(deadline=None)
@given(rankings=topics, cutoff=st.integers(1, 5))
def test_a_tie_at_the_cutoff_is_a_tie_of_two_scores(rankings: list[list[tuple[int, int | None]]], cutoff: int) -> None:
    _, view, blocks = collection(rankings)
    expected = []
    for t, one in enumerate(rankings):
        scores = sorted((score for score, _ in one), reverse=True)
        if len(scores) > cutoff and scores[cutoff - 1] == scores[cutoff]:
            expected.append(t)
    assert tied_at(view, blocks, cutoff).tolist() == expected


@settings(deadline=None)
@given(rankings=topics, cutoff=st.integers(1, 5))
def test_the_ranking_itself_is_inside_the_range(rankings: list[list[tuple[int, int | None]]], cutoff: int) -> None:
    _, view, blocks = collection(rankings)
    worst, best = extreme_orders(view, blocks, cutoff)
    for measure in (P @ cutoff, nDCG @ cutoff):
        low, here, high = (measure.score(one) for one in (worst, view, best))
        assert (low <= here + 1e-12).all()
        assert (here <= high + 1e-12).all()
