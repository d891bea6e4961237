"""JSON that is ``{topic: {doc: grade}}`` (pytrec_eval, BEIR, ranx), or rows as objects with known names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from unjudged.io.column_names import DOCS, GRADES, RANKS, SCORES, TOPICS, grades_or_scores, listed, plain_name
from unjudged.io.formats.base import Asked, Collector, Head, JsonFormat, Value, Written, quoted
from unjudged.io.json_stream import JsonStream

__all__ = ["NestedJson"]


class NestedJson(JsonFormat):
    """``{topic: {doc: number}}``, or an array or lines of objects such as ``{"query_id", "doc_id", "relevance"}``."""

    name = "json"
    what = "{topic: {doc: number}}, or objects with the names of columns"

    def recognises(self, head: Head) -> bool:
        return head.is_json

    def read(self, stream: JsonStream, rows: Collector, asked: Asked, line: int) -> None:
        if stream.kind == "[":
            for _ in stream.items():
                self._row(stream, rows, asked, stream.object())
            return
        if stream.kind != "{":
            raise stream.error("expected {topic: {doc: number}}")
        flat: dict[str, Any] = {}
        for key in stream.members():
            if stream.kind == "{" and not flat:
                docs = stream.object()
                rows.add(key, list(docs), [None] * len(docs) if asked.value == "pair" else list(docs.values()))
            elif stream.kind == "[" and asked.value == "pair":
                listed_docs = stream.array()
                rows.add(key, listed_docs, [0] * len(listed_docs), range(len(listed_docs)))
            elif plain_name(key) in _KNOWN or flat:
                flat[key] = stream.value()
            else:
                stream.object()  # says what was expected
        if flat:
            stream.of_several = line
            self._row(stream, rows, asked, flat)

    def values(self, head: Head) -> frozenset[Value]:
        is_row = "{" not in head.keys.values() and {plain_name(key) for key in head.keys} & {*TOPICS}
        return grades_or_scores([*head.keys]) if is_row else super().values(head)

    def write(self, written: Written) -> Iterator[str]:
        between = "{"
        for topic, docs, values in written:
            members = ", ".join(f"{quoted(doc)}: {value}" for doc, value in zip(docs, values, strict=True))
            yield f"{between}{quoted(topic)}: {{{members}}}"
            between = ",\n "
        yield "}\n"

    @staticmethod
    def _row(stream: JsonStream, rows: Collector, asked: Asked, fields: Mapping[str, Any]) -> None:
        plain = {plain_name(key): key for key in fields}

        def one(role: Sequence[str]) -> str:
            name = next((plain[name] for name in role if name in plain), None)
            if name is None:
                has = f"the names are {listed(fields)}" if fields else "there are no names"
                raise stream.error(f"no {' or '.join(role[:3])}; {has}")
            return name

        topic, doc = one(TOPICS), one(DOCS)
        if asked.value == "pair":
            value: Any = 0
        elif asked.value == "score":
            name = one((*SCORES, *RANKS))
            value = fields[name]
            if plain_name(name) in RANKS and isinstance(value, int | float):
                value = -value
        else:
            several = [plain[name] for name in GRADES if name in plain]
            if len(several) > 1:
                raise stream.error(f"two names may be the grade, {several[0]!r} and {several[1]!r}; remove one of them")
            value = fields[one(GRADES)]
        rows.add_row(fields[topic], fields[doc], value)


_KNOWN = {*TOPICS, *DOCS, *GRADES, *SCORES, *RANKS}
