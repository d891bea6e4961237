"""Who judges what: documents are handed out in the order of the queue, each to one assessor, and a share to two.

What an assessor holds stays theirs, also over a restart, until they answer. Only where nothing else is left for
somebody may they get what another has held for long; time is then that of this process, so that clocks can jump. A
document that was skipped goes behind all that was skipped less often.
"""

from __future__ import annotations

import sqlite3
import time

__all__ = ["HELD_SECONDS", "Held", "count", "give", "put", "put_first"]

HELD_SECONDS = 1800.0
"""How long somebody may hold a document that others wait for."""

_TAKEN = ("held", "grade", "cannot")
_ANSWERED = ("grade", "cannot")

_FRESH = "SELECT skips, place, id FROM pairs WHERE taken = 0 ORDER BY skips, place LIMIT ?"
_SECOND = """
SELECT skips, place, id FROM pairs WHERE taken = 1 AND slots = 2 AND first = ? ORDER BY skips, place LIMIT ?
"""


class Held:
    """Since when others have been waiting for what assessors hold."""

    def __init__(self) -> None:
        self._since: dict[tuple[int, int], float] = {}

    def overdue(self, held: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Which of these pairs and assessors have been waited for too long."""
        now = time.monotonic()
        self._since = {one: self._since.get(one, now) for one in held}
        return [one for one in held if now - self._since[one] >= HELD_SECONDS]


def give(connection: sqlite3.Connection, assessor: int, number: int, held: Held) -> list[int]:
    """What an assessor judges next: what they hold, then what nobody has taken, or one other where two shall judge."""
    mine = "SELECT pair FROM assignments WHERE assessor = ? AND state = 'held' ORDER BY turn, pair LIMIT ?"
    pairs = [pair for (pair,) in connection.execute(mine, (assessor, number))]
    if len(pairs) < number:
        free = _free(connection, assessor, number - len(pairs))
        if not free and not pairs:
            free = _taken_back(connection, assessor, number, held)
        (turn,) = connection.execute(
            "SELECT coalesce(max(turn), 0) FROM assignments WHERE assessor = ? AND state = 'held'", (assessor,)
        ).fetchone()
        for place, pair in enumerate(free, start=1):
            put(connection, pair, assessor, "held", turn=turn + place)
        pairs += free
    return pairs


def _free(connection: sqlite3.Connection, assessor: int, number: int) -> list[int]:
    found = connection.execute(_FRESH, (number,)).fetchall()
    others = connection.execute("SELECT id FROM assessors WHERE person AND id <> ?", (assessor,)).fetchall()
    for (other,) in others:
        found += connection.execute(_SECOND, (other, number)).fetchall()
    return [pair for _, _, pair in sorted(found)[:number]]


def _taken_back(connection: sqlite3.Connection, assessor: int, number: int, held: Held) -> list[int]:
    """What others hold and are waited for, too long."""
    theirs = "SELECT pair, assessor FROM assignments WHERE state = 'held' AND assessor <> ?"
    answered = "SELECT 1 FROM assignments WHERE pair = ? AND assessor = ? AND state IN ('grade', 'cannot')"
    pairs: list[int] = []
    for pair, other in held.overdue(connection.execute(theirs, (assessor,)).fetchall()):
        if len(pairs) < number and not connection.execute(answered, (pair, assessor)).fetchone():
            put(connection, pair, other, "late")
            pairs.append(pair)
    return list(dict.fromkeys(pairs))


def put(
    connection: sqlite3.Connection,
    pair: int,
    assessor: int,
    state: str,
    *,
    turn: int = 0,
    last: int | None = None,
    grade: int | None = None,
) -> None:
    """Change what is between an assessor and a pair, and all that is counted.

    *last* is the judgment that says so, where there is one that can be taken back.
    """
    before = connection.execute(
        "SELECT state FROM assignments WHERE pair = ? AND assessor = ?", (pair, assessor)
    ).fetchone()
    more = (state in _ANSWERED) - (before is not None and before[0] in _ANSWERED)
    if more:
        connection.execute("UPDATE assessors SET judged = judged + ? WHERE id = ?", (more, assessor))
    connection.execute(
        "INSERT INTO assignments (pair, assessor, state, turn, last, grade) VALUES (?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (pair, assessor) DO UPDATE SET state = excluded.state, turn = excluded.turn,"
        " last = excluded.last, grade = excluded.grade",
        (pair, assessor, state, turn, last, grade),
    )
    if state == "skip":
        connection.execute("UPDATE pairs SET skips = skips + 1 WHERE id = ?", (pair,))
    count(connection, pair)


def count(connection: sqlite3.Connection, pair: int) -> None:
    """Count again what is known of a pair, from what its assessors said last."""
    rows = connection.execute("SELECT assessor, state, grade FROM assignments WHERE pair = ?", (pair,)).fetchall()
    topic, before, decided = connection.execute(
        "SELECT topic, answers > 0 OR adjudicated IS NOT NULL, adjudicated IS NOT NULL FROM pairs WHERE id = ?", (pair,)
    ).fetchone()
    taken = [who for who, state, _ in rows if state in _TAKEN]
    answers = [grade for _, state, grade in rows if state in _ANSWERED]
    disputed = bool(answers) and not decided and (len(set(answers)) > 1 or None in answers)
    connection.execute(
        "UPDATE pairs SET taken = ?, first = ?, answers = ?, disputed = ? WHERE id = ?",
        (len(taken), taken[0] if len(taken) == 1 else None, len(answers), disputed, pair),
    )
    after = bool(answers) or bool(decided)
    if after != bool(before):
        connection.execute("UPDATE topics SET judged = judged + ? WHERE id = ?", (int(after) - int(before), topic))


def put_first(connection: sqlite3.Connection, pairs: list[tuple[str, str]]) -> None:
    """Put pairs before all others, in this order."""
    (first,) = connection.execute("SELECT coalesce(min(place), 0) FROM pairs").fetchone()
    connection.executemany(
        "UPDATE pairs SET place = ? WHERE topic = (SELECT id FROM topics WHERE topic = ?)"
        " AND doc = (SELECT id FROM documents WHERE doc = ?)",
        ((first - len(pairs) + place, topic, doc) for place, (topic, doc) in enumerate(pairs)),
    )
