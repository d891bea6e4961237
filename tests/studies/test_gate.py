"""Whether a candidate is worse than a baseline: the rule, what it rests on, and what to judge."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy import stats

import unjudged as uj
from unjudged.studies.gate.decision import Difference, chance_of_an_answer, decide, difference_of
from unjudged.testing import assert_not_worse

Collected = tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]


def made(topics: int = 30, *, new: float = 0.0, noise: float = 1.0, seed: int = 1) -> Collected:
    """Judgments, and an old and a new run that rank them; a share of what the new one has nobody judged."""
    rng = np.random.default_rng(seed)
    qrels: dict[str, dict[str, int]] = {}
    runs: dict[str, dict[str, dict[str, float]]] = {"old": {}, "new": {}}
    for t in range(topics):
        grades = rng.integers(0, 4, 20)
        qrels[f"t{t}"] = {f"d{i}": int(grade) for i, grade in enumerate(grades)}
        for name, spread in (("old", 2.0), ("new", noise)):
            order = np.argsort(-(grades + spread * rng.normal(size=20)))[:10]
            own = [f"x{r}" if name == "new" and rng.random() < new else f"d{i}" for r, i in enumerate(order)]
            runs[name][f"t{t}"] = {doc: float(10 - r) for r, doc in enumerate(own)}
    return qrels, runs


@pytest.fixture(scope="module")
def undecided() -> tuple[Collected, uj.Gate]:
    given = made(150, new=0.3, noise=1.1)
    result = uj.gate(*given, "nDCG@10", draws=200)
    assert result.answer == "undecided"
    return given, result


# ---- the rule


@pytest.mark.parametrize(
    ("low", "high", "p", "answer"),
    [
        (0.01, 0.03, 0.99, "not worse"),
        (-0.005, 0.02, 0.4, "not worse"),
        (-0.009, -0.002, 0.001, "not worse"),  # a sure loss within the margin is none
        (-0.03, -0.01, 0.001, "worse"),
        (-0.03, -0.001, 0.02, "worse"),
        (-0.03, -0.001, 0.03, "undecided"),  # by itself it would be worse, but not after the correction
        (-0.03, 0.02, 0.3, "undecided"),
        (np.nan, np.nan, 1.0, "undecided"),  # a single topic
    ],
)
def test_an_interval_decides(low: float, high: float, p: float, answer: str) -> None:
    difference = Difference((low + high) / 2, low, high, 1e-4, 0.0, 99)
    assert decide(difference, p, margin=0.01, confidence=0.95) == answer


def test_without_holes_it_is_the_paired_t_interval() -> None:
    qrels, runs = made()
    scores = uj.score(qrels, runs, "nDCG@10").values[0, 0]
    (row,) = uj.gate(qrels, runs, "nDCG@10", confidence=0.9).measures()
    test = stats.ttest_rel(scores[1], scores[0])
    interval = test.confidence_interval(0.9)
    assert (row.low, row.high) == pytest.approx((interval.low, interval.high), abs=1e-12)
    assert (row.plain_low, row.plain_high, row.plain_answer) == (row.low, row.high, row.answer)
    less = stats.ttest_rel(scores[1], scores[0], alternative="less")
    assert row.p == pytest.approx(less.pvalue, abs=1e-12)
    assert row.holes == 0


def test_with_holes_it_is_the_p_value_of_compare() -> None:
    """Which keeps as many draws as it has here."""
    qrels, runs = made(new=0.3, noise=3.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pair = uj.compare(qrels, runs, "nDCG@10", draws=100).pair("old", "new")
        (row,) = uj.gate(qrels, runs, "nDCG@10", draws=100).measures()
    assert pair.p_holes is not None
    assert 2 * min(row.p, 1 - row.p) == pytest.approx(pair.p_holes, abs=1e-12)
    assert row.plain == pytest.approx(-pair.difference)
    assert 0 < row.holes < 1


def test_the_same_run_is_not_worse_whatever_nobody_judged() -> None:
    qrels, runs = made(new=0.3)
    result = uj.gate(qrels, {"a": runs["new"], "b": runs["new"]}, "nDCG@10", margin=0)
    assert result.answer == "not worse"
    assert result.unjudged == 0


def test_turned_around_it_says_the_opposite() -> None:
    qrels, runs = made(new=0.3)
    one = uj.gate(qrels, runs, "nDCG@10", draws=100).measures()[0]
    other = uj.gate(qrels, {"new": runs["new"], "old": runs["old"]}, "nDCG@10", draws=100).measures()[0]
    assert (other.difference, other.low, other.high) == pytest.approx((-one.difference, -one.high, -one.low))  # type: ignore[operator]


def test_further_runs_are_evidence_only() -> None:
    qrels, runs = made(new=0.2)
    more = {**runs, "third": runs["old"]}
    result = uj.gate(qrels, more, "P@5", draws=50)
    assert (result.baseline, result.candidate) == ("old", "new")


def test_of_several_measures_all_must_pass_and_one_is_enough_to_fail() -> None:
    qrels, runs = made(200, noise=3.0)
    one = uj.gate(qrels, runs, "nDCG@10")
    both = uj.gate(qrels, runs, ["nDCG@10", "R@20"])
    assert both.answer == one.answer == "worse"
    assert both.measures()[0].p == pytest.approx(2 * one.measures()[0].p)  # Holm
    turned = {"new": runs["new"], "old": runs["old"]}
    assert uj.gate(qrels, turned, ["nDCG@10", "P@10"]).ok


def test_a_measure_that_takes_no_grades_is_decided_by_topics_alone() -> None:
    qrels, runs = made(new=0.3)
    (row,) = uj.gate(qrels, runs, "P(judged_only=True)@10", draws=50).measures()
    assert row.holes == 0
    assert row.low == row.plain_low


# ---- segments


def test_a_segment_that_gets_worse_fails_the_gate() -> None:
    qrels, runs = made(120, noise=0.5)
    segments = {topic: "head" if t < 90 else "tail" for t, topic in enumerate(qrels)}
    for topic, segment in segments.items():
        if segment == "tail":  # the candidate has what is least relevant first
            worst = sorted(qrels[topic], key=lambda doc: qrels[topic][doc])[:10]
            runs["new"][topic] = {doc: float(10 - r) for r, doc in enumerate(worst)}
    whole = uj.gate(qrels, runs, "nDCG@10", margin=0.2)
    guarded = uj.gate(qrels, runs, "nDCG@10", margin=0.2, segments=segments, segment_margin=0.05)
    assert whole.answer == "not worse"
    assert guarded.answer == "worse"
    assert [(row.segment, row.failed, row.topics) for row in guarded.segments()] == [
        ("head", False, 90),
        ("tail", True, 30),
    ]
    tail = guarded.segments()[1]
    own = uj.gate(qrels, runs, "nDCG@10", only_topics=[t for t, s in segments.items() if s == "tail"]).measures()[0]
    assert (tail.difference, tail.low, tail.high) == pytest.approx((own.difference, own.low, own.high))
    assert guarded.reason == (
        f"nDCG@10 {tail.difference:+.4f} ({tail.low:+.4f} to {tail.high:+.4f}) in segment tail, which may lose 0.05"
    )


def test_topics_without_a_segment_are_counted() -> None:
    qrels, runs = made(5)
    with pytest.warns(uj.UnjudgedWarning, match="2 of 5 topics have no segment, such as t3, t4; they count in"):
        result = uj.gate(qrels, runs, "P@5", segments={"t0": "a", "t1": "b", "t2": "b"})
    assert [(row.segment, row.topics) for row in result.segments()] == [("a", 1), ("b", 2)]
    assert result.segments()[0].low is None


# ---- what to judge


def test_what_to_judge_is_what_counts_differently_and_most(undecided: tuple[Collected, uj.Gate]) -> None:
    (qrels, runs), result = undecided
    rows = result.judgments()
    assert result.needed is not None
    assert len(rows) == result.needed <= result.unjudged
    effects = [row.effect for row in rows]
    assert effects == sorted(effects, reverse=True)
    for row in rows:
        assert row.doc not in qrels[row.topic]
        order = sorted(runs["new"][row.topic], key=lambda doc: -runs["new"][row.topic][doc])
        assert row.rank_in_baseline is None
        assert row.rank_in_candidate == order.index(row.doc) + 1


def test_once_all_of_it_is_judged_holes_add_nothing(undecided: tuple[Collected, uj.Gate]) -> None:
    (qrels, runs), result = undecided
    judged = {topic: dict(docs) for topic, docs in qrels.items()}
    for topic, docs in runs["new"].items():
        judged[topic] |= {doc: 1 for doc in docs if doc.startswith("x")}
    after = uj.gate(judged, runs, "nDCG@10")
    assert after.unjudged == 0
    assert after.measures()[0].holes == 0
    assert result.measures()[0].holes > 0.1


def test_an_answer_is_more_likely_the_more_is_judged() -> None:
    difference = Difference(-0.01, -0.07, 0.05, 0.01**2, 0.03**2, 199)
    chances = chance_of_an_answer(difference, np.array([0.03, 0.02, 0.01, 0.0]) ** 2, margin=0.01, confidence=0.95)
    assert (np.diff(chances) >= 0).all()
    assert chances[0] == 0
    # With nothing left the difference is normal around -0.01, and an answer needs it beyond 0.0197 of an end.
    half = stats.t.ppf(0.975, 199) * 0.01
    beyond = stats.norm.sf((half - 0.01 + 0.01) / 0.03) + stats.norm.cdf((-half + 0.01) / 0.03)
    assert chances[-1] == pytest.approx(beyond, abs=0.01)


def test_without_unjudged_documents_no_judgment_decides() -> None:
    qrels, runs = made(6)
    result = uj.gate(qrels, runs, "nDCG@10", margin=0.001)
    assert result.answer == "undecided"
    assert result.what_next() == "no judgment can decide it: it takes more topics, or a larger margin"


# ---- draws of one topic, and mistakes


def test_one_topic_says_nothing_about_others() -> None:
    one = difference_of(np.array([[0.2]]), 0.95)
    assert np.isnan(one.low)
    assert one.p_below(0.0) == 1.0


def test_the_same_loss_everywhere_is_the_randomisation_test() -> None:
    lost = difference_of(np.full((1, 8), -0.1), 0.95)
    assert lost.p_below(0.0) == 0.5**8
    assert (lost.low, lost.high) == pytest.approx((-0.1, -0.1))


@pytest.mark.parametrize(
    ("runs", "given", "message"),
    [
        (1, {}, "a gate needs a baseline and a candidate, not 1 run"),
        (2, {"margin": -0.1}, "the margin must be a number at least 0 and at most 1, not -0.1"),
        (2, {"confidence": 1}, "the confidence must be a number above 0.5 and below 1, not 1"),
        (2, {"measures": "gm_map"}, "GMAP is not a mean over topics; use a measure that is, such as nDCG@10"),
        (2, {"measures": []}, "a gate needs a measure, such as nDCG@10"),
        (
            2,
            {"segment_margin": 0.1},
            "--segment-margin is about segments: give --segments FILE (segments= in Python), too",
        ),
        (
            2,
            {"segments": {"q9": "a"}},
            "segments: none of the 3 judged topics has a segment; it lists q9",
        ),
    ],
)
def test_mistakes_are_one_line(runs: int, given: dict[str, Any], message: str) -> None:
    qrels, both = made(3)
    with pytest.raises(uj.InputError) as found:
        uj.gate(qrels, dict(list(both.items())[:runs]), **given)
    assert str(found.value) == message


# ---- in the tests of a search team


def test_tests_of_releases_fail_with_the_answer(undecided: tuple[Collected, uj.Gate]) -> None:
    (qrels, runs), result = undecided
    with pytest.raises(AssertionError) as found:
        assert_not_worse(qrels, runs["old"], runs["new"], draws=200)
    assert str(found.value) == result.summary().replace("new against old", "candidate against baseline")
    assert assert_not_worse(qrels, runs["old"], runs["new"], draws=200, undecided=True).answer == "undecided"
    clear = made(200, noise=3.0)
    with pytest.raises(AssertionError, match=r"^worse: candidate against baseline: nDCG@10 -"):
        assert_not_worse(clear[0], clear[1]["old"], clear[1]["new"], undecided=True)
