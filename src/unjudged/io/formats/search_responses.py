"""Responses of search engines: what ``_rank_eval`` answered, and searches saved as JSON, one in each line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from unjudged.io.column_names import TOPICS, plain_name
from unjudged.io.formats.base import Asked, Collector, Head, JsonFormat, Written, quoted
from unjudged.io.json_stream import JsonStream

__all__ = ["RankEvalResponse", "SearchResponses"]


class RankEvalResponse(JsonFormat):
    """``{"details": {id: {"hits": [{"hit": {"_id", "_score"}, "rating"}]}}}``: a run, and the ratings of its hits."""

    name = "rank_eval"
    what = "a response of Elasticsearch's or OpenSearch's _rank_eval"

    def recognises(self, head: Head) -> bool:
        return head.is_json and head.keys.get("details") == "{" and "metric_score" in head.keys

    def read(self, stream: JsonStream, rows: Collector, asked: Asked, line: int) -> None:
        for key in stream.members():
            if key != "details" or stream.kind != "{":
                stream.value()
                continue
            for topic in stream.members():
                hits = stream.object().get("hits")
                if not isinstance(hits, list):
                    raise stream.error("there are no hits in an array")
                docs, values = [], []
                for place, one in enumerate(hits):
                    hit = one.get("hit") if isinstance(one, dict) else None
                    if not isinstance(hit, dict) or "_id" not in hit:
                        raise stream.error("expected a hit with _id", "hits", place)
                    docs.append(hit["_id"])
                    # Hits are in the order that was evaluated, whatever their scores say.
                    values.append(-float(place) if asked.value == "score" else one.get("rating"))
                rows.add(topic, docs, values, range(len(docs)), "hits")


class SearchResponses(JsonFormat):
    """Responses to searches, each with its topic beside it: Elasticsearch's and OpenSearch's hits, Solr's docs.

    The topic is a member such as ``query_id``; of Solr also the query that the response repeats. The response is the
    value itself, or its member ``response`` or ``result``.
    """

    name = "search"
    what = "responses of Elasticsearch, OpenSearch or Solr to searches"
    reads = frozenset({"score", "pair"})

    def recognises(self, head: Head) -> bool:
        if not head.is_json or head.opening != "{":  # before keys, which take long to look for in other files
            return False
        inside = {key.rpartition(".")[2] for key in head.keys if key.count(".") <= 1}
        return (
            head.keys.get("hits") == "{"
            or ("docs" in inside and "response" in head.keys)
            or ("hits" in inside and bool({"response", "result"} & set(head.keys)))
        )

    def read(self, stream: JsonStream, rows: Collector, asked: Asked, line: int) -> None:
        fields = stream.object()
        way, found = _hits(fields)
        if found is None:
            raise stream.error("there are no hits of a search")
        topic = _topic(fields)
        if topic is None:
            problem = "this response does not say its topic; add one beside it, such as"
            raise stream.error(f'{problem} {{"query_id": "q1", "response": {{...}}}}')
        docs = []
        for place, hit in enumerate(found):
            name = next((name for name in ("_id", "id") if isinstance(hit, dict) and name in hit), None)
            if name is None:
                raise stream.error("expected a document with _id or id", *way, place)
            docs.append(hit[name])
        rows.add(topic, docs, [-float(place) for place in range(len(docs))], range(len(docs)), *way)

    def write(self, written: Written) -> Iterator[str]:
        for topic, docs, values in written:
            hits = ", ".join(
                f'{{"_id": {quoted(doc)}, "_score": {value}}}' for doc, value in zip(docs, values, strict=True)
            )
            yield f'{{"query_id": {quoted(topic)}, "response": {{"hits": {{"hits": [{hits}]}}}}}}\n'


def _hits(fields: Mapping[str, Any]) -> tuple[tuple[str, ...], list[Any] | None]:
    """Where the list of documents is, and the list."""
    ways = (("hits", "hits"), ("response", "docs"))
    for way in (*ways, *((outer, *way) for outer in ("response", "result") for way in ways)):
        value: Any = fields
        for key in way:
            value = value.get(key) if isinstance(value, Mapping) else None
        if isinstance(value, list):
            return way, value
    return (), None


def _topic(fields: Mapping[str, Any]) -> Any:
    plain = {plain_name(key): key for key in fields}
    name = next((plain[name] for name in TOPICS if name in plain), None)
    if name is not None:
        return fields[name]
    value: Any = fields
    for key in ("responseHeader", "params", "q"):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
