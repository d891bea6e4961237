"""Intervals of means over images, and rules that take two runs for different by them, against loops in plain Python."""

from __future__ import annotations

import math
import statistics
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from unjudged.uncertainty import image_intervals
from unjudged.uncertainty.image_intervals import PairsOnImages, compare_rules, means_on_images

Means = NDArray[np.float64]


def some_means() -> Means:
    rng = np.random.default_rng(5)
    shared = rng.normal(0, 0.02, size=60)
    levels = [0.5, 0.49, 0.45, 0.4, 0.4, 0.2]
    means = np.array([level + shared + rng.normal(0, 0.01, size=60) for level in levels])
    return np.vstack([means, means[0]])  # a duplicate


@pytest.mark.parametrize("level", [0.95, 0.5])
def test_intervals_of_runs_and_of_their_differences(level: float) -> None:
    means = some_means()
    intervals = means_on_images(means, level=level)
    tails = [50 - 50 * level, 50 + 50 * level]
    for run, values in enumerate(means.tolist()):
        assert (intervals.mean[run], intervals.sd[run]) == pytest.approx(
            (statistics.fmean(values), statistics.stdev(values))
        )
        assert (intervals.low[run], intervals.high[run]) == pytest.approx(tuple(np.percentile(values, tails)))
    for i, (a, b) in enumerate(combinations(range(len(means)), 2)):
        assert intervals.pairs.pairs[i].tolist() == [a, b]
        gaps = [x - y for x, y in zip(means[a].tolist(), means[b].tolist(), strict=True)]
        assert intervals.pairs.sd[i] == pytest.approx(statistics.stdev(gaps), abs=1e-15)
        assert (intervals.pairs.low[i], intervals.pairs.high[i]) == pytest.approx(
            tuple(np.percentile(gaps, tails)), abs=1e-15
        )
        ahead = sum(gap > 0 for gap in gaps) + 0.5 * sum(gap == 0 for gap in gaps)
        assert intervals.pairs.p_greater[i] == pytest.approx(ahead / len(gaps))


def test_a_gap_above_1_is_a_mean_outside_of_the_others_interval_both_ways() -> None:
    intervals = means_on_images(some_means())
    outside = disjoint = 0
    for i, (a, b) in enumerate(intervals.pairs.pairs.tolist()):
        a, b = sorted((a, b), key=lambda run: -intervals.mean[run])
        is_outside = intervals.mean[a] > intervals.high[b] and intervals.mean[b] < intervals.low[a]
        assert (intervals.pairs.gap[i] > 1) == is_outside
        assert intervals.pairs.disjoint[i] == (intervals.low[a] > intervals.high[b])
        outside, disjoint = outside + is_outside, disjoint + intervals.pairs.disjoint[i]
    assert 0 < disjoint < outside < len(intervals.pairs.pairs)


def test_runs_that_images_do_not_move() -> None:
    pairs = means_on_images(np.array([[0.5] * 9, [0.25] * 9, [0.5] * 9])).pairs
    assert pairs.gap.tolist() == [math.inf, 0, math.inf]
    assert pairs.p_greater.tolist() == [1, 0.5, 0]
    assert pairs.disjoint.tolist() == [True, False, True]


def test_images_without_a_mean_are_left_out() -> None:
    means = some_means()
    some = means.copy()
    some[2, 7] = np.nan
    for name in ("sd", "low", "high", "p_greater", "gap"):
        expected = getattr(means_on_images(np.delete(means, 7, axis=1)).pairs, name)
        np.testing.assert_array_equal(getattr(means_on_images(some).pairs, name), expected)
    assert np.isnan(means_on_images(np.full((2, 5), np.nan)).pairs.low).all()


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    means = some_means()
    plain = means_on_images(means).pairs
    monkeypatch.setattr(
        image_intervals, "blocks_of_pairs", lambda _, pairs: [pairs[i : i + 2] for i in range(0, 21, 2)]
    )
    for name in ("sd", "low", "high", "p_greater", "gap", "disjoint"):
        np.testing.assert_array_equal(getattr(means_on_images(means).pairs, name), getattr(plain, name))


# ---- rules


def pairs_with(gaps: list[float]) -> PairsOnImages:
    """As many pairs with these gaps; intervals of differences hold 0 up to a gap of 0.7, and meet up to 2."""
    gap = np.array(gaps)
    return PairsOnImages(
        pairs=np.zeros((len(gaps), 2), dtype=np.int64),
        sd=np.zeros(len(gaps)),
        low=gap - 0.7,
        high=gap + 0.7,
        p_greater=np.ones(len(gaps)),
        gap=gap,
        disjoint=gap > 2,
    )


def test_rules_and_a_test_are_counted() -> None:
    gaps, p = [0.5, 0.9, 1.5, 1.8, 2.5, 3.0], [0.2, 0.01, 0.2, 0.04, 0.001, 0.001]
    corrected = np.minimum(1, 6 * np.array(p))
    by_rule = {row.rule: row[1:] for row in compare_rules(pairs_with(gaps), np.array(p), corrected, enough=0.9)}
    assert by_rule == {
        "outside": (1.0, 4, 4, 3, 2, 2),
        "disjoint": (1.0, 2, 4, 2, 2, 2),
        "difference": (1.0, 5, 4, 4, 2, 2),
        "scaled": (1.5, 3, 4, 3, 2, 2),
    }


@given(
    arrays(np.float64, 8, elements=st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.0, math.inf])),
    arrays(np.float64, 8, elements=st.sampled_from([0.01, 0.2])),
    st.sampled_from([0.5, 0.8, 0.95, 1.0]),
)
def test_the_factor_is_the_least_beyond_which_enough_pairs_are_significant(
    gaps: Means, p: Means, enough: float
) -> None:
    scaled = compare_rules(pairs_with(gaps.tolist()), p, p, enough=enough)[-1]

    def is_enough(factor: float) -> bool:
        beyond = p[gaps > factor] < 0.05
        return bool(beyond.sum() >= enough * len(beyond))

    assert is_enough(scaled.factor)
    assert not any(is_enough(factor) for factor in (0.0, *gaps.tolist()) if factor < scaled.factor)
    beyond = gaps > scaled.factor
    assert (scaled.apart, scaled.both) == (beyond.sum(), (beyond & (p < 0.05)).sum())
