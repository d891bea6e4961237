"""Labels: JSON lines beside files of judgments, several judges in one file, and one clear line for what is broken."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unjudged as uj
from unjudged.data.judge_labels import JudgeLabels
from unjudged.errors import FileError, InputError
from unjudged.io.label_files import expand_labels, labels_and_runs, read_labels_of

QRELS = uj.read_qrels({"1": {"a": 1, "b": 0}, "2": {"a": 2, "c": 0}})
HASH = "0123456789abcdef" * 4


def lines(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def read(*given: Any) -> list[JudgeLabels]:
    return read_labels_of(expand_labels(list(given)), QRELS)


def said(labels: JudgeLabels) -> dict[tuple[str, str], float]:
    return {
        (QRELS.topics[topic], doc): value
        for topic, doc, value in zip(labels.topics.tolist(), labels.docs, labels.values.tolist(), strict=True)
    }


def test_json_lines_say_who_labelled_what_and_when(tmp_path: Path) -> None:
    about = {"source": "gpt-4", "model": "gpt-4-0613", "prompt": "umbrela"}
    path = lines(
        tmp_path / "labels.jsonl",
        {"topic": "1", "doc": "a", "grade": 2, **about, "time": "2024-05-02", "text_sha256": HASH},
        {"topic": "2", "doc": "z", "grade": 0, **about, "time": "2024-05-01"},
    )
    (one,) = read(path)
    assert (one.name, said(one)) == ("gpt-4", {("1", "a"): 2.0, ("2", "z"): 0.0})
    assert (one.origin.model, one.origin.prompt, one.origin.first, one.origin.last, one.origin.hashed) == (
        *("gpt-4-0613", "umbrela", "2024-05-01", "2024-05-02"),
        1,
    )
    assert one.beyond(QRELS) == 1


def test_the_shortest_form_has_the_name_of_its_file(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "mine.jsonl.gz", "wt") as file:
        file.write('\n{"query_id": 1, "doc_id": "a", "relevance": 0.25}\n')
    (one,) = read(tmp_path / "mine.jsonl.gz")
    assert (one.name, said(one)) == ("mine", {("1", "a"): 0.25})


def test_mixed_sources_are_told_apart(tmp_path: Path) -> None:
    rows = [
        {"topic": "1", "doc": "a", "grade": grade, "source": source, "model": model, "prompt": prompt}
        for grade, (source, model, prompt) in enumerate(
            [("crowd", None, None), ("llm", "m1", "p"), ("llm", "m1", "q"), ("llm", "m2", "p"), (None, "m3", None)]
        )
    ]
    judges = read(lines(tmp_path / "all.jsonl", *rows))
    names = ["crowd", "llm (m1, prompt 1)", "llm (m1, prompt 2)", "llm (m2)", "m3"]
    assert [(one.name, one.values.tolist()) for one in judges] == [(name, [i]) for i, name in enumerate(names)]


def test_names_can_be_seen(tmp_path: Path) -> None:
    path = lines(tmp_path / "x.jsonl", {**LABEL, "source": "a\x1b[2J"}, {**LABEL, "model": "b\u202e"})
    assert [one.name for one in read(path)] == ["a\\x1b[2J", "b\\u202e"]


def test_files_folders_dicts_and_frames_are_sources(tmp_path: Path) -> None:
    folder = tmp_path / "judges"
    folder.mkdir()
    (folder / "one.qrels").write_text("1 0 a 1\n1 0 b -1\n")
    lines(folder / "two.jsonl", {"topic": "1", "doc": "b", "grade": 1})
    assert [one.name for one in read(folder)] == ["one", "two"]
    assert said(read(folder / "one.qrels")[0]) == {("1", "a"): 1.0}
    by_name = read_labels_of(expand_labels({"x": {"1": {"a": 1}}, "y": folder / "two.jsonl"}), QRELS)
    assert [one.name for one in by_name] == ["x", "y"]
    assert [one.name for one in read_labels_of(expand_labels({"1": {"a": 1}}), QRELS)] == ["labels"]
    assert [one.name for one in read_labels_of(expand_labels([("1", "a", 1), ("1", "b", 0)]), QRELS)] == ["labels"]


def test_labels_and_runs_are_told_apart_by_their_columns(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("# a comment\n\n1 0 a 1\n")
    lines(tmp_path / "b", {"topic": "1", "doc": "a", "grade": 1})
    runs = tmp_path / "runs"
    runs.mkdir()
    (runs / "x").write_text("1 Q0 a 1 3.0 x\n")
    given = [str(tmp_path / "a"), str(runs), str(tmp_path / "b")]
    assert labels_and_runs(given) == ([given[0], given[2]], [str(runs / "x")])
    with pytest.raises(InputError) as caught:
        labels_and_runs([str(runs)])
    assert str(caught.value) == (
        f"there is no file with labels: {runs / 'x'} is a run; labels are judgments (4 columns) or JSON lines"
    )


LABEL = {"topic": "1", "doc": "a", "grade": 1}


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "this line is not JSON (expecting property name enclosed in double quotes at column 2): '{'"),
        ("[1]", "this line is an array, not a label; one label per line is needed: jq -c '.[]'"),
        (json.dumps({"doc": "a", "grade": 1}), "the label has no topic: None"),
        (json.dumps({"topic": "1", "grade": 1}), "the label has no doc: None"),
        (json.dumps({**LABEL, "doc": ""}), "the label has no doc: ''"),
        (json.dumps({"topic": "1", "doc": "a"}), "the label has no grade; null is for one that was not given"),
        (json.dumps({**LABEL, "grade": "2"}), "the grade is no number: '2'"),
        (json.dumps({**LABEL, "grade": True}), "the grade is no number: True"),
        (json.dumps({**LABEL, "grade": -(10**400)}), f"the grade is not between 0 and 1,000,000: -1{'0' * 195}..."),
        (json.dumps({**LABEL, "grade": 1e9}), "the grade is not between 0 and 1,000,000: 1000000000.0"),
        ('{"topic": "1", "doc": "a", "grade": NaN}', "the grade is not between 0 and 1,000,000: nan"),
        (json.dumps({**LABEL, "model": ["m"]}), "the model is no text: ['m']"),
        (json.dumps({**LABEL, "text_sha256": "abc"}), "text_sha256 is not 64 hexadecimal digits: 'abc'"),
        (
            json.dumps({**LABEL, "grade": 3, "source": "m"}),
            "m gives document 'a' two grades for a topic, 1 (line 1) and 3; leave one",
        ),
    ],
)
def test_a_broken_line_is_one_message(tmp_path: Path, line: str, problem: str) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(json.dumps({**LABEL, "source": "m"}) + f"\n{line}\n")
    with pytest.raises(FileError) as caught:
        read(path)
    assert str(caught.value) == f"{path}:2: {problem}"


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "labels.jsonl",
        *(LABEL, LABEL, {**LABEL, "topic": "99"}, {**LABEL, "grade": None}, {**LABEL, "grade": -1}),
        {**LABEL, "doc": "b", "text_sha256": HASH},
        {**LABEL, "topic": "2", "doc": "b", "text_sha256": HASH[::-1]},
    )
    (one,) = read(path)
    assert [notice.message for notice in one.notices] == [
        f"{path}: 1 label of topics that are not judged; left out",
        f"{path}: 2 lines without a grade, or with one below 0; left out",
        f"{path}: 1 label that labels gave before; left out",
        f"{path}: labels judged 1 document by more than one text (text_sha256 differs)",
    ]
    assert len(one) == 3


@pytest.mark.parametrize("name", ["labels.jsonl", "labels.qrels"])
def test_labels_of_other_topics_only(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text('{"topic": "q", "doc": "a", "grade": 1}\n' if name.endswith("jsonl") else "q 0 a 1\n")
    with pytest.raises(InputError) as caught:
        read(path)
    assert (
        str(caught.value) == f"{path}: no topic of these labels is judged (the labels have 'q', the judgments have '1')"
    )


def test_no_labels_at_all(tmp_path: Path) -> None:
    path = lines(tmp_path / "x.jsonl", {**LABEL, "grade": None})
    with pytest.raises(FileError, match=r"x.jsonl: no line has a grade of 0 or more$"):
        read(path)
    with pytest.raises(InputError, match=r"^no labels were given$"):
        expand_labels([])
    with pytest.raises(InputError, match=r"^cannot read labels from int; give a path, a dict of dicts or a frame$"):
        expand_labels(3)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured as Linux counts it")
def test_long_files_are_not_held_as_text(tmp_path: Path) -> None:
    import resource  # Windows has no such module

    path = tmp_path / "long.jsonl"
    number, prompt = 60_000, "x" * 2000
    with path.open("w") as file:
        for i in range(number):
            file.write(f'{{"topic":"{1 + i % 2}","doc":"d{i}","grade":{i % 4},"model":"m","prompt":"{prompt}"}}\n')
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    (one,) = read(path)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    assert len(one) == number
    assert np.bincount(one.values.astype(int)).tolist() == [number // 4] * 4
    assert grown < path.stat().st_size / 2


def test_where_only_judged_pairs_are_of_use_others_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In pieces of three labels, so that useful ones are in the middle, at the end and in none."""
    monkeypatch.setattr("unjudged.io.label_lines._CHUNK", 3)
    pairs = [("1", "a"), ("1", "x"), ("2", "y"), ("2", "x"), ("1", "y"), ("2", "z"), ("2", "a"), ("1", "x"), ("2", "c")]
    path = lines(
        tmp_path / "labels.jsonl",
        *({"topic": t, "doc": d, "grade": i, "text_sha256": HASH} for i, (t, d) in enumerate(pairs)),
    )
    (few,) = read_labels_of(expand_labels([path]), QRELS, judged_only=True)
    assert said(few) == {("1", "a"): 0.0, ("2", "a"): 6.0, ("2", "c"): 8.0}
    assert (few.beyond(QRELS), few.origin.hashed) == (6, 9)
    twice = lines(path, *({"topic": "2", "doc": "c", "grade": grade} for grade in (1, 0)))
    with pytest.raises(
        FileError, match=r"labels\.jsonl:2: labels gives document 'c' two grades for a topic, 1 \(line 1\)"
    ):
        read_labels_of(expand_labels([twice]), QRELS, judged_only=True)


def test_judges_without_runs_says_the_same_and_forgets_what_nobody_judged(tmp_path: Path) -> None:
    judged = [("1", "a", 1), ("1", "b", 0), ("2", "a", 2), ("2", "c", 1)]
    rows = [*judged, *(("1", f"d{i}", i % 3) for i in range(50))]
    path = lines(tmp_path / "gpt.jsonl", *({"topic": t, "doc": d, "grade": g} for t, d, g in rows))
    row = uj.judges(QRELS, None, path).judge("gpt")
    table = uj.judges(QRELS, None, {"gpt": [(t, d, g) for t, d, g in rows]}).judge("gpt")
    assert row.beyond == table.beyond == 50
    assert row._replace(source=table.source) == table
