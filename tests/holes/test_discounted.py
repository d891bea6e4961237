"""discounted: the judged documents of a run, and a shift that all its holes share."""

from __future__ import annotations

import math
import random
import warnings
from collections import namedtuple
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from grouped_runs import Judgments, Ranked, as_runs
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize
from scipy.special import expit, logit

import unjudged as uj
from unjudged.api import read_holes, read_measure
from unjudged.data.qrels import Qrels
from unjudged.data.run_occurrences import OccurrencesInRuns
from unjudged.data.view import View, join
from unjudged.engine.numerics.joint_imputations import as_scored, drawn_scores
from unjudged.engine.preparation.document_occurrences import collect_occurrences
from unjudged.errors import InputError, SpecError
from unjudged.holes import Discounted, Settings
from unjudged.holes.discount_model import DISCOUNT, SHRINKAGE, TOPIC_SHRINKAGE, Discount, DiscountModel
from unjudged.holes.imputation.grade_sampler import GradeProbabilities

OfSubtopic = namedtuple("OfSubtopic", "query_id doc_id relevance subtopic")
DEPTH = 10
PLAIN = "discounted(shift=-1.5,sd=0.7)"


@cache
def one_run(
    seed: int = 1, *, topics: int = 12, length: int = DEPTH, share: float = 0.6, grades: tuple[int, ...] = (0, 0, 1, 3)
) -> tuple[Judgments, Ranked]:
    """Judgments, and a run with better documents first, of which some are judged; two topics have no judged ones."""
    rng = random.Random(seed)
    ranked = {f"t{t}": [f"d{i}" for i in rng.sample(range(1000), length)] for t in range(topics)}
    judged: Judgments = {}
    for t, (topic, docs) in enumerate(ranked.items()):
        chosen = {doc: i for i, doc in enumerate(docs) if t > 1 and rng.random() < share}
        judged[topic] = {doc: rng.choice(grades) if rng.random() < 1.2 - i / length else 0 for doc, i in chosen.items()}
        judged[topic] |= {f"other{i}": rng.choice((0, 0, 0, 1)) for i in range(15)}
    return judged, ranked


def with_occurrences(judged: Judgments, runs: dict[str, Ranked], depth: int | None) -> tuple[Qrels, OccurrencesInRuns]:
    informed = collect_occurrences(uj.Collection(judged, as_runs(runs)), read_holes("discounted"), depth=depth)[0]
    assert informed.occurrences is not None
    return informed.qrels, informed.occurrences


def holes_of(
    judged: Judgments, ranked: Ranked, discount: Discount = DISCOUNT, *, depth: int | None = DEPTH
) -> tuple[GradeProbabilities, View, np.ndarray]:
    model = DiscountModel(*with_occurrences(judged, {"one": ranked}, depth), discount)
    view = join(uj.read_run(as_runs({"one": ranked})["one"]), model.qrels, depth=depth)
    rows = np.flatnonzero(~view.judged)
    return model.grade_probabilities(view, rows), view, rows


def reached(probabilities: np.ndarray) -> np.ndarray:
    """Chance of each grade above 0 or a higher one."""
    return probabilities[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]


# ---- the chances, against a slow description


class Slowly:
    """What the documentation says, with an optimiser that knows nothing of ordinal regressions."""

    def __init__(self, judged: Judgments, ranked: Ranked) -> None:
        self.judged, self.ranked = judged, ranked
        every = [grade for docs in judged.values() for grade in docs.values()]
        self.top = max(every)
        self.given = sorted(set(every))
        self.pool = {grade: every.count(grade) / len(every) for grade in self.given}
        seen = [
            (topic, math.log(i + 1), judged[topic][doc], min(1.0, 10 / (i + 1)))
            for topic, docs in ranked.items()
            for i, doc in enumerate(docs)
            if doc in judged[topic]
        ]
        self.seen = seen
        weights = [weight for _, _, _, weight in seen]
        self.middle = float(np.average([log_rank for _, log_rank, _, _ in seen], weights=weights))
        self.width = float(np.std([log_rank for _, log_rank, _, _ in seen]))
        start = [logit(sum(self.pool[g] for g in self.given if g >= grade)) for grade in self.given[1:]]
        fit = minimize(self._loss, [start[0], *np.log(-np.diff(start)), 0.3], method="BFGS", options={"gtol": 1e-9})
        *self.thresholds, slope = self._unpacked(fit.x)
        if slope < 0:
            fit = minimize(lambda x: self._loss([*x, 0.0]), fit.x[:-1], method="BFGS", options={"gtol": 1e-9})
            *self.thresholds, slope = self._unpacked([*fit.x, 0.0])
        self.slope = slope / self.width

    @staticmethod
    def _unpacked(x: np.ndarray) -> list[float]:
        return [*np.cumsum([x[0], *-np.exp(x[1:-1])]), x[-1]]

    def _loss(self, x: np.ndarray) -> float:
        *thresholds, slope = self._unpacked(x)
        total = -0.5 * slope**2
        rows = [(-(log_rank - self.middle) / self.width, grade, weight) for _, log_rank, grade, weight in self.seen]
        rows += [(0.0, grade, SHRINKAGE * share) for grade, share in self.pool.items()]
        for feature, grade, weight in rows:
            at_least = [1.0, *(expit(one + slope * feature) for one in thresholds), 0.0]
            place = self.given.index(grade)
            total += weight * math.log(max(at_least[place] - at_least[place + 1], 1e-300))
        return -total

    def of_pool(self, topic: str, grade: int) -> float:
        """Log odds of the topic's judged documents, but the run's first 10, to have at least this grade."""
        every = sum(share for one, share in self.pool.items() if one >= grade)
        grades = [one for doc, one in self.judged[topic].items() if doc not in self.ranked[topic][:10]]
        share = (sum(one >= grade for one in grades) + TOPIC_SHRINKAGE * every) / (len(grades) + TOPIC_SHRINKAGE)
        return float(logit(share))

    def share(self, topic: str, grade: int) -> float:
        """Of judged documents of the run on this topic, at the mean of their ranks, that have at least this grade."""
        seen = {t: [one for one in self.seen if one[0] == t] for t in self.judged}
        number = {t: sum(weight for _, _, _, weight in docs) for t, docs in seen.items()}
        higher = min(one for one in self.given if one >= grade)
        at_middle = self.thresholds[self.given.index(higher) - 1]
        usual = {t: at_middle - self.slope * (self.center(t) - self.middle) for t in seen}
        rows = [(number[t], usual[t], self.of_pool(t, grade)) for t in seen]
        wanted = sum(n * expit(one) for n, one, _ in rows)
        ends = [f([of_pool for _, _, of_pool in rows]) for f in (min, max)]
        even = (
            ends[0]
            if ends[0] == ends[1]
            else brentq(lambda c: sum(n * expit(one + t - c) for n, one, t in rows) - wanted, *ends, xtol=1e-13)
        )
        count = sum(weight for _, _, one, weight in seen[topic] if one >= grade)
        expected = expit(usual[topic] + self.of_pool(topic, grade) - even)
        return float((count + SHRINKAGE * expected) / (number[topic] + SHRINKAGE))

    def center(self, topic: str) -> float:
        """Mean logarithm of the ranks of the run's judged documents on this topic."""
        mine = [(log_rank, weight) for t, log_rank, _, weight in self.seen if t == topic]
        return sum(w * r for r, w in mine) / sum(w for _, w in mine) if mine else self.middle

    def log_odds(self, topic: str, rank: int, grade: int) -> float:
        """Of a judged document of the run at this rank to have at least this grade."""
        share = min(self.share(topic, one) for one in range(1, grade + 1))
        return float(logit(share) - self.slope * (math.log(rank) - self.center(topic)))


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(("length", "depth"), [(10, 10), (40, None)])
def test_chances_are_those_of_the_runs_judged_documents_moved_by_the_shift(
    seed: int, length: int, depth: int | None
) -> None:
    judged, ranked = one_run(seed, length=length)
    said, view, rows = holes_of(judged, ranked, Discount(-1.5, 0.7), depth=depth)
    slowly = Slowly(judged, ranked)
    for i, row in enumerate(rows.tolist()):
        topic, rank = view.qrels.topics[view.topics[view.ranking[row]]], int(view.rank[row])
        expected = [expit(slowly.log_odds(topic, rank, grade) - 1.5) for grade in (1, 2, 3)]
        np.testing.assert_allclose(reached(said.conditional)[i], expected, atol=2e-5)


def test_a_topic_without_perfect_documents_in_a_large_pool_has_hardly_one_among_the_holes() -> None:
    judged = {f"t{t}": {f"d{d}": (2 if d < 10 and t < 5 else 0) for d in range(200)} for t in range(10)}
    said, view, rows = holes_of(judged, {topic: ["x", "d0", "d1", "d50", "d51"] for topic in judged})
    chances = dict(zip(view.topics[view.ranking[rows]].tolist(), reached(said.conditional)[:, 1], strict=True))
    assert min(chances[t] for t in range(5)) > 5 * max(chances[t] for t in range(5, 10))


def test_a_run_that_gets_better_further_down_has_no_slope() -> None:
    judged = {f"t{t}": {"a": 0, "b": 0, "c": 1, "d": 1} for t in range(9)}
    said, view, rows = holes_of(judged, {t: ["x", "a", "b", "y", "c", "d", "z"] for t in judged})
    of_ranks = [reached(said.conditional)[view.rank[rows] == rank, 0] for rank in (1, 4, 7)]
    np.testing.assert_allclose(of_ranks[0], of_ranks[1], atol=1e-12)
    np.testing.assert_allclose(of_ranks[0], of_ranks[2], atol=1e-12)


def test_chances_on_average_are_those_over_all_shifts() -> None:
    judged, ranked = one_run()
    discount = Discount(-1.5, 0.9)
    of_holes = holes_of(judged, ranked, discount)[0]
    (run,) = range(1)
    model = DiscountModel(*with_occurrences(judged, {"one": ranked}, DEPTH), discount)
    sd = math.hypot(0.9, model.own_grades(run).error)
    shifts = np.linspace(-8, 8, 4001)
    weights = np.exp(-0.5 * shifts**2)
    moved = expit(logit(reached(of_holes.conditional))[..., None] + sd * shifts)
    np.testing.assert_allclose(
        reached(of_holes.probabilities), (moved * weights).sum(axis=-1) / weights.sum(), atol=1e-5
    )


@given(
    st.integers(1, 40), st.floats(0, 1), st.floats(-30, 30), st.floats(0, 5), st.sampled_from([(0, 1), (0, 0, 2, 5)])
)
def test_chances_sum_to_one(seed: int, share: float, shift: float, sd: float, grades: tuple[int, ...]) -> None:
    of_holes = holes_of(*one_run(seed, share=share, grades=grades), Discount(shift, sd))[0]
    for chances in (of_holes.probabilities, of_holes.conditional):
        assert (chances > -1e-12).all()
        np.testing.assert_allclose(chances.sum(axis=1), 1, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_more_relevant_documents_in_the_run_or_a_higher_shift_mean_higher_chances(seed: int) -> None:
    judged, ranked = one_run(seed)
    said, view, rows = holes_of(judged, ranked)
    better = {t: {doc: max(grade, int(doc in ranked[t])) for doc, grade in docs.items()} for t, docs in judged.items()}
    assert (reached(holes_of(better, ranked)[0].conditional)[:, 0] > reached(said.conditional)[:, 0]).all()
    of_shifts = [reached(holes_of(judged, ranked, Discount(shift))[0].probabilities) for shift in (-3, -2, -1, 0)]
    for lower, higher in pairwise(of_shifts):
        assert (lower < higher).all()
    # And a better rank is never worse, on the same topic.
    topic, rank = view.topics[view.ranking[rows]], view.rank[rows]
    for one in np.unique(topic):
        here = np.flatnonzero(topic == one)
        in_order = reached(said.conditional)[here[np.argsort(rank[here])]]
        assert (np.diff(in_order, axis=0) <= 1e-12).all()


def test_a_topic_without_judged_documents_of_the_run_is_as_good_to_it_as_to_the_pool() -> None:
    judged, ranked = one_run(4)

    def of_first_topics(pools: tuple[int, int]) -> list[np.ndarray]:
        """Chances at rank 3 where so many of the documents that others found are relevant."""
        found = {f"t{t}": {f"other{i}": int(i < number) for i in range(15)} for t, number in enumerate(pools)}
        said, view, rows = holes_of(judged | found, ranked)
        topic, rank = view.topics[view.ranking[rows]], view.rank[rows]
        return [reached(said.conditional)[(topic == t) & (rank == 3), 0] for t in (0, 1)]

    first, second = of_first_topics((4, 4))
    np.testing.assert_array_equal(first, second)
    first, second = of_first_topics((4, 8))
    assert first < second


def test_the_usual_shift_depends_on_the_pool_and_on_the_share_that_is_judged() -> None:
    assert DISCOUNT.mean(0.7, 100) == pytest.approx(-1.4)
    assert DISCOUNT.mean(0.9, 100) - DISCOUNT.mean(0.7, 100) == pytest.approx(0.3)
    assert DISCOUNT.mean(0.7, 100 * math.e) - DISCOUNT.mean(0.7, 100) == pytest.approx(-0.25)
    assert DISCOUNT.mean(0.7, 0) == DISCOUNT.mean(0.7, 1)
    assert Discount(-2.0).mean(0.1, 7) == -2.0


# ---- where there is little to learn from


def test_a_run_without_any_judged_document_is_like_the_pool() -> None:
    judged = {"t1": {"a": 1, "b": 0, "c": 0, "d": 0}, "t2": {"a": 0, "b": 0, "c": 0, "d": 1}}
    probabilities = holes_of(judged, {"t1": ["x", "y"], "t2": ["z"]}, Discount(-1.0, 0.5))[0]
    np.testing.assert_allclose(probabilities.conditional[:, 1], expit(logit(0.25) - 1.0), atol=1e-9)


def test_grades_that_nobody_gave() -> None:
    judged = {f"t{t}": {"a": 3, "b": 0, "c": 0} for t in range(6)}
    chances = holes_of(judged, {t: ["a", "x", "b"] for t in judged})[0].conditional
    np.testing.assert_allclose(chances[:, 1:3], 0, atol=1e-12)
    assert (chances[:, 3] > 0.01).all()
    nothing = holes_of({"t": {"a": 0, "b": 0}}, {"t": ["a", "x"]})[0].conditional
    np.testing.assert_array_equal(nothing, [[1.0, 0.0]])


def test_where_only_relevant_documents_are_judged_nothing_is_known() -> None:
    with pytest.warns(uj.UnjudgedWarning) as caught:
        uj.score({"t": {"a": 1, "b": 1}}, {"r": {"t": {"a": 2.0, "x": 1.0}}}, "P@2", holes="discounted")
    assert [str(one.message) for one in caught] == [
        "qrels: every judged document is relevant, so a run's judged documents do not say how often others are;"
        " discounted estimates are too high"
    ]


def test_hundreds_of_grades_are_drawn_in_bins() -> None:
    judged = {"t": {f"d{i}": i for i in range(60)}}
    ranked = {"t": [*(f"d{i}" for i in range(40)), "x", "y"]}
    with pytest.warns(uj.UnjudgedWarning, match="too many for a probability of each"):
        scores = uj.score(judged, as_runs({"r": ranked}), "nDCG@50", holes="discounted")
    assert scores.low[0, 0, 0, 0] < scores.high[0, 0, 0, 0]


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


def test_runs_of_one_group_move_together() -> None:
    """How often the better of two is better does not depend on a shift that they share; most of it, they do."""
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
