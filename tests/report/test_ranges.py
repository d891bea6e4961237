"""Ranges that promise less than they seem to are marked, and named for what they are."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

import unjudged as uj
from unjudged.holes import hole_models
from unjudged.reports.ranges import is_chance_alone
from unjudged.reports.relative import render_relative
from unjudged.reports.scores import render_scores

TOPICS = [str(t) for t in range(8)]
QRELS = {t: {"a": 1, "b": 0, "c": 0, "d": 1, "e": 0} for t in TOPICS}
RUN = {t: {"a": 5.0, "x": 4.0, "b": 3.0, "y": 2.0} for t in TOPICS}
CHANCE = (
    "*: what chance alone would do if the model were right; the truth of a mean lies outside much more often than that."
    " Intervals of discounted and evidence hold what they promise."
)
OUTSIDE = "!: the value is outside, because topics have another point of their draws than the mean."


def scores(*holes: str) -> uj.Scores:
    return uj.score(QRELS, {"mine": RUN}, "P@4", holes=list(holes))


def words(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize(
    ("model", "kind"),
    [
        ("bootstrap", "chance alone"),
        ("bootstrap(prior=pool)", "chance alone"),
        ("bootstrap(prior=labels,labels=x)", "interval"),
        ("bootstrap(prior=evidence)", "interval"),
        ("evidence", "interval"),
        ("discounted", "interval"),
        ("joint", "bounds"),
        ("bounds", "bounds"),
    ],
)
def test_a_model_says_what_its_ranges_of_means_are(model: str, kind: str) -> None:
    assert hole_models.parse(model).range_of_means == kind
    assert is_chance_alone(model) == (kind == "chance alone")


def test_a_mean_from_a_plain_bootstrap_is_marked_and_single_topics_are_not() -> None:
    text = render_scores(scores("bootstrap"), "table", per_topic=True)
    lines = text.splitlines()
    assert [line.count("*") for line in lines if line.startswith("mine")] == [*[0] * 8, 1]
    assert words(text).endswith(CHANCE)


@pytest.mark.parametrize("model", ["discounted", "joint", "bounds", "nonrelevant", "condensed"])
def test_what_holds_is_not_marked(model: str) -> None:
    text = render_scores(scores(model), "table", per_topic=True)
    assert "*" not in text
    assert "!" not in text


def test_a_value_outside_its_own_range_is_marked() -> None:
    result = scores("bootstrap(point=mode,prior=pool)")
    (row,) = result.mean()
    assert row.value is not None
    assert row.low is not None
    assert row.high is not None
    assert row.value > row.high  # the most likely score of every topic is above its mean
    text = render_scores(result, "table")
    assert text.splitlines()[2].split()[2].endswith("*!")
    assert words(text).endswith(f"{CHANCE} {OUTSIDE}")


def test_a_range_that_is_one_number_needs_no_mark() -> None:
    judged = {t: {**docs, "x": 0, "y": 0} for t, docs in QRELS.items()}
    assert "*" not in render_scores(uj.score(judged, {"mine": RUN}, "P@4", holes="bootstrap"), "table")


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_papers_have_the_words_too(form: str) -> None:
    text = render_scores(scores("bootstrap"), form)
    assert "what chance alone would do if the model were right" in text


def test_json_and_tsv_keep_the_number_and_name_it() -> None:
    result = scores("nonrelevant", "joint", "discounted", "bootstrap")
    rows = json.loads(result.to_json(per_topic=True))["rows"]
    kinds = {(row["holes"], row["topic"] == "all"): row["range"] for row in rows}
    assert kinds == {
        ("nonrelevant", True): None,
        ("nonrelevant", False): None,
        ("joint", True): "bounds",
        ("joint", False): "bounds",
        ("discounted", True): "interval",
        ("discounted", False): "interval",
        ("bootstrap", True): "chance alone",
        ("bootstrap", False): "interval",
    }
    mean = next(row for row in rows if row["holes"] == "bootstrap" and row["topic"] == "all")
    assert mean["low"] < mean["value"] < mean["high"]
    table = list(csv.DictReader(render_scores(result, "tsv").splitlines(), delimiter="\t"))
    assert [row["range"] for row in table] == ["", "bounds", "interval", "chance alone"]


def test_relative_marks_them_too() -> None:
    runs = {"mine": RUN, "other": {t: {"d": 1.0} for t in TOPICS}}
    for model, marked in (("bootstrap", True), ("joint", False)):
        text = render_relative(uj.relative(QRELS, runs, "P@4", holes=model), "table")
        assert (CHANCE in words(text)) == marked


def test_the_page_says_it_where_a_plain_bootstrap_was_asked_for() -> None:
    note = " Ranges of bootstrap are what chance alone would do if the model were right."
    runs = {"mine": RUN, "other": {t: {"d": 1.0, "z": 0.5} for t in TOPICS}}
    for holes, there in (("bootstrap", True), ("discounted", False)):
        page = uj.report(QRELS, runs, "P@4", holes=["nonrelevant", holes], reuse=False)
        assert (note.strip() in page.html) == there


def test_charts_say_which_lines_are_chance_alone() -> None:
    remarks = uj.plots.scores(scores("joint", "bootstrap")).remarks
    assert "Lines are what joint leave possible." in remarks
    assert "Lines of bootstrap are what chance alone would do if the model were right." in remarks


def test_the_value_of_a_mean_is_inside_the_draws_it_comes_from() -> None:
    result = scores("discounted", "bootstrap", "bootstrap(point=median)")
    inside = (result.means >= result.mean_low - 1e-9) & (result.means <= result.mean_high + 1e-9)
    np.testing.assert_array_equal(inside[:2, 0, 0], [True, True])
