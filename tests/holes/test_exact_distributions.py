"""The bootstrap over holes: exact distributions, against all runs of Algorithm 1."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product
from math import prod
from typing import Any

import numpy as np
import pytest
from hole_oracles import (
    EVERY,
    Case,
    Floats,
    Topic,
    algorithm_1,
    all_labellings,
    distributions,
    fits,
    merged,
    random_cases,
    random_topic,
    scores,
    spend_documents,
    view_of,
)

import unjudged as uj
from unjudged.holes import Bootstrap, Settings
from unjudged.measures import Measure, measures
from unjudged.results.distributions import nearest_intervals

MEASURES = [
    measures.parse(text)
    for text in [
        "nDCG@3", "nDCG(dcg='exp-log2')", "DCG@3", "AP", "AP(rel=2)@3", "Q", "RBP", "ERR", "P@3", "R@3", "RR", "Rprec",
        "Bpref", "nERR@3", "Success@3", "SDCG@3", "INSQ",
    ]
]  # fmt: skip
CHOICES = {
    "prior": ["pool+run", "pool", "run"],
    "scope": ["topic", "collection"],
    "order": ["rank", "doc"],
    "unseen": ["pool", "zero"],
}
every_model = pytest.mark.parametrize(
    "model",
    [Bootstrap(draws=1, **dict(zip(CHOICES, values, strict=True))) for values in product(*CHOICES.values())],
    ids=str,
)


def prior_of(model: Bootstrap, topics: list[Topic], topic: Topic, top: int, depth: int | None) -> list[Fraction]:
    """The formulas of paper 1, section 3.2, with the options of METHODS A.3."""
    pool = Counter(
        int(char) for one in (topics if model.scope == "collection" else [topic]) for char in judged(one.word)
    )
    run = Counter(int(char) for char in judged(topic.retrieved[:depth]))

    def shares(counts: Counter[int]) -> list[Fraction]:
        return [Fraction(counts[grade], counts.total()) for grade in range(top + 1)]

    if not run and model.unseen == "zero":
        return [Fraction(grade == 0) for grade in range(top + 1)]
    if model.prior == "pool" or not run:
        # A topic of which nothing at all was judged can only give grade 0.
        return shares(pool) if pool else [Fraction(grade == 0) for grade in range(top + 1)]
    if model.prior == "run":
        return shares(run)
    return [(p + r) / 2 for p, r in zip(shares(pool), shares(run), strict=True)]


def judged(word: str) -> list[str]:
    return [char for char in word if char not in "up|"]


def possible_judgments(
    model: Bootstrap, topics: list[Topic], topic: Topic, top: int, depth: int | None
) -> tuple[list[dict[str, int]], list[Fraction], bool]:
    """Every outcome of Algorithm 1 as judgments (J' with S') with its probability, and whether grade 0 sufficed."""
    prior = prior_of(model, topics, topic, top, depth)
    holes = topic.holes(depth)
    if model.order == "doc":
        holes.sort()
    inside = {topic.doc(i) for i in range(len(topic.retrieved[:depth]))}
    known = {doc: grade for doc, grade in topic.judgments().items() if grade >= 0}
    left = [sum(grade == g for doc, grade in known.items() if doc not in inside) for g in range(top + 1)]
    outcomes: Counter[tuple[int, ...]] = Counter()
    for targets in product([grade for grade in range(top + 1) if prior[grade] > 0], repeat=len(holes)):
        outcomes[tuple(algorithm_1(targets, left))] += prod((prior[target] for target in targets), start=Fraction(1))  # type: ignore[assignment]
    made = [
        spend_documents(topic.judgments() | dict(zip(holes, labels, strict=True)), holes, inside) for labels in outcomes
    ]
    return made, list(outcomes.values()), all(fits(labels, left) for labels in outcomes)  # type: ignore[arg-type]


@every_model
def test_exact_distributions_are_those_of_all_runs_of_algorithm_1(model: Bootstrap) -> None:
    rng = random.Random(str(model))
    for _ in range(4):
        top = rng.randint(1, 3)
        topics = [random_topic(rng, top, length=5, holes=3, outside=5) for _ in range(3)]
        names = [f"t{i}" for i in range(3)]
        view = view_of(
            {name: one.ranking() for name, one in zip(names, topics, strict=True)},
            {name: one.judgments() for name, one in zip(names, topics, strict=True)},
        )
        top = view.qrels.max_grade
        made = {
            depth: [possible_judgments(model, topics, topic, top, depth) for topic in topics] for depth in (None, 3)
        }
        views = {
            depth: [
                Case(topic, top).view_with(ours_merged[0]) for topic, ours_merged in zip(topics, outcomes, strict=True)
            ]
            for depth, outcomes in made.items()
        }
        for measure in MEASURES:
            ours = distributions(model, measure, view)
            depth = measure.depth()
            for i, (_, probabilities, zeros_suffice) in enumerate(made[depth]):
                if measure.name == "Bpref" and not zeros_suffice:
                    continue  # the number of judged non-relevant documents would change
                expected = merged(
                    scores(measure, views[depth][i]), np.array([float(probability) for probability in probabilities])
                )
                assert ours[i].exact
                ours_merged = merged(ours[i].values, np.ones(1) if ours[i].weights is None else ours[i].weights)
                np.testing.assert_allclose(
                    ours_merged[0], expected[0], rtol=0, atol=1e-9, err_msg=f"{measure} {topics[i]}"
                )
                np.testing.assert_allclose(
                    ours_merged[1], expected[1], rtol=0, atol=1e-9, err_msg=f"{measure} {topics[i]}"
                )


@cache
def probabilities_of_labellings(case: Case, depth: int | None) -> Floats:
    """How likely each of :func:`all_labellings` is."""
    prior = prior_of(Bootstrap(), [case.topic], case.topic, case.top, depth)
    holes = case.topic.holes(depth)
    every = case.topic.labelled(depth, case.top)
    return np.array([float(prod((prior[labels[hole]] for hole in holes), start=Fraction(1))) for labels in every])


@pytest.mark.parametrize("measure", EVERY, ids=str)
def test_with_an_ideal_that_follows_labels_are_new_judgments(measure: Measure) -> None:
    """Every labelling of the holes, judged for real, with the chance that it is drawn."""
    for case in random_cases(8, 25, holes=3):
        probabilities = probabilities_of_labellings(case, measure.depth())
        possible = probabilities > 0
        expected = merged(scores(measure, all_labellings(case, measure.depth()))[possible], probabilities[possible])
        view = case.view()
        one = distributions(Bootstrap(ideal="follows"), measure, view)[0]
        result = merged(one.values, np.ones(1) if one.weights is None else one.weights)
        np.testing.assert_allclose(result, expected, rtol=0, atol=1e-9, err_msg=str(case))
        drawn = distributions(Bootstrap(ideal="follows", method="draws", draws=50), measure, view)[0]
        assert np.abs(np.subtract.outer(drawn.values, expected[0])).min(axis=1).max() < 1e-9


@pytest.mark.parametrize(("options", "nearest"), [({}, False), ({"ends": "nearest"}, True)], ids=str)
def test_ends_are_percentiles_unless_the_user_wants_what_is_nearest(options: dict[str, Any], nearest: bool) -> None:
    view = Case(Topic("2u0u|110000000000"), 2).view()
    estimate = Bootstrap(**options).estimate(measures.parse("P@4"), view, Settings())
    assert estimate.distributions is not None
    one = estimate.distributions[0]
    percentiles = (one.quantile(0.05), one.quantile(0.95))
    assert one.weights is not None
    (interval,) = nearest_intervals(one.values[None], one.weights[None], 0.9).tolist()
    assert interval != list(percentiles)
    assert (estimate.low[0], estimate.high[0]) == (tuple(interval) if nearest else percentiles)  # type: ignore[index]


def test_an_interval_that_leaves_out_more_on_one_side_is_one_of_percentiles() -> None:
    view = Case(Topic("2u0u|110000000000"), 2).view()
    result, usual = (
        Bootstrap(ends=ends).estimate(measures.parse("P@4"), view, Settings(quantiles=(0.0, 0.95)))
        for ends in ("nearest", "percentiles")
    )
    np.testing.assert_array_equal([result.low, result.high], [usual.low, usual.high])  # type: ignore[list-item]


def test_an_ideal_of_subtopics_cannot_follow() -> None:
    with pytest.raises(uj.InputError) as error:
        Bootstrap(ideal="follows").check(measures.parse("alpha_nDCG@5"))
    assert str(error.value) == (
        "bootstrap(ideal='follows') is not for alpha_nDCG@5: its ideal ranking would change with every subtopic of"
        " every hole; use bounds, which keep it, or a measure without one (alpha_DCG, ERR_IA, NRBP)"
    )


def test_point_and_interval_are_those_of_the_distribution() -> None:
    view = Case(Topic("2u0u|1100"), 2).view()
    measure = measures.parse("nDCG@3")
    for point in ("mean", "median", "mode"):
        estimate = Bootstrap(point=point).estimate(measure, view, Settings(quantiles=(0.1, 0.8)))
        assert estimate.distributions is not None
        one = estimate.distributions[0]
        expected = {"mean": one.mean(), "median": one.quantile(0.5), "mode": one.mode()}[point]
        assert (estimate.value[0], estimate.low[0], estimate.high[0]) == (
            expected,
            one.quantile(0.1),
            one.quantile(0.8),
        )  # type: ignore[index]


def test_prior_and_distribution_by_hand() -> None:
    """Pool: grades 1, 0, 0, 0; the ranking's: 1. So P(1) = (1/4 + 1) / 2, but no 1 is left: always 0."""
    one = distributions(Bootstrap(), measures.parse("P@2"), Case(Topic("1u|000"), 1).view())[0]
    assert set(one.values) == {0.5}
    one = distributions(Bootstrap(), measures.parse("P@2"), Case(Topic("1u|010"), 1).view())[0]
    assert dict(zip(one.values, one.weights, strict=True)) == pytest.approx({0.5: 1 / 4, 1.0: 3 / 4})  # type: ignore[arg-type]


def test_what_is_served_first_matters_when_a_grade_runs_out() -> None:
    """Both holes want the one 1 that is left: by rank the first gets it, by id the second."""
    view = view_of({"1": {"b": 2.0, "a": 1.0}}, {"1": {"out": 1}})
    by_rank, by_doc = (
        distributions(Bootstrap(order=order), measures.parse("RR"), view)[0] for order in ("rank", "doc")
    )
    assert (by_rank.mean(), by_doc.mean()) == (1.0, 0.5)
