"""Grades that are high, and many different ones: what they cost, and what holes get."""

from __future__ import annotations

import gc
import random
import re
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
from evidence_oracles import EVIDENCE
from grouped_runs import as_runs, collection, pooled

import unjudged as uj
from unjudged.data.ids import Ids
from unjudged.data.qrels import GRADE_LIMIT, Qrels, build_qrels
from unjudged.data.scale import ORDINARY_TOP
from unjudged.errors import InputError
from unjudged.holes import Bootstrap
from unjudged.holes.imputation.binned_scales import MOST_DRAWN, MOST_LEARNED, bins_for
from unjudged.holes.imputation.filling import FEW_GRADES, counts_of_levels, spend
from unjudged.io.table_columns import coded

pytestmark = pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")

Judgments = dict[str, dict[str, int]]
MODELS = [
    "nonrelevant",
    "condensed",
    "bounds",
    "joint",
    "guaranteed",
    "bootstrap(draws=200)",
    "bootstrap(draws=200,ideal='follows')",
    "bootstrap(draws=200,scope='collection',method='draws')",
]


def judged_and_runs(seed: int = 1, topics: int = 5) -> tuple[Judgments, dict[str, dict[str, dict[str, float]]]]:
    """Judgments with grades 0 to 3, and two runs with holes."""
    rng = random.Random(seed)
    docs = [f"d{i:02d}" for i in range(30)]
    qrels = {f"t{t}": {doc: rng.choice([0, 0, 1, 2, 3]) for doc in rng.sample(docs, 18)} for t in range(topics)}
    qrels["t0"]["d00"] = 3
    runs = {
        name: {topic: {doc: float(-i) for i, doc in enumerate(rng.sample(docs, 8))} for topic in qrels} for name in "ab"
    }
    return qrels, runs


def with_top(qrels: Judgments, top: int) -> Judgments:
    """The same judgments, with another grade for the highest."""
    return {topic: {doc: top if grade == 3 else grade for doc, grade in docs.items()} for topic, docs in qrels.items()}


# ---- a high grade


@pytest.mark.parametrize("top", [1000, GRADE_LIMIT])
@pytest.mark.parametrize("model", MODELS)
def test_a_high_grade_is_worth_its_gain_and_nothing_else(model: str, top: int) -> None:
    """Where a grade has the same gain, how high it is makes no difference, to the last bit."""
    for seed in range(3):
        qrels, runs = judged_and_runs(seed)
        # What else may be judged can have any grade between, and with it a higher gain.
        by_gain = [(name, f"{name}(gains={{{top}:3}})") for name in ("nDCG", "DCG") if model != "guaranteed"]
        for usual, high in [
            *((f"{one}@6", f"{other}@6") for one, other in by_gain),
            ("AP", "AP"),
            ("P(rel=3)@5", f"P(rel={top})@5"),
            ("RBP(max_grade=2)@5", "RBP(max_grade=2)@5"),
            ("ERR(max_grade=2)@5", "ERR(max_grade=2)@5"),
        ]:
            wanted = uj.score(qrels, runs, usual, holes=model)
            scores = uj.score(with_top(qrels, top), runs, high, holes=model)
            for name in ("values", "low", "high"):
                np.testing.assert_array_equal(getattr(scores, name), getattr(wanted, name), err_msg=f"{usual} {name}")


@pytest.mark.parametrize("measure", ["nDCG@6", "Q"])
def test_comparisons_are_the_same_with_a_high_grade_of_the_same_gain(measure: str) -> None:
    qrels, runs = judged_and_runs()
    high = measure.replace("nDCG", "nDCG(gains={1000:3})")
    usual = uj.compare(qrels, runs, measure, draws=100, corpus=uj.CorpusBootstrap(images=20))
    comparison = uj.compare(with_top(qrels, 1000), runs, high, draws=100, corpus=uj.CorpusBootstrap(images=20))
    if measure == "Q":  # has the grades themselves as gains
        assert comparison.pair_rows[0].best > comparison.pair_rows[0].worst
    else:
        assert comparison.pair_rows == usual.pair_rows
        assert comparison.runs_rows == usual.runs_rows


@pytest.mark.parametrize(
    ("usual", "high"), [("P(rel=3)@5", "P(rel=1000)@5"), *[(one, one) for one in ("RBP(max_grade=2)@5", "R@6")]]
)
def test_what_runs_add_is_the_same_with_a_high_grade_of_the_same_gain(usual: str, high: str) -> None:
    qrels, runs = judged_and_runs()
    models = ["bounds", "joint", "bootstrap(draws=50)"]
    wanted = uj.relative(qrels, runs, usual, holes=models)
    assert uj.relative(with_top(qrels, 1000), runs, high, holes=models).topic_rows == wanted.topic_rows


@pytest.mark.parametrize("measure", ["nDCG@6", "ERR@6", "NRG('DCG@6',gain='binary')"])
def test_bounds_of_what_runs_add_hold_with_a_high_grade(measure: str) -> None:
    qrels, runs = judged_and_runs()
    for row in uj.relative(with_top(qrels, 400), runs, measure, holes="joint").run_rows:
        assert row.low is not None
        assert row.high is not None
        assert row.low <= row.nrg <= row.high


def peak(work: Callable[[], object]) -> int:
    """The most memory that is in use while something works in one thread, in bytes."""
    work()  # what is imported and cached on first use
    gc.collect()  # so that garbage is collected at the same moments, whatever ran before
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


ALL_MEASURES = ["nDCG@6", "AP", "ERR@6", "BPM@4", "Q", "RBP", "Compat", "INST", "NERR8@5", "SDCG@5", "Rprec", "R@5"]


@pytest.mark.parametrize(
    "work",
    [
        *(
            lambda qrels, runs, model=model: uj.score(qrels, runs, ALL_MEASURES, holes=model, jobs=1)
            for model in MODELS
        ),
        lambda qrels, runs: uj.compare(qrels, runs, "nDCG@6", draws=100, corpus=uj.CorpusBootstrap(images=20), jobs=1),
        lambda qrels, runs: uj.compare(
            qrels, runs, "nERR(max_grade=4)@6", draws=100, corpus=uj.CorpusBootstrap(images=20), jobs=1
        ),
        lambda qrels, runs: uj.relative(qrels, runs, "nDCG@6", jobs=1),
        lambda qrels, runs: uj.relative(qrels, runs, "ERR@6", holes=["bounds", "bootstrap(draws=50)"], jobs=1),
        lambda qrels, runs: uj.reuse(
            qrels, runs, "nDCG@6", degrade="LeaveOutRun(2)", holes=["bootstrap", "joint"], jobs=1
        ),
        lambda qrels, runs: uj.doctor(qrels, runs, jobs=1),
    ],
    ids=[*MODELS, "compare", "compare nERR", "relative", "relative ERR", "reuse", "doctor"],
)
def test_memory_does_not_grow_with_the_highest_grade(work: Callable[[Judgments, object], object]) -> None:
    qrels, runs = judged_and_runs()
    usual = peak(lambda: work(with_top(qrels, ORDINARY_TOP), runs))
    assert peak(lambda: work(with_top(qrels, GRADE_LIMIT), runs)) <= usual + 200_000


def test_high_grades_of_subtopics() -> None:
    """Bounds hand out the grades of each subtopic, which may be far apart."""

    def offsets(highest: int) -> tuple[float, float]:
        grades = {"a": (0, 1), "b": (highest, 2), "c": (1, 0)}
        docs = Ids.of([doc for doc in grades for _ in "12"])
        values = np.array([grade for pair in grades.values() for grade in pair])
        qrels, _ = build_qrels(coded(["t"] * 6), docs, values, subtopics=coded(["1", "2"] * 3))
        run = {"r": {"t": {"x": 3.0, "a": 2.0, "y": 1.0}}}
        scores = uj.score(qrels, run, "ERR_IA(form='graded',max_grade=2)@3", holes="bounds")
        return float(scores.low.item()), float(scores.high.item())

    assert offsets(GRADE_LIMIT) == offsets(2)


# ---- many different grades


def many_grades(number: int) -> Judgments:
    """One topic with so many different grades, 0 among them, and holes for the run below."""
    return {"1": {f"d{i}": 3 * i for i in range(number)}}


RUN = {"r": {"1": {"x": 9.0, "d1": 8.0, "y": 7.0, "d2": 6.0, "z": 5.0}}}


def test_hundreds_of_different_grades_are_drawn_as_they_are() -> None:
    scores = uj.score(many_grades(500), RUN, "DCG@1", holes="bootstrap(draws=2000,prior='pool',method='draws')")
    result = set(scores.distribution("r", "1").values.tolist())
    assert len(result) > 300
    assert result <= {3.0 * i for i in range(500)}
    assert not [one for one in scores.warnings if one.code == "binned-grades"]


def test_more_grades_than_can_be_drawn_are_binned_and_the_result_says_how() -> None:
    number = MOST_DRAWN + 1
    scores = uj.score(many_grades(number), RUN, "DCG@5", holes="bootstrap(draws=50)")
    assert [(one.code, one.count, one.message) for one in scores.warnings if one.code == "binned-grades"] == [
        (
            "binned-grades",
            1001,
            "qrels: there are 1,001 different grades, too many for a probability of each; unjudged documents get"
            " grade 0 or one of 999 others, each of which stands for a bin of about equally many judgments and is the"
            " grade nearest to their mean",
        )
    ]
    for model in ("bootstrap(draws=50,ideal='follows')", "bounds", "joint"):
        result = uj.score(many_grades(number), RUN, ["nDCG@5", "AP"], holes=model)
        assert ("binned-grades" in [one.code for one in result.warnings]) == model.startswith("bootstrap")
    compared = uj.compare(many_grades(number), {**RUN, "s": {"1": {"d3": 1.0}}}, "nDCG@5", draws=20)
    assert "binned-grades" in [one.code for one in compared.warnings]


def test_bounds_are_exact_however_many_grades_there_are() -> None:
    """The highest grades that are left go to the highest holes; bins have no part in it."""
    number = 3 * MOST_DRAWN
    scores = uj.score(many_grades(number), RUN, "DCG@5", holes="bounds")
    best = [3 * (number - 1), 3, 3 * (number - 2), 6, 3 * (number - 3)]
    assert scores.high[0, 0, 0] == pytest.approx(sum(grade / np.log2(i + 2) for i, grade in enumerate(best)))


def test_evidence_learns_chances_of_few_bins_and_draws_grades_that_occur() -> None:
    truth, rankings, group_of = collection(7, groups=8, topics=30)
    rng = random.Random(3)
    spread = {
        topic: {doc: 0 if grade == 0 else 100 * grade + rng.randrange(90) for doc, grade in docs.items()}
        for topic, docs in truth.items()
    }
    contributing = [run for run, group in group_of.items() if group != "g7"]
    judged = pooled(spread, rankings, contributing)
    qrels = uj.read_qrels(judged)
    bins = bins_for(qrels, learned=True)
    assert bins is not None
    assert len(qrels.scale) > 100
    assert len(bins.scale) <= MOST_LEARNED
    scores = uj.score(judged, as_runs(rankings), "DCG@1", holes=EVIDENCE, groups=group_of, explain=[("g7r0", "t0")])
    notices = [one for one in scores.warnings if one.code == "binned-grades"]
    assert len(notices) == 1
    assert f"grade 0 or one of {len(bins.scale) - 1} others" in notices[0].message
    assert all(row.grades == tuple(bins.scale.grades.tolist()) for row in scores.explained)
    for row in scores.explained:
        assert row.expected == pytest.approx(sum(g * c for g, c in zip(row.grades, row.probabilities, strict=True)))


def test_labels_on_a_long_scale_are_learned_in_bins() -> None:
    rng = random.Random(1)
    qrels = {f"t{t}": {f"d{i}": 50 * rng.randrange(60) for i in range(90)} for t in range(4)}
    labels = {topic: {doc: 100_000 * (grade > 1500) for doc, grade in docs.items()} for topic, docs in qrels.items()}
    labels["t0"] |= {"x": 100_000, "y": 0}
    run = {name: {"t0": {name: 2.0, "d1": 1.0, "d2": 0.5}} for name in "xy"}
    model = Bootstrap(prior="labels", labels=uj.Labels.of(labels).file, method="draws")
    scores = uj.score(qrels, run, "DCG@1", holes=model)
    assert [one.code for one in scores.warnings if one.code == "binned-grades"] == ["binned-grades"]
    good, bad = (scores.distribution(name, "t0").mean() for name in "xy")
    assert good > 2 * bad


# ---- counting and handing out many levels


def test_levels_are_counted_the_same_few_or_many() -> None:
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 5, (3, 7, 4)).astype(np.int32)
    counted = rng.random((3, 7, 4)) < 0.5
    few, many = counts_of_levels(labels, 5, counted), counts_of_levels(labels, 100, counted)
    np.testing.assert_array_equal(many[:, :, :5], few)
    assert not many[:, :, 5:].any()
    assert counts_of_levels(labels, 100).sum() == labels.size


def test_levels_are_handed_out_the_same_few_or_many() -> None:
    """More levels that nobody has or asks for change nothing."""
    rng = np.random.default_rng(2)
    targets = rng.integers(0, 5, (4, 60, 6)).astype(np.int32)
    left = rng.integers(0, 3, (4, 5))
    more = np.zeros((4, 4 * FEW_GRADES), dtype=np.int64)
    more[:, :5] = left
    np.testing.assert_array_equal(spend(targets, more), spend(targets, left))


# ---- gains that no number can hold


@pytest.mark.parametrize(
    ("measure", "grade", "message"),
    [
        (
            "nDCG(dcg='exp-log2')@5",
            501,
            "grade 501 is too high for gains of 2^grade (exp-log2), which goes up to 500; use dcg=log2",
        ),
        (
            "DCG(dcg='exp-log2')",
            100_000,
            "grade 100000 is too high for gains of 2^grade (exp-log2), which goes up to 500; use dcg=log2",
        ),
        (
            "nERR@5",
            1001,
            "grade 1001 is too high for nERR, which divides by 2^grade and goes up to 1000; give a max_grade",
        ),
    ],
)
@pytest.mark.parametrize("ask", [uj.score, uj.compare])
def test_gains_that_no_number_can_hold(ask: Callable[..., object], measure: str, grade: int, message: str) -> None:
    qrels, runs = judged_and_runs()
    with pytest.raises(InputError, match=f"^qrels: {re.escape(message)}$"):
        ask(with_top(qrels, grade), runs, measure)


@pytest.mark.parametrize(
    ("measure", "grade"), [("DCG(dcg='exp-log2')@5", 500), ("nERR@5", 1000), ("ERR@5", GRADE_LIMIT)]
)
def test_the_highest_grades_that_a_measure_takes_give_numbers_everywhere(measure: str, grade: int) -> None:
    qrels, runs = judged_and_runs()
    qrels = with_top(qrels, grade)
    scores = uj.score(qrels, runs, measure, holes=["bounds", "bootstrap(draws=50)"])
    assert np.isfinite([scores.values, scores.low, scores.high]).all()
    compared = uj.compare(qrels, runs, measure, draws=50)
    row = compared.pair_rows[0]
    assert np.isfinite([row.difference, row.p, row.worst, row.best]).all()


def test_a_qrels_with_many_grades_is_shown_in_one_line() -> None:
    qrels: Qrels = uj.read_qrels(many_grades(5000))
    assert repr(qrels) == "Qrels(1 topic, 5,000 judged, 5,000 grades from 0 to 14997)"
