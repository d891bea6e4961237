"""What the judgments say while people judge, and the order of what is left."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

import unjudged as uj
from unjudged.demo.collection import write_collection
from unjudged.errors import InputError
from unjudged.judging import OutlookWorker, Project

from .conftest import RUNS, Opened, judge

ROOT = Path(__file__).parents[2]


def write_runs(folder: Path) -> Path:
    folder.mkdir()
    for name, topics in RUNS.items():
        lines = [
            f"{topic} Q0 {doc} 1 {score} {name}\n" for topic, docs in topics.items() for doc, score in docs.items()
        ]
        (folder / f"{name}.run").write_text("".join(lines))
    return folder


def test_it_is_what_next_says_of_the_same_judgments(tmp_path: Path) -> None:
    runs = write_runs(tmp_path / "runs")
    with Project.create(tmp_path / "p", runs=runs, measure="P@5", goal="old>new") as project:
        assert project.outlook() is None
        judge(project, "assessor", {f"d{number}": int(number < 4) for number in range(1, 9)}, number=9)
        result = project.refresh()
        assert project.outlook() is result
        project.export(tmp_path / "qrels.txt")
        expected = uj.next_judgments(
            tmp_path / "qrels.txt", runs, measure="P@5", goal="old>new", new=True, max_grade=1, budget=500
        )
        assert result.goals() == expected.goals()
        assert result.judgments() == expected.judgments()
        assert result.recall() == expected.recall()
        # and what is open is given out in this order
        wanted = [(row.topic, row.doc) for row in expected.judgments()]
        assert [(task.topic, task.doc) for task in project.next("assessor", 24)][: len(wanted)] == wanted


def test_the_first_order_is_the_strategys(tmp_path: Path) -> None:
    runs = write_runs(tmp_path / "runs")
    with Project.create(tmp_path / "p", runs=runs, strategy="mtf") as project:
        expected = uj.next_judgments({}, runs, "mtf", new=True, max_grade=1, budget=5)
        given = [(task.topic, task.doc) for task in project.next("assessor", 5)]
        assert given == [(row.topic, row.doc) for row in expected.judgments()]


def test_labels_order_the_work_and_are_nowhere_in_a_task(tmp_path: Path) -> None:
    runs = write_runs(tmp_path / "runs")
    labels = {"1": {"d8": 1, "d1": 0, "d4": 0}, "2": {"d1": 0, "d8": 1, "d4": 0}}
    with Project.create(tmp_path / "p", runs=runs, strategy="evidence", labels=labels) as project:
        plain = uj.next_judgments({}, runs, "evidence", new=True, max_grade=1, budget=24, labels=labels)
        tasks = project.next("assessor", 24)
        assert [(task.topic, task.doc) for task in tasks] == [(row.topic, row.doc) for row in plain.judgments()]
        assert not any("label" in name for name in vars(tasks[0]))


def test_where_runs_are_gone_judging_goes_on_and_the_lead_is_told(tmp_path: Path) -> None:
    runs = write_runs(tmp_path / "runs")
    Project.create(tmp_path / "p", runs=runs).close()
    (runs / "old.run").write_text("1 Q0 d9 1 1 old\n")
    with Project(tmp_path / "p") as project:
        with pytest.raises(InputError) as problem:
            project.refresh()
        assert str(problem.value) == (
            f"{runs / 'old.run'}: the run is gone or has changed since the project was made;"
            " judging goes on in the order there is"
        )
        assert judge(project, "assessor", 1) == 24


def test_runs_in_memory_are_there_as_long_as_the_project_is_open(tmp_path: Path) -> None:
    with Project.create(tmp_path / "p", runs=RUNS) as project:
        assert project.refresh().left == 24
    with (
        Project(tmp_path / "p") as again,
        pytest.raises(InputError, match=r"^the runs were given in memory, and are not here any more"),
    ):
        again.refresh()


def test_it_is_computed_after_each_batch_beside_the_work(tmp_path: Path) -> None:
    runs = write_runs(tmp_path / "runs")
    with Project.create(tmp_path / "p", runs=runs) as project:
        worker = OutlookWorker(project, batch=5)
        try:
            assert worker.wait(60)
            first = project.outlook()
            assert first is not None
            assert first.judged == 0
            judge(project, "assessor", 1, number=4)
            worker.judged(4)
            assert worker.wait(60)
            assert project.outlook() is first
            judge(project, "assessor", 1, number=1)
            worker.judged()
            assert worker.wait(60)
            second = project.outlook()
            assert second is not None
            assert second.judged == 5
            (runs / "new.run").unlink()
            worker.ask()
            assert worker.wait(60)
            assert worker.problem is not None
            assert worker.problem.startswith(f"{runs / 'new.run'}: the run is gone")
            assert project.outlook() is second
        finally:
            worker.close()


def test_a_project_that_can_only_be_read_has_an_outlook_too(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    project = opened()
    project._outlooks.runs = uj.Collection({}, RUNS).runs
    monkeypatch.setattr(project._store, "read_only", True)
    assert project.refresh().left == 24


def test_the_demo_is_judged_from_nothing_to_a_decided_comparison(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As experiments/judging_session.py does it: two assessors and their lead, who are wrong every tenth time."""
    monkeypatch.syspath_prepend(str(ROOT / "experiments"))
    session = importlib.import_module("judging_session").session
    collection = write_collection(tmp_path / "demo", 42)
    path = tmp_path / "p.unjudged"
    found = session(collection, path, runs=("later-neural-large", "dogwood-fused"), errors=0.1, seed=1)
    assert found.decided
    assert found.right
    assert 0 < found.judgments < found.pool / 10
    assert found.judgments <= found.given
    with Project(path) as project:
        assert project.progress().judged == found.judgments
        assert project.refresh().answered
