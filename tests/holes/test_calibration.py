"""Intervals as wide as left-out groups say they have to be."""

from __future__ import annotations

import dataclasses
import warnings
from functools import cache

import numpy as np
import pytest
from evidence_oracles import with_occurrences
from grouped_runs import DEPTH, Judgments, Ranked, as_runs, collection, pooled
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import unjudged as uj
from unjudged.api import read_measure
from unjudged.data.view import join
from unjudged.engine.numerics.joint_imputations import as_scored, draw_worlds
from unjudged.holes import Bootstrap, Settings
from unjudged.holes.evidence_model.left_out_groups import left_out_runs
from unjudged.holes.evidence_model.model import EvidenceModel
from unjudged.holes.interval_calibration import Misses, _tails, calibrate, enough_groups, error_scale, widened

DRAWS, SEED = 40, 7
MODEL = Bootstrap(prior="evidence", depth=DEPTH, draws=DRAWS)
Rankings = dict[str, Ranked]


@cache
def many_groups(groups: int = 12) -> tuple[Judgments, Rankings, dict[str, str]]:
    """Judgments of all that any run has within the pool depth, and the runs of so many groups."""
    truth, rankings, group_of = collection(4, groups=groups, topics=12)
    return pooled(truth, rankings, list(rankings)), rankings, group_of


# ---- the arithmetic


@given(st.lists(st.tuples(st.integers(0, 6), st.floats(0, 30)), min_size=1, max_size=20))
def test_the_scale_is_that_of_students_t_and_groups_count_alike(errors: list[tuple[int, float]]) -> None:
    """By numerical integration over the logarithm of the scale, with a log-normal prior distribution."""
    groups, off = np.array([one for one, _ in errors]), np.array([one for _, one in errors])
    logs = np.linspace(np.log(0.2), np.log(12), 600)
    posterior = stats.norm(np.log(1.25), 0.5).logpdf(logs)
    for group in sorted(set(groups.tolist())):
        mine = off[groups == group]
        posterior += stats.t(4, scale=np.exp(logs)).logpdf(mine[:, None]).mean(axis=0)
    weights = np.exp(posterior - posterior.max())
    expected = np.sqrt((weights * np.exp(2 * logs)).sum() / weights.sum())
    assert error_scale(off, groups) == pytest.approx(expected, rel=0.02)
    assert error_scale(np.repeat(off, 3), np.repeat(groups, 3)) == pytest.approx(error_scale(off, groups))


@given(st.lists(st.floats(0, 5), min_size=1, max_size=10), st.floats(0.1, 3))
def test_larger_errors_make_a_larger_scale(errors: list[float], more: float) -> None:
    groups, off = np.arange(len(errors)), np.array(errors)
    assert error_scale(off + more, groups) > error_scale(off, groups)


@pytest.mark.parametrize(("level", "groups"), [(0.5, 1), (0.8, 4), (0.9, 9), (0.95, 19)])
def test_so_many_groups_are_needed(level: float, groups: int) -> None:
    """One more, that is to come, is the largest of all with the probability that intervals may not hold."""
    assert enough_groups(level) == groups
    assert 1 / (groups + 1) == pytest.approx(1 - level)


@pytest.mark.parametrize("groups", [10, 40])
def test_new_groups_are_held_as_often_as_promised(groups: int) -> None:
    """Errors are shared within groups, heavier in the tails than the draws, and of a scale that nobody said."""
    rng, held, right = np.random.default_rng(1), [], []
    normal = rng.normal(size=(1, 400))
    for _ in range(1000):
        scale = np.exp(rng.normal(np.log(1.25), 0.5))
        shared = scale * rng.standard_t(4, groups + 1)[:, None]
        off = np.repeat(shared, 3, axis=1)
        drawn = widened(normal, error_scale(np.abs(off[:-1]).ravel(), np.repeat(np.arange(groups), 3)))
        low, high = np.quantile(drawn, [0.05, 0.95])
        held.append(low <= off[-1, 0] <= high)
        other = rng.normal()
        above = (drawn > other).mean()
        if 0.7 < max(above, 1 - above) < 0.8:
            right.append((above > 0.5) == (off[-1, 0] > other))
    assert 0.87 < np.mean(held) < 0.93
    assert 0.65 < np.mean(right) < 0.85


def misses_of(groups: np.ndarray, errors: np.ndarray) -> Misses:
    """Runs whose means are off by so many standard deviations of their draws."""
    draws = np.random.default_rng(5).normal(size=(len(groups), 300))
    draws = 0.4 + 0.02 * (draws - draws.mean(axis=1, keepdims=True)) / draws.std(axis=1, keepdims=True)
    levels, held = np.array([0.9, 0.96, 1.0]), np.tile([0.8, 0.95, 1.0], (len(groups), 1))
    return Misses(groups, draws, 0.4 + 0.02 * errors, levels, held)


def ends(draws: np.ndarray) -> np.ndarray:
    return np.quantile(draws, [0.05, 0.95], axis=1).T


def test_what_is_said_of_a_calibration() -> None:
    groups, errors = np.repeat(np.arange(10), 2), np.repeat([0.2, -0.4, 0.5, 0.6, -0.7, 0.8, 0.9, 1.1, 1.9, 9.0], 2)
    misses = misses_of(groups, errors)
    np.testing.assert_allclose(misses.errors, np.abs(errors), atol=1e-6)
    calibration = calibrate(misses, ends, 0.9)
    assert (calibration.groups, calibration.of_topics, calibration.is_known) == (10, 0.96, True)
    assert calibration.scale == pytest.approx(error_scale(np.abs(errors), groups))
    # Draws are normal, of which 90% are within 1.64 standard deviations; one group is beyond what the others say, too.
    assert (calibration.held, calibration.held_before) == (pytest.approx(0.9), pytest.approx(0.8))
    assert calibration.wider == pytest.approx(calibration.scale * stats.t(4).ppf(0.95) / stats.norm.ppf(0.95), rel=0.1)
    few = calibrate(misses_of(groups[:8], errors[:8]), ends, 0.9)
    assert (few.groups, few.is_known) == (4, False)


def test_a_run_whose_draws_are_all_the_same_has_a_finite_error() -> None:
    misses = Misses(np.arange(2), np.full((2, 50), 0.3), np.array([0.3, 0.4]), np.array([0.9]), np.ones((2, 1)))
    assert misses.errors.tolist() == [0.0, pytest.approx(1000, rel=0.01)]
    calibration = calibrate(misses, ends, 0.9)
    assert (calibration.held_before, calibration.wider) == (0.5, 1.0)


@pytest.mark.parametrize("draws", [1, 2, 7, 1000, 100_000])
def test_tails_are_those_of_students_t(draws: int) -> None:
    quantiles = stats.chi2.ppf((np.arange(draws) + 0.5) / draws, df=4)
    assert np.allclose(np.sort(_tails(draws)), np.sort(np.sqrt(4 / quantiles)), rtol=1e-12, atol=0)


def test_draws_are_moved_from_their_centres_and_differences_with_them() -> None:
    draws = np.random.default_rng(3).normal(size=(2, 2000))
    wider = widened(draws, 1.7)
    np.testing.assert_allclose(wider.mean(axis=1), draws.mean(axis=1))
    np.testing.assert_allclose(widened(draws[:1] - draws[1:], 1.7), wider[:1] - wider[1:], atol=1e-12)
    assert stats.kstest((wider[0] - wider[0].mean()) / 1.7, stats.t(4).cdf).pvalue > 0.01
    assert widened(draws, None) is draws


# ---- left-out groups


@pytest.mark.parametrize("measure", ["nDCG@6", "AP@6", "P@4", "Rprec"])
def test_a_left_out_group_is_estimated_as_if_it_had_not_taken_part(measure: str) -> None:
    """The same draws as with judgments that lack what the group alone brought."""
    judged, rankings, group_of = many_groups()
    chosen = read_measure(measure)
    everything = EvidenceModel(*with_occurrences(judged, rankings, group_of), DEPTH)
    left_out = {one.run: one for one in left_out_runs(everything, chosen, ideal_follows=True, draws=DRAWS, seed=SEED)}
    assert len(left_out) == len(rankings)
    compared = 0
    for newcomer in ("g3", "g11"):
        without = pooled_without(judged, rankings, group_of, newcomer)
        qrels, occurrences = with_occurrences(without, rankings, group_of)
        belief = MODEL.learn(qrels, occurrences)
        for name, run in as_runs(rankings).items():
            if group_of[name] != newcomer:
                continue
            # Without a cut-off, its documents that nobody judged are left out.
            known = {t: {d: score for d, score in r.items() if d in judged[t]} for t, r in run.items()}
            view = join(uj.read_run(known), qrels, depth=chosen.depth())
            estimate = belief.estimate(chosen, view, Settings(SEED))
            assert estimate.distributions is not None
            expected = np.stack([np.broadcast_to(one.values, DRAWS) for one in estimate.distributions])
            truth = uj.score(judged, {name: known}, measure).values[0, 0, 0]
            (mine,) = [one for one in left_out.values() if np.array_equal(one.draws, expected)]
            np.testing.assert_allclose(mine.truth, truth)
            compared += 1
    assert compared == 4


def pooled_without(judged: Judgments, rankings: Rankings, group_of: dict[str, str], group: str) -> Judgments:
    """Judgments of what others have within the pool depth."""
    others = [run for run in rankings if group_of[run] != group]
    return pooled(judged, rankings, others)


# ---- what the user sees


def left_out_scores(groups: int, measure: str = "P@6") -> tuple[uj.Scores, uj.Scores]:
    """Scores of all runs without what one group alone brought, with intervals, and under all judgments."""
    judged, rankings, group_of = many_groups(groups)
    without = pooled_without(judged, rankings, group_of, "g3")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", uj.UnjudgedWarning)
        scores = uj.score(without, as_runs(rankings), measure, holes="evidence", groups=group_of)
    return scores, uj.score(judged, as_runs(rankings), measure)


def test_intervals_of_means_are_those_of_widened_draws_and_say_so() -> None:
    judged, rankings, group_of = many_groups()
    without = pooled_without(judged, rankings, group_of, "g3")
    scores, _ = left_out_scores(12)
    (notice,) = [one for one in scores.warnings if one.code == "calibrated"]
    assert notice.count == 11
    assert not notice.is_warning
    belief = Bootstrap(prior="evidence").learn(*with_occurrences(without, rankings, group_of))
    measure = read_measure("P@6")
    calibrated = belief.calibration(measure, Settings())
    assert calibrated is not None
    fitted = calibrated.calibration
    assert fitted.is_known
    assert fitted.groups == 11
    wider = f"{fitted.wider:.2g} times as wide as the model's, which held {fitted.held_before:.0%}"
    assert notice.message == f"P@6: calibrated on 11 groups, {wider}: 90% held {fitted.held:.0%}"
    run = scores.runs.index("g3r0")
    assert scores.distributions is not None
    drawn = np.mean([np.broadcast_to(one.values, 1000) for one in scores.distributions[0, 0, run]], axis=0)
    low, high = Bootstrap(prior="evidence").interval(widened(drawn[None], fitted.scale), None, Settings())[0]
    assert (scores.mean_low[0, 0, run], scores.mean_high[0, 0, run]) == (pytest.approx(low), pytest.approx(high))


def test_with_few_groups_intervals_of_means_are_bounds_and_say_so() -> None:
    scores, truth = left_out_scores(8)
    (notice,) = [one for one in scores.warnings if one.code == "too-few-groups"]
    assert not notice.is_warning
    assert notice.message == (
        "P@6: it takes 9 groups to know how wide 90% intervals of means have to be, and 7 can be left out; intervals"
        " of means are bounds instead"
    )
    judged, rankings, group_of = many_groups(8)
    without = pooled_without(judged, rankings, group_of, "g3")
    bounds = uj.score(without, as_runs(rankings), "P@6", holes="joint")
    np.testing.assert_allclose(scores.mean_low, bounds.mean_low, atol=1e-12)
    np.testing.assert_allclose(scores.mean_high, bounds.mean_high, atol=1e-12)
    assert (truth.means >= scores.mean_low - 1e-12).all()
    assert (truth.means <= scores.mean_high + 1e-12).all()


def test_compared_runs_are_drawn_as_far_from_their_centres() -> None:
    judged, rankings, group_of = many_groups()
    without = pooled_without(judged, rankings, group_of, "g3")
    qrels, occurrences = with_occurrences(without, rankings, group_of)
    measure, evidence = read_measure("P@6"), EvidenceModel(qrels, occurrences, DEPTH)
    scored = as_scored(uj.read_run(as_runs(rankings)["g3r0"]), qrels, measure, SEED, others=evidence)
    prior, kept = np.full((12, 3), 1 / 3), np.arange(12)
    plain, wider = (
        draw_worlds(measure, scored, prior, kept, draws=200, seed=SEED, scale=scale) for scale in (None, 2.0)
    )
    np.testing.assert_allclose(wider.means, widened(plain.means[None], 2.0)[0], atol=1e-12)
    np.testing.assert_allclose(wider.expected, plain.expected)
    comparison = uj.compare(without, as_runs(rankings), "P@6", groups=group_of, baseline="g3r0", correction="none")
    assert [one.code for one in comparison.warnings] == ["calibrated"]


def test_compared_runs_have_p_values_with_the_variance_that_holes_bring() -> None:
    """Rubin's rules, and the degrees of freedom of Barnard and Rubin, written down for the worlds of two runs."""
    judged, rankings, group_of = many_groups()
    without = pooled_without(judged, rankings, group_of, "g3")
    how = {"baseline": "g3r0", "draws": 100, "seed": SEED}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", uj.UnjudgedWarning)
        comparison = uj.compare(without, as_runs(rankings), "P@6", groups=group_of, pool_depth=DEPTH, **how)
        usual = uj.compare(without, as_runs(rankings), "P@6", holes="bootstrap", **how)
    assert all(row.p_holes is None for row in usual.pairs())
    qrels, occurrences = with_occurrences(without, rankings, group_of)
    measure, evidence = read_measure("P@6"), EvidenceModel(qrels, occurrences, DEPTH)
    calibrated = Bootstrap(prior="evidence").learn(qrels, occurrences).calibration(measure, Settings(SEED))
    assert calibrated is not None
    scale, worlds, observed = calibrated.calibration.scale, {}, {}
    prior, kept = np.full((12, 3), 1 / 3), np.arange(12)
    for name, run in as_runs(rankings).items():
        scored = as_scored(uj.read_run(run), qrels, measure, SEED, others=evidence)
        worlds[name] = draw_worlds(measure, scored, prior, kept, draws=100, seed=SEED, scale=scale, whole=100).whole
        observed[name] = scored.scores
    some = 0
    for row in comparison.pairs():
        drawn = (worlds[row.run] - worlds[row.other]).T.astype(float)
        within, between = drawn.var(axis=1, ddof=1).mean() / 12, drawn.mean(axis=1).var(ddof=1) * 1.01
        if (observed[row.run] - observed[row.other]).mean() * drawn.mean() <= 0:
            assert row.p_holes == 1.0
            continue
        missing = between / (within + between)
        freedom = 1 / (missing**2 / 99 + 1 / (12 / 14 * 11 * (1 - missing)))
        expected = 2 * stats.t(freedom).sf(abs(drawn.mean()) / np.sqrt(within + between))
        assert row.p_holes == pytest.approx(expected, rel=1e-6)
        some += 1
    assert some > 10


def test_notes_are_no_python_warnings_and_are_in_the_json() -> None:
    judged, rankings, group_of = many_groups()
    without = pooled_without(judged, rankings, group_of, "g3")
    with warnings.catch_warnings():
        warnings.simplefilter("error", uj.UnjudgedWarning)
        scores = uj.score(without, as_runs(rankings), "P@6", holes="evidence", groups=group_of)
    assert '"calibrated"' in scores.to_json()
    assert dataclasses.asdict(scores.warnings[0]).keys() == {"code", "count", "message"}
