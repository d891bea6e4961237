"""Agreement of rankings, against SciPy, published numbers, and the definitions written out."""

from __future__ import annotations

import itertools
import math
from dataclasses import FrozenInstanceError, asdict

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

import unjudged as uj
from unjudged.uncertainty.agreement import agreement

CORRELATIONS = ["tau_a", "tau_b", "tau_ap", "spearman", "pearson"]
# Scores with many ties and scores without.
SCORES = st.one_of(st.integers(0, 4).map(lambda fifth: fifth / 5), st.floats(0, 1).map(lambda score: round(score, 9)))
PAIRS = st.integers(2, 7).flatmap(lambda n: arrays(float, (2, n), elements=SCORES))
# Test data of the R package ircor (J. Urbano), and its values of tau_AP and tau_AP,a to four decimals.
IRCOR = [
    (
        [0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992],
        [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988],
        0.8519,
        0.7454,
    ),
    (
        [0.266, 0.573, 0.202, 0.945, 0.629, 0.206, 0.687, 0.77, 0.718, 0.38],
        [0.263, 0.843, 0.728, 0.928, 0.08, 0.114, 0.467, 0.641, 0.973, 0.644],
        0.2504,
        0.2692,
    ),
    (
        [0.185, 0.573, 0.944, 0.129, 0.468, 0.553, 0.761, 0.405, 0.976, 0.445],
        [0.845, 0.272, 0.275, 0.924, 0.605, 0.334, 0.162, 0.872, 0.018, 0.25],
        -0.6971,
        -0.5558,
    ),
]

# Rankings as groups of ties, a letter for each system.
RBO_EXAMPLES = [
    (["a", "b", "c", "d", "e"], ["b", "a", "c", "e", "d"], 0.9, 0.881775),
    (["ab", "c", "def"], ["a", "bcd", "e", "f"], 0.8, 0.790232889),
    (["abcd"], ["d", "ab", "c"], 0.95, 0.92746875),
    (["a", "bcdefg", "h"], ["gh", "def", "c", "b", "a"], 0.7, 0.27479165),
    (["abc"], ["abc"], 0.9, 0.903333333),
]


@pytest.mark.parametrize(("x", "y", "plain", "tied"), IRCOR)
def test_tau_ap_has_the_published_values(x, y, plain: float, tied: float) -> None:
    assert agreement(x, y).tau_ap == pytest.approx(plain, abs=5e-5)
    assert agreement(x, np.round(y, 1)).tau_ap == pytest.approx(tied, abs=5e-5)


@settings(deadline=None)
@given(sides=PAIRS)
def test_correlations_are_scipys(sides: np.ndarray) -> None:
    x, y = sides
    result = agreement(x, y)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert math.isnan(result.tau_b)
        assert math.isnan(result.spearman)
        assert math.isnan(result.pearson)
        assert result.tau_a == result.tau_ap == 0
        return
    assert result.tau_b == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)
    assert result.spearman == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-9)
    assume(min(np.ptp(x), np.ptp(y)) > 1e-3)  # SciPy warns that it is inaccurate for nearly constant scores
    assert result.pearson == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-9)


@given(sides=PAIRS)
def test_tau_a_by_definition(sides: np.ndarray) -> None:
    x, y = sides
    pairs = list(itertools.combinations(range(len(x)), 2))
    balance = sum(np.sign(x[i] - x[j]) * np.sign(y[i] - y[j]) for i, j in pairs)
    assert agreement(x, y).tau_a == pytest.approx(balance / len(pairs), abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(sides=st.integers(2, 5).flatmap(lambda n: arrays(float, (2, n), elements=SCORES)), p=st.floats(0.05, 0.95))
def test_ties_are_broken_in_all_ways(sides: np.ndarray, p: float) -> None:
    """tau_AP and RBO are the means of their plain definitions over all strict orders that the scores allow."""
    x, y = sides
    orders = [(i, j) for i in strict_orders(x) for j in strict_orders(y)]
    result = agreement(x, y, p=p)
    assert result.tau_ap == pytest.approx(np.mean([plain_tau_ap(i, j) for i, j in orders]), abs=1e-12)
    assert result.rbo == pytest.approx(np.mean([plain_rbo(i, j, p) for i, j in orders]), abs=1e-12)


def strict_orders(scores: np.ndarray) -> list[tuple[int, ...]]:
    """Orders of the systems, best first, in which no system is above a better one."""
    every = itertools.permutations(range(len(scores)))
    return [order for order in every if all(np.diff(scores[list(order)]) <= 0)]


def plain_tau_ap(truth: tuple[int, ...], estimate: tuple[int, ...]) -> float:
    """Yilmaz, Aslam and Robertson, SIGIR 2008, equation 4."""
    place = {system: rank for rank, system in enumerate(truth)}
    shares = [sum(place[above] < place[estimate[i]] for above in estimate[:i]) / i for i in range(1, len(estimate))]
    return 2 * sum(shares) / (len(estimate) - 1) - 1


def plain_rbo(x: tuple[int, ...], y: tuple[int, ...], p: float) -> float:
    """Webber, Moffat and Zobel, TOIS 2010, equation 4; from the last rank on both lists hold the same systems."""
    depths = range(1, len(x) + 1)
    overlaps = [len(set(x[:depth]) & set(y[:depth])) / depth for depth in depths]
    return (1 - p) * sum(p ** (d - 1) * share for d, share in zip(depths, overlaps, strict=True)) + p ** len(x)


def test_rbo_has_the_values_of_the_authors_code() -> None:
    """Corsi and Urbano's rbo(x, y, p, ties="a", score="ext"), github.com/julian-urbano/sigir2024-rbo."""
    for x, y, p, expected in RBO_EXAMPLES:
        names = sorted({*itertools.chain(*x)})
        sides = [[-next(i for i, group in enumerate(side) if name in group) for name in names] for side in (x, y)]
        assert agreement(*sides, p=p).rbo == pytest.approx(expected, abs=1e-9)


def test_rbo_extremes() -> None:
    scores = np.arange(40.0)
    assert agreement(scores, scores).rbo == pytest.approx(1)
    # Two systems swapped: they agree on nothing at depth 1, weight 1 - p.
    assert agreement([1, 2], [2, 1], p=0.3).rbo == pytest.approx(0.3)
    # A reversed ranking of the same systems is not 0: from the middle on the lists must overlap.
    assert 0 < agreement(scores, -scores).rbo < 0.1
    long = np.random.default_rng(1).random((2, 3000))
    assert agreement(*long, p=0.5).rbo == pytest.approx(agreement(*long, p=0.5 + 1e-12).rbo, abs=1e-9)


@settings(max_examples=50, deadline=None)
@given(sides=PAIRS, seed=st.integers(0, 50))
def test_invariants(sides: np.ndarray, seed: int) -> None:
    x, y = sides
    result = agreement(x, y)
    order = np.random.default_rng(seed).permutation(len(x))
    for name, value in asdict(agreement(x[order], y[order])).items():
        assert value == pytest.approx(getattr(result, name), abs=1e-9, nan_ok=True), name
    back = agreement(y, x)
    for name in ("tau_a", "tau_b", "spearman", "pearson", "rbo", "rmse"):
        assert getattr(back, name) == pytest.approx(getattr(result, name), abs=1e-9, nan_ok=True), name
    assert back.bias == pytest.approx(-result.bias, abs=1e-12)
    assert back.rmse_lower == pytest.approx(result.rmse_upper, abs=1e-12)
    scaled = agreement(x, 2 * y + 8)
    for name in ("tau_b", "spearman") if len(set(y)) == len(set(2 * y + 8)) else ():
        assert getattr(scaled, name) == pytest.approx(getattr(result, name), abs=1e-9, nan_ok=True), name
    for name in CORRELATIONS:
        assert math.isnan(getattr(result, name)) or -1 <= getattr(result, name) <= 1
    assert 0 < result.rbo <= 1 + 1e-12


@given(sides=PAIRS)
def test_errors_split_into_both_directions(sides: np.ndarray) -> None:
    truth, estimate = sides
    result = agreement(truth, estimate)
    assert result.rmse == pytest.approx(np.sqrt(np.mean((estimate - truth) ** 2)))
    assert result.rmse_lower == pytest.approx(np.sqrt(np.mean((np.maximum(estimate, truth) - truth) ** 2)))
    assert result.rmse_upper == pytest.approx(np.sqrt(np.mean((np.minimum(estimate, truth) - truth) ** 2)))
    assert result.rmse_lower**2 + result.rmse_upper**2 == pytest.approx(result.rmse**2)
    assert result.bias == pytest.approx(np.mean(estimate) - np.mean(truth), abs=1e-12)


def test_same_and_reversed_order() -> None:
    scores = np.linspace(0, 1, 20)
    assert [getattr(agreement(scores, scores), name) for name in CORRELATIONS] == pytest.approx([1] * 5)
    assert [getattr(agreement(scores, -scores), name) for name in CORRELATIONS] == pytest.approx([-1] * 5)


def test_scores_that_differ_by_rounding_are_tied() -> None:
    """The mean of the same three numbers in two orders, which SciPy takes for two means."""
    first, second = (0.1 + 0.2 + 0.3) / 3, (0.3 + 0.2 + 0.1) / 3
    assert first != second
    expected = agreement([0.2, 0.2, 0.1, 0.9], [3, 2, 1, 4])
    for scale in (1, 1e-9, 1e9):
        means = np.array([first, second, 0.1, 0.9]) * scale
        result = agreement(means, [3, 2, 1, 4])
        for name in ("tau_a", "tau_b", "tau_ap", "spearman", "rbo"):
            assert getattr(result, name) == getattr(expected, name), name


def test_tau_ap_punishes_mistakes_at_the_top_of_the_estimate() -> None:
    truth = np.arange(10.0, 0, -1)
    top, bottom = truth.copy(), truth.copy()
    top[[0, 1]], bottom[[8, 9]] = top[[1, 0]], bottom[[9, 8]]
    assert agreement(truth, top).tau_a == agreement(truth, bottom).tau_a
    assert agreement(truth, top).tau_ap < agreement(truth, bottom).tau_ap


def test_many_systems_are_compared_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    sides = np.random.default_rng(3).random((2, 200)).round(2)
    whole = agreement(*sides)
    monkeypatch.setattr("unjudged.uncertainty.agreement._CELLS", 500)
    for name, value in asdict(agreement(*sides)).items():
        assert value == pytest.approx(getattr(whole, name), abs=1e-14), name


def test_names_are_matched() -> None:
    truth, estimate = {"a": 0.1, "b": 0.2, "c": 0.6}, {"c": 0.5, "b": 0.3, "a": 0.1}
    expected = agreement([0.1, 0.2, 0.6], [0.1, 0.3, 0.5])
    assert agreement(truth, estimate) == expected
    assert agreement(pd.Series(truth), pd.Series(estimate)) == expected
    assert agreement(truth, pd.Series(estimate)) == expected


def test_it_is_public_and_frozen() -> None:
    result = uj.agreement([1, 2, 3], (1, 3, 2))
    assert isinstance(result, uj.Agreement)
    assert result.systems == 3
    with pytest.raises(FrozenInstanceError):
        result.tau_a = 2.0  # type: ignore[misc]


@pytest.mark.parametrize(
    ("truth", "estimate", "message"),
    [
        ([1, 2], [1, 2, 3], "both sides must have the same systems; there are 2 and 3"),
        ([1], [1], "agreement needs at least 2 systems, not 1"),
        ({}, {}, "agreement needs at least 2 systems, not 0"),
        ({"a": 1}, [1], "give scores by name on both sides, or on neither"),
        (
            {"a": 1, "b": 2, "x": 3},
            {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6},
            "both sides must have the same systems; only in the truth: x; only in the estimate: c, d, e and 1 more",
        ),
        ({"a": 1, "b": 2}, {"a": 1}, "both sides must have the same systems; only in the truth: b"),
        ([1, float("nan")], [1, 2], "1 of 2 scores in the truth are NaN or infinite"),
        ([1, 2], [1, float("inf")], "1 of 2 scores in the estimate are NaN or infinite"),
        ([1, 2], ["a", "b"], "the estimate must be a list of numbers"),
        ([[1, 2]], [[1, 2]], "the truth must be a list of numbers, not of shape (1, 2)"),
        (pd.Series([1, 2], index=["a", "a"]), {"a": 1}, "a system is named twice"),
    ],
)
def test_mistakes_are_named(truth, estimate, message: str) -> None:
    with pytest.raises(uj.InputError) as error:
        agreement(truth, estimate)
    assert str(error.value) == message


@pytest.mark.parametrize("p", [0, 1, 1.5, float("nan")])
def test_p_is_a_persistence(p: float) -> None:
    with pytest.raises(uj.InputError, match=rf"^p must be a number above 0 and below 1, not {p}$"):
        agreement([1, 2], [1, 2], p=p)
