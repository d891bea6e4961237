"""What assessors' tools export: Label Studio's JSON, Argilla's records, Quepid's books as JSON or CSV.

A document is found by the fields ``topic`` and ``doc``, which the import forms of ``unjudged next`` give it. Where a
tool was filled by other means, the topic is also found by its title, as Quepid knows nothing else.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Set
from typing import Any, Literal, NamedTuple

from unjudged.data.ids import is_writable
from unjudged.errors import FileError
from unjudged.io.sources import line_blocks, show
from unjudged.judging.recording import LONGEST_NOTE
from unjudged.wording import shortened

__all__ = ["Judged", "Known", "ToolFormat", "guess", "read_tool"]

ToolFormat = Literal["label-studio", "argilla", "quepid"]
_LONGEST = 1 << 28
"""Of an export, which is read as a whole, in bytes."""
_LINE = 1 << 28
_MOST_SECONDS = 1e6


class Known(NamedTuple):
    """What a project knows: topics, also by title, and grades with their meaning."""

    topics: Set[str]
    by_title: Mapping[str, str]
    grades: Mapping[int, str]


class Judged(NamedTuple):
    """What somebody said in another tool."""

    topic: str
    doc: str
    judge: str
    kind: Literal["grade", "cannot"]
    grade: int | None
    note: str = ""
    at: str | None = None
    seconds: float | None = None


def guess(path: str) -> Literal["qrels", "jsonl", "label-studio", "argilla", "quepid"]:
    """What a file is, by how it begins."""
    start = next((block for block in line_blocks(path, line_limit=_LINE) if block.strip()), b"").lstrip()
    if start.startswith(b"["):
        return "argilla" if b'"responses"' in start and b'"annotations"' not in start else "label-studio"
    if start.startswith(b"{"):
        return "quepid" if b'"query_doc_pairs"' in start else "jsonl"
    return "quepid" if start[:9].lower() == b"query,doc" else "qrels"


def read_tool(path: str, form: ToolFormat, known: Known) -> Iterator[Judged]:
    """The judgments of an export."""
    text = _whole(path)
    if form == "quepid" and not text.lstrip().startswith("{"):
        return _quepid_table(path, text, known)
    try:
        document = json.loads(text)
    except json.JSONDecodeError as problem:
        raise FileError(path, f"this is not JSON ({problem.msg.lower()})", line=problem.lineno) from None
    except (ValueError, RecursionError):
        raise FileError(
            path, "this is not JSON that can be read: a number is too long, or it is nested too deep"
        ) from None
    return _READERS[form](path, document, known)


def _whole(path: str) -> str:
    parts, size = [], 0
    for block in line_blocks(path, line_limit=_LINE):
        parts.append(block.decode())
        size += len(block)
        if size > _LONGEST:
            raise FileError(path, f"the export is longer than {_LONGEST:,} bytes; export it in parts")
    return "".join(parts)


def _records(path: str, document: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if not isinstance(document, list):
        raise FileError(path, "an export is a list of records, and this is none")
    for number, record in enumerate(document, start=1):
        if not isinstance(record, Mapping):
            raise FileError(path, f"record {number} is no object: {shortened(record)}")
        yield f"record {number}", record


# ---- what they have in common


def _place(path: str, where: str, fields: Any, known: Known, query: Any = None) -> tuple[str, str]:
    """Topic and document of a record."""
    fields = fields if isinstance(fields, Mapping) else {}
    topic, doc = _text(fields.get("topic")), _text(fields.get("doc"))
    asked = _text(fields.get("query") if query is None else query)
    if topic is None and asked is not None:
        topic = asked if asked in known.topics else known.by_title.get(" ".join(asked.split()).casefold())
    if topic is None:
        raise FileError(path, f"{where} has no topic, and its query {shortened(asked)} is no topic's title")
    if doc is None:
        raise FileError(path, f"{where} has no doc, the id of its document")
    return topic, doc


def _text(value: Any) -> str | None:
    value = str(value) if type(value) is int else value
    return value if isinstance(value, str) and value and is_writable(value) else None


def _grade(path: str, where: str, value: Any, known: Known) -> int:
    """A grade, as a number or by its meaning."""
    if isinstance(value, str):
        words = value.strip()
        by_meaning = {meaning.casefold(): grade for grade, meaning in known.grades.items()}
        if words.casefold() in by_meaning:
            return by_meaning[words.casefold()]
        # "2 - relevant" is how people name choices
        number = words.split(maxsplit=1)[0].rstrip(":-.)=") if words else ""
        value = float(words) if _is_number(words) else float(number) if _is_number(number) else value
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or value != value // 1
        or value not in known.grades
    ):
        scale = ", ".join(f"{grade} ({meaning})" for grade, meaning in known.grades.items())
        raise FileError(path, f"{where}: {shortened(value)} is no grade of the project, which are {scale}")
    return int(value)


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).removeprefix("-").isdecimal()


def _note(value: Any) -> str:
    return value.encode("utf-8", "replace").decode()[:LONGEST_NOTE] if isinstance(value, str) else ""


def _seconds(value: Any) -> float | None:
    number = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _MOST_SECONDS
    return float(value) if number else None


# ---- each of them


def _label_studio(path: str, document: Any, known: Known) -> Iterator[Judged]:
    """Tasks with annotations, of which those that were cancelled say that nobody could judge."""
    for where, task in _records(path, document):
        topic, doc = _place(path, where, task.get("data"), known)
        annotations = task.get("annotations")
        for annotation in annotations if isinstance(annotations, list) else []:
            if not isinstance(annotation, Mapping):
                raise FileError(path, f"{where} has an annotation that is no object: {shortened(annotation)}")
            by, at = annotation.get("completed_by"), annotation.get("created_at")
            judge = by.get("email") or by.get("id") if isinstance(by, Mapping) else by
            name = _judge("label-studio", judge)
            value, note = _answers(annotation.get("result"))
            time, seconds = _text(at), _seconds(annotation.get("lead_time"))
            if annotation.get("was_cancelled") is True:
                yield Judged(topic, doc, name, "cannot", None, note, time, seconds)
            elif value is not None:
                yield Judged(topic, doc, name, "grade", _grade(path, where, value, known), note, time, seconds)


def _answers(result: Any) -> tuple[Any, str]:
    """The grade of an annotation, which is its first choice, rating or number; and what was written beside it."""
    value, note = None, ""
    for part in result if isinstance(result, list) else []:
        content = part.get("value") if isinstance(part, Mapping) else None
        if not isinstance(content, Mapping):
            continue
        written = content.get("text")
        note = note or _note(written[0] if isinstance(written, list) and written else written)
        for kind in ("choices", "rating", "number", "labels"):
            if value is None and kind in content:
                value = content[kind][0] if isinstance(content[kind], list) and content[kind] else content[kind]
    return value, note


def _judge(tool: str, judge: Any) -> str:
    """A number is nobody's name by itself."""
    name = _text(judge)
    return "" if name is None else name if not name.isdecimal() else f"{tool} {name}"


def _argilla(path: str, document: Any, known: Known) -> Iterator[Judged]:
    """Records with responses by question: the first question whose answers are grades; others are notes."""
    for where, record in _records(path, document):
        fields, responses = record.get("fields"), record.get("responses")
        topic, doc = _place(path, where, fields, known)
        if responses is None:
            continue
        if not isinstance(responses, Mapping):
            raise FileError(path, f"{where}: responses are no object by question: {shortened(responses)}")
        said: dict[str, tuple[int | None, str]] = {}
        for question, answers in responses.items():
            for answer in answers if isinstance(answers, list) else []:
                if not isinstance(answer, Mapping) or answer.get("status") in ("draft", "discarded"):
                    continue
                name, value = _judge("argilla", answer.get("user_id")), answer.get("value")
                grade, note = said.get(name, (None, ""))
                if grade is None and not _is_comment(value, known):
                    said[name] = _grade(path, f"{where}, {question}", value, known), note
                else:
                    said[name] = grade, note or _note(value)
        for name, (grade, note) in said.items():
            if grade is not None:
                yield Judged(topic, doc, name, "grade", grade, note)


def _is_comment(value: Any, known: Known) -> bool:
    """Whether an answer is text that is no grade's meaning."""
    if not isinstance(value, str):
        return False
    words = value.strip().casefold()
    is_meaning = any(words == meaning.casefold() for meaning in known.grades.values())
    return not is_meaning and not _is_number(words.split(maxsplit=1)[0].rstrip(":-.)=") if words else "")


def _quepid(path: str, document: Any, known: Known) -> Iterator[Judged]:
    """A book: what is unrateable nobody could judge; what is to be judged later is not judged."""
    if not isinstance(document, Mapping):
        raise FileError(path, "a book of Quepid is an object with query_doc_pairs, and this is none")
    for where, pair in _records(path, document.get("query_doc_pairs")):
        fields = pair.get("document_fields")
        try:
            fields = json.loads(fields) if isinstance(fields, str) else fields
        except (ValueError, RecursionError):
            fields = None
        own = {"topic": fields.get("topic") if isinstance(fields, Mapping) else None, "doc": pair.get("doc_id")}
        topic, doc = _place(path, where, own, known, pair.get("query_text"))
        judgements = pair.get("judgements")
        for judgement in judgements if isinstance(judgements, list) else []:
            if not isinstance(judgement, Mapping) or judgement.get("judge_later") is True:
                continue
            name, note = _judge("quepid", judgement.get("user_email")), _note(judgement.get("explanation"))
            if judgement.get("unrateable") is True:
                yield Judged(topic, doc, name, "cannot", None, note)
            elif judgement.get("rating") is not None:
                yield Judged(topic, doc, name, "grade", _grade(path, where, judgement["rating"], known), note)


def _quepid_table(path: str, text: str, known: Known) -> Iterator[Judged]:
    """A book or the ratings of a case as CSV: query, docid, and a column for each rater, or ``rating``."""
    try:
        rows = list(csv.reader(io.StringIO(text), strict=True))
    except csv.Error as problem:
        raise FileError(path, f"this is not CSV ({problem})") from None
    header = [name.strip() for name in rows[0]] if rows else []
    if [name.lower() for name in header[:2]] != ["query", "docid"] or len(header) < 3:
        raise FileError(path, f"expected columns query, docid and ratings: {show(text.encode()[:200])}", line=1)
    for number, row in enumerate(rows[1:], start=2):
        if not row:
            continue
        if len(row) != len(header):
            raise FileError(path, f"expected {len(header)} columns, got {len(row)}", line=number)
        # Quepid puts a blank before what a spreadsheet would compute.
        topic, doc = _place(path, f"line {number}", {"doc": row[1]}, known, row[0].strip())
        for name, rating in zip(header[2:], row[2:], strict=True):
            if rating.strip():
                judge = "" if name.lower() == "rating" else _judge("quepid", name)
                yield Judged(topic, doc, judge, "grade", _grade(path, f"line {number}", rating, known))


_READERS: dict[str, Callable[[str, Any, Known], Iterator[Judged]]] = {
    "label-studio": _label_studio,
    "argilla": _argilla,
    "quepid": _quepid,
}
