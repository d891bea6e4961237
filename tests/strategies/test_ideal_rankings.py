"""Ideal rankings while most judgments are still to come, against topics whose grades are drawn."""

from __future__ import annotations

import numpy as np
import pytest
from rankings_by_hand import joined

from unjudged.measures.capabilities import Browsing, Divisor
from unjudged.strategies import candidates_of, strategies
from unjudged.strategies.decide import DecideOrder
from unjudged.strategies.ideal_rankings import DocumentCounts, IdealRankings, ideal_rankings

GAINS = np.arange(4.0)
SEEN = 1 / np.log2(np.arange(2, 12))
FORM = Browsing(SEEN, GAINS, "ideal")


def counts_of(reached: np.ndarray, known: tuple[int, ...], by_parameters: float = 0.0) -> DocumentCounts:
    """One topic, whose documents reach the levels above the lowest with these probabilities."""
    spread = reached * (1 - reached)
    return DocumentCounts(
        np.array([known], dtype=float),
        reached.sum(axis=0)[None],
        spread.sum(axis=0)[None],
        by_parameters * spread.sum(axis=0)[None] ** 2,
        np.array([len(reached)]),
    )


def expected(ideal: IdealRankings) -> float:
    return float((ideal.probabilities @ ideal.values)[0])


def drawn(reached: np.ndarray, known: tuple[int, ...]) -> np.ndarray:
    """Sums of ideal rankings of drawn grades, document by document."""
    rng = np.random.default_rng(3)
    running = np.concatenate([[0.0], np.cumsum(SEEN)])
    levels = (rng.random((20_000, len(reached), 1)) < reached).sum(axis=2)
    numbers = (levels[:, :, None] > np.arange(3)).sum(axis=1) + np.array(known)
    out: np.ndarray = running[np.minimum(numbers, len(SEEN))].sum(axis=1)
    return out


def reached_by(documents: int, odds: float) -> np.ndarray:
    steps = odds + np.linspace(-2, 2, documents)[:, None] - np.array([0.0, 1.0, 2.0])
    out: np.ndarray = 1 / (1 + np.exp(-steps))
    return out


@pytest.mark.parametrize(
    ("documents", "odds", "known"),
    [(60, -2.0, (0, 0, 0)), (60, -3.0, (2, 1, 0)), (40, 0.0, (5, 2, 1)), (200, -4.0, (12, 3, 0))],
)
def test_the_mean_is_that_of_drawn_grades(documents: int, odds: float, known: tuple[int, ...]) -> None:
    reached = reached_by(documents, odds)
    ideal = ideal_rankings(FORM, GAINS, counts_of(reached, known))
    assert expected(ideal) == pytest.approx(drawn(reached, known).mean(), rel=0.01)


def test_half_a_document_at_the_end_is_worth_less_than_a_whole_one_half_of_the_time() -> None:
    """The sum for the expected number of documents is too high where ranks run out, as C bends."""
    reached = reached_by(60, -2.0)
    of_expected = np.interp(reached.sum(axis=0), np.arange(11), np.concatenate([[0.0], np.cumsum(SEEN)])).sum()
    assert expected(ideal_rankings(FORM, GAINS, counts_of(reached, (0, 0, 0)))) < 0.97 * of_expected


def test_one_more_document_adds_what_it_would_have_added_to_drawn_rankings() -> None:
    reached = reached_by(60, -2.0)
    by_level = ideal_rankings(FORM, GAINS, counts_of(reached, (0, 0, 0))).by_level[0]
    for level in range(1, 4):
        more = tuple(int(level > step) for step in range(3))
        added = drawn(reached, more).mean() - drawn(reached, (0, 0, 0)).mean()
        assert by_level[level] == pytest.approx(added, rel=0.03)


def test_what_is_not_known_of_the_topic_lowers_the_mean_and_moves_gains_with_the_ideal() -> None:
    reached = reached_by(60, -2.0)
    sure, unsure = (ideal_rankings(FORM, GAINS, counts_of(reached, (0, 0, 0), one)) for one in (0.0, 1.0))
    assert expected(unsure) < expected(sure)
    assert unsure.probabilities @ unsure.more[:, 0] == pytest.approx(0.0, abs=1e-9)
    assert (np.diff(unsure.values[:, 0]) > 0).all()
    assert sure.inverse_with_gains()[0] == pytest.approx(0.0, abs=1e-9)
    assert unsure.inverse_with_gains()[0] < 0


@pytest.mark.parametrize(("divisor", "of_level"), [("fixed", 0.0), ("total", 3.0)])
def test_other_divisors(divisor: Divisor, of_level: float) -> None:
    reached = reached_by(30, -1.0)
    ideal = ideal_rankings(Browsing(SEEN, GAINS, divisor, whole=7.0), GAINS, counts_of(reached, (2, 1, 1)))
    assert expected(ideal) == pytest.approx(7.0 if divisor == "fixed" else 4 + reached.sum())
    assert ideal.by_level[0, 3] == pytest.approx(of_level)


def test_all_judged_is_the_ideal_ranking_and_nothing_relevant_counts_as_little() -> None:
    none = np.zeros((1, 3))
    judged = DocumentCounts(np.array([[3.0, 2.0, 1.0]]), none, none, none, np.array([0]))
    assert expected(ideal_rankings(FORM, GAINS, judged)) == pytest.approx(3 * SEEN[0] + 2 * SEEN[1] + SEEN[2])
    nothing = judged._replace(known=none)
    assert expected(ideal_rankings(FORM, GAINS, nothing)) == pytest.approx(1.5)


def test_scores_are_those_of_drawn_grades_and_parameters() -> None:
    """Expected scores and their spread, of nDCG over topics that are drawn from the posterior as a whole."""
    docs = [f"d{i:02}" for i in range(24)]
    rng = np.random.default_rng(5)
    judged = {str(t): {doc: int(rng.integers(3)) for doc in docs} for t in range(6)}
    runs = {name: {topic: list(rng.permutation(docs)) for topic in judged} for name in "xyz"}
    order = strategies.choose("decide(measure=nDCG@5)").start(candidates_of(joined(judged, runs)), seed=1)
    assert isinstance(order, DecideOrder)
    candidates = order.candidates
    truth = np.array(
        [
            judged[candidates.topics[topic]][doc]
            for topic, doc in zip(candidates.topic_of.tolist(), candidates.docs.take(np.arange(144)), strict=True)
        ],
        dtype=np.int32,
    )
    told = np.arange(0, 144, 2)
    order.tell(told, truth[told])
    outlook = order.state.outlook
    scores = np.array([_drawn_scores(order, truth, rng) for _ in range(1500)])
    np.testing.assert_allclose(scores.mean(axis=0), outlook.expected, atol=0.012)
    np.testing.assert_allclose(scores.std(axis=0), np.sqrt(np.diag(outlook.covariance())), rtol=0.15)


def _drawn_scores(order: DecideOrder, truth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    posterior, weights, topic_of = order.posterior, order.weights, order.candidates.topic_of
    at = rng.multivariate_normal(posterior.mode, posterior.covariance)
    taken = 1 / (1 + np.exp(-posterior.descriptions.log_odds(np.arange(len(truth)), at)))
    steps = np.cumprod(rng.random(taken.shape) < taken, axis=1)
    grades = np.where(order.judged, truth, steps.sum(axis=1))
    out = np.zeros(len(weights.weights))
    for topic in range(len(order.candidates.topics)):
        ideal = np.sort(grades[topic_of == topic])[::-1][:5] @ SEEN[:5]
        mine = topic_of[weights.pairs] == topic
        out += weights.weights[:, mine] @ grades[weights.pairs[mine]] / ideal / 6
    return out
