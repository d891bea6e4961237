"""R-precision from a sample of documents: exact where all are known, and what else R may be."""

from __future__ import annotations

import numpy as np
import pytest

from unjudged.arrays import Flags, Floats, Ints
from unjudged.uncertainty.sampled_cutoffs import exact_cutoffs, sampled_cutoffs

TOPICS = np.repeat(np.arange(3), 40)


def rankings(rng: np.random.Generator, runs: int = 4) -> list[tuple[Ints, Ints]]:
    """Runs that have all documents of each topic but the last five."""
    found = []
    for _ in range(runs):
        order = [rng.permutation(np.flatnonzero(topic == TOPICS))[:-5] for topic in range(3)]
        found.append((np.concatenate(order), np.tile(np.arange(1, 36), 3)))
    return found


def slowly(found: list[tuple[Ints, Ints]], relevant: Flags) -> Floats:
    scores = []
    for docs, ranks in found:
        by_topic = []
        for topic in range(3):
            total = relevant[topic == TOPICS].sum()
            inside = (TOPICS[docs] == topic) & (ranks <= total)
            by_topic.append(relevant[docs[inside]].sum() / total if total else 0.0)
        scores.append(np.mean(by_topic))
    return np.array(scores)


def test_known_documents_give_the_score() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        found, relevant = rankings(rng), rng.random(len(TOPICS)) < 0.3
        relevant[TOPICS == 1] &= bool(rng.integers(0, 2))
        np.testing.assert_allclose(exact_cutoffs(found, relevant, TOPICS), slowly(found, relevant), atol=1e-12)


def test_what_is_expected_is_the_mean_over_what_r_may_be() -> None:
    """Where documents are relevant as expected, independently of each other, and none was judged."""
    rng = np.random.default_rng(2)
    found, chances = rankings(rng), rng.uniform(0.1, 0.6, len(TOPICS))
    worlds = [slowly(found, rng.random(len(TOPICS)) < chances) for _ in range(4000)]
    nothing = np.zeros(len(TOPICS), dtype=bool)
    result = sampled_cutoffs(
        *(found, np.zeros(len(TOPICS)), chances), sampled=nothing, inclusion=np.ones(len(TOPICS)), topics=TOPICS
    )
    # A relevant document at the top also makes R larger by itself, which a straight line leaves out.
    np.testing.assert_allclose(result.calibrated, np.mean(worlds, axis=0), atol=0.012)


@pytest.mark.parametrize("rate", [0.3, 0.6])
def test_estimates_centre_on_the_score_and_intervals_hold_it(rate: float) -> None:
    rng = np.random.default_rng(3)
    found, relevant = rankings(rng), rng.random(len(TOPICS)) < 0.4
    truth, expected = slowly(found, relevant), np.full(len(TOPICS), 0.4)
    estimates, held = [], []
    for _ in range(400):
        sampled = rng.random(len(TOPICS)) < rate
        one = sampled_cutoffs(
            *(found, relevant.astype(float), expected),
            sampled=sampled,
            inclusion=np.full(len(TOPICS), rate),
            topics=TOPICS,
        ).estimate(np.arange(4))
        estimates.append(one.estimate)
        held.append((one.low <= truth) & (truth <= one.high))
    np.testing.assert_allclose(np.mean(estimates, axis=0), truth, atol=0.04)
    assert np.mean(held) > 0.92


def test_a_topic_without_relevant_documents_scores_0() -> None:
    found = rankings(np.random.default_rng(4))
    result = sampled_cutoffs(
        *(found, np.zeros(len(TOPICS)), np.zeros(len(TOPICS))),
        sampled=np.ones(len(TOPICS), dtype=bool),
        inclusion=np.full(len(TOPICS), 0.5),
        topics=TOPICS,
    ).estimate(np.arange(4))
    assert result.estimate.tolist() == result.low.tolist() == result.high.tolist() == [0.0] * 4
