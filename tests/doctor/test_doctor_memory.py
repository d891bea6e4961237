"""Judgments and runs that are not in files: ``uj.doctor`` takes what ``uj.score`` takes."""

from __future__ import annotations

import math

import pandas as pd
import pytest

import unjudged as uj

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 2, "d": 0}}
RUN = {"1": {"a": 2.0, "b": 1.0}, "2": {"d": 2.0, "c": 1.0}}


def codes(diagnosis: object) -> list[str]:
    return [one.code for one in diagnosis.findings]  # type: ignore[attr-defined]


def test_sound_dicts() -> None:
    diagnosis = uj.doctor(QRELS, {"mine": RUN})
    assert codes(diagnosis) == []
    assert diagnosis.ok
    assert [one.name for one in diagnosis.runs] == ["mine"]


def test_findings_without_a_file_name_the_run() -> None:
    (finding,) = uj.doctor(QRELS, {"mine": {"1": RUN["1"]}}).findings
    assert (finding.code, finding.file, finding.line, finding.run) == ("topics-missing-in-run", None, None, "mine")
    assert finding.where == "run mine"


def test_whole_numbers_are_text_and_zeros_are_not_dropped() -> None:
    assert codes(uj.doctor(QRELS, {1: RUN["1"], 2: RUN["2"]})) == []
    assert codes(uj.doctor({"01": QRELS["1"]}, {1: RUN["1"]})) == ["no-common-topics", "ids-of-another-type"]


def test_frames_with_duplicates_nan_and_odd_grades() -> None:
    qrels = pd.DataFrame({"query_id": ["1", "1", "1"], "doc_id": ["a", "b", "b"], "relevance": [1.0, 0.5, 2.0]})
    run = pd.DataFrame({"qid": [1, 1, 1], "docno": ["a", "b", "a"], "score": [2.0, math.nan, 1.0]})
    diagnosis = uj.doctor(qrels, run)
    assert codes(diagnosis) == [
        "conflicting-judgments",
        "duplicate-documents",
        "non-finite-scores",
        "fractional-grades",
    ]
    assert diagnosis.findings[0].example == "document 'b' of topic '1' has grade 2, but 0.5 before"
    assert diagnosis.findings[0].where == "judgments"


def test_read_objects() -> None:
    qrels, run = uj.read_qrels({"1": {"a": 1, "b": -1}}, negative="pooled"), uj.read_run({"1": {"a": 1.0}}, name="mine")
    assert codes(uj.doctor(qrels, run)) == ["negative-grades"]


def test_what_is_not_a_collection_is_a_finding() -> None:
    (finding,) = uj.doctor(7, {"mine": RUN}).findings
    assert finding.message == "cannot read judgments from int; give a path, a dict of dicts or a frame"
    diagnosis = uj.doctor(QRELS, {"mine": RUN, "odd": {"1": {"a": None}}})
    assert diagnosis.findings[0].message == "odd: the score of topic '1', document 'a' is not a number: None"
    assert diagnosis.findings[0].run == "odd"


def test_cutoffs_are_checked() -> None:
    with pytest.raises(uj.InputError, match="a cut-off must be a whole number of at least 1, not 0"):
        uj.doctor(QRELS, {"mine": RUN}, cutoffs=[0])


def test_shares_judged_in_all_four_definitions() -> None:
    qrels = {"1": {"a": 1, "b": -1}, "2": {"x": 1}}
    diagnosis = uj.doctor(qrels, {"mine": {"1": {"a": 4.0, "b": 3.0, "x": 2.0, "y": 1.0}}}, negative="pooled")
    at_5 = {row.definition: row.judged for row in diagnosis.judged if row.cutoff == 5}
    # a is judged, b only pooled, x judged for another topic, y not at all, and rank 5 is empty.
    assert at_5 == pytest.approx({"unjudged": 1 / 4, "ir_measures": 2 / 4, "trec_eval": 2 / 5, "beir": 4 / 5})
    assert {row.cutoff for row in diagnosis.judged} == {5, 10, 20, 100, 1000}


def test_frames_of_findings_and_shares() -> None:
    diagnosis = uj.doctor(QRELS, {"mine": {"1": RUN["1"]}})
    assert list(diagnosis.to_frame("pandas").columns) == [
        "code",
        "severity",
        "count",
        "message",
        "example",
        "next_step",
        "file",
        "line",
        "run",
        "lines",
    ]
    shares = diagnosis.to_frame("pandas", judged=True)
    assert list(shares.columns) == ["run", "definition", "cutoff", "judged"]
    assert len(shares) == 20


def test_repr_says_what_was_found() -> None:
    assert repr(uj.doctor(QRELS, {"mine": {"1": RUN["1"]}})) == (
        "1 finding in 1 run\nwarning topics-missing-in-run: run mine: 1 of 2 judged topics is not in the run"
    )
