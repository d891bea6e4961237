"""Variances and quantiles from few topics, beside SciPy and what intervals have to hold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import optimize, special, stats

from unjudged.uncertainty.few_topics import Shape, Tails, independent_rows, moderated_variances
from unjudged.uncertainty.prediction_powered import classical, prediction_powered

ROWS = arrays(np.float64, (3, 12), elements=st.floats(-1, 1, width=32))


def test_moments_are_those_of_scipy() -> None:
    residuals = np.random.default_rng(1).exponential(size=(7, 12))
    shape = Shape.of(residuals)
    skewness = stats.skew(residuals, axis=1, bias=False)
    by_chance = 6 * 12 * 11 / (10 * 13 * 15)  # the variance of the skewness of normal samples
    assert shape.square == pytest.approx(np.mean(skewness**2) - by_chance, abs=1e-12)
    assert shape.kurtosis == pytest.approx(stats.kurtosis(residuals, axis=1, bias=False).mean(), abs=1e-12)
    assert np.allclose(shape.skewness, skewness * shape.square / np.mean(skewness**2), atol=1e-12)


def test_rows_that_do_not_vary_have_no_shape() -> None:
    flat = np.full((2, 6), 0.1)
    assert Shape.of(flat)[1:] == (0.0, 0.0, 6)
    assert moderated_variances(flat)[0].max() < 1e-30
    varied = np.concatenate([np.random.default_rng(2).exponential(size=(1, 6)), flat])
    assert Shape.of(varied).square == Shape.of(varied[:1]).square


def test_without_skewness_intervals_are_students() -> None:
    freedom = np.array([3.0, 14.0, np.inf])
    z = special.ndtri(0.975)
    assert np.allclose(Tails(freedom).half(z), [*stats.t.ppf(0.975, freedom[:2]), z], atol=1e-12)
    t = np.array([2.0, -1.0, 0.5])
    expected = [*(2 * stats.t.sf(np.abs(t[:2]), freedom[:2])), 2 * stats.norm.sf(0.5)]
    assert np.allclose(Tails(freedom).p_values(t), expected, atol=1e-12)


def test_the_series_is_halls() -> None:
    """P(|t| < z) is 2 z phi(z) (kurtosis (z^2 - 3) / 12 - skewness^2 (z^4 + 2 z^2 - 3) / 18) / n more than normal."""
    z, n, skewness, kurtosis = special.ndtri(0.975), 50, 2.0, 6.0
    tails = Tails(np.array([np.inf]), 0.0, skewness**2 / n, kurtosis / n)
    more = kurtosis * (z**2 - 3) / 12 - skewness**2 * (z**4 + 2 * z**2 - 3) / 18
    assert tails.half(z)[0] == pytest.approx(z - z * more / n, abs=1e-12)


@given(ROWS)
def test_an_interval_at_the_level_of_a_p_value_ends_at_0(scores: np.ndarray) -> None:
    result = prediction_powered(scores, np.zeros((3, 12)), np.zeros((3, 9)))
    p = result.p_values
    for row in np.flatnonzero((p > 1e-6) & (p < 1 - 1e-6)):
        at = prediction_powered(scores, np.zeros((3, 12)), np.zeros((3, 9)), level=1 - p[row])
        nearest = min(abs(at.low[row]), abs(at.high[row]))
        assert nearest <= 1e-6 * max(1.0, abs(at.estimate[row]))


def test_variances_move_as_in_smyth() -> None:
    rng = np.random.default_rng(4)
    residuals = rng.normal(size=(200, 11)) * np.sqrt(4 / rng.chisquare(4, size=(200, 1)))
    seen = residuals.var(axis=1, ddof=1)
    logs = np.log(seen) - special.digamma(5) + np.log(5)
    prior = optimize.brentq(lambda d: special.polygamma(1, d / 2) - (logs.var(ddof=1) - special.polygamma(1, 5)), 1, 99)
    scale = np.exp(logs.mean() + special.digamma(prior / 2) - np.log(prior / 2))
    variances, freedom = moderated_variances(residuals)
    assert np.allclose(variances, (prior * scale + 10 * seen) / (prior + 10), rtol=1e-6)
    assert np.allclose(freedom, prior + 10, rtol=1e-6)
    assert prior == pytest.approx(4, abs=1.5)  # as they were drawn


def test_rows_that_say_the_same_are_one() -> None:
    one = np.random.default_rng(5).normal(size=(1, 9))
    same = np.concatenate([one, -2 * one, one + 3])
    assert independent_rows(same) == pytest.approx(1, abs=1e-12)
    assert moderated_variances(same)[1].tolist() == pytest.approx([8, 8, 8])
    assert independent_rows(np.array([[1.0, -1, 0, 0], [0, 0, 1, -1]])) == pytest.approx(2, abs=1e-12)
    alone, freedom = moderated_variances(one)
    assert alone[0] == pytest.approx(one.var(ddof=1), abs=1e-12)
    assert freedom[0] == 8


def test_intervals_of_skewed_differences_hold_and_are_hardly_wider() -> None:
    """Ten topics; without labels. Student's hold less."""
    rng = np.random.default_rng(6)
    sides = np.where(np.arange(40) % 2, 1.0, -1.0)[:, None]
    spread = rng.gamma(4, size=(40, 1)) / 4
    held, plain, widths = [], [], []
    for _ in range(400):
        y = sides * spread * (rng.gamma(2, size=(40, 10)) - 2)
        ours, student = prediction_powered(y, 0 * y, 0 * y), classical(y)
        held.append(((ours.low <= 0) & (ours.high >= 0)).mean())
        plain.append(((student.low <= 0) & (student.high >= 0)).mean())
        widths.append((ours.high - ours.low).mean() / (student.high - student.low).mean())
    assert np.mean(plain) < 0.93
    assert np.mean(held) > 0.94
    assert np.mean(widths) < 1.2
