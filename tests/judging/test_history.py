"""The history only grows, and what counts follows from it: random sessions against a few lines of Python."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from unjudged.errors import FileError, InputError
from unjudged.judging import Project

from .conftest import GRADES, Opened

PEOPLE = ("ann", "bob")
STEPS = ("grade", "next", "adjudicate", "undo", "cannot", "skip", "withdraw", "import", "group")
NEAR = 5
"""Documents of an assessor that steps are about, so that several are about one."""
Step = tuple[str, str, int, int]
PAIRS = """
SELECT t.topic, d.doc, p.slots FROM pairs AS p JOIN topics AS t ON t.id = p.topic JOIN documents AS d ON d.id = p.doc
ORDER BY p.id
"""


class Model:
    """What a project should hold, as lists."""

    def __init__(self, two: set[int]) -> None:
        self.two = two
        self.said: list[tuple[str, int, str, int | None]] = []
        self.states: dict[tuple[int, str], tuple[str, int | None]] = {}
        self.decided: dict[int, int] = {}

    def add(self, who: str, pair: int, kind: str, grade: int | None = None) -> None:
        self.said.append((who, pair, kind, grade))
        if kind == "adjudicate":
            assert grade is not None
            self.decided[pair] = grade
        else:
            self.states[pair, who] = ("held", None) if kind == "withdraw" else (kind, grade)

    def answers(self, pair: int) -> list[int | None]:
        return [grade for (of, _), (kind, grade) in self.states.items() if of == pair and kind in ("grade", "cannot")]

    def final(self) -> dict[int, int]:
        pairs = {pair for pair, _ in self.states} | set(self.decided)
        grades = {pair: sorted(one for one in self.answers(pair) if one is not None) for pair in pairs}
        middle = {pair: own[(len(own) - 1) // 2] for pair, own in grades.items() if own}
        return middle | self.decided

    def disputed(self) -> set[int]:
        pairs = {pair for pair, _ in self.states} - set(self.decided)
        several = {pair: set(self.answers(pair)) for pair in pairs}
        return {pair for pair, own in several.items() if len(own) > 1 or None in own}

    def judged(self) -> set[int]:
        return {pair for pair, _ in self.states if self.answers(pair)} | set(self.decided)


def step(project: Project, model: Model, pairs: list[tuple[str, str]], one: Step, imported: list[int]) -> None:
    """One step of a session, if it is possible now, in both."""
    kind, who, number, grade = one
    if kind == "next":
        for task in project.next(who, 1 + number % 8):
            model.states[task.pair, who] = "held", None
        return
    if kind == "undo":
        task = project.undo(who)
        if task is not None:
            assert task.earlier[0].assessor == who
            model.add(who, task.pair, "withdraw")
        return
    if kind == "import":
        pair = number % len(pairs)
        topic, doc = pairs[pair]
        done = project.import_judgments({topic: {doc: grade}}, assessor="crowd")
        if done.added:
            model.add("crowd", pair + 1, "grade", grade)
            imported.append(pair + 1)
        return
    mine = sorted(pair for pair, name in model.states if name == who)[:NEAR]
    if not mine:
        return
    pair = mine[number % len(mine)]
    try:
        if kind == "adjudicate":
            project.adjudicate("lead", pair, grade)
            model.add("lead", pair, "adjudicate", grade)
        else:
            project.record(who, pair, kind, grade=grade if kind == "grade" else None)  # type: ignore[arg-type]
            model.add(who, pair, kind, grade if kind == "grade" else None)
    except InputError:
        state = model.states[pair, who][0]
        impossible = {"skip": state in ("grade", "cannot"), "withdraw": state == "held"}
        assert impossible.get(kind, False) or (kind == "adjudicate" and not model.answers(pair))


def check(project: Project, model: Model, pairs: list[tuple[str, str]], imported: list[int]) -> None:
    number = {pair: place for place, pair in enumerate(pairs, start=1)}
    rows = project.history()
    assert [(row.assessor, number[row.topic, row.doc], row.kind, row.grade) for row in rows] == model.said
    assert [row.id for row in rows] == sorted({row.id for row in rows})
    final = {number[row.topic, row.doc]: row.grade for row in project.judgments()}
    assert final == model.final()
    assert {task.pair for task in project.disagreements()} == model.disputed()
    progress = project.progress()
    assert progress.judged == len(model.judged()) == sum(topic.judged for topic in progress.topics)
    assert progress.disputed == len(model.disputed())
    judged = Counter(who for (_, who), (kind, _) in model.states.items() if kind in ("grade", "cannot"))
    assert {one.assessor: one.judged for one in progress.assessors} == {
        **dict.fromkeys(("ann", "bob", "lead"), 0),
        **judged,
    } | ({} if "crowd" in judged or not imported else {"crowd": 0})
    taken = Counter(
        pair for (pair, who), (kind, _) in model.states.items() if who in PEOPLE and kind in ("held", "grade", "cannot")
    )
    assert all(pair in model.two or pair in imported for pair, people in taken.items() if people > 1)


DECIDED: list[Step] = [
    *(("next", who, 7, 0) for who in PEOPLE),
    *(("grade", "ann", at, 2) for at in range(NEAR)),
    *(("grade", "bob", at, 1) for at in range(NEAR)),
    *(("adjudicate", "bob", at, 0) for at in range(NEAR)),
]
"""Both grade what they hold, one higher than the other, and the lead decides."""
steps = st.tuples(
    st.sampled_from((*STEPS[:2], *STEPS)), st.sampled_from(PEOPLE), st.integers(0, 40), st.sampled_from(sorted(GRADES))
)


@given(st.lists(steps, min_size=5, max_size=60))
@example([("next", "ann", 0, 0), ("skip", "ann", 0, 0), ("undo", "ann", 0, 0), ("undo", "ann", 0, 0)])
@example([("next", "ann", 0, 0), ("grade", "ann", 0, 2), ("undo", "ann", 0, 0), ("grade", "ann", 0, 1)])
@example(
    [("next", who, 5, 0) for who in PEOPLE] + [("grade", who, at, i) for at in range(6) for i, who in enumerate(PEOPLE)]
)
@example(DECIDED)
@example([*DECIDED, ("withdraw", "ann", 0, 0), ("undo", "bob", 0, 0)])
@settings(max_examples=80)
def test_a_session_is_what_its_steps_say(blank: Path, session: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.unjudged"
        shutil.copy(blank, path)
        with Project(path) as project:
            with closing(sqlite3.connect(path)) as connection:
                rows: list[Any] = connection.execute(PAIRS).fetchall()
            pairs = [(topic, doc) for topic, doc, _ in rows]
            model = Model({place for place, row in enumerate(rows, start=1) if row[2] == 2})
            imported: list[int] = []
            at = 0
            while at < len(session):
                # what stands between two "group"s is one transaction
                end = next((i for i in range(at + 1, len(session)) if session[i][0] == "group"), len(session))
                if session[at][0] == "group":
                    with project.transaction():
                        for one in session[at + 1 : end]:
                            step(project, model, pairs, one, imported)
                else:
                    for one in session[at:end]:
                        step(project, model, pairs, one, imported)
                at = end
            check(project, model, pairs, imported)
        with Project(path) as again:
            check(again, model, pairs, imported)


def test_entries_are_never_changed_or_deleted(project: Project) -> None:
    (task,) = project.next("ann")
    project.record("ann", task.pair, "grade", grade=1)
    with sqlite3.connect(project.path) as connection:
        for change in (
            "UPDATE judgments SET grade = 2",
            "DELETE FROM judgments",
            "UPDATE guidelines SET markdown = ''",
            "INSERT OR REPLACE INTO guidelines (id, markdown, at) VALUES (1, 'x', 'y')",
        ):
            connection.execute("PRAGMA recursive_triggers = ON")
            with pytest.raises(
                sqlite3.IntegrityError, match=r"^(judgments|guidelines) are never changed, only added to$"
            ):
                connection.execute(change)


def test_the_last_counts_and_history_stays(project: Project) -> None:
    (task,) = project.next("ann")
    for grade in (0, 2, 1):
        project.record("ann", task.pair, "grade", grade=grade, note=f"for the {grade}. time")
    rows = project.history(task.topic, task.doc)
    assert [(row.grade, row.note, row.counts) for row in rows] == [
        (0, "for the 0. time", False),
        (2, "for the 2. time", False),
        (1, "for the 1. time", True),
    ]
    assert [row.grade for row in project.judgments()] == [1]


def test_a_judgment_knows_its_text_its_guidelines_and_its_time(project: Project) -> None:
    (task,) = project.next("ann")
    assert project.set_guidelines("# Read more") == 2
    project.record("ann", task.pair, "grade", grade=1, guidelines=task.guidelines, seconds=3.5, flagged=True)
    (row,) = project.history(task.topic, task.doc)
    assert (row.text_sha256, row.guidelines, row.seconds, row.flagged) == (task.text_sha256, 1, 3.5, True)
    assert project.guidelines(row.guidelines).markdown == "# Read it all"
    assert project.guidelines().markdown == "# Read more"


def test_the_same_request_is_recorded_once(project: Project) -> None:
    (task,) = project.next("ann")
    first = project.record("ann", task.pair, "grade", grade=1, key="k1")
    assert project.record("ann", task.pair, "grade", grade=1, key="k1") == first
    assert len(project.history()) == 1
    message = "^the key 'k1' belongs to another judgment; every judgment has its own$"
    with pytest.raises(InputError, match=message):
        project.record("ann", task.pair, "grade", grade=2, key="k1")


def test_undo_goes_back_step_by_step(project: Project) -> None:
    first, second = project.next("ann", 2)
    project.record("ann", first.pair, "grade", grade=2)
    project.record("ann", second.pair, "cannot")
    undone = project.undo("ann")
    assert undone is not None
    assert (undone.pair, undone.earlier[0].kind) == (second.pair, "cannot")
    undone = project.undo("ann")
    assert undone is not None
    assert (undone.pair, undone.earlier[0].grade) == (first.pair, 2)
    assert [task.pair for task in project.next("ann", 2)] == [first.pair, second.pair]
    assert project.undo("ann") is None
    assert project.judgments() == ()
    assert [row.kind for row in project.history()] == ["grade", "cannot", "withdraw", "withdraw"]


def test_an_undo_that_is_asked_for_twice_takes_one_judgment_back(project: Project) -> None:
    tasks = project.next("ann", 2)
    for task in tasks:
        project.record("ann", task.pair, "grade", grade=1)
    for _ in range(2):
        undone = project.undo("ann", key="u1")
        assert undone is not None
        assert (undone.pair, undone.earlier[0].grade) == (tasks[1].pair, 1)
    assert [row.kind for row in project.history()] == ["grade", "grade", "withdraw"]
    assert len(project.judgments()) == 1


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"kind": "grade", "grade": 3}, "grade 3 is none of 0, 1, 2"),
        ({"kind": "grade"}, "a grade is a whole number, not None"),
        ({"kind": "grade", "grade": True}, "a grade is a whole number, not True"),
        ({"kind": "grade", "grade": 1.0}, "a grade is a whole number, not 1.0"),
        ({"kind": "skip", "grade": 1}, "a judgment of kind skip has no grade, but this one has 1"),
        ({"kind": "love"}, "a judgment is one of grade, skip, cannot, withdraw, adjudicate, not 'love'"),
        ({"kind": "adjudicate", "grade": 1}, "only the lead decides between judgments, with adjudicate"),
        ({"kind": "grade", "grade": 1, "seconds": -1}, "seconds are a number from 0 to 1,000,000, not -1"),
        ({"kind": "grade", "grade": 1, "seconds": float("nan")}, "seconds are a number from 0 to 1,000,000, not nan"),
        ({"kind": "grade", "grade": 1, "text_sha256": "abc"}, "text_sha256 is 64 hexadecimal digits, not 'abc'"),
        ({"kind": "grade", "grade": 1, "guidelines": 9}, "there is no version 9 of the guidelines"),
        ({"kind": "grade", "grade": 1, "flagged": "yes"}, "flagged is true or false, not 'yes'"),
        ({"kind": "grade", "grade": 1, "note": 7}, "the note is no text but int"),
        ({"kind": "withdraw"}, "document 'd4' of topic '1' has no judgment of yours that could be taken back"),
    ],
)
def test_what_cannot_be_a_judgment_is_refused_in_one_line(project: Project, said: dict[str, Any], message: str) -> None:
    tasks = {task.doc: task for task in project.next("ann", 24) if task.topic == "1"}
    with pytest.raises(InputError) as problem:
        project.record("ann", tasks["d4"].pair, **said)
    assert str(problem.value) == message
    assert project.history() == ()


def test_nobody_judges_what_they_were_not_given(project: Project) -> None:
    (task,) = project.next("ann")
    with pytest.raises(InputError) as problem:
        project.record("bob", task.pair, "grade", grade=1)
    about = f"document {task.doc!r} of topic {task.topic!r}"
    assert str(problem.value) == f"{about} is not assigned to this assessor; ask for the next one"
    with pytest.raises(InputError, match=r"^there is no pair 999 in this project; ask for the next one$"):
        project.record("ann", 999, "grade", grade=1)
    with pytest.raises(InputError, match=r"^there is no assessor 'eve' in this project; there is ann, bob, lead$"):
        project.next("eve")


def test_what_is_judged_cannot_be_skipped(project: Project) -> None:
    (task,) = project.next("ann")
    project.record("ann", task.pair, "grade", grade=1)
    with pytest.raises(InputError) as problem:
        project.record("ann", task.pair, "skip")
    about = f"document {task.doc!r} of topic {task.topic!r}"
    assert str(problem.value) == f"{about} is judged, so it cannot be skipped; undo the judgment first"


def test_a_part_of_a_transaction_fails_alone(project: Project) -> None:
    first, second = project.next("ann", 2)
    with project.transaction():
        project.record("ann", first.pair, "grade", grade=1)
        with pytest.raises(InputError):
            project.record("ann", second.pair, "grade", grade=99)
        project.record("ann", second.pair, "grade", grade=0)
    assert [row.grade for row in project.history()] == [1, 0]


def test_a_transaction_that_fails_leaves_nothing(project: Project) -> None:
    (task,) = project.next("ann")
    with pytest.raises(ZeroDivisionError), project.transaction():
        project.record("ann", task.pair, "grade", grade=1)
        assert len(project.history()) == 1  # it sees what it has written
        raise ZeroDivisionError
    assert project.history() == ()


def test_a_closed_project_says_so(opened: Opened) -> None:
    project = opened()
    project.close()
    with pytest.raises(FileError, match=r": the project is closed$"):
        project.progress()
