"""``unjudged judges``: labels and runs are told apart, every format, and one line for each mistake."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import unjudged as uj

from .conftest import Command


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Judgments of 8 topics, two judges in two forms, two runs and their teams."""
    monkeypatch.chdir(tmp_path)
    topics = [str(topic) for topic in range(1, 9)]
    docs = "abcdefgh"
    grades = {(t, d): (i + int(t)) % 4 for t in topics for i, d in enumerate(docs)}
    Path("qrels.txt").write_text("".join(f"{t} 0 {d} {g}\n" for (t, d), g in grades.items()))
    Path("strict.qrels").write_text(
        "".join(f"{t} 0 {d} {max(0, g - 1)}\n" for (t, d), g in grades.items()) + "1 0 z 0\n"
    )
    lines = [{"topic": t, "doc": d, "grade": 3 - g, "source": "mirror", "model": "m-1"} for (t, d), g in grades.items()]
    Path("mirror.jsonl").write_text("".join(json.dumps(line) + "\n" for line in [*lines, {**lines[0], "doc": "z"}]))
    Path("runs").mkdir()
    for name, order in (("good", 1), ("bad", -1), ("odd", 0)):
        rows = [f"{t} Q0 {d} 1 {order * g + 0.01 * ord(d)} {name}\n" for (t, d), g in grades.items()]
        Path(f"runs/{name}.run").write_text("".join(rows))
    Path("teams.tsv").write_text("good a\nbad b\nodd c\n")
    return tmp_path


GIVEN = ("judges", "qrels.txt", "strict.qrels", "mirror.jsonl", "runs", "--groups", "teams.tsv")


def test_the_table(unjudged: Command, files: Path) -> None:
    done = unjudged(*GIVEN, "-m", "nDCG@5")
    assert (done.code, done.err) == (0, "")
    first, second, *_ = done.out.split("\n\n")
    assert [line.split()[0] for line in first.splitlines()[2:]] == ["strict", "mirror"]
    assert second.splitlines()[0].split() == [
        "judge",
        "tau-b",
        "tau_AP",
        "top",
        "3",
        "bias",
        "false",
        "missed",
        "favoured",
    ]
    assert max(map(len, done.out.splitlines())) <= 80
    assert "mirror is inverted: higher labels go with lower grades within topics (z = -7.5)." in done.out
    assert "\nNot to be used: mirror (inverted).\n" in done.out


def test_the_command_is_the_library(unjudged: Command, files: Path) -> None:
    done = unjudged(*GIVEN, "-f", "json")
    document = json.loads(done.out)
    same = json.loads(uj.judges("qrels.txt", "runs", ["strict.qrels", "mirror.jsonl"], groups="teams.tsv").to_json())
    for one in (document, same):
        del one["unjudged"], one["inputs"]
    assert document == same


def test_where_it_comes_from(unjudged: Command, files: Path) -> None:
    document = json.loads(unjudged(*GIVEN, "-f", "json").out)
    roles = {one["path"]: one["role"] for one in document["inputs"]}
    assert roles == {
        "qrels.txt": "qrels",
        **{f"runs/{name}.run": "run" for name in ("bad", "good", "odd")},
        "strict.qrels": "labels",
        "mirror.jsonl": "labels",
        "teams.tsv": "groups",
    }
    assert [(row["judge"], row["model"]) for row in document["judges"]] == [("strict", None), ("mirror", "m-1")]


@pytest.mark.parametrize(
    "table", ["judges", "confusion", "topics", "grades", "pairs", "orders", "runs", "groups", "targets"]
)
def test_every_table_as_separated_values(unjudged: Command, files: Path, table: str) -> None:
    done = unjudged(*GIVEN, "--target", "width=0.1", "-f", "tsv", "--table", table)
    rows = list(csv.DictReader(io.StringIO(done.out), delimiter="\t"))
    assert rows
    assert list(rows[0]) == list(uj.Judges.row_types[table]._fields)
    assert {row["judge"] for row in rows} == {"strict", "mirror"}


@pytest.mark.parametrize("form", ["markdown", "latex", "html"])
def test_forms_for_readers(unjudged: Command, files: Path, form: str) -> None:
    done = unjudged(*GIVEN, "-f", form)
    assert done.code == 0
    assert "Cohen" in done.out or form == "html"
    assert "strict" in done.out


def test_runs_may_be_left_out_and_files_come_in_any_order(unjudged: Command, files: Path) -> None:
    alone = unjudged("judges", "qrels.txt", "strict.qrels", "--table", "orders", "-f", "tsv")
    assert (alone.code, alone.out.splitlines()[1:]) == (0, [])
    before = unjudged("judges", "qrels.txt", "strict.qrels", "runs", "-f", "tsv")
    after = unjudged("judges", "qrels.txt", "runs", "strict.qrels", "-f", "tsv")
    assert before.out == after.out


def test_the_methods_paragraph(unjudged: Command, files: Path) -> None:
    unjudged(*GIVEN, "--methods", "m.txt")
    text = Path("m.txt").read_text()
    assert text.startswith("The labels of 2 label sources are compared with 64 judgments on 8 topics by Cohen's kappa")
    assert "3 runs are ordered by nDCG@10" in text
    assert f"Computed with unjudged {uj.__version__}" in text


@pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")
@pytest.mark.parametrize("command", ["score", "compare"])
def test_estimates_with_labels(unjudged: Command, files: Path, command: str) -> None:
    lines = Path("qrels.txt").read_text().splitlines(keepends=True)
    Path("five.txt").write_text("".join(line for line in lines if line[0] in "12345"))
    given = (command, "five.txt", "runs", "-m", "P@2", "--labels", "strict.qrels", "--quiet")
    done = unjudged(*given)
    assert (done.code, done.err) == (0, "")
    assert "\nWith the labels of strict\n" in done.out
    assert "Assumed: the 5 judged topics are a random sample of all 8 with labels." in done.out.replace("\n", " ")
    assert max(map(len, done.out.splitlines())) <= 80
    document = json.loads(unjudged(*given, "-f", "json").out)
    same = getattr(uj, command)("five.txt", "runs", "P@2", labels="strict.qrels")
    assert document["with_labels"] == json.loads(same.to_json())["with_labels"]
    assert {"path": "strict.qrels", "role": "labels"}.items() <= document["inputs"][-1].items()


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (
            ("runs",),
            "there is no file with labels: runs/bad.run is a run; labels are judgments (4 columns) or JSON lines",
        ),
        (("none.qrels",), "none.qrels: no such file"),
        (("strict.qrels", "runs/good.run"), "an order of runs needs at least two runs, not 1; leave it out to look at"),
        (
            ("other.qrels",),
            "other.qrels: no topic of these labels is judged (the labels have 'q', the judgments have '1')",
        ),
        (
            ("twice.qrels",),
            "twice.qrels:2: document 'a' is judged twice, with different grades, for topic '1' (first in",
        ),
        (
            ("strict.qrels", "runs", "--groups", "short.tsv"),
            "short.tsv: no group for 'bad', 'odd'; every run needs one",
        ),
        (
            ("strict.qrels", "runs", "--target", "tau=1"),
            "a target is the width of an interval, such as width=0.02, not",
        ),
        (("strict.qrels", "--target", "width=0.1"), "how many judgments are needed follows from scores of runs: give"),
        (("strict.qrels", "--test", "u"), "unknown significance test 'u'"),
    ],
)
def test_a_mistake_is_one_line(unjudged: Command, files: Path, arguments: tuple[str, ...], problem: str) -> None:
    Path("other.qrels").write_text("q 0 a 1\n")
    Path("twice.qrels").write_text("1 0 a 1\n1 0 a 2\n")
    Path("short.tsv").write_text("good a\n")
    done = unjudged("judges", "qrels.txt", *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"unjudged: {problem}")
    assert done.err.count("\n") == 1


def test_judgments_for_subtopics_are_refused(unjudged: Command, files: Path) -> None:
    Path("sub.qrels").write_text("1 1 a 1\n1 2 a 1\n1 1 b 0\n")
    done = unjudged("judges", "sub.qrels", "strict.qrels")
    assert done.err == (
        "unjudged: sub.qrels: judges compares one grade for each topic and document, and these judgments are for"
        " subtopics; if they are not, say --qrels-format trec\n"
    )
    done = unjudged("judges", "qrels.txt", "sub.qrels")
    assert done.err == (
        "unjudged: sub.qrels: labels are for subtopics; judges compares one grade for each topic and document\n"
    )
