"""bootstrap(prior=evidence): grades of holes from what other groups contributed alone."""

from __future__ import annotations

import math
import random
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from witnesses import DEPTH, Judgments, Ranked, as_runs, collection, log_odds, pooled

import unjudged as uj
from unjudged.api import expand_runs, read_holes
from unjudged.data.qrels import Qrels, State
from unjudged.data.view import View, join
from unjudged.engine.hearing import Groups, add_testimony
from unjudged.errors import InputError, SpecError
from unjudged.holes.contributions import Contributions, Described
from unjudged.holes.evidence import LEAST_EXAMPLES, LEAST_GROUPS, Verdict, Verdicts
from unjudged.holes.pool_depth import inferred_depth

EVIDENCE = "bootstrap(prior=evidence)"
USUAL = "bootstrap(method=draws,ideal=follows,ends=nearest)"
"""What it is without evidence: the same, with another prior."""


def heard(qrels: Judgments | Qrels, rankings: dict[str, Ranked], groups: dict[str, str] | None = None) -> Qrels:
    """The judgments with the runs' testimony, for scoring down to the pool depth."""
    given_ = uj.read_qrels(qrels)
    sources = expand_runs(as_runs(rankings))
    return add_testimony(given_, sources, read_holes(EVIDENCE), Groups(groups), depth=DEPTH)[0]


def verdicts(qrels: Judgments | Qrels, rankings: dict[str, Ranked], groups: dict[str, str] | None = None) -> Verdicts:
    told = heard(qrels, rankings, groups)
    assert told.testimony is not None
    return Verdicts(told, told.testimony, DEPTH)


def holes_of(found: Verdicts, ranked: Ranked) -> tuple[Verdict, View, np.ndarray]:
    view = join(uj.read_run(as_runs({"one": ranked})["one"]), found.qrels, depth=DEPTH)
    rows = np.flatnonzero(~view.judged)
    return found.about(view, rows), view, rows


def left_out(seed: int = 1, group: str = "g4") -> tuple[Judgments, dict[str, Ranked], dict[str, str], Judgments]:
    """A collection, and its judgments as they were if a group had not taken part."""
    truth, rankings, group_of = collection(seed, groups=7)
    judged = pooled(truth, rankings, list(rankings))
    without = pooled(truth, rankings, [run for run in rankings if group_of[run] != group])
    return judged, rankings, group_of, without


# ---- features, against a slow description of the same


def described(scene: Contributions, found: Described) -> dict[tuple[str, str], list[float]]:
    """Features by topic and document."""
    names = [*scene.qrels.docs, *scene.testimony.unlisted.docs]
    return {
        (scene.qrels.topics[topic], names[pair]): features.tolist()
        for topic, pair, features in zip(found.topics.tolist(), found.pairs.tolist(), found.features, strict=True)
    }


class Slowly:
    """What the documentation says, document by document."""

    def __init__(self, judged: Judgments, rankings: dict[str, Ranked], group_of: dict[str, str]) -> None:
        self.judged, self.rankings, self.group_of = judged, rankings, group_of
        self.groups = sorted(set(group_of.values()))
        self.top = max(1, *(grade for grades in judged.values() for grade in grades.values()))

    def rank(self, run: str, topic: str, doc: str) -> float:
        docs = self.rankings[run].get(topic, [])
        return docs.index(doc) + 1 if doc in docs else math.inf

    def group_rank(self, group: str, topic: str, doc: str) -> float:
        return min(self.rank(run, topic, doc) for run in self.rankings if self.group_of[run] == group)

    def within(self, topic: str, doc: str, without: set[str]) -> list[str]:
        return [g for g in self.groups if g not in without and self.group_rank(g, topic, doc) <= DEPTH]

    def features(self, topic: str, doc: str, owner: str, asking: str) -> set[tuple[float, ...]]:
        """Seen from any of the owner's runs that have the document at its best rank."""
        apart = {owner, asking}
        ranks = [self.group_rank(g, topic, doc) for g in self.groups if g not in apart]
        support = math.log(sum(1 / (60 + rank) for rank in ranks) + 1e-3)
        best = self.group_rank(owner, topic, doc)

        def still(topic: str, doc: str, without: set[str]) -> bool:
            """Judged, and not only because those without took part."""
            reached = self.within(topic, doc, set())
            return doc in self.judged[topic] and (not reached or bool(self.within(topic, doc, without)))

        def mean(pairs: list[tuple[str, str]], more: float, weight: float) -> float:
            return (sum(self.judged[t][d] for t, d in pairs) + weight * more) / (len(pairs) + weight)

        everything = [(t, d) for t in self.judged for d in self.judged[t] if still(t, d, {asking})]
        average = sum(self.judged[t][d] for t, d in everything) / len(everything)
        in_pool = [(t, d) for t, d in everything if t == topic and still(t, d, apart)]
        out = set()
        for run in self.rankings:
            if self.group_of[run] != owner or self.rank(run, topic, doc) != best:
                continue
            returned = [(t, d) for t in self.judged for d in self.rankings[run].get(t, [])[:DEPTH]]
            seen = [(t, d) for t, d in returned if d in self.judged[t] and self.within(t, d, apart)]
            of_run = mean(seen, average, 1.0)
            on_topic = mean([(t, d) for t, d in seen if t == topic], of_run, 2.0)
            pool = mean(in_pool, average, 5.0)
            odds = [log_odds(x, self.top) for x in (on_topic, of_run)]
            out.add((support, -math.log(best), *odds, len(seen) / len(returned), log_odds(pool, self.top)))
        return out


@pytest.mark.parametrize("seed", range(4))
def test_holes_and_examples_are_described_as_documented(seed: int) -> None:
    truth, rankings, group_of = collection(seed, groups=4, topics=5, docs=40)
    newcomer = "g2"
    contributing = [run for run in rankings if group_of[run] != newcomer]
    judged = pooled(truth, rankings, contributing)
    told = heard(judged, rankings, group_of)
    assert told.testimony is not None
    scene = Contributions(told, told.testimony, DEPTH)
    slowly = Slowly(judged, rankings, group_of)
    number = set(scene.group_of_holes[:-1][scene.group_of_holes[:-1] >= 0].tolist())
    assert len(number) == 1  # everybody else is judged so far
    holes, examples = (described(scene, one) for one in scene.around(number.pop()))
    expected = {
        (t, d)
        for t in truth
        for run in rankings
        for d in rankings[run][t][:DEPTH]
        if group_of[run] == newcomer and d not in judged[t]
    }
    assert holes.keys() == expected
    owners = {(t, d): slowly.within(t, d, {newcomer}) for t in judged for d in judged[t]}
    assert examples.keys() == {pair for pair, groups in owners.items() if len(groups) == 1}
    for (t, d), found in holes.items():
        assert any(found == pytest.approx(one) for one in slowly.features(t, d, newcomer, newcomer))
    for (t, d), found in examples.items():
        assert any(found == pytest.approx(one) for one in slowly.features(t, d, owners[t, d][0], newcomer))


@pytest.mark.parametrize("depth", [5, 9])
def test_the_pool_depth_is_found_out(depth: int) -> None:
    truth, rankings, group_of = collection(3)
    told = heard(pooled(truth, rankings, [run for run in rankings if run[1] != "0"], depth), rankings, group_of)
    assert told.testimony is not None
    assert inferred_depth(told, told.testimony) == depth


def test_a_depth_of_which_nothing_can_be_seen_is_not_found() -> None:
    truth, rankings, group_of = collection(3)
    told = heard(pooled(truth, rankings, list(rankings), 3), rankings, group_of)
    assert told.testimony is not None
    assert inferred_depth(told, told.testimony) is None


# ---- no leakage


def test_judgments_that_a_group_alone_brought_say_nothing_about_its_own_holes() -> None:
    judged, rankings, group_of, without = left_out()
    mine = {t: [d for d in judged[t] if d not in without[t]] for t in judged}
    assert sum(map(len, mine.values())) > 30
    found = []
    for shuffle in range(3):
        rng, changed = random.Random(shuffle), {t: dict(grades) for t, grades in judged.items()}
        if shuffle:
            for t, docs in mine.items():
                for d in docs:
                    changed[t][d] = rng.randrange(3)
        # Judged for everybody else's purposes, but holes for this: as if nobody had asked about the group's documents.
        told = heard(changed, rankings, group_of)
        assert told.testimony is not None
        gone = np.array([d in mine[told.topics[t]] for t, d in zip(told.topic_of_row, told.docs, strict=True)])
        assert (told.states == State.JUDGED).all()
        reduced = told.left(~gone)
        found.append(holes_of(Verdicts(reduced, told.testimony, DEPTH), rankings["g4r0"])[0])
    assert found[0].known.all()
    for other in found[1:]:
        np.testing.assert_array_equal(other.chances, found[0].chances)
        np.testing.assert_array_equal(other.centred, found[0].centred)


def test_a_model_is_the_same_whether_or_not_the_groups_own_judgments_are_there() -> None:
    """What is learned for a group from all judgments is what is learned without those that it alone brought."""
    judged, rankings, group_of, without = left_out()
    every, some = verdicts(judged, rankings, group_of), verdicts(without, rankings, group_of)
    assert every.scene is not None
    assert some.scene is not None
    number = int(some.scene.group_of_holes.max())
    all_examples, examples = (described(one.scene, one.scene.around(number)[1]) for one in (every, some))
    assert all_examples == examples
    assert {pair: every.qrels.judgments(pair[0])[pair[1]] for pair in examples} == {
        pair: some.qrels.judgments(pair[0])[pair[1]] for pair in examples
    }


def test_a_model_from_all_judgments_knows_nothing_of_what_the_group_alone_brought() -> None:
    judged, rankings, group_of, without = left_out()
    some = verdicts(without, rankings, group_of)
    assert some.scene is not None
    number = int(some.scene.group_of_holes.max())
    expected = some.opinion(number).model
    assert expected is not None
    for shuffle in range(2):
        rng = random.Random(shuffle)
        changed = {t: {d: g if d in without[t] else rng.randrange(3) for d, g in judged[t].items()} for t in judged}
        found = verdicts(changed, rankings, group_of).opinion(number).model
        assert found is not None
        np.testing.assert_array_equal(found.ordinal.weights, expected.ordinal.weights)
        np.testing.assert_array_equal(found.ordinal.thresholds, expected.ordinal.thresholds)


# ---- what must not matter


def test_neither_names_nor_order_nor_copies_matter() -> None:
    _, rankings, group_of, without = left_out()
    plain = holes_of(verdicts(without, rankings, group_of), rankings["g4r0"])[0]
    renamed = {f"x{hash(run) % 1000}{run}": ranked for run, ranked in reversed(rankings.items())}
    groups = {name: f"team of {group_of[name[-4:]]}"[::-1] for name in renamed}
    copied = {**rankings, "again": rankings["g4r0"], "and again": rankings["g1r1"]}
    with_copies = {**group_of, "again": "g4", "and again": "g1"}
    shuffled = {t: dict(random.Random(1).sample(list(docs.items()), len(docs))) for t, docs in without.items()}
    for found in (
        verdicts(without, renamed, groups),
        verdicts(without, copied, with_copies),
        verdicts(shuffled, rankings, group_of),
    ):
        other = holes_of(found, rankings["g4r0"])[0]
        np.testing.assert_array_equal(other.chances, plain.chances)
        np.testing.assert_array_equal(other.shifts.cell, plain.shifts.cell)
        np.testing.assert_array_equal(other.shifts.of_group, plain.shifts.of_group)


def test_near_copies_are_one_group_where_nobody_says_otherwise() -> None:
    _, rankings, _, without = left_out()
    alone = {run: ranked for run, ranked in rankings.items() if run.endswith("r0")}
    plain = verdicts(without, alone)
    near = {**alone, "near": {t: [*docs[:4], docs[5], docs[4], *docs[6:]] for t, docs in alone["g1r0"].items()}}
    assert len(plain.testimony.keys) == 7
    assert len(verdicts(without, near).testimony.keys) == 7
    assert len(verdicts(without, near, {run: run for run in near}).testimony.keys) == 8


def test_scores_do_not_depend_on_threads_or_on_who_is_scored_beside() -> None:
    _, rankings, group_of, without = left_out()
    runs = as_runs(rankings)
    model = f"bootstrap(prior=evidence,depth={DEPTH})"
    one = uj.score(without, runs, ["nDCG@6", "AP"], holes=model, groups=group_of, jobs=1)
    two = uj.score(without, runs, ["nDCG@6", "AP"], holes=model, groups=group_of, jobs=2)
    np.testing.assert_array_equal(one.values, two.values)
    np.testing.assert_array_equal(one.mean_low, two.mean_low)


# ---- the model


@settings(max_examples=10)
@given(st.integers(0, 50), st.integers(1, 40))
def test_support_from_one_more_group_never_lowers_the_expected_grade(seed: int, rank: int) -> None:
    _, rankings, group_of, without = left_out(seed % 5)
    found = verdicts(without, rankings, group_of)
    assert found.scene is not None
    number = int(found.scene.group_of_holes.max())
    holes, _ = found.scene.around(number)
    opinion = found.opinion(number)
    assert opinion.model is not None
    more = holes.features.copy()
    more[:, 0] = np.log(np.exp(more[:, 0]) + 1 / (60 + rank))
    better = opinion.model.chances(more) @ np.arange(3)
    assert (better >= opinion.chances @ np.arange(3) - 1e-12).all()


def test_draws_have_the_models_chances_on_average_and_holes_of_a_group_move_together() -> None:
    _, rankings, group_of, without = left_out()
    verdict, _, _ = holes_of(verdicts(without, rankings, group_of), rankings["g4r0"])
    number = len(verdict.known)
    verdict = verdict._replace(
        shifts=replace(verdict.shifts, of_group=np.full(number, 0.8), of_cell=np.full(number, 0.5))
    )
    chance = np.random.default_rng(0).random((1, 40_000, number))
    moved = verdict.shifts.move(chance, np.arange(number)[None], 42)[0]
    odds = np.log(moved) - np.log1p(-moved) - (np.log(chance[0]) - np.log1p(-chance[0]))
    np.testing.assert_allclose(odds.std(axis=0), np.hypot(0.8, 0.5), rtol=0.03)
    same_cell = verdict.shifts.cell[:, None] == verdict.shifts.cell
    np.testing.assert_allclose(np.cov(odds.T), 0.64 + 0.25 * same_cell, atol=0.05)


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


def test_without_enough_examples_it_is_pool_and_run_and_says_so() -> None:
    truth, rankings, group_of = collection(1, groups=3)
    without = pooled(truth, rankings, [run for run in rankings if group_of[run] != "g2"])
    with pytest.warns(uj.UnjudgedWarning, match=r"prior=evidence: pool\+run is the prior of"):
        found = uj.score(without, as_runs(rankings), "nDCG@6", holes=EVIDENCE, groups=group_of)
    (notice,) = [one for one in found.warnings if one.code == "no-evidence"]
    told = heard(without, rankings, group_of)
    assert told.testimony is not None
    scene = Contributions(told, told.testimony, DEPTH)
    examples = len(scene.around(int(scene.group_of_holes.max()))[1].pairs)
    assert notice.message == (
        f"prior=evidence: pool+run is the prior of {notice.count:,} holes instead: {examples:,} judged documents of"
        f" 2 other groups are in the top {DEPTH} of one group only; it takes {LEAST_EXAMPLES} of {LEAST_GROUPS} groups"
    )
    usual = uj.score(without, as_runs(rankings), "nDCG@6", holes=USUAL)
    for ours, theirs in ((found.values, usual.values), (found.low, usual.low), (found.mean_low, usual.mean_low)):
        np.testing.assert_array_equal(ours, theirs)


def test_without_a_run_that_was_in_the_pool_it_is_pool_and_run_and_says_so() -> None:
    truth, rankings, _ = collection(1)
    judged = {t: dict(list(grades.items())[::3]) for t, grades in truth.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", uj.UnjudgedWarning)
        found = uj.score(judged, as_runs(rankings), "nDCG@6", holes=EVIDENCE)
        usual = uj.score(judged, as_runs(rankings), "nDCG@6", holes=USUAL)
    assert [one.message for one in found.warnings] == [
        "prior=evidence: no run is judged down to rank 5, so no run seems to have been in the pool; pool+run is the"
        " prior instead"
    ]
    np.testing.assert_array_equal(found.values, usual.values)


def test_one_run_alone_says_so_too() -> None:
    judged, rankings, _, _ = left_out()
    with pytest.warns(uj.UnjudgedWarning, match="prior=evidence: "):
        uj.score(judged, {"one": as_runs(rankings)["g4r0"]}, "nDCG@20", holes=EVIDENCE)


# ---- the other studies


def test_compare_takes_evidence() -> None:
    _, rankings, group_of, without = left_out()
    runs = as_runs(rankings)
    usual = uj.compare(without, runs, "nDCG@6", draws=300)
    found = uj.compare(without, runs, "nDCG@6", draws=300, prior="evidence", groups=group_of)
    alone = uj.score(without, runs, "nDCG@6", holes=EVIDENCE, groups=group_of).mean()
    expected = {row.run: row.expected for row in found.rows()}
    assert expected["g4r0"] == pytest.approx(alone["g4r0", "nDCG@6"], abs=0.02)
    assert expected["g4r0"] != {row.run: row.expected for row in usual.rows()}["g4r0"]


def test_relative_takes_evidence() -> None:
    _, rankings, group_of, without = left_out()
    found = uj.relative(without, as_runs(rankings), "nDCG@6", holes=EVIDENCE, groups=group_of)
    rows = {row.run: row for row in found.run_rows}
    assert rows["g4r0"].low < rows["g4r0"].nrg < rows["g4r0"].high


def test_reuse_takes_evidence_and_finds_it_better() -> None:
    truth, rankings, group_of = collection(2, groups=7)
    judged = pooled(truth, rankings, list(rankings))
    found = uj.reuse(
        judged,
        as_runs(rankings),
        "P@6",
        degrade=f"LeaveOutGroup({DEPTH})",
        holes=["bootstrap", EVIDENCE],
        groups=group_of,
    )
    best, usual = found.tables["methods"]
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
    with pytest.raises(InputError, match=r"^prior must be one of 'pool\+run', 'evidence', not 'pool'$"):
        uj.compare({"1": {"a": 1}}, {"x": {"1": {"a": 1.0}}, "y": {"1": {"b": 1.0}}}, "P@1", prior="pool")  # type: ignore[arg-type]


def test_without_runs_to_ask_there_is_no_estimate() -> None:
    model = read_holes(EVIDENCE)[0]
    with pytest.raises(InputError, match="learns from other runs, and nobody said what these return"):
        model.prepare(uj.read_qrels({"1": {"a": 1}}))


# ---- explaining


def test_explained_holes_have_the_models_chances_and_lose_what_they_are_worth() -> None:
    _, rankings, group_of, without = left_out()
    # With so many relevant documents elsewhere, the pool's numbers of judgments per grade are no limit.
    topic = max(without, key=lambda t: sum(grade > 0 for grade in without[t].values()))
    found = uj.score(without, as_runs(rankings), "P@6", holes=EVIDENCE, groups=group_of, explain=[("g4r0", topic)])
    rows = found.explained
    assert [(row.rank, row.doc) for row in rows] == [
        (place + 1, doc) for place, doc in enumerate(rankings["g4r0"][topic][:DEPTH]) if doc not in without[topic]
    ]
    verdict, view, at = holes_of(verdicts(without, rankings, group_of), rankings["g4r0"])
    chances = {
        (without_topic, doc): one
        for without_topic, doc, one in zip(
            [view.qrels.topics[t] for t in view.ranking[at]], view.doc_ids().take(at), verdict.chances, strict=True
        )
    }
    value = found.values[0, 0, found.runs.index("g4r0"), found.topics.index(topic)]
    slowly = Slowly(without, rankings, group_of)
    for row in rows:
        np.testing.assert_allclose(row.chances, chances[topic, row.doc])
        assert row.expected == pytest.approx(sum(grade * one for grade, one in enumerate(row.chances)))
        # P adds up, and what is relevant counts 1/6.
        assert row.share == pytest.approx((1 - row.chances[0]) / 6 / value, abs=0.03)
        ranks = [slowly.group_rank(g, topic, row.doc) for g in slowly.groups if g != "g4"]
        elsewhere = [rank for rank in ranks if math.isfinite(rank)]
        assert row.groups == len(elsewhere)
        assert row.best_rank == min(elsewhere, default=None)
        (features, *_) = slowly.features(topic, row.doc, "g4", "g4")
        assert row.pool_mean is not None
        assert log_odds(row.pool_mean, 2) == pytest.approx(features[5])


@pytest.mark.parametrize(
    ("explain", "holes", "message"),
    [
        (("g9", "t3"), EVIDENCE, r"^no run 'g9' to explain; there is g0r0, g0r1, g1r0, g1r1, g2r0, \.\.\.$"),
        (("g4r0", "x"), EVIDENCE, r"^no topic 'x' to explain; there is t0, t1, t2, t3, t4, \.\.\.$"),
        (("g4r0", "t3"), "bootstrap", r"^to explain holes takes --holes 'bootstrap\(prior=evidence\)'$"),
    ],
)
def test_what_cannot_be_explained(explain: tuple[str, str], holes: str, message: str) -> None:
    _, rankings, group_of, without = left_out()
    with warnings.catch_warnings(), pytest.raises(InputError, match=message):
        warnings.simplefilter("ignore", uj.UnjudgedWarning)
        uj.score(without, as_runs(rankings), "P@6", holes=holes, groups=group_of, explain=[explain])


def test_a_run_without_holes_has_nothing_to_explain() -> None:
    _, rankings, group_of, without = left_out()
    with pytest.warns(uj.UnjudgedWarning, match="g1r0 has no hole on topic t3 within what is measured"):
        uj.score(without, as_runs(rankings), "P@6", holes=EVIDENCE, groups=group_of, explain=[("g1r0", "t3")])
