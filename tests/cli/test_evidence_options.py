"""--holes 'evidence', --groups and --explain on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from unjudged.demo.collection import write_collection

from .conftest import Command

EVIDENCE = "evidence"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    write_collection(folder)
    return folder


def asked(demo: Path, *more: str) -> tuple[object, ...]:
    files = (demo / "qrels.txt", demo / "runs", "-m", "nDCG@10", "--holes", EVIDENCE)
    return ("score", *files, "--groups", demo / "teams.tsv", *more)


def test_explained_holes_follow_the_scores(unjudged: Command, demo: Path) -> None:
    done = unjudged(*asked(demo, "--explain", "later-neural-large", "105"))
    assert (done.code, done.err.count("\n"), done.err[-17:]) == (0, 1, "[too-few-groups]\n")
    lines = done.out.splitlines()
    assert max(map(len, lines)) <= 80
    at = lines.index("Holes of later-neural-large on topic 105, nDCG@10")
    header = ["doc", "rank", "groups", "best", "run", "pool", "P(1+)", "P(2+)", "P(3+)", "score"]
    assert lines[at + 2].split() == header
    assert [line.split()[1] for line in lines[at + 4 : at + 9]] == ["3", "6", "7", "9", "10"]
    assert lines[at + 8].split()[2:4] == ["0", "-"]  # nobody else returns it
    assert lines[-1].endswith("share of the score that is lost with grade 0.")


def test_json_has_a_table_of_explained_holes_and_the_groups_among_the_inputs(unjudged: Command, demo: Path) -> None:
    document = json.loads(unjudged(*asked(demo, "--explain", "later-neural-large", "105", "-f", "json")).out)
    assert [row["rank"] for row in document["explained"]] == [3, 6, 7, 9, 10]
    first = document["explained"][0]
    assert set(first) == {
        *("run", "topic", "measure", "holes", "rank", "doc", "groups", "best_rank", "run_mean", "pool_mean"),
        *("grades", "chances", "expected", "share"),
    }
    assert sum(first["chances"]) == pytest.approx(1)
    assert [one["role"] for one in document["inputs"]].count("groups") == 1
    assert "explained" not in json.loads(unjudged(*asked(demo, "-f", "json")).out)


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_names_are_escaped(unjudged: Command, demo: Path, tmp_path: Path, form: str) -> None:
    odd = tmp_path / "a|b_c.run"
    odd.write_bytes((demo / "runs" / "later-neural-large.run").read_bytes().replace(b"later-neural-large", b"a|b_c"))
    runs = [*(demo / "runs").glob("[a-e]*.run"), odd]
    done = unjudged(
        "score",
        *(demo / "qrels.txt", *runs, "-m", "nDCG@10", "--holes", EVIDENCE, "--explain", "a|b_c", "105", "-f", form),
    )
    assert done.code == 0
    assert {"markdown": r"Holes of a\|b", "latex": r"b\_c on topic 105"}[form] in done.out


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--explain", "nobody", "105"), "no run 'nobody' to explain; there is acorn-keyword"),
        (
            ("--explain", "later-neural-large", "x"),
            "no topic 'x' to explain; there is 101, 102, 103, 104, 105 and 20 more",
        ),
    ],
)
def test_mistakes_are_one_line(unjudged: Command, demo: Path, more: tuple[str, ...], message: str) -> None:
    done = unjudged(*asked(demo, *more))
    assert done.code == 2
    assert done.err.startswith(f"unjudged: {message}")
    assert done.err.count("\n") == 1


def test_explaining_takes_evidence(unjudged: Command, demo: Path) -> None:
    done = unjudged("score", demo / "qrels.txt", demo / "runs", "--holes", "bootstrap", "--explain", "elm-weak", "105")
    assert (done.code, done.err) == (2, "unjudged: to explain holes takes --holes evidence\n")


def test_a_run_without_a_group_is_named_with_the_file(unjudged: Command, demo: Path, tmp_path: Path) -> None:
    teams = tmp_path / "teams.tsv"
    teams.write_text("acorn-keyword\tacorn\n", encoding="utf-8")
    done = unjudged("score", demo / "qrels.txt", demo / "runs", "--holes", EVIDENCE, "--groups", teams)
    assert done.code == 2
    named = "'acorn-keyword-again', 'birch-expanded', 'birch-keyword' and 8 more"
    assert done.err == f"unjudged: {teams}: no group for {named}; every run needs one\n"


def test_compare_says_which_prior_it_used(unjudged: Command, demo: Path) -> None:
    files = ("compare", demo / "qrels.txt", demo / "runs", "--top", "3", "-f", "json", "--draws", "50")
    document = json.loads(unjudged(*files, "--prior", "evidence", "--groups", demo / "teams.tsv").out)
    usual = json.loads(unjudged(*files).out)
    assert (document["comparison"]["prior"], usual["comparison"]["prior"]) == ("evidence", "discounted")
    assert "groups" in [one["role"] for one in document["inputs"]]
    assert document["rows"] != usual["rows"]


def test_a_prior_that_compare_does_not_have(unjudged: Command, demo: Path) -> None:
    done = unjudged("compare", demo / "qrels.txt", demo / "runs", "--prior", "pool")
    assert done.code == 2
    assert "invalid value for '--prior'" in done.err


def test_relative_takes_texts(unjudged: Command, demo: Path) -> None:
    files = (demo / "qrels.txt", demo / "runs", "--groups", demo / "teams.tsv", "--holes", EVIDENCE, "-f", "json")
    plain, informed = (
        json.loads(unjudged("relative", *files, *texts).out) for texts in ((), ("--texts", demo / "docs.jsonl"))
    )
    assert [one["role"] for one in informed["inputs"]].count("texts") == 1
    assert plain["rows"] != informed["rows"]


def test_reuse_takes_texts(unjudged: Command, demo: Path) -> None:
    """That they matter is shown elsewhere: the demo has too few teams to learn from with one of them left out."""
    files = ("reuse", demo / "qrels.txt", demo / "runs", "--groups", demo / "teams.tsv", "--holes", EVIDENCE)
    done = unjudged(*files, "-f", "json", "--jobs", "1", "--texts", demo / "docs.jsonl")
    assert [one["role"] for one in json.loads(done.out)["inputs"]].count("texts") == 1
    assert "unused-texts" not in done.err


def test_texts_that_nobody_wants_are_not_read(unjudged: Command, demo: Path) -> None:
    done = unjudged("relative", demo / "qrels.txt", demo / "runs", "--texts", demo / "docs.jsonl")
    assert "warning: nothing that was asked for looks at the texts; they were not read" in done.err
