"""evidence: what documents are described by, that nothing leaks, and what must not matter."""

from __future__ import annotations

import importlib
import random
from pathlib import Path

import numpy as np
import pytest
from evidence_oracles import Slowly, described, holes_of, left_out, others, with_occurrences
from grouped_runs import DEPTH, as_runs, collection, pooled

import unjudged as uj
from unjudged.data.pool_depth import inferred_depth
from unjudged.data.qrels import State
from unjudged.holes.evidence_model.model import EvidenceModel
from unjudged.holes.evidence_model.pool_contributions import FEATURES, Contributions

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


@pytest.mark.parametrize("seed", range(4))
def test_holes_and_examples_are_described_as_documented(seed: int) -> None:
    truth, rankings, group_of = collection(seed, groups=4, topics=5, docs=40)
    newcomer = "g2"
    contributing = [run for run in rankings if group_of[run] != newcomer]
    judged = pooled(truth, rankings, contributing)
    informed_qrels, occurrences = with_occurrences(judged, rankings, group_of)
    contributions = Contributions(informed_qrels, occurrences, DEPTH)
    slowly = Slowly(judged, rankings, group_of)
    number = set(contributions.group_of_holes[:-1][contributions.group_of_holes[:-1] >= 0].tolist())
    assert len(number) == 1  # everybody else is judged so far
    holes, examples = (described(contributions, one) for one in contributions.around(number.pop())[:2])
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
    for (t, d), features in holes.items():
        assert any(features == pytest.approx(one) for one in slowly.features(t, d, newcomer, newcomer))
    for (t, d), features in examples.items():
        assert any(features == pytest.approx(one) for one in slowly.features(t, d, owners[t, d][0], newcomer))


@pytest.mark.parametrize("depth", [5, 9])
def test_the_pool_depth_is_found_out(depth: int) -> None:
    truth, rankings, group_of = collection(3)
    informed_qrels, occurrences = with_occurrences(
        pooled(truth, rankings, [run for run in rankings if run[1] != "0"], depth), rankings, group_of
    )
    assert inferred_depth(informed_qrels, occurrences) == depth


def test_a_depth_of_which_nothing_can_be_seen_is_not_found() -> None:
    truth, rankings, group_of = collection(3)
    informed_qrels, occurrences = with_occurrences(pooled(truth, rankings, list(rankings), 3), rankings, group_of)
    assert inferred_depth(informed_qrels, occurrences) is None


# ---- no leakage


def test_judgments_that_a_group_alone_brought_say_nothing_about_its_own_holes() -> None:
    judged, rankings, group_of, without = left_out()
    mine = {t: [d for d in judged[t] if d not in without[t]] for t in judged}
    assert sum(map(len, mine.values())) > 30
    results = []
    for shuffle in range(3):
        rng, changed = random.Random(shuffle), {t: dict(grades) for t, grades in judged.items()}
        if shuffle:
            for t, docs in mine.items():
                for d in docs:
                    changed[t][d] = rng.randrange(3)
        # Judged for everybody else's purposes, but holes for this: as if nobody had asked about the group's documents.
        informed_qrels, occurrences = with_occurrences(changed, rankings, group_of)
        gone = np.array(
            [
                d in mine[informed_qrels.topics[t]]
                for t, d in zip(informed_qrels.topic_of_row, informed_qrels.docs, strict=True)
            ]
        )
        assert (informed_qrels.states == State.JUDGED).all()
        reduced = informed_qrels.left(~gone)
        results.append(holes_of(EvidenceModel(reduced, occurrences, DEPTH), rankings["g4r0"])[0])
    assert results[0].informed.all()
    for other in results[1:]:
        np.testing.assert_array_equal(other.probabilities, results[0].probabilities)
        np.testing.assert_array_equal(other.conditional, results[0].conditional)


def test_a_model_is_the_same_whether_or_not_the_groups_own_judgments_are_there() -> None:
    """What is learned for a group from all judgments is what is learned without those that it alone brought."""
    judged, rankings, group_of, without = left_out()
    every, some = others(judged, rankings, group_of), others(without, rankings, group_of)
    assert every.contributions is not None
    assert some.contributions is not None
    number = int(some.contributions.group_of_holes.max())
    all_examples, examples = (
        described(one.contributions, one.contributions.around(number)[1]) for one in (every, some)
    )
    assert all_examples == examples
    assert {pair: every.qrels.judgments(pair[0])[pair[1]] for pair in examples} == {
        pair: some.qrels.judgments(pair[0])[pair[1]] for pair in examples
    }


def test_a_model_from_all_judgments_knows_nothing_of_what_the_group_alone_brought() -> None:
    judged, rankings, group_of, without = left_out()
    some = others(without, rankings, group_of)
    assert some.contributions is not None
    number = int(some.contributions.group_of_holes.max())
    expected = some.group_fit(number).model
    assert expected is not None
    for shuffle in range(2):
        rng = random.Random(shuffle)
        changed = {t: {d: g if d in without[t] else rng.randrange(3) for d, g in judged[t].items()} for t in judged}
        model = others(changed, rankings, group_of).group_fit(number).model
        assert model is not None
        np.testing.assert_array_equal(model.ordinal.weights, expected.ordinal.weights)
        np.testing.assert_array_equal(model.ordinal.thresholds, expected.ordinal.thresholds)


# ---- what must not matter


def test_neither_names_nor_order_nor_copies_matter() -> None:
    _, rankings, group_of, without = left_out()
    plain = holes_of(others(without, rankings, group_of), rankings["g4r0"])[0]
    renamed = {f"x{hash(run) % 1000}{run}": ranked for run, ranked in reversed(rankings.items())}
    groups = {name: f"team of {group_of[name[-4:]]}"[::-1] for name in renamed}
    copied = {**rankings, "again": rankings["g4r0"], "and again": rankings["g1r1"]}
    with_copies = {**group_of, "again": "g4", "and again": "g1"}
    shuffled = {t: dict(random.Random(1).sample(list(docs.items()), len(docs))) for t, docs in without.items()}
    for model in (
        others(without, renamed, groups),
        others(without, copied, with_copies),
        others(shuffled, rankings, group_of),
    ):
        other = holes_of(model, rankings["g4r0"])[0]
        np.testing.assert_array_equal(other.probabilities, plain.probabilities)
        for what in ("keys", "deviations", "spreads"):
            np.testing.assert_array_equal(getattr(other.random_effects, what), getattr(plain.random_effects, what))


def test_near_copies_are_one_group_where_nobody_says_otherwise() -> None:
    _, rankings, _, without = left_out()
    alone = {run: ranked for run, ranked in rankings.items() if run.endswith("r0")}
    plain = others(without, alone)
    near = {**alone, "near": {t: [*docs[:4], docs[5], docs[4], *docs[6:]] for t, docs in alone["g1r0"].items()}}
    assert len(plain.occurrences.keys) == 7
    assert len(others(without, near).occurrences.keys) == 7
    assert len(others(without, near, {run: run for run in near}).occurrences.keys) == 8


def test_scores_do_not_depend_on_threads_or_on_who_is_scored_beside() -> None:
    _, rankings, group_of, without = left_out()
    runs = as_runs(rankings)
    model = f"bootstrap(prior=evidence,depth={DEPTH})"
    one = uj.score(without, runs, ["nDCG@6", "AP"], holes=model, groups=group_of, jobs=1)
    two = uj.score(without, runs, ["nDCG@6", "AP"], holes=model, groups=group_of, jobs=2)
    np.testing.assert_array_equal(one.values, two.values)
    np.testing.assert_array_equal(one.mean_low, two.mean_low)


def test_experiments_describe_all_that_the_model_asks_for_in_their_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """Holes, examples and what the group contributed alone, without a feature or with one more."""
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    features = importlib.import_module("evidence_features")
    truth, rankings, group_of = collection(0, groups=4, topics=5, docs=40)
    judged = pooled(truth, rankings, [run for run in rankings if group_of[run] != "g2"])
    given = with_occurrences(judged, rankings, group_of)
    usual = Contributions(*given, DEPTH)
    group = int(usual.group_of_holes.max())
    every = usual.around(group)
    changes = {0: features.without(FEATURES), 1: features.with_column(features.number_of_groups)}
    for more, change in changes.items():
        with features.described_by(change):
            contributions = Contributions(*given, DEPTH)
            changed = contributions.around(group)
        assert [one.features.shape for one in changed] == [(len(one.pairs), len(FEATURES) + more) for one in every]
        assert len(contributions.rising) == len(FEATURES) + more
        assert all(bool(one.features.any()) == bool(more) for one in changed if len(one.pairs))
    assert len(usual.around(group)) == len(every)
