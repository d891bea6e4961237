"""The project file where things go wrong: one clear line, and nothing lost."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from unjudged.errors import FileError, InputError
from unjudged.judging import Project, recording

from .conftest import RUNS, judge, message

posix = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")


def changed(path: Path, statement: str) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()
    return path


@pytest.fixture
def copied(blank: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(blank, tmp_path / "work.unjudged"))


# ---- what is no project


def test_there_is_none(tmp_path: Path) -> None:
    path = tmp_path / "none"
    assert message(lambda: Project(path)) == f"{path}: no such project; give --runs to make one"
    assert message(lambda: Project(tmp_path)) == f"{tmp_path}: this is a directory; a file is needed here"
    assert not path.exists()


@pytest.mark.parametrize("content", [b"", b"1 0 d1 1\n", b"SQLite format 3\0" + bytes(84), os.urandom(5000)])
def test_a_file_that_is_no_project_stays_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "qrels.txt"
    path.write_bytes(content)
    no_project = f"{path}: this is no project of unjudged judge; give the file that it made, or a new name"
    assert message(lambda: Project(path)) == no_project
    assert message(lambda: Project.create(path, runs=RUNS)) == (
        f"{path}: there is such a file already; open it, or choose another name"
    )
    assert path.read_bytes() == content
    assert [one.name for one in tmp_path.iterdir()] == ["qrels.txt"]


def test_a_database_of_others_is_no_project(tmp_path: Path) -> None:
    path = changed(tmp_path / "places.sqlite", "CREATE TABLE judgments (id INTEGER)")
    assert message(lambda: Project(path)).endswith(
        ": this is no project of unjudged judge; give the file that it made, or a new name"
    )


def test_a_project_of_a_newer_version(copied: Path) -> None:
    changed(copied, "PRAGMA user_version = 2")
    assert message(lambda: Project(copied)) == (
        f"{copied}: the project is of a newer version of unjudged (format 2; this one knows 1); pip install -U unjudged"
    )


@pytest.mark.parametrize("statement", ["DROP TABLE judgments", "DELETE FROM meta"])
def test_a_project_that_was_never_finished(copied: Path, statement: str) -> None:
    """As a process leaves it that is killed while it makes a project."""
    changed(copied, statement)
    assert message(lambda: Project(copied)) == (
        f"{copied}: the project was not finished when it was made; delete it, and make it again"
    )


def test_a_file_that_is_cut_off(copied: Path) -> None:
    size = copied.stat().st_size
    with copied.open("r+b") as stream:
        stream.truncate(size - 1000)
    assert message(lambda: Project(copied)) == (
        f"{copied}: the file is cut off: {size - 1000:,} of {size:,} bytes are there; take a copy of it that is whole"
    )


def test_a_file_that_is_damaged(copied: Path) -> None:
    with copied.open("r+b") as stream:
        stream.seek(8192)
        stream.write(b"\xff" * (copied.stat().st_size - 8192))
    damaged = f"{copied}: the project is damaged; take a copy of it that is not (sqlite3 FILE .recover may save some)"
    assert message(lambda: Project(copied).progress()) == damaged


def test_a_project_that_cannot_be_made_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "p.unjudged"
    (tmp_path / "bad.tsv").write_text("d1\ttext\nd2 no tab\n")
    with pytest.raises(FileError, match=r"bad\.tsv:2: expected an id, a tab and a text"):
        Project.create(path, runs=RUNS, texts=str(tmp_path / "bad.tsv"))
    with pytest.raises(InputError, match=r"^no run is named 'x'"):
        Project.create(path, runs=RUNS, goal="x>old")
    assert [one.name for one in tmp_path.iterdir()] == ["bad.tsv"]
    nowhere = tmp_path / "no" / "p"
    assert (
        message(lambda: Project.create(nowhere, runs=RUNS))
        == f"{nowhere}: cannot be written: No such file or directory"
    )


# ---- processes and clocks

RECORD = """
import sys
from unjudged.judging import Project
with Project(sys.argv[1]) as project:
    print("ready", flush=True)
    number = 0
    while True:
        tasks = project.next("ann")
        if not tasks:
            project.release("ann")
            project.undo("ann")
            continue
        number += 1
        key = f"{sys.argv[2]}-{number}"
        with project.transaction():
            project.record("ann", tasks[0].pair, "grade", grade=number % 3, key=key)
            if number % 3 == 0:
                project.undo("ann")
        print(key, flush=True)
"""


@posix
def test_what_was_confirmed_is_there_after_kill_9_and_none_twice(copied: Path) -> None:
    rng = random.Random(22)
    confirmed: list[str] = []
    for attempt in range(4):
        recorder = subprocess.Popen(
            [sys.executable, "-c", RECORD, str(copied), str(attempt)], stdout=subprocess.PIPE, text=True
        )
        assert recorder.stdout is not None
        assert recorder.stdout.readline() == "ready\n"
        time.sleep(rng.uniform(0.0, 0.15))  # any moment will do: what is asserted holds at all of them
        recorder.send_signal(signal.SIGKILL)
        confirmed += [line.strip() for line in recorder.stdout if line.endswith("\n")]
        recorder.wait()
        with Project(copied) as project:
            keys = Counter(row.key for row in project.history() if row.kind == "grade")
            assert set(confirmed) <= set(keys)
            assert set(keys.values()) <= {1}
            counting = [row for row in project.history() if row.counts]
            assert len(counting) == project.progress().judged
            if project.next("ann"):
                judge(project, "ann", 1, number=1)
    with closing(sqlite3.connect(copied)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_one_process_serves_a_project(copied: Path) -> None:
    hold = (
        "import sys; from unjudged.judging import Project; p = Project(sys.argv[1]); p.lock('http://127.0.0.1:8765');"
        " print('locked', flush=True); sys.stdin.read()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", hold, str(copied)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdin is not None
    assert other.stdout is not None
    assert other.stdout.readline() == "locked\n"
    with Project(copied) as project:
        said = message(lambda: project.lock("http://127.0.0.1:9999"))
        assert said == (
            f"{copied}: another process serves this project (process {other.pid}, http://127.0.0.1:8765);"
            " use that one, or stop it first"
        )
        # Everything but serving goes on beside it.
        judge(project, "ann", 1, number=2)
        assert len(project.exported().splitlines()) == 2
        other.kill()
        other.wait()
        other.stdin.close()
        other.stdout.close()
        project.lock()  # who dies gives it back
        project.lock()


def test_who_writes_for_long_is_said(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unjudged.judging.schema.BUSY_SECONDS", 0.1)
    with Project(copied) as project, closing(sqlite3.connect(copied, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert message(lambda: project.next("ann")).startswith(f"{copied}: another process has been writing to it")
        other.execute("COMMIT")
        assert len(project.next("ann")) == 1


def test_a_clock_that_jumps_changes_no_order(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    (task,) = project.next("ann")
    years = iter([2030, 1970, 2026, 1999])

    class Clock(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
            return datetime(next(years), 1, 1, tzinfo=UTC)

    monkeypatch.setattr(recording, "datetime", Clock)
    for grade in (1, 2, 0):
        project.record("ann", task.pair, "grade", grade=grade)
    assert [(row.grade, row.at[:4], row.counts) for row in project.history()] == [
        (1, "2030", False),
        (2, "1970", False),
        (0, "2026", True),
    ]
    undone = project.undo("ann")
    assert undone is not None
    assert undone.earlier[0].grade == 0


def test_a_closed_project_is_one_file(copied: Path) -> None:
    with Project(copied) as project:
        judge(project, "ann", 1, number=2)
        assert Path(f"{copied}-wal").exists()
    assert [one.name for one in copied.parent.iterdir()] == ["work.unjudged"]
