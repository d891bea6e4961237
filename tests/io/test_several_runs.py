"""Folders, globs, lists and dicts of runs, and the names they get."""

from __future__ import annotations

import gzip
from collections import namedtuple
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_files import RUN, as_dict, judgments, write

import unjudged as uj
from unjudged.errors import InputError
from unjudged.io import sources
from unjudged.io.formats import read_rows
from unjudged.io.reading import expand_runs
from unjudged.io.rows import qrels_of, run_of
from unjudged.io.sources import run_name_from_path, unique_names

# ---- several runs


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, tag in [("b.run", "bm25"), ("a.run.gz", "dense"), (".hidden", "x"), ("c.txt", "bm25")]:
        text = f"1 Q0 d 1 1 {tag}\n".encode()
        write(tmp_path / name, gzip.compress(text) if name.endswith(".gz") else text)
    (tmp_path / "sub").mkdir()
    return tmp_path


def test_a_folder_is_its_files_by_name(folder: Path) -> None:
    for source in (folder, str(folder), [folder]):
        assert [run.name for run in uj.read_runs(source)] == ["dense", "b", "c"]


def test_a_glob(folder: Path) -> None:
    assert [run.name for run in uj.read_runs(f"{folder}/*.run*")] == ["dense", "bm25"]
    assert [run.name for run in uj.read_runs([f"{folder}/[bc].*"])] == ["b", "c"]
    with pytest.raises(InputError, match=r"nothing\*: no file matches$"):
        uj.read_runs(f"{folder}/nothing*")
    with pytest.raises(InputError, match=r"su\?: no file matches$"):
        uj.read_runs(f"{folder}/su?")


def test_a_file_whose_name_looks_like_a_glob(tmp_path: Path) -> None:
    assert [run.name for run in uj.read_runs(write(tmp_path / "a[1].run", RUN))] == ["mine"]


def test_a_folder_without_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"the directory has no files$"):
        uj.read_runs(tmp_path)


def test_runs_by_name(folder: Path) -> None:
    runs = uj.read_runs({"first": folder / "b.run", "second": {"1": {"d": 1.0}}, 3: [("1", "d", 1)]})
    assert [run.name for run in runs] == ["first", "second", "3"]


def test_one_run_or_several() -> None:
    one = {"1": {"d": 1.0}, "2": {}}
    frame = pd.DataFrame({"qid": ["1"], "docno": ["d"], "score": [1.0]})
    row = namedtuple("row", "query_id doc_id score")("1", "d", 1.0)
    for source in (one, [one], {"run": one}, frame, [frame], [("1", "d", 1.0)], [["1", "d", 1.0]], [row], iter([row])):
        assert [as_dict(run) for run in uj.read_runs(source)] == [{"1": [("d", 1.0)]}]
    assert [run.name for run in uj.read_runs([one, one, one])] == ["run", "run.1", "run.2"]
    assert len(uj.read_runs({"a": {}, "b": one} | {"a": one})) == 2
    run = uj.read_run(one, name="x")
    assert uj.read_runs(run) == uj.read_runs([run]) == [run]


@pytest.mark.parametrize("nothing", [[], {}, (), iter([])])
def test_no_runs(nothing: Any) -> None:
    with pytest.raises(InputError, match=r"^no runs were given$"):
        expand_runs(nothing)


@pytest.mark.parametrize(("thing", "name"), [(3, "int"), (None, "NoneType"), (b"path", "bytes"), (object(), "object")])
def test_what_is_no_run_at_all(thing: Any, name: str) -> None:
    with pytest.raises(InputError, match=f"^cannot read runs from {name}$"):
        expand_runs(thing)
    with pytest.raises(InputError, match=f"^cannot read a run from {name}; give a path, a dict of dicts or a frame$"):
        uj.read_run(thing)
    with pytest.raises(InputError, match=f"^cannot read judgments from {name}; give a path"):
        uj.read_qrels(thing)


def test_reading_what_was_read() -> None:
    run, qrels = uj.read_run({"1": {"d": 1.0}}), uj.read_qrels({"1": {"d": 1}})
    assert uj.read_run(run) is run and uj.read_qrels(qrels) is qrels
    assert uj.read_run(run, name="other").name == "other" and run.name == "run"
    with pytest.raises(InputError, match="cannot read a run from Qrels"):
        uj.read_run(qrels)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("runs/bm25.run.gz", "bm25"),
        ("input.att99atc.gz", "att99atc"),
        ("a/b/plain", "plain"),
        ("x.txt.zst", "x"),
        ("y.parquet", "y"),
        ("v1.2.res", "v1.2"),
        (".gz", ".gz"),
        ("input.", "input."),
    ],
)
def test_names_from_paths(path: str, name: str) -> None:
    assert run_name_from_path(path) == name


def test_names_are_unique() -> None:
    assert unique_names([]) == []
    assert unique_names([("t", "a.run"), ("u", "b.run")]) == ["t", "u"]
    assert unique_names([("t", "a.run"), ("t", "b.run")]) == ["a", "b"]
    assert unique_names([("t", "x/a.run"), ("t", "y/a.run")]) == ["a", "t.1"]
    assert unique_names([("t", "-"), ("t", "a")]) == ["t.1", "a"]
    # A tag of its own is kept, even where the file of another run has that name.
    assert unique_names([("t", "u.run"), ("t", "b.run"), ("u", "c.run")]) == ["t.1", "b", "u"]


@given(st.lists(st.tuples(st.sampled_from(["t", "t.1", "t.2", "a"]), st.sampled_from(["a", "b/a", "t.1", "-", "t"]))))
def test_names_are_always_unique(runs: list[tuple[str, str]]) -> None:
    names = unique_names(runs)
    assert len(set(names)) == len(names) == len(runs)


def test_many_equal_names_take_no_time() -> None:
    assert len(set(unique_names([("t", "-")] * 20_000))) == 20_000


def test_threads_do_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    lines = [f"{t} Q0 d{d} 1 {rng.integers(50)} t\n" for t in range(40) for d in rng.permutation(100)]
    path = write(tmp_path / "r", "".join(rng.permutation(lines)))
    qrels_path = write(tmp_path / "q", "".join(f"{line.split()[0]} 0 {line.split()[2]} 1\n" for line in lines))
    monkeypatch.setattr(sources, "BLOCK_BYTES", 1000)
    one, four = (run_of(read_rows(str(path), "score", threads=threads)) for threads in (1, 4))
    assert one.topics == four.topics and one.docs == four.docs
    assert np.array_equal(one.scores, four.scores) and np.array_equal(one.offsets, four.offsets)
    first, second = (qrels_of(read_rows(str(qrels_path), "grade", threads=threads)) for threads in (1, 4))
    assert first.docs == second.docs and judgments(first) == judgments(second)
