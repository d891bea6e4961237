"""``unjudged audit``: what is shown, every format, and one line for each mistake."""

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
    """Judgments of 8 topics of which one is turned round, three runs, labels, texts, and who judged what."""
    monkeypatch.chdir(tmp_path)
    topics, docs = [str(topic) for topic in range(1, 9)], [f"d{i}" for i in range(20)]
    grades = {(t, d): int((7 * i + int(t)) % 5 == 0) for t in topics for i, d in enumerate(docs)}
    judged = {**grades, ("3", "d1"): 1 - grades["3", "d1"]}
    Path("qrels.txt").write_text("".join(f"{t} 0 {d} {g}\n" for (t, d), g in judged.items()) + "1 0 lost 1\n")
    Path("labels.qrels").write_text("".join(f"{t} 0 {d} {g}\n" for (t, d), g in grades.items()))
    Path("runs").mkdir()
    for name, noise in (("a", 3), ("b", 5), ("c", 7)):
        rows = [f"{t} Q0 {d} 1 {g + (i * noise % 11) / 12} {name}\n" for i, ((t, d), g) in enumerate(grades.items())]
        Path(f"runs/{name}.run").write_text("".join(rows))
    words = ({"id": d, "text": " ".join(f"w{i // 2}x{j}" for j in range(15))} for i, d in enumerate(docs))
    Path("docs.jsonl").write_text("".join(json.dumps(one) + "\n" for one in words))
    Path("assessors.tsv").write_text("".join(f"{t} {'xy'[int(t) % 2]}\n" for t in topics))
    return tmp_path


GIVEN = ("audit", "qrels.txt", "runs", "--labels", "labels.qrels", "--texts", "docs.jsonl")


def test_the_tables(unjudged: Command, files: Path) -> None:
    done = unjudged(*GIVEN, "--assessors", "assessors.tsv")
    assert (done.code, done.err) == (0, "")
    first, found, lost, *_ = done.out.split("\n\n")
    assert first.splitlines()[0].split() == [
        *("topic", "doc", "grade", "likely", "chance", "blind", "wrong", "rank", "change", "swaps")
    ]
    assert first.splitlines()[2].split()[:3] == ["3", "d1", "0"]
    assert found.splitlines()[0].split() == ["checked", "share", "found", "too", "high", "too", "low", "wrong"]
    assert lost == "Documents judged relevant that no run has, the least probable first."
    assert "Near-duplicates with different grades" in done.out
    assert "assessor  topics  judgments" in done.out
    assert "No run has 1 of the relevant documents." in done.out
    assert max(map(len, first.splitlines())) <= 80


@pytest.mark.parametrize("table", ["suspects", "planted", "unfound", "duplicates", "assessors"])
def test_every_table_can_be_separated_values(unjudged: Command, files: Path, table: str) -> None:
    done = unjudged(*GIVEN, "--assessors", "assessors.tsv", "-f", "csv", "--table", table)
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert list(rows[0]) == list(uj.Audit.row_types[table]._fields)


def test_the_document_says_what_was_read(unjudged: Command, files: Path) -> None:
    document = json.loads(unjudged(*GIVEN, "--assessors", "assessors.tsv", "-f", "json", "--top", "3").out)
    roles = [one["role"] for one in document["inputs"]]
    assert roles == ["qrels", "run", "run", "run", "texts", "labels", "assessors"]
    assert len(document["suspects"]) == 3
    assert document["audit"]["evidence"] == ["runs", "texts", "labels"]


@pytest.mark.parametrize("form", ["markdown", "latex", "html"])
def test_other_forms_for_readers(unjudged: Command, files: Path, form: str) -> None:
    done = unjudged(*GIVEN, "-f", form)
    assert done.code == 0 and "likely" in done.out


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            ("qrels.txt",),
            "there is nothing to compare the judgments with: give runs, labels of other judges (--labels FILE), or what"
            " documents say (--texts FILE)",
        ),
        (("qrels.txt", "runs", "--top", "0"), "top must be a whole number of at least 1, not 0"),
        (
            ("qrels.txt", "runs", "--error-rate", "0"),
            "error_rate must be a number above 0 and below 1, not 0.0",
        ),
        (("qrels.txt", "runs", "-m", "P@2", "-m", "AP"), "--measure takes one measure here, not 2: P@2 AP"),
        (
            ("qrels.txt", "runs", "-m", "alpha_nDCG@5"),
            "alpha_nDCG@5 needs subtopics; audit takes measures of grades, such as nDCG@10",
        ),
    ],
)
def test_mistakes_are_one_line(unjudged: Command, files: Path, given: tuple[str, ...], message: str) -> None:
    done = unjudged("audit", *given)
    assert (done.code, done.out, done.err) == (2, "", f"unjudged: {message}\n")
