"""Diversity judgments on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Command

LINES = "1 1 a 1\n1 2 a 0\n1 2 b 1\n2 1 d 1\n2 2 e 1\n"


@pytest.fixture
def qrels(files: Path) -> Path:
    path = files / "diversity.qrels"
    path.write_text(LINES)
    return path


def test_scores_without_a_warning(unjudged: Command, files: Path, qrels: Path) -> None:
    done = unjudged("score", qrels, files / "runs" / "old.run", "-m", "strec@1", "-m", "alpha-nDCG@2", "-f", "csv")
    assert (done.code, done.err) == (0, "")
    assert "old,all,StRecall@1,nonrelevant,0.5,,,1.0" in done.out.replace("0.500000", "0.5").replace("1.000000", "1.0")


def test_plain_judgments_are_refused_with_the_option_that_helps(unjudged: Command, files: Path) -> None:
    plain = files / "qrels.txt"
    for command in (["score"], ["compare"]):
        done = unjudged(*command, plain, files / "runs", "-m", "alpha_nDCG@10")
        assert (done.code, done.out) == (2, "")
        assert done.err == (
            f"unjudged: alpha_nDCG@10 needs subtopics, which {plain} does not have: if its second column holds them,"
            " say --qrels-format diversity (in Python read_qrels(..., format='diversity'); in a frame, a column named"
            " 'subtopic')\n"
        )


def test_the_option_helps(unjudged: Command, files: Path) -> None:
    path = files / "few.qrels"
    path.write_text("1 1 a 1\n1 2 b 1\n2 1 d 1\n")
    run = files / "runs" / "old.run"
    assert unjudged("score", path, run, "-m", "StRecall@2").code == 2
    done = unjudged("score", path, run, "-m", "StRecall@2", "--qrels-format", "diversity")
    assert done.code == 0
    assert "1.0000" in done.out


def test_intents(unjudged: Command, files: Path, qrels: Path) -> None:
    intents = files / "intents.txt"
    intents.write_text("1 1 0.9\n1 2 0.1\n")
    arguments = (qrels, files / "runs" / "old.run", "-m", "StRecall@1", "--intents", intents, "-q", "-f", "json")
    document = json.loads(unjudged("score", *arguments).out)
    assert [one["role"] for one in document["inputs"]] == ["qrels", "run", "intents"]
    assert {row["topic"]: row["value"] for row in document["rows"]} == {"all": 0.7, "1": 0.9, "2": 0.5}
    intents.write_text("1 1 much\n")
    done = unjudged("score", *arguments)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert f"{intents}:1: " in done.err


def test_intents_change_a_comparison(unjudged: Command, files: Path, qrels: Path) -> None:
    intents = files / "intents.txt"
    intents.write_text("1 1 0\n1 2 1\n")
    arguments = ("compare", qrels, files / "runs", "-m", "StRecall@1", "-f", "json")
    before, after = (json.loads(unjudged(*arguments, *more).out)["rows"] for more in ((), ("--intents", intents)))
    means = [{row["run"]: row["mean"] for row in rows} for rows in (before, after)]
    assert means[0]["old"] == 0.5 and means[1]["old"] == 0.25


def test_a_plain_measure_in_a_comparison_says_what_it_does(unjudged: Command, files: Path, qrels: Path) -> None:
    done = unjudged("compare", qrels, files / "runs", "-m", "P@1")
    assert "a document's grade is its highest over the subtopics [flattened-subtopics]" in done.err
