"""The topic bootstrap and intervals, against SciPy on the very same resamples."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from unjudged.errors import InputError, SpecError
from unjudged.uncertainty import BCa, interval_methods, mean_interval, resampled_means
from unjudged.uncertainty.draws import topic_counts

METHODS = [cls.name for cls in interval_methods]
SCIPY = {"percentile": "percentile", "basic": "basic", "bca": "BCa"}


@pytest.fixture(scope="module")
def scores() -> np.ndarray:
    """Twelve runs of 25 topics, skewed as scores are."""
    return np.random.default_rng(5).beta(0.6, 2, (12, 25))


def test_means_are_means_of_the_drawn_topics(scores: np.ndarray) -> None:
    counts = topic_counts(3, 0, 200, 25)
    expected = [[np.repeat(run, row.astype(int)).mean() for row in counts] for run in scores]
    np.testing.assert_allclose(resampled_means(scores, draws=200, seed=3), expected, atol=1e-11)


@pytest.mark.parametrize("batch", [1, 7, 999, 1000, 5000])
def test_no_number_depends_on_the_batch(scores: np.ndarray, batch: int) -> None:
    whole = resampled_means(scores, draws=1000)
    np.testing.assert_array_equal(resampled_means(scores, draws=1000, batch=batch), whole)


def test_no_number_depends_on_the_other_runs(scores: np.ndarray) -> None:
    whole = resampled_means(scores, draws=500)
    np.testing.assert_array_equal(resampled_means(scores[[7, 2]], draws=500), whole[[7, 2]])
    for method in METHODS:
        one, all_runs = mean_interval(scores[4:5], method), mean_interval(scores, method)
        assert (one.low[0], one.high[0]) == (all_runs.low[4], all_runs.high[4])


def test_sums_over_very_many_topics_are_exact_too() -> None:
    scores = np.random.default_rng(2).random((3, 30_000))
    whole = resampled_means(scores, draws=40)
    np.testing.assert_array_equal(resampled_means(scores, draws=40, batch=3), whole)
    np.testing.assert_allclose(whole.mean(axis=1), scores.mean(axis=1), atol=0.005)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99])
@pytest.mark.parametrize("method", SCIPY)
def test_bootstrap_intervals_are_scipys(scores: np.ndarray, method: str, level: float) -> None:
    interval = mean_interval(scores, method, level=level)
    assert interval.draws is not None
    for run in range(len(scores)):
        given = SimpleNamespace(bootstrap_distribution=interval.draws[run])
        expected = stats.bootstrap(
            (scores[run],),
            np.mean,
            n_resamples=0,
            bootstrap_result=given,
            confidence_level=level,
            method=SCIPY[method],
        ).confidence_interval
        assert interval.low[run] == pytest.approx(expected.low, abs=1e-9)
        assert interval.high[run] == pytest.approx(expected.high, abs=1e-9)


@pytest.mark.parametrize("method", SCIPY)
def test_so_they_are_with_scipys_own_resamples_within_monte_carlo_error(scores: np.ndarray, method: str) -> None:
    interval = mean_interval(scores[:3], method)
    expected = stats.bootstrap(
        (scores[:3],), np.mean, axis=1, n_resamples=10_000, method=SCIPY[method], random_state=1
    ).confidence_interval
    # An end has a standard error of about 0.025 standard errors of the mean; both sides have it; 5 of them.
    slack = 5 * 2**0.5 * 0.027 * stats.sem(scores[:3], axis=1)
    assert (np.abs(interval.low - expected.low) < slack).all()
    assert (np.abs(interval.high - expected.high) < slack).all()


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_the_t_interval_is_scipys(scores: np.ndarray, level: float) -> None:
    interval = mean_interval(scores, "t", level=level)
    low, high = stats.t.interval(level, 24, loc=scores.mean(axis=1), scale=stats.sem(scores, axis=1))
    np.testing.assert_allclose(interval.low, low, rtol=1e-12)
    np.testing.assert_allclose(interval.high, high, rtol=1e-12)
    assert interval.draws is None


@pytest.mark.parametrize("method", METHODS)
def test_the_same_score_on_all_topics_has_no_width(method: str) -> None:
    interval = mean_interval([[0.1] * 30, [0.0] * 30, [1 / 3] * 30], method)
    np.testing.assert_array_equal(interval.low, interval.mean)
    np.testing.assert_array_equal(interval.high, interval.mean)


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=40, deadline=None)
@given(values=arrays(float, (2, 6), elements=st.floats(0, 1)))
def test_intervals_are_numbers_in_order_and_move_with_the_scores(method: str, values: np.ndarray) -> None:
    spec = interval_methods[method]()
    if method != "t":
        spec = spec.replace(draws=200)
    interval = mean_interval(values, spec)
    assert np.isfinite([interval.low, interval.high]).all()
    assert (interval.low <= interval.high).all()
    if method in {"percentile", "bca"}:  # the others can leave the range of the scores
        assert (interval.low >= values.min(axis=1) - 1e-11).all()
        assert (interval.high <= values.max(axis=1) + 1e-11).all()
    moved = mean_interval(4 * values, spec)
    np.testing.assert_allclose(moved.low, 4 * interval.low, atol=1e-9)
    np.testing.assert_allclose(moved.high, 4 * interval.high, atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_a_higher_level_is_wider(scores: np.ndarray, method: str) -> None:
    narrow, wide = mean_interval(scores, method, level=0.8), mean_interval(scores, method, level=0.99)
    assert (wide.low < narrow.low).all()
    assert (wide.high > narrow.high).all()


def test_bca_with_all_draws_on_one_side_is_a_number() -> None:
    interval = mean_interval([[0.0, 1.0, 0.2]], BCa(draws=1))
    assert np.isfinite([interval.low, interval.high]).all()


def test_covers_the_true_mean_about_as_often_as_it_says() -> None:
    """1,000 samples of 30 normal scores: 95% give or take 4 standard errors (0.7%), percentiles are too narrow."""
    scores = np.random.default_rng(11).normal(0, 1, (1000, 30))
    for method, low in (("t", 0.922), ("bca(draws=2000)", 0.89), ("percentile(draws=2000)", 0.89)):
        interval = mean_interval(scores, method)
        assert low < ((interval.low <= 0) & (interval.high >= 0)).mean() < 0.978, method


def test_mistakes_are_named() -> None:
    for scores, message in (
        ([[0.5]], "at least 2 topics must be given, not 1"),
        ([0.5, 0.6], "scores must be a matrix of shape (runs, topics), not of shape (2,)"),
        ([["a", "b"]], "scores must be a matrix of numbers with a row for each run"),
        ([[0.5, float("nan")]], "1 of 2 scores are NaN or infinite; leave those topics out first"),
    ):
        with pytest.raises(InputError) as error:
            mean_interval(scores)
        assert str(error.value) == message
    with pytest.raises(InputError) as error:
        mean_interval([[0.5, 0.6]], level=95)
    assert str(error.value) == "level must be a number above 0 and below 1, not 95"
    with pytest.raises(SpecError) as error:
        mean_interval([[0.5, 0.6]], "percentil")
    assert str(error.value) == (
        "unknown interval method 'percentil'; did you mean 'percentile'? (there are basic, bca, percentile, t)"
    )
    with pytest.raises(SpecError) as error:
        mean_interval([[0.5, 0.6]], "bca(draws=0)")
    assert str(error.value) == "bca: draws must be a whole number of at least 1, not 0"
