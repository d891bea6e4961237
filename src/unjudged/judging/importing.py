"""Judgments that were made elsewhere: judgments in columns, JSON lines, and exports of other tools."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple, get_args

from unjudged.data.ids import is_writable
from unjudged.data.qrels import Qrels
from unjudged.errors import FileError, InputError
from unjudged.io.json_lines import json_objects
from unjudged.io.reading import read_qrels
from unjudged.io.sources import as_path, line_blocks, run_name_from_path
from unjudged.judging.assessors import origin
from unjudged.judging.assignment import put
from unjudged.judging.making import add_pairs
from unjudged.judging.other_tools import Known, ToolFormat, guess, read_tool
from unjudged.judging.recording import LONGEST_NOTE, Said, add
from unjudged.wording import shortened

__all__ = ["ImportFormat", "Imported", "Row", "add_qrels", "import_file"]

ImportFormat = Literal["qrels", "jsonl", "label-studio", "argilla", "quepid"]


class Row(NamedTuple):
    """A judgment of elsewhere."""

    topic: str
    doc: str
    source: str
    said: Said


class Imported(NamedTuple):
    """What became of judgments of elsewhere."""

    added: int
    known: int
    """Imported before."""
    new_pairs: int
    """Documents that the project did not have."""


def import_file(
    connection: sqlite3.Connection, source: Any, who: str | None, form: ImportFormat | None, grades: Mapping[int, str]
) -> Imported:
    """Judgments of a file, in the name of *who*, or of those whom it names, or in its own."""
    if form is not None and form not in get_args(ImportFormat):
        raise InputError(f"judgments are imported from {', '.join(get_args(ImportFormat))}, not {shortened(form)}")
    path = as_path(source)
    if path is None:
        return add_rows(connection, _of_qrels(read_qrels(source), who or "imported"))
    form = form or guess(path)
    usual = who or _name(path)
    if form == "qrels":
        return add_rows(connection, _of_qrels(read_qrels(path), usual))
    if form == "jsonl":
        return add_rows(connection, (row._replace(source=who or row.source) for row in _json_lines(path, usual)))
    tool: ToolFormat = form
    read = read_tool(path, tool, _known(connection, grades))
    rows = (
        Row(
            one.topic,
            one.doc,
            who or one.judge or usual,
            Said(one.kind, one.grade, one.note, at=one.at, seconds=one.seconds),
        )
        for one in read
    )
    return add_rows(connection, rows)


def _name(path: str) -> str:
    return (
        run_name_from_path(path)
        .removesuffix(".jsonl")
        .removesuffix(".json")
        .removesuffix(".csv")
        .removesuffix(".qrels")
    )


def _known(connection: sqlite3.Connection, grades: Mapping[int, str]) -> Known:
    topics = connection.execute("SELECT topic, title FROM topics ORDER BY id").fetchall()
    by_title: dict[str, str] = {}
    for topic, title in topics:
        by_title.setdefault(" ".join(title.split()).casefold(), topic)
    return Known({topic for topic, _ in topics}, by_title, grades)


def add_qrels(connection: sqlite3.Connection, qrels: Qrels, source: str) -> Imported:
    """Judgments that were there before, in the name of their file."""
    return add_rows(connection, _of_qrels(qrels, _name(source)))


def _of_qrels(qrels: Qrels, source: str) -> Iterator[Row]:
    rows = zip(qrels.topic_of_row.tolist(), qrels.docs, qrels.grades.tolist(), qrels.judged.tolist(), strict=True)
    for topic, doc, grade, judged in rows:
        if judged:
            yield Row(qrels.topics[topic], doc, source, Said("grade", grade))


# ---- JSON lines


def _json_lines(path: str, usual: str) -> Iterator[Row]:
    for line, fields in json_objects(path, (block.decode() for block in line_blocks(path)), "judgment"):
        topic, doc = _id(fields, ("topic", "query_id"), path, line), _id(fields, ("doc", "doc_id"), path, line)
        grade = next((fields[name] for name in ("grade", "relevance") if fields.get(name) is not None), None)
        if isinstance(grade, float) and grade.is_integer():
            grade = int(grade)
        source = _words(fields, "source", path, line) or _words(fields, "model", path, line) or usual
        said = Said(
            "cannot" if grade is None else "grade",
            grade,
            _words(fields, "note", path, line)[:LONGEST_NOTE],
            fields.get("flagged") is True,
            fields.get("seconds"),
            text_sha256=(_words(fields, "text_sha256", path, line) or "").lower() or None,
            key=_words(fields, "key", path, line) or None,
            at=_words(fields, "time", path, line)[:40] or None,
        )
        try:
            yield Row(topic, doc, source, said.checked() if said.key else said.checked()._replace(key=None))
        except FileError:
            raise
        except InputError as problem:
            raise FileError(path, str(problem), line=line) from None


def _id(fields: Mapping[str, Any], names: tuple[str, ...], path: str, line: int) -> str:
    value = next((fields[name] for name in names if name in fields), None)
    value = str(value) if type(value) is int else value
    if not isinstance(value, str) or not value or not is_writable(value):
        raise FileError(path, f"the judgment has no {names[0]}: {shortened(value)}", line=line)
    return value


def _words(fields: Mapping[str, Any], name: str, path: str, line: int) -> str:
    value = fields.get(name)
    if value is None:
        return ""
    if not isinstance(value, str) or not is_writable(value):
        raise FileError(path, f"the {name} is no text: {shortened(value)}", line=line)
    return value


# ---- into the project


def add_rows(connection: sqlite3.Connection, rows: Iterable[Row]) -> Imported:
    """Add judgments to the history. What was imported before is not added again; documents that are new come in."""
    given = list(rows)
    grades = {grade for (grade,) in connection.execute("SELECT grade FROM grades")}
    wrong = next((row for row in given if row.said.kind == "grade" and row.said.grade not in grades), None)
    if wrong is not None:
        scale = ", ".join(map(str, sorted(grades)))
        where = f"document {shortened(wrong.doc)} of topic {shortened(wrong.topic)}"
        raise InputError(f"{wrong.source}: grade {wrong.said.grade} of {where} is none of {scale}, the project's")
    (before,) = connection.execute("SELECT count(*) FROM pairs").fetchone()
    pairs = list(dict.fromkeys((row.topic, row.doc) for row in given))
    add_pairs(connection, pairs, [1] * len(pairs))
    (after,) = connection.execute("SELECT count(*) FROM pairs").fetchone()
    who: dict[str, int] = {}
    added = 0
    for row in given:
        if row.source not in who:
            who[row.source] = origin(connection, row.source)
        added += _add_one(connection, who[row.source], row)
    return Imported(added, len(given) - added, after - before)


def _add_one(connection: sqlite3.Connection, assessor: int, row: Row) -> bool:
    said = row.said._replace(key=row.said.key or _key(row)).checked()
    if connection.execute("SELECT 1 FROM judgments WHERE key = ?", (said.key,)).fetchone():
        return False
    pair = pair_number(connection, row.topic, row.doc)
    recorded = add(connection, assessor, pair, said)
    # Somebody has judged it, so nobody else needs to; who holds it goes on.
    connection.execute("UPDATE pairs SET slots = 1 WHERE id = ?", (pair,))
    put(connection, pair, assessor, said.kind, last=recorded.id, grade=said.grade)
    return True


def pair_number(connection: sqlite3.Connection, topic: str, doc: str) -> int:
    """The number of a pair that is there."""
    (pair,) = connection.execute(
        "SELECT p.id FROM pairs AS p JOIN topics AS t ON t.id = p.topic JOIN documents AS d ON d.id = p.doc"
        " WHERE t.topic = ? AND d.doc = ?",
        (topic, doc),
    ).fetchone()
    return int(pair)


def _key(row: Row) -> str:
    """A key that the same judgment of the same source has whenever it is imported."""
    parts = (row.source, row.topic, row.doc, row.said.kind, str(row.said.grade), row.said.at or "", row.said.note)
    return "import-" + hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()
