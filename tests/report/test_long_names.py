"""Tables of one measure keep their shape where names are long; the measure is a column and not a word in each row."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import unjudged as uj
from unjudged.reports.layout import Table, render_tables, shorten_apart
from unjudged.reports.scores import render_scores


def test_names_give_way_before_the_shape_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    runs = {
        f"a-team-with-a-long-name-{end}-and-a-date-2024-12-09": {"1": {"x": 2.0, end: 1.0}, "2": {end: 3.0}}
        for end in ("first", "second")
    }
    qrels = {"1": {"first": 1, "second": 0}, "2": {"second": 2, "first": 1}}
    scores = uj.score(qrels, runs, "nDCG@10", holes=["nonrelevant", "bootstrap(prior=pool,draws=200)"])
    lines = render_scores(scores, "table").splitlines()
    assert lines[0].split() == ["run", "holes", "nDCG@10", "could", "be", "judged@10"]
    assert max(map(len, lines)) <= 80
    several = uj.score(qrels, runs, ["nDCG@10", "AP"], holes=["nonrelevant", "bootstrap(prior=pool,draws=200)"])
    assert render_scores(several, "table").split()[:4] == ["run", "measure", "holes", "value"]


@pytest.mark.parametrize("columns", [80, 90, 120])
def test_no_more_of_a_name_is_left_out_than_the_screen_asks_for(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    table = Table(["run", "holes", "P@10"], [["n" * 150, "h" * 40, "0.5000"], ["short", "", "0.2500"]], 2)
    lines = render_tables([table], [], "table").splitlines()
    assert columns - 2 < max(map(len, lines)) <= columns
    assert lines[3].startswith("short ")
    monkeypatch.setenv("COLUMNS", "300")
    assert "n" * 150 in render_tables([table], [], "table")


def test_hole_models_are_rows_where_columns_would_leave_no_room_for_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    runs = {
        name: {"1": {"x": 2.0, "a": 1.0}} for name in ("a-system-from-the-year-2019", "a-system-from-the-year-2020")
    }
    scores = uj.score(
        {"1": {"a": 1, "b": 0, "c": 1}}, runs, "nDCG@10", holes=["bounds", "joint", "bootstrap(draws=20)"]
    )
    lines = render_scores(scores, "table").splitlines()
    assert lines[0].split()[:3] == ["run", "holes", "nDCG@10"]
    assert [line.split()[1] for line in lines[2:5]] == ["bounds", "joint", "bootstrap(draws=20)"]
    monkeypatch.setenv("COLUMNS", "200")
    lines = render_scores(scores, "table").splitlines()
    assert lines[0].split() == ["run", "nDCG@10", "bounds", "joint", "bootstrap", "interval", "judged@10"]


def test_runs_whose_names_begin_and_end_alike_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs of runs were printed as `colb~2019  colb~2019`."""
    names = ["colbert-prf_prf_rank_beta1.2019", "colbert-prf_ANCE.2019", "colbert-prf_BM25RM3.2019", "monot5"]
    assert shorten_apart(names, 9) == ["c~prf~ta1", "colb~ANCE", "c~BM25RM3", "monot5"]
    assert shorten_apart(["a-name-that-ends", "a-name-that-ends-ends"], 8) == ["a-name-~", "a-~-ends"]
    monkeypatch.setenv("COLUMNS", "80")
    table = Table(["A", "B", *"wxyz"], [[*names[1:3], *["0" * 13] * 4]], 2)
    assert render_tables([table], [], "table").splitlines()[2].split()[:2] == ["colb~ANCE", "c~BM25RM3"]


@given(st.lists(st.text("ab~2", min_size=1, max_size=30), unique=True, max_size=12), st.integers(8, 30))
def test_short_names_are_different_and_short(names: list[str], length: int) -> None:
    short = shorten_apart(names, length)
    assert len(set(short)) == len(names)
    assert all(len(one) <= length for one in short)
