"""The bootstrap over holes: its exact distributions, its draws, and that draws belong to documents."""

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
    fits,
    random_cases,
    random_topic,
    scores,
    spend_documents,
    view_of,
)
from scipy import stats

import unjudged as uj
from unjudged.data.outcomes import Distribution, nearest_intervals
from unjudged.data.view import View
from unjudged.holes import Bootstrap, Bounds, Condensed, Estimate, HoleModel, Joint, NonRelevant, Settings, bootstrap
from unjudged.holes.drawing import hole_keys, uniforms
from unjudged.holes.filling import Holes
from unjudged.measures import Measure, measures

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


def distributions(model: HoleModel, measure: Measure, view: View) -> tuple[Distribution, ...]:
    found = model.estimate(measure, view, Settings()).distributions
    assert found is not None
    return found


# ---- exact distributions


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


def merged(values: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """A distribution with each value once."""
    order = np.argsort(values)
    values, weights = values[order], weights[order]
    new = np.append(True, np.diff(values) > 1e-9)
    return values[new], np.bincount(np.cumsum(new) - 1, weights=weights)


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
            depth: [Case(topic, top).view_with(found[0]) for topic, found in zip(topics, outcomes, strict=True)]
            for depth, outcomes in made.items()
        }
        for measure in MEASURES:
            ours = distributions(model, measure, view)
            depth = measure.depth()
            for i, (_, chances, zeros_suffice) in enumerate(made[depth]):
                if measure.name == "Bpref" and not zeros_suffice:
                    continue  # the number of judged non-relevant documents would change
                expected = merged(scores(measure, views[depth][i]), np.array([float(chance) for chance in chances]))
                assert ours[i].exact
                found = merged(ours[i].values, np.ones(1) if ours[i].weights is None else ours[i].weights)
                np.testing.assert_allclose(found[0], expected[0], rtol=0, atol=1e-9, err_msg=f"{measure} {topics[i]}")
                np.testing.assert_allclose(found[1], expected[1], rtol=0, atol=1e-9, err_msg=f"{measure} {topics[i]}")


@cache
def chances_of_labellings(case: Case, depth: int | None) -> Floats:
    """How likely each of :func:`all_labellings` is."""
    prior = prior_of(Bootstrap(), [case.topic], case.topic, case.top, depth)
    holes = case.topic.holes(depth)
    every = case.topic.labelled(depth, case.top)
    return np.array([float(prod((prior[labels[hole]] for hole in holes), start=Fraction(1))) for labels in every])


@pytest.mark.parametrize("measure", EVERY, ids=str)
def test_with_an_ideal_that_follows_labels_are_new_judgments(measure: Measure) -> None:
    """Every labelling of the holes, judged for real, with the chance that it is drawn."""
    for case in random_cases(8, 25, holes=3):
        chances = chances_of_labellings(case, measure.depth())
        possible = chances > 0
        expected = merged(scores(measure, all_labellings(case, measure.depth()))[possible], chances[possible])
        view = case.view()
        one = distributions(Bootstrap(ideal="follows"), measure, view)[0]
        found = merged(one.values, np.ones(1) if one.weights is None else one.weights)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9, err_msg=str(case))
        drawn = distributions(Bootstrap(ideal="follows", method="draws", draws=50), measure, view)[0]
        assert np.abs(np.subtract.outer(drawn.values, expected[0])).min(axis=1).max() < 1e-9


@pytest.mark.parametrize(("options", "nearest"), [({}, False), ({"ends": "nearest"}, True)], ids=str)
def test_ends_are_percentiles_unless_the_user_wants_what_is_nearest(options: dict[str, Any], nearest: bool) -> None:
    view = Case(Topic("2u0u|110000000000"), 2).view()
    found = Bootstrap(**options).estimate(measures.parse("P@4"), view, Settings())
    assert found.distributions is not None
    one = found.distributions[0]
    percentiles = (one.quantile(0.05), one.quantile(0.95))
    assert one.weights is not None
    (interval,) = nearest_intervals(one.values[None], one.weights[None], 0.9).tolist()
    assert interval != list(percentiles)
    assert (found.low[0], found.high[0]) == (tuple(interval) if nearest else percentiles)  # type: ignore[index]


def test_an_interval_that_leaves_out_more_on_one_side_is_one_of_percentiles() -> None:
    view = Case(Topic("2u0u|110000000000"), 2).view()
    found, usual = (
        Bootstrap(ends=ends).estimate(measures.parse("P@4"), view, Settings(interval=(0.0, 0.95)))
        for ends in ("nearest", "percentiles")
    )
    np.testing.assert_array_equal([found.low, found.high], [usual.low, usual.high])  # type: ignore[list-item]


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
        found = Bootstrap(point=point).estimate(measure, view, Settings(interval=(0.1, 0.8)))
        assert found.distributions is not None
        one = found.distributions[0]
        expected = {"mean": one.mean(), "median": one.quantile(0.5), "mode": one.mode()}[point]
        assert (found.value[0], found.low[0], found.high[0]) == (expected, one.quantile(0.1), one.quantile(0.8))  # type: ignore[index]


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


# ---- draws


@pytest.fixture(scope="module")
def thousand() -> View:
    """1,000 random small topics with at least one hole."""
    rng = random.Random(5)
    topics: dict[str, Topic] = {}
    while len(topics) < 1000:
        topic = random_topic(rng, 3, length=6, holes=3, outside=5)
        if topic.holes():
            topics[f"{len(topics)}"] = topic
    return view_of(
        {name: topic.ranking() for name, topic in topics.items()},
        {name: topic.judgments() for name, topic in topics.items()},
    )


@pytest.mark.parametrize("text", ["nDCG@5", "AP", "ERR"])
@pytest.mark.parametrize("options", [{}, {"prior": "run", "order": "doc"}], ids=str)
def test_draws_agree_with_exact_distributions_on_1000_topics(
    thousand: View, text: str, options: dict[str, Any]
) -> None:
    """Chi-square, mean and variance. The seed is fixed, so this cannot fail by chance."""
    measure, draws = measures.parse(text), 1000
    exact = distributions(Bootstrap(draws=1, **options), measure, thousand)
    drawn = Bootstrap(draws=draws, method="draws", **options).estimate(measure, thousand, Settings(seed=7)).draws
    assert drawn is not None
    chances, mean_errors, variance_errors = [], [], []
    for one, scores_ in zip(exact, drawn, strict=True):
        assert one.weights is not None
        values, weights = merged(one.values, one.weights)
        cell = np.abs(scores_[:, None] - values).argmin(axis=1)
        np.testing.assert_allclose(scores_, values[cell], rtol=0, atol=1e-9)
        if one.std() < 1e-9:
            continue
        chances.append(chi_square(np.bincount(cell, minlength=len(values)), weights * draws))
        mean, variance = one.mean(), one.std() ** 2
        fourth = float(np.average((one.values - mean) ** 4, weights=one.weights))
        mean_errors.append((scores_.mean() - mean) / np.sqrt(variance / draws))
        if fourth - variance**2 > 1e-12:
            squares = ((scores_ - mean) ** 2).mean()
            variance_errors.append((squares - variance) / np.sqrt((fourth - variance**2) / draws))
    tested = np.array([chance for chance in chances if chance is not None])
    assert len(tested) > 300
    assert tested.min() > 1e-5
    assert (tested < 0.01).mean() < 0.025
    assert 0.45 < tested.mean() < 0.55
    for errors in (np.array(mean_errors), np.array(variance_errors)):
        assert abs(errors.mean()) < 4 / np.sqrt(len(errors))
        assert 0.9 < np.sqrt((errors**2).mean()) < 1.1


def chi_square(observed: np.ndarray[Any, Any], expected: Floats) -> float | None:
    """P-value; cells in which fewer than 5 draws are expected are taken together. None where one cell is left."""
    rare = expected < 5
    if rare.any():
        observed = np.append(observed[~rare], observed[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
        if expected[-1] < 5 and len(expected) > 1:
            observed, expected = (np.append(one[:-2], one[-2:].sum()) for one in (observed, expected))
    if len(expected) < 2:
        return None
    statistic = ((observed - expected) ** 2 / expected).sum()
    return float(stats.chi2.sf(statistic, len(expected) - 1))


@pytest.mark.parametrize("measure", EVERY, ids=str)
def test_no_draw_leaves_the_naive_bounds(measure: Measure) -> None:
    for case in random_cases(6, 6):
        view = case.view()
        limits = Bounds().estimate(measure, view, Settings())
        for order in ("rank", "doc"):
            model = Bootstrap(draws=50, method="draws", order=order)
            draws = model.estimate(measure, view, Settings()).draws
            assert draws is not None
            assert (draws >= limits.low[:, None] - 1e-9).all(), case  # type: ignore[index]
            assert (draws <= limits.high[:, None] + 1e-9).all(), case  # type: ignore[index]


def test_draws_never_give_a_grade_more_often_than_the_pool_has_it_outside(
    thousand: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = []

    def watched(measure: Measure, view: View, rankings: Any, rows: Any, labels: Any) -> Floats:
        given.append((view, rankings, labels))
        return np.zeros(labels.shape[:2])

    monkeypatch.setattr(bootstrap, "score_labels", watched)
    Bootstrap(draws=100).estimate(measures.parse("nDCG@5"), thousand, Settings())
    assert len(given) > 2
    for view, rankings, labels in given:
        for ranking, of_ranking in zip(rankings.tolist(), labels, strict=True):
            topic = view.qrels.topics[view.topics[ranking]]
            pool = Counter(view.qrels.judgments(topic).values())
            rows = slice(view.bounds[ranking], view.bounds[ranking + 1])
            inside = Counter(view.grades[rows][view.judged[rows]].tolist())
            for grade in (1, 2, 3):
                assert (of_ranking == grade).sum(axis=1).max() <= pool[grade] - inside[grade]


@pytest.mark.parametrize("measure", EVERY, ids=str)
def test_without_holes_every_model_gives_the_plain_score_and_no_width(measure: Measure) -> None:
    topics = {"1": Topic("2010|3"), "2": Topic("0|"), "3": Topic("310|0011")}
    view = view_of({t: one.ranking() for t, one in topics.items()}, {t: one.judgments() for t, one in topics.items()})
    plain = measure.score(view)
    for model in (NonRelevant(), Condensed(), Bounds(), Joint(), Bootstrap(draws=3), Bootstrap(point="mode", draws=2)):
        found = model.estimate(measure, view, Settings())
        np.testing.assert_array_equal(found.value, plain)
        for end in (found.low, found.high):
            if end is not None:
                np.testing.assert_array_equal(end, plain)
        if found.draws is not None:
            np.testing.assert_array_equal(found.draws, np.repeat(plain[:, None], found.draws.shape[1], axis=1))


# ---- draws belong to (topic, document) pairs


def collection() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """Judgments and three runs with many holes, too many for exact distributions."""
    rng = random.Random(9)
    docs = [f"doc{i:02d}" for i in range(40)]
    qrels = {f"{t}": {doc: rng.choice([0, 0, 1, 2]) for doc in rng.sample(docs, 15)} for t in range(8)}
    runs = {
        name: {topic: {doc: rng.random() for doc in rng.sample(docs, 25)} for topic in qrels if topic != name[-1]}
        for name in ("run-0", "run-x", "run-3")
    }
    return qrels, runs


MODELS = ["bootstrap(draws=40)", "bootstrap(draws=40,order='doc',point='mode')", "bounds", "joint"]
TEXTS = ["nDCG@8", "AP", "GMAP", "ERR", "Bpref"]


def numbers(jobs: int | None = 1, seed: int = 1, **changes: Any) -> uj.Scores:
    qrels, runs = collection()
    with pytest.warns(uj.UnjudgedWarning):
        return uj.score(
            changes.get("qrels", qrels), changes.get("runs", runs), TEXTS, holes=MODELS, jobs=jobs, seed=seed
        )


@pytest.fixture(scope="module")
def plain() -> uj.Scores:
    return numbers()


def assert_same(one: uj.Scores, other: uj.Scores) -> None:
    for name in ("values", "low", "high", "means", "mean_low", "mean_high"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("run", [None, "run-x"])
def test_workers_make_no_difference(run: str | None) -> None:
    """Several runs are worked on beside each other; of a single run, its blocks are."""
    runs = collection()[1]
    chosen = runs if run is None else {run: runs[run] | {"0": {"doc00": 1.0}}}
    if run is not None:
        del chosen[run]["7"]
    alone = numbers(1, runs=chosen)
    for jobs in (2, 4, None):
        assert_same(alone, numbers(jobs, runs=chosen))


@pytest.mark.parametrize("rows", [1, 30, 100])
@pytest.mark.parametrize("cells", [1, 1000])
def test_block_sizes_make_no_difference(
    rows: int, cells: int, plain: uj.Scores, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unjudged.engine.scoring.BLOCK_ROWS", rows)
    monkeypatch.setattr("unjudged.holes.labelling._CELLS", cells)
    monkeypatch.setattr("unjudged.holes.bounds._CELLS", cells)
    assert_same(numbers(), plain)
    one = {"run-x": {topic: docs for topic, docs in collection()[1]["run-x"].items() if topic != "7"}}
    assert_same(numbers(4, runs=one), numbers(1, runs=one))


def test_seeds_make_a_difference_and_the_same_seed_none(plain: uj.Scores) -> None:
    again, other = numbers(seed=1), numbers(seed=2)
    assert_same(plain, again)
    drawn = [i for i, name in enumerate(plain.holes) if name.startswith("bootstrap")]
    assert (plain.values[drawn] != other.values[drawn]).any(axis=(1, 2, 3)).all()
    still = [i for i in range(len(plain.holes)) if i not in drawn]
    np.testing.assert_array_equal(plain.values[still], other.values[still])


def test_order_of_topics_lines_and_runs_makes_no_difference(plain: uj.Scores) -> None:
    qrels, runs = collection()
    rng = random.Random(3)

    def shuffled(items: dict[str, Any]) -> dict[str, Any]:
        return {
            key: shuffled(items[key]) if isinstance(items[key], dict) else items[key]
            for key in rng.sample(list(items), len(items))
        }

    other = numbers(qrels=shuffled(qrels), runs=shuffled(runs))
    run = [other.runs.index(name) for name in plain.runs]
    topic = [other.topics.index(name) for name in plain.topics]
    for name in ("values", "low", "high"):
        np.testing.assert_array_equal(getattr(plain, name), getattr(other, name)[:, :, run][..., topic])
    for name in ("means", "mean_low", "mean_high"):  # sums over topics in another order
        np.testing.assert_allclose(getattr(plain, name), getattr(other, name)[:, :, run], rtol=0, atol=1e-12)


def test_an_unjudged_document_has_the_same_draws_in_every_run() -> None:
    """Two runs with the same holes at the same ranks, but other judged documents: what the holes add is the same."""
    judged = {f"j{i}": i % 3 for i in range(30)}
    runs = {
        name: {"1": {doc: float(20 - rank) for rank, doc in enumerate(docs)}}
        for name, docs in {"a": ["u1", "j1", "u2", "j2"], "b": ["u1", "j0", "u2", "j3"]}.items()
    }
    model = Bootstrap(prior="pool", draws=200, method="draws")
    measure = measures.parse("DCG@4")
    found: dict[str, Estimate] = {}
    for name, run in runs.items():
        view = view_of(run, {"1": judged})
        found[name] = model.estimate(measure, view, Settings())
        found[name].draws[...] -= measure.score(view)[:, None]  # type: ignore[index]
    np.testing.assert_allclose(found["a"].draws, found["b"].draws, rtol=0, atol=1e-12)  # type: ignore[arg-type]
    assert len(np.unique(found["a"].draws.round(9))) > 4  # type: ignore[union-attr]


def test_holes_are_drawn_apart() -> None:
    """Other documents, other topics and other draws have other numbers, without correlation."""
    view = view_of(
        {topic: {f"u{i}": float(9 - i) for i in range(4)} for topic in ("1", "2")},
        {topic: {f"j{i}": i % 2 for i in range(30)} for topic in ("1", "2")},
    )
    chance = uniforms(hole_keys(Holes(view), 3).reshape(2, 4), 4000)
    flat = chance.transpose(0, 2, 1).reshape(8, -1)
    assert stats.kstest(flat.ravel(), "uniform").pvalue > 0.01
    between = np.corrcoef(flat) - np.eye(8)
    assert np.abs(between).max() < 0.06
    assert np.abs(np.corrcoef(flat[:, 1:].ravel(), flat[:, :-1].ravel())[0, 1]) < 0.02
