"""What belongs to the collection can be said to every command, and what the library takes can be said at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import unjudged as uj

from .conftest import Command

pytestmark = pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")


def answer(unjudged: Command, *arguments: object) -> dict[str, Any]:
    done = unjudged(*arguments, "-f", "json", "--quiet")
    assert (done.code, done.err) == (0, "")
    result: dict[str, Any] = json.loads(done.out)
    return result


def test_topics_that_a_run_lacks_can_be_left_out_of_its_mean(unjudged: Command, files: Path) -> None:
    given = ("score", files / "qrels.txt", files / "runs", "-m", "P@2", "--missing")
    means = {}
    for how in ("zero", "skip"):
        result = answer(unjudged, *given, how)
        means[how] = {row["run"]: row["value"] for row in result["rows"]}
        expected = uj.score(files / "qrels.txt", files / "runs", "P@2", missing=how).mean()  # type: ignore[arg-type]
        assert means[how] == {run: expected[run, "P@2"] for run in ("new", "old")}
    assert means["skip"]["new"] == 2 * means["zero"]["new"]
    assert means["skip"]["old"] == means["zero"]["old"]


@pytest.mark.parametrize("command", ["relative", "reuse"])
def test_intervals_are_percentiles_of_draws_everywhere(unjudged: Command, files: Path, command: str) -> None:
    given = [files / "qrels.txt", files / "runs", "-m", "P@2", "--holes", "bootstrap"]
    how: dict[str, Any] = {"holes": "bootstrap", "interval": (0.4, 0.6)}
    if command == "reuse":
        given += ["--degrade", "LeaveOutRun(1)"]
        how["degrade"] = "LeaveOutRun(1)"
    narrow = answer(unjudged, command, *given, "--interval", "40", "60")
    expected = json.loads(getattr(uj, command)(files / "qrels.txt", files / "runs", "P@2", **how).to_json())
    for document in (narrow, expected):
        del document["unjudged"], document["inputs"]
    assert narrow == expected
    done = unjudged(command, *given, "--interval", "0.05", "0.95")
    assert (done.code, done.err) == (2, "unjudged: --interval takes two percentiles such as 5 95, not 0.05 0.95\n")


@pytest.mark.parametrize("command", ["doctor", "score", "compare", "relative", "reuse", "properties", "report"])
def test_a_pool_and_a_pool_depth_are_refused_before_anything_is_read(
    unjudged: Command, tmp_path: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = unjudged(command, "no.qrels", "no.run", "--pool", "no.pool", "--pool-depth", "3")
    assert (done.code, done.out, done.err) == (2, "", "unjudged: give a pool or a pool depth, not both\n")


@pytest.mark.parametrize("command", ["score", "compare", "relative", "reuse", "properties"])
def test_probabilities_of_subtopics_that_cannot_be_used(unjudged: Command, files: Path, command: str) -> None:
    (files / "intents.txt").write_text("1 s 0.5\n")
    done = unjudged(command, files / "qrels.txt", files / "runs", "--intents", files / "intents.txt")
    wrong = "probabilities are for subtopics, which these judgments do not have"
    assert (done.code, done.err) == (2, f"unjudged: {files / 'qrels.txt'}: {wrong}\n")


def test_the_doctor_says_what_it_did_not_look_at(unjudged: Command, files: Path) -> None:
    (files / "docs.tsv").write_text("a\twords\n")
    done = unjudged("doctor", files / "qrels.txt", files / "runs", "--texts", files / "docs.tsv")
    assert done.err == "warning: nothing that was asked for looks at the texts; they were not read [unused-texts]\n"


def test_inputs_are_hashed_for_json_only(unjudged: Command, files: Path) -> None:
    (files / "teams.tsv").write_text("old one\nnew two\n")
    result = answer(unjudged, "relative", files / "qrels.txt", files / "runs", "--groups", files / "teams.tsv")
    assert [one["role"] for one in result["inputs"]] == ["qrels", "run", "run", "groups"]
    assert all(len(one["sha256"]) == 64 for one in result["inputs"])
    assert result["unjudged"]["command"][:2] == ["unjudged", "relative"]


@pytest.mark.parametrize("command", ["doctor", "score", "compare", "relative", "reuse", "properties"])
def test_topics_can_be_chosen_everywhere(unjudged: Command, files: Path, command: str) -> None:
    (files / "some.txt").write_text("1\n")
    given = [command, files / "qrels.txt", files / "runs"]
    how: dict[str, Any] = {}
    if command != "doctor":
        given += ["-m", "P@2"]
        how["measures" if command in ("score", "reuse", "properties") else "measure"] = "P@2"
    if command == "reuse":
        given += ["--degrade", "LeaveOutRun(1)"]
        how["degrade"] = "LeaveOutRun(1)"
    chosen = answer(unjudged, *given, "--only-topics", files / "some.txt")
    assert [one["path"] for one in chosen["inputs"] if one["role"] == "only_topics"] == [str(files / "some.txt")]
    typed = answer(unjudged, *given, "--only-topics", "1")
    for document in (chosen, typed):
        del document["unjudged"], document["inputs"]
    assert chosen == typed
    asked = getattr(uj, command)(files / "qrels.txt", files / "runs", **how, only_topics=["1"])
    expected = json.loads(asked.to_json())
    del expected["unjudged"], expected["inputs"]
    assert chosen == expected
    done = unjudged(*given, "--only-topics", files / "some.txt", "-o", files / "some.txt")
    assert done.code == 2
    assert (files / "some.txt").read_text() == "1\n"
