"""Judgments that were made elsewhere: judgments of a file, JSON lines, and exports of other tools."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from unjudged.data.qrels import Qrels
from unjudged.errors import InputError
from unjudged.judging.assessors import origin
from unjudged.judging.assignment import put
from unjudged.judging.making import add_pairs
from unjudged.judging.recording import Said, add
from unjudged.wording import shortened

__all__ = ["Imported", "Row", "add_qrels", "add_rows"]


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


def add_qrels(connection: sqlite3.Connection, qrels: Qrels, source: str) -> Imported:
    """Judgments of a file, in the name of the file."""
    from unjudged.io.sources import run_name_from_path

    return add_rows(connection, _of_qrels(qrels, run_name_from_path(source)))


def _of_qrels(qrels: Qrels, source: str) -> Iterator[Row]:
    rows = zip(qrels.topic_of_row.tolist(), qrels.docs, qrels.grades.tolist(), qrels.judged.tolist(), strict=True)
    for topic, doc, grade, judged in rows:
        if judged:
            yield Row(qrels.topics[topic], doc, source, Said("grade", grade))


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
    add_pairs(connection, pairs, [1] * len(pairs), {})
    (after,) = connection.execute("SELECT count(*) FROM pairs").fetchone()
    who: dict[str, int] = {}
    added = 0
    for row in given:
        number = who.setdefault(row.source, -1)
        if number < 0:
            number = who[row.source] = origin(connection, row.source)
        added += _add_one(connection, number, row)
    return Imported(added, len(given) - added, after - before)


def _add_one(connection: sqlite3.Connection, assessor: int, row: Row) -> bool:
    said = row.said._replace(key=row.said.key or _key(row)).checked()
    if connection.execute("SELECT 1 FROM judgments WHERE key = ?", (said.key,)).fetchone():
        return False
    (pair,) = connection.execute(
        "SELECT p.id FROM pairs AS p JOIN topics AS t ON t.id = p.topic JOIN documents AS d ON d.id = p.doc"
        " WHERE t.topic = ? AND d.doc = ?",
        (row.topic, row.doc),
    ).fetchone()
    recorded = add(connection, assessor, pair, said)
    # Somebody has judged it, so nobody else need to; who holds it goes on.
    connection.execute("UPDATE pairs SET slots = 1 WHERE id = ?", (pair,))
    put(connection, pair, assessor, said.kind, last=recorded.id, grade=said.grade)
    return True


def _key(row: Row) -> str:
    """A key that the same judgment of the same source has whenever it is imported."""
    parts = (row.source, row.topic, row.doc, row.said.kind, str(row.said.grade), row.said.at or "", row.said.note)
    return "import-" + hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()
