"""Runs that are scored some topics at a time score as those that are in memory as a whole."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unjudged as uj
from unjudged.io import formats, run_parts, sources

pytestmark = pytest.mark.filterwarnings("ignore::unjudged.UnjudgedWarning")

MEASURES = ["nDCG@3", "AP", "P@2", "RR", "Bpref", "infAP", "RBP(p=0.8)", "Hole@2", "indAP"]
QRELS = {topic: {f"d{i}": (i * int(topic)) % 4 - 1 for i in range(8)} for topic in ("1", "2", "3", "10")}

row = st.tuples(
    st.sampled_from(["1", "2", "3", "10", "99"]),
    st.integers(0, 12).map("d{}".format),
    st.sampled_from(["1", "2.5", "-3e2", "0.12345678901", "7.000000000000000000000000001", "nan", "x"]),
)


def both(qrels: object, path: Path, **options: object) -> list[object]:
    """What scoring the file says, and what scoring the run says after reading it; or what each refuses."""

    def scored(run: object) -> object:
        try:
            result = uj.score(qrels, [run() if callable(run) else run], MEASURES, **options)
        except uj.UnjudgedError as problem:
            return str(problem)
        arrays = [result.values, result.judged, result.means]
        return [one.tobytes() for one in arrays], result.runs, [str(one) for one in result.warnings]

    return [scored(path), scored(lambda: uj.read_run(path))]


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_parts, "PART_BYTES", 60)


@settings(max_examples=60)
@given(
    rows=st.lists(row, min_size=1, max_size=25),
    together=st.booleans(),
    holes=st.sampled_from(["nonrelevant", "condensed", "auto"]),
)
def test_as_in_memory(
    rows: list[tuple[str, str, str]], together: bool, holes: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    if together:  # topic by topic, and nothing wrong
        sound = [one for one in rows if one[2] not in ("nan", "x")]
        rows = list({one[:2]: one for one in sound}.values())
        rows.sort(key=lambda one: one[0])
    path = tmp_path_factory.getbasetemp() / "in_parts.run"
    path.write_text("".join(f"{topic} Q0 {doc} 1 {score} tag\n" for topic, doc, score in rows))
    whole, parts = both(QRELS, path, holes=holes)
    assert whole == parts


def test_parts_end_where_topics_do(tmp_path: Path) -> None:
    path = tmp_path / "ordinary.run"
    path.write_text("".join(f"{t} Q0 d{i} 1 {9 - i} tag\n" for t in range(40) for i in range(1 + t % 7)))
    parts = run_parts.run_in_parts(uj.io.reading.RunSource(str(path)))
    assert parts is not None
    cut = [parts.cut(lines) for lines in parts.blocks]
    assert [topic for part in cut for topic in part.topics] == [str(t) for t in range(40)]
    assert np.concatenate([np.diff(part.offsets) for part in cut]).tolist() == [1 + t % 7 for t in range(40)]


def test_topics_that_come_again_are_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "mixed.run"
    path.write_text("".join(f"{t} Q0 d{i} 1 {9 - i} tag\n" for i in range(6) for t in ("1", "2")))
    whole, parts = both(QRELS, path)
    assert whole == parts


@pytest.mark.parametrize("line", ["1 Q0 d1 1 0.5", "1 Q0 d1 1 x tag", "1 Q0 d1 1 inf tag"])
def test_what_is_wrong_is_said_as_ever(tmp_path: Path, line: str) -> None:
    path = tmp_path / "wrong.run"
    path.write_text("".join(f"1 Q0 e{i} 1 {9 - i} tag\n" for i in range(20)) + line + "\n")
    whole, parts = both(QRELS, path)
    assert isinstance(parts, str)
    assert "wrong.run:21: " in parts
    assert whole == parts


@pytest.mark.parametrize("place", range(30, 60, 3))
def test_a_line_that_is_too_long_is_found_wherever_it_is_in_a_part(
    place: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(formats, "HEAD_BYTES", 200)
    monkeypatch.setattr(run_parts, "PART_BYTES", 4000)
    for name in ("LINE_LIMIT", "BLOCK_BYTES"):
        monkeypatch.setattr(sources, name, 200)
    lines = [f"1 Q0 d{i} 1 {50 - i} tag\n" for i in range(70)]
    lines[place] = f"1 Q0 {'d' * 200} 1 {50 - place} tag\n"
    path = tmp_path / "a.run"
    path.write_text("".join(lines))
    in_parts, whole = both(QRELS, path)
    assert in_parts == whole == f"{path}:{place + 1}: the line is longer than 200 bytes"


def written(rows: list[tuple[str, str, str]], form: str) -> str:
    """The same rows with a header: topics with spaces, columns in another order, or ranks."""
    if form == "ranks":
        return "doc,rank,qid\n" + "".join(f"{doc},{9 - float(score)!r},{topic}\n" for topic, doc, score in rows)
    if form == "quoted":
        title = '"a, ""b""\n",,'
        return "title,none,query,docid,score\n" + "".join(f'{title}"{t}","{d}",{s}\n' for t, d, s in rows)
    return "query-id\tcorpus-id\tscore\n" + "".join("\t".join(one) + "\n" for one in rows)


SPACED = {f"query {topic}": {f"doc {doc}": grade for doc, grade in docs.items()} for topic, docs in QRELS.items()}


@settings(max_examples=40)
@given(
    rows=st.lists(row, min_size=1, max_size=25),
    together=st.booleans(),
    form=st.sampled_from(["TSV", "quoted", "ranks"]),
)
def test_csv_as_in_memory(
    rows: list[tuple[str, str, str]], together: bool, form: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    sound = [one for one in rows if one[2] not in ("nan", "x")] or [("1", "d1", "1")]
    rows = list({one[:2]: one for one in sound}.values()) if together or form == "ranks" else rows
    rows = sorted(rows) if together else rows
    path = tmp_path_factory.getbasetemp() / "in_parts.csv"
    path.write_text(written([(f"query {t}", f"doc {d}", s) for t, d, s in rows], form))
    whole, parts = both(SPACED, path)
    assert whole == parts


@pytest.mark.parametrize("form", ["TSV", "quoted", "ranks"])
def test_csv_is_read_in_parts(tmp_path: Path, form: str) -> None:
    path = tmp_path / "ordinary.csv"
    path.write_text(written([(f"query {t}", f"doc {i}", f"{i}") for t in range(40) for i in range(1 + t % 7)], form))
    parts = run_parts.run_in_parts(uj.io.reading.RunSource(str(path)))
    assert parts is not None and parts.name == "ordinary"
    cut = [parts.cut(lines) for lines in parts.blocks]
    assert len(cut) > 1
    assert [topic for part in cut for topic in part.topics] == [f"query {t}" for t in range(40)]
    assert [doc for part in cut for doc in part.docs] == [f"doc {i}" for t in range(40) for i in range(1 + t % 7)]
