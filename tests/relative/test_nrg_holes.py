"""Normalized residual gain under every hole model, against all labels written out in plain Python."""

from __future__ import annotations

import random
from itertools import permutations, product

import numpy as np
import pytest
from plain_relative import MODELS, Case, Model, nrg, random_cases, scored

import unjudged as uj
from unjudged.holes import Bootstrap, Bounds, Guaranteed, HoleModel, Joint, Labels, Settings, hole_models
from unjudged.holes.base import Estimate
from unjudged.measures import NRG

every_base = pytest.mark.parametrize("base", MODELS)
TOP = 3


def estimate(model: HoleModel, measure: NRG, case: Case) -> Estimate:
    view = case.view(measure)
    return model.prepare(view.qrels).estimate(measure, view, Settings())


def ends(model: HoleModel, measure: NRG, case: Case) -> tuple[float, float]:
    result = estimate(model, measure, case)
    assert result.low is not None
    assert result.high is not None
    return result.low[0], result.high[0]


@every_base
def test_joint_bounds_are_the_extremes_over_all_labels(base: str) -> None:
    measure, model = NRG(base=base), MODELS[base]
    for case in random_cases(1, 40, share=0.5):
        values = [nrg(case.ranking, case.priors, judged, model) for judged in case.labellings(model.cutoff, TOP)]
        assert ends(Joint(), measure, case) == pytest.approx((min(values), max(values)), abs=1e-9), case


@pytest.mark.parametrize("seed", range(5))
def test_joint_bounds_with_many_holes(seed: int) -> None:
    """Six holes and four grades: the search for the highest labels closes in, and must not lose the best."""
    rng = random.Random(seed)
    docs = [f"d{i}" for i in range(7)]
    priors = tuple(rng.sample([*docs, *"pqrs"], 7) for _ in range(rng.randint(1, 3)))
    case = Case(docs, priors, {docs[seed]: 1, **{doc: rng.randint(1, 3) for doc in "pqrst"}, "top": 3})
    model = Model(MODELS["nDCG"].seen, MODELS["nDCG"].gain, cutoff=7)
    values = [nrg(case.ranking, case.priors, judged, model) for judged in case.labellings(7, TOP)]
    assert ends(Joint(), NRG(base="nDCG@7"), case) == pytest.approx((min(values), max(values)), abs=1e-9)


@pytest.mark.parametrize("base", ["nDCG@3", "RBP(p=0.7)", "ERR@4"])
def test_joint_bounds_on_a_longer_scale(base: str) -> None:
    measure, model = NRG(base=base), MODELS[base]
    for case in random_cases(2, 15, depth=4):
        values = [nrg(case.ranking, case.priors, one, model, top=5) for one in case.labellings(model.cutoff, 5)]
        assert ends(Joint(max_grade=5), measure, case) == pytest.approx((min(values), max(values)), abs=1e-9), case


def test_joint_bounds_of_ten_holes_with_four_grades_are_known() -> None:
    """A million labellings: closing in from both sides must find the extremes without trying them."""
    docs = [f"d{i}" for i in range(10)]
    case = Case(docs, (docs[::-1], docs[3:] + docs[:3]), {"x": 3, "y": 2, "z": 1})
    measure = NRG(base="nDCG@10")
    low, high = ends(Joint(), measure, case)
    assert low == 0.0
    rng = np.random.default_rng(1)
    at_10 = Model(MODELS["nDCG"].seen, MODELS["nDCG"].gain, cutoff=10)
    for _ in range(300):
        judged = {**case.judged, **dict(zip(docs, rng.integers(0, 4, 10).tolist(), strict=True))}
        assert nrg(case.ranking, case.priors, judged, at_10) <= high + 1e-9
    assert high <= 1


def test_a_ranking_without_holes_has_no_width() -> None:
    measure = NRG(base="nDCG@3")
    case = Case(list("abc"), (list("cab"),), {"a": 1, "b": 0, "c": 2})
    low, high = ends(Joint(), measure, case)
    assert low == high == pytest.approx(nrg(case.ranking, case.priors, case.judged, MODELS["nDCG@3"]))


@every_base
def test_bounds_spend_the_grades_that_are_left(base: str) -> None:
    """Every way to give holes the grades of judged documents outside the ranking; the divisor follows the labels."""
    measure, model = NRG(base=base), MODELS[base]
    for case in random_cases(3, 25, depth=4):
        holes, inside = case.holes(model.cutoff), case.ranking[: model.cutoff]
        grades = [grade for doc, grade in case.judged.items() if doc not in inside] + [0] * len(holes)
        values = [
            nrg(case.ranking, case.priors, {**case.judged, **dict(zip(holes, some, strict=True))}, model)
            for some in set(permutations(grades, len(holes)))
        ]
        assert ends(Bounds(), measure, case) == pytest.approx((min(values), max(values)), abs=1e-9), case


@every_base
def test_guaranteed_bounds_hold_whatever_else_is_judged(base: str) -> None:
    measure, model = NRG(base=base), MODELS[base]
    for case in random_cases(4, 15, depth=4):
        low, high = ends(Guaranteed(), measure, case)
        for judged in case.labellings(model.cutoff, TOP):
            for more in (0, 1, 4):
                known = {**judged, **{f"new{i}": TOP for i in range(more)}}
                assert low - 1e-9 <= nrg(case.ranking, case.priors, known, model) <= high + 1e-9, case


@every_base
def test_the_bootstrap_knows_what_is_left(base: str) -> None:
    """With plenty of judgments of each grade outside the ranking, a draw is a label; few holes are done exactly."""
    measure, model = NRG(base=base), MODELS[base]
    spare = {f"spare{grade}{i}": grade for grade in range(TOP + 1) for i in range(5)}
    case = Case(list("abcde"), (list("bxa"), list("cb")), {"b": 2, "d": 1, **spare})
    result = estimate(Bootstrap(prior="pool"), measure, case)
    counts = [sum(grade == g for grade in case.judged.values()) / len(case.judged) for g in range(TOP + 1)]
    holes = case.holes(model.cutoff)
    expected = sum(
        float(np.prod([counts[g] for g in grades]))
        * nrg(case.ranking, case.priors, {**case.judged, **dict(zip(holes, grades, strict=True))}, model)
        for grades in product(range(TOP + 1), repeat=len(holes))
    )
    assert result.value[0] == pytest.approx(expected, abs=1e-9)


@every_base
def test_labels_of_another_judge_count_for_runs_and_for_the_ideal(base: str) -> None:
    measure, model = NRG(base=base), MODELS[base]
    case = Case(list("abcde"), (list("xcb"), list("ya")), {"b": 2, "d": 1, "z": 3})
    labels = {"a": 1, "c": 3, "x": 2, "y": 1, "unseen": 2}
    result = estimate(Labels.of({"1": labels}), measure, case)
    assert result.value[0] == pytest.approx(nrg(case.ranking, case.priors, {**labels, **case.judged}, model))


def test_condensed_lists_are_condensed_for_priors_too() -> None:
    rankings = {"mine": list("uabvc"), "theirs": list("wxbac")}
    judged = {"a": 2, "b": 1, "c": 3, "d": 1}
    runs = {name: {"1": scored(ranking)} for name, ranking in rankings.items()}
    result = uj.relative({"1": judged}, runs, "nDCG@3", holes="condensed")
    condensed = [[doc for doc in ranking if doc in judged] for ranking in rankings.values()]
    expected = nrg(condensed[0], condensed[1:], judged, MODELS["nDCG@3"])
    assert result.run("mine").nrg == pytest.approx(expected)


@pytest.mark.parametrize("model", ["bounds", "bootstrap", "joint"])
def test_a_new_document_among_seen_ones_is_worth_no_more_than_everything(model: str) -> None:
    """All judged documents are on top of some prior: with a fixed divisor one label would be worth any number."""
    case = Case(list("xy"), tuple([doc, *"pq"] for doc in "abc"), {"a": 1, "b": 1, "c": 1, "p": 1, "z": 0})
    result = estimate(hole_models.parse(model), NRG(base="nDCG@2"), case)
    assert result.high is not None
    assert 0 < result.high[0] <= 1
