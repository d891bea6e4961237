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
from unjudged.engine.numerics.joint_imputations import draw_worlds, score_run
from unjudged.holes import Bootstrap, Settings
from unjudged.holes.calibration import Calibration, Misses, calibrate, conformal_factor, widened
from unjudged.holes.evidence_model.calibrated_measure import CalibratedMeasure
from unjudged.holes.evidence_model.left_out_groups import left_out_runs
from unjudged.holes.evidence_model.model import EvidenceModel
from unjudged.studies.compare import _factor

DRAWS, SEED = 40, 7
MODEL = Bootstrap(prior="evidence", depth=DEPTH, draws=DRAWS)
Rankings = dict[str, Ranked]


@cache
def many_groups(groups: int = 12) -> tuple[Judgments, Rankings, dict[str, str]]:
    """Judgments of all that any run has within the pool depth, and the runs of so many groups."""
    truth, rankings, group_of = collection(4, groups=groups, topics=12)
    return pooled(truth, rankings, list(rankings)), rankings, group_of


# ---- the arithmetic


@given(
    st.lists(st.tuples(st.integers(0, 12), st.floats(0, 5)), min_size=1, max_size=40), st.sampled_from([0.5, 0.8, 0.9])
)
def test_the_factor_is_the_least_that_holds_enough_groups_with_one_more_at_infinity(
    errors: list[tuple[int, float]], level: float
) -> None:
    groups, off = np.array([one for one, _ in errors]), np.array([one for _, one in errors])
    names = sorted(set(groups.tolist()))

    def within(factor: float) -> float:
        return sum(float((off[groups == name] <= factor).mean()) for name in names) / (len(names) + 1)

    factor = conformal_factor(off, groups, level)
    enough = [one for one in sorted({1.0, *off[off >= 1].tolist()}) if within(one) >= level - 1e-9]
    assert factor == (enough[0] if enough else None)


@pytest.mark.parametrize(
    ("groups", "level", "known"), [(8, 0.9, False), (9, 0.9, True), (18, 0.95, False), (19, 0.95, True)]
)
def test_so_many_groups_are_needed(groups: int, level: float, known: bool) -> None:
    factor = conformal_factor(np.linspace(0.1, 2, groups), np.arange(groups), level)
    assert (factor is not None) is known
    if known:
        assert factor == 2.0  # the largest error


def test_new_groups_are_held_as_often_as_promised() -> None:
    """Errors are shared within groups, and heavier in the tails than the model's intervals expect."""
    rng, held = np.random.default_rng(1), []
    for _ in range(2000):
        off = np.abs(rng.standard_t(3, 13))[:, None] * np.exp(rng.normal(0, 0.2, (13, 3)))
        factor = conformal_factor(off[:-1].ravel(), np.repeat(np.arange(12), 3), 0.9)
        assert factor is not None
        held.append((off[-1] <= factor).mean())
    assert 0.895 < np.mean(held) < 0.96


def test_what_is_said_of_a_calibration() -> None:
    groups, errors = np.repeat(np.arange(10), 2), np.repeat([0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.1, 1.5, 3.0], 2)
    levels, held = np.array([0.9, 0.96, 1.0]), np.tile([0.8, 0.95, 1.0], (20, 1))
    calibration = calibrate(Misses(groups, errors, levels, held), 0.9)
    assert (calibration.groups, calibration.factor, calibration.largest, calibration.of_topics) == (10, 3.0, 3.0, 0.96)
    # The last group is not held by what the others say, the others are held by the last.
    assert (calibration.held, calibration.held_before) == (pytest.approx(0.9), pytest.approx(0.7))
    few = calibrate(Misses(groups[:8], errors[:8], levels, held[:8]), 0.9)
    assert (few.groups, few.factor, few.known_factor) == (4, None, 1.0)


def test_draws_are_moved_from_their_centres_and_differences_with_them() -> None:
    draws = np.random.default_rng(3).random((2, 500))
    wider = widened(draws, 1.7)
    np.testing.assert_allclose(wider.mean(axis=1), draws.mean(axis=1))
    np.testing.assert_allclose(wider.std(axis=1), 1.7 * draws.std(axis=1))
    np.testing.assert_allclose(np.corrcoef(wider), np.corrcoef(draws))
    assert widened(draws, 1.0) is draws


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


def test_intervals_of_means_are_wider_by_the_factor_and_say_so() -> None:
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
    assert fitted.factor is not None
    assert fitted.groups == 11
    wider = f", {fitted.factor:.2g} times as wide as the model's, which held {fitted.held_before:.0%}"
    assert notice.message == (
        f"P@6: calibrated on 11 groups{wider if fitted.factor > 1 else ''}: 90% held {fitted.held:.0%}"
    )
    run = scores.runs.index("g3r0")
    assert scores.distributions is not None
    drawn = np.mean([np.broadcast_to(one.values, 1000) for one in scores.distributions[0, 0, run]], axis=0)
    low, high = Bootstrap(prior="evidence").interval(drawn[None], None, Settings())[0]
    mean = drawn.mean()
    assert scores.mean_low[0, 0, run] == pytest.approx(mean + fitted.factor * (low - mean))
    assert scores.mean_high[0, 0, run] == pytest.approx(mean + fitted.factor * (high - mean))


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
    scored = score_run(uj.read_run(as_runs(rankings)["g3r0"]), qrels, measure, SEED, others=evidence)
    prior, kept = np.full((12, 3), 1 / 3), np.arange(12)
    plain, wider = (
        draw_worlds(measure, scored, prior, kept, draws=200, seed=SEED, factor=factor) for factor in (1.0, 2.0)
    )
    np.testing.assert_allclose(wider.means - plain.means.mean(), 2 * (plain.means - plain.means.mean()), atol=1e-12)
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
    factor, worlds, observed = calibrated.calibration.known_factor, {}, {}
    prior, kept = np.full((12, 3), 1 / 3), np.arange(12)
    for name, run in as_runs(rankings).items():
        scored = score_run(uj.read_run(run), qrels, measure, SEED, others=evidence)
        worlds[name] = draw_worlds(measure, scored, prior, kept, draws=100, seed=SEED, factor=factor, whole=100).whole
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


def test_a_factor_that_is_infinite_widens_nothing_in_comparisons() -> None:
    """All draws of a left-out run are the same and wrong, and there are too few groups to leave that one out."""
    unknown = Calibration(0.9, 3, None, np.inf, 0.9, 0.5, 0.5)
    measured = CalibratedMeasure(read_measure("P@6"), Settings(SEED), unknown)
    assert _factor(measured) == 1.0
    assert _factor(dataclasses.replace(measured, calibration=dataclasses.replace(unknown, largest=2.5))) == 2.5
    assert _factor(None) == 1.0


def test_notes_are_no_python_warnings_and_are_in_the_json() -> None:
    judged, rankings, group_of = many_groups()
    without = pooled_without(judged, rankings, group_of, "g3")
    with warnings.catch_warnings():
        warnings.simplefilter("error", uj.UnjudgedWarning)
        scores = uj.score(without, as_runs(rankings), "P@6", holes="evidence", groups=group_of)
    assert '"calibrated"' in scores.to_json()
    assert dataclasses.asdict(scores.warnings[0]).keys() == {"code", "count", "message"}
