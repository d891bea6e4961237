"""Judging that goes on in one process says what is said of all its judgments at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unjudged as uj
from unjudged.errors import InputError

DOCS = [f"d{i}" for i in range(8)]
TOPICS = ("1", "2")
RUNS = {
    name: {
        topic: {
            doc: float(score) for doc, score in zip(DOCS, np.random.default_rng([seed, place]).random(8), strict=True)
        }
        for place, topic in enumerate(TOPICS)
    }
    for seed, name in enumerate(("x", "y", "z"))
}
EVERY = ["decide", "decide(x, y)", "depth", "mtf", "mm_ns", "shared_credit", "evidence", "sample(50%)"]
GRADES = st.dictionaries(
    st.tuples(st.sampled_from(TOPICS), st.sampled_from(DOCS)), st.sampled_from([0, 1, 2]), min_size=1, max_size=10
)

pytestmark = pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")


def start(strategy: str = "decide", judged: object = None, **more: object) -> uj.Judging:
    options = {"new": True, "max_grade": 2, "measure": "nDCG@3", "pool_depth": 5, **more}
    return uj.start_judging(judged or {}, RUNS, strategy, **options)  # type: ignore[arg-type]


def at_once(grades: dict[tuple[str, str], int], strategy: str) -> uj.NextJudgments:
    judged: dict[str, dict[str, int]] = {}
    for (topic, doc), grade in grades.items():
        judged.setdefault(topic, {})[doc] = grade
    return uj.next_judgments(judged, RUNS, strategy, new=True, max_grade=2, measure="nDCG@3", pool_depth=5, budget=4)


def within_reach(grades: dict[tuple[str, str], int]) -> dict[tuple[str, str], int]:
    pool = {
        (topic, doc)
        for topics in RUNS.values()
        for topic, scores in topics.items()
        for doc in sorted(scores, key=scores.__getitem__, reverse=True)[:5]
    }
    return {pair: grade for pair, grade in grades.items() if pair in pool}


@pytest.mark.parametrize("strategy", EVERY)
@settings(max_examples=5, deadline=None)
@given(GRADES, st.integers(0, 10))
def test_what_is_said_follows_from_the_judgments_alone(
    strategy: str, grades: dict[tuple[str, str], int], first: int
) -> None:
    """Recorded in two parts, with slips that are corrected, it is what is said of the judgments at once."""
    grades = within_reach(grades)
    judging = start(strategy)
    triples = [(topic, doc, grade) for (topic, doc), grade in grades.items()]
    judging.record([(topic, doc, 2 - grade) for topic, doc, grade in triples[:first]])
    judging.ask(2)
    judging.record(triples)
    expected = at_once(grades, strategy)
    result = judging.result(4)
    assert judging.ask(4) == [
        (row.topic, row.doc) for row in start(strategy, judging.qrels()).result(4).judgments()
    ] or (expected.answered)
    for table in ("pairs", "runs", "goals", "recall"):
        assert _rounded(result.tables[table]) == _rounded(expected.tables[table])
    assert [(row.topic, row.doc) for row in result.judgments()] == [
        (row.topic, row.doc) for row in expected.judgments()
    ]
    assert (result.judged, result.left) == (expected.judged, expected.left) == (len(grades), judging.left)


def _rounded(rows: object) -> object:
    if isinstance(rows, tuple):
        return tuple(map(_rounded, rows))
    return round(rows, 9) if isinstance(rows, float) else rows


@pytest.mark.parametrize("strategy", EVERY)
def test_documents_that_somebody_has_got_are_passed_over(strategy: str) -> None:
    judging = start(strategy)
    six = judging.ask(6)
    assert len(set(six)) == 6
    assert judging.ask(3, without=six[:3]) == six[3:]
    assert judging.ask(2, without=[six[0], ("1", "nothing")]) == six[1:3]


def test_a_judgment_that_is_withdrawn_was_never_made() -> None:
    judging = start()
    before = judging.ask(5)
    judging.record([(*before[0], 2)])
    assert judging.judged == 1
    judging.record([(*before[0], None)])
    assert judging.ask(5) == before
    assert judging.judged == 0
    judging.record([(*before[0], None)])  # once more changes nothing
    assert judging.qrels().judged.sum() == 0


def test_a_copy_goes_its_own_way() -> None:
    judging = start("evidence")
    judging.record([(*judging.ask()[0], 1)])
    other = judging.copied()
    assert other.ask(3) == judging.ask(3)
    judging.record([(*judging.ask()[0], 1)])
    assert (judging.judged, other.judged) == (2, 1)


@pytest.mark.parametrize(
    ("judgments", "message"),
    [
        ([("7", "d1", 1)], "there is no topic '7'; there is 1, 2"),
        ([("1", "else", 1)], "no run has document 'else' for topic '1' among its first 5 documents"),
        (
            {"1": {"PAIR": 3}},
            "grade 3 of document 'PAIR' (topic '1') is not on the scale 0 to 2; say the highest with max_grade",
        ),
    ],
)
def test_where_one_judgment_is_no_good_none_is_recorded(judgments: object, message: str) -> None:
    judging = start()
    pair = next(doc for topic, doc in judging.ask(8) if topic == "1")
    given = {"1": {pair: 3}} if isinstance(judgments, dict) else [("1", pair, 1), *judgments]  # type: ignore[misc]
    with pytest.raises(InputError) as problem:
        judging.record(given)
    assert str(problem.value) == message.replace("PAIR", pair)
    assert judging.judged == 0
