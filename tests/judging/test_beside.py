"""The process that computes what the judgments say beside the server."""

from __future__ import annotations

import io
import os
import pickle
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from unjudged.errors import InputError
from unjudged.judging import OutlookWorker, Project
from unjudged.judging.beside import Beside, answer

from .conftest import judge
from .test_outlook import write_runs

SECONDS = 120
"""Longer than a busy machine takes to start a process."""


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "p", runs=write_runs(tmp_path / "runs"), measure="P@5") as project:
        yield project


@pytest.fixture
def beside(project: Project) -> Iterator[Beside]:
    beside = Beside(project.path)
    yield beside
    beside.close()


def test_it_says_the_same_after_each_judgment(project: Project, beside: Beside) -> None:
    for _ in range(3):
        judge(project, "assessor", 1, number=4)
        assert beside.ask().to_json() == project.compute_outlook().to_json()
    assert project.outlook() is None
    assert project.refresh(beside.ask()) is project.outlook()


def test_it_says_what_cannot_be_said(project: Project, beside: Beside) -> None:
    run = Path(project.settings["runs"][0])
    run.write_text("changed")
    message = f"{run}: the run is gone or has changed since the project was made; judging goes on in the order there is"
    for _ in range(2):
        with pytest.raises(InputError) as problem:
            beside.ask()
        assert str(problem.value) == message


def test_it_is_started_again_when_it_was_killed(beside: Beside) -> None:
    first = beside.ask()
    process = beside._process
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    process.wait(SECONDS)
    with pytest.raises(InputError) as problem:
        beside.ask()
    assert str(problem.value) == "the process that computes what the judgments say has ended; it is started again"
    assert beside.ask().to_json() == first.to_json()


def test_it_ends_with_whoever_asks(project: Project, beside: Beside) -> None:
    beside.ask()
    process = beside._process
    assert process is not None
    assert process.stdin is not None
    process.stdin.close()  # as when the server is killed
    assert process.wait(SECONDS) == 0
    answers = io.BytesIO()
    answer(project.path, io.BytesIO(b"\n"), answers)
    assert pickle.loads(answers.getvalue()).to_json() == project.compute_outlook().to_json()


def test_it_is_not_started_once_it_is_closed(beside: Beside) -> None:
    beside.close()
    with pytest.raises(InputError) as problem:
        beside.ask()
    assert str(problem.value) == "the project is not served any more"


def test_a_worker_uses_it_where_the_project_is_in_files(project: Project, tmp_path: Path) -> None:
    with Project.create(tmp_path / "memory", runs={"r": {"t": {"d": 1.0}}}) as in_memory:
        for one in (project, in_memory):
            worker = OutlookWorker(one)
            assert worker.wait(SECONDS)
            assert one.outlook() is not None
            assert (worker._beside is not None) is one.is_in_file is (one is project)
            worker.close()
