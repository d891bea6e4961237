"""Documents that a run has more than once for a topic: an error, or one of their lines counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_files import as_dict, write

import unjudged as uj
from unjudged.data.run import Duplicates
from unjudged.errors import InputError

ROWS = [("1", "a", 1.0), ("1", "b", 3.0), ("1", "a", 2.0), ("2", "a", 9.0), ("1", "a", 0.5), ("1", "c", 2.0)]
KEPT: dict[Duplicates, float] = {"best": 2.0, "first": 1.0, "last": 0.5}


def sources(tmp_path: Path, rows: list[tuple[str, str, float]]) -> dict[str, Any]:
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    frame.to_parquet(tmp_path / "run.parquet")
    lines = "".join(f"{topic} Q0 {doc} 1 {score!r} mine\n" for topic, doc, score in rows)
    return {
        "file": write(tmp_path / "mine", lines),
        "tuples": rows,
        "frame": frame,
        "parquet": tmp_path / "run.parquet",
    }


@pytest.mark.parametrize("kind", ["file", "tuples", "frame", "parquet"])
@pytest.mark.parametrize("duplicates", KEPT)
def test_one_line_of_a_document_counts(kind: str, duplicates: Duplicates, tmp_path: Path) -> None:
    run = uj.read_run(sources(tmp_path, ROWS)[kind], duplicates=duplicates)
    kept = {"a": KEPT[duplicates], "b": 3.0, "c": 2.0}
    assert dict(run.ranking("1")) == kept
    assert [doc for doc, _ in run.ranking("1")] == sorted(kept, key=lambda doc: (kept[doc], doc), reverse=True)
    assert run.ranking("2") == [("a", 9.0)]
    assert run.repeats == 2
    with pytest.raises(InputError, match="document 'a' is ranked twice for topic '1'"):
        uj.read_run(sources(tmp_path, ROWS)[kind])


LINES = st.lists(
    st.tuples(st.sampled_from("12"), st.sampled_from("abcd"), st.sampled_from([0.0, 1.0, 2.0])), min_size=1
)


@given(LINES, st.sampled_from(["best", "first", "last"]), st.sampled_from(["float64", "float32"]))
def test_runs_are_those_without_the_other_lines(lines: list[tuple[str, str, float]], duplicates: Any, how: Any) -> None:
    kept: dict[tuple[str, str], float] = {}
    for topic, doc, score in lines:
        before = kept.get((topic, doc))
        wins = before is None or duplicates == "last" or (duplicates == "best" and score > before)
        kept[topic, doc] = score if wins or before is None else before
    run = uj.read_run(lines, duplicates=duplicates, scores=how)
    assert as_dict(run) == as_dict(uj.read_run([(*pair, score) for pair, score in kept.items()], scores=how))
    assert run.repeats == len(lines) - len(kept)


def test_studies_say_how_many_lines_do_not_count() -> None:
    qrels, good = {"1": {"a": 1, "b": 0}}, [("1", "b", 2.0), ("1", "a", 1.0)]
    message = "mine has 1 line with a document that its topic has already; left out"
    with pytest.warns(uj.UnjudgedWarning, match=f"^{message}$"):
        scores = uj.score(qrels, {"mine": [*good, ("1", "a", 3.0)]}, "RR", duplicates="best")
    assert scores.mean()["mine", "RR"] == 1.0
    assert [(one.code, one.count) for one in scores.warnings] == [("duplicate-documents", 1)]
    with pytest.warns(uj.UnjudgedWarning, match=f"^{message}$"):
        added = uj.relative(qrels, {"mine": [*good, ("1", "a", 3.0)], "old": good}, "P@1", duplicates="first")
    assert added.run("mine").absolute == 0.0


def test_prior_runs_are_read_in_the_same_way() -> None:
    qrels, prior = {"1": {"a": 1, "b": 1}}, [("1", "a", 1.0), ("1", "a", 2.0)]
    with pytest.raises(InputError, match="ranked twice"):
        uj.relative(qrels, {"mine": {"1": {"b": 1.0}}}, "P@1", prior_runs=[prior])
    with pytest.warns(uj.UnjudgedWarning, match="1 line with a document that its topic has already"):
        result = uj.relative(qrels, {"mine": {"1": {"b": 1.0}}}, "P@1", prior_runs=[prior], duplicates="best")
    assert result.run("mine").nrg


def test_what_else_cannot_be_asked_for() -> None:
    with pytest.raises(InputError, match=r"^duplicates must be 'error', 'best', 'first' or 'last', not 'worst'$"):
        uj.read_run(ROWS, duplicates="worst")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"^duplicates must be one of 'error', 'best', 'first', 'last', not 'worst'$"):
        uj.score({"1": {"a": 1}}, {"mine": ROWS}, "P@1", duplicates="worst")  # type: ignore[arg-type]
