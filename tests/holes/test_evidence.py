"""evidence: the model, too little to learn from, the studies that take it, and its words."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from evidence_oracles import EVIDENCE, USUAL, holes_of, left_out, others, with_occurrences
from grouped_runs import DEPTH, as_runs, collection, pooled
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import unjudged as uj
from unjudged.api import read_holes
from unjudged.errors import InputError, SpecError
from unjudged.holes import Evidence
from unjudged.holes.evidence_model.model import LEAST_EXAMPLES, LEAST_GROUPS
from unjudged.holes.evidence_model.pool_contributions import Contributions

# ---- the model


@settings(max_examples=10)
@given(st.integers(0, 50), st.integers(1, 40))
def test_support_from_one_more_group_never_lowers_the_expected_grade(seed: int, rank: int) -> None:
    _, rankings, group_of, without = left_out(seed % 5)
    model = others(without, rankings, group_of)
    assert model.contributions is not None
    number = int(model.contributions.group_of_holes.max())
    holes, *_ = model.contributions.around(number)
    group_fit = model.group_fit(number)
    assert group_fit.model is not None
    more = holes.features.copy()
    more[:, 0] = np.log(np.exp(more[:, 0]) + 1 / (60 + rank))
    better = group_fit.model.probabilities(more) @ np.arange(3)
    assert (better >= model.of_holes(number).probabilities @ np.arange(3) - 1e-12).all()


def test_holes_of_a_run_and_of_a_run_on_a_topic_move_together() -> None:
    _, rankings, group_of, without = left_out()
    evidence, _, _ = holes_of(others(without, rankings, group_of), rankings["g4r0"])
    number = len(evidence.informed)
    keys, shape = evidence.random_effects.keys, (4, number)
    deviations = np.repeat([[0.0], [0.5], [0.8], [0.0]], number, axis=1)
    effects = replace(evidence.random_effects, deviations=deviations, spreads=np.zeros(shape))
    odds = effects.shifts(np.arange(number), 40_000, 42)
    np.testing.assert_allclose(odds.std(axis=1), np.hypot(0.8, 0.5), rtol=0.03)
    same = keys[:, :, None] == keys[:, None, :]
    np.testing.assert_allclose(np.cov(odds), 0.64 * same[2] + 0.25 * same[1], atol=0.05)
    assert same[2].all()
    assert not same[1].all()


def test_effects_of_runs_have_the_tails_of_students_t_and_uncertain_scales_are_drawn() -> None:
    _, rankings, group_of, without = left_out()
    evidence, _, _ = holes_of(others(without, rankings, group_of), rankings["g4r0"])
    number = len(evidence.informed)
    one_run = np.flatnonzero(evidence.random_effects.keys[0] == evidence.random_effects.keys[0, 0])
    deviations, spreads = np.repeat([[0.7], [0.0], [0.0], [0.0]], number, axis=1), np.zeros((4, number))
    shifts = []
    for spread in (0.0, 0.5):
        spreads[0] = spread
        effects = replace(evidence.random_effects, deviations=deviations, spreads=spreads)
        moved = effects.shifts(np.arange(number), 40_000, 42)
        assert (moved[one_run] == moved[one_run[:1]]).all()
        shifts.append(moved[0])
    assert stats.kstest(shifts[0] / 0.7, stats.t(4).cdf).pvalue > 0.01
    log_ratio = np.log(np.abs(shifts[1]) / np.abs(shifts[0]))
    assert log_ratio.std() == pytest.approx(0.5, abs=0.01)


def test_estimates_are_better_than_pool_and_run_on_what_they_know_nothing_about() -> None:
    """Scores of runs of a group that is left out, against those under all judgments."""
    wrong: dict[str, list[float]] = {EVIDENCE: [], "bootstrap": [], "nonrelevant": []}
    truth, rankings, group_of = collection(7, groups=8, topics=30)
    judged = pooled(truth, rankings, list(rankings))
    right = uj.score(judged, as_runs(rankings), "P@6").values[0, 0]
    for group in sorted(set(group_of.values())):
        without = pooled(truth, rankings, [run for run in rankings if group_of[run] != group])
        scores = uj.score(without, as_runs(rankings), "P@6", holes=list(wrong), groups=group_of)
        mine = [r for r, run in enumerate(scores.runs) if group_of[run] == group]
        for h, model in enumerate(wrong):
            off = scores.values[h, 0, mine] - right[mine]
            wrong[model] += [float(off[t].mean()) for t in range(len(mine))]
    rms = {model: math.sqrt(np.mean(np.square(off))) for model, off in wrong.items()}
    assert rms[EVIDENCE] < 0.6 * rms["bootstrap"]
    assert rms[EVIDENCE] < 0.6 * rms["nonrelevant"]


# ---- too little to learn from


def test_without_enough_examples_it_is_discounted_and_says_so() -> None:
    truth, rankings, group_of = collection(1, groups=3)
    without = pooled(truth, rankings, [run for run in rankings if group_of[run] != "g2"])
    with pytest.warns(uj.UnjudgedWarning, match=r"prior=evidence: grades of [0-9,]+ holes are those of discounted: "):
        scores = uj.score(without, as_runs(rankings), "nDCG@6", holes=EVIDENCE, groups=group_of)
    (notice,) = [one for one in scores.warnings if one.code == "no-evidence"]
    informed_qrels, occurrences = with_occurrences(without, rankings, group_of)
    contributions = Contributions(informed_qrels, occurrences, DEPTH)
    examples = len(contributions.around(int(contributions.group_of_holes.max()))[1].pairs)
    assert notice.message == (
        f"prior=evidence: grades of {notice.count:,} holes are those of discounted: {examples:,} judged documents of"
        f" 2 other groups are in the top {DEPTH} of one group only; it takes {LEAST_EXAMPLES} of {LEAST_GROUPS} groups"
    )
    usual = uj.score(without, as_runs(rankings), "nDCG@6", holes=USUAL, groups=group_of)
    for ours, theirs in ((scores.values, usual.values), (scores.low, usual.low), (scores.mean_low, usual.mean_low)):
        np.testing.assert_array_equal(ours, theirs)


def test_without_a_run_that_was_in_the_pool_it_is_discounted_and_says_so() -> None:
    truth, rankings, _ = collection(1)
    judged = {t: dict(list(grades.items())[::3]) for t, grades in truth.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", uj.UnjudgedWarning)
        scores = uj.score(judged, as_runs(rankings), "nDCG@6", holes=EVIDENCE)
        usual = uj.score(judged, as_runs(rankings), "nDCG@6", holes=USUAL)
    assert [one.message for one in scores.warnings] == [
        "prior=evidence: no run is judged down to rank 5, so no run seems to have been in the pool; grades are"
        " those of discounted instead",
        "g0r0, g0r1, g1r0 and 9 more: less than 75% of the first 10 documents are judged, so nothing says how far"
        " off estimates may be: intervals of means are bounds; runs that were in the pool and --groups would tell more",
    ]
    np.testing.assert_array_equal(scores.values, usual.values)


def test_one_run_alone_says_so_too() -> None:
    judged, rankings, _, _ = left_out()
    with pytest.warns(uj.UnjudgedWarning, match="prior=evidence: "):
        uj.score(judged, {"one": as_runs(rankings)["g4r0"]}, "nDCG@20", holes=EVIDENCE)


# ---- the other studies


def test_compare_takes_evidence() -> None:
    _, rankings, group_of, without = left_out()
    runs = as_runs(rankings)
    usual = uj.compare(without, runs, "nDCG@6", draws=300)
    comparison = uj.compare(without, runs, "nDCG@6", draws=300, groups=group_of)
    assert (usual.prior, comparison.prior) == ("discounted", "evidence")
    alone = uj.score(without, runs, "nDCG@6", holes=EVIDENCE, groups=group_of).mean()
    expected = {row.run: row.expected for row in comparison.rows()}
    assert expected["g4r0"] == pytest.approx(alone["g4r0", "nDCG@6"], abs=0.02)
    assert expected["g4r0"] != {row.run: row.expected for row in usual.rows()}["g4r0"]


@pytest.mark.parametrize(
    ("holes", "prior"),
    [
        ("evidence", "evidence"),
        (EVIDENCE, "evidence"),
        ("discounted", "discounted"),
        ("bootstrap", "pool+run"),
    ],
)
def test_compare_takes_hole_models_for_priors(holes: str, prior: str) -> None:
    _, rankings, group_of, without = left_out()
    runs = as_runs(rankings)
    groups = group_of if prior == "evidence" else None  # which would not be used
    comparison = uj.compare(without, runs, "nDCG@6", draws=50, holes=holes, groups=groups)
    other = uj.compare(without, runs, "nDCG@6", draws=50, prior=prior, groups=groups)
    assert (comparison.prior, comparison.draws) == (prior, 50)
    assert comparison.to_json() == other.to_json()


@pytest.mark.filterwarnings("ignore:nDCG@6 reads deeper than the pool, which is 3 deep")
def test_compare_takes_draws_and_depth_of_the_hole_model() -> None:
    _, rankings, group_of, without = left_out()
    runs = as_runs(rankings)
    model = Evidence(draws=60, depth=DEPTH - 3)
    comparison = uj.compare(without, runs, "nDCG@6", holes=model, groups=group_of)
    other = uj.compare(without, runs, "nDCG@6", draws=60, prior="evidence", groups=group_of, pool_depth=DEPTH - 3)
    found_out = uj.compare(without, runs, "nDCG@6", draws=60, prior="evidence", groups=group_of)
    assert comparison.rows() == other.rows() != found_out.rows()


def test_relative_takes_evidence() -> None:
    _, rankings, group_of, without = left_out()
    result = uj.relative(without, as_runs(rankings), "nDCG@6", holes=EVIDENCE, groups=group_of)
    rows = {row.run: row for row in result.run_rows}
    assert rows["g4r0"].low < rows["g4r0"].nrg < rows["g4r0"].high


def test_reuse_takes_evidence_and_finds_it_better() -> None:
    truth, rankings, group_of = collection(2, groups=7)
    judged = pooled(truth, rankings, list(rankings))
    result = uj.reuse(
        judged,
        as_runs(rankings),
        "P@6",
        degrade=f"LeaveOutGroup({DEPTH})",
        holes=["bootstrap", EVIDENCE],
        groups=group_of,
    )
    best, usual = result.methods()
    assert best.holes == str(read_holes(EVIDENCE)[0])
    assert best.rmse < usual.rmse / 2


# ---- words


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("bootstrap(prior=evidences)", "'evidence'"),
        ("bootstrap(depth=5)", "bootstrap: depth is for prior='evidence'"),
        ("bootstrap(prior=evidence,depth=0)", "a whole number of at least 1"),
    ],
)
def test_bad_parameters(model: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        read_holes(model)


def test_a_run_without_a_group() -> None:
    _, rankings, group_of, without = left_out()
    del group_of["g0r1"]
    with pytest.raises(InputError, match=r"^groups: no group for 'g0r1'; every run needs one$"):
        uj.score(without, as_runs(rankings), "nDCG@6", holes=EVIDENCE, groups=group_of)


def test_groups_that_nobody_asks_for() -> None:
    _, rankings, group_of, without = left_out()
    with pytest.warns(uj.UnjudgedWarning, match="learns from other runs; the groups were not used"):
        uj.score(without, as_runs(rankings), "nDCG@6", groups=group_of)


def test_a_prior_that_compare_does_not_have() -> None:
    with pytest.raises(InputError, match=r"^prior must be one of 'pool\+run', 'evidence', 'discounted', not 'pool'$"):
        uj.compare({"1": {"a": 1}}, {"x": {"1": {"a": 1.0}}, "y": {"1": {"b": 1.0}}}, "P@1", prior="pool")  # type: ignore[arg-type]


def test_without_runs_to_ask_there_is_no_estimate() -> None:
    model = read_holes(EVIDENCE)[0]
    with pytest.raises(InputError, match="learns from other runs, and nobody said what these return"):
        model.prepare(uj.read_qrels({"1": {"a": 1}}))
