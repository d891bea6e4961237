"""JSON in which each query has its rated documents: OpenSearch's judgments, Elasticsearch's requests, Quepid, RRE."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from unjudged.io.formats.base import Asked, Collector, Head, JsonFormat, Written, quoted
from unjudged.io.json_stream import JsonStream

__all__ = ["ElasticsearchRequests", "OpenSearchJudgments", "QuepidRatings", "RreRatings"]

Query = Mapping[str, Any]


class _RatedLists(JsonFormat):
    """Objects with the ratings of one query each, in an array under a key of the file."""

    reads = frozenset({"grade", "pair"})
    key: str

    def read(self, stream: JsonStream, rows: Collector, asked: Asked, line: int) -> None:
        for key in stream.members():
            if key != self.key:
                stream.value()
                continue
            for _ in stream.items():
                self.query(stream, rows, stream.object())

    def query(self, stream: JsonStream, rows: Collector, query: Query) -> None:
        """Collect the ratings of one query."""
        raise NotImplementedError

    @staticmethod
    def _written(written: Written, opening: str, start: str, rating: str) -> Iterator[str]:
        """An object per query, which begins with *start*; in *rating* dots stand for the document."""
        end = '"' if rating.endswith('"') else ""
        between = opening
        for topic, docs, values in written:
            doc_start, value_start = rating.split("...")
            ratings = ",\n    ".join(
                f"{doc_start}{quoted(doc)}{value_start}{value}{end}}}" for doc, value in zip(docs, values, strict=True)
            )
            yield f'{between}\n  {start}{quoted(topic)}, "ratings": [\n    {ratings}]}}'
            between = ","
        yield "\n]}\n"

    @staticmethod
    def _listed(stream: JsonStream, rows: Collector, query: Query, topic: Any, doc_key: str) -> None:
        ratings = query.get("ratings")
        if not isinstance(ratings, list):
            raise stream.error("there are no ratings in an array")
        for place, rating in enumerate(ratings):
            if not isinstance(rating, dict) or doc_key not in rating or "rating" not in rating:
                raise stream.error(f"expected an object with {doc_key} and rating", "ratings", place)
        docs, values = ([one[name] for one in ratings] for name in (doc_key, "rating"))
        rows.add(topic, docs, values, range(len(docs)), "ratings")


class OpenSearchJudgments(_RatedLists):
    """``{"judgmentRatings": [{"query", "ratings": [{"docId", "rating"}]}]}`` of Search Relevance Workbench."""

    name = "opensearch"
    what = "judgments of OpenSearch's Search Relevance Workbench"
    key = "judgmentRatings"

    def recognises(self, head: Head) -> bool:
        return head.is_json and "judgmentRatings" in head.keys

    def query(self, stream: JsonStream, rows: Collector, query: Query) -> None:
        self._listed(stream, rows, query, query.get("query"), "docId")

    def write(self, written: Written) -> Iterator[str]:
        # What the request to import judgments has; there, ratings are text.
        opening = f'{{"name": {quoted(written.name)}, "type": "IMPORT_JUDGMENT", "judgmentRatings": ['
        return self._written(written, opening, '{"query": ', '{"docId": ..., "rating": "')


class ElasticsearchRequests(_RatedLists):
    """The body of a request to ``_rank_eval``: ``{"requests": [{"id", "ratings": [{"_id", "rating"}]}]}``."""

    name = "elasticsearch"
    what = "a request to Elasticsearch's or OpenSearch's _rank_eval"
    key = "requests"

    def recognises(self, head: Head) -> bool:
        return head.is_json and head.keys.get("requests") == "["

    def query(self, stream: JsonStream, rows: Collector, query: Query) -> None:
        self._listed(stream, rows, query, query.get("id"), "_id")

    def write(self, written: Written) -> Iterator[str]:
        return self._written(written, '{"requests": [', '{"id": ', '{"_id": ..., "rating": ')


class QuepidRatings(_RatedLists):
    """Ratings exported from Quepid, ``{"queries": [{"query", "ratings": {doc: rating}}]}``, or a whole case.

    A case has ``query_text``, and ratings as ``[{"doc_id", "rating"}]``.
    """

    name = "quepid"
    what = "ratings exported from Quepid"
    key = "queries"

    def recognises(self, head: Head) -> bool:
        return head.is_json and head.keys.get("queries") == "[" and not {"template", "id_field"} & set(head.keys)

    def query(self, stream: JsonStream, rows: Collector, query: Query) -> None:
        ratings = query.get("ratings") or {}
        topic = query.get("query", query.get("query_text"))
        if isinstance(ratings, list):
            self._listed(stream, rows, query, topic, "doc_id")
        elif isinstance(ratings, dict):
            rows.add(topic, list(ratings), list(ratings.values()), None, "ratings")
        else:
            raise stream.error("expected {doc: rating}", "ratings")


class RreRatings(JsonFormat):
    """Ratings of RRE, as its ``topics`` with ``query_groups``, or as Quepid's ``queries``.

    Documents are listed by grade, ``{"3": ["d1"]}``, or have a ``gain``, ``{"d1": {"gain": 3}}``.
    """

    name = "rre"
    what = "ratings of RRE"
    reads = frozenset({"grade", "pair"})

    def recognises(self, head: Head) -> bool:
        return head.is_json and (head.keys.get("topics") == "[" or head.keys.get("queries") == "[")

    def read(self, stream: JsonStream, rows: Collector, asked: Asked, line: int) -> None:
        inside: dict[str, Callable[[JsonStream, Collector], None]] = {"topics": self._topic, "queries": self._one}
        for key in stream.members():
            if key not in inside:
                stream.value()
                continue
            for _ in stream.items():
                inside[key](stream, rows)

    def _topic(self, stream: JsonStream, rows: Collector) -> None:
        for key in stream.members():
            if key != "query_groups":
                stream.value()
                continue
            for _ in stream.items():
                self._one(stream, rows)

    @staticmethod
    def _one(stream: JsonStream, rows: Collector) -> None:
        group = stream.object()
        queries = group.get("queries") or [group]
        names = [one.get("placeholders", {}).get("$query") for one in queries if isinstance(one, dict)]
        relevant = group.get("relevant_documents")
        if not isinstance(relevant, dict) or not names or any(not isinstance(name, str) for name in names):
            raise stream.error("expected relevant_documents, and placeholders with $query")
        for name in names:
            for key, held in relevant.items():
                if isinstance(held, list):
                    rows.add(name, held, [key] * len(held), range(len(held)), "relevant_documents", key)
                elif isinstance(held, dict):
                    rows.add(name, [key], [held.get("gain")], None, "relevant_documents")
                else:
                    raise stream.error("expected documents by grade, or {doc: {gain}}", "relevant_documents", key)
