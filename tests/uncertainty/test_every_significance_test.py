"""What holds for every significance test, every correction and every interval method."""

from __future__ import annotations

import inspect
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from unjudged.uncertainty import corrections, interval_methods, significance_tests
from unjudged.uncertainty.paired import all_pairs, paired_differences
from unjudged.uncertainty.significance import significance

EXAMPLES = {
    "bootstrap": ["bootstrap(draws=300)"],
    "randomisation": ["randomisation", "randomisation(draws=300,method='draws')"],
    "sign": ["sign"],
    "t": ["t"],
    "tukey_hsd": ["tukey_hsd(draws=300)"],
    "wilcoxon": ["wilcoxon"],
}
TESTS = [text for texts in EXAMPLES.values() for text in texts]
EXACT = ["t", "sign", "wilcoxon", "randomisation"]
# A grid as of P@10, with ties and zeros, and any number.
ELEMENTS = st.one_of(st.integers(0, 10).map(lambda tenth: tenth / 10), st.floats(0, 1))
MATRICES = st.tuples(st.integers(2, 4), st.integers(1, 9)).flatmap(lambda s: arrays(float, s, elements=ELEMENTS))


def test_every_test_has_an_example() -> None:
    assert sorted(EXAMPLES) == sorted(cls.name for cls in significance_tests)


@pytest.mark.parametrize("cls", [*significance_tests, *corrections, *interval_methods], ids=str)
def test_everything_is_explained(cls) -> None:
    assert cls.title
    assert cls.reference
    assert inspect.getdoc(cls)


@pytest.mark.parametrize("cls", [*significance_tests, *corrections, *interval_methods], ids=str)
def test_everything_is_in_the_docs(cls) -> None:
    page = Path(__file__).parents[2] / "docs" / "significance.md"
    assert f"| `{cls.name}` |" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("text", TESTS)
def test_the_name_reads_back(text: str) -> None:
    assert str(significance_tests.parse(text)) == text


@pytest.mark.parametrize("test", TESTS)
@settings(max_examples=30, deadline=None)
@given(scores=MATRICES)
def test_p_values_are_probabilities_and_have_no_direction(test: str, scores: np.ndarray) -> None:
    how = significance_tests.parse(test)
    pairs = all_pairs(len(scores))
    p = how.p_values(scores, pairs)
    assert ((p > 0) & (p <= 1)).all()
    differing = (paired_differences(scores, pairs) != 0).sum(axis=1)
    assert all(one >= min(1.0, how.smallest(topics)) * (1 - 1e-12) for one, topics in zip(p, differing, strict=True))
    np.testing.assert_array_equal(how.p_values(scores, pairs[:, ::-1]), p)


@pytest.mark.parametrize("test", TESTS)
@settings(max_examples=30, deadline=None)
@given(scores=MATRICES)
def test_a_pair_without_a_difference_has_p_1(test: str, scores: np.ndarray) -> None:
    twice = np.concatenate([scores, scores[:1]])
    result = significance(twice, test=test)
    same = (result.pairs == [0, len(scores)]).all(axis=1)
    assert result.p[same] == 1
    assert result.corrected[same] == 1
    assert not np.isnan(result.corrected).any()


@pytest.mark.parametrize("test", TESTS)
def test_zero_variance_is_a_number(test: str) -> None:
    scores = np.array([[0.5] * 6, [0.4] * 6, [0.5] * 6])
    p = significance_tests.parse(test).p_values(scores, all_pairs(3))
    assert not np.isnan(p).any()
    assert p[1] == 1
    if test in {"t", "randomisation", "sign", "wilcoxon", "bootstrap(draws=300)"}:
        assert p[0] == 2.0**-5


@pytest.mark.parametrize("test", TESTS)
def test_one_topic_is_no_evidence(test: str) -> None:
    assert significance([[0.1], [0.9]], test=test).p == 1


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("batch", [1, 17, 300, 10_000])
def test_no_number_depends_on_the_batch(test: str, batch: int) -> None:
    scores = np.random.default_rng(3).beta(1, 2, (5, 20))
    pairs = all_pairs(5)
    how = significance_tests.parse(test)
    np.testing.assert_array_equal(how.p_values(scores, pairs, batch=batch), how.p_values(scores, pairs))


@pytest.mark.parametrize("test", TESTS)
def test_the_seed_decides(test: str) -> None:
    scores = np.random.default_rng(3).beta(1, 2, (5, 20))
    how, pairs = significance_tests.parse(test), all_pairs(5)
    np.testing.assert_array_equal(how.p_values(scores, pairs, seed=1), how.p_values(scores, pairs, seed=1))
    others = how.p_values(scores, pairs, seed=1) != how.p_values(scores, pairs, seed=2)
    assert others.any() == (test not in {"t", "sign", "wilcoxon"})


@pytest.mark.parametrize("test", [test for test in TESTS if "tukey" not in test])
def test_no_number_depends_on_which_other_pairs_are_tested(test: str) -> None:
    scores = np.random.default_rng(4).beta(1, 2, (6, 20))
    how, pairs = significance_tests.parse(test), all_pairs(6)
    whole = how.p_values(scores, pairs)
    np.testing.assert_array_equal(how.p_values(scores, pairs[[9, 3]]), whole[[9, 3]])
    np.testing.assert_array_equal(
        how.p_values(scores[[5, 2]], np.array([[1, 0]])), whole[(pairs == [2, 5]).all(axis=1)]
    )
    assert len(how.p_values(scores, pairs[:0])) == 0


@pytest.mark.parametrize("test", EXACT)
@settings(max_examples=30, deadline=None)
@given(scores=MATRICES, seed=st.integers(0, 100))
def test_exact_p_values_do_not_depend_on_the_order_of_topics_and_runs(test: str, scores, seed: int) -> None:
    rng = np.random.default_rng(seed)
    how, pairs = significance_tests.parse(test), all_pairs(len(scores))
    p = how.p_values(scores, pairs)
    topics, runs = rng.permutation(scores.shape[1]), rng.permutation(len(scores))
    np.testing.assert_allclose(how.p_values(scores[:, topics], pairs), p, rtol=1e-9)
    np.testing.assert_allclose(how.p_values(scores[runs], np.argsort(runs)[pairs]), p, rtol=1e-9)


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("factor", [0.25, 1e-280, 1e280])
def test_the_unit_of_the_measure_does_not_matter(test: str, factor: float) -> None:
    scores = np.random.default_rng(6).beta(1, 2, (4, 15)).round(2)
    how, pairs = significance_tests.parse(test), all_pairs(4)
    np.testing.assert_allclose(how.p_values(scores * factor, pairs), how.p_values(scores, pairs), rtol=1e-9)


@pytest.mark.parametrize("test", TESTS)
def test_the_rate_of_false_alarms_is_the_level(test: str) -> None:
    """400 pairs of equally good runs, 12 topics: 5% and 3.5 standard errors; less where p-values are coarse."""
    rng = np.random.default_rng(8)
    how = significance_tests.parse(test.replace("300", "2000"))
    p = np.concatenate(
        [how.p_values(rng.normal(0, 1, (2, 12)), np.array([[0, 1]]), seed=number) for number in range(400)]
    )
    assert 0.005 < (p <= 0.05).mean() < 0.088
