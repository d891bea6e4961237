"""What can be asked of a project: tasks, the history, how far the work is, and which grades count."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any
from urllib.parse import quote

from unjudged.errors import InputError
from unjudged.judging.records import (
    AssessorProgress,
    FinalGrade,
    Guidelines,
    JudgmentRow,
    Progress,
    Task,
    TopicProgress,
)

__all__ = ["disputed", "final_grades", "guidelines", "history", "pair_of", "progress", "settings", "tasks"]

_LAST_TIMES = 200
"""Judgments that the usual time is taken from."""
_FLAGS = (JudgmentRow._fields.index("flagged"), JudgmentRow._fields.index("counts"))

_HISTORY = """
SELECT j.id, t.topic, d.doc, w.name, j.kind, j.grade, j.note, j.flagged, j.seconds, j.at, j.text_sha256, j.guidelines,
    j.key, CASE j.kind WHEN 'adjudicate' THEN j.id = (SELECT max(id) FROM judgments
        WHERE pair = j.pair AND kind = 'adjudicate') ELSE a.state IN ('grade', 'cannot') AND a.last = j.id END
FROM judgments AS j JOIN pairs AS p ON p.id = j.pair JOIN topics AS t ON t.id = p.topic
JOIN documents AS d ON d.id = p.doc JOIN assessors AS w ON w.id = j.assessor
LEFT JOIN assignments AS a ON a.pair = j.pair AND a.assessor = j.assessor
"""


def settings(connection: sqlite3.Connection) -> dict[str, Any]:
    """What was said when the project was made."""
    rows = connection.execute("SELECT key, value FROM meta").fetchall()
    return {key: json.loads(value) for key, value in rows}


def guidelines(connection: sqlite3.Connection, version: int | None = None) -> Guidelines:
    """A version of the guidelines, the last unless one is asked for."""
    asked = "SELECT id, markdown, at FROM guidelines WHERE id = coalesce(?, (SELECT max(id) FROM guidelines))"
    row = connection.execute(asked, (version,)).fetchone()
    if row is None:
        raise InputError(f"there is no version {version} of the guidelines")
    return Guidelines(*row)


def tasks(connection: sqlite3.Connection, pairs: Sequence[int], link: str | None) -> tuple[Task, ...]:
    """The documents of some pairs with all that an assessor is shown, in the same order."""
    (version,) = connection.execute("SELECT max(id) FROM guidelines").fetchone()
    out = []
    for pair in pairs:
        topic, doc, title, description, narrative, doc_title, text, sha256 = connection.execute(
            "SELECT t.topic, d.doc, t.title, t.description, t.narrative, d.title, d.text, d.sha256 FROM pairs AS p"
            " JOIN topics AS t ON t.id = p.topic JOIN documents AS d ON d.id = p.doc WHERE p.id = ?",
            (pair,),
        ).fetchone()
        where = (
            None if link is None else link.replace("{doc}", quote(doc, safe="")).replace("{topic}", quote(topic, ""))
        )
        out.append(Task(pair, topic, doc, title, description, narrative, doc_title, text, where, sha256, int(version)))
    return tuple(out)


def pair_of(connection: sqlite3.Connection, topic: str, doc: str) -> int:
    """The number of a pair."""
    row = connection.execute(
        "SELECT p.id FROM pairs AS p JOIN topics AS t ON t.id = p.topic JOIN documents AS d ON d.id = p.doc"
        " WHERE t.topic = ? AND d.doc = ?",
        (topic, doc),
    ).fetchone()
    if row is None:
        raise InputError(f"document {doc!r} of topic {topic!r} is not in this project")
    return int(row[0])


def history(connection: sqlite3.Connection, pair: int | None = None) -> tuple[JudgmentRow, ...]:
    """What was ever said of a pair, or of all, in order."""
    asked = "" if pair is None else " WHERE j.pair = ?"
    rows = connection.execute(f"{_HISTORY}{asked} ORDER BY j.id", () if pair is None else (pair,))
    return tuple(_history_row(row) for row in rows)


def said_in(connection: sqlite3.Connection, judgment: int) -> JudgmentRow:
    """One entry of the history."""
    return _history_row(connection.execute(f"{_HISTORY} WHERE j.id = ?", (judgment,)).fetchone())


def _history_row(row: Sequence[Any]) -> JudgmentRow:
    return JudgmentRow._make(bool(value) if place in _FLAGS else value for place, value in enumerate(row))


def disputed(connection: sqlite3.Connection, link: str | None, number: int | None = None) -> tuple[Task, ...]:
    """Documents whose judges differ, or could not judge, and that the lead has not decided, with what was said."""
    asked = "SELECT id FROM pairs WHERE disputed = 1 ORDER BY id LIMIT ?"
    pairs = [pair for (pair,) in connection.execute(asked, (-1 if number is None else number,))]
    return tuple(
        Task(**{**vars(task), "adjudicate": True, "earlier": tuple(r for r in history(connection, pair) if r.counts)})
        for pair, task in zip(pairs, tasks(connection, pairs, link), strict=True)
    )


def progress(connection: sqlite3.Connection, assessor: int | None = None) -> Progress:
    """How far the work is; of one assessor's own speed and number, or of everybody's."""
    rows = connection.execute("SELECT topic, title, judged, pairs FROM topics ORDER BY id").fetchall()
    topics = tuple(TopicProgress(*row) for row in rows)
    (waiting,) = connection.execute("SELECT count(*) FROM pairs WHERE disputed = 1").fetchone()
    who = connection.execute(
        "SELECT id, name, judged FROM assessors WHERE ? IS NULL OR id = ? ORDER BY id", (assessor, assessor)
    ).fetchall()
    times = [_last_times(connection, number) for number, _, _ in who]
    return Progress(
        sum(row.judged for row in topics),
        sum(row.pairs for row in topics),
        _middle(second for own in times for second in own),
        waiting,
        topics,
        tuple(AssessorProgress(name, judged, _middle(own)) for (_, name, judged), own in zip(who, times, strict=True)),
    )


def _last_times(connection: sqlite3.Connection, assessor: int) -> list[float]:
    asked = "SELECT seconds FROM judgments WHERE assessor = ? ORDER BY id DESC LIMIT ?"
    return [seconds for (seconds,) in connection.execute(asked, (assessor, _LAST_TIMES)) if seconds is not None]


def _middle(values: Iterable[float]) -> float | None:
    known = list(values)
    return median(known) if known else None


def final_grades(connection: sqlite3.Connection) -> list[FinalGrade]:
    """What counts, by topic and document: the lead's decision, or the lower median of what assessors said last."""
    rows = connection.execute(
        "SELECT p.topic, t.topic, d.doc, p.adjudicated, a.grade FROM pairs AS p JOIN topics AS t ON t.id = p.topic"
        " JOIN documents AS d ON d.id = p.doc LEFT JOIN assignments AS a ON a.pair = p.id AND a.state = 'grade'"
        " WHERE p.answers > 0 OR p.adjudicated IS NOT NULL ORDER BY p.topic, d.doc, a.grade"
    )
    gathered: dict[tuple[str, str], tuple[int | None, list[int]]] = {}
    for _, topic, doc, adjudicated, grade in rows:
        _, grades = gathered.setdefault((topic, doc), (adjudicated, []))
        if grade is not None:
            grades.append(grade)
    return [
        FinalGrade(
            topic, doc, grades[(len(grades) - 1) // 2] if decided is None else decided, len(grades), decided is not None
        )
        for (topic, doc), (decided, grades) in gathered.items()
        if grades or decided is not None
    ]
