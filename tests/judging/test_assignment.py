"""Who is given what: each document to one assessor, a share to two, and nothing lost when somebody goes away."""

from __future__ import annotations

import hashlib
import random
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from unjudged.judging import Project, assignment

from .conftest import DOCS, GRADES, RUNS, judge

MANY = {
    f"run{number}": {
        str(topic): {f"D{(number * 7 + place) % 60}": 60.0 - place for place in range(40)} for topic in range(10)
    }
    for number in range(4)
}
PEOPLE = [f"assessor {number}" for number in range(6)]


def slots(path: str) -> dict[int, int]:
    with closing(sqlite3.connect(path)) as connection:
        return dict(connection.execute("SELECT id, slots FROM pairs").fetchall())


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("many") / "many.unjudged"
    Project.create(
        path, runs=MANY, strategy="depth", depth=40, grades=GRADES, overlap=0.2, assessors=PEOPLE, lead=PEOPLE[0]
    ).close()
    return path


def test_no_pair_is_judged_twice_beyond_the_share_that_should_be(many: Path) -> None:
    rng = random.Random(1)
    with Project(many) as project:
        waiting = set(PEOPLE)
        while waiting:
            who = rng.choice(sorted(waiting))
            tasks = project.next(who, rng.randint(1, 3))
            if not tasks:
                waiting.remove(who)
            for task in tasks[: rng.randint(0, 3)]:
                with project.transaction():
                    project.record(who, task.pair, "grade", grade=rng.choice([0, 1]))
        judges: dict[tuple[str, str], set[str]] = {}
        for row in project.history():
            judges.setdefault((row.topic, row.doc), set()).add(row.assessor)
        wanted = slots(project.path)
        assert len(judges) == len(wanted) == project.progress().judged
        several = sum(len(who) == 2 for who in judges.values())
        assert all(len(who) <= 2 for who in judges.values())
        assert several == sum(number == 2 for number in wanted.values()) == project.agreement().pairs
        assert 0.14 < several / len(judges) < 0.26  # 20%, drawn by the seed


def test_assessors_at_once_never_get_the_same_document(many: Path, tmp_path: Path) -> None:
    path = tmp_path / "threads.unjudged"
    Project.create(path, runs=MANY, strategy="depth", overlap=0, assessors=PEOPLE, lead=PEOPLE[0]).close()
    given: dict[str, list[int]] = {who: [] for who in PEOPLE}
    with Project(path) as project:

        def work(who: str) -> None:
            for _ in range(12):
                for task in project.next(who, 2)[:1]:
                    given[who].append(task.pair)
                    project.record(who, task.pair, "grade", grade=1)

        threads = [threading.Thread(target=work, args=(who,)) for who in PEOPLE]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        everything = [pair for pairs in given.values() for pair in pairs]
        assert len(everything) == len(set(everything)) == len(project.history()) == project.progress().judged == 72


def test_what_somebody_holds_stays_theirs_over_a_restart(project: Project) -> None:
    held = project.next("ann", 2)
    others = project.next("bob", 24)
    project.close()
    with Project(project.path) as again:
        assert again.next("ann", 2) == held
        assert again.next("bob", 24) == others
    two = slots(project.path)
    assert all(two[task.pair] == 2 for task in held if task.pair in {other.pair for other in others})


def test_the_queue_is_given_out_in_order(tmp_path: Path) -> None:
    with Project.create(tmp_path / "p", runs=RUNS, strategy="depth") as project:
        order = [(task.topic, task.doc) for task in project.next("assessor", 24)]
    tops = [("1", "d1"), ("2", "d1"), ("3", "d1"), ("1", "d4"), ("2", "d4"), ("3", "d4")]
    assert order[:6] == tops
    assert sorted(order) == [(topic, doc) for topic in "123" for doc in DOCS]


def test_a_skipped_document_comes_last_and_for_anybody(project: Project) -> None:
    (task,) = project.next("ann")
    project.record("ann", task.pair, "skip")
    assert task.pair not in [one.pair for one in project.next("ann", 23)]
    given = [one.pair for one in project.next("ann", 24)]
    assert given[-1] == task.pair
    bob = [one.pair for one in project.next("bob", 24)]
    assert (task.pair in bob) == (slots(project.path)[task.pair] == 2)


def test_a_document_that_somebody_else_took_after_a_skip_cannot_come_back_by_undo(project: Project) -> None:
    single = next(task for task in project.next("ann", 24) if slots(project.path)[task.pair] == 1)
    project.record("ann", single.pair, "skip")
    assert single.pair in [task.pair for task in project.next("bob", 24)]
    assert project.undo("ann") is None


def test_the_second_of_two_never_is_the_first(project: Project) -> None:
    first = [task.pair for task in project.next("ann", 24)]
    second = [task.pair for task in project.next("bob", 24)]
    assert len(first) == 24
    assert set(second) == {pair for pair, number in slots(project.path).items() if number == 2}
    assert project.next("lead") == ()


def test_who_cannot_judge_leaves_it_to_the_lead(project: Project) -> None:
    (task,) = project.next("ann")
    project.record("ann", task.pair, "cannot", note="it is empty")
    (waiting,) = project.disagreements()
    assert (waiting.pair, waiting.adjudicate) == (task.pair, True)
    assert [(row.assessor, row.kind, row.note) for row in waiting.earlier] == [("ann", "cannot", "it is empty")]
    project.adjudicate("lead", task.pair, 0)
    assert project.disagreements() == ()
    assert [(row.grade, row.judges, row.adjudicated) for row in project.judgments()] == [(0, 0, True)]


def test_what_is_held_for_too_long_goes_to_who_has_nothing_left(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    time = [1000.0]
    monkeypatch.setattr(assignment.time, "monotonic", lambda: time[0])
    held = project.next("ann", 24)
    judge(project, "bob")
    assert project.next("bob") == ()
    time[0] += assignment.HELD_SECONDS - 1
    assert project.next("bob") == ()
    time[0] += 1
    (taken,) = project.next("bob")
    assert slots(project.path)[taken.pair] == 1
    late = next(task for task in held if task.pair == taken.pair)
    # What somebody did after all is kept, too: work is never refused.
    project.record("ann", late.pair, "grade", grade=1)
    project.record("bob", taken.pair, "grade", grade=1)
    assert [row.assessor for row in project.history(late.topic, late.doc)] == ["ann", "bob"]


def test_what_somebody_who_left_holds_can_be_released(project: Project) -> None:
    held = {task.pair for task in project.next("ann", 24)}
    judge(project, "bob")
    assert project.release("ann") == 24
    assert {task.pair for task in project.next("bob", 24)} <= held
    assert project.release("ann") == 0


def test_agreement_is_that_of_what_two_graded(project: Project) -> None:
    judge(project, "ann", {doc: place % 3 for place, doc in enumerate(DOCS)})
    assert project.agreement().pairs == 0
    assert project.agreement().alpha is None
    judge(project, "bob", {doc: place % 3 for place, doc in enumerate(DOCS)})
    agreement = project.agreement()
    two = sum(number == 2 for number in slots(project.path).values())
    assert (agreement.pairs, agreement.kappa, agreement.alpha, agreement.same) == (two, 1.0, 1.0, 1.0)
    assert [(one.first, one.second, one.pairs) for one in agreement.assessors] == [("ann", "bob", two)]


def test_disagreement_waits_for_the_lead_and_counts_low_until_then(project: Project) -> None:
    judge(project, "ann", 2)
    judge(project, "bob", 1)
    two = {pair for pair, number in slots(project.path).items() if number == 2}
    waiting = project.disagreements()
    assert {task.pair for task in waiting} == two
    assert [task.pair for task in project.disagreements(1)] == [waiting[0].pair]
    about = waiting[0].topic, waiting[0].doc
    assert {row.grade for row in project.judgments() if (row.topic, row.doc) == about} == {1}
    with pytest.raises(ValueError, match=r"^only the lead decides between judgments$"):
        project.adjudicate("ann", waiting[0].pair, 2)
    project.adjudicate("lead", waiting[0].pair, 2, "it is all there")
    assert {row.grade for row in project.judgments() if (row.topic, row.doc) == about} == {2}
    assert len(project.disagreements()) == len(two) - 1
    project.record("bob", waiting[0].pair, "grade", grade=0)  # what was decided stays decided
    assert {row.grade for row in project.judgments() if (row.topic, row.doc) == about} == {2}


def test_nobody_decides_what_nobody_judged(project: Project) -> None:
    (task,) = project.next("ann")
    message = "^nobody has judged document 'd1' of topic '1' yet, so there is nothing to decide$"
    assert (task.topic, task.doc) == ("1", "d1")
    with pytest.raises(ValueError, match=message):
        project.adjudicate("lead", task.pair, 1)


def test_progress_is_by_topic_and_by_assessor(project: Project) -> None:
    tasks = project.next("ann", 4)
    for place, task in enumerate(tasks):
        project.record("ann", task.pair, "grade", grade=0, seconds=10.0 * (place + 1))
    progress = project.progress()
    assert (progress.judged, progress.to_do, progress.pairs, progress.seconds) == (4, 20, 24, 25.0)
    assert [(row.topic, row.title, row.judged, row.pairs) for row in progress.topics] == [
        ("1", "goldfish", 2, 8),
        ("2", "wifi", 1, 8),
        ("3", "tea", 1, 8),
    ]
    assert project.progress("ann").assessors == (("ann", 4, 25.0),)
    assert project.progress("bob").assessors == (("bob", 0, None),)


def test_a_task_has_what_an_assessor_needs_and_nothing_of_runs(tmp_path: Path) -> None:
    with Project.create(
        tmp_path / "p",
        runs=RUNS,
        topics={"1": {"title": "gold fish", "description": "Do they\n grow?", "narrative": "All.\n\nOf it."}},
        texts={"d1": "Some text", "d2": "More"},
        link="https://example.org/{topic}/{doc}?x=1",
        strategy="depth",
    ) as project:
        task = project.next("assessor")[0]
    assert (task.topic, task.title, task.description, task.narrative) == (
        "1",
        "gold fish",
        "Do they grow?",
        "All.\n\nOf it.",
    )
    assert (task.doc, task.text, task.link) == ("d1", "Some text", "https://example.org/1/d1?x=1")
    assert not {"run", "runs", "rank", "score", "expected", "probabilities"} & set(vars(task))


def test_titles_of_documents_stand_apart_and_hashes_are_of_all(tmp_path: Path) -> None:
    texts = tmp_path / "docs.jsonl"
    texts.write_text('{"id": "d1", "title": "A fish", "text": "It swims."}\n{"id": "d4", "title": "Only a title"}\n')
    with Project.create(tmp_path / "p", runs=RUNS, texts=texts, strategy="depth") as project:
        tasks = {task.doc: task for task in project.next("assessor", 24)}
    assert (tasks["d1"].doc_title, tasks["d1"].text) == ("A fish", "It swims.")
    assert tasks["d1"].text_sha256 == hashlib.sha256(b"A fish\nIt swims.").hexdigest()
    assert (tasks["d4"].doc_title, tasks["d4"].text) == ("", "Only a title")
    assert (tasks["d2"].doc_title, tasks["d2"].text, tasks["d2"].text_sha256) == ("", None, None)
