"""Ratios from a sample of documents: exact where all are known, and their slopes are those of the ratio."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from unjudged.arrays import Floats
from unjudged.uncertainty.sampled_ratios import exact_ratios, expected_ratios, sampled_ratios

TOPICS = np.repeat(np.arange(3), 12)
STEPS = np.array([1.0, 2.0])
IDEAL = 1 / np.log2(np.arange(2, 7))


def weights(rng: np.random.Generator, runs: int = 4) -> csr_array:
    out = np.zeros((runs, len(TOPICS)))
    for run in range(runs):
        for topic in range(3):
            out[run, rng.permutation(np.flatnonzero(topic == TOPICS))[:5]] = IDEAL
    return csr_array(out)


def grades(rng: np.random.Generator) -> Floats:
    return np.minimum.accumulate(rng.random((len(TOPICS), 2)) < [0.6, 0.5], axis=1).astype(float)


def slowly(matrix: csr_array, reached: Floats, ideal: Floats | None) -> Floats:
    gains, scores = reached @ STEPS, []
    for topic in range(3):
        here = topic == TOPICS
        best = np.sort(gains[here])[::-1]
        divisor = best.sum() if ideal is None else best[: len(ideal)] @ ideal
        scores.append(matrix.toarray()[:, here] @ gains[here] / divisor if divisor else np.zeros(matrix.shape[0]))
    return np.mean(scores, axis=0)


@pytest.mark.parametrize("ideal", [IDEAL, None])
def test_known_grades_give_the_score(ideal: Floats | None) -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        matrix, reached = weights(rng), grades(rng)
        reached[TOPICS == 1] *= rng.integers(0, 2)
        found = exact_ratios(matrix, reached, STEPS, ideal=ideal, topics=TOPICS)
        np.testing.assert_allclose(found, slowly(matrix, reached, ideal), atol=1e-12)


@pytest.mark.parametrize("ideal", [IDEAL, None])
def test_expected_gains_are_divided_by_the_best_ranking_of_expected_gains(ideal: Floats | None) -> None:
    rng = np.random.default_rng(4)
    for _ in range(20):
        matrix, expected = weights(rng), np.minimum.accumulate(rng.random((len(TOPICS), 2)), axis=1)
        expected[TOPICS == 1] *= rng.integers(0, 2)
        found = expected_ratios(matrix, expected @ STEPS, ideal=ideal, topics=TOPICS)
        np.testing.assert_allclose(found, slowly(matrix, expected, ideal), atol=1e-12)


@pytest.mark.parametrize("ideal", [IDEAL, None])
def test_influences_are_the_slopes_of_the_score(ideal: Floats | None) -> None:
    """With one document sampled, half of the time, the estimate moves as the score does at what is expected."""
    rng = np.random.default_rng(2)
    matrix, inclusion = weights(rng), np.full(len(TOPICS), 0.5)
    expected = np.minimum.accumulate(rng.uniform(0.2, 0.8, (len(TOPICS), 2)), axis=1)
    for doc in range(0, len(TOPICS), 5):
        sampled = np.arange(len(TOPICS)) == doc
        moved = []
        for change in (0.0, 1e-6):
            reached = expected + change * sampled[:, None]
            one = sampled_ratios(
                matrix, reached, expected, STEPS, ideal=ideal, sampled=sampled, inclusion=inclusion, topics=TOPICS
            )
            moved.append((one.calibrated, one.estimate(np.arange(4)).estimate))
        # The sampled grade itself, and as much again for the one that was not drawn.
        slope = (moved[1][0] - moved[0][0]) / 1e-6
        np.testing.assert_allclose((moved[1][1] - moved[0][1]) / 1e-6, 2 * slope, rtol=0.2, atol=2e-3)


def test_estimates_centre_on_the_score_and_intervals_hold_it() -> None:
    rng = np.random.default_rng(3)
    matrix, reached = weights(rng), grades(rng)
    truth = slowly(matrix, reached, IDEAL)
    expected = np.broadcast_to(reached.mean(axis=0), reached.shape)
    inclusion = np.full(len(TOPICS), 0.6)
    estimates, held = [], []
    for _ in range(600):
        sampled = rng.random(len(TOPICS)) < 0.6
        found = sampled_ratios(
            matrix, reached, expected, STEPS, ideal=IDEAL, sampled=sampled, inclusion=inclusion, topics=TOPICS
        ).estimate(np.arange(4))
        estimates.append(found.estimate)
        held.append((found.low <= truth) & (truth <= found.high))
    np.testing.assert_allclose(np.mean(estimates, axis=0), truth, atol=0.04)
    assert np.mean(held) > 0.93
