"""Two project files become one: what was judged apart is put together, and what differs is listed.

A judgment is known by its key, so that files with a common past can be merged, and merged again. What is new comes
behind what is here, in the order in which it was made there: where the same assessor said two things of a document,
what comes from the other file counts.
"""

from __future__ import annotations

import sqlite3

from unjudged.errors import FileError
from unjudged.io.topics import TopicText
from unjudged.judging.assessors import add_assessor, assessors
from unjudged.judging.assignment import count, put
from unjudged.judging.lookups import history, pair_of
from unjudged.judging.making import add_pairs, add_topics
from unjudged.judging.recording import Said, add
from unjudged.judging.records import Conflict, JudgmentRow, Merged

__all__ = ["merge"]

_ANSWERS = """
SELECT t.topic, d.doc, w.name, j.kind, j.grade, j.key FROM assignments AS a JOIN judgments AS j ON j.id = a.last
JOIN pairs AS p ON p.id = a.pair JOIN topics AS t ON t.id = p.topic JOIN documents AS d ON d.id = p.doc
JOIN assessors AS w ON w.id = a.assessor WHERE a.state IN ('grade', 'cannot')
"""
_DECISIONS = """
SELECT t.topic, d.doc, '', j.kind, j.grade, j.key FROM judgments AS j JOIN pairs AS p ON p.id = j.pair
JOIN topics AS t ON t.id = p.topic JOIN documents AS d ON d.id = p.doc
WHERE j.kind = 'adjudicate' ORDER BY j.id
"""
_DISPUTED = """
SELECT t.topic, d.doc FROM pairs AS p JOIN topics AS t ON t.id = p.topic JOIN documents AS d ON d.id = p.doc
WHERE p.disputed = 1 ORDER BY p.id
"""

Answers = dict[tuple[str, str, str], tuple[str, int | None, str]]
"""What counts, by topic, document and assessor: its kind, its grade, and its key."""


def merge(connection: sqlite3.Connection, other: sqlite3.Connection, path: str) -> Merged:
    """Bring what *other* has, the file at *path*, into a project."""
    _same_scale(connection, other, path)
    here = {key for (key,) in connection.execute("SELECT key FROM judgments")}
    there = {key for (key,) in other.execute("SELECT key FROM judgments")}
    conflicts = [*_of_texts(connection, other), *_of_answers(connection, other, here, there)]
    disputed = {*connection.execute(_DISPUTED), *other.execute(_DISPUTED)}
    _bring_pairs(connection, other)
    versions = _bring_guidelines(connection, other)
    names = _bring_assessors(connection, other)
    added = 0
    for row in history(other):
        if row.key not in here:
            version = None if row.guidelines is None else versions[row.guidelines]
            _bring(connection, names[row.assessor], row._replace(guidelines=version))
            added += 1
    conflicts += [
        Conflict(
            topic,
            doc,
            "assessors differ",
            *_both(connection, topic, doc, here),
            "the lower median until the lead decides",
        )
        for topic, doc in connection.execute(_DISPUTED).fetchall()
        if (topic, doc) not in disputed
    ]
    return Merged(added, len(there) - added, tuple(conflicts))


def _same_scale(connection: sqlite3.Connection, other: sqlite3.Connection, path: str) -> None:
    scales = [
        [grade for (grade,) in one.execute("SELECT grade FROM grades ORDER BY grade")] for one in (connection, other)
    ]
    if scales[0] != scales[1]:
        mine, its = (", ".join(map(str, scale)) for scale in scales)
        raise FileError(
            path, f"grades are {its} there and {mine} here; only projects with the same scale can be merged"
        )


def _of_texts(connection: sqlite3.Connection, other: sqlite3.Connection) -> list[Conflict]:
    asked = "SELECT doc, sha256 FROM documents WHERE sha256 IS NOT NULL ORDER BY id"
    mine = dict(connection.execute(asked).fetchall())
    return [
        Conflict("", doc, "texts differ", mine[doc][:12], sha256[:12], "the text here")
        for doc, sha256 in other.execute(asked)
        if mine.get(doc, sha256) != sha256
    ]


def _answers(connection: sqlite3.Connection) -> Answers:
    rows = [*connection.execute(_ANSWERS), *connection.execute(_DECISIONS)]
    return {(topic, doc, name): (kind, grade, key) for topic, doc, name, kind, grade, key in rows}


def _of_answers(
    connection: sqlite3.Connection, other: sqlite3.Connection, here: set[str], there: set[str]
) -> list[Conflict]:
    """What the same assessor, or the lead, says differently in the two files, each after what the other knows."""
    mine = _answers(connection)
    conflicts = []
    for place, (kind, grade, key) in _answers(other).items():
        topic, doc, name = place
        if place in mine and key not in here and mine[place][2] not in there and mine[place][:2] != (kind, grade):
            what = f"{name} says two things" if name else "two decisions"
            words = _words(*mine[place][:2]), _words(kind, grade)
            conflicts.append(Conflict(topic, doc, what, *words, words[1]))
    return conflicts


def _words(kind: str, grade: int | None) -> str:
    return f"grade {grade}" if grade is not None else kind


def _both(connection: sqlite3.Connection, topic: str, doc: str, here: set[str]) -> tuple[str, str]:
    rows = [row for row in history(connection, pair_of(connection, topic, doc)) if row.counts]
    sides = [[row for row in rows if (row.key in here) == known] for known in (True, False)]
    mine, its = (", ".join(f"{row.assessor}: {_words(row.kind, row.grade)}" for row in side) for side in sides)
    return mine, its


# ---- what is brought


def _bring_pairs(connection: sqlite3.Connection, other: sqlite3.Connection) -> None:
    rows = other.execute(
        "SELECT t.topic, d.doc, p.slots FROM pairs AS p JOIN topics AS t ON t.id = p.topic"
        " JOIN documents AS d ON d.id = p.doc ORDER BY p.place, p.id"
    ).fetchall()
    topics = {
        topic: TopicText(*words)
        for topic, *words in other.execute("SELECT topic, title, description, narrative FROM topics ORDER BY id")
    }
    add_topics(connection, topics, topics)
    add_pairs(connection, [(topic, doc) for topic, doc, _ in rows], [slots for _, _, slots in rows])
    connection.executemany(
        "UPDATE documents SET title = ?, text = ?, sha256 = ? WHERE doc = ? AND sha256 IS NULL",
        other.execute("SELECT title, text, sha256, doc FROM documents WHERE sha256 IS NOT NULL"),
    )


def _bring_guidelines(connection: sqlite3.Connection, other: sqlite3.Connection) -> dict[int, int]:
    """Versions there as versions here; the current ones stay the current ones."""
    last, current, at = connection.execute(
        "SELECT id, markdown, at FROM guidelines ORDER BY id DESC LIMIT 1"
    ).fetchone()
    mine = {words: number for number, words in connection.execute("SELECT id, markdown FROM guidelines ORDER BY id")}
    versions = {}
    for number, words, when in other.execute("SELECT id, markdown, at FROM guidelines ORDER BY id").fetchall():
        if words not in mine:
            asked = "INSERT INTO guidelines (markdown, at) VALUES (?, ?)"
            mine[words] = int(connection.execute(asked, (words, when)).lastrowid or 0)
        versions[number] = mine[words]
    if connection.execute("SELECT max(id) FROM guidelines").fetchone() != (last,):
        connection.execute("INSERT INTO guidelines (markdown, at) VALUES (?, ?)", (current, at))
    return versions


def _bring_assessors(connection: sqlite3.Connection, other: sqlite3.Connection) -> dict[str, int]:
    mine = {one.name: one.id for one in assessors(connection)}
    for one in assessors(other):
        if one.name not in mine:
            mine[one.name] = add_assessor(connection, one.name, lead=one.lead, person=one.person)
    return mine


def _bring(connection: sqlite3.Connection, assessor: int, row: JudgmentRow) -> None:
    """One entry of the other history, and what follows from it here."""
    pair = pair_of(connection, row.topic, row.doc)
    said = Said(
        *(row.kind, row.grade, row.note, row.flagged, row.seconds, row.text_sha256, row.guidelines, row.key, row.at)
    )
    recorded = add(connection, assessor, pair, said)
    if row.kind == "adjudicate":
        connection.execute("UPDATE pairs SET adjudicated = ? WHERE id = ?", (row.grade, pair))
        count(connection, pair)
    elif row.kind == "withdraw":
        put(connection, pair, assessor, "late")
    elif row.kind != "skip":
        put(connection, pair, assessor, row.kind, last=recorded.id, grade=row.grade)
