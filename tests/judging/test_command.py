"""`unjudged judge` on the command line, but for what it serves."""

from __future__ import annotations

import inspect
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from tests.cli.conftest import Command, files, unjudged
from unjudged.cli.app import app
from unjudged.judging import Project

__all__ = ["files", "unjudged"]

MAKE = ("--runs", "runs", "--topics", "topics.tsv", "--texts", "docs.tsv", "--grades", "0=no,1=partly,2=yes")


@pytest.fixture(autouse=True)
def here(files: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(files)
    (files / "topics.tsv").write_text("1\tgoldfish\n2\twifi\n")
    (files / "docs.tsv").write_text("a\tall about goldfish\nx\tnothing\n")
    return files


def test_it_makes_a_project_and_says_how_far_it_is(unjudged: Command) -> None:
    done = unjudged("judge", "work", *MAKE, "--assessor", "ann", "--assessor", "bob", "--status", "-m", "P@2")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(
        "assessor  judged  seconds each\n--------  ------  ------------\n"
        "ann            0             -\nbob            0             -\nlead           0             -\n"
        "\n0 of 6 documents are judged; 0 of 3 topics are done.\n"
        "Not answered: order: 1 of 1 pairs of runs are undecided;"
    )
    with Project("work") as project:
        assert project.grades == {0: "no", 1: "partly", 2: "yes"}
        assert project.settings["runs"] == [str(Path("runs", name).absolute()) for name in ("new.run", "old.run")]
        assert {task.doc: task.text for task in project.next("ann", 9)}["a"] == "all about goldfish"


def test_judgments_that_are_there_come_in_and_go_out(unjudged: Command) -> None:
    unjudged("judge", "work", *MAKE, "--qrels", "qrels.txt", "--status")
    done = unjudged("judge", "work", "--export", "out.qrels", "--export", "out.jsonl", "--export", "out.csv")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert Path("out.qrels").read_text() == "1 0 a 2\n1 0 b 0\n1 0 c 1\n2 0 d 1\n2 0 e 0\n"
    assert Path("out.jsonl").read_text().count('"source": "qrels"') == 5
    assert Path("out.csv").read_text().count("\n") == 6


def test_import_and_merge_say_what_they_did(unjudged: Command) -> None:
    for name in ("one", "two"):
        unjudged("judge", name, *MAKE, "--assessor", "ann", "--status")
    Path("more.qrels").write_text("1 0 a 2\n1 0 new 1\n")
    done = unjudged("judge", "one", "--import", "more.qrels")
    assert done.out == "more.qrels: 2 judgments imported, 1 document new to the project\n"
    done = unjudged("judge", "one", "--import", "more.qrels")
    assert done.out == "more.qrels: 0 judgments imported, 2 were known\n"
    for name, grade in (("one", 0), ("two", 2)):
        with Project(name) as project:
            task = next(one for one in project.next("ann", 9) if one.doc == "e")
            project.record("ann", task.pair, "grade", grade=grade)
    done = unjudged("judge", "one", "--merge", "two")
    assert done.out == (
        "two: 1 judgment new, 1 conflict\n"
        "  topic 2, e: ann says two things: grade 0 here, grade 2 there; grade 2 counts\n"
    )


def test_the_exit_code_says_that_the_goals_are_reached(unjudged: Command) -> None:
    Path("all.qrels").write_text("1 0 a 2\n1 0 b 0\n1 0 x 1\n2 0 d 1\n2 0 e 0\n3 0 a 1\n")
    done = unjudged("judge", "work", *MAKE, "--qrels", "all.qrels", "-m", "P@2", "--status")
    assert done.code == 3
    assert "Answered: order: the only pair of runs is decided." in done.out.replace("\n", " ")


def test_where_runs_are_gone_the_status_says_so(unjudged: Command, here: Path) -> None:
    unjudged("judge", "work", *MAKE, "--status")
    Path("runs/old.run").unlink()
    done = unjudged("judge", "work", "--status")
    assert done.code == 0
    said = "".join(done.out.split())  # a long path is broken at the end of a line
    assert f"isnotknown:{here}/runs/old.run:therunisgoneorhaschangedsincetheprojectwasmade;judginggoeson" in said


def test_guidelines_and_people_can_come_later(unjudged: Command) -> None:
    unjudged("judge", "work", *MAKE, "--assessor", "ann", "--status")
    Path("how.md").write_text("# Read it all")
    for _ in range(2):  # the same again is no new version
        unjudged("judge", "work", "--guidelines", "how.md", "--assessor", "bob", "--lead", "eva", "--status")
    with Project("work") as project:
        assert [(one.name, one.lead) for one in project.assessors] == [("ann", True), ("bob", False), ("eva", True)]
        assert project.guidelines()[:2] == (2, "# Read it all")
        token = project.new_token("bob")
    unjudged("judge", "work", "--revoke", "bob", "--status")
    with Project("work") as project:
        assert project.assessor_of(token) is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("none",), "none: no such project; give --runs to make one"),
        (("none", "--export", "x"), "none: no such project; give --runs to make one"),
        (
            ("qrels.txt", "--status"),
            "qrels.txt: this is no project of unjudged judge; give the file that it made, or a",
        ),
        (("work", *MAKE, "--overlap", "a lot"), "--overlap is a share such as 10% or 0.1, not 'a lot'"),
        (("work", *MAKE, "--overlap", "110%"), "the overlap must be a number at least 0 and at most 1, not 1.1"),
        (
            ("work", "--runs", "runs", "--grades", "no"),
            "--grades is a scale such as '0=not relevant,1=relevant', not 'no'",
        ),
        (
            ("work", "--runs", "runs", "--grades", "0=a,0=b"),
            "--grades is a scale such as '0=not relevant,1=relevant', not",
        ),
        (("work", "--runs", "nowhere"), "nowhere: no such file"),
        (("work", *MAKE, "--link", "x"), "a link begins with https:// or http:// and has {doc} in it, not 'x'"),
        (("work", *MAKE, "-m", "P@1", "-m", "P@2"), "--measure takes one measure here, not 2: P@1 P@2"),
    ],
)
def test_what_is_wrong_is_one_line_and_no_file_is_left(
    unjudged: Command, here: Path, arguments: tuple[str, ...], message: str
) -> None:
    before = sorted(here.iterdir())
    done = unjudged("judge", *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"unjudged: {message}")
    assert done.err.count("\n") == 1
    assert sorted(here.iterdir()) == before


def test_what_a_project_is_made_of_stays(unjudged: Command) -> None:
    unjudged("judge", "work", *MAKE, "--status")
    done = unjudged("judge", "work", "--runs", "runs", "--depth", "5", "--status")
    assert (done.code, done.err) == (
        2,
        "unjudged: work: the project is there already; leave out --runs, --depth, or choose another name\n",
    )


def test_a_project_that_somebody_serves_can_be_exported(unjudged: Command) -> None:
    unjudged("judge", "work", *MAKE, "--qrels", "qrels.txt", "--status")
    with Project("work") as project:
        project.lock()
        assert unjudged("judge", "work", "--export", "out").code == 0
    assert Path("out").read_text().count("\n") == 5


def test_python_can_say_what_the_command_line_can() -> None:
    (command,) = [one for name, one in get_command(app).commands.items() if name == "judge"]  # type: ignore[attr-defined]
    making = {one.name for one in command.params if one.rich_help_panel == "Options for a new project"}
    known = set(inspect.signature(Project.create).parameters) - {"path"}
    # Those who judge and the guidelines can also be said later, so that they stand with other options.
    assert making | {"assessors", "lead", "guidelines"} == known


def test_what_the_command_prints_cannot_move_the_cursor(unjudged: Command) -> None:
    Path("runs/bad.run").write_text("1 Q0 \x1b[2Ja 1 3 bad\n")
    unjudged("judge", "work", "--runs", "runs", "--status", "-m", "P@2")
    with closing(sqlite3.connect("work")) as connection:
        docs = {doc for (doc,) in connection.execute("SELECT doc FROM documents")}
    assert "\x1b[2Ja" in docs
    with Project("work") as project:
        task = next(one for one in project.next("assessor", 9) if "\x1b" in one.doc)
        project.record("assessor", task.pair, "grade", grade=1)
    Path("other.tsv").write_text("\x1b[2Ja\tanother text\n")
    unjudged("judge", "two", "--runs", "runs", "--texts", "other.tsv", "--status", "-m", "P@2")
    Path("third.tsv").write_text("\x1b[2Ja\ta third text\n")
    unjudged("judge", "three", "--runs", "runs", "--texts", "third.tsv", "--status", "-m", "P@2")
    done = unjudged("judge", "two", "--merge", "three")
    assert "texts differ" in done.out
    assert "\x1b" not in done.out


def test_links_are_printed_once_and_again_when_asked_for(unjudged: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("starlette")
    pytest.importorskip("uvicorn")
    served: list[dict[str, Any]] = []

    def serve(project: Project, **given: Any) -> None:
        known = {name: project.assessor_of(token) for name, token in given.pop("tokens").items()}
        served.append({"links": {name: who and who.name for name, who in known.items()}, **given})

    monkeypatch.setattr("unjudged.judging.serving.serve", serve)
    done = unjudged("judge", "work", *MAKE, "--assessor", "ann", "--assessor", "bob")
    assert (done.code, done.out) == (0, "0 of 6 documents are judged; unjudged judge work goes on.\n")
    done = unjudged("judge", "work", "--no-browser", "--port", "8080", "--assessor", "cid")
    assert done.out == "0 of 6 documents are judged; unjudged judge work goes on.\n"
    done = unjudged("judge", "work")
    assert done.out.startswith("Links that were given out are still good; --links prints new ones.\n")
    unjudged("judge", "work", "--links")
    everybody = {name: name for name in ("ann", "bob", "lead")}
    usual = {"host": "127.0.0.1", "port": None, "address": None, "browser": True}
    assert served == [
        {"links": everybody, **usual},
        {"links": {"cid": "cid"}, **usual, "port": 8080, "browser": False},
        {"links": {}, **usual},
        {"links": {**everybody, "cid": "cid"}, **usual},
    ]
