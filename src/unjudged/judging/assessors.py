"""Who judges, and the tokens by which a page knows them: only the hash of a token is kept."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import sqlite3

from unjudged.errors import InputError, some_of
from unjudged.judging.recording import now, written_text
from unjudged.judging.records import Assessor
from unjudged.wording import shortened, visible

__all__ = ["add_assessor", "assessor_of", "assessors", "find_assessor", "new_token", "origin"]

_LONGEST_NAME = 100
_TOKEN_BYTES = 32


def assessors(connection: sqlite3.Connection) -> tuple[Assessor, ...]:
    """All of them, in the order in which they came."""
    rows = connection.execute("SELECT id, name, lead, person FROM assessors ORDER BY id")
    return tuple(Assessor(number, name, bool(lead), bool(person)) for number, name, lead, person in rows)


def find_assessor(connection: sqlite3.Connection, who: Assessor | str) -> Assessor:
    """The assessor of a name."""
    name = who.name if isinstance(who, Assessor) else who
    everybody = {one.name: one for one in assessors(connection)}
    if isinstance(name, str) and name in everybody:
        return everybody[name]
    there = some_of([visible(one) for one in everybody]) or "none"
    raise InputError(f"there is no assessor {shortened(name)} in this project; there is {there}")


def add_assessor(connection: sqlite3.Connection, name: str, *, lead: bool, person: bool = True) -> int:
    """A new one; a name is a person's, so that nobody has the name of another."""
    name = written_text("the name of an assessor", name, _LONGEST_NAME)
    if not name or name != visible(name).strip():
        raise InputError(
            f"the name of an assessor is of letters that can be seen, without spaces around it, not {shortened(name)}"
        )
    if connection.execute("SELECT 1 FROM assessors WHERE name = ?", (name,)).fetchone():
        raise InputError(f"there is an assessor {shortened(name)} already; names are unique")
    added = connection.execute("INSERT INTO assessors (name, lead, person) VALUES (?, ?, ?)", (name, lead, person))
    return int(added.lastrowid or 0)


def origin(connection: sqlite3.Connection, name: str) -> int:
    """Whoever judgments of a file are from: somebody of this name, or a new one who is given nothing to judge."""
    name = " ".join(visible(name.encode("utf-8", "replace").decode()).split())[:_LONGEST_NAME].strip() or "imported"
    row = connection.execute("SELECT id FROM assessors WHERE name = ?", (name,)).fetchone()
    return int(row[0]) if row else add_assessor(connection, name, lead=False, person=False)


def new_token(connection: sqlite3.Connection, assessor: Assessor) -> str:
    """One more token of an assessor."""
    if not assessor.person:
        raise InputError(f"{visible(assessor.name)} is where judgments were imported from, and cannot judge here")
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    connection.execute("INSERT INTO tokens (sha256, assessor, at) VALUES (?, ?, ?)", (_hash(token), assessor.id, now()))
    return token


def assessor_of(connection: sqlite3.Connection, token: str) -> Assessor | None:
    """Whose token it is. All are compared, each in constant time."""
    asked = _hash(token) if isinstance(token, str) else ""
    rows = connection.execute("SELECT sha256, assessor FROM tokens").fetchall()
    found = [number for kept, number in rows if hmac.compare_digest(kept, asked)]
    return next((one for one in assessors(connection) if found and one.id == found[0]), None)


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
