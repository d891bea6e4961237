"""Preferences that ranges emit, against loops over all pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unjudged.uncertainty.preferences import count_preferences, reconstruction

GRID = st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.4])


@st.composite
def trials(draw: st.DrawFn) -> tuple[np.ndarray, ...]:
    runs, topics = draw(st.integers(1, 5)), draw(st.integers(1, 3))
    matrix = st.lists(st.lists(GRID, min_size=topics, max_size=topics), min_size=runs, max_size=runs).map(np.array)
    one, other, truth = draw(matrix), draw(matrix), draw(matrix)
    flags = st.lists(st.lists(st.booleans(), min_size=topics, max_size=topics), min_size=runs, max_size=runs)
    return np.minimum(one, other), np.maximum(one, other), truth, np.array(draw(flags))


def by_pairs(low: np.ndarray, high: np.ndarray, truth: np.ndarray, counted: np.ndarray, first_wins: bool) -> list:
    out = []
    for t in range(truth.shape[1]):
        right = emitted = true = 0
        for i in range(len(truth)):
            for j in range(len(truth)):
                if i == j or not counted[i, t]:
                    continue
                if first_wins:
                    emitted_sign = 1 if low[i, t] >= truth[j, t] else -1 if high[i, t] <= truth[j, t] else 0
                    is_so = 1 if truth[i, t] >= truth[j, t] else -1
                else:
                    emitted_sign = 1 if low[i, t] > truth[j, t] else -1 if high[i, t] < truth[j, t] else 0
                    is_so = int(np.sign(truth[i, t] - truth[j, t]))
                emitted += emitted_sign != 0
                true += is_so != 0
                right += emitted_sign == is_so != 0
        out.append([right, emitted, true])
    return out


@given(trials(), st.booleans())
def test_against_all_pairs(trial: tuple[np.ndarray, ...], first_wins: bool) -> None:
    counts = count_preferences(*trial, ties="first" if first_wins else "neither")
    assert counts.tolist() == by_pairs(*trial, first_wins)


@given(trials())
def test_points_have_one_rate_where_the_first_wins_ties(trial: tuple[np.ndarray, ...]) -> None:
    """As in all point rows of the paper's Table 6."""
    low, _, truth, counted = trial
    result = reconstruction(count_preferences(low, low, truth, counted, ties="first"))
    if not np.isnan(result.f1):
        assert result.precision == pytest.approx(result.recall) == pytest.approx(result.f1)


def test_at_the_upper_end_of_a_range_the_other_run_wins_as_in_the_papers_code() -> None:
    """Its comparison returns "greater" where low >= other, else "less" where other >= high, else nothing."""
    truth, counted = np.array([[0.3], [0.5], [0.2], [0.35]]), np.array([[True], [False], [False], [False]])
    low, high = np.full((4, 1), 0.2), np.full((4, 1), 0.5)
    assert count_preferences(low, high, truth, counted, ties="first").tolist() == [[2, 2, 3]]
    assert count_preferences(low, high, truth, counted).tolist() == [[0, 0, 3]]


def test_rates_are_means_over_topics() -> None:
    result = reconstruction(np.array([[1, 2, 4], [0, 0, 3], [0, 0, 0]]))
    assert result.precision == pytest.approx((0.5 + 0) / 2)  # nothing emitted: precision 0
    assert result.recall == pytest.approx((0.25 + 0) / 2)
    assert result.f1 == pytest.approx((2 * 0.5 * 0.25 / 0.75) / 2)
    assert np.isnan(reconstruction(np.zeros((2, 3), dtype=int)).f1)
