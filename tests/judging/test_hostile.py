"""Names, texts and notes of any kind are data: they are kept as they are, or refused in one line."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unjudged.errors import InputError
from unjudged.judging import Project
from unjudged.judging.making import LONGEST_TEXT

from .conftest import RUNS, Opened

NASTY = [
    "'; DROP TABLE judgments; --",
    '" OR 1=1; DELETE FROM assessors; --',
    "x') ON CONFLICT DO NOTHING; UPDATE pairs SET taken = 9; --",
    "?1 :name @name $name",
    "%s {doc} \\0 \\x00",
    "<script>alert(1)</script>",
    "../../etc/passwd",
    "\u202eleft\u0007bell\u001b[2J",
    "é🐟\U0010ffff",
    "nul\0inside",
]


def tables(path: str) -> set[str]:
    with closing(sqlite3.connect(path)) as connection:
        return {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


@pytest.mark.parametrize("nasty", NASTY)
def test_sql_in_every_field(tmp_path: Path, nasty: str) -> None:
    shown = "".join(char for char in nasty if char.isprintable())
    doc = nasty.replace("\0", "")
    with Project.create(
        tmp_path / "p",
        qrels={doc: {doc: 1}},
        runs={nasty: {doc: {doc: 2.0, f"{doc} too": 1.0}}},
        topics={doc: {"title": nasty, "description": nasty, "narrative": nasty}},
        texts={doc: nasty, f"{doc} too": nasty},
        link=f"https://example.org/{nasty}/{{doc}}",
        grades={0: nasty, 1: "yes"},
        guidelines=nasty,
        strategy="depth",
        overlap=1,
        assessors=("ann", f"{shown}.".strip()),
    ) as project:
        (task,) = project.next("ann")
        assert (task.topic, task.doc, task.text) == (doc, f"{doc} too", nasty)
        assert (task.title, task.description.split()) == (" ".join(nasty.split()), nasty.split())
        project.record("ann", task.pair, "grade", grade=1, note=nasty, key=nasty)
        project.record(f"{shown}.".strip(), project.next(f"{shown}.".strip())[0].pair, "grade", grade=0)
        assert project.set_guidelines(nasty) == 2
        assert project.history(task.topic, task.doc)[0].note == nasty
        assert project.guidelines(1).markdown == project.guidelines().markdown == nasty
        assert project.grades[0] == nasty
        assert project.assessor_of(nasty) is None
        imported = project.import_judgments({doc: {nasty.replace("\0", "") + "!": 0}}, assessor=nasty)
        assert (imported.added, imported.new_pairs) == (1, 1)
        for form in ("jsonl", "csv"):
            assert project.exported(form).count("\n") >= 4  # type: ignore[arg-type]
        with pytest.raises(InputError):
            project.history(nasty, "'; DROP TABLE pairs; --")
        with pytest.raises(InputError):
            project.next(nasty)
        assert len(project.disagreements()) == 1
        assert tables(project.path) >= {"judgments", "pairs", "assessors", "assignments"}


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("note", "\ud800", "the note has half a character, which no file can hold: '\\ud800'"),
        ("note", "x" * 10_001, "the note has 10,001 characters; at most 10,000 are kept, so make it shorter"),
        ("note", b"bytes", "the note is no text but bytes"),
        ("key", "\udfff", "the key has half a character, which no file can hold: '\\udfff'"),
        ("key", "k" * 201, "the key has 201 characters; at most 200 are kept, so make it shorter"),
        ("text_sha256", "\ud800" * 64, None),
        ("grade", 10**30, f"grade {10**30} is none of 0, 1, 2"),
        ("guidelines", 2**63, None),
        ("seconds", 10**400, None),
        ("seconds", "5", "seconds are a number from 0 to 1,000,000, not '5'"),
    ],
)
def test_what_no_file_can_hold_is_refused_and_nothing_is_written(
    project: Project, field: str, value: object, message: str | None
) -> None:
    (task,) = project.next("ann")
    said: dict[str, object] = {"grade": 1, field: value}
    with pytest.raises(InputError) as problem:
        project.record("ann", task.pair, "grade", **said)  # type: ignore[arg-type]
    assert "\n" not in str(problem.value)
    if message is not None:
        assert str(problem.value) == message
    assert project.history() == ()


@pytest.mark.parametrize("pair", [-1, 2**63, 2**70, True, "1", 1.5, None, "1; DROP TABLE pairs"])
def test_what_is_no_pair(project: Project, pair: object) -> None:
    project.next("ann")
    for work in (
        lambda: project.record("ann", pair, "grade", grade=1),  # type: ignore[arg-type]
        lambda: project.adjudicate("lead", pair, 1),  # type: ignore[arg-type]
    ):
        with pytest.raises(InputError, match=r"^a pair is a whole number, not "):
            work()


@given(st.text(max_size=50), st.text(max_size=50))
def test_any_note_and_key_are_kept_or_refused(blank: Path, note: str, key: str) -> None:
    import shutil
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(shutil.copy(blank, folder))
        with Project(path) as project:
            (task,) = project.next("ann")
            project.record("ann", task.pair, "grade", grade=1, note=note, key=key or None)
            assert project.history()[0].note == note
            assert project.exported("jsonl").count("\n") == 1


@pytest.mark.parametrize("name", ["", " ann", "a\nb", "\u202eann", "x" * 101, "\ud800", "\x1b[2J", 7])
def test_names_of_assessors_can_be_seen(project: Project, name: object) -> None:
    with pytest.raises(InputError, match=r"^the name of an assessor "):
        project.add_assessor(name)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"^there is an assessor 'ann' already; names are unique$"):
        project.add_assessor("ann")


def test_texts_of_a_million_characters_are_cut_and_of_any_kind_kept(tmp_path: Path) -> None:
    texts = {"d1": "x" * (LONGEST_TEXT + 5), "d4": "half \ud83d a fish", "d2": ""}
    with Project.create(tmp_path / "p", runs=RUNS, texts=texts, strategy="depth") as project:
        tasks = {task.doc: task for task in project.next("assessor", 24)}
    assert tasks["d1"].text == "x" * LONGEST_TEXT
    assert tasks["d4"].text == "half ? a fish"
    assert tasks["d2"].text == ""
    assert tasks["d3"].text is None


@pytest.mark.parametrize(
    "name", ["a b.unjudged", "ünï.unjudged", "100%.unjudged", "q?mark#hash&x=1.unjudged", "file:x", "'"]
)
def test_any_name_of_a_file(opened: Opened, blank: Path, tmp_path: Path, name: str) -> None:
    project = opened(name)
    assert len(project.next("ann")) == 1
    assert (tmp_path / name).exists()
    # as it is opened where it can only be read
    from unjudged.judging.schema import connect

    with closing(connect(str(tmp_path / name), uri="mode=ro")) as connection:
        assert connection.execute("SELECT count(*) FROM pairs").fetchone() == (24,)


@pytest.mark.parametrize("name", ["", "nul\0name"])
def test_what_is_no_name_of_a_file(name: str) -> None:
    with pytest.raises(InputError, match=r"^this is not a file name: "):
        Project(name)
    with pytest.raises(InputError, match=r"^a project is a file, not int$"):
        Project(7)  # type: ignore[arg-type]


def test_tokens_are_long_secret_and_good_until_they_are_revoked(project: Project) -> None:
    first, second = project.new_token("ann"), project.new_token("ann")
    assert first != second
    assert len(first) >= 43  # 32 random bytes
    for token in (first, second):
        who = project.assessor_of(token)
        assert who is not None
        assert who.name == "ann"
    assert project.assessor_of(first[:-1]) is None
    assert project.assessor_of("") is None
    assert project.assessor_of("\ud800") is None
    project.revoke_tokens("ann")
    assert project.assessor_of(first) is None
    content = Path(project.path).read_bytes() + Path(f"{project.path}-wal").read_bytes()
    assert first.encode() not in content
    project.import_judgments({"1": {"d1": 1}}, assessor="crowd")
    with pytest.raises(InputError, match=r"^crowd is where judgments were imported from, and cannot judge here$"):
        project.new_token("crowd")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"runs": ()}, "there is nothing to judge: give the runs whose documents are to be judged"),
        ({"grades": {0: "no"}}, "a scale has two grades or more, not {0: 'no'}"),
        ({"grades": {0: "no", 10: "yes"}}, "a grade must be a whole number from 0 to 9, not 10"),
        ({"overlap": 1.5}, None),
        ({"link": "javascript:alert('{doc}')"}, None),
        ({"link": "https://example.org/"}, None),
        ({"assessors": ()}, "a project needs an assessor"),
        ({"assessors": ("ann", "ann")}, "names of assessors are unique, not ann, ann"),
        ({"depth": 0}, None),
        ({"strategy": "best"}, None),
        ({"measure": "AP"}, None),
        ({"qrels": {"1": {"d1": 17}}}, "qrels: grades of a project go up to 9, not 17"),
    ],
)
def test_what_no_project_can_be_made_of(tmp_path: Path, given: dict[str, object], message: str | None) -> None:
    with pytest.raises(InputError) as problem:
        Project.create(tmp_path / "p", **{"runs": RUNS, **given})  # type: ignore[arg-type]
    assert "\n" not in str(problem.value)
    if message is not None:
        assert str(problem.value) == message
    assert list(tmp_path.iterdir()) == []
