"""The section of a report on what to judge next, which is there where it was asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

import unjudged as uj
from unjudged.reports.page import Page
from unjudged.wording import visible

from .conftest import Elements
from .test_browser import Browser, column, one, opened
from .test_page import NASTY

QRELS = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 0, "d": 1}}
RUNS = {
    "old": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"d": 2.0, "a": 1.0}},
    NASTY: {"1": {"c": 3.0, NASTY: 2.0, "a": 1.0}, "2": {"y": 2.0, "d": 1.0}},
}
LABELS = {"1": {NASTY: 1, "a": 1, "b": 0}, "2": {"y": 0, "d": 2}}


def report(measure: str = "P@2", **how: object) -> Page:
    return uj.report(QRELS, RUNS, measure, reuse=False, holes="nonrelevant", **how)  # type: ignore[arg-type]


def test_what_to_judge_next_has_a_section_where_it_is_asked_for() -> None:
    page = report(to_judge=2, labels={NASTY: LABELS})
    result = uj.next_judgments(QRELS, RUNS, "decide(measure=P@2)", budget=2, labels={NASTY: LABELS})
    data = Elements(page.html).data()
    section = data["judge"]
    assert page.sentences["judge"] == section["lead"]
    assert [(row["topic"], row["doc"]) for row in section["documents"]] == [
        (visible(row.topic), visible(row.doc)) for row in result.judgments()
    ]
    assert [data["runs"][row["run"]] for row in section["runs"]] == [visible(row.run) for row in result.runs()]
    assert [row["expected"] for row in section["runs"]] == pytest.approx([row.expected for row in result.runs()])
    assert '<section id="judge"' in page.html
    assert NASTY not in page.html
    assert "judge" not in report().sentences
    skipped = report("AP", to_judge=1)
    assert skipped.sentences["judge"].startswith("What to judge next was not asked: decide needs to know")


def test_it_has_tables(browser: Browser, tmp_path: Path) -> None:
    made = report(to_judge=2)
    made.save(tmp_path / "page.html")
    page = opened(browser, tmp_path / "page.html")
    result = uj.next_judgments(QRELS, RUNS, "decide(measure=P@2)", budget=2)
    assert column(page, "judge-documents", "Document") == [visible(row.doc) for row in result.judgments()]
    assert column(page, "judge-scores", "Expected") == [f"{row.expected:.4f}" for row in result.runs()]
    assert one(page, "nav a[href='#judge']").text == "Next"
    assert page.execute_script("return window.hacked") is None
