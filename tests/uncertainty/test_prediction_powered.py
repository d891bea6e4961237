"""Intervals from a few human and many machine judgments: the published ones to 1e-9; ours hold what they promise."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from unjudged.errors import InputError
from unjudged.uncertainty.difference_estimator import difference_estimate
from unjudged.uncertainty.prediction_powered import (
    classical,
    powered_randomisation,
    prediction_powered,
    published_ppi,
)

# ppi_mean_pointestimate and ppi_mean_ci(alpha=.05) of ppi-python 0.2.3 for scores(seed, n, N), first with their lambda,
# then with lam=.5; ppi-python brings numba, statsmodels and pandas, so most runs compare with these, and the slow test
# with itself.
PPI_PYTHON = [
    (1, 15, 150, 0.3939289440720997, 0.34693635802789974, 0.4409215301162997),
    (2, 10, 40, 0.44264129083346593, 0.37766056238678675, 0.5076220192801452),
    (3, 25, 30, 0.5507787727435457, 0.48525848086670686, 0.6162990646203845),
]
WITH_HALF = [
    (1, 15, 150, 0.42735790521005845, 0.3884050780771934, 0.46631073234292353),
    (2, 10, 40, 0.4427550856403317, 0.37769341004201007, 0.5078167612386534),
    (3, 25, 30, 0.5424585834224063, 0.4745063713698662, 0.6104107954749464),
]


def scores(seed: int, n: int, further: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores that need no generator of random numbers, so that another tool can be given the same ones."""
    i = np.arange(1, n + further + 1)
    truth = np.modf(np.sin(i * (seed + 12.9898)) * 43758.5453)[0] % 1
    noise = np.modf(np.sin(i * (seed + 78.233)) * 12543.123)[0] % 1
    return (0.7 * truth + 0.3 * noise)[None, :n], truth[None, :n], truth[None, n:]


def drawn(seed: int, rows: int = 6, n: int = 15, further: int = 100, worth: float = 0.8) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    truth = rng.normal(0, 1, (rows, n + further))
    labels = worth * truth + np.sqrt(1 - worth**2) * rng.normal(0, 1, truth.shape)
    return truth[:, :n], labels[:, :n], labels[:, n:]


@pytest.mark.parametrize("case", PPI_PYTHON)
def test_the_published_interval_is_that_of_ppi_python(case: tuple[float, ...]) -> None:
    result = published_ppi(*scores(*case[:3]))  # type: ignore[arg-type]
    assert [result.estimate[0], result.low[0], result.high[0]] == pytest.approx(case[3:], abs=1e-9)


@pytest.mark.parametrize("case", WITH_HALF)
def test_a_given_weight_is_used(case: tuple[float, ...]) -> None:
    result = published_ppi(*scores(*case[:3]), weight=0.5)  # type: ignore[arg-type]
    assert [result.estimate[0], result.low[0], result.high[0]] == pytest.approx(case[3:], abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("weight", [None, 0.5])
def test_ppi_python_itself_says_the_same(seed: int, weight: float | None) -> None:
    ppi = pytest.importorskip("ppi_py", reason="ppi-python is not installed: make test-all installs it")
    given = scores(seed, 10 + seed, 40 + 7 * seed)
    flat = [one[0] for one in given]
    point = ppi.ppi_mean_pointestimate(*flat, lam=weight)
    low, high = ppi.ppi_mean_ci(*flat, alpha=0.05, lam=weight)
    result = published_ppi(*given, weight=weight)
    wanted = [float(np.ravel(one)[0]) for one in (point, low, high)]
    assert [result.estimate[0], result.low[0], result.high[0]] == pytest.approx(wanted, abs=1e-9)


def test_the_classical_interval_is_students() -> None:
    y, _, _ = drawn(1)
    result = classical(y, level=0.9)
    low, high = stats.t.interval(0.9, y.shape[1] - 1, loc=y.mean(axis=1), scale=stats.sem(y, axis=1))
    assert np.allclose(result.low, low, atol=1e-12)
    assert np.allclose(result.high, high, atol=1e-12)
    assert np.allclose(result.p_values, stats.ttest_1samp(y, 0, axis=1).pvalue, atol=1e-12)


def moments_without(topic: int, y: np.ndarray, f: np.ndarray, rest: np.ndarray) -> tuple[float, float, float]:
    """Sums over rows of cov(y, f), (1 + n/N) var(f) and var(y), over all topics but one."""
    n, further = y.shape[1], rest.shape[1]
    others = np.delete(np.arange(n), topic)
    common = sum(np.cov(a[others], b[others])[0, 1] for a, b in zip(y, f, strict=True))
    squares = sum((n - 2) * a[others].var(ddof=1) + (further - 1) * b.var(ddof=1) for a, b in zip(f, rest, strict=True))
    return common, squares / (n - 2 + further - 1) * (1 + n / further), y[:, others].var(axis=1, ddof=1).sum()


@pytest.mark.parametrize("differences", [True, False])
def test_weight_and_way_of_a_topic_are_those_of_the_others(differences: bool) -> None:
    y, f, rest = drawn(45, n=6, worth=0.6)
    ways = np.stack([f, f**2 + 0.5 * f]), np.stack([rest, rest**2 + 0.5 * rest])
    n, total, chosen, used = y.shape[1], 0.0, [], []
    for topic in range(n):
        found = []
        for way, more in zip(*ways, strict=True):
            common, variance, of_people = moments_without(topic, y, way, more)
            weight = np.clip(common / variance, 0, 1)
            explained = 2 * weight * common - weight**2 * variance
            # F of a regression on one number, from n - 1 topics.
            if not differences and explained / ((of_people - explained) / (n - 3)) < 1:
                explained = weight = 0.0
            found.append((explained, weight))
        best = int(np.argmax([explained for explained, _ in found]))
        chosen.append(best)
        used.append(found[best][1])
        total += y[0, topic] - found[best][1] * (ways[0][best][0, topic] - ways[1][best][0].mean())
    assert set(chosen) == {0, 1}
    assert (0.0 in used) is not differences
    assert prediction_powered(y, *ways, differences=differences).estimate[0] == pytest.approx(total / n, abs=1e-12)


def test_each_topic_takes_the_way_that_explains_most_of_the_others() -> None:
    y, f, rest = drawn(7, n=8, worth=0.8)
    _, noise, more = drawn(8, n=8, worth=0.0)
    ways = np.stack([noise, f, -f]), np.stack([more, rest, -rest])
    alone, several = prediction_powered(y, f, rest), prediction_powered(y, *ways)
    assert np.allclose(several.estimate, alone.estimate, atol=1e-12)
    assert np.allclose([several.low, several.high], [alone.low, alone.high], atol=1e-12)
    assert several.weight == pytest.approx(alone.weight, abs=1e-12)
    randomised = powered_randomisation(y, *ways, draws=500, seed=1)
    assert np.array_equal(randomised, powered_randomisation(y, f, rest, draws=500, seed=1))


@pytest.mark.parametrize("worth", [0.0, 0.6, 0.95])
def test_intervals_hold_whatever_the_labels_are_worth(worth: float) -> None:
    rows = 4000
    y, f, rest = drawn(3, rows=rows, worth=worth)
    held = []
    for start in range(0, rows, 4):  # four runs in each of 1,000 experiments
        part = slice(start, start + 4)
        result = prediction_powered(y[part], f[part], rest[part])
        held += ((result.low <= 0) & (result.high >= 0)).tolist()
    assert 0.94 <= np.mean(held) <= 0.965


def test_good_labels_make_intervals_narrow_and_bad_ones_not_much_wider() -> None:
    def ratio(worth: float) -> float:
        y, f, rest = drawn(4, rows=300, worth=worth)
        plain, powered = classical(y), prediction_powered(y, f, rest)
        return float((powered.high - powered.low).mean() / (plain.high - plain.low).mean())

    assert ratio(0.95) < 0.5
    assert ratio(0.0) < 1.02


@pytest.mark.parametrize(("worth", "width"), [(0.0, 1.045), (0.6, 0.92), (0.95, 0.55)])
def test_intervals_of_means_hold_and_are_hardly_wider_with_useless_labels(worth: float, width: float) -> None:
    """Ten topics that are hard or easy for all four runs, so that lambda has little more to be fitted to than one."""
    held, widths = [], []
    for experiment in range(1000):
        common, own = drawn(experiment, rows=1, n=10, worth=worth), drawn(10_000 + experiment, rows=4, n=10)
        y, f, rest = (one + 0.2 * noise for one, noise in zip(common, own, strict=True))
        result, plain = prediction_powered(y, f, rest, differences=False), classical(y)
        held += ((result.low <= 0) & (result.high >= 0)).tolist()
        widths.append((result.high - result.low).mean() / (plain.high - plain.low).mean())
    assert 0.94 <= np.mean(held) <= 0.96
    assert np.mean(widths) < width


@pytest.mark.parametrize("differences", [True, False])
def test_constant_and_inverted_labels_change_nothing(differences: bool) -> None:
    y, f, rest = drawn(5, worth=0.95)
    none = prediction_powered(y, 0 * f, 0 * rest, differences=differences)
    for useless in ((0 * f + 0.3, 0 * rest + 0.3), (-f, -rest)):  # lambda is not below 0
        powered = prediction_powered(y, *useless, differences=differences)
        assert powered.weight == 0
        assert np.allclose(powered.estimate, y.mean(axis=1), atol=1e-12)
        assert np.allclose(powered.low, none.low, atol=1e-12)
        assert np.allclose(powered.high, none.high, atol=1e-12)


def test_randomisation_agrees_with_t() -> None:
    y, f, rest = drawn(6, rows=5, n=20)
    y, f, rest = y + 0.3, f + 0.25, rest + 0.25
    alone = [tuple(one[[row]] for one in (y, f, rest)) for row in range(5)]
    by_t = [prediction_powered(*one).p_values[0] for one in alone]
    assert by_t == pytest.approx([powered_randomisation(*one, draws=5000, seed=1)[0] for one in alone], abs=0.05)
    by_signs = powered_randomisation(y, f, rest, draws=5000, seed=1)
    assert np.array_equal(by_signs, powered_randomisation(y, f, rest, draws=5000, seed=1))


def test_no_difference_at_all_has_p_1() -> None:
    nothing = np.zeros((1, 6))
    assert prediction_powered(nothing, nothing, nothing).p_values.tolist() == [1.0]
    assert powered_randomisation(nothing, nothing, nothing, draws=99).tolist() == [1.0]


def test_shapes_and_numbers_of_topics_are_checked() -> None:
    with pytest.raises(InputError, match=r"^at least 4 topics must be given, not 3$"):
        prediction_powered(np.zeros((1, 3)), np.zeros((1, 3)), np.zeros((1, 9)))
    with pytest.raises(InputError, match=r"the shapes are \(1, 5\), \(1, 4\) and \(1, 9\)$"):
        prediction_powered(np.zeros((1, 5)), np.zeros((1, 4)), np.zeros((1, 9)))
    with pytest.raises(InputError, match=r"^level must be a number above 0 and below 1, not 95$"):
        classical(np.zeros((1, 5)), level=95)


# ---- documents


def test_the_difference_estimator_is_unbiased_over_all_samples() -> None:
    weights, gains, expected = (
        np.array([[0.5, 1.0, 0.25, 2.0]]),
        np.array([1, 0, 3, 1.0]),
        np.array([0.3, 0.9, 1.0, 2.0]),
    )
    inclusion = np.array([0.2, 0.5, 0.7, 1.0])
    mean = variance = claimed = 0.0
    truth = float((weights @ gains)[0])
    for kept in itertools.product([False, True], repeat=4):
        chance = np.prod(np.where(kept, inclusion, 1 - inclusion))
        if chance:
            one = difference_estimate(weights, gains, expected, kept, inclusion)
            mean += chance * one.estimate[0]
            variance += chance * (one.estimate[0] - truth) ** 2
            claimed += chance * one.error[0] ** 2
    assert mean == pytest.approx(truth, abs=1e-12)
    assert claimed == pytest.approx(variance, abs=1e-12)


@pytest.mark.parametrize("worth", [0.0, 0.9])
def test_intervals_of_sampled_documents_hold(worth: float) -> None:
    rng = np.random.default_rng(8)
    documents = 2000
    gains = (rng.random(documents) < 0.3).astype(float)
    expected = worth * gains + (1 - worth) * 0.3
    weights = (rng.random((40, documents)) < 0.2) / (0.2 * documents)
    truth = weights @ gains
    held = []
    for _ in range(100):
        one = difference_estimate(weights, gains, expected, rng.random(documents) < 0.1, 0.1)
        held.append(((one.low <= truth) & (truth <= one.high)).mean())
    assert 0.935 <= np.mean(held) <= 0.97


def test_impossible_inclusion_is_an_error() -> None:
    with pytest.raises(
        InputError, match=r"^inclusion probabilities of sampled documents must be above 0 and at most 1$"
    ):
        difference_estimate([[1.0]], [1], [1], [True], [0])
