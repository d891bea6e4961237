"""Where a change comes from: against scoring each run under each judgments by brute force."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unjudged as uj
from unjudged.results.history import ChangeRow

Judged = dict[str, dict[str, int]]
Ranked = dict[str, list[str]]

docs = [f"d{i}" for i in range(8)]
judgments = st.dictionaries(
    st.sampled_from(["1", "2", "3", "4"]),
    st.dictionaries(st.sampled_from(docs), st.integers(0, 3), min_size=1),
    min_size=1,
)
rankings = st.fixed_dictionaries(
    {str(t): st.lists(st.sampled_from(docs), min_size=1, unique=True) for t in range(1, 5)}
)


def write(folder: Path, name: str, held: Judged | Ranked) -> Path:
    """Judgments or a run as a file."""
    lines = []
    for topic, own in held.items():
        if isinstance(own, dict):
            lines += [f"{topic} 0 {doc} {grade}" for doc, grade in own.items()]
        else:
            lines += [f"{topic} Q0 {doc} {rank} {-rank} {name}" for rank, doc in enumerate(own)]
    (folder / name).write_text("\n".join(lines) + "\n")
    return folder / name


def by_hand(qrels: Judged, run: Ranked, topics: set[str]) -> float:
    """Mean nDCG@3 over topics, with exponentless gains: the definition."""

    def dcg(grades: list[int]) -> float:
        return sum(grade / math.log2(rank + 2) for rank, grade in enumerate(grades[:3]))

    values = []
    for topic in topics:
        ideal = dcg(sorted(qrels[topic].values(), reverse=True))
        values.append(dcg([qrels[topic].get(doc, 0) for doc in run[topic]]) / ideal if ideal else 0.0)
    return sum(values) / len(values)


def added(folder: Path, pairs: list[tuple[Path, Path]], **more: Any) -> uj.History:
    """A history of these judgments and runs, one after the other."""
    result = None
    for number, (qrels, run) in enumerate(pairs):
        result = uj.add_release(qrels, run, folder / "h.jsonl", "nDCG@3", release=f"v{number}", **more)
    assert result is not None
    return result


def the_change(history: uj.History, holes: str = "nonrelevant") -> ChangeRow:
    (row,) = [row for row in history.changes() if row.holes == holes and row.release == history.entries[-1].release]
    return row


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    yield tmp_path_factory.mktemp("history")


@pytest.mark.filterwarnings("ignore::unjudged.UnjudgedWarning")
@given(judgments, judgments, rankings, rankings)
@settings(max_examples=40, deadline=None)
def test_parts_are_those_of_brute_force_and_add_up(
    tmp_path_factory: pytest.TempPathFactory, q0: Judged, q1: Judged, r0: Ranked, r1: Ranked
) -> None:
    here = tmp_path_factory.mktemp("history")
    files = [write(here, name, held) for name, held in (("q0", q0), ("q1", q1), ("r0", r0), ("r1", r1))]
    history = added(here, [(files[0], files[2]), (files[1], files[3])], holes="nonrelevant")
    row = the_change(history)
    assert row.change == pytest.approx(by_hand(q1, r1, set(q1)) - by_hand(q0, r0, set(q0)), abs=1e-12)
    both = set(q0) & set(q1)
    if not both:
        assert (row.ranker, row.judgments, row.topics) == (None, None, None)
        assert history.entries[1].previous.missing.endswith("the judgments have no topic in common")  # type: ignore[union-attr]
        return
    ranker = [by_hand(q, r1, both) - by_hand(q, r0, both) for q in (q0, q1)]
    judged = [by_hand(q1, r, both) - by_hand(q0, r, both) for r in (r0, r1)]
    assert [row.ranker_earlier_qrels, row.ranker_new_qrels] == pytest.approx(ranker, abs=1e-12)
    assert [row.judgments_earlier_run, row.judgments_new_run] == pytest.approx(judged, abs=1e-12)
    assert (row.ranker, row.judgments) == pytest.approx((sum(ranker) / 2, sum(judged) / 2), abs=1e-12)
    assert row.ranker + row.judgments + row.topics + row.other == pytest.approx(row.change, abs=1e-9)  # type: ignore[operator]
    assert row.other == 0
    pairs = [{(t, d): g for t, own in q.items() for d, g in own.items()} for q in (q0, q1)]
    kept = pairs[0].keys() & pairs[1].keys()
    counted = history.entries[1].previous.judgments  # type: ignore[union-attr]
    assert counted == (
        len(pairs[1]) - len(kept),
        sum(pairs[0][one] != pairs[1][one] for one in kept),
        len(pairs[0]) - len(kept),
    )


Q0: Judged = {"1": {"a": 1, "b": 0}, "2": {"c": 2, "d": 1}}
Q1: Judged = {"1": {"a": 1, "b": 0, "x": 1}, "2": {"c": 2, "d": 1, "y": 2}}
R0: Ranked = {"1": ["b", "a"], "2": ["c", "d"]}
R1: Ranked = {"1": ["x", "a"], "2": ["y", "c"]}


@pytest.fixture
def files(folder: Path) -> dict[str, Path]:
    return {name: write(folder, name, held) for name, held in (("q0", Q0), ("q1", Q1), ("r0", R0), ("r1", R1))}


def both_ways(history: uj.History) -> tuple[float | None, ...]:
    row = the_change(history)
    return row.ranker_earlier_qrels, row.ranker_new_qrels, row.judgments_earlier_run, row.judgments_new_run


def test_a_change_through_the_ranker_alone_and_through_judgments_alone(folder: Path, files: dict[str, Path]) -> None:
    history = added(folder, [(files["q0"], files["r0"]), (files["q0"], files["r1"]), (files["q1"], files["r1"])])
    ranker, judged = [row for row in history.changes() if row.holes == "nonrelevant"]
    assert ranker.ranker == ranker.change != 0
    assert judged.judgments == judged.change != 0
    assert (ranker.judgments, ranker.topics, judged.ranker, judged.topics) == (0, 0, 0, 0)
    assert ranker.change is not None and ranker.change < 0 and judged.change is not None and judged.change > 0


def test_estimates_are_told_apart_as_well(folder: Path, files: dict[str, Path]) -> None:
    history = added(
        folder, [(files["q0"], files["r0"]), (files["q1"], files["r1"])], holes=["nonrelevant", "discounted"]
    )

    def alone(qrels: str, run: str) -> float:
        return uj.score(files[qrels], files[run], "nDCG@3", holes="discounted").mean()[run, "nDCG@3"]

    row = the_change(history, "discounted")
    old_old, new_old, old_new, new_new = (
        alone(*one) for one in (("q0", "r0"), ("q0", "r1"), ("q1", "r0"), ("q1", "r1"))
    )
    assert row.ranker == pytest.approx((new_old - old_old + new_new - old_new) / 2)
    assert row.judgments == pytest.approx((old_new - old_old + new_new - new_old) / 2)


@pytest.mark.parametrize(
    ("gone", "known"),
    [
        ((), (True, True, True, True)),
        (("r0",), (True, False, False, True)),
        (("q0",), (False, True, True, False)),
        (("q0", "r0"), (False, False, False, False)),
    ],
)
def test_what_can_be_said_without_some_files(
    folder: Path, files: dict[str, Path], gone: tuple[str, ...], known: tuple[bool, ...]
) -> None:
    whole = added(folder, [(files["q0"], files["r0"]), (files["q1"], files["r1"])], holes="nonrelevant")
    (folder / "h.jsonl").unlink()
    added(folder, [(files["q0"], files["r0"])], holes="nonrelevant")
    for name in gone:
        files[name].write_text("1 0 z 1\n" if name == "q0" else "1 Q0 z 1 1 z\n")
    history = uj.add_release(files["q1"], files["r1"], folder / "h.jsonl", "nDCG@3", release="v1", holes="nonrelevant")
    result, wanted = both_ways(history), both_ways(whole)
    assert [one is not None for one in result] == list(known)
    assert [one for one in result if one is not None] == pytest.approx(
        [one for one, there in zip(wanted, known, strict=True) if there], abs=1e-12
    )
    row = the_change(history)
    assert row.change == the_change(whole).change
    if any(known):
        assert row.ranker + row.judgments == pytest.approx(row.change)  # type: ignore[operator]
    previous = history.entries[1].previous
    assert previous is not None
    assert previous.missing == "; ".join(
        f"{files[name]} is not what it was for v0 (--previous-{role} FILE says where it is)"
        for name, role in (("r0", "run"), ("q0", "qrels"))
        if name in gone
    )


def test_earlier_files_may_be_elsewhere_but_are_the_same(folder: Path, files: dict[str, Path]) -> None:
    whole = added(folder, [(files["q0"], files["r0"]), (files["q1"], files["r1"])])
    (folder / "h.jsonl").unlink()
    added(folder, [(files["q0"], files["r0"])])
    kept = folder / "kept"
    files["q0"].rename(kept)
    files["q0"].write_text(files["q1"].read_text())
    how: dict[str, Any] = {"measures": "nDCG@3", "release": "v1"}
    with pytest.raises(
        uj.InputError, match=r"q1: this is not the judgments of v0: its sha256 is \w{12}\.\.\., not \w{12}"
    ):
        uj.add_release(files["q0"], files["r1"], folder / "h.jsonl", previous_qrels=files["q1"], **how)
    with pytest.raises(uj.InputError, match="nowhere: no such file, which --previous-run names"):
        uj.add_release(files["q0"], files["r1"], folder / "h.jsonl", previous_run="nowhere", **how)
    history = uj.add_release(files["q0"], files["r1"], folder / "h.jsonl", previous_qrels=kept, **how)
    assert both_ways(history) == both_ways(whole)


def test_a_history_may_move_with_its_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = folder / "repository"
    here.mkdir()
    write(here, "q0", Q0), write(here, "r0", R0), write(here, "r1", R1)
    monkeypatch.chdir(here)
    uj.add_release("q0", "r0", "h.jsonl", "nDCG@3", release="v0")
    assert [one.path for one in uj.history("h.jsonl").entries[0].inputs] == ["q0", "r0"]
    here = here.rename(folder / "elsewhere")
    monkeypatch.chdir(folder)
    history = uj.add_release("elsewhere/q0", "elsewhere/r1", "elsewhere/h.jsonl", "nDCG@3", release="v1")
    assert history.entries[1].previous.missing == ""  # type: ignore[union-attr]
    assert the_change(history).ranker == the_change(history).change


def test_what_was_in_no_file_is_not_told_apart(folder: Path) -> None:
    runs = {
        name: {t: {d: -i for i, d in enumerate(own)} for t, own in r.items()} for name, r in (("r0", R0), ("r1", R1))
    }
    for number, name in enumerate(runs):
        qrels = {"1": {"a": 1, "b": 0}, "2": {"c": number}}
        history = uj.add_release(qrels, {name: runs[name]}, folder / "h.jsonl", "P@1", date="2024-12-09")
    assert [one.release for one in history.entries] == ["r0", "r1"]
    assert history.entries[1].previous.missing == (  # type: ignore[union-attr]
        "the run of r0 was in no file; the judgments of r0 were in no file"
    )
    assert the_change(history).ranker is None


def test_a_score_that_is_computed_otherwise_today_is_said(folder: Path, files: dict[str, Path]) -> None:
    added(folder, [(files["q0"], files["r0"])])
    path = folder / "h.jsonl"
    stored = uj.history(path).entries[0].score("nDCG@3", "nonrelevant")
    assert stored is not None
    path.write_text(path.read_text().replace(f'"value": {stored}', f'"value": {stored + 0.25}', 1))
    row = the_change(uj.add_release(files["q0"], files["r1"], path, "nDCG@3", release="v1"))
    assert row.other == pytest.approx(-0.25)
    assert row.ranker + row.judgments + row.topics + row.other == pytest.approx(row.change)  # type: ignore[operator]


def test_files_that_cannot_be_scored_any_more_do_not_stop_a_release(folder: Path, files: dict[str, Path]) -> None:
    write(folder, "elsewhere", {"9": ["a"]})
    write(folder, "other", {"9": {"a": 1}})
    added(folder, [(folder / "other", folder / "elsewhere")])
    history = uj.add_release(files["q1"], files["r1"], folder / "h.jsonl", "nDCG@3", release="v1")
    said = "the files of v0 cannot be scored: the judgments have no topic in common"
    assert history.entries[1].previous.missing == said  # type: ignore[union-attr]


def test_a_release_is_one_run_with_a_name_of_its_own(folder: Path, files: dict[str, Path]) -> None:
    path = folder / "h.jsonl"
    with pytest.raises(uj.InputError, match="a release is one run, not 2; add each to a history of its own"):
        uj.add_release(files["q0"], [files["r0"], files["r1"]], path)
    with pytest.raises(uj.InputError, match="--previous-run x: this is the first release of its history"):
        uj.add_release(files["q0"], files["r0"], path, previous_run="x")
    with pytest.raises(uj.InputError, match="'tomorrow' is not a date such as 2024-12-09"):
        uj.add_release(files["q0"], files["r0"], path, date="tomorrow")
    with pytest.raises(uj.InputError, match="this is the same file as the input"):
        uj.add_release(files["q0"], files["r0"], files["r0"].parent / "." / "r0")
    assert not path.exists()
    uj.add_release(files["q0"], files["r0"], path, "nDCG@3")
    before = path.read_bytes()
    with pytest.raises(uj.InputError, match=r"h.jsonl:1: release 'r0' is there already; --release NAME gives"):
        uj.add_release(files["q0"], files["r0"], path, "nDCG@3")
    assert path.read_bytes() == before


def test_no_clock_is_looked_at_unless_asked_for(folder: Path, files: dict[str, Path]) -> None:
    for name, day in (("one", None), ("two", None), ("three", "today")):
        uj.add_release(files["q0"], files["r0"], folder / name, "nDCG@3", date=day)
    assert (folder / "one").read_bytes() == (folder / "two").read_bytes()
    (asked,) = uj.history(folder / "three").entries
    assert asked.date is not None and len(asked.date) == 10
