"""R-precision from a sample of documents: exact where all are known, and what else R may be."""

from __future__ import annotations

from dataclasses import replace

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
    assert np.mean(held) > 0.93


@pytest.mark.parametrize("rate", [0.15, 0.3])
def test_intervals_hold_where_topics_are_richer_and_poorer_than_expected(rate: float) -> None:
    """Then a straight line is off: documents at the top are better together with what they are divided by."""
    rng = np.random.default_rng(5)
    rich = np.array([0.1, 0.3, 0.7])[TOPICS]
    held, narrower = [], []
    for _ in range(300):
        found, relevant = rankings(rng, 1), rng.random(len(TOPICS)) < rich
        sampled = rng.random(len(TOPICS)) < rate
        result = sampled_cutoffs(
            *(found, relevant.astype(float), np.full(len(TOPICS), 0.35)),
            sampled=sampled,
            inclusion=np.full(len(TOPICS), rate),
            topics=TOPICS,
        )
        truth = slowly(found, relevant)
        straight = replace(result, _second=np.zeros_like(result._second))
        for one, into in ((result, held), (straight, narrower)):
            sums = one.estimate(np.arange(1))
            into.append(bool(sums.low[0] <= truth[0] <= sums.high[0]))
    assert np.mean(held) >= 0.94
    assert np.mean(narrower) < np.mean(held)


def test_pairs_are_those_of_the_slopes() -> None:
    """Each sampled document with each other one of its topic, added up one by one."""
    rng = np.random.default_rng(6)
    found, chances, relevant = rankings(rng), rng.uniform(0.2, 0.5, len(TOPICS)), rng.random(len(TOPICS)) < 0.4
    sampled = rng.random(len(TOPICS)) < 0.3

    def scores(moved: Floats) -> Floats:
        """Of documents that none is sampled of: what is expected, with the rank weights of R plus so many."""
        nothing = np.zeros(len(TOPICS), dtype=bool)
        return sampled_cutoffs(
            *(found, moved, moved), sampled=nothing, inclusion=np.ones(len(TOPICS)), topics=TOPICS
        ).calibrated

    result = sampled_cutoffs(
        *(found, relevant.astype(float), chances),
        sampled=sampled,
        inclusion=np.full(len(TOPICS), 0.3),
        topics=TOPICS,
    )
    known = np.where(sampled, relevant, chances)
    docs, step = np.flatnonzero(sampled), 1e-3
    off = (relevant - chances)[docs] * 0.7 / 0.3
    slopes, pairs = np.zeros((2, 4, len(docs)))

    def moved(*by: tuple[int, float]) -> Floats:
        at = known.astype(float)
        for doc, much in by:
            at[doc] += much
        return scores(at)

    for i, doc in enumerate(docs):
        slopes[:, i] = (moved((doc, step)) - moved((doc, -step))) / (2 * step) * off[i]
        for j, other in enumerate(docs):
            if i != j and TOPICS[doc] == TOPICS[other]:
                corners = [moved((doc, a * step), (other, b * step)) * a * b for a in (1, -1) for b in (1, -1)]
                pairs[:, i] += sum(corners) / (4 * step**2) * off[i] * off[j]
    # Slopes here are those of steps of one document, and R's spread stays as it is.
    assert np.corrcoef(slopes.ravel(), result._first.ravel())[0, 1] > 0.98
    assert np.corrcoef(pairs.ravel(), result._second.ravel())[0, 1] > 0.85


def test_a_topic_without_relevant_documents_scores_0() -> None:
    found = rankings(np.random.default_rng(4))
    result = sampled_cutoffs(
        *(found, np.zeros(len(TOPICS)), np.zeros(len(TOPICS))),
        sampled=np.ones(len(TOPICS), dtype=bool),
        inclusion=np.full(len(TOPICS), 0.5),
        topics=TOPICS,
    ).estimate(np.arange(4))
    assert result.estimate.tolist() == result.low.tolist() == result.high.tolist() == [0.0] * 4
