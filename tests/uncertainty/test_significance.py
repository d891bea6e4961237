"""Significance tests against SciPy and against counting by hand; the function that puts them together."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from unjudged.errors import InputError, SpecError
from unjudged.uncertainty import BenjaminiHochberg, Randomisation, effect_sizes, significance_tests
from unjudged.uncertainty.draws import run_orders, signs, topic_counts
from unjudged.uncertainty.paired import all_pairs, pairs_against
from unjudged.uncertainty.significance import significance

ONE_PAIR = np.array([[0, 1]])
TENTHS = st.integers(0, 10).map(lambda tenth: tenth / 10)


def p_of(test: str, first: np.ndarray, second: np.ndarray) -> float:
    return float(significance_tests.parse(test).p_values(np.stack([first, second]), ONE_PAIR)[0])


@pytest.fixture(scope="module")
def scores() -> np.ndarray:
    rng = np.random.default_rng(12)
    return np.clip(rng.beta(1, 2, (8, 40)) + rng.normal(0, 0.1, (8, 1)), 0, 1)


# ---- against SciPy


def test_t_is_scipys(scores: np.ndarray) -> None:
    result = significance(scores, test="t")
    for (first, second), p in zip(result.pairs, result.p, strict=True):
        assert p == pytest.approx(stats.ttest_rel(scores[first], scores[second]).pvalue, rel=1e-8)


def test_sign_is_the_binomial_test(scores: np.ndarray) -> None:
    scores = scores.round(1)
    result = significance(scores, test="sign")
    for (first, second), p in zip(result.pairs, result.p, strict=True):
        difference = scores[first] - scores[second]
        better, worse = int((difference > 0).sum()), int((difference < 0).sum())
        assert p == pytest.approx(stats.binomtest(better, better + worse).pvalue, rel=1e-9)


@pytest.mark.parametrize("topics", [1, 5, 20, 50, 51, 400])
def test_wilcoxon_without_ties_is_scipys(topics: int) -> None:
    rng = np.random.default_rng(topics)
    for _ in range(5):
        first, second = rng.random((2, topics))
        method = "exact" if topics <= 50 else "asymptotic"
        expected = stats.wilcoxon(first, second, method=method).pvalue
        assert p_of("wilcoxon", first, second) == pytest.approx(expected, rel=1e-8)


def test_wilcoxon_with_ties_and_zeros_is_scipys_above_50() -> None:
    rng = np.random.default_rng(4)
    first, second = rng.integers(0, 20, (2, 120)).astype(float)
    expected = stats.wilcoxon(first, second, method="asymptotic", correction=False).pvalue
    assert p_of("wilcoxon", first / 16, second / 16) == pytest.approx(expected, rel=1e-9)


def test_randomisation_is_scipys_permutation_test() -> None:
    rng = np.random.default_rng(9)
    for topics in (3, 8, 10):
        first, second = rng.random((2, topics))
        expected = stats.permutation_test(
            (first, second), lambda x, y: np.mean(x - y), permutation_type="samples", n_resamples=np.inf
        ).pvalue
        assert p_of("randomisation", first, second) == pytest.approx(expected, rel=1e-12)


def test_drawn_p_values_are_near_exact_ones() -> None:
    rng = np.random.default_rng(10)
    scores = rng.random((6, 14))
    exact = significance(scores, test="randomisation").p
    drawn = significance(scores, test="randomisation(draws=20000,method='draws')").p
    # Five standard errors of a share of 20,000 draws, plus what the +1 rule adds.
    assert (np.abs(drawn - exact) < 5 * np.sqrt(exact * (1 - exact) / 20_000) + 1e-4).all()


# ---- by hand


@settings(max_examples=60, deadline=None)
@given(pairs=st.lists(st.tuples(TENTHS, TENTHS), min_size=1, max_size=9))
def test_exact_randomisation_counts_all_swaps(pairs) -> None:
    first, second = np.array(pairs).T
    tenths = np.rint((first - second) * 10).astype(int)
    sums = [abs(sum(s * d for s, d in zip(flips, tenths, strict=True))) for flips in swaps(len(tenths))]
    expected = np.mean([total >= abs(tenths.sum()) for total in sums])
    assert p_of("randomisation", first, second) == pytest.approx(expected, rel=1e-12)


@settings(max_examples=60, deadline=None)
@given(pairs=st.lists(st.tuples(TENTHS, TENTHS), min_size=1, max_size=9))
def test_exact_wilcoxon_counts_all_swaps(pairs) -> None:
    first, second = np.array(pairs).T
    tenths = np.rint((first - second) * 10)
    tenths = tenths[tenths != 0]
    ranks = stats.rankdata(np.abs(tenths))
    sums = [min(ranks[np.array(f) > 0].sum(), ranks[np.array(f) < 0].sum()) for f in swaps(len(tenths))]
    seen = min(ranks[tenths > 0].sum(), ranks[tenths < 0].sum())
    expected = np.mean([total <= seen for total in sums])
    assert p_of("wilcoxon", first, second) == pytest.approx(expected, rel=1e-12)


def swaps(number: int):
    return itertools.product((-1, 1), repeat=number)


def test_equal_differences_are_tied_although_floating_point_says_otherwise() -> None:
    first, second = np.array([0.3, 0.2, 0.1, 0.7]), np.array([0.2, 0.1, 0.2, 0.6])
    assert (first - second)[0] != (first - second)[1]
    assert p_of("wilcoxon", first, second) == 0.625
    assert p_of("randomisation", first, second) == 0.625
    assert p_of("t", first + 0.1, first) == 2.0**-3  # the same difference on all topics, but for rounding


def test_randomisation_draws_are_the_signs_and_the_plus_one_rule() -> None:
    rng = np.random.default_rng(1)
    scores = rng.random((2, 30))
    difference = scores[0] - scores[1]
    flips = signs(5, 0, 500, 30)
    expected = (1 + (np.abs(flips @ difference) >= abs(difference.sum())).sum()) / 501
    assert Randomisation(draws=500).p_values(scores, ONE_PAIR, seed=5)[0] == expected


def test_the_smallest_drawn_p_value_is_not_zero() -> None:
    scores = np.stack([np.linspace(0.5, 0.9, 40), np.zeros(40)])
    assert p_of("randomisation(draws=999)", *scores) == 0.001
    assert p_of("tukey_hsd(draws=999)", *scores) == 0.001
    assert p_of("bootstrap(draws=999)", *scores) == 0.001


def test_bootstrap_is_the_shift_method_by_hand() -> None:
    rng = np.random.default_rng(2)
    scores = rng.beta(1, 2, (2, 12))
    difference = scores[0] - scores[1]
    shifted = difference - difference.mean()
    seen = abs(stats.ttest_1samp(difference, 0).statistic)
    samples = [np.repeat(shifted, row.astype(int)) for row in topic_counts(7, 0, 800, 12)]
    extreme = sum(abs(stats.ttest_1samp(sample, 0).statistic) >= seen for sample in samples)
    p = significance_tests.parse("bootstrap(draws=800)").p_values(scores, ONE_PAIR, seed=7)[0]
    assert p == (1 + extreme) / 801


def test_bootstrap_counts_draws_without_variance_as_extreme() -> None:
    # Two topics: half of all draws take one topic twice.
    p = significance([[0.5, 0.9], [0.4, 0.1]], test="bootstrap(draws=4000)").p[0]
    assert p == pytest.approx(0.5, abs=0.04)


def test_tukey_is_the_range_of_shuffled_means_by_hand() -> None:
    rng = np.random.default_rng(3)
    scores = rng.random((4, 10))
    orders = run_orders(7, 0, 400, 10, 4)
    ranges = [np.ptp([scores[order[:, k], np.arange(10)].mean() for k in range(4)]) for order in orders]
    result = significance(scores, test="tukey_hsd(draws=400)", seed=7)
    means = scores.mean(axis=1)
    for (first, second), p in zip(result.pairs, result.p, strict=True):
        assert p == (1 + (np.array(ranges) >= abs(means[first] - means[second])).sum()) / 401


def test_tukey_of_two_runs_is_the_randomisation_test() -> None:
    scores = np.random.default_rng(5).integers(0, 11, (2, 12)) / 10
    exact = significance(scores, test="randomisation").p[0]
    drawn = significance(scores, test="tukey_hsd(draws=20000)").p[0]
    assert drawn == pytest.approx(exact, abs=5 * np.sqrt(exact * (1 - exact) / 20_000) + 1e-4)


def test_tukey_keeps_the_rate_of_any_false_alarm() -> None:
    rng = np.random.default_rng(6)
    alarms = [
        significance(rng.normal(0, 1, (6, 15)), test="tukey_hsd(draws=400)", seed=number).corrected.min() <= 0.05
        for number in range(300)
    ]
    assert 0.015 < np.mean(alarms) < 0.10


# ---- effect sizes


def test_effect_sizes_by_hand(scores: np.ndarray) -> None:
    scores = scores.round(1)
    pairs = all_pairs(len(scores))
    effects = effect_sizes(scores, pairs)
    for row, (first, second) in enumerate(pairs):
        difference = (scores[first] - scores[second]).round(9)
        assert effects.mean_difference[row] == pytest.approx(difference.mean(), abs=1e-12)
        assert effects.cohens_d[row] == pytest.approx(difference.mean() / difference.std(ddof=1), rel=1e-9)
        expected = (difference > 0).mean() + (difference == 0).mean() / 2
        assert effects.common_language[row] == pytest.approx(expected)
    back = effect_sizes(scores, pairs[:, ::-1])
    np.testing.assert_allclose(back.cohens_d, -effects.cohens_d)
    np.testing.assert_allclose(back.common_language, 1 - effects.common_language)


def test_effect_sizes_without_variance() -> None:
    scores = np.array([[0.3, 0.2, 0.1], [0.2, 0.1, 0.0], [0.3, 0.2, 0.1]])
    effects = effect_sizes(scores, np.array([[0, 1], [1, 0], [0, 2]]))
    assert effects.cohens_d.tolist() == [np.inf, -np.inf, 0.0]
    assert effects.common_language.tolist() == [1.0, 0.0, 0.5]
    assert effect_sizes([[0.5], [0.5]], ONE_PAIR).cohens_d.tolist() == [0.0]


# ---- all together


def test_pairs_and_baselines() -> None:
    assert all_pairs(3).tolist() == [[0, 1], [0, 2], [1, 2]]
    assert pairs_against(3, 1).tolist() == [[0, 1], [2, 1]]


def test_a_baseline_has_fewer_comparisons(scores: np.ndarray) -> None:
    everything, against = significance(scores, test="t"), significance(scores, test="t", baseline=0)
    assert len(everything) == 28
    assert len(against) == 7
    np.testing.assert_array_equal(against.p, everything.p[:7])
    np.testing.assert_array_equal(against.effects.mean_difference, -everything.effects.mean_difference[:7])
    assert (against.corrected <= everything.corrected[:7]).all()


def test_holm_is_the_correction_unless_the_test_corrects_itself(scores: np.ndarray) -> None:
    assert str(significance(scores, test="t").correction) == "holm"
    result = significance(scores, test="tukey_hsd(draws=50)")
    assert str(result.correction) == "none"
    np.testing.assert_array_equal(result.corrected, result.p)


def test_classes_and_values_name_tests_as_well_as_strings(scores: np.ndarray) -> None:
    by_name = significance(scores, test="permutation(draws=100)", correction="fdr")
    by_value = significance(scores, test=Randomisation(draws=100), correction=BenjaminiHochberg)
    np.testing.assert_array_equal(by_name.corrected, by_value.corrected)


def test_a_duplicate_run_spoils_no_other_p_value(scores: np.ndarray) -> None:
    """One duplicate run turns every Benjamini-Hochberg p-value into NaN in another tool."""
    twice = np.concatenate([scores, scores[:1]])
    for test, correction in itertools.product(["t", "wilcoxon", "sign", "randomisation"], ["bh", "holm"]):
        result = significance(twice, test=test, correction=correction)
        assert ((result.corrected >= 0) & (result.corrected <= 1)).all()


def test_a_result_says_when_nothing_can_be_significant() -> None:
    scores = np.random.default_rng(1).random((3, 5))
    result = significance(scores, test="sign").warnings
    assert [(notice.code, notice.count) for notice in result] == [("out-of-reach", 3)]
    assert result[0].message == "no p-value can be below 0.19 with 5 topics, 3 comparisons, sign and holm"
    many = np.random.default_rng(1).random((20, 50))
    result = significance(many, test="randomisation(draws=1000)").warnings
    assert result[0].message == (
        "no p-value can be below 0.19 with 50 topics, 190 comparisons, randomisation(draws=1000) and holm"
    )
    assert significance(many, test="t").warnings == ()
    # Two runs that differ on 16 topics only: all swaps of these are counted, however few draws were asked for.
    many[1] = np.where(np.arange(50) < 16, many[0] + 0.1, many[0])
    result = significance(many, test="randomisation(draws=1000)")
    assert result.corrected.min() == pytest.approx(190 * 2**-15)
    assert result.warnings == ()
    # Runs that do not differ could have, on so many topics.
    assert significance([[0.1] * 9] * 2, test="sign").warnings == ()
    assert significance(many, test="randomisation(draws=1000)", correction="bh").warnings == ()


def test_mistakes_are_named() -> None:
    scores = [[0.1, 0.2], [0.3, 0.4]]
    for kwargs, message in (
        ({"baseline": 2}, "the baseline must be a row from 0 to 1, not 2"),
        ({"baseline": -1}, "the baseline must be a row from 0 to 1, not -1"),
        (
            {"test": "tukey_hsd", "correction": "holm"},
            "tukey_hsd needs no correction: its p-values allow for all comparisons; use 'none'",
        ),
        ({"batch": 0, "test": "tukey_hsd"}, "batch must be a whole number of at least 1, not 0"),
    ):
        with pytest.raises(InputError) as error:
            significance(scores, **kwargs)
        assert str(error.value) == message
    for kwargs, message in (
        (
            {"test": "wilcoxn"},
            "unknown significance test 'wilcoxn'; did you mean 'wilcoxon'?"
            " (there are bootstrap, randomisation, sign, t, tukey_hsd, wilcoxon)",
        ),
        (
            {"correction": "bonferoni"},
            "unknown correction 'bonferoni'; did you mean 'bonferroni'? (there are bh, bonferroni, holm, none)",
        ),
        ({"test": "randomisation(draws=0)"}, "randomisation: draws must be a whole number of at least 1, not 0"),
    ):
        with pytest.raises(SpecError) as error:
            significance(scores, **kwargs)
        assert str(error.value) == message
    for bad, message in (
        ([[0.1, 0.2]], "at least 2 runs must be given, not 1"),
        ([[], []], "at least 1 topic must be given, not 0"),
        ([[0.1, np.inf], [0.1, np.nan]], "2 of 4 scores are NaN or infinite; leave those topics out first"),
    ):
        with pytest.raises(InputError) as error:
            significance(bad)
        assert str(error.value) == message
