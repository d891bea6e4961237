"""Judgments made without looking: what is counted by hand, what sums must be, and planted ones that must be found."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unjudged.labels.blind_judgments import BlindJudgments, topic_shares


def drawn(seed: int, number: int = 4000, rate: float = 0.0) -> tuple[BlindJudgments, np.ndarray]:
    """Judgments as their chances say, of which a share is blind; and which of them are wrong because of that."""
    rng = np.random.default_rng(seed)
    reached = rng.beta(0.3, 1.5, size=number)
    right = (rng.random(number) < reached).astype(np.int64)
    blind = rng.random(number) < rate
    levels = np.where(blind, rng.random(number) < right.mean(), right).astype(np.int64)
    share = levels.mean()
    chances = (1 - rate) * np.stack([1 - reached, reached], axis=1) + rate * np.array([1 - share, share])
    return BlindJudgments(levels, chances, np.tile([1 - share, share], (number, 1))), levels != right


def test_shares_of_topics_are_joined_by_five_judgments_of_the_collection() -> None:
    topics, levels = np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1])
    shares = topic_shares(topics, levels, number=3)
    assert shares[0] == pytest.approx([(2 + 5 * 0.5) / 8, (1 + 5 * 0.5) / 8, 0])
    assert shares[3] == pytest.approx([5 * 0.5 / 6, (1 + 5 * 0.5) / 6, 0])


def test_ratios_are_chances_over_shares() -> None:
    one = BlindJudgments(
        np.array([0, 1]), np.array([[0.9, 0.1, 0.0], [0.4, 0.6, 0.0]]), np.array([[0.5, 0.5, 0.0]] * 2)
    )
    assert one.ratios == pytest.approx(np.array([[1.8, 0.2, np.inf], [0.8, 1.2, np.inf]]))
    assert one.own == pytest.approx([1.8, 1.2])


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), rate=st.sampled_from([0.0, 0.05, 0.3]))
def test_what_must_hold(seed: int, rate: float) -> None:
    one, _ = drawn(seed, 300, rate)
    if len(np.unique(one.levels)) < 2:
        return
    order = np.argsort(one.own, kind="stable")
    assert (np.diff(one.calibrated(one.own[order])) >= -1e-12).all()
    wrong = one.wrong(0.1)
    assert (wrong >= 0).all() and (wrong <= 1).all()
    assert 0 < one.most <= 1
    checked = np.array([1, 10, 100, 300])
    for found in one.planted(checked):
        assert (np.diff(found) >= -1e-12).all() and (found >= 0).all() and (found <= 1 + 1e-12).all()


def test_where_all_may_be_blind_a_judgment_is_wrong_as_often_as_its_grade_is_not_given() -> None:
    one = BlindJudgments(np.array([0, 1]), np.array([[0.9, 0.1], [0.4, 0.6]]), np.array([[0.75, 0.25]] * 2))
    with np.errstate(all="raise"):
        wrong = one.wrong(1.0)
    assert wrong == pytest.approx(np.minimum(1, 1 / one.calibrated(one.own)) * [0.25, 0.75])


def test_the_share_found_is_what_planting_one_error_after_the_other_finds() -> None:
    one, _ = drawn(3, 200)
    limit = np.sort(one.own)[19]
    hits, total = 0.0, 0.0
    for i, level in enumerate(one.levels.tolist()):
        weight = one.shares[i, 1 - level]
        total += weight
        hits += weight * (one.ratios[i, 1 - level] <= limit)
    assert one.planted(np.array([20]))[0][0] == pytest.approx(hits / total)


@pytest.mark.parametrize("rate", [0.03, 0.1])
def test_planted_errors_are_found_at_the_rate_that_is_said(rate: float) -> None:
    said, found, expected, there = [], [], [], []
    for seed in range(8):
        one, wrong = drawn(seed, rate=rate)
        worst = np.argsort(one.own, kind="stable")[:200]
        said.append(one.planted(np.array([200]))[0][0])
        found.append(wrong[worst].sum() / wrong.sum())
        expected.append(one.wrong(rate)[worst].sum())
        there.append(wrong[worst].sum())
        assert one.most >= rate
    # What is wrong already is counted among what would not be found, so that rather too little is said.
    assert -0.03 < np.mean(found) - np.mean(said) < 0.08
    assert np.mean(there) == pytest.approx(np.mean(expected), rel=0.25)


def test_without_blind_judgments_not_many_are_possible() -> None:
    assert drawn(1, 20_000)[0].most < 0.03
