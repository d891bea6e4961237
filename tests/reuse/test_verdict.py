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
    return verdict(method_rows([agreement(tau)], rows), [agreement(tau)], rows, runs, "group")


def trusted(*taus: float | None, runs: int = 20, later: str | None = None) -> str:
    """What is said where no run is left out; a degradation for each tau-b."""
    rows = [agreement(0.0)._replace(degradation=f"DepthCut({i})", tau_b=tau) for i, tau in enumerate(taus, 1)]
    return verdict(method_rows(rows, []), rows, [], runs, "", later)


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
        ([*GOOD, left_out("x", 19.0, never=0.51)], 0.95, "can, with care, judge"),
    ],
    ids=["order", "ranks", "both", "unknown"],
)
def test_it_cannot_or_only_with_care(rows: list[RunRow], tau: float, words: str) -> None:
    assert said(rows, tau).startswith(f"This collection {words} new systems: ")


@pytest.mark.parametrize(
    "more", [[], [left_out(f"easy{i}", lost=0.0) for i in range(9)]], ids=["few", "few with holes"]
)
def test_a_few_left_out_runs_tell_little(more: list[RunRow]) -> None:
    assert said([*GOOD[:4], *more]) == (
        "Little is known about new systems, because only 4 left-out runs had holes to try methods on, and it takes 5: a"
        " new group's run with holes loses at most 1 rank of 20 in 95% of cases, and tau-b with the truth is 0.950"
        " (P@5, nonrelevant; tried on 4 runs)."
    )


def test_who_is_beyond_what_was_tried_is_named() -> None:
    """More than half of the others lost, which is 20% here; what is at most 5% is no reason for doubt."""
    rows = [*GOOD, left_out("late", lost=0.0, never=0.45), left_out("later", never=0.6), left_out("known", never=0.2)]
    assert said(rows).startswith("This collection can, with care, judge new systems: ")
    assert said(rows).endswith(
        " tried on 7 runs). But that says little of runs with as many holes as 2 of these 20, whose true scores nobody"
        " knows: of what is read of them, 60% (later), 45% (late) was never judged; half of the left-out runs lost 20%"
        " at most."
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
        f"{nothing} But that says little of runs with as many holes as 1 of these 20, whose true scores nobody knows:"
        " of what is read of them, 30% (new) was never judged; nothing like it was tried."
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


def test_a_method_that_orders_no_runs_is_not_recommended() -> None:
    (only,) = method_rows([agreement(0.0)._replace(tau_b=None)], [])
    assert not only.recommended


NOTHING_NEW = " Nothing is said about new systems, because no degradation leaves runs out (LeaveOutGroup, LeaveOutRun)."


def test_a_method_is_trusted_only_where_it_finds_the_order() -> None:
    assert trusted(0.95) == (
        "Trust P@5, nonrelevant: of the methods that were tried it comes closest to the truth, with tau-b 0.950 and an"
        f" RMSE of 0.000 over 20 runs.{NOTHING_NEW}"
    )
    assert "with tau-b at least 0.910 and" in trusted(0.95, 0.91)
    assert trusted(-0.2) == (
        "Trust none of the methods that were tried: the tau-b of the best, P@5, nonrelevant, with the truth is -0.200."
        + NOTHING_NEW
    )
    assert " with the truth is at most 0.890." in trusted(0.6, 0.89)
    assert trusted(0.5, 0.7, 0.93) == (
        "Trust P@5, nonrelevant after DepthCut(3), where its tau-b with the truth is at least 0.9; not after"
        f" DepthCut(1), DepthCut(2) (tau-b down to 0.500).{NOTHING_NEW}"
    )
    assert "not after DepthCut(1) (tau-b undefined)." in trusted(None, 0.93)
    assert trusted(None) == (
        "Trust none of the methods that were tried: they put the runs in no order to compare with the truth."
        + NOTHING_NEW
    )


def test_few_runs_are_said_to_be_few() -> None:
    assert trusted(1.0, runs=4, later="later.qrels") == (
        "Trust P@5, nonrelevant: of the methods that were tried it comes closest to the scores under later.qrels, with"
        " tau-b 1.000 and an RMSE of 0.000 over 4 runs. But 4 runs are few to know it by: one pair the other way round"
        " changes tau-b by 0.33."
    )
    assert "few to know" in trusted(1.0, runs=9)
    assert "few to know" not in trusted(1.0, runs=10)
