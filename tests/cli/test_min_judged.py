"""--min-judged: where too little is judged, a pipeline stops, whatever the scores are."""

from __future__ import annotations

from pathlib import Path

import pytest

import unjudged as uj

from .conftest import Command

CALLS = {
    "score": ("-m", "P@2", "--holes", "nonrelevant"),
    "compare": ("-m", "P@2", "--draws", "10"),
    "gate": ("-m", "P@2", "--draws", "10", "--margin", "1"),
}
"""Of what new has on the judged topic that it answers, one document of two is judged."""


@pytest.mark.parametrize("command", CALLS)
def test_too_few_judged_documents_are_exit_code_1(unjudged: Command, files: Path, command: str) -> None:
    runs = (files / "runs" / "old.run", files / "runs" / "new.run")
    call = (command, files / "qrels.txt", *runs, *CALLS[command])
    enough = unjudged(*call, "--min-judged", "0.5")
    assert enough.code == (3 if command == "gate" else 0)
    assert "too-few-judged" not in enough.err
    done = unjudged(*call, "--min-judged", "0.8")
    assert done.code == 1
    assert (
        "warning: new: 50.0% of the documents that P@2 looks at are judged, less than the 80.0% of --min-judged;"
        " `unjudged next` says which to judge first [too-few-judged]\n"
    ) in done.err
    assert done.err.count("too-few-judged") == 1, "all that old has is judged"
    assert done.out.splitlines()[:3] == enough.out.splitlines()[:3]


@pytest.mark.parametrize("command", [*CALLS, "doctor"])
def test_a_share_is_between_0_and_1(unjudged: Command, files: Path, command: str) -> None:
    done = unjudged(command, files / "qrels.txt", files / "runs", *CALLS.get(command, ()), "--min-judged", "80")
    assert (done.code, done.err) == (2, "unjudged: --min-judged must be a number at least 0 and at most 1, not 80.0\n")


def test_strict_doctors_fail_where_less_is_judged_than_is_asked_for(unjudged: Command, files: Path) -> None:
    run = files / "half.run"
    run.write_text("1 Q0 x 1 3 half\n1 Q0 a 2 2 half\n2 Q0 d 1 2 half\n2 Q0 y 2 1 half\n")
    call = ("doctor", files / "qrels.txt", run, "--strict", "-f", "tsv")
    default = unjudged(*call)
    assert default.code == 1
    assert "50.0% of the documents in the top 10 are judged, less than 80%" in default.out
    assert "less than 60%" in unjudged(*call, "--min-judged", "0.6").out
    enough = unjudged(*call, "--min-judged", "0.5")
    assert (enough.code, "few-judged" in enough.out) == (0, False)


def test_a_run_that_answers_nothing_that_is_judged_is_below_no_share() -> None:
    qrels, runs = {"1": {"a": 1}}, {"mine": {"1": {"a": 1.0}}}
    assert not uj.score(qrels, runs, "P@1", holes="nonrelevant", min_judged=1.0).warnings
