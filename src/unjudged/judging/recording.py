"""What becomes of a judgment: it is checked, added to the history, and what counts follows from it."""

from __future__ import annotations

import re
import secrets
import sqlite3
from datetime import UTC, datetime
from typing import NamedTuple, get_args

from unjudged.data.ids import is_writable
from unjudged.errors import InputError
from unjudged.judging.assignment import count, put
from unjudged.judging.records import Kind, Recorded
from unjudged.wording import shortened, visible

__all__ = ["LONGEST_NOTE", "Said", "add", "adjudicate", "now", "record", "undo", "written_text"]

LONGEST_NOTE = 10_000
_LONGEST_KEY = 200
_MOST_SECONDS = 1e6
_LARGEST = 1 << 62
"""Of numbers of rows."""
_HASH = re.compile(r"[0-9a-f]{64}")


class Said(NamedTuple):
    """What somebody said of a pair, checked."""

    kind: Kind
    grade: int | None = None
    note: str = ""
    flagged: bool = False
    seconds: float | None = None
    text_sha256: str | None = None
    guidelines: int | None = None
    key: str | None = None
    at: str | None = None
    """When, where it was not now."""

    def checked(self) -> Said:
        """The same, or an error of one line."""
        kinds = get_args(Kind)
        if self.kind not in kinds:
            raise InputError(f"a judgment is one of {', '.join(kinds)}, not {shortened(self.kind)}")
        needs_grade = self.kind in ("grade", "adjudicate")
        if needs_grade and (isinstance(self.grade, bool) or not isinstance(self.grade, int)):
            raise InputError(f"a grade is a whole number, not {shortened(self.grade)}")
        if not needs_grade and self.grade is not None:
            raise InputError(f"a judgment of kind {self.kind} has no grade, but this one has {shortened(self.grade)}")
        if not isinstance(self.flagged, bool):
            raise InputError(f"flagged is true or false, not {shortened(self.flagged)}")
        if self.text_sha256 is not None and not _is_hash(self.text_sha256):
            raise InputError(f"text_sha256 is 64 hexadecimal digits, not {shortened(self.text_sha256)}")
        if self.guidelines is not None and (isinstance(self.guidelines, bool) or not isinstance(self.guidelines, int)):
            raise InputError(f"the version of the guidelines is a whole number, not {shortened(self.guidelines)}")
        note = written_text("the note", self.note, LONGEST_NOTE)
        key = None if self.key is None else written_text("the key", self.key, _LONGEST_KEY)
        return self._replace(note=note, key=key or secrets.token_hex(16), seconds=_seconds(self.seconds))


def written_text(what: str, text: object, longest: int) -> str:
    """Text that a file can hold and that is not endless, or an error."""
    if not isinstance(text, str):
        raise InputError(f"{what} is no text but {type(text).__name__}")
    if not is_writable(text):
        raise InputError(f"{what} has half a character, which no file can hold: {shortened(text)}")
    if len(text) > longest:
        raise InputError(f"{what} has {len(text):,} characters; at most {longest:,} are kept, so make it shorter")
    return text


def _is_hash(value: object) -> bool:
    return isinstance(value, str) and _HASH.fullmatch(value) is not None


def _seconds(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MOST_SECONDS:
        raise InputError(f"seconds are a number from 0 to {_MOST_SECONDS:,.0f}, not {shortened(value)}")
    return float(value)


def now() -> str:
    """The time of the machine's clock, in UTC; nothing depends on it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def record(connection: sqlite3.Connection, assessor: int, pair: int, said: Said) -> Recorded:
    """Add what an assessor said of a document that was given to them."""
    said, pair = said.checked(), _checked_pair(pair)
    if (before := _with_key(connection, assessor, pair, said)) is not None:
        return before
    state = _state(connection, assessor, pair)
    if said.kind == "adjudicate":
        raise InputError("only the lead decides between judgments, with adjudicate")
    if said.kind == "grade":
        _check_grade(connection, said.grade)
    if said.kind == "withdraw" and state not in ("grade", "cannot", "skip"):
        raise InputError(f"{_pair_words(connection, pair)} has no judgment of yours that could be taken back")
    if said.kind == "skip" and state not in ("held", "late", "skip"):
        raise InputError(f"{_pair_words(connection, pair)} is judged, so it cannot be skipped; undo the judgment first")
    recorded = add(connection, assessor, pair, _here(connection, pair, said))
    if said.kind == "withdraw":
        _hold_again(connection, assessor, pair)
    else:
        put(connection, pair, assessor, said.kind, last=recorded.id, grade=said.grade)
    return recorded


def add(connection: sqlite3.Connection, assessor: int, pair: int, said: Said) -> Recorded:
    """A new entry of the history, of what is checked already."""
    if (
        said.guidelines is not None
        and not connection.execute("SELECT 1 FROM guidelines WHERE id = ?", (said.guidelines,)).fetchone()
    ):
        raise InputError(f"there is no version {said.guidelines} of the guidelines")
    at = said.at or now()
    added = connection.execute(
        "INSERT INTO judgments"
        " (pair, assessor, kind, grade, note, flagged, seconds, at, text_sha256, guidelines, key)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(pair, assessor, said.kind, said.grade, said.note, said.flagged, said.seconds, at),
            *(said.text_sha256, said.guidelines, said.key),
        ),
    )
    if added.lastrowid is None:
        raise TypeError("SQLite gives every row a number")
    return Recorded(added.lastrowid, pair, said.kind, said.grade, at)


def _here(connection: sqlite3.Connection, pair: int, said: Said) -> Said:
    """What was said here is about the text and the guidelines of here, unless it says of which."""
    sha256, version = connection.execute(
        "SELECT d.sha256, (SELECT max(id) FROM guidelines) FROM pairs AS p JOIN documents AS d ON d.id = p.doc"
        " WHERE p.id = ?",
        (pair,),
    ).fetchone()
    return said._replace(
        text_sha256=said.text_sha256 or sha256, guidelines=version if said.guidelines is None else said.guidelines
    )


def undo(connection: sqlite3.Connection, assessor: int, key: str | None = None) -> tuple[int, int] | None:
    """Take back the last judgment of an assessor that counts: its pair, which they hold again, and the judgment.

    The same *key* again gives the same answer, and takes nothing more back.
    """
    said = Said("withdraw", key=key).checked()
    if (before := _undone_with_key(connection, assessor, said)) is not None:
        return before
    rows = connection.execute(
        "SELECT a.pair, a.state, a.last, p.taken < p.slots FROM assignments AS a JOIN pairs AS p ON p.id = a.pair"
        " WHERE a.assessor = ? AND a.last IS NOT NULL ORDER BY a.last DESC",
        (assessor,),
    )
    for pair, state, last, is_open in rows:
        if state == "skip" and not is_open:
            continue  # somebody else has got it since
        rows.close()
        add(connection, assessor, pair, _here(connection, pair, said))
        _hold_again(connection, assessor, pair)
        return pair, last
    return None


def adjudicate(connection: sqlite3.Connection, assessor: int, pair: int, said: Said) -> Recorded:
    """Add the lead's decision, which counts from now on."""
    said, pair = said.checked(), _checked_pair(pair)
    if (before := _with_key(connection, assessor, pair, said)) is not None:
        return before
    if not connection.execute("SELECT 1 FROM assessors WHERE id = ? AND lead", (assessor,)).fetchone():
        raise InputError("only the lead decides between judgments")
    _check_grade(connection, said.grade)
    row = connection.execute("SELECT answers FROM pairs WHERE id = ?", (pair,)).fetchone()
    if row is None:
        raise _unknown(pair)
    if not row[0]:
        raise InputError(f"nobody has judged {_pair_words(connection, pair)} yet, so there is nothing to decide")
    recorded = add(connection, assessor, pair, _here(connection, pair, said))
    connection.execute("UPDATE pairs SET adjudicated = ? WHERE id = ?", (said.grade, pair))
    count(connection, pair)
    return recorded


def _hold_again(connection: sqlite3.Connection, assessor: int, pair: int) -> None:
    """Give a document back to an assessor, before all others that they hold."""
    (turn,) = connection.execute(
        "SELECT coalesce(min(turn), 0) - 1 FROM assignments WHERE assessor = ? AND state = 'held'", (assessor,)
    ).fetchone()
    put(connection, pair, assessor, "held", turn=turn)


def _with_key(connection: sqlite3.Connection, assessor: int, pair: int, said: Said) -> Recorded | None:
    """What was recorded when the same was asked for before."""
    row = connection.execute(
        "SELECT id, pair, kind, grade, at, assessor FROM judgments WHERE key = ?", (said.key,)
    ).fetchone()
    if row is None:
        return None
    if row[1:4] != (pair, said.kind, said.grade) or row[5] != assessor:
        raise InputError(f"the key {shortened(said.key)} belongs to another judgment; every judgment has its own")
    return Recorded(*row[:5])


def _undone_with_key(connection: sqlite3.Connection, assessor: int, said: Said) -> tuple[int, int] | None:
    """What was taken back when the same was asked for before: its pair, and the judgment."""
    row = connection.execute("SELECT id, pair FROM judgments WHERE key = ?", (said.key,)).fetchone()
    if row is None:
        return None
    withdrawn, pair = row
    _with_key(connection, assessor, pair, said)  # or the key is that of something else
    (judgment,) = connection.execute(
        "SELECT max(id) FROM judgments WHERE pair = ? AND assessor = ? AND id < ? AND kind <> 'withdraw'",
        (pair, assessor, withdrawn),
    ).fetchone()
    return pair, judgment


def _checked_pair(pair: object) -> int:
    if isinstance(pair, bool) or not isinstance(pair, int) or not 0 <= pair < _LARGEST:
        raise InputError(f"a pair is a whole number, not {shortened(pair)}")
    return pair


def _state(connection: sqlite3.Connection, assessor: int, pair: int) -> str:
    row = connection.execute(
        "SELECT state FROM assignments WHERE pair = ? AND assessor = ?", (pair, assessor)
    ).fetchone()
    if row is not None:
        return str(row[0])
    if not connection.execute("SELECT 1 FROM pairs WHERE id = ?", (pair,)).fetchone():
        raise _unknown(pair)
    raise InputError(f"{_pair_words(connection, pair)} is not assigned to this assessor; ask for the next one")


def _unknown(pair: int) -> InputError:
    return InputError(f"there is no pair {pair} in this project; ask for the next one")


def _check_grade(connection: sqlite3.Connection, grade: int | None) -> None:
    grades = [one for (one,) in connection.execute("SELECT grade FROM grades ORDER BY grade")]
    if grade not in grades:
        raise InputError(f"grade {shortened(grade)} is none of {', '.join(map(str, grades))}")


def _pair_words(connection: sqlite3.Connection, pair: int) -> str:
    topic, doc = connection.execute(
        "SELECT t.topic, d.doc FROM pairs AS p JOIN topics AS t ON t.id = p.topic JOIN documents AS d ON d.id = p.doc"
        " WHERE p.id = ?",
        (pair,),
    ).fetchone()
    return visible(f"document {doc!r} of topic {topic!r}")
