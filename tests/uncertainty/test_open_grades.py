"""P-values where differences are open: all corners of small boxes, scipy's t test, and Rubin's rules written out."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from unjudged.uncertainty.tests_with_open_grades import highest_p, imputed_p, plain_p

scores = st.integers(-20, 20).map(lambda number: number / 20)
boxes = st.lists(st.tuples(scores, scores), min_size=1, max_size=7).map(
    lambda ends: (np.array([min(one) for one in ends]), np.array([max(one) for one in ends]))
)


def mostly_positive(seed: int, topics: int) -> tuple[np.ndarray, np.ndarray]:
    """Boxes whose mean has a sign, some of them a point."""
    rng = np.random.default_rng(seed)
    low = rng.normal(0.3, 0.3, topics)
    return low, low + rng.exponential(0.1, topics) * (rng.random(topics) < 0.6)


@settings(deadline=None)
@given(boxes, st.integers(0, 1000))
def test_no_differences_in_the_box_have_a_higher_p_value(box: tuple[np.ndarray, np.ndarray], seed: int) -> None:
    low, high = box
    highest = highest_p(low, high)
    inside = low + (high - low) * np.random.default_rng(seed).random((20, len(low)))
    assert 0 <= highest <= 1
    assert highest >= max(plain_p(one) for one in inside) - 1e-9
    assert highest >= max(plain_p(np.array(corner)) for corner in product(*zip(low, high, strict=True))) - 1e-9


@pytest.mark.parametrize("seed", range(20))
def test_some_differences_in_the_box_come_close(seed: int) -> None:
    low, high = mostly_positive(seed, 12)
    corners = max(plain_p(np.array(corner)) for corner in product(*({a, b} for a, b in zip(low, high, strict=True))))
    highest = highest_p(low, high)
    assert highest == 1.0 if low.mean() <= 0 else highest <= 1.1 * corners


@settings(deadline=None)
@given(boxes)
def test_which_run_comes_first_does_not_matter(box: tuple[np.ndarray, np.ndarray]) -> None:
    low, high = box
    assert highest_p(low, high) == pytest.approx(highest_p(-high, -low), rel=1e-9)


@settings(deadline=None)
@given(boxes, st.integers(0, 5))
def test_more_open_differences_never_have_a_lower_p_value(box: tuple[np.ndarray, np.ndarray], topic: int) -> None:
    low, high = box
    wider = high.copy()
    wider[topic % len(low)] += 0.1
    assert highest_p(low, wider) >= highest_p(low, high) - 1e-9


@pytest.mark.parametrize("seed", range(5))
def test_without_open_differences_it_is_the_t_test(seed: int) -> None:
    differences = np.random.default_rng(seed).normal(0.1, 0.3, 25)
    expected = stats.ttest_1samp(differences, 0).pvalue
    assert plain_p(differences) == pytest.approx(expected, rel=1e-9)
    assert highest_p(differences, differences) == pytest.approx(expected, rel=1e-9)
    assert imputed_p(np.tile(differences, (50, 1))) == pytest.approx(expected, rel=1e-9)


def test_differences_by_rounding_are_no_differences() -> None:
    """As for ``compare --test t``: 9 topics on which 0.1 + 0.2 meets 0.3 would have p = 2^-8."""
    nothing = np.full(9, (0.1 + 0.2) - 0.3)
    assert nothing.all()
    assert plain_p(nothing) == highest_p(nothing, nothing) == imputed_p(np.stack([nothing] * 3)) == 1.0
    same = np.array([0.3 - 0.2, 0.2 - 0.1, 0.7 - 0.6, 0.1])  # 0.1 four times, but for rounding
    assert plain_p(same) == 2.0**-3
    assert highest_p(same, same + 1e-17 + np.array([1e-16, 0, 0, 0])) == 2.0**-3


def test_a_mean_that_can_be_0_says_nothing() -> None:
    assert highest_p(np.array([-0.1, 0.1]), np.array([0.0, 0.1])) == 1.0
    assert highest_p(np.zeros(3), np.zeros(3)) == 1.0


def test_one_topic_says_nothing() -> None:
    assert highest_p(np.array([0.1]), np.array([0.2])) == highest_p(np.array([0.1]), np.array([0.1])) == 1.0
    assert imputed_p(np.array([[0.1], [0.2]])) == 1.0


def test_draws_that_vary_only_between_each_other_have_their_degrees_of_freedom() -> None:
    drawn = np.repeat([[0.1], [0.3], [0.2]], 5, axis=1)
    expected = 2 * stats.t.sf(0.2 / (0.01 * 4 / 3) ** 0.5, 2)
    assert imputed_p(drawn) == pytest.approx(expected, rel=1e-6)


def test_equal_differences_have_the_p_value_of_their_rule() -> None:
    assert highest_p(np.full(9, 0.5), np.array([0.5] * 8 + [0.5 + 1e-9])) == 2.0**-8
    assert imputed_p(np.array([[0.5] * 4, [0.5] * 4])) == 2.0**-3


@pytest.mark.parametrize(("seed", "draws"), [(0, 2), (1, 20), (2, 500)])
def test_drawn_differences_follow_rubins_rules(seed: int, draws: int) -> None:
    rng = np.random.default_rng(seed)
    topics = 20
    drawn = rng.normal(0.05, 0.2, topics) + rng.normal(0, 0.1, (draws, topics))
    estimates = [float(np.mean(one)) for one in drawn]
    within = float(np.mean([stats.sem(one) ** 2 for one in drawn]))
    between = sum((one - np.mean(estimates)) ** 2 for one in estimates) / (draws - 1)
    total = within + between + between / draws
    missing = (between + between / draws) / total
    large, small = (draws - 1) / missing**2, topics / (topics + 2) * (topics - 1) * (1 - missing)
    expected = 2 * stats.t.sf(abs(np.mean(estimates)) / total**0.5, large * small / (large + small))
    assert imputed_p(drawn) == pytest.approx(expected, rel=1e-9)
