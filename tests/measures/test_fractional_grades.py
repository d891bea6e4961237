"""Grades that are no whole numbers: every measure and hole model, against whole grades and against brute force."""

from __future__ import annotations

import itertools
import math
from random import Random
from typing import Any

import numpy as np
import pytest
from test_every_measure import EXAMPLES

import unjudged as uj
from unjudged.data.qrels import Qrels
from unjudged.measures import Measure, parse_measures

pytestmark = pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")
RNG = Random(3)
WHOLE = {str(topic): {f"d{i}": RNG.choice([0, 0, 1, 2, 3]) for i in range(30)} for topic in range(5)}
HALVES = {topic: {doc: grade / 2 for doc, grade in docs.items()} for topic, docs in WHOLE.items()}
RUNS = {
    name: {topic: {f"d{RNG.randrange(45)}": RNG.random() for _ in range(20)} for topic in WHOLE} for name in "abcdef"
}
SCALE_MATTERS = {"DCG", "ERR", "G", "nERR", "Q", "RnDCG"}
"""Measures whose value is another when all grades are halved; these have brute force below."""


@pytest.fixture(scope="module")
def whole() -> Qrels:
    return uj.read_qrels(WHOLE)


@pytest.fixture(scope="module")
def halves() -> Qrels:
    return uj.read_qrels(HALVES)


def _halved(measure: Measure) -> Measure:
    """The same measure for grades that are half as high."""
    names = {field.name for field in measure.parameters()}
    changed: dict[str, Any] = {
        name: getattr(measure, name) / 2 for name in ("rel", "max_grade") if name in names and getattr(measure, name)
    }
    return measure.replace(**changed)


def _values(qrels: Qrels, measure: Measure | str, holes: str) -> Any:
    groups = {name: name for name in RUNS} if holes in {"evidence", "discounted"} else None
    frame = uj.score(qrels, RUNS, measure, holes=holes, groups=groups).to_frame()
    return frame.select_dtypes("number").to_numpy(float)


UNITS_DO_NOT_MATTER = [
    text
    for texts in EXAMPLES.values()
    for text in texts
    for measure in parse_measures(text)
    if not measure.needs and measure.name not in SCALE_MATTERS
    if not any(word in text for word in ("gains", "exp", "NRG"))
]


@pytest.mark.parametrize("text", UNITS_DO_NOT_MATTER)
def test_measures_do_not_see_what_the_unit_of_grades_is(text: str, whole: Qrels, halves: Qrels) -> None:
    measure = parse_measures(text)[0]
    holes = "nonrelevant" if measure.name == "BPM" else "bounds"
    np.testing.assert_allclose(
        _values(halves, _halved(measure), holes), _values(whole, measure, holes), rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize(
    "holes", ["condensed", "joint", "guaranteed", "rbp_bounds", "bootstrap", "evidence", "discounted"]
)
@pytest.mark.parametrize("measure", ["nDCG@10", "P(rel=2)@10", "RBP"])
def test_hole_models_neither(holes: str, measure: str, whole: Qrels, halves: Qrels) -> None:
    chosen = parse_measures(measure)[0]
    np.testing.assert_allclose(
        _values(halves, _halved(chosen), holes), _values(whole, chosen, holes), rtol=1e-12, atol=1e-12
    )


def _gains(topic: str, run: str, qrels: dict[str, dict[str, float]]) -> list[float]:
    ranked = sorted(RUNS[run][topic].items(), key=lambda one: (one[1], one[0]), reverse=True)
    return [qrels[topic].get(doc, 0.0) for doc, _ in ranked]


def _dcg(gains: list[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def test_graded_measures_by_hand(halves: Qrels) -> None:
    scores = uj.score(halves, RUNS, ["nDCG@5", "nDCG(dcg='exp-log2')@5", "DCG@5", "ERR@5", "SDCG@5"])
    value = scores.to_frame(per_topic=True).set_index(["measure", "run", "topic"])["value"]
    for topic, run in itertools.product(HALVES, RUNS):
        gains, best = _gains(topic, run, HALVES)[:5], sorted(HALVES[topic].values(), reverse=True)[:5]
        exponential, best_exponential = ([2**gain - 1 for gain in one] for one in (gains, best))
        stays, err = 1.0, 0.0
        for rank, gain in enumerate(gains, start=1):
            satisfied = (2**gain - 1) / 2**1.5
            err, stays = err + stays * satisfied / rank, stays * (1 - satisfied)
        expected = {
            "nDCG@5": _dcg(gains) / _dcg(best),
            "nDCG(dcg='exp-log2')@5": _dcg(exponential) / _dcg(best_exponential),
            "DCG@5": _dcg(gains),
            "ERR@5": err,
            "SDCG@5": _dcg(gains) / _dcg([1.5] * 5),
        }
        for measure, by_hand in expected.items():
            assert value[measure, run, topic] == pytest.approx(by_hand, abs=1e-12)


def test_bounds_are_over_the_scale_that_occurs() -> None:
    qrels = {"1": {"a": 0.7, "b": 0.25, "c": 0.0}}
    run = {"1": {"a": 3.0, "x": 2.0, "y": 1.0}}
    row = uj.score(qrels, {"r": run}, "nDCG@3", holes="joint").to_frame().iloc[0]
    values = []
    for labels in itertools.product([0.0, 0.25, 0.7], repeat=2):
        best = sorted([0.7, 0.25, 0.0, *labels], reverse=True)[:3]
        values.append(_dcg([0.7, *labels]) / _dcg(best))
    assert (row["low"], row["high"]) == pytest.approx((min(values), max(values)))


def test_grades_and_thresholds_are_what_they_are(halves: Qrels) -> None:
    assert repr(uj.read_qrels({"1": {"a": 0.5, "b": 1}})) == "Qrels(1 topic, 2 judged, grades {0.5: 1, 1.0: 1})"
    assert halves.max_grade == 1.5 and halves.scale.grades.tolist() == [0.0, 0.5, 1.0, 1.5]
    assert [str(one) for one in parse_measures("P(rel=0.5)@10")] == ["P(rel=0.5)@10"]
    assert str(parse_measures("P(rel=2.0)@10")[0]) == "P(rel=2)@10"
    assert uj.read_qrels({"1": {"a": 1.0, "b": 2.0}}).grades.dtype == np.int32


def test_files_have_them_too(tmp_path: Any) -> None:
    lines = "".join(f"1 0 d{i} {i}\n" for i in range(100)) + "1 0 x 0.5\n"
    (tmp_path / "q").write_text(lines)
    assert uj.read_qrels(tmp_path / "q").judgments("1")["x"] == 0.5
    (tmp_path / "q").write_text(lines + "1 0 y good\n")
    with pytest.raises(uj.InputError, match=r"q:102: the grade is not a number: 'good'"):
        uj.read_qrels(tmp_path / "q")


def test_it_is_said_where_no_grade_counts_as_relevant() -> None:
    qrels = {"1": {"a": 0.7, "b": 0.2}}
    run = {"mine": {"1": {"a": 1.0}}, "other": {"1": {"b": 1.0}}}
    asked = ["P@5", "AP", "nDCG@5", "P(rel=0.5)@5", "P(rel=3)@5"]
    expected = [
        "no grade is 1 or higher, so nothing is relevant to P@5, AP; the highest is 0.7: say what counts, as in"
        " P(rel=0.7)@5",
        "no grade is 3 or higher, so nothing is relevant to P(rel=3)@5; the highest is 0.7: say what counts, as in"
        " P(rel=0.7)@5",
    ]
    assert [one.message for one in uj.score(qrels, run, asked).warnings if one.code == "nothing-relevant"] == expected
    for ask in (uj.compare, uj.gate):
        assert "nothing-relevant" in {one.code for one in ask(qrels, run, "P@5").warnings}
        assert "nothing-relevant" not in {one.code for one in ask(qrels, run, "P(rel=0.5)@5").warnings}
    [none] = [one for one in uj.score({"1": {"a": 0}}, run, "P@5").warnings if one.code == "nothing-relevant"]
    assert none.message == "no grade is 1 or higher, so nothing is relevant to P@5"
