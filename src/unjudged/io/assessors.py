"""Who made which judgment: lines ``topic assessor`` or ``topic doc assessor``, or dictionaries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from unjudged.errors import FileError, InputError
from unjudged.io.sources import as_path, plain_lines, show
from unjudged.wording import shortened

__all__ = ["Assessors", "read_assessors"]


class Assessors(NamedTuple):
    """The assessor of each topic, and of single documents (by topic, document), which go before."""

    of_topic: Mapping[str, str]
    of_doc: Mapping[tuple[str, str], str]

    def of(self, topic: str, doc: str) -> str | None:
        """Who judged a document; None where nobody knows."""
        return self.of_doc.get((topic, doc), self.of_topic.get(topic))


def read_assessors(source: Any) -> Assessors:
    """Read a file of lines ``topic assessor`` or ``topic doc assessor``, or ``{topic: assessor}``, or by document.

    >>> read_assessors({"401": "ann", "402": {"d1": "bob"}}).of("402", "d1")
    'bob'
    """
    if isinstance(source, Mapping):
        of_topic = {str(topic): str(one) for topic, one in source.items() if not isinstance(one, Mapping)}
        by_doc = {str(topic): one for topic, one in source.items() if isinstance(one, Mapping)}
        of_doc = {(topic, str(doc)): str(who) for topic, docs in by_doc.items() for doc, who in docs.items()}
        return Assessors(of_topic, of_doc)
    path = as_path(source)
    if path is None:
        kind = type(source).__name__
        raise InputError(f"cannot read assessors from {kind}; give a path or a dict of assessors by topic")
    return _from_lines(path)


def _from_lines(path: str) -> Assessors:
    assessors = Assessors({}, {})
    for number, raw, line in plain_lines(path):
        fields = [field.strip() for field in line.split("\t" if "\t" in line else None)]
        if len(fields) not in (2, 3) or not all(fields):
            wanted = "expected 2 columns (topic assessor) or 3 (topic doc assessor)"
            raise FileError(path, f"{wanted}, got {len(fields)}: {show(raw)}", line=number)
        earlier: Any = assessors.of_topic if len(fields) == 2 else assessors.of_doc
        key = fields[0] if len(fields) == 2 else (fields[0], fields[1])
        if earlier.get(key, fields[-1]) != fields[-1]:
            what = " ".join(map(shortened, fields[:-1]))
            raise FileError(path, f"{what} has two assessors, {earlier[key]!r} and {fields[-1]!r}", line=number)
        earlier[key] = fields[-1]
    if not any(assessors):
        raise FileError(path, "the file is empty")
    return assessors
