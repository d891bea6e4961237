"""How far groups, runs and runs on a topic stray: against numerical integration, refitted models and simulations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import erf, expit, logsumexp

from unjudged.holes.evidence_model.ordinal import ATTENUATION, Ordinal, fit_ordinal, sigmoid
from unjudged.holes.evidence_model.variance_components import (
    PRIOR_CELL,
    PRIOR_RUN,
    PRIOR_SPREAD,
    VarianceComponents,
    _normal_cdf,
    estimate_variance_components,
)

FREE = np.zeros(1, dtype=bool)
ALONE = np.array([[np.inf, 0.0], [0.0, np.inf]])
"""Information under which leaving out a group changes nothing."""


def examples(
    run: float, cell: float, *, runs: int = 40, topics: int = 20, each: int = 4, seed: int = 5
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Features, binary levels, runs and topics of examples that stray as far as said, with two runs in each group."""
    rng = np.random.default_rng(seed)
    numbers, of_topic = (one.ravel() for one in np.indices((runs, topics, each))[:2])
    features = rng.normal(size=(len(numbers), 1))
    moved = run * rng.standard_t(4, runs)[numbers] + rng.normal(0, cell, (runs, topics))[numbers, of_topic]
    levels = (features[:, 0] + moved + rng.logistic(size=len(numbers)) > 0).astype(np.int64)
    return features, levels, numbers, of_topic


def integrated(odds: np.ndarray, levels: np.ndarray, runs: np.ndarray, topics: np.ndarray) -> list[float]:
    """Medians of both scales and spreads of their logarithms, by integrals over fine grids, run by run."""
    run_scales, cell_scales = np.geomspace(0.08, 1.6, 25), np.geomspace(0.4, 2.8, 25)
    fine, of_run = np.linspace(-14, 14, 281), np.linspace(-12, 12, 241)
    posterior = np.zeros((25, 25))
    for i, run in enumerate(run_scales):
        density = stats.t.pdf(of_run / run, 4)
        for j, cell in enumerate(cell_scales):
            stretch = np.sqrt(1 + ATTENUATION * (2 * run**2 + cell**2))
            around = stats.norm.pdf(fine[None] - of_run[:, None], scale=cell)
            around /= around.sum(axis=1, keepdims=True)
            for one in np.unique(runs):
                total = np.log(density / density.sum())
                for topic in np.unique(topics[runs == one]):
                    mine = (runs == one) & (topics == topic)
                    moved = expit(stretch * odds[mine, None] + fine)
                    total = total + np.log(around @ np.where(levels[mine, None] == 1, moved, 1 - moved).prod(axis=0))
                posterior[i, j] += logsumexp(total) / 2  # two runs in each group
    log_run, log_cell = np.log(run_scales), np.log(cell_scales)
    posterior += stats.norm.logpdf(log_run, np.log(PRIOR_RUN), PRIOR_SPREAD)[:, None]
    posterior += stats.norm.logpdf(log_cell, np.log(PRIOR_CELL), PRIOR_SPREAD)
    weight = np.exp(posterior - logsumexp(posterior))
    out = []
    for log_scale, share in ((log_run, weight.sum(axis=1)), (log_cell, weight.sum(axis=0))):
        middle = share @ log_scale
        out += [float(np.exp(middle)), float(np.sqrt(share @ (log_scale - middle) ** 2))]
    return out


def test_normal_shares_are_those_of_scipy() -> None:
    x = np.linspace(-40, 40, 2001).reshape(3, -1)
    assert np.allclose(_normal_cdf(x), 0.5 * (1 + erf(x / np.sqrt(2))), rtol=0, atol=1e-15)


def test_scales_are_those_of_the_integrated_likelihood() -> None:
    features, levels, runs, topics = examples(0.7, 0.9, runs=8, topics=6, each=3)
    model = Ordinal(np.array([0.0]), np.array([1.0]))
    components = estimate_variance_components(model, ALONE, features, levels, runs // 2, runs, topics)
    run, run_spread, cell, cell_spread = integrated(features[:, 0], levels, runs, topics)
    assert components.run == pytest.approx(run, rel=0.03)
    assert components.cell == pytest.approx(cell, rel=0.03)
    # Between two scales of its grid it does not tell.
    assert components.run_spread == pytest.approx(np.hypot(run_spread, np.log(20) / 6 / np.sqrt(12)), rel=0.03)
    assert components.cell_spread == pytest.approx(np.hypot(cell_spread, np.log(7) / 6 / np.sqrt(12)), rel=0.03)
    np.testing.assert_allclose(components.covariance, 0, atol=1e-20)


@pytest.mark.parametrize(("run", "cell"), [(0.15, 0.5), (0.8, 0.5), (0.15, 1.5), (0.6, 1.0)])
def test_how_far_runs_and_topics_stray_is_found(run: float, cell: float) -> None:
    features, levels, runs, topics = examples(run, cell, runs=60)
    model, information = fit_ordinal(features, levels, np.ones(len(levels)), number=2, rising=FREE)
    components = estimate_variance_components(model, information, features, levels, runs // 2, runs, topics)
    for scale, spread, true in (
        (components.run, components.run_spread, run),
        (components.cell, components.cell_spread, cell),
    ):
        assert abs(np.log(scale / true)) < 2.5 * spread


def test_the_fewer_groups_the_less_certain_are_the_scales_and_the_fit() -> None:
    estimates = []
    for number in (6, 20, 60):
        features, levels, runs, topics = examples(0.6, 1.0, runs=number)
        model, information = fit_ordinal(features, levels, np.ones(len(levels)), number=2, rising=FREE)
        estimates.append(estimate_variance_components(model, information, features, levels, runs // 2, runs, topics))
    assert estimates[0].run_spread > estimates[1].run_spread > estimates[2].run_spread
    at = np.array([[0.0], [2.0]])
    assert (estimates[0].fit_deviations(at) > estimates[2].fit_deviations(at)).all()
    assert estimates[2].fit_deviations(at)[1] > estimates[2].fit_deviations(at)[0]  # further from the examples


def test_the_fits_error_is_the_jackknife_over_groups() -> None:
    features, levels, runs, topics = examples(0.8, 0.6, runs=24, topics=10)
    groups = runs // 2
    model, information = fit_ordinal(features, levels, np.ones(len(levels)), number=2, rising=FREE)
    components = estimate_variance_components(model, information, features, levels, groups, runs, topics)
    refitted = []
    for group in np.unique(groups):
        kept = groups != group
        without, _ = fit_ordinal(features[kept], levels[kept], np.ones(kept.sum()), number=2, rising=FREE)
        refitted.append([*without.thresholds, *without.weights])
    number = len(refitted)
    jackknife = np.cov(np.array(refitted).T, ddof=0) * (number - 1)
    np.testing.assert_allclose(components.covariance, jackknife, rtol=0.1, atol=2e-4)
    at = np.array([[1.5]])
    expected = np.sqrt(np.array([1, 1.5]) @ jackknife @ [1, 1.5])
    assert components.fit_deviations(at)[0] == pytest.approx(expected, rel=0.06)


def test_stretched_chances_average_to_those_of_the_model() -> None:
    components = VarianceComponents(0.5, 1.1, 0.0, 0.0, np.diag([0.16, 0.0]))
    rng = np.random.default_rng(0)
    moved = 0.5 * rng.standard_t(4, 200_000) + rng.normal(0, np.hypot(1.1, 0.4), 200_000)
    stretch = float(components.stretch(components.fit_deviations(np.zeros((1, 1))))[0])
    for odds in (-3.0, -1.0, 0.5):
        assert sigmoid(stretch * odds + moved).mean() == pytest.approx(float(sigmoid(np.array(odds))), abs=0.012)
