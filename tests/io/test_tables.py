"""Dicts, tuples, frames and Parquet files in everybody's dialect."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
from small_files import JUDGED, QRELS, RANKED, RUN, as_dict, judgments, write

import unjudged as uj
from unjudged.errors import InputError
from unjudged.io.raw import raw_qrels

# ---- things in memory

DIALECTS = {
    "ir_measures": ("query_id", "doc_id", "score", "relevance"),
    "PyTerrier": ("qid", "docno", "score", "label"),
    "ranx": ("q_id", "doc_id", "score", "score"),
    "TrecTools": ("query", "docid", "score", "rel"),
}
FRAMES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "pandas with categories": lambda columns: pd.DataFrame(columns).astype({next(iter(columns)): "category"}),
    "pandas with arrow": lambda columns: pd.DataFrame(columns).convert_dtypes(dtype_backend="pyarrow"),
    "pandas nullable": lambda columns: pd.DataFrame(columns).convert_dtypes(),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_frames_in_four_dialects(dialect: str, frame: str, tmp_path: Path) -> None:
    topic, doc, score, grade = DIALECTS[dialect]
    make = FRAMES[frame]
    run = make({topic: ["301", "301", "302"], doc: ["d1", "d2", "d1"], score: [0.5, 0.75, -1000.0]})
    qrels = make({topic: ["301", "301", "302"], doc: ["d1", "d2", "d3"], grade: [1, 0, 2]})
    assert as_dict(uj.read_run(run)) == RANKED
    assert judgments(uj.read_qrels(qrels)) == JUDGED
    if frame == "pyarrow":
        pa.parquet.write_table(run, tmp_path / "mine.parquet")
        pa.parquet.write_table(qrels, tmp_path / "q.parquet")
        assert as_dict(uj.read_run(tmp_path / "mine.parquet")) == RANKED
        assert uj.read_run(tmp_path / "mine.parquet").name == "mine"
        assert judgments(uj.read_qrels(str(tmp_path / "q.parquet"))) == JUDGED


def test_a_frame_as_pyterrier_makes_it() -> None:
    frame = pd.DataFrame(
        {"qid": ["1"], "query": ["a text"], "docid": [77], "docno": ["d"], "rank": [0], "score": [2.5], "text": ["x"]}
    )
    assert as_dict(uj.read_run(frame)) == {"1": [("d", 2.5)]}
    assert as_dict(uj.read_run(frame.assign(score=-frame["rank"]))) == {"1": [("d", 0.0)]}


def test_a_frame_with_ranks_only() -> None:
    frame = pd.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "rank": [1, 0]})
    assert as_dict(uj.read_run(frame)) == {"1": [("b", 0.0), ("a", -1.0)]}


def test_parquet_from_a_folder_that_looks_like_a_column(tmp_path: Path) -> None:
    (tmp_path / "qid=999").mkdir()
    path = tmp_path / "qid=999" / "r.parquet"
    pa.parquet.write_table(pa.table({"qid": ["1"], "docno": ["d"], "score": [1.0]}), path)
    assert uj.read_run(path).topics == ("1",)


def test_extra_columns_of_judgments_in_frames() -> None:
    columns = {"qid": ["1", "1"], "docno": ["a", "a"], "label": [1, 0], "subtopic": ["x", "y"]}
    subtopics = uj.read_qrels(pl.DataFrame(columns)).subtopics
    assert subtopics is not None and subtopics.names == ("x", "y")
    columns = {"qid": ["1", "1"], "docno": ["a", "b"], "label": [1, 0], "stratum": [3, 4]}
    strata = uj.read_qrels(pl.DataFrame(columns)).strata
    assert strata is not None and strata.tolist() == [3, 4]


def test_ir_measures_tuples(tmp_path: Path) -> None:
    qrels, run = write(tmp_path / "q", QRELS), write(tmp_path / "r", RUN)
    assert judgments(uj.read_qrels(ir_measures.read_trec_qrels(str(qrels)))) == JUDGED  # a generator, used once
    assert as_dict(uj.read_run(ir_measures.read_trec_run(str(run)))) == RANKED
    write(qrels, "1 1 a 1\n1 2 a 0\n1 2 b 1\n")
    subtopics = uj.read_qrels(ir_measures.read_trec_qrels(str(qrels))).subtopics
    assert subtopics is not None and subtopics.numbers.tolist() == [0, 1, 1]


class Judgment(NamedTuple):
    query_id: Any
    doc_id: Any
    relevance: Any


NUMBERS = [1, np.int64(1), np.int32(1), np.uint8(1), 1.0, np.float32(1), np.float64(1), True]


@pytest.mark.parametrize("number", NUMBERS, ids=lambda one: type(one).__name__)
def test_numbers_of_any_type(number: Any) -> None:
    assert judgments(uj.read_qrels({"1": {"d": number}})) == {"1": {"d": 1}}
    assert as_dict(uj.read_run({"1": {"d": number}})) == {"1": [("d", 1.0)]}
    assert judgments(uj.read_qrels([Judgment("1", "d", number)])) == {"1": {"d": 1}}


def test_scores_of_any_type() -> None:
    assert as_dict(uj.read_run({"1": {"d": Decimal("0.5")}})) == {"1": [("d", 0.5)]}
    assert as_dict(uj.read_run({"1": {"d": np.float16(0.5)}})) == {"1": [("d", 0.5)]}


@pytest.mark.parametrize(
    "one", [301, np.int64(301), np.uint16(301), np.str_("301")], ids=lambda one: type(one).__name__
)
def test_ids_that_are_whole_numbers(one: Any) -> None:
    assert as_dict(uj.read_run({one: {one: 1.0}})) == {"301": [("301", 1.0)]}
    assert judgments(uj.read_qrels([(one, one, 1)])) == {"301": {"301": 1}}


NA = pl.DataFrame({"qid": ["1", None], "docno": ["a", "b"], "score": [1.0, 2.0]})


@pytest.mark.parametrize(
    ("read", "source", "message"),
    [
        (uj.read_run, {"1": {}}, "run: there are no rows"),
        (
            uj.read_run,
            {"1": {"d": float("nan")}},
            "run: the score of topic '1', document 'd' is not a finite number: nan",
        ),
        (uj.read_run, {"1": {"d": "0.5"}}, "run: the score of topic '1', document 'd' is not a finite number: '0.5'"),
        (uj.read_run, {"1": {"d": 10**400}}, None),
        (uj.read_run, {"1": {"d": None}}, "run: the score of topic '1', document 'd' is not a finite number: None"),
        (uj.read_run, {"1": 3}, "run: expected {topic: {doc: score}}, but topic '1' holds int"),
        (uj.read_run, {1.5: {"d": 1}}, "run: a topic id must be text or a whole number, not 1.5"),
        (uj.read_run, {"1": {True: 1}}, "run: a document id must be text or a whole number, not True"),
        (uj.read_run, {"1": {None: 1}}, "run: a document id must be text or a whole number, not None"),
        (uj.read_run, {"1": {b"d": 1}}, "run: a document id must be text or a whole number, not b'd'"),
        (uj.read_run, {"1": {"": 1}}, "run: a document id is empty or has spaces around it: ''"),
        (uj.read_run, {"1 ": {"d": 1}}, "run: a topic id is empty or has spaces around it: '1 '"),
        (uj.read_run, {"1": {"\ud800": 1}}, r"run: a document id cannot be written as UTF-8: '\ud800'"),
        (uj.read_run, {1: {"d": 1}, "1": {"d": 2}}, "run: document 'd' is ranked twice for topic '1'"),
        (uj.read_run, [("1", "d")], "run: expected (topic, doc, score) tuples, got ('1', 'd')"),
        (uj.read_run, [("1", "d", 1.0), ("1", "e")], "run: expected (topic, doc, score) tuples, got ('1', 'e')"),
        (uj.read_run, [("1", "0", "d", 1.0)], "run: expected (topic, doc, score) tuples, got ('1', '0', 'd', 1.0)"),
        (uj.read_run, ["1 d 1.0"], "run: expected (topic, doc, score) tuples, got '1 d 1.0'"),
        (uj.read_run, NA, "run: a topic id must be text or a whole number, not None"),
        (uj.read_run, pd.DataFrame({"qid": ["1"]}), "run: no column score or rank or position; the columns are qid"),
        (uj.read_run, pl.LazyFrame({"qid": ["1"]}), "run: cannot read a LazyFrame; collect it first"),
        (
            uj.read_qrels,
            {"1": {"d": math.nan}},
            "qrels: the grade of topic '1', document 'd' is not a finite number: nan",
        ),
        (uj.read_qrels, {"1": {"d": "1"}}, "qrels: the grade of topic '1', document 'd' is not a finite number: '1'"),
        (
            uj.read_qrels,
            {"1": {"d": 10**9}},
            "qrels: the grade of topic '1', document 'd' is not between -100,000 and 100,000: 1000000000",
        ),
        (uj.read_qrels, [("1", "d", 1), ("1", "d", 0)], "qrels: document 'd' is judged twice for topic '1'"),
        (
            uj.read_qrels,
            [Judgment("1", "d", 1), ("1", "d", 0)],
            "qrels: expected tuples of query_id, doc_id, relevance, got ('1', 'd', 0)",
        ),
        (
            uj.read_qrels,
            pa.table({"qid": ["1"], "docno": ["d"], "label": [1], "stratum": [-1]}),
            "qrels: the stratum of topic '1', document 'd' is not between 0 and 100,000: -1",
        ),
    ],
)
def test_wrong_things_in_memory(read: Callable[[Any], Any], source: Any, message: str | None) -> None:
    with pytest.raises(InputError) as caught:
        read(source)
    assert message in {None, str(caught.value)}


@pytest.mark.parametrize("thing", [pd.Series([1]), pa.array([1]), pl.Series([1])], ids=lambda one: type(one).__module__)
def test_columns_are_not_frames(thing: Any) -> None:
    with pytest.raises(InputError, match=r"^run: cannot read a \w+: "):
        uj.read_run(thing)


def test_the_callers_things_are_not_touched() -> None:
    nested = {"1": {"b": 1.0, "a": 2.0}, "0": {"c": 1.0}}
    frame = pd.DataFrame({"qid": ["1", "0"], "docno": ["a", "b"], "score": [1.0, 2.0]})
    rows = [("1", "b", 1.0), ("1", "a", 2.0)]
    before = repr(nested), frame.copy(), list(rows)
    for source in (nested, frame, rows):
        run = uj.read_run(source, scores="float32")
        run.renamed("other")
    assert (repr(nested), rows) == (before[0], before[2])
    pd.testing.assert_frame_equal(frame, before[1])


def test_generators_are_used_once() -> None:
    def rows() -> Iterator[tuple[str, str, float]]:
        yield "1", "a", 1.0
        yield "1", "b", 2.0

    assert as_dict(uj.read_run(rows())) == {"1": [("b", 2.0), ("a", 1.0)]}
    assert [len(run) for run in uj.read_runs(rows())] == [2]


def test_values_of_the_usual_types_are_read_as_one_by_one() -> None:
    """All at once where NumPy does the same; one unusual value (a fraction, an int16) makes it one by one."""
    scores = [0.1, 1e300, -2.5, 3.0, 1 / 3]
    usual = {"1": {f"d{i}": score for i, score in enumerate(scores)}}
    mixed = {"1": {**usual["1"], "d3": Fraction(3)}}
    assert uj.read_run(usual).ranking("1") == uj.read_run(mixed).ranking("1")
    single = {"1": {doc: np.float32(score / 2**7) for doc, score in usual["1"].items() if doc != "d1"}}
    assert dict(uj.read_run(single).ranking("1")) == {doc: float(score) for doc, score in single["1"].items()}
    grades = {"1": {"a": 2, "b": 0, "c": -1}, "2": {"b": 1}}
    unusual: Any = {topic: {doc: np.int16(grade) for doc, grade in docs.items()} for topic, docs in grades.items()}
    for qrels in (grades, unusual):
        assert uj.read_qrels(qrels, negative="pooled").judgments("1") == {"a": 2, "b": 0}
    for ids in (["a", "ä", "日本"], ["a", 7, "日本"]):
        assert sorted(uj.read_qrels({"1": dict.fromkeys(ids, 1)}).judgments("1")) == sorted(map(str, ids))


def test_a_topic_named_by_a_number_and_by_text_is_one() -> None:
    both: Any = {7: {"a": 1.0}, "8": {"a": 1.0}, "7": {"b": 2.0}}
    run = uj.read_run(both)
    assert run.topics == ("7", "8")
    assert run.ranking("7") == [("b", 2.0), ("a", 1.0)]


@pytest.mark.parametrize("value", [2**70, -(2**70)])
def test_a_grade_that_no_computer_word_holds_is_refused(value: int) -> None:
    with pytest.raises(InputError, match=r"^qrels: the grade of topic '1', document 'a' is not between "):
        uj.read_qrels({"1": {"a": value, "b": 1}})


def test_numbers_of_any_length_are_refused_in_a_short_line() -> None:
    """Python writes no more than 4,300 digits."""
    too_long = "a value of type int that is too long to show"
    where = "of topic '1', document 'd'"
    for read, source, message in (
        (uj.read_qrels, {"1": {"d": 10**5000}}, f"{where} is not between -100,000 and 100,000: {too_long}"),
        (uj.read_qrels, {"1": {10**5000: 1}}, "a document id has more digits than Python writes; give it as text"),
        (uj.read_run, {"1": {"d": 10**5000}}, f"the score {where} is not a finite number: {too_long}"),
        (uj.read_run, {"1": {"x" * 999 + " ": 1.0}}, f"id is empty or has spaces around it: '{'x' * 196}..."),
    ):  # fmt: skip
        with pytest.raises(InputError) as caught:
            read(source)
        assert str(caught.value).endswith(message)
    rows = raw_qrels({"1": {"d": 10**5000, "e": Decimal("1.50"), "f": 2.0}}).grades
    assert rows.names == (too_long, "1.50", "2")


def not_utf8(count: int) -> pa.Array:
    """A column of text that pyarrow does not look at: ``b"d\\xff"`` each time."""
    ends = np.arange(0, 2 * count + 1, 2, dtype=np.int32)
    return pa.Array.from_buffers(pa.string(), count, [None, pa.py_buffer(ends), pa.py_buffer(b"d\xff" * count)])


@pytest.mark.parametrize("column", ["query_id", "doc_id", "relevance", "iteration"])
def test_parquet_with_text_that_is_not_utf8(column: str, tmp_path: Path) -> None:
    columns = {"query_id": ["1", "1"], "doc_id": ["a", "b"], "relevance": [0, 1], "iteration": ["1", "2"]}
    table = pa.table({**columns, column: not_utf8(2)})
    path = str(tmp_path / "q.parquet")
    pa.parquet.write_table(table, path)
    for read in (uj.read_qrels, raw_qrels, *([uj.read_pool] if column in {"query_id", "doc_id"} else [])):
        with pytest.raises(InputError) as caught:
            read(path)
        assert str(caught.value) == f"{path}: the column {column!r} has text that is not UTF-8"
    with pytest.raises(InputError, match=f"^qrels: the column {column!r} has text that is not UTF-8$"):
        uj.read_qrels(table)


def test_parquet_with_dates_that_python_does_not_have(tmp_path: Path) -> None:
    when = pa.array([2**60], type=pa.timestamp("us"))
    pa.parquet.write_table(pa.table({"query_id": ["1"], "doc_id": ["a"], "relevance": when}), tmp_path / "q.parquet")
    with pytest.raises(InputError, match=r"q\.parquet: the column 'relevance' cannot be read: "):
        uj.read_qrels(tmp_path / "q.parquet")
