"""A collection is read once, asked often, and says the same as the functions of the same name."""

from __future__ import annotations

import io
import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import unjudged as uj
from unjudged.data.run import Run
from unjudged.errors import InputError, UnjudgedWarning
from unjudged.io import reading
from unjudged.io.formats.base import Value
from unjudged.io.rows import Rows

QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 1, "c": 1}}
RUNS = {
    "x": {"1": {"h": 2.0, "a": 1.0}, "2": {"a": 2.0, "c": 1.0}},
    "y": {"1": {"a": 1.0, "b": 0.5}, "2": {"c": 2.0, "k": 1.0}},
}
GROUPS = {"x": "one", "y": "two"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    judged = [f"{topic} 0 {doc} {grade}\n" for topic, docs in QRELS.items() for doc, grade in docs.items()]
    (tmp_path / "qrels.txt").write_text("".join(judged))
    (tmp_path / "teams.tsv").write_text("x one\ny two\n")
    (tmp_path / "runs").mkdir()
    for name, topics in RUNS.items():
        lines = [f"{t} Q0 {d} 0 {s} {name}\n" for t, docs in topics.items() for d, s in docs.items()]
        (tmp_path / "runs" / name).write_text("".join(lines))
    return tmp_path


@pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")
def test_a_question_is_the_function_of_its_name() -> None:
    asked = uj.Collection(QRELS, RUNS, groups=GROUPS, seed=7)
    how: dict[str, Any] = {"groups": GROUPS, "seed": 7}
    assert asked.score("P@2", holes="bounds").to_json() == uj.score(QRELS, RUNS, "P@2", holes="bounds", **how).to_json()
    assert asked.compare("P@2", draws=20).to_json() == uj.compare(QRELS, RUNS, "P@2", draws=20, **how).to_json()
    assert asked.relative("P@2").to_json() == uj.relative(QRELS, RUNS, "P@2", **how).to_json()
    ways: dict[str, Any] = {"degrade": "LeaveOutGroup(2)", "holes": "nonrelevant"}
    assert asked.reuse("P@2", **ways).to_json() == uj.reuse(QRELS, RUNS, "P@2", **ways, **how).to_json()
    assert asked.doctor().to_json() == uj.doctor(QRELS, RUNS, **how).to_json()
    bootstrap = uj.CorpusBootstrap(images=3)
    assert asked.resample("P@2", bootstrap).summary() == uj.resample(QRELS, RUNS, "P@2", bootstrap, **how).summary()
    assert asked.report("P@2").sentences == uj.report(QRELS, RUNS, "P@2", **how).sentences


def test_judgments_are_read_when_they_are_asked_for_and_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = []

    def watch(path: str, value: Value, **how: Any) -> Rows:
        read.extend([path] if value == "grade" else [])
        return original(path, value, **how)

    original = reading.read_rows
    monkeypatch.setattr(reading, "read_rows", watch)
    collection = uj.Collection(folder / "qrels.txt", folder / "runs", pool_depth=2)
    assert read == []
    collection.score("P@2", holes="bounds")
    collection.relative("P@2")
    assert read == [str(folder / "qrels.txt")]


def test_mistakes_in_names_are_said_before_anything_is_read() -> None:
    with pytest.raises(InputError) as caught:
        uj.Collection("no.qrels", "no.run").score("P@x")
    assert str(caught.value) == "P: cutoff must be a whole number from 1 to 1,000,000, not 'x'"


def test_runs_are_let_go_one_after_the_other(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While one is worked on, no other is in memory."""
    import gc
    import weakref

    alive: list[weakref.ref[Run]] = []
    most = 0

    def watch(rows: Rows, **how: Any) -> Run:
        run = original(rows, **how)
        alive.append(weakref.ref(run))
        return run

    def work(run: Run) -> str:
        nonlocal most
        gc.collect()
        most = max(most, sum(one() is not None for one in alive))
        return run.name

    original = reading.run_of
    monkeypatch.setattr(reading, "run_of", watch)
    infos, names = uj.Collection(folder / "qrels.txt", [folder / "runs"] * 4, jobs=1).each_run(work)
    assert (most, names) == (1, ["x", "y"] * 4)
    assert len({info.name for info in infos}) == 8


def test_a_run_in_a_study_says_which_topics_it_has() -> None:
    runs = {"one": {"2": {"a": 1.0}, "3": {"a": 1.0}}}
    [info], [run] = uj.Collection(QRELS, runs).each_run(lambda run: run)
    assert (info.name, info.answered.tolist(), info.extra_topics, len(run)) == ("one", [False, True], 1, 2)


def test_other_parts_leave_the_collection_as_it_was() -> None:
    collection = uj.Collection(QRELS, RUNS, groups=GROUPS)
    fewer = collection.replaced(runs=collection.runs[:1])
    assert (len(fewer.runs), len(collection.runs)) == (1, 2)
    assert fewer.qrels is collection.qrels


def test_the_files_behind_it(folder: Path) -> None:
    qrels, runs, teams = folder / "qrels.txt", folder / "runs", folder / "teams.tsv"
    collection = uj.Collection(qrels, [runs, RUNS["x"]], groups=teams, pool=QRELS)
    files = [(str(qrels), "qrels"), (str(runs / "x"), "run"), (str(runs / "y"), "run"), (str(teams), "groups")]
    assert collection.inputs() == files
    assert repr(collection) == f"Collection({qrels}, 3 runs)"


def test_results_say_what_they_were_made_of_where_that_is_wanted(folder: Path) -> None:
    qrels, runs = folder / "qrels.txt", folder / "runs"
    assert json.loads(uj.score(qrels, runs, "P@1").to_json())["inputs"] == []
    made = json.loads(uj.score(qrels, runs, "P@1", hashes=True, command=["mine", "1"], seed=3).to_json())
    assert [(one["role"], len(one["sha256"])) for one in made["inputs"]] == [("qrels", 64), ("run", 64), ("run", 64)]
    assert (made["unjudged"]["command"], made["unjudged"]["seed"]) == (["mine", "1"], 3)


@pytest.mark.parametrize("by_function", [True, False])
def test_warnings_are_at_the_line_of_the_caller(by_function: bool) -> None:
    runs = {"x": {"1": {"a": 1.0}}}
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        if by_function:
            uj.score(QRELS, runs, "P@1")
        else:
            uj.Collection(QRELS, runs).score("P@1")
    assert [(one.category, Path(one.filename).name) for one in warned] == [(UnjudgedWarning, Path(__file__).name)]


def test_standard_input_can_be_read_twice_by_one_question(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "1 Q0 a 1 2 piped\n2 Q0 k 1 2 piped\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    scores = uj.score(QRELS, "-", "indAP", pool_depth=1)
    assert scores.runs == ("piped",)


def generated() -> Iterator[tuple[str, str, float]]:
    yield "1", "a", 1.0
    yield "2", "k", 1.0


def test_what_can_be_read_once_is_read_once_by_each_question() -> None:
    """A list of rows is a run; the rows of a generator are kept when the collection is made."""
    collection = uj.Collection(QRELS, generated())
    assert collection.score("P@1").mean() == collection.score("P@1").mean()


def test_scores_are_read_as_the_collection_says() -> None:
    close = {"x": {"1": {"a": 1.0 + 1e-9, "b": 1.0}, "2": {"a": 1.0}}}
    assert uj.Collection(QRELS, close).score("P@1").mean()["x", "P@1"] == 1.0
    assert uj.Collection(QRELS, close, scores="float32").score("P@1").mean()["x", "P@1"] == 0.5
    assert [one.score_type for one in uj.Collection(QRELS, close, scores="float32").runs] == ["float32"]


# ---- what only some questions could be told before


def test_the_doctor_reads_everything_that_is_given(folder: Path) -> None:
    (folder / "teams.tsv").write_text("x\n")
    (folder / "pool.txt").write_text("1\n")
    (folder / "intents.txt").write_text("1 s 0.5\n")
    diagnosis = uj.doctor(
        folder / "qrels.txt",
        folder / "runs",
        groups=folder / "teams.tsv",
        pool=folder / "pool.txt",
        intents=folder / "intents.txt",
        texts={"a": "words"},
    )
    result = [(one.where, one.message) for one in diagnosis.findings if one.code == "unreadable-file"]
    assert result == [
        (f"{folder / 'teams.tsv'}:1", "expected 2 columns (run group), got 1: 'x'"),
        (f"{folder / 'pool.txt'}:1", "expected 2 columns (topic doc) or those of judgments, got 1: '1'"),
        (
            f"{folder / 'intents.txt'}",
            f"{folder / 'qrels.txt'}: probabilities are for subtopics, which these judgments do not have",
        ),
    ]
    assert not diagnosis.warnings


def test_the_doctor_ranks_as_the_collection_says() -> None:
    close = {"x": {"1": {"a": 1.0 + 1e-9, "b": 1.0}, "2": {"a": 2.0, "c": 1.0}}}

    def codes(**how: Any) -> set[str]:
        return {one.code for one in uj.doctor(QRELS, close, **how).findings}

    assert "all-scores-equal" not in codes()
    assert "all-scores-equal" in codes(scores="float32")


def test_a_report_knows_the_pool() -> None:
    pool = {"1": ["h"], "2": ["k"]}
    page = uj.report(QRELS, RUNS, "indAP", pool=pool, reuse=False, holes="nonrelevant")
    alone = uj.report(QRELS, RUNS, "indAP", reuse=False, holes="nonrelevant")
    assert page.overview.scores.mean() == uj.score(QRELS, RUNS, "indAP", pool=pool).mean()
    assert "no-pool" in {one.code for one in alone.overview.warnings}
    assert "no-pool" not in {one.code for one in page.overview.warnings}


def test_texts_that_a_report_shows_are_used() -> None:
    page = uj.report(QRELS, RUNS, "P@2", texts={"a": "some words"}, reuse=False, holes="nonrelevant")
    assert "unused-texts" not in {one.code for one in page.overview.warnings}
    assert page.overview.rankings.excerpts == {"a": "some words"}


def test_relative_knows_the_pool_and_counts_within_its_depth() -> None:
    assert uj.relative(QRELS, RUNS, "P@2", pool_depth=1).pool_depth == 1
    assert uj.relative(QRELS, RUNS, "P@2").pool_depth == 2
    pool = {"1": ["h"], "2": ["k"]}
    pooled = uj.relative(QRELS, RUNS, "P@2", absolute="indAP", pool=pool)
    plain = uj.relative(QRELS, RUNS, "P@2", absolute="indAP")
    assert pooled.run("x").absolute == uj.score(QRELS, RUNS, "indAP", pool=pool).mean()["x", "indAP"]
    assert pooled.run("x").absolute != plain.run("x").absolute


def test_a_pool_and_a_pool_depth_cannot_both_be_meant() -> None:
    with pytest.raises(InputError) as caught:
        uj.Collection(QRELS, RUNS, pool=QRELS, pool_depth=1)
    assert str(caught.value) == "give a pool or a pool depth, not both"
