"""What to judge next, and when to stop: goals, verdicts, and what feeding judgments back leads to."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unjudged as uj
from unjudged.errors import InputError
from unjudged.studies.next_judgments import findings
from unjudged.studies.next_judgments.goals import read_goal

RUNS = {
    "good": {"1": ["a", "b"], "2": ["d", "e"]},
    "bad": {"1": ["x", "y"], "2": ["z", "e"]},
    "copy": {"1": ["a", "b"], "2": ["d", "e"]},
}
GRADES = {"1": {"a": 1, "b": 1, "x": 0, "y": 0}, "2": {"d": 1, "e": 0, "z": 0}}
Rankings = Mapping[str, Mapping[str, list[str]]]

pytestmark = pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")


def scored(rankings: Rankings) -> dict[str, dict[str, dict[str, float]]]:
    return {
        name: {topic: {doc: -float(rank) for rank, doc in enumerate(docs)} for topic, docs in topics.items()}
        for name, topics in rankings.items()
    }


def ask(judged: dict[str, dict[str, int]], rankings: Rankings = RUNS, **more: object) -> uj.NextJudgments:
    given = {topic: grades for topic, grades in judged.items() if grades}
    return uj.next_judgments(given, scored(rankings), new=True, measure="P@2", **more)  # type: ignore[arg-type]


@st.composite
def small(draw: st.DrawFn) -> tuple[dict[str, dict[str, list[str]]], dict[str, dict[str, int]]]:
    docs = list("abcde")
    topics = ["1", "2"][: draw(st.integers(1, 2))]
    rankings = {name: {topic: draw(st.permutations(docs))[:3] for topic in topics} for name in ("x", "y", "z")}
    return rankings, {topic: {doc: draw(st.integers(0, 1)) for doc in docs} for topic in topics}


def precision(grades: Mapping[str, Mapping[str, int]], topics: Mapping[str, list[str]]) -> float:
    return float(np.mean([sum(grades[topic][doc] for doc in topics[topic][:2]) / 2 for topic in grades]))


@settings(max_examples=10, deadline=None)
@given(small(), st.integers(1, 3))
def test_judgments_that_are_fed_back_lead_to_what_all_judgments_say(
    given: tuple[dict[str, dict[str, list[str]]], dict[str, dict[str, int]]], budget: int
) -> None:
    rankings, grades = given
    judged: dict[str, dict[str, int]] = {topic: {} for topic in grades}
    asked: list[tuple[str, str]] = []
    while not (result := ask(judged, rankings, budget=budget, risk=1e-9)).answered:
        rows = result.judgments()
        assert 1 <= len(rows) <= budget
        for row in rows:
            asked.append((row.topic, row.doc))
            judged[row.topic][row.doc] = grades[row.topic][row.doc]
    assert not result.judgments()
    assert len(asked) == len(set(asked))
    for row in result.pairs():
        truth = precision(grades, rankings[row.run]) - precision(grades, rankings[row.other])
        assert np.sign(round(truth, 9)) == np.sign(round(row.difference, 9))


@settings(max_examples=10, deadline=None)
@given(small(), st.integers(0, 6))
def test_certain_is_what_no_grades_can_change(
    given: tuple[dict[str, dict[str, list[str]]], dict[str, dict[str, int]]], known: int
) -> None:
    """All grades of all unjudged documents are tried."""
    rankings, grades = given
    every = [(topic, doc) for topic in grades for doc in grades[topic]]
    judged: dict[str, dict[str, int]] = {topic: {} for topic in grades}
    for topic, doc in every[:known]:
        judged[topic][doc] = grades[topic][doc]
    left = every[known:]
    possible = []
    for chosen in product((0, 1), repeat=len(left)):
        world = {topic: dict(some) for topic, some in judged.items()}
        for (topic, doc), grade in zip(left, chosen, strict=True):
            world[topic][doc] = grade
        possible.append({name: precision(world, topics) for name, topics in rankings.items()})
    for row in ask(judged, rankings).pairs():
        signs = {np.sign(round(world[row.run] - world[row.other], 9)) for world in possible}
        assert (len(signs) == 1) >= (row.verdict == "certain")


def test_a_copy_can_make_no_difference() -> None:
    result = ask({}, goal="good>copy")
    (goal,) = result.goals()
    assert (goal.answered, goal.answer) == (True, "copy and good are equal")


def test_one_run_has_no_pair_to_decide() -> None:
    result = uj.next_judgments({}, {"alone": {"1": {"a": 1.0}}}, new=True)
    assert [(goal.answered, goal.answer) for goal in result.goals()] == [
        (True, "there is only one run, so there is no pair to decide")
    ]


def test_the_answer_names_the_better_run_whichever_was_asked_for() -> None:
    (goal,) = ask(GRADES, goal="bad>good").goals()
    assert (goal.answered, goal.answer, goal.judgments) == (True, "good is better than bad (certain)", None)


def test_goals_say_how_many_more_judgments_they_need() -> None:
    result = ask({"1": {"a": 1}}, goal=["order", "good>bad", "recall=0.9", "width=0.01"])
    assert not result.answered
    by_goal = {row.goal: row for row in result.goals()}
    for name in ("good>bad", "recall=0.9", "width=0.01"):
        assert by_goal[name].judgments is not None
        assert 1 <= by_goal[name].judgments <= 6
    between = by_goal["good>bad"]
    assert between.low is not None
    assert between.high is not None
    assert between.low <= (between.judgments or 0) <= between.high
    done = ask(GRADES, goal=["order", "recall=0.9", "width=0.01"])
    assert done.answered
    (recall,) = done.recall()
    assert (recall.found, recall.relevant, recall.recall) == (3, 3.0, 1.0)


def test_only_the_pairs_that_are_asked_about_are_listed() -> None:
    assert len(ask({}, goal="good>bad").pairs()) == 1
    assert len(ask({}).pairs()) == 3


def test_names_with_the_sign_of_a_goal() -> None:
    names = ["a>b", "c", "a", "b>c"]
    assert read_goal("a>b>c", names).runs == (2, 3)  # the first way to read it
    assert read_goal("a>b > c", names).runs == (0, 1)


def test_nothing_depends_on_the_order_of_runs_or_judgments() -> None:
    one = ask({"1": {"a": 1, "x": 0}}, budget=5)
    back = {topic: dict(reversed(list(grades.items()))) for topic, grades in {"1": {"a": 1, "x": 0}}.items()}
    other = ask(back, dict(reversed(list(RUNS.items()))), budget=5)
    assert one.judgments() == other.judgments()


def test_labels_are_part_of_the_model() -> None:
    labels = {"1": {"a": 0, "b": 0, "x": 3, "y": 0}, "2": {"d": 0, "e": 0, "z": 3}}
    result = uj.next_judgments({}, scored(RUNS), new=True, measure="P@2", budget=6, labels=labels)
    expected = {row.doc: row.expected for row in result.judgments()}
    assert min(expected["x"], expected["z"]) > max(expected["a"], expected["b"], expected["d"])  # type: ignore[type-var]


def test_a_scale_that_ends_below_a_grade() -> None:
    with pytest.raises(InputError, match=r"^--max-grade 1 is below grade 2, which some document has$"):
        uj.next_judgments({"1": {"a": 2}}, scored(RUNS), max_grade=1)


def test_two_measures_are_one_too_many() -> None:
    with pytest.raises(InputError) as problem:
        uj.next_judgments(GRADES, scored(RUNS), "decide(measure=P@2)", measure="P@1")
    assert str(problem.value) == (
        "both decide(measure='P@2') and --measure P@1 say what runs are compared by; give one of them"
    )


def test_there_must_be_runs() -> None:
    with pytest.raises(InputError) as problem:
        uj.next_judgments(GRADES, None)
    assert str(problem.value) == "there is nothing to choose from: give the runs whose documents are to be judged"


@pytest.mark.parametrize("strategy", ["depth", "mtf", "evidence", "shared_credit", "decide", "sample(50%)"])
def test_every_strategy_can_say_what_is_next(strategy: str) -> None:
    result = ask({}, budget=3, strategy=strategy)
    assert len(result.judgments()) <= 3
    assert all(sum(row.probabilities) == pytest.approx(1) for row in result.judgments())


@settings(max_examples=15, deadline=None)
@given(small(), st.integers(0, 10))
def test_verdicts_do_not_depend_on_the_quick_look_at_all_pairs(
    given: tuple[dict[str, dict[str, list[str]]], dict[str, dict[str, int]]], known: int
) -> None:
    """Pairs that both runs could win are not asked whether they are certain: they are not."""
    rankings, grades = given
    some: dict[str, dict[str, int]] = {}
    for topic, doc in list(product(grades, "abcde"))[:known]:
        some.setdefault(topic, {})[doc] = grades[topic][doc]
    question = {"new": True, "measure": "nDCG@2"}
    quick = uj.next_judgments(some, scored(rankings), **question).pairs()  # type: ignore[arg-type]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(findings, "_turned_around", lambda measure, runs, pairs, kept: np.zeros(len(pairs), dtype=bool))
        assert uj.next_judgments(some, scored(rankings), **question).pairs() == quick  # type: ignore[arg-type]


@pytest.mark.parametrize("strategy", ["evidence", "mtf", "mm_ns", "shared_credit"])
def test_who_looks_for_relevant_documents_learns_only_how_many_there_are_at_most(strategy: str) -> None:
    (by_value,) = ask({"1": {"a": 1}}, strategy="decide").recall()
    (sought,) = ask({"1": {"a": 1}}, strategy=strategy, goal="recall=0.9").recall()
    assert (sought.low, sought.relevant_high) == (by_value.low, by_value.relevant_high)
    assert (sought.high, sought.relevant_low) == (1.0, sought.found)
    (goal,) = ask({"1": {"a": 1}}, strategy=strategy, goal="recall=0.9").goals()
    assert goal.answer == f"recall is {sought.low:.2f} or more"


def test_what_is_believed_before_the_first_judgment_decides_nothing() -> None:
    """Documents of many runs are believed to be relevant, so that a run unlike all others seems worse."""
    topics = [f"{topic}" for topic in range(40)]
    alike = {f"alike{run}": {topic: ["s", "t"] for topic in topics} for run in range(12)}
    rankings = {**alike, "odd": {topic: ["o", "p"] for topic in topics}}
    (row,) = uj.next_judgments({}, scored(rankings), new=True, measure="P@2", goal="alike1>odd", risk=0.2).pairs()
    assert row.p_greater > 1 - 0.2
    assert row.verdict == "undecided"
    judged = {topic: {"s": 1, "t": 1} for topic in topics[:10]}  # 20 that count for one of the two only: enough
    (row,) = uj.next_judgments(judged, scored(rankings), new=True, measure="P@2", goal="alike1>odd", risk=0.2).pairs()
    assert row.verdict == "likely"
