"""Files of search teams: CSV and TSV with a header, and JSON of every tool. Made mostly valid, then mutated."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from hostile import HOSTILE_TEXTS, a_doc, a_grade, a_score, a_topic, one_of
from kinds import Kind, Make, in_file
from mutations import mutated

import unjudged as uj

__all__ = ["KINDS"]

_TOPICS = ("query-id", "query", "Query Text", "qid", "topic_id")
_DOCS = ("corpus-id", "docid", "Doc ID", "pid")
_GRADES = ("score", "rating", "relevance", "label")
_ODD = (None, True, [], {}, "", "0.5", "good", 1e300, -2, float("nan"))
_JSON = Callable[[Random, dict[str, dict[str, Any]]], Any]


def _table(rng: Random, value: Callable[[Random], str]) -> bytes:
    separator = rng.choice(",;\t")
    names = [rng.choice(_TOPICS), rng.choice(_DOCS), rng.choice(_GRADES)]
    if rng.random() < 0.2:
        names.append(one_of(rng, ("title", "subtopic", "stratum"), (*_GRADES, *HOSTILE_TEXTS), 0.3))
    order = rng.sample(range(len(names)), len(names))
    rows = [names, *([a_topic(rng), a_doc(rng), value(rng), "x"][: len(names)] for _ in range(rng.randint(1, 20)))]
    mark = "\ufeff" if rng.random() < 0.1 else ""
    end = rng.choice(("\n", "\r\n"))
    lines = [separator.join(_field(rng, row[place], separator) for place in order) + end for row in rows]
    return (mark + "".join(lines)).encode("utf-8", "surrogatepass")


def _field(rng: Random, text: str, separator: str) -> str:
    if rng.random() < 0.1:
        text += one_of(rng, (" red dress", '"quoted"', separator), ("\n", "\r", "\0", "\x1f", '"'), 0.1)
    if rng.random() < 0.2 or separator in text or '"' in text:
        return '"' + text.replace('"', '""' if rng.random() < 0.95 else '"') + '"'
    return text


def _rated(rng: Random) -> dict[str, dict[str, Any]]:
    """Documents of topics, with numbers."""

    def number() -> Any:
        return rng.choice((0, 1, 2, 3, 0.5)) if rng.random() < 0.97 else rng.choice(_ODD)

    return {a_topic(rng): {a_doc(rng): number() for _ in range(rng.randint(0, 6))} for _ in range(rng.randint(1, 4))}


def _listed(docs: dict[str, Any], name: str) -> list[dict[str, Any]]:
    return [{name: doc, "rating": rating} for doc, rating in docs.items()]


def _by_grade(rng: Random, docs: dict[str, Any]) -> dict[str, Any]:
    if rng.random() < 0.5:
        return {doc: {"gain": rating} for doc, rating in docs.items()}
    return {str(rating): [doc for doc in docs if docs[doc] == rating] for rating in docs.values()}


_RATINGS: dict[str, _JSON] = {
    "json": lambda rng, rated: rated,
    "rows": lambda rng, rated: [{"qid": t, "doc": d, "grade": g} for t, docs in rated.items() for d, g in docs.items()],
    "opensearch": lambda rng, rated: {
        "judgmentRatings": [{"query": topic, "ratings": _listed(docs, "docId")} for topic, docs in rated.items()]
    },
    "elasticsearch": lambda rng, rated: {
        "requests": [{"id": topic, "ratings": _listed(docs, "_id")} for topic, docs in rated.items()]
    },
    "quepid": lambda rng, rated: {
        "queries": [
            {"query": topic, "ratings": docs if rng.random() < 0.5 else _listed(docs, "doc_id")}
            for topic, docs in rated.items()
        ]
    },
    "rre": lambda rng, rated: {
        "template": "t",
        "queries": [
            {"placeholders": {"$query": topic}, "relevant_documents": _by_grade(rng, docs)}
            for topic, docs in rated.items()
        ],
    },
    "rank_eval": lambda rng, rated: {
        "metric_score": 0.5,
        "details": {
            topic: {"hits": [{"hit": {"_id": doc}, "rating": rating} for doc, rating in docs.items()]}
            for topic, docs in rated.items()
        },
    },
}
_RANKINGS: dict[str, _JSON] = {
    "json": _RATINGS["json"],
    "mteb": lambda rng, rated: {
        "mteb_model_meta": {"model_name": one_of(rng, ("a/b",), (None, 3, "\ud800"), 0.2)},
        **{subset: {"test": rated} for subset in rng.choice((["default"], ["default"], ["de", "fr"]))},
    },
    "rank_eval": _RATINGS["rank_eval"],
}


def _json(forms: dict[str, _JSON]) -> Make:
    def make(rng: Random) -> bytes:
        text = json.dumps(
            forms[rng.choice([*forms])](rng, _rated(rng)),
            ensure_ascii=rng.random() < 0.5,
            indent=rng.choice((None, None, 1)),
        )
        cut = len(text) if rng.random() < 0.9 else rng.randrange(len(text) + 1)
        return text[:cut].encode("utf-8", "surrogatepass")

    return make


def _searches(rng: Random) -> bytes:
    lines = []
    for topic, docs in _rated(rng).items():
        hits = [{rng.choice(("_id", "_id", "id")): doc} for doc in docs]
        found = {"hits": {"hits": hits}} if rng.random() < 0.7 else {"response": {"docs": hits}}
        lines.append(rng.choice(({"query_id": topic, **found}, {"query_id": topic, "response": found}, found)))
    return "\n".join(map(json.dumps, lines)).encode("utf-8", "surrogatepass") + b"\n"


def _converted(path: str) -> object:
    """What is written for another tool is read back as it was."""
    beside = Path(path).with_name("converted")
    before = uj.read_qrels(path, negative="judged")
    uj.convert(path, beside, "opensearch", kind="qrels")
    after = uj.read_qrels(beside, negative="judged")
    assert {t: before.judgments(t) for t in before.topics} == {t: after.judgments(t) for t in after.topics}
    return after


def _kind(name: str, make: Make, read: Callable[[str], object], weight: int = 1) -> Kind:
    return Kind(name, lambda rng: mutated(rng, make(rng)), in_file(read), weight=weight)


KINDS = [
    _kind("csv-qrels", lambda rng: _table(rng, a_grade), uj.read_qrels, weight=2),
    _kind("csv-run", lambda rng: _table(rng, a_score), uj.read_run, weight=2),
    _kind("json-qrels", _json(_RATINGS), uj.read_qrels, weight=3),
    _kind("json-run", _json(_RANKINGS), uj.read_run, weight=2),
    _kind("searches", _searches, uj.read_run),
    _kind("converted", _json(_RATINGS), _converted),
]
