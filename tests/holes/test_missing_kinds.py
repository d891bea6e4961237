"""Several groups that were not in the pool and return the same unjudged documents: a kind of system is missing."""

from __future__ import annotations

import random
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from evidence_oracles import others, with_occurrences
from grouped_runs import DEPTH, Judgments, Ranked, as_runs, collection, pooled

import unjudged as uj
from unjudged.data.joined import join_runs
from unjudged.errors import LITTLE_JUDGED, MAYBE_MISSING_KIND
from unjudged.holes.discount_model import DISCOUNT, discount_model
from unjudged.holes.evidence_model.new_kinds import NewKinds
from unjudged.holes.imputation.grade_sampler import FIT, KIND
from unjudged.holes.missing_kinds import ENOUGH_JUDGED, MISSING_KIND, MissingKinds

NEWCOMERS = ("new0", "new1", "new2")


@cache
def parts(groups: int = 12) -> tuple[Judgments, Judgments, dict[str, Ranked], dict[str, str]]:
    """Truth, what is judged, rankings, groups. Only newcomers find every third document, and they agree on these."""
    truth, rankings, group_of = collection(3, groups=groups, runs=1, topics=15, docs=90)
    rng = random.Random(1)
    rankings = {
        run: {topic: [doc for doc in docs if int(doc[1:]) % 3] for topic, docs in ranked.items()}
        for run, ranked in rankings.items()
    }
    judged = pooled(truth, rankings, list(rankings))
    for run in NEWCOMERS:
        group_of = {**group_of, run: run}
        rankings[run] = {
            topic: sorted(docs, key=lambda doc, docs=docs: -docs[doc] - rng.gauss(0, 0.7))[:40]
            for topic, docs in truth.items()
        }
    return truth, judged, rankings, group_of


def some(newcomers: int, groups: int = 12) -> tuple[Judgments, dict[str, Ranked], dict[str, str]]:
    """The judgments, the rankings of the pool's runs and of so many newcomers, and the groups."""
    _, judged, rankings, group_of = parts(groups)
    left_out = NEWCOMERS[newcomers:]
    return judged, {run: ranked for run, ranked in rankings.items() if run not in left_out}, group_of


def kinds(
    judged: Judgments, rankings: dict[str, Ranked], group_of: dict[str, str] | None
) -> tuple[MissingKinds, set[str]]:
    """What is found, and the runs of groups of a missing kind."""
    qrels, occurrences = with_occurrences(judged, rankings, group_of)
    found = MissingKinds(qrels, occurrences)
    flagged = found.groups[occurrences.group_of_run]
    return found, {name for name, one in zip(occurrences.names, flagged, strict=True) if one}


def scores(holes: str, newcomers: int, groups: int = 12, measure: str = "P@6") -> uj.Scores:
    judged, rankings, group_of = some(newcomers, groups)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", uj.UnjudgedWarning)
        return uj.score(judged, as_runs(rankings), measure, holes=holes, groups=group_of, pool_depth=DEPTH)


def interval(found: uj.Scores, run: str = "new0") -> tuple[float, float]:
    at = found.runs.index(run)
    return float(found.mean_low[0, 0, at]), float(found.mean_high[0, 0, at])


def notes(found: uj.Scores, code: str) -> list[str]:
    return [one.message for one in found.warnings if one.code == code]


# ---- which groups are of a missing kind


def test_groups_that_were_not_in_the_pool_and_agree_are_of_a_missing_kind() -> None:
    found, runs = kinds(*some(3))
    assert runs == set(NEWCOMERS)
    assert found.pooled == 12


def test_one_team_that_was_left_out_is_no_kind() -> None:
    found, runs = kinds(*some(1))
    assert (found.pooled, runs) == (12, set())


def test_newcomers_of_one_group_are_no_kind() -> None:
    judged, rankings, group_of = some(3)
    assert kinds(judged, rankings, {**group_of, **dict.fromkeys(NEWCOMERS, "ours")})[1] == set()


def test_newcomers_that_have_nothing_in_common_are_no_kind() -> None:
    """Each has unjudged documents of its own, and what others judged."""
    judged, rankings, group_of = some(0)
    there = dict.fromkeys(NEWCOMERS, rankings["g11r0"])
    alone = {
        run: {topic: [f"{run}-{topic}-{i}" for i in range(3)] + docs for topic, docs in ranked.items()}
        for run, ranked in there.items()
    }
    assert kinds(judged, {**rankings, **alone}, {**group_of, **{run: run for run in NEWCOMERS}})[1] == set()


def test_without_groups_runs_that_agree_may_be_of_a_missing_kind() -> None:
    judged, rankings, _ = some(3)
    found, runs = kinds(judged, rankings, None)
    assert runs == set(NEWCOMERS)
    assert not found.are_told


def test_near_copies_are_no_kind_without_groups() -> None:
    judged, rankings, _ = some(1)
    rankings = {**rankings, "copy": rankings["new0"]}
    assert kinds(judged, rankings, None)[1] == set()


def test_without_runs_of_the_pool_nobody_knows_what_is_missing() -> None:
    judged, rankings, group_of = some(3)
    assert kinds(judged, {run: rankings[run] for run in NEWCOMERS}, group_of)[1] == set()


def test_neither_names_nor_order_matter() -> None:
    judged, rankings, group_of = some(3)
    turned = dict(reversed([(f"x{run}", ranked) for run, ranked in rankings.items()]))
    runs = kinds(judged, turned, {f"x{run}": f"y{group}" for run, group in group_of.items()})[1]
    assert runs == {f"x{run}" for run in NEWCOMERS}


# ---- runs of which so little is judged that nothing says how far off estimates are


def little_judged(share: float) -> tuple[Judgments, dict[str, Ranked]]:
    """One run, of whose first 10 documents so many are judged; nothing else is."""
    ranked = {f"t{t}": [f"d{t}-{i}" for i in range(10)] for t in range(10)}
    documents = [
        (topic, doc, (t + i) % 3) for t, (topic, docs) in enumerate(ranked.items()) for i, doc in enumerate(docs)
    ]
    step = random.Random(5).sample(documents, round(share * len(documents)))
    judged: Judgments = {topic: {} for topic in ranked}
    for topic, doc, grade in step:
        judged[topic][doc] = grade
    return judged, {"mine": {topic: {doc: 10.0 - i for i, doc in enumerate(docs)} for topic, docs in ranked.items()}}


def asked(judged: Judgments, rankings: dict[str, Ranked], holes: str, measure: str = "P@6", **how: Any) -> uj.Scores:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", uj.UnjudgedWarning)
        return uj.score(judged, as_runs(rankings), measure, holes=holes, **how)


@pytest.mark.parametrize("measure", ["P@6", "nDCG@10", "AP", "RBP"])
@pytest.mark.parametrize("holes", ["discounted(draws=50)", "evidence(draws=50)"])
def test_means_have_bounds_where_less_than_three_quarters_are_judged(holes: str, measure: str) -> None:
    judged, rankings = little_judged(ENOUGH_JUDGED - 0.01)
    found, bounds = (asked(judged, rankings, one, measure) for one in (holes, "joint"))
    assert interval(found, "mine") == pytest.approx(interval(bounds, "mine"))
    assert notes(found, LITTLE_JUDGED) == [
        "mine: less than 75% of the first 10 documents are judged, so nothing says how far off estimates may be:"
        " intervals of means are bounds; runs that were in the pool and --groups would tell more"
    ]


def test_means_have_intervals_from_there_on() -> None:
    judged, rankings = little_judged(ENOUGH_JUDGED)
    found, bounds = (asked(judged, rankings, one) for one in ("discounted(draws=400)", "joint"))
    assert np.ptp(interval(found, "mine")) < 0.8 * np.ptp(interval(bounds, "mine"))
    assert notes(found, LITTLE_JUDGED) == []


def test_who_says_what_the_shift_is_gets_intervals() -> None:
    judged, rankings = little_judged(0.3)
    found, bounds = (asked(judged, rankings, one) for one in ("discounted(draws=400,shift=-2)", "joint"))
    assert np.ptp(interval(found, "mine")) < 0.8 * np.ptp(interval(bounds, "mine"))
    assert notes(found, LITTLE_JUDGED) == []


def test_groups_that_can_be_left_out_are_a_precedent_unless_the_level_is_the_runs_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    judged, rankings, group_of = some(1)
    how: dict[str, Any] = {"measure": f"P@{DEPTH}", "pool_depth": DEPTH, "holes": "evidence(draws=50)"}
    own = asked(judged, rankings, groups=group_of, **how)  # a new kind of system
    monkeypatch.setattr(NewKinds, "of_holes", lambda *_: 0.0)
    told, untold = asked(judged, rankings, groups=group_of, **how), asked(judged, rankings, **how)
    bounds = interval(asked(judged, rankings, "joint", f"P@{DEPTH}"))
    assert notes(told, LITTLE_JUDGED) == []
    assert np.ptp(interval(told)) < np.ptp(bounds)
    assert interval(untold) == interval(own) == pytest.approx(bounds)
    assert [one[:4] for one in notes(untold, LITTLE_JUDGED)] == ["new0"]


def test_a_little_judged_run_has_the_shift_of_kinds_in_its_draws() -> None:
    """So that differences and P(A>B) of `compare` allow for it, too."""
    shifts = []
    for share in (ENOUGH_JUDGED - 0.01, ENOUGH_JUDGED):
        qrels, occurrences = with_occurrences(*little_judged(share), None)
        said = discount_model(qrels, occurrences).pair_probabilities(
            np.arange(len(qrels) + len(occurrences.unlisted.topics))
        )
        assert said.random_effects is not None
        shifts.append(set(said.random_effects.deviations[KIND, said.informed].tolist()))
    assert shifts == [{DISCOUNT.sd}, {0.0}]


@pytest.mark.parametrize("holes", ["discounted(draws=50)", "evidence(draws=50)"])
def test_without_groups_one_line_says_what_they_may_be(holes: str) -> None:
    judged, rankings, _ = some(3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", uj.UnjudgedWarning)
        found = uj.score(judged, as_runs(rankings), "P@6", holes=holes, pool_depth=DEPTH)
    assert notes(found, MAYBE_MISSING_KIND) == [
        "new0, new1, new2: runs that were not in the pool return the same unjudged documents; unless one team made"
        " them, a kind of system is missing from the pool, so intervals of means are bounds; --groups says who made"
        " which run"
    ]


@pytest.mark.parametrize("holes", ["discounted(draws=50)", "evidence(draws=50)"])
def test_without_groups_means_of_runs_that_agree_have_bounds(holes: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unjudged.holes.discount_model.ENOUGH_JUDGED", 0.0)
    judged, rankings, group_of = some(3)
    untold, told = (asked(judged, rankings, holes, groups=given, pool_depth=DEPTH) for given in (None, group_of))
    bounds = asked(judged, rankings, "joint")
    for run in NEWCOMERS:
        assert interval(untold, run) == pytest.approx(interval(bounds, run))
        assert np.ptp(interval(told, run)) < 0.8 * np.ptp(interval(bounds, run))


# ---- what follows


def test_their_holes_share_a_shift_as_uncertain_as_that_of_a_team() -> None:
    judged, rankings, group_of = some(3)
    qrels, occurrences = with_occurrences(judged, rankings, group_of)
    model = discount_model(qrels, occurrences)
    said = model.pair_probabilities(np.arange(len(qrels.judged) + len(occurrences.unlisted.topics)))
    effects = said.random_effects
    assert effects is not None
    holes = np.flatnonzero(said.informed)
    near = holes[said.ranks[holes] <= DEPTH]
    of_newcomers = near[effects.deviations[KIND, near] > 0]
    assert set(effects.deviations[KIND, of_newcomers].tolist()) == {DISCOUNT.sd}
    assert len(np.unique(effects.keys[KIND, of_newcomers])) == 1
    assert len(np.unique(effects.keys[FIT, of_newcomers])) == len(NEWCOMERS)


def test_evidence_has_their_level_from_discounted_and_that_shift() -> None:
    model = others(*some(3))
    for group in np.flatnonzero(model.missing_kinds.groups).tolist():
        expected = model.new_kinds._expected(group, left_out=False)
        holes, fitted = model.group_fit(group).holes, model.group_fit(group).model
        assert expected is not None
        assert fitted is not None
        near = fitted.moved(model.new_kinds.of_holes(group)).probabilities(holes.features[holes.ranks <= 5])
        assert model.new_kinds._log_odds(near) == pytest.approx(expected.by_own, abs=1e-6)
        assert set(model.of_holes(group).deviations[KIND].tolist()) == {DISCOUNT.sd}


@pytest.mark.parametrize("holes", ["discounted(draws=50)", "evidence(draws=50)"])
def test_one_line_says_it(holes: str) -> None:
    assert notes(scores(holes, 3), MISSING_KIND) == [
        "new0, new1, new2: 3 groups that were not in the pool return the same unjudged documents, so a kind of system"
        " is missing from it, and how relevant its documents are is less certain than of one team's; intervals are"
        " wider"
    ]


def test_intervals_are_wider(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unjudged.holes.discount_model.ENOUGH_JUDGED", 0.0)
    found = scores("discounted(draws=400)", 3)
    monkeypatch.setattr(MissingKinds, "groups", np.zeros(15, dtype=bool))
    usual = scores("discounted(draws=400)", 3)
    assert notes(usual, MISSING_KIND) == []
    widths = [sum(np.ptp(interval(one, run)) for run in NEWCOMERS) for one in (found, usual)]
    assert widths[0] > 1.3 * widths[1]
    np.testing.assert_array_equal(interval(found, "g3r0"), interval(usual, "g3r0"))


def test_a_team_alone_is_estimated_as_before() -> None:
    found = scores("discounted(draws=100)", 1)
    assert notes(found, MISSING_KIND) == notes(found, "too-few-groups") == []


@pytest.mark.parametrize("holes", ["discounted(draws=50)", "evidence(draws=50)"])
def test_means_have_bounds_where_the_pool_has_too_few_groups_to_know(holes: str) -> None:
    found, bounds = scores(holes, 3, groups=4), scores("joint", 3, groups=4)
    assert interval(found) == pytest.approx(interval(bounds))
    assert notes(found, "too-few-groups") == [
        "P@6: a kind of system is missing from a pool of 4 groups, and it takes 9 to know how wide 90% intervals of its"
        " means have to be; they are bounds instead"
    ]
    truth, _, rankings, _ = parts(4)
    for run in NEWCOMERS:
        low, high = interval(found, run)
        assert low <= uj.score(truth, as_runs({run: rankings[run]}), "P@6").mean()[run, "P@6"] <= high


@pytest.mark.shared
def test_neural_runs_against_a_pool_of_traditional_ones_have_bounds_that_hold(shared_data: Path) -> None:
    """DL19: intervals of means held 12% of the truths, because the pool lacks what all neural runs find."""
    folder = shared_data / "dl19"
    group_of = dict(line.split("\t")[:2] for line in (folder / "runs_teams.tsv").read_text().splitlines()[1:])
    runs = uj.read_runs(folder / "runs", scores="float32")
    neural = [run for run in runs if group_of[run.name] not in {"BASELINE", "TREMA-UNH", "srchvrs"}]
    qrels = uj.read_qrels(folder / "2019qrels-pass.txt")
    joined = join_runs(qrels, runs)
    inside = [i for i, run in enumerate(runs) if run not in neural]
    judged = qrels.left(qrels.judged & joined.reached(inside, 10))
    how: dict[str, Any] = {
        "groups": group_of,
        "pool_depth": 10,
        "holes": ["discounted(draws=50)", "evidence(draws=50)"],
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", uj.UnjudgedWarning)
        found = uj.score(judged, runs, "nDCG@10", **how)
        truth = uj.score(qrels, runs, "nDCG@10")
    new = [found.runs.index(run.name) for run in neural]
    true = truth.means[0, 0, [truth.runs.index(run.name) for run in neural]]
    assert ((found.mean_low[:, 0, new] <= true) & (true <= found.mean_high[:, 0, new])).all()
    assert {one.code for one in found.warnings} >= {MISSING_KIND, "too-few-groups"}
