"""Files of search engines and of their judging tools, written as their documentation shows them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from small_files import as_dict, judgments, write

import unjudged as uj
from unjudged.errors import InputError
from unjudged.io.formats import FORMATS
from unjudged.limits import QrelsFormat, RunFormat

JUDGED = {"red dress": {"d1": 3, "d2": 0.5}, "shoes": {"d1": 1}}

RATED = {
    "OpenSearch": {
        "name": "Imported Judgments",
        "type": "IMPORT_JUDGMENT",
        "judgmentRatings": [
            {"query": "red dress", "ratings": [{"docId": "d1", "rating": "3.000"}, {"docId": "d2", "rating": 0.5}]},
            {"query": "shoes", "ratings": [{"docId": "d1", "rating": 1}]},
        ],
    },
    "Elasticsearch": {
        "requests": [
            {
                "id": "red dress",
                "request": {"query": {"match": {"title": "red dress"}}},
                "ratings": [{"_index": "i", "_id": "d1", "rating": 3}, {"_index": "i", "_id": "d2", "rating": 0.5}],
            },
            {"id": "shoes", "request": {}, "ratings": [{"_index": "i", "_id": "d1", "rating": 1}]},
        ],
        "metric": {"dcg": {"k": 20, "normalize": False}},
    },
    "Quepid": {
        "queries": [
            {"query": "red dress", "ratings": {"d1": 3, "d2": 0.5}},
            {"query": "nobody rated it", "ratings": {}},
            {"query": "shoes", "ratings": {"d1": 1.0}},
        ]
    },
    "a case of Quepid's": {
        "case_name": "mine",
        "queries": [
            {"query_text": "red dress", "ratings": [{"doc_id": "d1", "rating": 3}, {"doc_id": "d2", "rating": 0.5}]},
            {"query_text": "nobody rated it", "ratings": []},
            {"query_text": "shoes", "ratings": [{"doc_id": "d1", "rating": 1, "user_email": "a@example.com"}]},
        ],
    },
    "RRE from Quepid": {
        "id_field": "id",
        "index": "mine",
        "template": "template.json",
        "queries": [
            {"placeholders": {"$query": "red dress"}, "relevant_documents": {"0.5": ["d2"], "3": ["d1"]}},
            {"placeholders": {"$query": "shoes"}, "relevant_documents": {"1": ["d1"]}},
        ],
    },
    "RRE": {
        "index": "mine",
        "topics": [
            {
                "description": "clothes",
                "query_groups": [
                    {
                        "name": "red",
                        "queries": [{"template": "t.json", "placeholders": {"$query": "red dress"}}],
                        "relevant_documents": {"d1": {"gain": 3}, "d2": {"gain": 0.5}},
                    },
                    {
                        "name": "shoes",
                        "queries": [{"template": "t.json", "placeholders": {"$query": "shoes"}}],
                        "relevant_documents": {"1": ["d1"]},
                    },
                ],
            }
        ],
    },
}


@pytest.mark.parametrize("name", RATED)
def test_ratings_of_every_tool_are_the_same(name: str, tmp_path: Path) -> None:
    for indent in (None, 2):
        path = write(tmp_path / "file", json.dumps(RATED[name], indent=indent))
        assert judgments(uj.read_qrels(path)) == JUDGED


def _response(*docs: str, key: str = "_id") -> dict[str, Any]:
    return {
        "took": 3,
        "hits": {"total": {"value": 9}, "hits": [{"_index": "i", key: doc, "_score": 1} for doc in docs]},
    }


SEARCHES = {
    "Elasticsearch": [{"query_id": "q1", **_response("b", "a")}, {"query_id": "q 2", **_response("a")}],
    "beside the response": [
        {"query": "q1", "response": _response("b", "a")},
        {"query": "q 2", "response": _response("a")},
    ],
    "Solr": [
        {"responseHeader": {"params": {"q": query}}, "response": {"numFound": 9, "docs": [{"id": doc} for doc in docs]}}
        for query, docs in {"q1": "ba", "q 2": "a"}.items()
    ],
}


@pytest.mark.parametrize("name", SEARCHES)
def test_saved_searches_are_runs_in_the_order_of_their_hits(name: str, tmp_path: Path) -> None:
    path = write(tmp_path / "mine.jsonl", "\n".join(map(json.dumps, SEARCHES[name])))
    run = uj.read_run(path)
    assert as_dict(run) == {"q1": [("b", 0.0), ("a", -1.0)], "q 2": [("a", 0.0)]}
    with pytest.raises(InputError, match=r"responses of Elasticsearch, OpenSearch or Solr to searches, which is a run"):
        uj.read_qrels(path)


RESPONSE = {
    "metric_score": 0.4,
    "details": {
        "JFK query": {
            "metric_score": 0.4,
            "unrated_docs": [{"_index": "i", "_id": "13736278"}],
            "hits": [
                {"hit": {"_index": "i", "_id": "13736278", "_score": 1.5}, "rating": None},
                {"hit": {"_index": "i", "_id": "10547057", "_score": 1.2}, "rating": 1},
                {"hit": {"_index": "i", "_id": "1", "_score": 1.1}, "rating": 0},
            ],
        }
    },
    "failures": {},
}


@pytest.mark.filterwarnings("ignore:.*without a grade")
def test_a_response_of_rank_eval_has_a_run_and_ratings(tmp_path: Path) -> None:
    path = write(tmp_path / "response.json", json.dumps(RESPONSE))
    assert as_dict(uj.read_run(path)) == {"JFK query": [("13736278", 0.0), ("10547057", -1.0), ("1", -2.0)]}
    assert judgments(uj.read_qrels(path)) == {"JFK query": {"10547057": 1, "1": 0}}
    [judged] = uj.score(path, path, "Judged@3").means.ravel()
    assert judged == pytest.approx(2 / 3)


DOCUMENTED = [3, 2, 3, None, 1]
"""Ratings by rank in an example of Elasticsearch's tests of `_rank_eval`, whose DCG and ideal DCG are below."""


@pytest.mark.filterwarnings("ignore:.*without a grade")
def test_dcg_is_that_of_rank_eval(tmp_path: Path) -> None:
    hits = [{"hit": {"_id": str(place), "_score": 1}, "rating": rating} for place, rating in enumerate(DOCUMENTED)]
    path = write(tmp_path / "r", json.dumps({"metric_score": 0, "details": {"q": {"hits": hits}}}))
    measures = ["DCG(dcg='exp-log2')", "nDCG(dcg='exp-log2')"]
    dcg, ndcg = uj.score(path, path, measures).means.ravel()
    assert (dcg, ndcg) == (pytest.approx(12.779642067948913), pytest.approx(12.779642067948913 / 13.347184833073591))


BAD = {
    "a rating that is a word": (
        {"judgmentRatings": [{"query": "q", "ratings": [{"docId": "d", "rating": "good"}]}]},
        "{}: .judgmentRatings[0].ratings[0]: the grade is not a number: 'good'",
    ),
    "a rating without a document": (
        {"requests": [{"id": "q", "ratings": [{"rating": 1}]}]},
        "{}: .requests[0].ratings[0]: expected an object with _id and rating",
    ),
    "no ratings": ({"requests": [{"id": "q"}]}, "{}: .requests[0]: there are no ratings in an array"),
    "no query": (
        {"queries": [{"ratings": {"d": 1}}]},
        "{}: .queries[0]: this is no id of a topic: None",
    ),
    "RRE without a query": (
        {"index": "i", "template": "t", "queries": [{"relevant_documents": {}}]},
        "{}: .queries[0]: expected relevant_documents, and placeholders with $query",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_ratings_are_named_by_their_place(name: str, tmp_path: Path) -> None:
    content, message = BAD[name]
    path = write(tmp_path / "bad", json.dumps(content))
    with pytest.raises(InputError) as caught:
        uj.read_qrels(path)
    assert str(caught.value) == message.replace("{}", str(path))


def test_a_search_must_say_its_topic(tmp_path: Path) -> None:
    lines = "\n".join(map(json.dumps, [SEARCHES["Elasticsearch"][0], _response("a")]))
    path = write(tmp_path / "run", lines)
    with pytest.raises(InputError, match=r"run:2: this response does not say its topic; add one beside it, such as"):
        uj.read_run(path)


def test_words_for_formats_are_those_there_are() -> None:
    columns = {"auto", "strata", "diversity"}
    assert {one.name for one in FORMATS if "grade" in one.reads} == set(QrelsFormat.__args__) - columns
    assert {one.name for one in FORMATS if "score" in one.reads} == set(RunFormat.__args__) - {"auto"}
