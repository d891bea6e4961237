"""CSV and TSV: exact for programs where that is harmless, and harmless for spreadsheets and terminals everywhere."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import unjudged as uj
from unjudged.reports.escape import for_spreadsheet
from unjudged.reports.layout import delimited, render_columns
from unjudged.reports.scores import render_scores
from unjudged.wording import visible

FORMULAS = ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "=cmd|' /C calc'!A0", "\uff1d1+1", " =1+1", "'=1+1", "--help", "-"]


def read(text: str, delimiter: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text), delimiter=delimiter))


@pytest.mark.parametrize("name", FORMULAS)
def test_what_a_spreadsheet_would_compute_gets_an_apostrophe(name: str) -> None:
    assert for_spreadsheet(name) == f"'{name}"


@pytest.mark.parametrize("name", ["\t=1+1", "\r=1+1", "\n=1+1"])
def test_control_characters_at_the_beginning_become_escapes(name: str) -> None:
    assert for_spreadsheet(name) == visible(name)


@pytest.mark.parametrize(
    "text", ["-0.25", "-1e-05", "-inf", "+7", "-7", "301", "bm25", "a=b", "x-y", "'quoted'", "", "文書", "nDCG@10"]
)
def test_numbers_and_other_names_stay_as_they_are(text: str) -> None:
    assert for_spreadsheet(text) == text


cells = st.one_of(
    st.text(max_size=8),
    st.text("=+-@'\" ,;\t\r\n\x1bab1.\u200b", max_size=6),
    st.floats(allow_nan=False).map(str),
    st.integers().map(str),
)
tables = st.integers(1, 4).flatmap(lambda width: st.lists(st.lists(cells, min_size=width, max_size=width), min_size=1))


@given(tables, st.sampled_from([",", "\t"]))
@example([["a,b", "c"]], ",")
@example([["a;=1+1", "c"]], ",")
def test_every_cell_comes_back_harmless(table: list[list[str]], delimiter: str) -> None:
    text = delimited([f"c{i}" for i in range(len(table[0]))], table, delimiter)
    rows = [row or [""] for row in read(text, delimiter)[1:]]
    assert rows == [[for_spreadsheet(cell) for cell in row] for row in table]
    assert re.fullmatch(r"[^\x00-\x08\x0b-\x1f\x7f-\x9f]*", text), "nothing raw reaches a terminal"
    for cell in (cell for row in rows for cell in row):
        if cell.startswith(("=", "+", "-", "@")):
            float(cell)  # nothing but numbers begins so


@given(st.text())
def test_one_apostrophe_less_is_the_name_as_it_is_shown(name: str) -> None:
    cell = for_spreadsheet(name)
    back = cell[1:] if re.match(r"'[\s']*[=+\-@\uff1d\uff0b\uff0d\uff20]", cell) else cell
    assert back == visible(name)


def test_semicolons_are_quoted_since_some_spreadsheets_take_them_for_commas() -> None:
    assert render_columns({"run": ["x;=1+1", "y"], "value": [-0.5, None]}, "csv") == 'run,value\n"x;=1+1",-0.5\ny,\n'
    assert render_columns({"run": ["x;=1+1", "y"], "value": [-0.5, None]}, "tsv") == "run\tvalue\nx;=1+1\t-0.5\ny\t\n"


@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_hostile_names_of_runs_and_topics(form: str) -> None:
    name = "=HYPERLINK(\x1b[31m)"
    scores = uj.score({name: {"a": 1}}, {name: {name: {"a": 1.0}}}, "P@1")
    rows = read(render_scores(scores, form, per_topic=True), "," if form == "csv" else "\t")
    assert [row[:2] for row in rows[1:]] == [
        ["'=HYPERLINK(\\x1b[31m)", "all"],
        ["'=HYPERLINK(\\x1b[31m)", "'=HYPERLINK(\\x1b[31m)"],
    ]
    assert json.loads(render_scores(scores, "json", per_topic=True))["rows"][0]["run"] == name, "JSON is exact"


def test_json_has_nothing_raw_for_a_terminal() -> None:
    name = "a\x9b31m\u202e\x7f"
    text = render_scores(uj.score({"1": {"a": 1}}, {name: {"1": {"a": 1.0}}}, "P@1"), "json")
    assert json.loads(text)["rows"][0]["run"] == name
    assert '"a\\u009b31m\\u202e\\u007f"' in text


@pytest.mark.parametrize("form", ["table", "markdown", "latex"])
def test_no_other_form_has_control_characters_either(form: str) -> None:
    name = "a\x1b[31m\u200bb"
    text = render_scores(uj.score({name: {"a": 1}}, {name: {name: {"a": 1.0}}}, "P@1"), form, per_topic=True)
    assert not {"\x1b", "\u200b"} & set(text)
    assert "x1b" in text
    assert "u200b" in text
