"""What the server answers to those who judge, and to the lead."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from unjudged.errors import FileError, InputError
from unjudged.judging import Project
from unjudged.judging.serving import Serving, serve
from unjudged.judging.writer import Writer

from .served import SECONDS, client, served, small_project


@pytest.fixture
def ann(serving: Serving, project: Project) -> httpx.Client:
    return client(serving, project.new_token("ann"))


@pytest.fixture
def lead(serving: Serving, project: Project) -> httpx.Client:
    return client(serving, project.new_token("lead"))


def asked(asking: httpx.Client, path: str, **sent: Any) -> Any:
    answer = asking.post(path, json=sent)
    assert answer.status_code == 200, answer.text
    return answer.json()


def judged(asking: httpx.Client, grade: int, **more: Any) -> Any:
    """The next document gets a grade."""
    (task,) = asked(asking, "/api/next", number=1)["tasks"]
    return asked(asking, "/api/record", pair=task["pair"], kind="grade", grade=grade, **more)["recorded"]


# ---- judging


def test_somebody_is_told_who_they_are_and_what_grades_mean(ann: httpx.Client, project: Project) -> None:
    found = ann.get("/api/me").json()
    assert (found["project"], found["assessor"], found["lead"]) == ("p", "ann", False)
    assert found["grades"] == [{"grade": 0, "meaning": "not relevant"}, {"grade": 1, "meaning": "relevant"}]
    assert found["guidelines"] == {"version": 1, "markdown": ""}
    project.set_guidelines("# New")
    assert ann.get("/api/me").json()["guidelines"] == {"version": 2, "markdown": "# New"}


def test_a_judgment_is_in_the_file_when_it_is_confirmed(ann: httpx.Client, project: Project) -> None:
    first, second = asked(ann, "/api/next")["tasks"]
    said = {"grade": 1, "note": "why", "flagged": True, "seconds": 2.5, "text_sha256": first["text_sha256"]}
    found = asked(ann, "/api/record", pair=first["pair"], kind="grade", guidelines=1, key="k1", **said)
    assert {name: found["recorded"][name] for name in ("pair", "kind", "grade")} == {
        "pair": first["pair"], "kind": "grade", "grade": 1,
    }  # fmt: skip
    assert found["tasks"][0]["pair"] == second["pair"]
    with closing(sqlite3.connect(project.path)) as file:
        row = file.execute("SELECT pair, kind, grade, note, flagged, seconds, key FROM judgments").fetchall()
    assert row == [(first["pair"], "grade", 1, "why", 1, 2.5, "k1")]


def test_the_same_request_again_is_recorded_once(ann: httpx.Client, project: Project) -> None:
    (task,) = asked(ann, "/api/next", number=1)["tasks"]
    sent = {"pair": task["pair"], "kind": "grade", "grade": 1, "key": "the same"}
    answers = [asked(ann, "/api/record", **sent)["recorded"] for _ in range(3)]
    assert answers[0] == answers[1] == answers[2]
    assert len(project.history()) == 1
    undone = [asked(ann, "/api/undo", key="undo once")["task"] for _ in range(3)]
    assert undone[0] == undone[1] == undone[2]
    assert [row.kind for row in project.history()] == ["grade", "withdraw"]


def test_undo_gives_the_document_back_with_what_was_said(ann: httpx.Client, project: Project) -> None:
    first, second = judged(ann, 1, note="one"), judged(ann, 0, note="two")
    for recorded, grade, note in ((second, 0, "two"), (first, 1, "one")):
        task = asked(ann, "/api/undo")["task"]
        assert task["pair"] == recorded["pair"]
        (before,) = task["earlier"]
        assert (before["kind"], before["grade"], before["note"]) == ("grade", grade, note)
        assert asked(ann, "/api/next", number=1)["tasks"][0]["pair"] == recorded["pair"]
    assert asked(ann, "/api/undo")["task"] is None
    assert project.judgments() == ()


def test_nothing_that_is_shown_to_assessors_says_who_found_a_document(serving: Serving, project: Project) -> None:
    asking = client(serving, project.new_token("ann"))
    answers = [asking.get("/api/me"), asking.post("/api/next", json={}), asking.get("/api/progress?topic=t1")]
    (task, _) = answers[1].json()["tasks"]
    answers.append(asking.post("/api/record", json={"pair": task["pair"], "kind": "grade", "grade": 1}))
    answers.append(asking.post("/api/undo", json={}))
    assert set(task) == {
        *("pair", "topic", "doc", "title", "description", "narrative", "doc_title", "text", "link", "text_sha256"),
        *("guidelines", "adjudicate", "earlier"),
    }
    for answer in answers:
        assert answer.status_code == 200
        assert not [word for word in ("run-name", "rank", "score", "place", "strateg", "bob") if word in answer.text]


def test_progress_is_of_all_of_topics_and_of_whoever_asks(ann: httpx.Client, lead: httpx.Client) -> None:
    judged(ann, 1, seconds=4.0)
    judged(lead, 1, seconds=8.0)
    found = ann.get("/api/progress?topic=t1&topic=t2&topic=none").json()
    assert (found["judged"], found["pairs"], found["mine"], found["seconds"]) == (2, 10, 1, 4.0)
    assert {topic: pairs for topic, (_, pairs) in found["topics"].items()} == {"t1": 5, "t2": 5}
    assert sum(number for number, _ in found["topics"].values()) == 2
    assert lead.get("/api/progress").json()["topics"] == {}


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ({"kind": "grade", "grade": 1}, "a pair is a whole number, not None"),
        ({"pair": "1; DROP TABLE judgments", "kind": "grade", "grade": 1}, "a pair is a whole number, not "),
        ({"pair": 10**30, "kind": "grade", "grade": 1}, "a pair is a whole number, not "),
        ({"pair": 999, "kind": "grade", "grade": 1}, "there is no pair 999 in this project; ask for the next one"),
        ({"pair": "FIRST", "kind": "grade", "grade": 7}, "grade 7 is none of 0, 1"),
        ({"pair": "FIRST", "kind": "grade", "grade": "1"}, "a grade is a whole number, not "),
        ({"pair": "FIRST", "kind": "grade", "grade": True}, "a grade is a whole number, not True"),
        ({"pair": "FIRST", "kind": "adjudicate", "grade": 1}, "only the lead decides between judgments"),
        ({"pair": "FIRST", "kind": "'; DROP TABLE judgments; --"}, "a judgment is one of grade, skip, "),
        ({"pair": "FIRST", "kind": "grade", "grade": 1, "note": 5}, "the note is no text but int"),
        ({"pair": "FIRST", "kind": "grade", "grade": 1, "note": "x" * 20_000}, "the note has 20,000 characters"),
        ({"pair": "FIRST", "kind": "grade", "grade": 1, "seconds": -1}, "seconds are a number from 0"),
        ({"pair": "FIRST", "kind": "grade", "grade": 1, "seconds": "1"}, "seconds are a number from 0"),
        ({"pair": "FIRST", "kind": "grade", "grade": 1, "flagged": "yes"}, "flagged is true or false, not "),
        ({"pair": "FIRST", "kind": "grade", "grade": 1, "key": {"a": 1}}, "the key is no text but dict"),
        ({"pair": "FIRST", "kind": "grade", "grade": 1, "guidelines": 99}, "there is no version 99 of the guidelines"),
        ({"pair": "FIRST", "kind": "grade", "grade": 1, "text_sha256": "x"}, "text_sha256 is 64 hexadecimal digits"),
        ({"pair": "FIRST", "kind": "grade", "grade": 1, "number": 0}, "a number of documents is a whole number from 1"),
        ({"pair": "FIRST", "kind": "grade", "grade": 1, "number": "2"}, "a number of documents is a whole number"),
    ],
)
def test_what_cannot_be_is_one_line_and_changes_nothing(
    ann: httpx.Client, project: Project, sent: dict[str, Any], message: str
) -> None:
    (task,) = asked(ann, "/api/next", number=1)["tasks"]
    sent = sent | ({"pair": task["pair"]} if sent.get("pair") == "FIRST" else {})
    answer = ann.post("/api/record", json=sent)
    assert answer.status_code == 400
    assert answer.json()["error"].startswith(message)
    assert "\n" not in answer.json()["error"]
    assert project.history() == ()


SQL = "x'); DROP TABLE judgments; --\" OR 1=1 /* \N{RIGHT-TO-LEFT OVERRIDE}\0"


def test_sql_is_text_in_every_field(serving: Serving, project: Project) -> None:
    ann, lead = client(serving, project.new_token("ann")), client(serving, project.new_token("lead"))
    (task,) = asked(ann, "/api/next", number=1)["tasks"]
    asked(ann, "/api/record", pair=task["pair"], kind="grade", grade=1, note=SQL, key=SQL)
    assert ann.get("/api/progress", params={"topic": SQL}).json()["topics"] == {}
    assert ann.post("/api/undo", json={"key": SQL}).status_code == 400  # it is the key of that judgment
    asked(lead, "/api/lead/adjudicate", pair=task["pair"], grade=0, note=SQL, key=SQL + "2")
    assert client(serving).post("/api/join", json={"token": SQL}).status_code == 401
    assert lead.get("/api/lead/export", params={"format": SQL}).status_code == 400
    assert [(row.note, row.key) for row in project.history()] == [(SQL, SQL), (SQL, SQL + "2")]


def test_names_with_what_cannot_be_seen_are_shown_with_escapes(tmp_path: Path) -> None:
    doc = "d\N{RIGHT-TO-LEFT OVERRIDE}x"
    project = Project.create(tmp_path / "p", None, {"r": {"t": {doc: 1.0}}}, link="https://x.example/{doc}")
    with project, served(project) as serving:
        (task,) = asked(client(serving, project.new_token("assessor")), "/api/next")["tasks"]
    assert (task["doc"], task["link"]) == ("d\\u202ex", "https://x.example/d%E2%80%AEx")
    assert task["text"] is None


# ---- the lead


def test_the_lead_sees_disagreements_and_decides(tmp_path: Path) -> None:
    with small_project(tmp_path / "p", docs=2, overlap=1.0, assessors=["ann", "bob"]) as project:
        with served(project) as serving:
            ann, bob, lead = (client(serving, project.new_token(name)) for name in ("ann", "bob", "lead"))
            for _ in range(4):
                judged(ann, 1, note="says ann")
                judged(bob, 0)
            (first, *others) = lead.get("/api/lead/disagreements?texts=1").json()["tasks"]
            assert len(others) == 3
            assert first["adjudicate"]
            assert first["text"].startswith("Document t")
            assert {(row["assessor"], row["grade"], row["note"]) for row in first["earlier"]} == {
                ("ann", 1, "says ann"),
                ("bob", 0, ""),
            }
            assert lead.get("/api/lead/disagreements").json()["tasks"][0]["text"] is None
            for _ in range(2):  # the second is the same again
                asked(lead, "/api/lead/adjudicate", pair=first["pair"], grade=1, note="decided", key="a")
            assert len(lead.get("/api/lead/disagreements").json()["tasks"]) == 3
            found = lead.get("/api/lead/outlook").json()
            assert found["agreement"]["pairs"] == 4
            assert found["agreement"]["same"] == 0.0
            assert found["progress"]["disputed"] == 3
            assert {row["assessor"]: row["judged"] for row in found["progress"]["assessors"]}["ann"] == 4
        (counts,) = [row for row in project.judgments() if row.adjudicated]
        assert (counts.doc, counts.grade) == (first["doc"], 1)


def test_the_lead_sees_what_the_judgments_say(tmp_path: Path) -> None:
    with small_project(tmp_path / "p", assessors="lead") as project, served(project) as serving:
        lead = client(serving, project.new_token("lead"))
        while asked(lead, "/api/next", number=1)["tasks"]:
            judged(lead, 1)
        project.refresh()
        outlook = lead.get("/api/lead/outlook").json()["outlook"]
        assert {row["run"] for row in outlook["runs"]} == {"secret-run-name", "other-run-name"}
        assert all(row["low"] <= row["expected"] <= row["high"] for row in outlook["runs"])
        assert sum(outlook["counts"].values()) == len(outlook["pairs"]) == 1
        assert outlook["recall"][0]["found"] == 10
        assert outlook["goals"][0]["answered"] is outlook["answered"]
        assert lead.get("/api/progress").json()["stop"] is outlook["answered"]


def test_judgments_can_be_taken_out_at_any_time(serving: Serving, project: Project, lead: httpx.Client) -> None:
    judged(lead, 1, note="<b>=1+1")
    qrels, lines, table = (lead.get(f"/api/lead/export?format={form}") for form in ("qrels", "jsonl", "csv"))
    topic, _, doc, grade = qrels.text.split()
    assert grade == "1"
    assert (topic, doc) == tuple(json.loads(lines.text.splitlines()[0])[name] for name in ("topic", "doc"))
    (row,) = csv.DictReader(io.StringIO(table.text))
    assert (row["doc"], row["grade"]) == (doc, "1")
    assert row["note"].endswith("<b>=1+1")
    for answer, name in ((qrels, "qrels.txt"), (lines, "judgments.jsonl"), (table, "judgments.csv")):
        assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'
        assert answer.headers["content-type"] == "application/octet-stream"
    assert lead.get("/api/lead/export?format=../../etc/passwd").json() == {
        "error": "judgments are exported as qrels, jsonl, csv"
    }


# ---- many at once, and what fails


def test_many_at_once_are_given_different_documents(tmp_path: Path) -> None:
    names = [f"a{i}" for i in range(8)]
    with small_project(tmp_path / "p", docs=60, depth=60, assessors=names) as project, served(project) as serving:

        def work(name: str) -> list[int]:
            asking, pairs = client(serving, project.new_token(name)), []
            while tasks := asked(asking, "/api/next", number=1)["tasks"]:
                pairs.append(tasks[0]["pair"])
                asked(asking, "/api/record", pair=pairs[-1], kind="grade", grade=1, number=1)
            return pairs

        with ThreadPoolExecutor(len(names)) as pool:
            pairs = [pair for own in pool.map(work, names) for pair in own]
        assert len(pairs) == len(set(pairs)) == len(project.history()) == 120


def in_loop(project: Any, *works: Callable[[], Any]) -> list[Any]:
    """What a writer answers to works that come at the same time."""

    async def ask() -> list[Any]:
        writer, first = Writer(project), threading.Event()
        waiting = asyncio.ensure_future(writer.do(lambda: first.wait(SECONDS)))
        await asyncio.sleep(0)
        others = [asyncio.ensure_future(writer.do(work)) for work in works]
        await asyncio.sleep(0)
        first.set()
        answers = await asyncio.gather(waiting, *others, return_exceptions=True)
        await asyncio.to_thread(writer.close)
        return answers[1:]

    return asyncio.run(ask())


def test_a_request_that_fails_fails_alone(project: Project) -> None:
    first, second = (project.next(name)[0].pair for name in ("ann", "bob"))

    def half() -> None:
        project.record("bob", second, "grade", grade=1)
        raise InputError("after it was written")

    answers = in_loop(
        project,
        lambda: project.record("ann", first, "grade", grade=1),
        half,
        lambda: project.record("ann", second, "grade", grade=5),
        lambda: project.next("ann"),
    )
    assert answers[0].pair == first
    assert str(answers[1]) == "after it was written"
    assert isinstance(answers[2], InputError)
    assert answers[3][0].pair not in (first, second)
    assert [row.assessor for row in project.history()] == ["ann"]


def test_nobody_is_told_that_it_is_written_when_the_disk_fails(project: Project) -> None:
    class Failing:
        """A project on a disk that is full when the transaction ends."""

        depth = 0

        @contextmanager
        def transaction(self) -> Iterator[None]:
            self.depth += 1
            try:
                with project.transaction():
                    yield
                    if self.depth == 1:
                        raise FileError(project.path, "the disk is full")
            finally:
                self.depth -= 1

    (task,) = project.next("ann")
    answers = in_loop(Failing(), lambda: project.record("ann", task.pair, "grade", grade=1), lambda: 5)
    assert [str(one) for one in answers] == [f"{project.path}: the disk is full"] * 2
    assert project.history() == ()


def test_a_disk_that_fails_is_one_line_and_asked_again_later(
    serving: Serving, project: Project, ann: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    (task,) = asked(ann, "/api/next", number=1)["tasks"]

    def full(*_: Any, **__: Any) -> None:
        raise FileError(project.path, "the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(project, "record", full)
        answer = ann.post("/api/record", json={"pair": task["pair"], "kind": "grade", "grade": 1, "key": "k"})
        assert (answer.status_code, answer.json()) == (503, {"error": f"{project.path}: the disk is full"})
    asked(ann, "/api/record", pair=task["pair"], kind="grade", grade=1, key="k")
    assert len(project.history()) == 1


def test_a_fault_of_ours_says_nothing_of_the_inside(
    serving: Serving, project: Project, ann: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(project, "next", lambda *_: 1 / 0)
    answer = ann.post("/api/next", json={})
    assert (answer.status_code, answer.json()) == (500, {"error": "the server failed on this; its own output says why"})


# ---- beginning and end


def test_links_are_printed_and_the_browser_gets_a_ticket(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    ready = threading.Event()

    def opens(link: str) -> bool:
        opened.append(link)
        ready.set()
        return True

    monkeypatch.setattr("unjudged.judging.serving.webbrowser.open", opens)
    running: list[Serving] = []
    started = Serving.run
    monkeypatch.setattr(Serving, "run", lambda self, say: (running.append(self), started(self, say)))
    said: list[str] = []
    token = project.new_token("ann")
    thread = threading.Thread(
        target=serve, args=(project,), kwargs={"port": 0, "tokens": {"ann": token}, "say": said.append}
    )
    thread.start()
    assert ready.wait(SECONDS)
    running[0].stop()
    thread.join(SECONDS)
    address = running[0].address
    assert said[0] == f"ann: {address}/join#{token}"
    assert said[1].startswith(f"lead, for one use: {address}/join#")
    assert said[2] == f"Judging {project.path} at {address}; Ctrl-C stops it, and everything is in the file."
    assert len(said) == 3
    (link,) = opened
    assert link.startswith(f"{address}/join#")
    assert not any(link in line for line in said), "the two links are for one use each"


def test_a_project_that_cannot_be_written_is_not_served(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Project, "read_only", True)
    with pytest.raises(FileError) as problem:
        Serving(project, port=0)
    assert str(problem.value) == (
        f"{project.path}: cannot be judged where it is: the file or its folder is read-only; copy it to where you may"
        " write"
    )


@pytest.mark.parametrize("package", ["starlette", "uvicorn"])
def test_a_missing_package_is_one_line(package: str) -> None:
    code = f"""
import sys
sys.modules[{package!r}] = None
from unjudged.errors import MissingExtraError
try:
    import unjudged.judging.serving
except MissingExtraError as problem:
    print(problem)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"a page to judge on needs {package}: pip install 'unjudged[judge]'\n"


def test_the_library_needs_no_server(tmp_path: Path) -> None:
    code = """
import sys
sys.modules["starlette"] = sys.modules["uvicorn"] = None
from unjudged.judging import Project
project = Project.create(sys.argv[1], None, {"r": {"t": {"d": 1.0}}})
print(project.next("assessor")[0].doc)
"""
    arguments = [sys.executable, "-c", code, str(tmp_path / "p")]
    assert subprocess.run(arguments, capture_output=True, text=True, check=True).stdout == "d\n"
