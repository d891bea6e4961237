"""The strategy ``decide``: its model, what it expects a judgment to say, and what it asks for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rankings_by_hand import Judged, Rankings, collections, joined

from unjudged.errors import InputError, SpecError
from unjudged.strategies import candidates_of, strategies
from unjudged.strategies.decide import Decide, DecideOrder, open_directions
from unjudged.strategies.grade_fit import fit_grades
from unjudged.strategies.grade_posterior import GradeDescriptions
from unjudged.strategies.score_posterior import Outlook

TWO_RUNS: tuple[Judged, Rankings] = (
    {"1": {"a": 1, "b": 0, "c": 2, "d": 0}, "2": {"a": 0, "b": 1, "c": 0, "d": 2}},
    {"x": {"1": ["a", "b"], "2": ["b", "d"]}, "y": {"1": ["b", "c"], "2": ["b", "a"]}},
)


def order_of(given: tuple[Judged, Rankings], text: str = "decide", told: int = 0) -> DecideOrder:
    order = strategies.choose(text).start(candidates_of(joined(*given)), seed=1)
    assert isinstance(order, DecideOrder)
    tell(order, given[0], np.arange(min(told, len(order.candidates))))
    return order


def tell(order: DecideOrder, judged: Judged, pairs: np.ndarray) -> None:
    candidates = order.candidates
    topics = [candidates.topics[topic] for topic in candidates.topic_of[pairs].tolist()]
    grades = [judged[topic][doc] for topic, doc in zip(topics, candidates.docs.take(pairs), strict=True)]
    order.tell(pairs, np.array(grades, dtype=np.int32))


def outlook_of(order: DecideOrder) -> Outlook:
    return order.state.outlook


def log_posterior(at: np.ndarray, descriptions: GradeDescriptions, judged: np.ndarray, grades: np.ndarray) -> float:
    """Written down once more, document by document and step by step."""
    total = -0.5 * float((descriptions.prior_precision * (at - descriptions.prior_mean) ** 2).sum())
    for pair, grade in zip(judged, grades, strict=True):
        for step in range(min(grade + 1, descriptions.steps)):
            one_step = np.eye(descriptions.steps)[[step]]
            odds = float(descriptions.design(np.array([pair]), one_step)[0] @ at)
            total -= np.log1p(np.exp(-odds if grade > step else odds))
    return total


@settings(max_examples=15, deadline=None)
@given(collections(), st.integers(0, 12))
def test_the_mode_is_where_the_posterior_is_highest(given: tuple[Judged, Rankings], told: int) -> None:
    order = order_of(given, told=told)
    posterior, judged = order.state.posterior, np.flatnonzero(order.judged)
    grades = order.grades[judged]
    best = log_posterior(posterior.mode, posterior.descriptions, judged, grades)
    rng = np.random.default_rng(1)
    for size in (0.001, 0.1, 1.0):
        other = posterior.mode + size * rng.standard_normal(len(posterior.mode))
        assert log_posterior(other, posterior.descriptions, judged, grades) <= best + 1e-9


def test_where_the_search_starts_does_not_matter() -> None:
    order = order_of(TWO_RUNS, told=5)
    judged = np.flatnonzero(order.judged)
    descriptions, grades = order.state.posterior.descriptions, order.grades[judged].astype(np.int64)
    far = descriptions.prior_mean + np.linspace(1.0, -1.0, len(descriptions.prior_mean))
    one, other = fit_grades(descriptions, judged, grades), fit_grades(descriptions, judged, grades, far)
    np.testing.assert_allclose(one.mode, other.mode, atol=1e-9)
    np.testing.assert_allclose(one.covariance, other.covariance, atol=1e-9)


def test_grades_that_nobody_gave_yet_do_not_make_it_matter() -> None:
    """Of what has grade 1 or 2 nothing was seen, so that all that is relevant is perfect by the judgments alone."""
    docs = [f"d{i}" for i in range(12)]
    judged = {"1": {doc: 3 * (i % 3 == 0) for i, doc in enumerate(docs)}, "2": {"e": 1, "f": 2}}
    order = order_of((judged, {"x": {"1": docs}, "y": {"1": docs[::-1]}}), told=12)
    descriptions, told = order.posterior.descriptions, np.flatnonzero(order.judged)
    grades = order.grades[told].astype(np.int64)
    assert (len(descriptions.candidates.scale), set(grades)) == (4, {0, 3})
    modes = [fit_grades(descriptions, told[:number], grades[:number]).mode for number in (0, 3, 7, 12)]
    for start in modes:
        np.testing.assert_allclose(fit_grades(descriptions, told, grades, start).mode, modes[-1], atol=1e-9)


@settings(max_examples=15, deadline=None)
@given(collections(), st.integers(0, 10))
def test_a_judgment_narrows_by_as_much_as_was_expected(given: tuple[Judged, Rankings], told: int) -> None:
    order = order_of(given, told=told)
    outlook, runs = outlook_of(order), len(order.candidates.runs)
    directions = np.eye(runs)
    pairs = np.flatnonzero(order.open)
    predicted = outlook.posterior.predict(
        outlook.posterior.chances(pairs), outlook.posterior.descriptions.of_levels(order.weights.gains)
    )
    narrowing = outlook.narrowing(directions, pairs, predicted)
    for place, pair in enumerate(pairs.tolist()):
        after = outlook.after(np.array([pair]), predicted.take(slice(place, place + 1)))
        fall = np.trace(outlook.covariance()) - np.trace(after.covariance())
        assert fall == pytest.approx(narrowing[place], rel=1e-6, abs=1e-12)
        assert narrowing[place] >= 0


def test_variances_are_those_of_drawn_grades() -> None:
    order = order_of(TWO_RUNS, "decide(measure=DCG@2)", told=3)
    outlook, posterior = outlook_of(order), order.state.posterior
    rng = np.random.default_rng(7)
    at = rng.multivariate_normal(posterior.mode, posterior.covariance, 20_000)
    odds = np.array([posterior.descriptions.log_odds(outlook.pairs, one) for one in at])
    steps = np.cumprod(rng.random(odds.shape) < 1 / (1 + np.exp(-odds)), axis=2)
    scores = outlook.weights @ steps.sum(axis=2).T
    np.testing.assert_allclose(np.cov(scores), outlook.covariance(), rtol=0.25)
    np.testing.assert_allclose(scores.mean(axis=1) + outlook.judged, outlook.expected, rtol=0.05)


def test_single_scores_count_that_what_is_left_may_be_unlike_the_model() -> None:
    """Log odds of all that is left, and what a deviation of support adds, are drawn beside the parameters."""
    order = order_of(TWO_RUNS, "decide(measure=DCG@2)", told=3)
    outlook, posterior = outlook_of(order), order.state.posterior
    descriptions, rng = posterior.descriptions, np.random.default_rng(8)
    unlike = 0.3 * rng.standard_normal((40_000, 2))
    moved = unlike[:, :1] + unlike[:, 1:] * descriptions.columns[outlook.pairs, 0]
    odds = descriptions.log_odds(outlook.pairs, posterior.mode) + moved[:, :, None]
    odds *= posterior.chances(outlook.pairs).flattened
    expected = np.cumprod(1 / (1 + np.exp(-odds)), axis=2).sum(axis=2)
    covariance = outlook.covariance()
    added = outlook.deviations(covariance) ** 2 - np.diag(covariance)
    np.testing.assert_allclose(np.var(outlook.weights @ expected.T, axis=1), added, rtol=0.35)


@settings(max_examples=15, deadline=None)
@given(collections())
def test_all_judged_is_the_score_of_all_judgments(given: tuple[Judged, Rankings]) -> None:
    judged, rankings = given
    order = order_of(given, "decide(measure=P@2)", told=100)
    outlook = outlook_of(order)
    for place, run in enumerate(order.candidates.runs):
        by_hand = [
            sum(judged[topic][doc] > 0 for doc in rankings[run].get(topic, [])[:2]) / 2 for topic in sorted(judged)
        ]
        assert outlook.expected[place] == pytest.approx(np.mean(by_hand))
    assert np.abs(outlook.covariance()).max() < 1e-12


def test_the_directions_add_up_to_the_undecided_differences() -> None:
    order = order_of(TWO_RUNS, told=1)
    outlook = outlook_of(order)
    directions = open_directions(outlook, None, 0.025, relative=False)
    one = np.array([1.0, -1.0])
    expected = one @ outlook.covariance() @ one
    assert np.trace(directions @ outlook.covariance() @ directions.T) == pytest.approx(expected)


def test_what_two_runs_share_at_the_same_rank_comes_last() -> None:
    shared = {"x": {"1": ["s", "a"]}, "y": {"1": ["s", "b"]}}
    order = order_of(({"1": {"s": 1, "a": 1, "b": 0}}, shared), "decide(x, y)")
    docs = order.candidates.docs.take(order.ask(3).pairs)
    assert list(docs)[-1] == "s"


def test_a_pair_is_decided_by_what_only_one_of_the_runs_has() -> None:
    three = {
        "x": {"1": ["a"], "2": ["a"]},
        "y": {"1": ["b"], "2": ["b"]},
        "z": {"1": ["c", "d", "e"], "2": ["c", "d", "e"]},
    }
    judged = {topic: dict.fromkeys("abcde", 0) for topic in ("1", "2")}
    order = order_of((judged, three), "decide(x, y)")
    assert set(order.candidates.docs.take(order.ask(4).pairs)) == {"a", "b"}


def test_a_batch_is_the_beginning_of_a_longer_one_also_beyond_a_round() -> None:
    judged = {"1": {f"d{i:03}": i % 2 for i in range(130)}}
    runs = {name: {"1": sorted(judged["1"], reverse=back)} for name, back in (("x", False), ("y", True))}
    order = order_of((judged, runs), "decide(measure=P@100)")
    assert order.ask(70).pairs.tolist() == order.ask(130).pairs.tolist()[:70]
    assert len(set(order.ask(130).pairs.tolist())) == 130


def test_labels_say_what_to_expect() -> None:
    plain = candidates_of(joined(*TWO_RUNS))
    labelled = replace(plain, labels=np.array([[3.0 if doc == "c" else 0.0 for doc in plain.docs]]))
    order = Decide().start(labelled, seed=1)
    asked = order.ask(len(labelled)).pairs
    expected = order.grade_probabilities(asked)
    relevant = dict(zip(labelled.docs.take(asked), 1 - expected[:, 0], strict=True))
    assert relevant["c"] == max(relevant.values())


@settings(max_examples=15, deadline=None)
@given(collections(), st.integers(0, 12))
def test_the_variance_of_each_levels_log_odds(given: tuple[Judged, Rankings], told: int) -> None:
    """Against the features written out in full."""
    posterior = order_of(given, told=told).posterior
    descriptions, pairs = posterior.descriptions, np.arange(len(posterior.descriptions.candidates))
    variances = descriptions.variances(pairs, posterior.covariance)
    odds = descriptions.log_odds(pairs, posterior.mode)
    for step in range(descriptions.steps):
        features = descriptions.design(pairs, np.tile(np.eye(descriptions.steps)[step], (len(pairs), 1)))
        expected = ((features @ posterior.covariance) * features).sum(axis=1)
        np.testing.assert_allclose(variances[:, step], expected, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(odds[:, step], features @ posterior.mode, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("decide(A)", "decide: runs must be the names of two runs such as A, B, not 'A'"),
        ("decide(A, A)", "decide: runs must be the names of two runs such as A, B, not ('A', 'A')"),
        ("decide(A, B, C)", "decide: runs must be the names of two runs such as A, B, not ('A', 'B', 'C')"),
        ("decide(risk=0.5)", "decide: risk must be a number above 0 and below 0.5, not 0.5"),
        (
            "decide(measure=AP)",
            "decide needs to know what one more judgment can do to a score, which AP does not say: it is no weighted"
            " sum of gains; use one that is, such as nDCG@10, DCG@10, P@10, R@100 or RBP",
        ),
        ("depth(4, 8)", "cannot read '8' in 'depth(4, 8)'; parameters look like rel=2"),
    ],
)
def test_what_cannot_be_decided(text: str, message: str) -> None:
    with pytest.raises((SpecError, InputError)) as problem:
        strategies.choose(text)
    assert str(problem.value) == message


def test_a_run_that_is_not_there() -> None:
    candidates = candidates_of(joined(*TWO_RUNS))
    with pytest.raises(InputError) as problem:
        strategies.choose("decide(x, nobody)").check(candidates)
    assert str(problem.value) == "no run is named 'nobody', which decide('x','nobody') asks for; there is x, y"


@pytest.mark.parametrize("text", ["decide('a b','c,d')", "decide(1,2)", "decide(x,y,measure=P@5,risk=0.1)"])
def test_names_are_read_back(text: str) -> None:
    strategy = strategies.choose(text)
    assert strategies.choose(str(strategy)) == strategy


@pytest.mark.parametrize(
    "measure", ["nDCG@2", "DCG@2", "P@2", "R@2", "RBP", "P(relative=True)@2", "nDCG(dcg='exp-log2')@2"]
)
def test_measures_that_can_be_decided_by(measure: str) -> None:
    order = order_of(TWO_RUNS, f"decide(measure={measure!r})", told=2)
    assert len(order.ask(100)) == int(order.open.sum()) > 0


def test_documents_below_the_cut_off_do_not_change_what_the_prior_means() -> None:
    """They are there where they are judged; support is compared within the cut-off."""
    runs = {name: {"1": [f"{name}{i}" for i in range(3)] + ["both"]} for name in "xy"}
    deep = {name: {"1": docs["1"] + [f"deep{name}{i}" for i in range(20)]} for name, docs in runs.items()}
    near = {doc: 0 for docs in runs.values() for doc in docs["1"]}
    far = {doc: 0 for docs in deep.values() for doc in docs["1"]}
    expected = []
    for judged, rankings in (({"1": near}, runs), ({"1": far}, deep)):
        order = order_of((judged, rankings), "decide(measure=P@4)")
        places = {doc: place for place, doc in enumerate(order.candidates.docs.take(np.arange(len(judged["1"]))))}
        pairs = np.array([places[doc] for doc in sorted(near)])
        expected.append(order.posterior.probabilities(pairs)[:, 1])
    np.testing.assert_allclose(expected[0], expected[1])


def test_a_topic_whose_relevant_documents_are_not_perfect_has_few_perfect_ones_left() -> None:
    docs = [f"d{i:02}" for i in range(20)]
    rankings = {name: {topic: list(order) for topic in "12"} for name, order in (("x", docs), ("y", docs[::-1]))}
    judged = {"1": dict.fromkeys(docs, 1), "2": dict.fromkeys(docs, 2)}
    order = order_of((judged, rankings), "decide(measure=nDCG@20)")
    tell(order, judged, np.arange(0, 40, 4))
    reached = order.posterior.probabilities(np.flatnonzero(order.open))
    topics = order.candidates.topic_of[order.open]
    perfect = [float((reached[topics == t, 2] / reached[topics == t, 1:].sum(axis=1)).mean()) for t in (0, 1)]
    assert perfect[0] < 0.15
    assert perfect[1] > 0.8


def test_one_run_unlike_the_others_is_not_called_worse_before_its_documents_are_judged() -> None:
    """Four runs share their documents, one has its own, which are all that is relevant."""
    judged: Judged = {}
    rankings: Rankings = {name: {} for name in ("a", "b", "c", "d", "alone")}
    for topic in map(str, range(12)):
        shared, own = [f"s{i}" for i in range(10)], [f"own{i}" for i in range(10)]
        judged[topic] = dict.fromkeys(shared, 0) | dict.fromkeys(own, 1)
        for place, name in enumerate("abcd"):
            rankings[name][topic] = shared[place:] + shared[:place]
        rankings["alone"][topic] = own
    order = order_of((judged, rankings), "decide(a, alone)")
    while len(batch := order.ask(1)):
        difference = float(np.subtract(*order.focus.expected))
        deviation = float(np.sqrt(np.array([1, -1]) @ order.focus.covariance() @ np.array([1, -1])))
        looked = order.weights.of(order.wanted or ()).looked_at(order.judged)[0, 1]
        if looked and abs(difference) > 1.96 * deviation:
            break
        tell(order, judged, batch.pairs)
    assert difference < 0


@settings(max_examples=25, deadline=None)
@given(collections(), st.integers(0, 12))
def test_enough_is_looked_at_where_documents_that_tell_two_runs_apart_are_judged(
    given: tuple[Judged, Rankings], told: int
) -> None:
    order = order_of(given, "decide(measure=DCG@2)", told=told)
    weights, judged = order.weights, order.judged[order.weights.pairs]
    looked = weights.looked_at(order.judged)
    for a, one in enumerate(weights.weights):
        for b, other in enumerate(weights.weights):
            apart = one != other
            assert looked[a, b] == (int((apart & judged).sum()) >= min(12, (int(apart.sum()) + 1) // 2))
