"""discounted: what the judged documents of a run say about its holes, against a slow description."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from discounted_oracles import DEPTH, Slowly, holes_of, one_run, reached, with_occurrences
from grouped_runs import as_runs
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit

import unjudged as uj
from unjudged.holes.discount_model import DISCOUNT, Discount, DiscountModel


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(("length", "depth"), [(10, 10), (40, None)])
def test_chances_are_those_of_the_runs_judged_documents_moved_by_the_shift(
    seed: int, length: int, depth: int | None
) -> None:
    judged, ranked = one_run(seed, length=length)
    said, view, rows = holes_of(judged, ranked, Discount(-1.5, 0.7), depth=depth)
    slowly = Slowly(judged, ranked)
    for i, row in enumerate(rows.tolist()):
        topic, rank = view.qrels.topics[view.topics[view.ranking[row]]], int(view.rank[row])
        expected = [expit(slowly.log_odds(topic, rank, grade) - 1.5) for grade in (1, 2, 3)]
        np.testing.assert_allclose(reached(said.conditional)[i], expected, atol=2e-5)


def test_a_topic_without_perfect_documents_in_a_large_pool_has_hardly_one_among_the_holes() -> None:
    judged = {f"t{t}": {f"d{d}": (2 if d < 10 and t < 5 else 0) for d in range(200)} for t in range(10)}
    said, view, rows = holes_of(judged, {topic: ["x", "d0", "d1", "d50", "d51"] for topic in judged})
    chances = dict(zip(view.topics[view.ranking[rows]].tolist(), reached(said.conditional)[:, 1], strict=True))
    assert min(chances[t] for t in range(5)) > 5 * max(chances[t] for t in range(5, 10))


def test_a_run_that_gets_better_further_down_has_no_slope() -> None:
    judged = {f"t{t}": {"a": 0, "b": 0, "c": 1, "d": 1} for t in range(9)}
    said, view, rows = holes_of(judged, {t: ["x", "a", "b", "y", "c", "d", "z"] for t in judged})
    of_ranks = [reached(said.conditional)[view.rank[rows] == rank, 0] for rank in (1, 4, 7)]
    np.testing.assert_allclose(of_ranks[0], of_ranks[1], atol=1e-12)
    np.testing.assert_allclose(of_ranks[0], of_ranks[2], atol=1e-12)


def test_chances_on_average_are_those_over_all_shifts() -> None:
    judged, ranked = one_run()
    discount = Discount(-1.5, 0.9)
    of_holes = holes_of(judged, ranked, discount)[0]
    (run,) = range(1)
    model = DiscountModel(*with_occurrences(judged, {"one": ranked}, DEPTH), discount)
    sd = math.hypot(0.9, model.own_grades(run).error)
    shifts = np.linspace(-8, 8, 4001)
    weights = np.exp(-0.5 * shifts**2)
    moved = expit(logit(reached(of_holes.conditional))[..., None] + sd * shifts)
    np.testing.assert_allclose(
        reached(of_holes.probabilities), (moved * weights).sum(axis=-1) / weights.sum(), atol=1e-5
    )


@given(
    st.integers(1, 40), st.floats(0, 1), st.floats(-30, 30), st.floats(0, 5), st.sampled_from([(0, 1), (0, 0, 2, 5)])
)
def test_chances_sum_to_one(seed: int, share: float, shift: float, sd: float, grades: tuple[int, ...]) -> None:
    of_holes = holes_of(*one_run(seed, share=share, grades=grades), Discount(shift, sd))[0]
    for chances in (of_holes.probabilities, of_holes.conditional):
        assert (chances > -1e-12).all()
        np.testing.assert_allclose(chances.sum(axis=1), 1, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_more_relevant_documents_in_the_run_or_a_higher_shift_mean_higher_chances(seed: int) -> None:
    judged, ranked = one_run(seed)
    said, view, rows = holes_of(judged, ranked)
    better = {t: {doc: max(grade, int(doc in ranked[t])) for doc, grade in docs.items()} for t, docs in judged.items()}
    assert (reached(holes_of(better, ranked)[0].conditional)[:, 0] > reached(said.conditional)[:, 0]).all()
    of_shifts = [reached(holes_of(judged, ranked, Discount(shift))[0].probabilities) for shift in (-3, -2, -1, 0)]
    for lower, higher in pairwise(of_shifts):
        assert (lower < higher).all()
    # And a better rank is never worse, on the same topic.
    topic, rank = view.topics[view.ranking[rows]], view.rank[rows]
    for one in np.unique(topic):
        here = np.flatnonzero(topic == one)
        in_order = reached(said.conditional)[here[np.argsort(rank[here])]]
        assert (np.diff(in_order, axis=0) <= 1e-12).all()


def test_a_topic_without_judged_documents_of_the_run_is_as_good_to_it_as_to_the_pool() -> None:
    judged, ranked = one_run(4)

    def of_first_topics(pools: tuple[int, int]) -> list[np.ndarray]:
        """Chances at rank 3 where so many of the documents that others found are relevant."""
        found = {f"t{t}": {f"other{i}": int(i < number) for i in range(15)} for t, number in enumerate(pools)}
        said, view, rows = holes_of(judged | found, ranked)
        topic, rank = view.topics[view.ranking[rows]], view.rank[rows]
        return [reached(said.conditional)[(topic == t) & (rank == 3), 0] for t in (0, 1)]

    first, second = of_first_topics((4, 4))
    np.testing.assert_array_equal(first, second)
    first, second = of_first_topics((4, 8))
    assert first < second


def test_the_usual_shift_depends_on_the_pool_and_on_the_share_that_is_judged() -> None:
    assert DISCOUNT.mean(0.7, 100) == pytest.approx(-1.4)
    assert DISCOUNT.mean(0.9, 100) - DISCOUNT.mean(0.7, 100) == pytest.approx(0.3)
    assert DISCOUNT.mean(0.7, 100 * math.e) - DISCOUNT.mean(0.7, 100) == pytest.approx(-0.25)
    assert DISCOUNT.mean(0.7, 0) == DISCOUNT.mean(0.7, 1)
    assert Discount(-2.0).mean(0.1, 7) == -2.0


# ---- where there is little to learn from


def test_a_run_without_any_judged_document_is_like_the_pool() -> None:
    judged = {"t1": {"a": 1, "b": 0, "c": 0, "d": 0}, "t2": {"a": 0, "b": 0, "c": 0, "d": 1}}
    probabilities = holes_of(judged, {"t1": ["x", "y"], "t2": ["z"]}, Discount(-1.0, 0.5))[0]
    np.testing.assert_allclose(probabilities.conditional[:, 1], expit(logit(0.25) - 1.0), atol=1e-9)


def test_grades_that_nobody_gave() -> None:
    judged = {f"t{t}": {"a": 3, "b": 0, "c": 0} for t in range(6)}
    chances = holes_of(judged, {t: ["a", "x", "b"] for t in judged})[0].conditional
    np.testing.assert_allclose(chances[:, 1:3], 0, atol=1e-12)
    assert (chances[:, 3] > 0.01).all()
    nothing = holes_of({"t": {"a": 0, "b": 0}}, {"t": ["a", "x"]})[0].conditional
    np.testing.assert_array_equal(nothing, [[1.0, 0.0]])


def test_where_only_relevant_documents_are_judged_nothing_is_known() -> None:
    with pytest.warns(uj.UnjudgedWarning) as caught:
        uj.score({"t": {"a": 1, "b": 1}}, {"r": {"t": {"a": 2.0, "x": 1.0}}}, "P@2", holes="discounted")
    assert [str(one.message) for one in caught] == [
        "qrels: every judged document is relevant, so a run's judged documents do not say how often others are;"
        " discounted estimates are too high"
    ]


def test_hundreds_of_grades_are_drawn_in_bins() -> None:
    judged = {"t": {f"d{i}": i for i in range(60)}}
    ranked = {"t": [*(f"d{i}" for i in range(40)), "x", "y"]}
    with pytest.warns(uj.UnjudgedWarning, match="too many for a probability of each"):
        scores = uj.score(judged, as_runs({"r": ranked}), "nDCG@50", holes="discounted")
    assert scores.low[0, 0, 0, 0] < scores.high[0, 0, 0, 0]
