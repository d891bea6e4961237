"""What a project says, for others: judgments, JSON lines with who judged what, and the whole history as a table."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable, Iterator
from typing import Literal

from unjudged.errors import InputError
from unjudged.io.writing import write_file
from unjudged.judging.lookups import final_grades, history
from unjudged.judging.records import JudgmentRow
from unjudged.reports.layout import render_columns
from unjudged.wording import json_text, shortened

__all__ = ["ExportFormat", "export", "exported", "format_of"]

ExportFormat = Literal["qrels", "jsonl", "csv"]
_BLANK = re.compile(r"\s")


def format_of(path: str) -> ExportFormat:
    """The format that the ending of a name asks for; judgments unless it is another."""
    return "jsonl" if path.endswith(".jsonl") else "csv" if path.endswith(".csv") else "qrels"


def export(connection: sqlite3.Connection, path: str, form: ExportFormat | None, project: str) -> None:
    """Write a file, whole or not at all, and never over the project."""
    write_file(path, exported(connection, form or format_of(path)), inputs=[os.fspath(project)])


def exported(connection: sqlite3.Connection, form: ExportFormat) -> str:
    """What a project says, in one of the forms."""
    if form not in _FORMS:
        raise InputError(f"a project is exported as {', '.join(_FORMS)}, not {shortened(form)}")
    return "".join(_FORMS[form](connection))


def _qrels(connection: sqlite3.Connection) -> Iterator[str]:
    """One line for each judged document. Of a sample, the whole pool with strata, where -1 is what was not judged."""
    strata = _strata(connection)
    grades = {(row.topic, row.doc): row.grade for row in final_grades(connection)}
    for topic, doc in [*grades, *(pair for pair in strata if pair not in grades)]:
        if not topic or not doc or _BLANK.search(topic) or _BLANK.search(doc):
            ids = f"topic {shortened(topic)} or document {shortened(doc)}"
            raise InputError(f"{ids} has blanks, which judgments in columns cannot have; export .jsonl or .csv")
        grade = grades.get((topic, doc), -1)
        # What was imported from outside of the pool was not drawn, so the sample does not know it.
        if not strata:
            yield f"{topic} 0 {doc} {grade}\n"
        elif (topic, doc) in strata:
            yield f"{topic} 0 {doc} {strata[topic, doc]} {grade}\n"


def _strata(connection: sqlite3.Connection) -> dict[tuple[str, str], int]:
    rows = connection.execute(
        "SELECT t.topic, d.doc, p.stratum FROM pairs AS p JOIN topics AS t ON t.id = p.topic"
        " JOIN documents AS d ON d.id = p.doc WHERE p.stratum IS NOT NULL"
        " UNION ALL SELECT topic, doc, stratum FROM undrawn"
    )
    return {(topic, doc): stratum for topic, doc, stratum in rows}


def _json_lines(connection: sqlite3.Connection) -> Iterator[str]:
    """One line for each judgment that counts, as ``unjudged judges`` reads labels: the source is who judged."""
    for row in history(connection):
        if row.counts:
            source = row.assessor if row.kind != "adjudicate" else f"{row.assessor} (adjudication)"
            label = {"topic": row.topic, "doc": row.doc, "grade": row.grade, "source": source, "time": row.at}
            beside = {"text_sha256": row.text_sha256, "kind": row.kind, "note": row.note, "flagged": row.flagged}
            rest = {"seconds": row.seconds, "guidelines": row.guidelines, "key": row.key}
            yield json_text(label | beside | rest, indent=None) + "\n"


def _csv(connection: sqlite3.Connection) -> Iterator[str]:
    """The whole history, one line for each entry."""
    rows = history(connection)
    yield render_columns({name: [getattr(row, name) for row in rows] for name in JudgmentRow._fields}, "csv")


_FORMS: dict[str, Callable[[sqlite3.Connection], Iterator[str]]] = {
    "qrels": _qrels,
    "jsonl": _json_lines,
    "csv": _csv,
}
