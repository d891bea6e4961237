"""Summaries of distributions, as functions of given scores."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unjudged.results.distributions import Distribution, modes, nearest_intervals, quantiles

SCORES = st.lists(st.integers(0, 40).map(lambda n: n / 40), min_size=1, max_size=30)


def plain_mode(scores: list[float]) -> float:
    """The released code of paper 1 in exact arithmetic: 20 bins over the range, the fullest, and once more."""
    kept = [Fraction(score) for score in scores]
    for _ in range(2):
        low, span = min(kept), max(kept) - min(kept)
        if span <= Fraction(1, 10_000):
            break
        bins = [max(1, -((low - score) * 20 // span)) for score in kept]
        fullest = max(bins.count(one) for one in bins)
        kept = [score for score, one in zip(kept, bins, strict=True) if bins.count(one) == fullest]
    return float(max(kept))


@pytest.mark.parametrize(
    ("scores", "mode"),
    [
        ([0.1] * 8 + [0.51] * 7 + [0.52] * 6 + [1.0] * 3, 0.51),  # METHODS A.6: not the textbook mode
        ([0.0, 0.0, 1.0, 1.0], 1.0),
        ([0.5, 0.50005, 0.5001], 0.5001),  # a range of 0.0001 is one bin
        ([0.5, 0.5, 0.5002], 0.5),
        ([0.3], 0.3),
        ([0.0, 0.05, 0.05, 1.0], 0.05),  # bins are open on the left; the lowest score belongs to the first
    ],
)
def test_the_most_likely_score(scores: list[float], mode: float) -> None:
    assert modes(np.array([scores]), None).tolist() == [mode]
    assert plain_mode(scores) == mode


@settings(deadline=None, max_examples=300)
@given(st.lists(st.sampled_from([i / 20 for i in range(21)]), min_size=1, max_size=30))
def test_modes_equal_those_in_exact_arithmetic(scores: list[float]) -> None:
    exact = [Fraction(round(score * 20), 20) for score in scores]
    assert modes(np.array([scores]), None)[0] == pytest.approx(plain_mode(exact), abs=1e-12)  # type: ignore[arg-type]


@settings(deadline=None)
@given(SCORES, st.randoms(use_true_random=False))
def test_a_weight_is_a_number_of_repetitions_and_order_plays_no_part(
    scores: list[float], rng: np.random.Generator
) -> None:
    values = sorted(set(scores))
    weights = np.array([[scores.count(value) / len(scores) for value in values]])
    weighted = modes(np.array([values]), weights)
    rng.shuffle(scores)
    np.testing.assert_array_equal(weighted, modes(np.array([scores]), None))
    padded = modes(np.array([[*values, 9.0]]), np.append(weights, [[0.0]], axis=1))
    np.testing.assert_array_equal(weighted, padded)


@settings(deadline=None)
@given(st.lists(SCORES, min_size=2, max_size=4))
def test_rows_are_summarised_apart(rows: list[list[float]]) -> None:
    width = min(map(len, rows))
    values = np.array([row[:width] for row in rows])
    np.testing.assert_array_equal(modes(values, None), np.concatenate([modes(row[None], None) for row in values]))
    weights = np.arange(1.0, values.size + 1).reshape(values.shape)
    both = [quantiles(values[i : i + 1], weights[i : i + 1], [0.2, 0.7]) for i in range(len(values))]
    np.testing.assert_array_equal(quantiles(values, weights, [0.2, 0.7]), np.concatenate(both))


@settings(deadline=None)
@given(SCORES, st.floats(0, 1))
def test_quantiles_of_draws_are_interpolated_as_numpy_does(scores: list[float], p: float) -> None:
    expected = np.quantile(scores, p, method="linear")
    assert quantiles(np.array([scores]), None, [p])[0, 0] == pytest.approx(expected, abs=1e-12)


def test_type_7_by_hand() -> None:
    assert quantiles(np.array([[4.0, 1.0, 2.0]]), None, [0.0, 0.25, 0.5, 0.75, 1.0]).tolist() == [[1, 1.5, 2, 3, 4]]


@settings(deadline=None)
@given(SCORES, st.integers(0, 20))
def test_quantiles_of_exact_distributions_are_the_lowest_score_that_is_not_exceeded_so_often(
    scores: list[float], twentieths: int
) -> None:
    values = sorted(set(scores))
    p = Fraction(twentieths, 20)
    share = {value: Fraction(sum(score <= value for score in scores), len(scores)) for value in values}
    expected = min(value for value in values if share[value] >= p)
    weights = np.array([[scores.count(value) / len(scores) for value in values]])
    assert quantiles(np.array([values]), weights, [float(p)])[0, 0] == expected


def plain_nearest(scores: list[float], share: Fraction) -> tuple[float, float]:
    """Among intervals that no other beats, with more in it and no wider: the one whose share is nearest."""
    values = sorted(set(scores))
    shortest = [
        (high - low, Fraction(sum(low <= score <= high for score in scores), len(scores)), low, high)
        for low in values
        for high in values
        if low <= high
    ]
    best = [
        one
        for one in shortest
        if not any(other[1] > one[1] and other[0] <= one[0] + 1e-9 for other in shortest)
        and not any(other[1] == one[1] and other[0] < one[0] - 1e-9 for other in shortest)
    ]
    off, share_held = min((abs(one[1] - share), -one[1]) for one in best)
    return min((one[2], one[3]) for one in best if (abs(one[1] - share), -one[1]) == (off, share_held))


@settings(deadline=None, max_examples=300)
@given(st.lists(st.integers(0, 12).map(lambda n: n / 12), min_size=1, max_size=25), st.integers(1, 20))
def test_nearest_intervals_are_those_of_all_intervals(scores: list[float], twentieths: int) -> None:
    share = Fraction(twentieths, 20)
    expected = plain_nearest(scores, share)
    assert tuple(nearest_intervals(np.array([scores]), None, float(share))[0]) == pytest.approx(expected, abs=1e-12)
    values = sorted(set(scores))
    weights = np.array([[scores.count(value) / len(scores) for value in values]])
    assert tuple(nearest_intervals(np.array([values]), weights, float(share))[0]) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("scale", [1.0, 1000.0])
def test_intervals_do_not_depend_on_other_rows(scale: float, is_weighted: bool) -> None:
    rng = np.random.default_rng(3)
    few, many = rng.integers(0, 6, (400, 20)) / 5, rng.random((200, 20))
    values = scale * np.concatenate([few, many, np.ones((50, 20))])
    values = values[rng.permutation(len(values))]
    weights = rng.random(values.shape) if is_weighted else None
    intervals = nearest_intervals(values, weights, 0.9)
    for row, interval in enumerate(intervals):
        alone = nearest_intervals(values[[row]], None if weights is None else weights[[row]], 0.9)[0]
        assert interval.tolist() == alone.tolist()


@pytest.mark.parametrize(
    ("probability", "interval"),
    [(0.02, (0, 0)), (0.19, (0, 0)), (0.21, (0, 1)), (0.5, (0, 1)), (0.79, (0, 1)), (0.81, (1, 1))],
)
def test_an_interval_of_one_hole_is_a_point_where_that_holds_nearly_the_share(
    probability: float, interval: tuple[int, int]
) -> None:
    intervals = nearest_intervals(np.array([[0.0, 1.0]]), np.array([[1 - probability, probability]]), 0.9)
    assert tuple(intervals[0]) == interval


def test_intervals_of_what_is_not_known_are_not_known() -> None:
    intervals = nearest_intervals(np.array([[0.0, np.nan], [0.0, 1.0]]), None, 0.9)
    assert np.isnan(intervals[0]).all()
    assert intervals[1].tolist() == [0.0, 1.0]


def test_a_distribution_describes_itself() -> None:
    exact = Distribution(np.array([0.0, 1.0]), np.array([0.25, 0.75]))
    assert (exact.exact, len(exact), exact.mean(), exact.mode()) == (True, 2, 0.75, 1.0)
    assert exact.std() == pytest.approx(np.sqrt(0.25 * 0.75))
    assert [exact.quantile(p) for p in (0.0, 0.25, 0.26, 1.0)] == [0.0, 0.0, 1.0, 1.0]
    drawn = Distribution(np.array([0.0, 1.0, 0.5, 0.5]))
    assert (drawn.exact, drawn.mean(), drawn.quantile(0.5)) == (False, 0.5, 0.5)
    assert repr(drawn) == "Distribution(4 draws, mean 0.5000, std 0.3536)"
