"""`unjudged next`: what it writes where, and how it ends."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command

HOSTILE = "=1+1"
"""A document's name that a spreadsheet would compute."""


@pytest.fixture
def growing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two runs, and no judgments yet."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    ranked = {"old": {"1": ["a", "b", "c"], "2": ["e", "d"]}, "new": {"1": [HOSTILE, "a"], "2": ["d", "f"]}}
    for name, topics in ranked.items():
        lines = [
            f"{topic} Q0 {doc} {rank} {9 - rank} {name}\n"
            for topic, docs in topics.items()
            for rank, doc in enumerate(docs, start=1)
        ]
        (tmp_path / "runs" / f"{name}.run").write_text("".join(lines))
    (tmp_path / "qrels.txt").write_text("")
    return tmp_path


def call(unjudged: Command, *more: object) -> tuple[int, str, str]:
    return unjudged("next", "qrels.txt", "runs", "-m", "P@2", *more)


def test_from_nothing_to_an_answer(unjudged: Command, growing: Path) -> None:
    """Judgments that are fed back reach what all judgments say; nothing is asked for twice, and it ends with 3."""
    grades = {"1": {"a": 1, "b": 1, HOSTILE: 0}, "2": {"e": 1, "d": 0, "f": 0}}
    asked: list[tuple[str, str]] = []
    while True:
        done = call(
            unjudged, "--new", "--budget", 1, "-f", "jsonl", "-o", "next.jsonl", "--goal", "old>new", "--risk", 1e-9
        )
        tasks = [json.loads(line) for line in Path("next.jsonl").read_text().splitlines()]
        if done.code == 3:
            break
        assert done.code == 0
        assert len(tasks) == 1
        (task,) = tasks
        asked.append((task["topic"], task["doc"]))
        with Path("qrels.txt").open("a") as file:
            file.write(f"{task['topic']} 0 {task['doc']} {grades[task['topic']][task['doc']]}\n")
    assert tasks == []
    assert len(asked) == len(set(asked)) <= 6
    assert done.out.startswith("Answered: old>new: old is better than new (certain).")
    compared = unjudged("compare", "qrels.txt", "runs", "-m", "P@2", "-f", "json", "--quiet")
    assert json.loads(compared.out)["pairs"][0]["verdict"] == "certain"


def test_the_screen(unjudged: Command, growing: Path) -> None:
    done = call(unjudged, "--new", "--budget", 2)
    assert (done.code, done.err) == (0, "")
    assert all(len(line) <= 80 for line in done.out.splitlines())
    assert done.out.splitlines()[0].split() == ["topic", "document", "first", "in", "grade", "effect", "rank", "runs"]
    assert "Not answered: order: 1 of 1 pairs of runs are undecided" in done.out
    assert "Relevant among the first 2 documents of each run: 0 found of an estimated" in done.out


def test_the_format_follows_from_the_ending_and_the_rest_is_on_the_screen(unjudged: Command, growing: Path) -> None:
    done = call(unjudged, "--new", "-o", "next.tsv")
    assert done.out.startswith("Not answered: order:")
    rows = list(csv.DictReader(Path("next.tsv").read_text().splitlines(), delimiter="\t"))
    assert {row["doc"] for row in rows} == {"a", "b", f"'{HOSTILE}", "d", "e", "f"}
    assert list(rows[0]) == ["topic", "doc", "grade", "part", "expected", "p(0)", "p(1)", "effect", "priority", "runs"]
    assert {row["grade"] for row in rows} == {""}
    shared = next(row for row in rows if row["doc"] == "a")
    assert shared["runs"] == "old:1 new:2"


def test_several_assessors_get_equal_parts_and_no_pair_twice(unjudged: Command, growing: Path) -> None:
    call(unjudged, "--new", "--batch", 3, "-o", "next.jsonl")
    tasks = [json.loads(line) for line in Path("next.jsonl").read_text().splitlines()]
    assert sorted(task["part"] for task in tasks) == [1, 1, 2, 2, 3, 3]
    assert len({(task["topic"], task["doc"]) for task in tasks}) == 6
    topics = [{task["topic"] for task in tasks if task["part"] == part} for part in (1, 2, 3)]
    assert sum(len(one) for one in topics) == 4  # a topic is divided only where parts would not be even


def texts(growing: Path) -> tuple[object, ...]:
    lines = [json.dumps({"id": doc, "text": f"words of {doc} <script>"}) for doc in ["a", "b", "d", "e", "f", HOSTILE]]
    (growing / "docs.jsonl").write_text("\n".join(lines) + "\n")
    (growing / "topics.tsv").write_text("1\tfirst question\n2\tsecond \x1b[2J question\n")
    return "--texts", "docs.jsonl", "--topics", "topics.tsv", "--new"


def test_label_studio(unjudged: Command, growing: Path) -> None:
    call(unjudged, *texts(growing), "-f", "label-studio", "-o", "tasks.json")
    text = Path("tasks.json").read_text()
    assert "\x1b" not in text
    tasks = json.loads(text)
    assert {"data", "meta"} == set(tasks[0])
    data = next(task["data"] for task in tasks if task["data"]["doc"] == HOSTILE)
    assert data == {"topic": "1", "query": "first question", "doc": HOSTILE, "text": f"words of {HOSTILE} <script>"}


def test_argilla(unjudged: Command, growing: Path) -> None:
    call(unjudged, *texts(growing), "-f", "argilla", "-o", "records.json")
    records = json.loads(Path("records.json").read_text())
    assert len({record["id"] for record in records}) == len(records) == 6
    assert set(records[0]) == {"id", "fields", "metadata", "suggestions", "responses", "vectors"}
    assert set(records[0]["fields"]) == {"topic", "query", "doc", "text"}
    assert records[0]["suggestions"] == {}


def test_quepid(unjudged: Command, growing: Path) -> None:
    call(unjudged, *texts(growing), "-f", "quepid", "--max-grade", 3, "-o", "book.json")
    book = json.loads(Path("book.json").read_text())
    assert book["scale"] == [0, 1, 2, 3]
    first = book["query_doc_pairs"][0]
    assert first["position"] == 1
    assert json.loads(first["document_fields"])["text"] == f"words of {first['doc_id']} <script>"


def test_tables_and_json(unjudged: Command, growing: Path) -> None:
    runs = call(unjudged, "--new", "-f", "tsv", "--table", "runs").out
    assert runs.splitlines()[0] == "run\tobserved\texpected\tlow\thigh"
    document = json.loads(call(unjudged, "--new", "-f", "json").out)
    assert document["next"]["answered"] is False
    assert set(document) >= {"judgments", "pairs", "runs", "goals", "recall"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "qrels.txt: there are no judgments yet; say --new to begin with none"),
        (("--new", "--budget", -1), "the budget must be a whole number of at least 0, not -1"),
        (("--new", "--batch", 0), "the number of assessors must be a whole number of at least 1, not 0"),
        (("--new", "--risk", 0.7), "the risk must be a number above 0 and below 0.5, not 0.7"),
        (("--new", "--max-grade", 0), "the highest grade must be a whole number from 1 to 1,000, not 0"),
        (
            ("--new", "--goal", "best"),
            "a goal is order, 'A>B' with the names of two runs, recall=0.9 or width=0.02, not 'best'",
        ),
        (
            ("--new", "--goal", "old>older"),
            "no run is named 'older', which --goal 'old>older' asks for; there is new, old",
        ),
        (
            ("--new", "--goal", "old>old"),
            "a goal is order, 'A>B' with the names of two runs, recall=0.9 or width=0.02; 'old>old' has the same run"
            " twice",
        ),
        (("--new", "--goal", "recall=2"), "recall of a goal is a number above 0 and at most 1, not '2'"),
        (("--new", "--table", "runs"), "--table runs goes with --format tsv or csv"),
        (
            ("--new", "--strategy", "decide(old, young)"),
            "no run is named 'young', which decide('old','young',measure='P@2') asks for; there is new, old",
        ),
    ],
)
def test_mistakes(unjudged: Command, growing: Path, options: tuple[object, ...], message: str) -> None:
    done = call(unjudged, *options)
    assert (done.code, done.out, done.err) == (2, "", f"unjudged: {message}\n")


def test_judgments_for_other_topics(unjudged: Command, growing: Path) -> None:
    Path("qrels.txt").write_text("7 0 a 1\n")
    done = call(unjudged)
    assert done.code == 2
    assert done.err.endswith("no topic of this run is judged (the run has '1', the judgments have '7')\n")


def test_a_budget_of_nothing_and_nothing_left(unjudged: Command, growing: Path) -> None:
    done = call(unjudged, "--new", "--budget", 0)
    assert done.err == "warning: the budget is 0, so nothing is to be judged; 6 documents are not [no-budget]\n"
    every = {"1": ["a", "b", HOSTILE], "2": ["d", "e", "f"]}
    Path("qrels.txt").write_text("".join(f"{topic} 0 {doc} 1\n" for topic, docs in every.items() for doc in docs))
    done = call(unjudged)
    assert done.code == 3
    assert done.err == (
        "warning: all documents that may be asked for are judged: there is nothing left to judge [no-holes]\n"
    )


def test_runs_without_a_document_in_common(unjudged: Command, growing: Path) -> None:
    Path("runs/new.run").write_text("1 Q0 x 1 2 new\n1 Q0 y 2 1 new\n2 Q0 z 1 1 new\n")
    done = call(unjudged, "--new")
    assert done.code == 0
    assert done.err == (
        "warning: only 7 documents are left to judge, fewer than the budget of 100 [budget-too-large]\n"
    )
