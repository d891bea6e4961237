"""A small project, made once and copied for every test that changes it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from unjudged.errors import FileError
from unjudged.judging import Project

DOCS = [f"d{number}" for number in range(1, 9)]
RUNS = {
    "old": {topic: {doc: float(9 - place) for place, doc in enumerate(DOCS[:5])} for topic in ("1", "2", "3")},
    "new": {topic: {doc: float(9 - place) for place, doc in enumerate(DOCS[3:])} for topic in ("1", "2", "3")},
}
"""Two runs, which have 24 documents for three topics together."""
TOPICS = {
    "1": {"title": "goldfish", "description": "Do they grow?", "narrative": "All of it."},
    "2": "wifi",
    "3": "tea",
}
TEXTS = {doc: f"The text of {doc}." for doc in DOCS}
GRADES = {0: "not", 1: "partly", 2: "fully"}

Opened = Callable[..., Project]


@pytest.fixture(scope="session")
def blank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project for ann, bob and their lead, in which half of the documents are for two; nothing is judged."""
    path = tmp_path_factory.mktemp("project") / "blank.unjudged"
    Project.create(
        path,
        runs=RUNS,
        topics=TOPICS,
        texts=TEXTS,
        strategy="depth",
        grades=GRADES,
        overlap=0.5,
        assessors=("ann", "bob"),
        guidelines="# Read it all",
    ).close()
    return path


@pytest.fixture
def opened(blank: Path, tmp_path: Path) -> Iterator[Opened]:
    """Opens copies of the small project, which are closed afterwards."""
    with ExitStack() as stack:

        def copy(name: str = "work.unjudged") -> Project:
            shutil.copy(blank, tmp_path / name)
            return stack.enter_context(Project(tmp_path / name))

        yield copy


@pytest.fixture
def project(opened: Opened) -> Project:
    """The small project."""
    return opened()


def judge(project: Project, who: str, grades: dict[str, int] | int = 0, number: int | None = None) -> int:
    """Let somebody judge what they are given, with one grade or by document; how many documents that were."""
    done = 0
    while number is None or done < number:
        tasks = project.next(who)
        if not tasks:
            break
        grade = grades if isinstance(grades, int) else grades[tasks[0].doc]
        project.record(who, tasks[0].pair, "grade", grade=grade)
        done += 1
    return done


def message(work: Callable[[], object]) -> str:
    """What is said, in one line, of a file that something cannot be done with."""
    with pytest.raises(FileError) as problem:
        work()
    said = str(problem.value)
    assert "\n" not in said
    return said
