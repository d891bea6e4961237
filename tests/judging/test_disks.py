"""Disks that are full, fail, or may not be written: one clear line, and every judgment that was confirmed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from unjudged.errors import FileError
from unjudged.judging import Project

from .conftest import Opened, judge, message

posix = pytest.mark.skipif(os.name == "nt", reason="mounts and limits of POSIX")


@contextmanager
def tiny_disk(folder: Path, size: str) -> Iterator[Path]:
    """A disk that is full soon; only root may make one."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    with suppress(OSError):
        if subprocess.run(mount, capture_output=True, check=False).returncode == 0:
            try:
                yield folder
            finally:
                subprocess.run(["umount", "-l", str(folder)], check=True)
            return
    pytest.skip("a disk can be mounted by root only")


def fill_until_full(project: Project) -> tuple[int, int, str]:
    """The pair that was judged until the disk was full, how often that was confirmed, and what was said then."""
    (task,) = project.next("ann")
    confirmed = 0
    with pytest.raises(FileError) as problem:
        while confirmed < 10_000:
            project.record("ann", task.pair, "grade", grade=1, note="x" * 10_000)
            confirmed += 1
    return task.pair, confirmed, str(problem.value)


@posix
def test_a_full_disk_loses_nothing(blank: Path, tmp_path: Path) -> None:
    with tiny_disk(tmp_path / "disk", "1m") as disk:
        path = Path(shutil.copy(blank, disk / "p.unjudged"))
        with Project(path) as project:
            pair, confirmed, said = fill_until_full(project)
            full = "the disk is full; nothing of this was written: make room, and go on"
            assert said == f"{path}: {full}"
            assert len(project.history()) == confirmed > 10
            # Group commits fail as a whole.
            assert message(lambda: grouped(project, pair)) in (
                f"{path}: {full}",
                f"{path}: writing failed before, and the whole transaction was undone: nothing was written",
            )
            assert len(project.history()) == confirmed
            subprocess.run(["mount", "-o", "remount,size=8m", str(disk)], check=True)
            project.record("ann", pair, "grade", grade=2)
            assert len(project.history()) == confirmed + 1
        with Project(path) as again:
            assert [row.grade for row in again.history()] == [1] * confirmed + [2]


def grouped(project: Project, pair: int) -> None:
    with project.transaction():
        for _ in range(100):
            with suppress(FileError):
                project.record("ann", pair, "grade", grade=1, note="y" * 10_000)


def test_a_file_that_may_not_grow_loses_nothing(opened: Opened) -> None:
    """The same where nobody can mount anything: SQLite itself says that the file is as large as it may be."""
    project = opened()
    connection = project._store._writer
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages + 40}")
    pair, confirmed, said = fill_until_full(project)
    assert said == f"{project.path}: the disk is full; nothing of this was written: make room, and go on"
    assert len(project.history()) == confirmed > 5
    connection.execute(f"PRAGMA max_page_count = {pages + 400}")
    project.record("ann", pair, "grade", grade=2)
    assert [row.grade for row in project.history()] == [1] * confirmed + [2]


@posix
def test_a_disk_that_fails_says_so(opened: Opened) -> None:
    from tests.io.full_disk import full_disk

    project = opened()
    (task,) = project.next("ann")
    before = project.history()
    with full_disk():
        said = message(lambda: project.record("ann", task.pair, "grade", grade=1, note="x" * 10_000))
    assert said == (
        f"{project.path}: the disk cannot be written or read; nothing of this was written:"
        " look after the disk, and try again"
    )
    assert project.history() == before
    project.record("ann", task.pair, "grade", grade=1)
    assert len(project.history()) == 1


@posix
def test_a_project_where_nobody_may_write_can_be_read(blank: Path, tmp_path: Path) -> None:
    with tiny_disk(tmp_path / "disk", "8m") as disk:
        path = Path(shutil.copy(blank, disk / "p.unjudged"))
        with Project(path) as project:
            judge(project, "ann", 1, number=3)
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        with Project(path) as project:
            assert project.read_only
            assert len(project.history()) == 3
            project.export(tmp_path / "qrels.txt")
            said = message(lambda: project.next("ann"))
            assert said == (
                f"{path}: cannot be written: the file or its folder is read-only; copy it to where you may write"
            )
            with pytest.raises(FileError, match=r"-lock: cannot be written: Read-only file system$"):
                project.lock()
    assert len((tmp_path / "qrels.txt").read_text().splitlines()) == 3


@posix
def test_recent_judgments_that_cannot_be_read_are_not_left_out(blank: Path, tmp_path: Path) -> None:
    with tiny_disk(tmp_path / "disk", "8m") as disk:
        path = Path(shutil.copy(blank, tmp_path / "p.unjudged"))
        with Project(path) as project:
            judge(project, "ann", 1, number=3)
            for ending in ("", "-wal"):  # as a process leaves them that is killed
                shutil.copy(f"{path}{ending}", disk)
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        there = disk / "p.unjudged"
        assert message(lambda: Project(there)) == (
            f"{there}: cannot be read where it is: recent judgments are in p.unjudged-wal;"
            " copy both to where you may write"
        )
