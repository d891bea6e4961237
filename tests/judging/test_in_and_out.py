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
from unjudged.reports.next_judgments import render_next

from .conftest import RUNS, TEXTS, Opened, judge

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


# ---- other tools: what `unjudged next` gives them comes back with what people said


@pytest.fixture(scope="module")
def tasks() -> Any:
    return uj.next_judgments({}, RUNS, "depth", new=True, max_grade=2, budget=4, topics=TOPICS_OF_NEXT, texts=TEXTS)


TOPICS_OF_NEXT = {"1": "goldfish", "2": "wifi", "3": "tea"}


def imported(project: Project, tmp_path: Path, content: Any, name: str = "export.json") -> list[tuple[Any, ...]]:
    file = tmp_path / name
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    project.import_judgments(file)
    return [(row.topic, row.doc, row.assessor, row.kind, row.grade, row.note) for row in project.history()]


def annotation(kind: str, value: Any, **more: Any) -> dict[str, Any]:
    part = {"id": "x", "from_name": "grade", "to_name": "text", "type": kind, "value": {kind: value}}
    return {"id": 7, "result": [part], "was_cancelled": False, "lead_time": 4.288, "completed_by": 10, **more}


def test_label_studio(project: Project, tmp_path: Path, tasks: Any) -> None:
    export = json.loads(render_next(tasks, "label-studio"))
    comment = {"from_name": "why", "type": "textarea", "value": {"text": ["a remark"]}}
    answers = [
        [annotation("choices", ["fully"], created_at="2021-03-09T22:16:08.728353Z")],
        [annotation("rating", 1), annotation("number", 0, completed_by={"id": 11, "email": "bob@example.org"})],
        [{"result": [], "was_cancelled": True, "completed_by": 10}],
        [annotation("choices", ["2 - all of it"]) | {"result": [*annotation("choices", ["2"])["result"], comment]}],
    ]
    for task, said in zip(export, answers, strict=True):
        task |= {"id": 1, "annotations": said, "predictions": []}
    assert imported(project, tmp_path, export) == [
        ("1", "d1", "label-studio 10", "grade", 2, ""),
        ("2", "d1", "label-studio 10", "grade", 1, ""),
        ("2", "d1", "bob@example.org", "grade", 0, ""),
        ("3", "d1", "label-studio 10", "cannot", None, ""),
        ("1", "d4", "label-studio 10", "grade", 2, "a remark"),
    ]
    first = project.history()[0]
    assert (first.seconds, first.at) == (4.288, "2021-03-09T22:16:08.728353Z")


def test_argilla(project: Project, tmp_path: Path, tasks: Any) -> None:
    export = json.loads(render_next(tasks, "argilla"))
    user, other = "7a1f0d62-7c2f-4a51-9d51-3a4b2b0f9c11", "0b7f5c0e-2d67-4f7e-8f31-4b4c1a4f8a22"
    answers: list[dict[str, Any]] = [
        {"grade": [{"value": 2, "user_id": user}, {"value": "not", "user_id": other}]},
        {"why": [{"value": "off topic", "user_id": user}], "grade": [{"value": "0", "user_id": user}]},
        {},
        {"grade": [{"value": 1, "user_id": user, "status": "draft"}]},
    ]
    for record, responses in zip(export, answers, strict=True):
        record |= {"responses": responses, "_server_id": "x"}
    assert imported(project, tmp_path, export) == [
        ("1", "d1", user, "grade", 2, ""),
        ("1", "d1", other, "grade", 0, ""),
        ("2", "d1", user, "grade", 0, "off topic"),
    ]


def test_quepid_as_a_book(project: Project, tmp_path: Path, tasks: Any) -> None:
    export = json.loads(render_next(tasks, "quepid"))
    said = {
        "rating": 1.0,
        "unrateable": False,
        "judge_later": False,
        "user_email": "ann@example.org",
        "explanation": "ok",
    }
    answers: list[list[dict[str, Any]]] = [
        [said, {**said, "user_email": "bob@example.org", "rating": 2.0, "explanation": None}],
        [{**said, "rating": None, "unrateable": True}],
        [{**said, "rating": None, "judge_later": True}],
        [],
    ]
    for pair, judgements in zip(export["query_doc_pairs"], answers, strict=True):
        pair["judgements"] = judgements
    assert imported(project, tmp_path, export) == [
        ("1", "d1", "ann@example.org", "grade", 1, "ok"),
        ("1", "d1", "bob@example.org", "grade", 2, ""),
        ("2", "d1", "ann@example.org", "cannot", None, "ok"),
    ]


def test_quepid_finds_topics_by_their_titles(project: Project, tmp_path: Path) -> None:
    book = {
        "name": "x",
        "query_doc_pairs": [{"query_text": " GoldFish", "doc_id": "d2", "judgements": [{"rating": 1}]}],
    }
    assert imported(project, tmp_path, book, "book.json") == [("1", "d2", "book", "grade", 1, "")]


def test_quepid_as_a_table(project: Project, tmp_path: Path) -> None:
    table = "query,docid,Ann Smith, =Bob\ngoldfish,d1,2.0,1.0\nwifi,d3,,0\n"
    assert imported(project, tmp_path, table, "book_7_export.csv") == [
        ("1", "d1", "Ann Smith", "grade", 2, ""),
        ("1", "d1", "=Bob", "grade", 1, ""),
        ("2", "d3", "=Bob", "grade", 0, ""),
    ]


def test_quepid_as_the_ratings_of_a_case(project: Project, tmp_path: Path) -> None:
    table = "query,docid,rating\ntea,d5,2\n"
    assert imported(project, tmp_path, table, "case.csv") == [("3", "d5", "case", "grade", 2, "")]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("[1]", "record 1 is no object: 1"),
        ("[", "this is not JSON (expecting value)"),
        ("[" * 100_000, "this is not JSON that can be read: a number is too long, or it is nested too deep"),
        ('[{"data": {"doc": "d1"}}]', "record 1 has no topic, and its query None is no topic's title"),
        ('[{"data": {"topic": "1"}}]', "record 1 has no doc, the id of its document"),
        (
            '[{"data": {"query": "fish", "doc": "d1"}}]',
            "record 1 has no topic, and its query 'fish' is no topic's title",
        ),
        (
            [{"data": {"topic": "1", "doc": "d1"}, "annotations": [annotation("choices", ["superb"])]}],
            "record 1: 'superb' is no grade of the project, which are 0 (not), 1 (partly), 2 (fully)",
        ),
        (
            [{"data": {"topic": "1", "doc": "d1"}, "annotations": [annotation("rating", 0.5)]}],
            "record 1: 0.5 is no grade of the project, which are 0 (not), 1 (partly), 2 (fully)",
        ),
        (
            [{"data": {"topic": "1", "doc": "d1"}, "annotations": [7]}],
            "record 1 has an annotation that is no object: 7",
        ),
        (
            [{"fields": {"topic": "1", "doc": "d1"}, "responses": [1]}],
            "record 1: responses are no object by question: [1]",
        ),
        ('{"query_doc_pairs": 3}', "an export is a list of records, and this is none"),
    ],
)
def test_what_is_wrong_with_an_export(project: Project, tmp_path: Path, content: Any, problem: str) -> None:
    with pytest.raises(InputError) as said:
        imported(project, tmp_path, content)
    assert str(said.value).removeprefix(str(tmp_path)).split(": ", 1)[1] == problem
    assert project.history() == ()


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("query,docid\n", ":1: expected columns query, docid and ratings: 'query,docid'"),
        ("query,docid,rating\ntea,d1\n", ":2: expected 3 columns, got 2"),
        ('query,docid,rating\ntea,"d1,2\n', ": this is not CSV (unexpected end of data)"),
        ("query,docid,rating\ncoffee,d1,2\n", ": line 2 has no topic, and its query 'coffee' is no topic's title"),
        (
            "query,docid,rating\ntea,d1,9\n",
            ": line 2: 9.0 is no grade of the project, which are 0 (not), 1 (partly), 2 (fully)",
        ),
    ],
)
def test_what_is_wrong_with_a_table(project: Project, tmp_path: Path, content: str, problem: str) -> None:
    with pytest.raises(InputError) as said:
        imported(project, tmp_path, content, "x.csv")
    assert str(said.value) == f"{tmp_path / 'x.csv'}{problem}"


def test_an_import_that_fails_leaves_nothing(project: Project, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        imported(project, tmp_path, "query,docid,rating\ntea,d1,2\ntea,d2,9\n", "x.csv")
    assert project.history() == ()
    assert [one.name for one in project.assessors] == ["ann", "bob", "lead"]


def test_export_and_import_go_on_while_others_judge(project: Project, tmp_path: Path) -> None:
    project.lock()
    with Project(project.path) as other:
        judge(project, "ann", 2, number=3)
        assert len(other.exported().splitlines()) == 3
        other.import_judgments({"3": {"d8": 0}}, assessor="crowd")
        judge(project, "ann", 2, number=1)
    assert len(project.exported().splitlines()) == 5
