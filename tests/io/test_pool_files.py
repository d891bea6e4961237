"""Reading a pool from files and from memory."""

from __future__ import annotations

import gzip
from collections import namedtuple
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

from unjudged.data.pool import Pool
from unjudged.errors import FileError, InputError
from unjudged.io.reading import read_pool
from unjudged.io.tables import qrels_from_table

PAIRS = [("1", "a"), ("1", "b"), ("2", "a")]


def pairs_of(pool: Pool) -> list[tuple[str, str]]:
    names = [pool.topics.names[code] for code in pool.topics.codes.tolist()]
    return list(zip(names, pool.docs, strict=True))


@pytest.mark.parametrize(
    "text",
    [
        "1 a\n1 b\n2 a\n",
        "# a comment\n\n1\ta\r\n1  b\r\n2 a",
        "1 0 a 1\n1 0 b -1\n2 0 a x\n",  # judgments; grades are not even read
        "1 0 a 2 1\n1 0 b 1 -1\n2 0 a 1 0\n",
    ],
)
def test_files_of_pairs_and_of_judgments(tmp_path: Path, text: str) -> None:
    path = tmp_path / "pool.txt"
    path.write_text(text)
    pool = read_pool(path)
    assert pairs_of(pool) == PAIRS
    assert pool.source == str(path)
    (tmp_path / "pool.gz").write_bytes(gzip.compress(text.encode()))
    assert pairs_of(read_pool(str(tmp_path / "pool.gz"))) == PAIRS


def test_a_pair_may_be_there_twice(tmp_path: Path) -> None:
    path = tmp_path / "pool.txt"
    path.write_text("1 a\n2 b\n1 a\n")
    assert pairs_of(read_pool(path)) == [("1", "a"), ("2", "b"), ("1", "a")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 a\n1 0 b 1\n", ":2: expected 2 columns, got 4: '1 0 b 1'"),
        ("1 a\n\n1\n", ":3: expected 2 columns, got 1: '1'"),
        ("1 a b\n", ":1: expected 2 columns (topic doc) or those of judgments, got 3: '1 a b'"),
        (
            "1 Q0 a 1 2.0 x\n",
            ":1: expected 2 columns (topic doc) or those of judgments, got 6 (is this a run? --pool-depth pools runs):"
            " '1 Q0 a 1 2.0 x'",
        ),
        ("", ": the file is empty"),
        ("# nothing\n", ": there is no data, only comments or blank lines"),
    ],
)
def test_bad_files_are_refused_with_their_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "pool.txt"
    path.write_text(text)
    with pytest.raises(FileError) as error:
        read_pool(path)
    assert str(error.value) == f"{path}{message}"


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such file"):
        read_pool(tmp_path / "none")


Named = namedtuple("Named", "doc_id query_id")
FRAME = {"query_id": [1, 1, 2], "doc_id": ["a", "b", "a"], "other": [0.5, 0.5, 0.5]}


@pytest.mark.parametrize(
    "source",
    [
        {"1": ["a", "b"], 2: {"a"}},
        {"1": {"a": 1, "b": 0}, "2": {"a": -1}},
        PAIRS,
        iter(PAIRS),
        [Named(doc, topic) for topic, doc in PAIRS],
        pd.DataFrame(FRAME),
        pl.DataFrame(FRAME),
        pd.DataFrame({"qid": [1, 1, 2], "docno": ["a", "b", "a"]}),
        qrels_from_table({"1": {"a": 1, "b": -1}, "2": {"a": 0}}),
    ],
    ids=lambda source: type(source).__name__,
)
def test_pools_in_memory(source: Any) -> None:
    pool = read_pool(source)
    assert pairs_of(pool) == PAIRS
    assert read_pool(pool) is pool


def test_a_parquet_file_needs_no_grades(tmp_path: Path) -> None:
    pd.DataFrame(FRAME).to_parquet(tmp_path / "pool.parquet")
    assert pairs_of(read_pool(tmp_path / "pool.parquet")) == PAIRS


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({}, "pool: there are no rows"),
        ([], "pool: there are no rows"),
        ({"1": []}, "pool: there are no rows"),
        (pd.DataFrame({"query_id": [], "doc_id": []}), "pool: there are no rows"),
        ({"1": "abc"}, "pool: expected {topic: docs}, but topic '1' holds str"),
        ({"1": 3}, "pool: expected {topic: docs}, but topic '1' holds int"),
        ([("1", "a", 1)], "pool: expected (topic, doc) tuples, got ('1', 'a', 1)"),
        ([("1", 1.5)], "pool: a document id must be text or a whole number, not 1.5"),
        (
            pd.DataFrame({"query_id": ["1"]}),
            "pool: no column doc_id or docno or docid; the columns are query_id",
        ),
        (3, "cannot read a pool from int; give a path, a dict of dicts or a frame"),
    ],
)
def test_what_is_not_a_pool(source: Any, message: str) -> None:
    with pytest.raises(InputError) as error:
        read_pool(source)
    assert str(error.value) == message
