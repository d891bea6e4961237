"""What is said of a collection: nothing that was not tried, and who is beyond what was."""

from __future__ import annotations

import pytest

from unjudged.results.reuse_rows import AgreementRow, RunRow
from unjudged.studies.reuse.verdict import method_rows, verdict


def agreement(tau: float, holes: str = "nonrelevant") -> AgreementRow:
    numbers = (0.0,) * 17
    return AgreementRow("LeaveOutGroup", "P@5", holes, "P@5", 90.0, 0.9, 1, 5, tau, *numbers)


def left_out(
    run: str, change: float = 0.0, *, lost: float = 0.2, never: float = 0.0, holes: str = "nonrelevant"
) -> RunRow:
    lead = {"degradation": "LeaveOutGroup", "left_out": run[0], "run": run, "measure": "P@5", "holes": holes}
    ends = dict.fromkeys(("low", "high", "topics_low", "topics_high"))
    return RunRow(
        **lead,
        truth="P@5",
        true_score=0.5,
        estimate=0.4,
        **ends,
        true_rank=3.0,
        rank=3.0 + change,
        change=change,
        lost=lost,
        never_judged=never,
    )


def said(rows: list[RunRow], tau: float = 0.95, runs: int = 20) -> str:
    return verdict(method_rows([agreement(tau)], rows), rows, runs, "group")


GOOD = [left_out(f"r{i}", 1.0) for i in range(6)]


def test_it_can() -> None:
    assert said(GOOD) == (
        "This collection can judge new systems: a new group's run with holes loses at most 1 rank of 20 in 95% of"
        " cases, and tau-b with the truth is 0.950 (P@5, nonrelevant; tried on 6 runs)."
    )


@pytest.mark.parametrize(
    ("rows", "tau", "words"),
    [
        (GOOD, 0.89, "can, with care, judge"),
        ([*GOOD, left_out("x", 2.0)], 0.95, "can, with care, judge"),
        ([*GOOD, left_out("x", 2.0)], 0.89, "cannot judge"),
        (GOOD[:4], 0.95, "can, with care, judge"),
        ([*GOOD[:4], *(left_out(f"easy{i}", lost=0.0) for i in range(9))], 0.95, "can, with care, judge"),
        ([*GOOD, left_out("x", 19.0, never=0.51)], 0.95, "can, with care, judge"),
    ],
    ids=["order", "ranks", "both", "few", "few with holes", "unknown"],
)
def test_it_cannot_or_only_with_care(rows: list[RunRow], tau: float, words: str) -> None:
    assert said(rows, tau).startswith(f"This collection {words} new systems: ")


def test_who_is_beyond_what_was_tried_is_named() -> None:
    """More than half of the others lost, which is 20% here; what is at most 5% is no reason for doubt."""
    rows = [*GOOD, left_out("late", lost=0.0, never=0.45), left_out("later", never=0.6), left_out("known", never=0.2)]
    assert said(rows).startswith("This collection can, with care, judge new systems: ")
    assert said(rows).endswith(
        " tried on 7 runs). But nobody knows the scores of 2 of the 20 runs: so much of what is read of them was never"
        " judged, more than half of the left-out runs lost (20%): later 60%, late 45%."
    )
    small = [left_out(f"r{i}", lost=0.01, never=0.05) for i in range(6)]
    assert "nobody knows" not in said(small)


def test_nothing_is_said_where_nothing_was_tried() -> None:
    rows = [left_out(f"r{i}", lost=0.0) for i in range(6)]
    nothing = (
        "Nothing is known about new systems: without any group, all that P@5 reads of its runs is still judged, so no"
        " method was tried."
    )
    assert said(rows) == nothing
    assert said([*rows, left_out("new", lost=0.0, never=0.3)]) == (
        f"{nothing} But nobody knows the scores of 1 of the 20 runs: so much of what is read of them was never judged,"
        " and nothing like it was tried: new 30%."
    )


def test_runs_without_holes_say_nothing_about_methods() -> None:
    """They would make every method look good: two of three ranks wrong are 1.0 on average, and 0.1 of 20."""
    rows = [left_out("a", 2.0), left_out("b", 0.0), *(left_out(f"easy{i}", lost=0.0) for i in range(18))]
    (method,) = method_rows([agreement(0.95)], rows)
    assert (method.rank_error, method.loss, method.tried) == (1.0, 2.0, 2)


def test_a_method_that_orders_no_runs_somewhere_does_not_win_by_the_rest() -> None:
    """As alpha-nDCG with judgments of documents that no run returns: all scores are 0, and tau-b is undefined."""
    rows = [
        agreement(0.78, "condensed"),
        agreement(0.70, "condensed")._replace(degradation="OtherHalf"),
        agreement(1.0),
        agreement(0.0)._replace(degradation="OtherHalf", tau_b=None),
    ]
    best, other = method_rows(rows, [])
    assert (best.holes, best.recommended, best.tau_b) == ("condensed", True, pytest.approx(0.74))
    assert (other.holes, other.recommended, other.tau_b) == ("nonrelevant", False, None)


def test_where_no_method_can_order_runs_the_other_degradations_decide() -> None:
    rows = [agreement(0.9), agreement(0.0)._replace(degradation="OtherHalf", tau_b=None)]
    (only,) = method_rows(rows, [])
    assert only.tau_b == 0.9
