"""Ordinal logistic regression against independent implementations, and its limits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit

from unjudged.holes.evidence_model.ordinal import (
    RIDGE,
    Ordinal,
    fit_ordinal,
    sigmoid,
)

FREE = np.zeros(3, dtype=bool)


def sample(seed: int, rows: int = 400, levels: int = 4) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(rows, 3))
    latent = features @ [1.0, -0.5, 0.0] + rng.logistic(size=rows)
    return features, np.digitize(latent, np.linspace(-0.5, 2, levels - 1)).astype(np.int64)


def objective(parameters: np.ndarray, features: np.ndarray, levels: np.ndarray, number: int) -> float:
    """Written down from the definition, without derivatives."""
    thresholds, weights = parameters[: number - 1], parameters[number - 1 :]
    if (np.diff(thresholds) >= 0).any():
        return 1e9
    out = 0.0
    for row, level in zip(features, levels, strict=True):
        above = [1.0, *expit(thresholds + row @ weights), 0.0]
        out -= np.log(max(above[level] - above[level + 1], 1e-300))
    return float(out + 0.5 * RIDGE * weights @ weights)


@pytest.mark.parametrize("levels", [2, 4])
def test_the_fit_is_the_maximum_of_the_penalised_likelihood(levels: int) -> None:
    features, grades = sample(1, 120, levels)
    model, _ = fit_ordinal(features, grades, np.ones(len(grades)), number=levels, rising=FREE)
    at = np.concatenate([model.thresholds, model.weights])
    best = minimize(objective, at + 0.1, args=(features, grades, levels), method="BFGS")
    np.testing.assert_allclose(at, best.x, atol=1e-4)


def test_the_fit_is_that_of_statsmodels_where_examples_are_many() -> None:
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    features, grades = sample(2, 6000)
    model, information = fit_ordinal(features, grades, np.ones(len(grades)), number=4, rising=FREE)
    peer = OrderedModel(grades, features, distr="logit").fit(method="bfgs", disp=False)
    np.testing.assert_allclose(model.weights, peer.params[:3], atol=2e-3)
    np.testing.assert_allclose(np.sqrt(np.diag(np.linalg.inv(information)))[3:], peer.bse[:3], rtol=0.05)


def test_weights_of_rows_are_repetitions() -> None:
    features, grades = sample(3, 60, 3)
    times = np.arange(60) % 3
    once = fit_ordinal(features, grades, times.astype(float), number=3, rising=FREE)[0]
    repeated = fit_ordinal(
        np.repeat(features, times, axis=0), np.repeat(grades, times), np.ones(times.sum()), number=3, rising=FREE
    )[0]
    np.testing.assert_allclose(once.weights, repeated.weights, atol=1e-6)
    np.testing.assert_allclose(once.thresholds, repeated.thresholds, atol=1e-6)


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.integers(2, 5))
def test_more_of_a_rising_feature_never_lowers_the_expected_level(seed: int, levels: int) -> None:
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(80, 3))
    grades = np.concatenate([np.arange(levels), rng.integers(levels, size=80 - levels)])
    rising = np.array([True, True, False])
    model, information = fit_ordinal(features, grades, np.ones(80), number=levels, rising=rising)
    assert (model.weights[:2] >= 0).all()
    more = features + np.array([1.0, 2.0, 0.0])
    expected = [model.probabilities(x) @ np.arange(levels) for x in (features, more)]
    assert (expected[1] >= expected[0] - 1e-12).all()
    left_out = np.isinf(np.diag(information))
    assert (left_out[levels - 1 :] == (model.weights == 0)).all()


def test_chances_are_a_distribution_at_any_scale() -> None:
    model = Ordinal(np.array([1.0, -1.0]), np.array([2.0]))
    for scale in (1.0, 3.0):
        probabilities = model.probabilities(np.array([[-50.0], [0.0], [50.0]]), scale)
        assert (probabilities >= 0).all()
        np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    np.testing.assert_allclose(sigmoid(np.array([-800.0, 0.0, 800.0])), [0, 0.5, 1])
