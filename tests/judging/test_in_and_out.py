"""Judgments go out and come in: columns, JSON lines, tables, and what other tools export."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

import unjudged as uj
from unjudged.errors import InputError
from unjudged.judging import Project

from .conftest import Opened, judge

# ---- out


def judged(project: Project) -> Project:
    """Ann and Bob judged two documents each, one of them the same."""
    both = next(task for task in project.next("bob", 24) if task.pair in {one.pair for one in project.next("ann", 24)})
    project.record("ann", both.pair, "grade", grade=2, note="=1+1, it says", flagged=True, seconds=4.0)
    project.record("bob", both.pair, "grade", grade=1)
    for who in ("ann", "bob"):
        single = next(task for task in project.next(who, 24) if task.pair != both.pair)
        project.record(who, single.pair, "cannot" if who == "bob" else "grade", grade=None if who == "bob" else 0)
    return project


def test_judgments_are_what_every_command_reads(project: Project, tmp_path: Path) -> None:
    judged(project)
    project.export(tmp_path / "qrels.txt")
    qrels = uj.read_qrels(tmp_path / "qrels.txt")
    assert {(t, d): g for t, docs in rows(qrels).items() for d, g in docs.items()} == {
        (row.topic, row.doc): row.grade for row in project.judgments()
    }
    assert sorted(row.grade for row in project.judgments()) == [0, 1]


def rows(qrels: Any) -> dict[str, dict[str, int]]:
    out: dict[str, dict[str, int]] = {}
    for topic, doc, grade in zip(qrels.topic_of_row.tolist(), qrels.docs, qrels.grades.tolist(), strict=True):
        out.setdefault(qrels.topics[topic], {})[doc] = grade
    return out


@pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")  # few labels
def test_json_lines_say_who_judged_what_by_which_text(project: Project, tmp_path: Path) -> None:
    judged(project)
    project.export(tmp_path / "who.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "who.jsonl").read_text().splitlines()]
    assert [(one["source"], one["grade"]) for one in lines] == [("ann", 2), ("bob", 1), ("ann", 0), ("bob", None)]
    assert {"topic", "doc", "time", "text_sha256", "note", "flagged", "seconds", "guidelines", "key"} <= set(lines[0])
    assert (lines[0]["note"], lines[0]["flagged"], lines[0]["seconds"]) == ("=1+1, it says", True, 4.0)
    project.export(tmp_path / "qrels.txt")
    # and unjudged judges compares them
    labels = uj.Collection(tmp_path / "qrels.txt", None).judges(str(tmp_path / "who.jsonl"))
    assert "ann" in labels.to_json()
    assert "bob" in labels.to_json()


def test_what_the_lead_decided_has_a_source_of_its_own(project: Project) -> None:
    judged(project)
    (first, *_) = project.disagreements()
    project.adjudicate("lead", first.pair, 2)
    lines = [json.loads(line) for line in project.exported("jsonl").splitlines()]
    assert [(one["source"], one["kind"]) for one in lines][-1] == ("lead (adjudication)", "adjudicate")


def test_the_table_has_the_whole_history_and_no_formula(project: Project) -> None:
    judged(project)
    project.undo("ann")
    table = list(csv.DictReader(io.StringIO(project.exported("csv"))))
    assert [row["kind"] for row in table] == ["grade", "grade", "grade", "cannot", "withdraw"]
    assert table[0]["note"] == "'=1+1, it says"
    assert [row["counts"] for row in table] == ["True", "True", "False", "True", "False"]


@pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")  # how -1 is read
def test_a_sample_is_exported_with_its_strata_and_what_it_passed_over(tmp_path: Path) -> None:
    runs = {"one": {"1": {f"d{number:02}": 100.0 - number for number in range(60)}}}
    path = tmp_path / "p"
    with Project.create(path, runs=runs, strategy="sample(50%,depth=5,strata=depth)", depth=60) as project:
        drawn = judge(project, "assessor", 1)
        project.export(tmp_path / "sampled.qrels")
    lines = [line.split() for line in (tmp_path / "sampled.qrels").read_text().splitlines()]
    assert len(lines) == 60
    assert {len(line) for line in lines} == {5}
    assert sum(line[4] == "1" for line in lines) == drawn < 60
    assert {line[3] for line in lines if line[4] == "-1"} == {"2"}
    assert 0 < uj.score(str(tmp_path / "sampled.qrels"), runs, "infNDCG").mean()["one", "infNDCG"] <= 1.2


def test_ids_with_blanks_are_not_written_in_columns(project: Project) -> None:
    project.import_judgments({"1": {"two words": 1}})
    with pytest.raises(InputError) as problem:
        project.exported()
    assert str(problem.value) == (
        "topic '1' or document 'two words' has blanks, which judgments in columns cannot have; export .jsonl or .csv"
    )
    assert project.exported("jsonl").count("\n") == 1


def test_an_export_is_not_written_over_the_project(project: Project) -> None:
    before = Path(project.path).read_bytes()
    with pytest.raises(InputError, match="this is the same file as the input"):
        project.export(project.path)
    assert Path(project.path).read_bytes() == before
    with pytest.raises(InputError, match=r"^a project is exported as qrels, jsonl, csv, not 'xml'$"):
        project.exported("xml")  # type: ignore[arg-type]


# ---- in


def test_what_is_judged_elsewhere_is_not_given_out(project: Project) -> None:
    done = project.import_judgments({"1": {"d1": 2, "new": 1}, "9": {"d1": 0}}, assessor="crowd")
    assert (done.added, done.known, done.new_pairs) == (3, 0, 2)
    assert ("1", "d1") not in [(task.topic, task.doc) for task in project.next("ann", 24)]
    assert ("1", "d1") not in [(task.topic, task.doc) for task in project.next("bob", 24)]
    progress = project.progress()
    assert (progress.judged, progress.pairs) == (3, 26)
    with pytest.raises(InputError, match=r"^crowd is where judgments were imported from, and judges nothing here$"):
        project.next("crowd")


def test_judgments_of_a_file_are_in_its_name_and_known_again(project: Project, tmp_path: Path) -> None:
    file = tmp_path / "trec8.qrels"
    file.write_text("1 0 d1 2\n1 0 d2 0\n2 0 d1 -1\n")
    assert project.import_judgments(str(file)) == (2, 0, 0)  # -1 says that it was not judged
    assert {row.assessor for row in project.history()} == {"trec8"}
    assert project.import_judgments(file).added == 0
    file.write_text("1 0 d1 7\n")
    with pytest.raises(InputError) as problem:
        project.import_judgments(file)
    assert str(problem.value) == "trec8: grade 7 of document 'd1' of topic '1' is none of 0, 1, 2, the project's"


def test_json_lines_go_around(opened: Opened, tmp_path: Path) -> None:
    source, target = judged(opened()), opened("other.unjudged")
    source.export(tmp_path / "who.jsonl")
    done = target.import_judgments(tmp_path / "who.jsonl")
    assert done.added == 4
    assert target.exported() == source.exported()
    took, gave = (
        [
            (r.topic, r.doc, r.assessor, r.kind, r.grade, r.note, r.flagged, r.seconds, r.at, r.text_sha256)
            for r in p.history()
        ]
        for p in (target, source)
    )
    assert took == gave
    assert target.import_judgments(tmp_path / "who.jsonl")[:2] == (0, 4)
    assert source.import_judgments(tmp_path / "who.jsonl")[:2] == (0, 4)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{}", "the judgment has no topic: None"),
        ('{"topic": "1"}', "the judgment has no doc: None"),
        ('{"topic": "1", "doc": "\\ud800", "grade": 1}', "the judgment has no doc: '\\ud800'"),
        ('{"topic": "1", "doc": "d1", "grade": "high"}', "a grade is a whole number, not 'high'"),
        ('{"topic": "1", "doc": "d1", "grade": 0.5}', "a grade is a whole number, not 0.5"),
        ('{"topic": "1", "doc": "d1", "grade": 1, "source": ["x"]}', "the source is no text: ['x']"),
        (
            '{"topic": "1", "doc": "d1", "grade": 1, "text_sha256": "x"}',
            "text_sha256 is 64 hexadecimal digits, not 'x'",
        ),
        ('{"topic": ', "this line is not JSON (expecting value at column 11): '{\"topic\":'"),
    ],
)
def test_what_is_wrong_with_json_lines(project: Project, tmp_path: Path, line: str, problem: str) -> None:
    file = tmp_path / "who.jsonl"
    file.write_text('{"topic": "1", "doc": "d1", "grade": 1}\n' + line + "\n")
    with pytest.raises(InputError) as said:
        project.import_judgments(file)
    assert str(said.value) == f"{file}:2: {problem}"
    assert project.history() == ()


def test_export_and_import_go_on_while_others_judge(project: Project, tmp_path: Path) -> None:
    project.lock()
    with Project(project.path) as other:
        judge(project, "ann", 2, number=3)
        assert len(other.exported().splitlines()) == 3
        other.import_judgments({"3": {"d8": 0}}, assessor="crowd")
        judge(project, "ann", 2, number=1)
    assert len(project.exported().splitlines()) == 5


def test_grades_go_as_far_as_those_that_were_given_unless_somebody_says_what_they_mean(tmp_path: Path) -> None:
    runs = {"one": {"1": {"a": 2.0, "b": 1.0}}}
    with Project.create(tmp_path / "none", runs=runs) as project:
        assert project.grades == {0: "not relevant", 1: "relevant"}
    with Project.create(tmp_path / "some", {"1": {"a": 3}}, runs) as project:
        assert project.grades == {0: "not relevant", **dict.fromkeys((1, 2, 3), "relevant (of 3)")}
    with pytest.raises(InputError) as caught:
        Project.create(tmp_path / "few", {"1": {"a": 3}}, runs, grades={0: "no", 1: "yes"})
    assert str(caught.value) == (
        "qrels: some document has grade 3, but grades end with 1; say what grades mean up to 3"
    )
