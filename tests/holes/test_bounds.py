"""Bounds: naive, joint and guaranteed, against every labelling with real judgments."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hole_oracles import (
    EVERY,
    Case,
    Topic,
    algorithm_1,
    all_labellings,
    all_labellings_and_more,
    fits,
    random_cases,
    scores,
    spend_documents,
    view_of,
)
from numpy.typing import NDArray

from unjudged.data.view import View
from unjudged.errors import InputError
from unjudged.holes import Bounds, Estimate, Guaranteed, HoleModel, Joint, Settings
from unjudged.holes.bounds import MOST_LABELLINGS
from unjudged.measures import Measure, measures

every_measure = pytest.mark.parametrize("measure", EVERY, ids=str)
HOLES = [Case(Topic(word), top) for word, top in [("uuu3u3|", 3), ("112uuu|0302", 3), ("31pu|032", 3), ("u1u0|2", 3)]]


def estimate(model: HoleModel, measure: Measure, view: View) -> Estimate:
    return model.estimate(measure, view, Settings())


def ends(model: HoleModel, measure: Measure, view: View) -> tuple[float, float]:
    """Bounds of the first ranking."""
    result = estimate(model, measure, view)
    assert result.low is not None
    assert result.high is not None
    return result.low[0], result.high[0]


# ---- joint


@every_measure
def test_joint_bounds_are_the_lowest_and_the_highest_score_over_all_labels(measure: Measure) -> None:
    """Every labelling is scored against real judgments, so with its own R, N, ideal ranking and scale."""
    for case in HOLES + list(random_cases(1, 30)):
        possible = scores(measure, all_labellings(case, measure.depth()))
        expected = (possible.min(), possible.max())
        assert ends(Joint(), measure, case.view()) == pytest.approx(expected, rel=0, abs=1e-9), case


@every_measure
@pytest.mark.parametrize("max_grade", [2, 4])
def test_max_grade_is_the_top_of_the_scale_for_labels_and_for_measures(measure: Measure, max_grade: int) -> None:
    """As if the collection had a document of that grade for another topic."""
    for topic, top in [(Topic("u1u|10"), 1), (Topic("0uu2|"), 2), (Topic("21|0"), 2)]:
        given = view_of({"t0": topic.ranking()}, {"t0": topic.judgments(), "scale": {"x": top}})
        for model in (Joint, Guaranteed):
            result = estimate(model(max_grade=max_grade), measure, given)
            expected = estimate(model(), measure, Case(topic, max_grade).view())
            for ours, theirs in zip(
                (result.value, result.low, result.high), (expected.value, expected.low, expected.high), strict=True
            ):
                np.testing.assert_allclose(ours[:1], theirs[:1], rtol=0, atol=1e-12)  # type: ignore[index]


def test_extremes_need_not_be_where_all_labels_are_lowest_or_highest() -> None:
    """A relevant document can lower AP and Rprec, because R grows."""
    view = view_of({"1": Topic("1u").ranking()}, {"1": {**Topic("1u").judgments(), "scale": 0}})
    assert ends(Joint(), measures.parse("nDCG@2"), view) == (1.0, 1.0)
    low, high = ends(Joint(), measures.parse("AP"), Case(Topic("1000u"), 1).view())
    assert (low, high) == (pytest.approx((1 + 2 / 5) / 2), 1.0)  # the hole relevant; the hole not relevant
    low, high = ends(Joint(), measures.parse("Rprec"), Case(Topic("0uu|"), 1).view())
    assert (low, high) == (0.0, 0.5)


@pytest.mark.parametrize(
    ("text", "lower", "higher"),
    [("Q", "031", "130"), ("G", "123", "132"), ("nDCGrel", "031", "130"), ("BPM@9", "0231", "1230")],
)
def test_moving_a_better_document_up_can_lower_these(text: str, lower: str, higher: str) -> None:
    """So it is not enough to try the highest grades on top and at the bottom (as METHODS G.1 has it, also for Q)."""
    measure = measures.parse(text)
    before, after = (scores(measure, Case(Topic(word), 3).view())[0] for word in (lower, higher))
    assert after < before
    assert not measure.monotone(3)


def test_q_is_monotone_where_all_relevant_documents_have_the_same_gain() -> None:
    assert measures.parse("Q").monotone(1)
    assert measures.parse("Q(rel=3)").monotone(3)
    assert measures.parse("Q(beta=0.0)").monotone(3)
    assert not measures.parse("Q(rel=2)").monotone(3)


def test_bpm_is_monotone_where_all_gains_are_equal() -> None:
    assert measures.parse("BPM(T=2.5)@9").monotone(1)
    assert measures.parse("BPM(max_grade=4)@9").monotone(1)
    assert measures.parse("BPM(max_grade=1)@9").monotone(3)
    assert measures.parse("BPM(rel=2)@9").monotone(3)
    assert not measures.parse("BPM(max_grade=2)@9").monotone(3)


def test_all_judged_has_width_0() -> None:
    view = view_of({"1": Topic("2010").ranking(), "2": {"x": 1.0}}, {"1": Topic("2010|21").judgments(), "2": {"x": 0}})
    for measure in EVERY:
        for model in (Joint(), Bounds()):
            result = estimate(model, measure, view)
            np.testing.assert_array_equal(result.low, result.value)
            np.testing.assert_array_equal(result.high, result.value)


@every_measure
def test_the_upper_bound_can_be_the_score(measure: Measure) -> None:
    """An estimate that can be tried as such, as tables 4 and 5 of paper 1 do."""
    for case in HOLES + list(random_cases(4, 5)):
        plain, upper = (estimate(model, measure, case.view()) for model in (Bounds(), Bounds(point="upper")))
        np.testing.assert_array_equal(upper.value, plain.high if measure.has_holes else plain.value)
        assert (upper.low is None) == (plain.low is None) == (not measure.has_holes)
    assert Bounds(point="upper").described() == f"{Bounds().described()}, the upper one as the score"


def test_too_many_labellings_are_unknown() -> None:
    few, many = Topic("u" * 10 + "|3"), Topic("u" * 60 + "|3")
    view = view_of({"1": few.ranking(), "2": many.ranking()}, {"1": few.judgments(), "2": many.judgments()})
    result = estimate(Joint(), measures.parse("nDCG"), view)
    assert math.comb(13, 10) < MOST_LABELLINGS < math.comb(63, 60)
    assert result.low is not None
    assert np.isnan(result.low).tolist() == [False, True]
    assert not np.isnan(result.value).any()
    # Binary measures, and those without a normaliser, have no such limit.
    for text in ("AP", "R", "RBP", "Rprec", "ERR", "DCG", "BPM(T=9.0)@50"):
        result = estimate(Joint(), measures.parse(text), view)
        assert not np.isnan(result.low).any()  # type: ignore[arg-type]


# ---- guaranteed


@every_measure
def test_guaranteed_bounds_hold_whatever_else_is_judged(measure: Measure) -> None:
    """All labels of the holes, and up to two further documents of any grade that were not retrieved."""
    for case in HOLES[2:] + list(random_cases(2, 20, holes=3)):
        possible = scores(measure, all_labellings_and_more(case, measure.depth()))
        low, high = ends(Guaranteed(), measure, case.view())
        unknown = [math.isnan(low), math.isnan(high)]
        lowest, highest = measure.limits()
        mixed = measure.normaliser() == "mixed"
        assert unknown == ([math.isinf(lowest), math.isinf(highest)] if mixed else [False, False])
        assert math.isnan(low) or low <= possible.min() + 1e-9, case
        assert math.isnan(high) or high >= possible.max() - 1e-9, case


def test_guaranteed_contains_joint() -> None:
    for measure in EVERY:
        for case in random_cases(3, 10):
            low, high = ends(Joint(), measure, case.view())
            wide_low, wide_high = ends(Guaranteed(), measure, case.view())
            assert math.isnan(wide_low) or wide_low <= low + 1e-12
            assert math.isnan(wide_high) or wide_high >= high - 1e-12


@pytest.mark.parametrize(
    ("text", "word", "further"),
    [("Rprec", "011|", "1"), ("Bpref", "01|11", "0"), ("RprecMult@0.2", "01|11", "1111")],
)
def test_judging_documents_outside_the_ranking_can_raise_these(text: str, word: str, further: str) -> None:
    """So for them only the range of the measure is guaranteed."""
    measure = measures.parse(text)
    before, after = (scores(measure, Case(Topic(one), 1).view())[0] for one in (word, word + further))
    assert after > before
    assert ends(Joint(), measure, Case(Topic(word), 1).view()) == (before, before)
    assert ends(Guaranteed(), measure, Case(Topic(word), 1).view()) == (0.0, 1.0)


# ---- naive bounds


def scores_of_spent_judgments(measure: Measure, case: Case) -> NDArray[np.float64]:
    """Scores with all labels that the judgments allow. Their documents are taken out, so that R and the ideal stay."""
    topic, top = case.topic, case.top
    judged = {doc: grade for doc, grade in topic.judgments().items() if grade >= 0}
    inside = {topic.doc(i) for i in range(len(topic.retrieved[: measure.depth()]))}
    left = [sum(grade == g for doc, grade in judged.items() if doc not in inside) for g in range(top + 1)]
    holes = topic.holes(measure.depth())
    allowed = []
    for labelled in topic.labelled(measure.depth(), top):
        labels = [labelled[doc] for doc in holes]
        # Grade 0 may be given to any number; where it counts, only labels that do not exceed what is left.
        counts_zeros = measure.name in ("Bpref", "GMBpref", "DCG", "nDCG")
        if algorithm_1(labels, left) == labels and (fits(labels, left) or not counts_zeros):
            allowed.append(labelled)
    spent = [spend_documents(labelled, holes, inside) for labelled in allowed]
    return scores(measure, case.view_with(spent)) if spent else np.zeros(0)


@every_measure
def test_naive_bounds_contain_the_score_of_every_labelling_that_the_judgments_allow(measure: Measure) -> None:
    for case in HOLES + list(random_cases(4, 25)):
        possible = scores_of_spent_judgments(measure, case)
        low, high = ends(Bounds(), measure, case.view())
        assert low <= possible.min(initial=np.inf) + 1e-9, case
        assert high >= possible.max(initial=-np.inf) - 1e-9, case


@pytest.mark.parametrize("measure", [one for one in EVERY if one.name == "BPM"], ids=str)
def test_naive_bounds_of_bpm_are_the_lowest_and_the_highest_of_them(measure: Measure) -> None:
    for case in HOLES + list(random_cases(5, 60)):
        possible = scores_of_spent_judgments(measure, case)
        expected = (possible.min(), possible.max())
        assert ends(Bounds(), measure, case.view()) == pytest.approx(expected, rel=0, abs=1e-12), case


def test_naive_bounds_by_hand() -> None:
    """The upper bound spends what is outside the top k, also judged documents below it in the same run."""
    measure = measures.parse("DCG@2")
    view = Case(Topic("uu1|3"), 3).view()
    assert ends(Bounds(), measure, view) == (0.0, pytest.approx(3 + 1 / math.log2(3)))
    assert estimate(Bounds(), measure, view).value[0] == 0.0


def test_bpref_never_leaves_its_range_when_grade_0_runs_out() -> None:
    """More unjudged documents than judged non-relevant ones: N stays what it is."""
    view = Case(Topic("uuu1u1|11"), 1).view()
    low, high = ends(Bounds(), measures.parse("Bpref"), view)
    assert 0.0 <= low <= high <= 1.0


# ---- Table 1 of paper 1

NDCG2 = "nDCG(dcg='exp-log2')@2"


def ndcg(word: str) -> float:
    """With the grades in the word as the whole pool."""
    return scores(measures.parse(NDCG2), Case(Topic(word), 3).view())[0]


def rounded(*values: float) -> list[str]:
    return [f"{value:.2f}" for value in values]


def test_table_1_of_paper_1() -> None:
    """Exponential gain; each row is lower bound, actual score, upper bound. The scale goes to 3."""
    measure = measures.parse(NDCG2)
    # RBP-inspired bounds: tests/holes/test_rbp_bounds.py; here from labels that join the pool.
    assert rounded(ndcg("1u"), ndcg("12"), ndcg("13")) == ["1.00", "0.80", "0.71"]
    low, high = ends(Bounds(), measure, Case(Topic("u1"), 3).view())
    assert rounded(low, ndcg("21"), high) == ["0.63", "1.00", "0.63"]
    view = view_of({"1": Topic("1u").ranking()}, {"1": Topic("1u").judgments()})
    low, high = ends(Guaranteed(max_grade=3), measure, view)
    assert rounded(low, ndcg("12"), high) == ["0.09", "0.80", "1.00"]


# ---- mistakes


@pytest.mark.parametrize("model", [Joint, Guaranteed])
def test_a_scale_that_ends_below_the_judgments_is_refused(model: type[Joint] | type[Guaranteed]) -> None:
    with pytest.raises(InputError) as error:
        estimate(model(max_grade=1), measures.parse("AP"), Case(Topic("2u"), 2).view())
    assert str(error.value) == "max_grade=1 contradicts the judgments, whose highest grade is 2"
