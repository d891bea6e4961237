"""What ``holes="auto"`` asks about which measure, and that its numbers are those of the models it chose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unjudged as uj
from unjudged.io import formats, run_parts
from unjudged.io.reading import RunMemory, RunSource
from unjudged.studies import score_with_estimates

QRELS = {t: {"a": 2, "b": 0, "c": 1, "e": 0} for t in ("1", "2", "3")}
JUDGED = {t: {"a": 3.0, "b": 2.0, "c": 1.0} for t in QRELS}
HOLES = {t: {"x": 3.0, "a": 2.0, "y": 1.0} for t in QRELS}
RUNS = {"judged": JUDGED, "holes": HOLES}
MEASURES = ["nDCG@2", "AP", "P@2"]


def asked(scores: uj.Scores) -> dict[str, list[str]]:
    return {
        measure: [hole for h, hole in enumerate(scores.holes) if scores.is_asked(h, m)]
        for m, measure in enumerate(scores.measures)
    }


def test_measures_with_a_cutoff_have_bounds_and_an_estimate_and_others_their_score() -> None:
    scores = uj.score(QRELS, RUNS, MEASURES, holes="auto")
    models = ["nonrelevant", "joint", "discounted"]
    assert asked(scores) == {"nDCG@2": models, "AP": ["nonrelevant"], "P@2": models}
    assert {(row.measure, row.holes) for row in scores.mean()} == {
        (measure, hole) for measure, holes in asked(scores).items() for hole in holes
    }


def test_its_numbers_are_those_of_the_models() -> None:
    scores = uj.score(QRELS, RUNS, MEASURES, holes="auto")
    for hole in scores.holes:
        alone = uj.score(QRELS, RUNS, ["nDCG@2", "P@2"], holes=hole)
        wanted = [*alone.mean(), *alone.per_topic()]
        got = [row for row in [*scores.mean(), *scores.per_topic()] if row.holes == hole and row.measure != "AP"]
        assert got == wanted
    drawn = scores.distribution("holes", "1", measure="P@2")
    assert np.array_equal(
        drawn.values, uj.score(QRELS, RUNS, "P@2", holes="discounted").distribution("holes", "1").values
    )


def test_where_all_is_judged_within_the_cutoffs_nothing_is_asked() -> None:
    scores = uj.score(QRELS, {"judged": JUDGED, "top": {t: {"a": 2.0, "x": 1.0} for t in QRELS}}, "P@1", holes="auto")
    assert scores.holes == ("nonrelevant",)
    assert not scores.chosen


@pytest.mark.filterwarnings("ignore::unjudged.UnjudgedWarning")  # so small a pool says nothing
def test_evidence_is_asked_where_more_than_five_groups_made_the_runs() -> None:
    runs = {f"run{i}": {t: {f"d{i}": 3.0, "a": 2.0, "x": 1.0} for t in QRELS} for i in range(6)}
    of_all = uj.score(QRELS, runs, "P@3", holes="auto", groups={run: run for run in runs})
    of_five = uj.score(QRELS, runs, "P@3", holes="auto", groups={run: min(run, "run4") for run in runs})
    assert (of_all.holes[2], of_five.holes[2]) == ("evidence", "discounted")


def test_bounds_take_the_place_of_joint_where_those_are_not_known(tmp_path: Path) -> None:
    qrels = tmp_path / "diversity.qrels"
    qrels.write_text("".join(f"{t} {s} {d} {g}\n" for t in "12" for s in "12" for d, g in (("a", 1), ("b", 0))))
    scores = uj.score(qrels, {"r": {t: {"x": 2.0, "a": 1.0} for t in "12"}}, "alpha_nDCG@2", holes="auto")
    assert scores.holes[1] == "bounds"


@pytest.mark.filterwarnings("ignore:no grade is 1 or higher:unjudged.UnjudgedWarning")
def test_judgments_without_grades_leave_bounds_alone() -> None:
    unknown = {t: {"a": -1, "b": -1} for t in QRELS}
    scores = uj.score(unknown, RUNS, "P@2", holes="auto", negative="pooled")
    assert scores.holes == ("nonrelevant", "joint")


def test_too_many_holes_are_said_and_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(score_with_estimates, "MOST_HOLES", 2)
    with pytest.warns(uj.UnjudgedWarning) as said:
        scores = uj.score(QRELS, RUNS, "P@2", holes="auto")
    assert scores.holes == ("nonrelevant",)
    assert [str(one.message) for one in said] == [
        "P@2: 3 unjudged documents within the cut-off are too many to draw grades for without being asked to; --holes"
        " joint --holes discounted does, or take a lower cut-off"
    ]


@settings(max_examples=30)
@given(
    data=st.lists(
        st.lists(
            st.tuples(st.sampled_from(["1", "10", "2", "9"]), st.sampled_from("abcdexyzuvw")), min_size=1, unique=True
        ),
        min_size=1,
        max_size=4,
    ),
    judged=st.dictionaries(st.sampled_from("abcdexyz"), st.integers(0, 2), min_size=1),
)
@pytest.mark.filterwarnings("ignore::unjudged.UnjudgedWarning")
def test_what_is_kept_of_runs_says_the_same_as_whole_runs(
    data: list[list[tuple[str, str]]], judged: dict[str, int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """In files with topics in any order, cut anywhere, some of them not judged."""
    files = []
    for i, rows in enumerate(data):
        files.append(str(tmp_path_factory.getbasetemp() / f"kept{i}.run"))
        lines = [f"{t} Q0 {d} 0 {9 - j} run{i}\n" for j, (t, d) in enumerate(sorted(rows, key=_topic))]
        Path(files[-1]).write_text("".join(lines))
    qrels = dict.fromkeys(("1", "2", "9"), judged)
    measures = ["nDCG@3", "P@2"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_parts, "PART_BYTES", 40)
        try:
            auto = uj.score(qrels, files, measures, holes="auto")
        except uj.InputError as problem:  # a run without judged topics
            with pytest.raises(uj.InputError, match=re.escape(str(problem))):
                uj.score(qrels, files, measures)
            return
    for hole in auto.holes:
        alone = uj.score(qrels, files, measures, holes=hole)
        for m, measure in enumerate(measures):
            if auto.is_asked(auto.holes.index(hole), m):
                of_measure = [row for row in [*alone.mean(), *alone.per_topic()] if row.measure == measure]
                got = [row for row in [*auto.mean(), *auto.per_topic()] if (row.measure, row.holes) == (measure, hole)]
                assert got == of_measure


def _topic(row: tuple[str, str]) -> int:
    """In neither order: 9 before 10, which is before 2."""
    return ["1", "9", "10", "2"].index(row[0])


def test_auto_stands_alone() -> None:
    with pytest.raises(uj.InputError, match=r"^auto chooses hole models itself; leave it out to ask for bounds$"):
        uj.score(QRELS, RUNS, "P@2", holes=["auto", "bounds"])


def test_each_run_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[object] = []
    before = RunSource._read

    def counted(self: RunSource, threads: int) -> object:
        if not isinstance(self.source, uj.Run):  # which is in memory
            read.append(self.name)
        return before(self, threads)

    monkeypatch.setattr(RunSource, "_read", counted)
    scores = uj.score(QRELS, RUNS, "P@2", holes="auto")
    assert len(scores.holes) == 3
    assert sorted(map(str, read)) == ["holes", "judged"]


@pytest.mark.parametrize(
    ("measure", "sizes", "room", "times"),
    [
        ("P@2", 1 << 22, 1 << 20, 1),
        ("P@2", 0, 1 << 20, 1),
        ("P@2", 1 << 22, 0, 1),
        ("P@2", 0, 0, 2),
        ("AP", 1 << 22, 1 << 20, 1),
    ],
)
def test_files_are_opened_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, measure: str, sizes: int, room: int, times: int
) -> None:
    """But large ones of which not even the first documents fit."""
    monkeypatch.setattr(score_with_estimates, "MOST_KEPT", room)
    for name, run in RUNS.items():
        (tmp_path / name).write_text("".join(f"{t} Q0 {d} 0 {s} {name}\n" for t, d, s in _rows(run)))
    opened: list[str] = []
    before = formats.raw_blocks

    def noted(path: str, *size: int | None) -> Iterator[bytes]:
        opened.append(Path(path).name)
        return before(path, *size)

    monkeypatch.setattr(formats, "raw_blocks", noted)
    monkeypatch.setattr(run_parts, "PART_BYTES", sizes)
    files = [str(tmp_path / name) for name in RUNS]
    assert uj.score(QRELS, files, measure, holes="auto").mean() == uj.score(QRELS, RUNS, measure, holes="auto").mean()
    assert sorted(opened) == sorted([*RUNS] * times)


def test_runs_without_room_are_read_again_and_say_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = uj.score(QRELS, RUNS, "P@2", holes="auto").mean()
    monkeypatch.setattr(score_with_estimates, "MOST_KEPT", 0)
    assert uj.score(QRELS, RUNS, "P@2", holes="auto").mean() == wanted
    monkeypatch.setattr(RunMemory.__init__, "__defaults__", (0,))
    assert uj.score(QRELS, RUNS, "P@2", holes="auto").mean() == wanted
    once = {"judged": _rows(JUDGED), "holes": _rows(HOLES)}
    assert uj.score(QRELS, once, "P@2", holes="auto").mean() == wanted, "what cannot be read twice is kept"


def _rows(run: dict[str, dict[str, float]]) -> Iterator[tuple[str, str, float]]:
    return ((t, d, s) for t, docs in run.items() for d, s in docs.items())
