"""Two project files become one: nothing is lost or doubled, and what differs is listed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from unjudged.errors import InputError
from unjudged.judging import Project

from .conftest import RUNS, Opened, judge


def said(project: Project) -> list[tuple[str, str, str, str, int | None]]:
    return sorted(
        (row.topic, row.doc, row.assessor, row.kind, -1 if row.grade is None else row.grade)
        for row in project.history()
    )


def test_what_was_judged_apart_is_put_together(opened: Opened) -> None:
    here, there = opened("here"), opened("there")
    judge(here, "ann", 1, number=5)
    first = there.next("bob", 24)[-5:]
    for task in first:
        there.record("bob", task.pair, "grade", grade=2)
    wanted = sorted(said(here) + said(there))
    before = Path(there.path).read_bytes()
    done = here.merge(there.path)
    assert (done.added, done.known, done.conflicts) == (5, 0, ())
    assert said(here) == wanted
    assert here.progress().judged == 10
    assert Path(there.path).read_bytes() == before
    again = here.merge(there.path)
    assert (again.added, again.known) == (0, 5)
    assert said(here) == wanted


def test_a_common_past_is_known(opened: Opened, tmp_path: Path) -> None:
    here = opened("here")
    judge(here, "ann", 1, number=3)
    here.close()
    shutil.copy(here.path, tmp_path / "copy")
    with Project(here.path) as here, Project(tmp_path / "copy") as there:
        judge(here, "ann", 1, number=2)
        judge(there, "bob", 0, number=2)
        done = here.merge(there.path)
        assert (done.added, done.known) == (2, 3)
        back = there.merge(here.path)
        assert (back.added, back.known) == (2, 5)
        assert said(here) == said(there)
        assert here.exported() == there.exported()


def test_what_differs_is_listed(opened: Opened) -> None:
    here, there = opened("here"), opened("there")
    two = [task for task in here.next("ann", 24) if task.pair in {one.pair for one in here.next("bob", 24)}]
    mine, ours, decided = two[:3]
    for project, grade in ((here, 1), (there, 2)):
        project.next("ann", 24)
        project.next("bob", 24)
        project.record("ann", mine.pair, "grade", grade=grade)
        project.record("ann" if project is here else "bob", ours.pair, "grade", grade=grade)
        project.record("ann", decided.pair, "cannot")
        project.adjudicate("lead", decided.pair, grade)
    done = here.merge(there.path)
    assert sorted((one.what, one.topic, one.doc, one.here, one.there, one.counts) for one in done.conflicts) == sorted(
        [
            ("ann says two things", mine.topic, mine.doc, "grade 1", "grade 2", "grade 2"),
            ("two decisions", decided.topic, decided.doc, "grade 1", "grade 2", "grade 2"),
            (
                *("assessors differ", ours.topic, ours.doc, "ann: grade 1", "bob: grade 2"),
                "the lower median until the lead decides",
            ),
        ]
    )
    grades = {(row.topic, row.doc): row.grade for row in here.judgments()}
    assert grades[mine.topic, mine.doc] == 2
    assert grades[decided.topic, decided.doc] == 2
    assert grades[ours.topic, ours.doc] == 1
    assert [task.pair for task in here.disagreements()] == [ours.pair]


def test_what_was_taken_back_there_does_not_count_here(opened: Opened) -> None:
    here, there = opened("here"), opened("there")
    judge(there, "bob", 1, number=2)
    there.undo("bob")
    here.merge(there.path)
    assert [row.kind for row in here.history()] == ["grade", "grade", "withdraw"]
    assert len(here.judgments()) == 1


def test_topics_documents_texts_guidelines_and_people_come_along(opened: Opened, tmp_path: Path) -> None:
    here = opened("here")
    with Project.create(
        tmp_path / "there",
        runs={"x": {"7": {"e1": 1.0}, "1": {"d1": 1.0}}},
        topics={"7": "new topic"},
        texts={"e1": "a new text", "d1": "another text"},
        grades={0: "a", 1: "b", 2: "c"},
        guidelines="# Others",
        assessors=("cid",),
        strategy="depth",
    ) as there:
        judge(there, "cid", 1)
    done = here.merge(tmp_path / "there")
    assert [(one.what, one.doc, one.counts) for one in done.conflicts] == [("texts differ", "d1", "the text here")]
    assert [one.name for one in here.assessors] == ["ann", "bob", "lead", "cid"]
    rows = [row for row in here.history() if row.assessor == "cid"]
    assert {here.guidelines(row.guidelines).markdown for row in rows} == {"# Others"}
    assert here.guidelines().markdown == "# Read it all"
    assert ("7", "new topic", 1, 1) in here.progress().topics
    assert {row.text_sha256 for row in rows if row.doc == "e1"} != {None}
    judge(here, "ann", 0)
    assert ("1", "d1", "ann") not in [row[:3] for row in said(here)] or here.progress().to_do == 0


def test_only_the_same_scale_can_be_merged(opened: Opened, tmp_path: Path) -> None:
    here = opened("here")
    other = tmp_path / "other"
    Project.create(other, runs=RUNS, strategy="depth").close()
    with pytest.raises(InputError) as problem:
        here.merge(other)
    assert str(problem.value) == (
        f"{other}: grades are 0, 1 there and 0, 1, 2 here; only projects with the same scale can be merged"
    )
    with pytest.raises(InputError, match=r": this is the project itself$"):
        here.merge(here.path)
    with pytest.raises(InputError, match=r": no such project; give --runs to make one$"):
        here.merge(tmp_path / "none")
