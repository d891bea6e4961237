"""What people said in Label Studio, Argilla and Quepid: exports made by hand, in the forms that they document."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import unjudged as uj
from unjudged.errors import InputError
from unjudged.judging import Project
from unjudged.reports.next_judgments import render_next

from .conftest import RUNS, TEXTS


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
