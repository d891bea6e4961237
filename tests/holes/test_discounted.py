"""discounted: what is drawn, a shift that all holes of a run share, and what users read of it."""

from __future__ import annotations

import math
import random
import warnings
from collections import namedtuple

import numpy as np
import pytest
from discounted_oracles import DEPTH, holes_of, one_run, reached, with_occurrences
from grouped_runs import Ranked, as_runs
from scipy.special import expit, logit

import unjudged as uj
from unjudged.api import read_holes, read_measure
from unjudged.data.view import join
from unjudged.engine.numerics.joint_imputations import as_scored, drawn_scores
from unjudged.engine.preparation.document_occurrences import collect_occurrences
from unjudged.errors import InputError, SpecError
from unjudged.holes import Discounted, Settings
from unjudged.holes.discount_model import Discount, DiscountModel

OfSubtopic = namedtuple("OfSubtopic", "query_id doc_id relevance subtopic")
PLAIN = "discounted(shift=-1.5,sd=0.7)"


# ---- what is drawn


def test_a_shift_of_minus_infinity_is_not_relevant() -> None:
    judged, ranked = one_run()
    scores = uj.score(
        judged, as_runs({"r": ranked}), ["nDCG@10", "AP", "P@10"], holes=["nonrelevant", "discounted(shift=-99)"]
    )
    np.testing.assert_allclose(scores.values[1], scores.values[0], atol=1e-12)
    np.testing.assert_allclose(scores.high[1], scores.values[0], atol=1e-12)


def test_the_mean_and_the_spread_of_a_mean_are_those_of_one_shift_for_all_topics() -> None:
    """P@10 over topics: given the shift, holes are independent; the rest is its variance."""
    judged, ranked = one_run(7, topics=30)
    shift, sd, draws = -1.0, 0.8, 20_000
    model = DiscountModel(*with_occurrences(judged, {"one": ranked}, DEPTH), Discount(shift, sd))
    error = model.own_grades(0).error
    chance = reached(holes_of(judged, ranked, Discount(shift, sd))[0].conditional)[:, 0]
    shifts = np.linspace(-6, 6, 2001)
    weights = np.exp(-0.5 * shifts**2) / np.exp(-0.5 * shifts**2).sum()
    moved = expit(logit(chance)[:, None] + math.hypot(sd, error) * shifts)
    size = DEPTH * len(ranked)
    sums = moved.sum(axis=0)
    mean = float(sums @ weights)
    variance = float((moved * (1 - moved)).sum(axis=0) @ weights + (sums - mean) ** 2 @ weights)
    relevant = sum(judged[t].get(doc, 0) > 0 for t, docs in ranked.items() for doc in docs)
    qrels, occurrences = with_occurrences(judged, {"one": ranked}, DEPTH)
    prepared = Discounted(shift=shift, sd=sd, draws=draws).learn(qrels, occurrences)
    view = join(uj.read_run(as_runs({"one": ranked})["one"]), qrels)
    drawn = prepared.estimate(read_measure("P@10"), view, Settings(3)).draws
    assert drawn is not None
    means = drawn.mean(axis=0)
    assert means.mean() == pytest.approx((relevant + mean) / size, abs=4 * math.sqrt(variance / draws) / size)
    assert means.std() == pytest.approx(math.sqrt(variance) / size, rel=0.03)


def test_draws_depend_on_the_seed_and_on_nothing_else() -> None:
    judged, ranked = one_run()
    other = {t: docs[::-1] for t, docs in one_run(9)[1].items()}

    def drawn(runs: dict[str, Ranked], name: str, **how: int) -> tuple[np.ndarray, ...]:
        scores = uj.score(judged, as_runs(runs), ["P@10", "AP(rel=2)"], holes=PLAIN, **how)
        run = scores.runs.index(name)
        return scores.values[0, :, run], scores.mean_low[0, :, run], scores.mean_high[0, :, run]

    first = drawn({"mine": ranked, "other": other}, "mine", jobs=1)
    again = drawn({"a": other, "renamed": dict(reversed(ranked.items()))}, "renamed", jobs=2)
    for one, same in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, same)
    assert any((one != two).any() for one, two in zip(first, drawn({"mine": ranked}, "mine", seed=1), strict=True))


def test_a_run_alone_and_its_copy_have_the_same_grades() -> None:
    judged, ranked = one_run()
    alone = uj.score(judged, as_runs({"r": ranked}), "nDCG@10", holes=PLAIN)
    both = uj.score(judged, as_runs({"r": ranked, "copy": ranked}), "nDCG@10", holes=PLAIN)
    for run in (0, 1):
        np.testing.assert_array_equal(both.values[0, 0, run], alone.values[0, 0, 0])
    (pair,) = uj.compare(judged, as_runs({"r": ranked, "copy": ranked}), "nDCG@10", test="sign", holes=PLAIN).pairs()
    assert (pair.p_greater, pair.worst, pair.best) == (0.5, 0, 0)


def test_a_document_of_two_runs_is_seen_from_the_one_that_has_it_at_the_better_rank() -> None:
    judged, ranked = one_run()
    docs = {t: [*reversed(judged[t])][:9] for t in ranked}
    topic = "t3"
    hole = next(doc for doc in ranked[topic] if doc not in judged[topic])
    runs = {"good": ranked, "other": {t: [*docs[t], hole] if t == topic else docs[t] for t in docs}}
    qrels, occurrences = with_occurrences(judged, runs, DEPTH)
    model = DiscountModel(qrels, occurrences)
    probabilities = []
    for name in runs:
        view = join(uj.read_run(as_runs(runs)[name]), qrels)
        row = next(i for i, doc in enumerate(view.doc_ids()) if doc == hole and view.topics[view.ranking[i]] == 3)
        probabilities.append(model.grade_probabilities(view, np.array([row])))
    np.testing.assert_array_equal(probabilities[0].conditional, probabilities[1].conditional)
    assert ranked[topic].index(hole) < 9
    assert probabilities[0].ranks == probabilities[1].ranks == ranked[topic].index(hole) + 1


def test_compare_draws_the_same_worlds_as_score() -> None:
    judged, ranked = one_run()
    runs = as_runs({"a": ranked, "b": {t: docs[::-1] for t, docs in ranked.items()}})
    measure = read_measure("P@10")
    informed = collect_occurrences(uj.Collection(judged, runs), read_holes(PLAIN), depth=DEPTH)[0]
    assert informed.occurrences is not None
    (model,) = read_holes(PLAIN)
    joint = model.joint_draws()
    assert joint is not None
    assert joint.learn is not None
    others = joint.learn(informed.qrels, informed.occurrences)
    for run in runs.values():
        scored = as_scored(uj.read_run(run), informed.qrels, measure, 42, others=others)
        worlds = drawn_scores(measure, scored, np.zeros((12, 4)), 1000, 42)
        view = join(uj.read_run(run), informed.qrels)
        estimate = model.learn(informed.qrels, informed.occurrences).estimate(measure, view, Settings(42))
        np.testing.assert_array_equal(worlds, estimate.draws)


def test_runs_of_one_group_move_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """How often the better of two is better does not depend on a shift that they share; most of it, they do."""
    monkeypatch.setattr("unjudged.holes.discount_model.ENOUGH_JUDGED", 0.0)  # else their means have bounds
    judged, ranked = one_run(5, topics=30)
    rng = random.Random(1)
    other = {
        t: [f"new{t}{i}" if doc not in judged[t] else doc for i, doc in enumerate(docs)] for t, docs in ranked.items()
    }
    other = {t: rng.sample(docs, len(docs)) for t, docs in other.items()}
    runs = as_runs({"a": ranked, "b": other})
    qrels = uj.read_qrels(judged)
    spreads = []
    for groups in ({"a": "1", "b": "2"}, {"a": "1", "b": "1"}):
        informed = collect_occurrences(uj.Collection(qrels, runs, groups=groups), read_holes(PLAIN), depth=DEPTH)[0]
        assert informed.occurrences is not None
        prepared = read_holes("discounted(draws=4000)")[0].learn(informed.qrels, informed.occurrences)
        means = []
        for run in runs.values():
            draws = prepared.estimate(read_measure("P@10"), join(uj.read_run(run), informed.qrels), Settings()).draws
            assert draws is not None
            means.append(draws.mean(axis=0))
        spreads.append((float(np.std(means[0])), float(np.corrcoef(means)[0, 1])))
    assert spreads[0][0] == pytest.approx(spreads[1][0], rel=0.05)
    assert abs(spreads[0][1]) < 0.05
    assert spreads[1][1] > 0.4


# ---- names, messages, explanations


def test_what_users_type() -> None:
    (model,) = read_holes("discounted(shift=-1.75,sd=.75)")
    assert model == Discounted(shift=-1.75, sd=0.75)
    assert str(model) == "discounted(shift=-1.75,sd=0.75)"
    assert model.described() == (
        "Draws of grades from the grades of the judged documents of the same run, less likely by a random shift in log"
        " odds, which R and the ideal ranking follow"
    )
    assert str(Discounted()) == "discounted"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("discounted(sd=-1)", "discounted: sd must be a number at least 0 and at most 100, not -1"),
        ("discounted(shift=low)", "discounted: shift must be a number at least -100 and at most 100, not 'low'"),
        (
            "discounted(prior=run)",
            "discounted has no parameter 'prior' (it has draws, point, ideal, ends, shift, sd)",
        ),
    ],
)
def test_mistakes(text: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        read_holes(text)
    assert str(caught.value) == message


@pytest.mark.parametrize("model", ["discounted", "evidence", "bootstrap(prior=evidence)"])
def test_measures_of_subtopics_are_refused(model: str) -> None:
    qrels = [OfSubtopic("t", "d1", 1, "1")]
    with pytest.raises(InputError) as caught:
        uj.score(qrels, {"r": {"t": {"d2": 1.0}}}, "alpha_nDCG@5", holes=model)
    shown = str(read_holes(model)[0])
    assert str(caught.value) == (
        f"{shown} is not for alpha_nDCG@5: what it learns from runs is one grade for the whole topic, not one"
        " for each subtopic"
    )


def test_holes_are_explained() -> None:
    judged, ranked = one_run()
    scores = uj.score(judged, as_runs({"r": ranked}), "nDCG@10", holes="discounted", explain=[("r", "t3")])
    said, view, rows = holes_of(judged, ranked)
    here = np.flatnonzero(view.topics[view.ranking[rows]] == 3)
    assert [row.doc for row in scores.explained] == [doc for doc in ranked["t3"] if doc not in judged["t3"]]
    for row, chances in zip(scores.explained, said.probabilities[here], strict=True):
        assert row.chances == pytest.approx(chances)
        assert (row.groups, row.best_rank) == (None, None)
        assert row.pool_mean == pytest.approx(np.mean(list(judged["t3"].values())))


def test_without_holes_it_is_the_score() -> None:
    judged, ranked = one_run()
    full = {t: {**dict.fromkeys(ranked[t], 0), **docs} for t, docs in judged.items()}
    scores = uj.score(full, as_runs({"r": ranked}), ["nDCG@10", "AP"], holes=["nonrelevant", "discounted"])
    np.testing.assert_array_equal(scores.values[0], scores.values[1])
    np.testing.assert_array_equal(scores.mean_low[1], scores.mean_high[1])


def test_no_judged_document_is_an_error() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", uj.UnjudgedWarning)
        message = r"^qrels: no document is judged, so discounted has no grades to draw from$"
        with pytest.raises(InputError, match=message):
            uj.score({"t1": {"d1": -1}}, {"r": {"t1": {"d1": 1.0}}}, "P@5", holes="discounted")


def test_what_is_said_of_a_measure_does_not_depend_on_what_else_is_asked() -> None:
    judged, ranked = one_run(5, length=60)
    runs = as_runs({"one": ranked})
    alone = uj.score(judged, runs, "nDCG@5", holes="discounted(draws=50)")
    beside = uj.score(judged, runs, ["nDCG@5", "AP"], holes="discounted(draws=50)")
    np.testing.assert_array_equal(alone.values[:, 0], beside.values[:, 0])
    np.testing.assert_array_equal(alone.mean_low[:, 0], beside.mean_low[:, 0])
