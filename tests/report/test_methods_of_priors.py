"""A comparison says where the grades of unjudged documents came from."""

from __future__ import annotations

import warnings

import pytest

import unjudged as uj


@pytest.mark.parametrize(
    ("prior", "words"),
    [
        ("pool+run", "from the grades of the topic's judged documents and of those among them that the runs show,"),
        ("evidence", "from an ordinal model of documents that only one other group of runs contributed to the pool,"),
    ],
)
def test_where_grades_come_from(prior: str, words: str) -> None:
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 0, "b": 1}}
    runs = {"one": {"1": {"a": 2.0}, "2": {"c": 1.0}}, "two": {"1": {"b": 2.0}, "2": {"b": 1.0}}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", uj.UnjudgedWarning)  # two runs are too few to learn from
        found = uj.compare(qrels, runs, "P@1", prior=prior, draws=10)
    assert f"are drawn 10 times, {words} one grade for each document" in uj.methods(found).to_text()
