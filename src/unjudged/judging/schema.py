"""The project file: its tables, how it is opened, and what is said where it cannot be.

One SQLite file holds everything. ``judgments`` is the history: entries are added and never changed, which triggers see
to. What counts now (``assignments``, and the columns of ``pairs``, ``topics`` and ``assessors`` that count) follows
from it, and is written in the same transaction. The order of judgments is that of their rows: no clock decides
anything.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from unjudged.errors import FileError, InputError
from unjudged.io.sources import explain

__all__ = ["VERSION", "connect", "create_file", "open_file", "said_by_sqlite"]

APPLICATION = 0x554A5047
"""``UJPG``, in the header of the file."""
VERSION = 1
BUSY_SECONDS = 10.0

_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE topics (
    id INTEGER PRIMARY KEY, topic TEXT NOT NULL UNIQUE, title TEXT NOT NULL, description TEXT NOT NULL,
    narrative TEXT NOT NULL, pairs INTEGER NOT NULL DEFAULT 0, judged INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE documents (id INTEGER PRIMARY KEY, doc TEXT NOT NULL UNIQUE, title TEXT NOT NULL, text TEXT, sha256 TEXT);
CREATE TABLE grades (grade INTEGER PRIMARY KEY, meaning TEXT NOT NULL);
CREATE TABLE guidelines (id INTEGER PRIMARY KEY AUTOINCREMENT, markdown TEXT NOT NULL, at TEXT NOT NULL);
CREATE TABLE assessors (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, lead INTEGER NOT NULL, person INTEGER NOT NULL,
    judged INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE tokens (sha256 TEXT PRIMARY KEY, assessor INTEGER NOT NULL REFERENCES assessors, at TEXT NOT NULL)
    WITHOUT ROWID;
-- taken: assessors who hold it or have answered, of so many slots; first: the only one of them, if it is one.
CREATE TABLE pairs (
    id INTEGER PRIMARY KEY, topic INTEGER NOT NULL REFERENCES topics, doc INTEGER NOT NULL REFERENCES documents,
    place REAL NOT NULL, skips INTEGER NOT NULL DEFAULT 0, slots INTEGER NOT NULL, taken INTEGER NOT NULL DEFAULT 0,
    first INTEGER REFERENCES assessors, answers INTEGER NOT NULL DEFAULT 0, disputed INTEGER NOT NULL DEFAULT 0,
    adjudicated INTEGER, inclusion REAL, stratum INTEGER, UNIQUE (topic, doc)
);
-- What a sample passed over; with it, judgments say for how many documents each stands.
CREATE TABLE undrawn (topic TEXT NOT NULL, doc TEXT NOT NULL, stratum INTEGER NOT NULL);
CREATE INDEX in_order ON pairs (place);
CREATE INDEX fresh ON pairs (skips, place) WHERE taken = 0;
CREATE INDEX second ON pairs (first, skips, place) WHERE taken = 1 AND slots = 2;
CREATE INDEX disputed ON pairs (id) WHERE disputed = 1;
CREATE INDEX judged ON pairs (topic, id) WHERE answers > 0 OR adjudicated IS NOT NULL;
CREATE INDEX several ON pairs (id) WHERE answers >= 2;
-- What is between an assessor and a pair now: held, late (held too long), or the kind of what they said last.
CREATE TABLE assignments (
    pair INTEGER NOT NULL REFERENCES pairs, assessor INTEGER NOT NULL REFERENCES assessors, state TEXT NOT NULL,
    turn INTEGER NOT NULL DEFAULT 0, last INTEGER, grade INTEGER, PRIMARY KEY (pair, assessor)
) WITHOUT ROWID;
CREATE INDEX held ON assignments (assessor, turn) WHERE state = 'held';
CREATE INDEX answered ON assignments (assessor, last) WHERE last IS NOT NULL;
CREATE TABLE judgments (
    id INTEGER PRIMARY KEY AUTOINCREMENT, pair INTEGER NOT NULL REFERENCES pairs,
    assessor INTEGER NOT NULL REFERENCES assessors,
    kind TEXT NOT NULL CHECK (kind IN ('grade', 'skip', 'cannot', 'withdraw', 'adjudicate')), grade INTEGER,
    note TEXT NOT NULL, flagged INTEGER NOT NULL, seconds REAL, at TEXT NOT NULL, text_sha256 TEXT,
    guidelines INTEGER REFERENCES guidelines, key TEXT NOT NULL UNIQUE,
    CHECK ((grade IS NULL) = (kind NOT IN ('grade', 'adjudicate')))
);
CREATE INDEX of_pair ON judgments (pair);
CREATE INDEX of_assessor ON judgments (assessor, id);
"""
_APPEND_ONLY = """
CREATE TRIGGER {table}_not_{change} BEFORE {change} ON {table}
BEGIN SELECT RAISE(ABORT, '{table} are never changed, only added to'); END;
"""


@contextmanager
def said_by_sqlite(path: str) -> Iterator[None]:
    """What SQLite says of the file becomes one line."""
    try:
        yield
    except sqlite3.DatabaseError as problem:
        raise FileError(path, _words(problem)) from None
    except (OverflowError, UnicodeEncodeError):
        raise InputError("a number is too large, or text has half a character, for a file to hold it") from None


def _words(problem: sqlite3.DatabaseError) -> str:
    # The code without its details: SQLITE_IOERR_WRITE is SQLITE_IOERR.
    code = (getattr(problem, "sqlite_errorcode", 0) or 0) & 0xFF
    if code == sqlite3.SQLITE_FULL:
        return "the disk is full; nothing of this was written: make room, and go on"
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return f"another process has been writing to it for {BUSY_SECONDS:.0f} seconds; try again when it is done"
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return "cannot be written: the file or its folder is read-only; copy it to where you may write"
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return "the project is damaged; take a copy of it that is not (sqlite3 FILE .recover may save some)"
    if code == sqlite3.SQLITE_IOERR:
        return "the disk cannot be written or read; nothing of this was written: look after the disk, and try again"
    return f"SQLite says: {problem}"


def connect(path: str, *, uri: str = "") -> sqlite3.Connection:
    """A connection whose transactions are begun and ended by us, usable from any thread."""
    connection = sqlite3.connect(
        f"file:{_quoted(path)}?{uri}" if uri else path,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        uri=bool(uri),
    )
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA recursive_triggers = ON")  # or INSERT OR REPLACE would delete past the triggers
    return connection


def _quoted(path: str) -> str:
    return Path(path).absolute().as_uri().removeprefix("file://")


def create_file(path: str) -> None:
    """An empty project. A file that is there is never touched."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        raise FileError(path, "there is such a file already; open it, or choose another name") from None
    except OSError as problem:
        raise FileError(path, f"cannot be written: {problem.strerror}") from None
    with said_by_sqlite(path):
        connection = connect(path)
        try:
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            triggers = [
                _APPEND_ONLY.format(table=table, change=change)
                for table in ("judgments", "guidelines")
                for change in ("UPDATE", "DELETE")
            ]
            connection.executescript("BEGIN;" + _TABLES + "".join(triggers) + "COMMIT;")
        finally:
            connection.close()


def open_file(path: str) -> tuple[sqlite3.Connection, bool]:
    """A connection to a project, and whether it can only be read."""
    _check_header(path)
    with said_by_sqlite(path):
        connection, read_only = _opened(path)
        try:
            _check_version(path, connection)
        except BaseException:
            connection.close()
            raise
    return connection, read_only


def _opened(path: str) -> tuple[sqlite3.Connection, bool]:
    if os.access(path, os.W_OK):
        connection = connect(path)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.OperationalError as problem:
            connection.close()
            if (problem.sqlite_errorcode & 0xFF) not in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
                raise
        else:
            return connection, False
    return _opened_to_read(path), True


def _opened_to_read(path: str) -> sqlite3.Connection:
    try:
        connection = connect(path, uri="mode=ro")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        # Without a file of recent judgments beside it, the file is all there is, and nobody can be writing to it.
        recent = Path(f"{path}-wal")
        if recent.exists() and recent.stat().st_size:
            problem = f"cannot be read where it is: recent judgments are in {recent.name}"
            raise FileError(path, f"{problem}; copy both to where you may write") from None
        connection = connect(path, uri="mode=ro&immutable=1")
    return connection


def _check_header(path: str) -> None:
    """Refuse what is no project before SQLite opens it, which would make files beside it."""
    try:
        with Path(path).open("rb") as stream:
            header, size = stream.read(100), os.fstat(stream.fileno()).st_size
    except FileNotFoundError:
        raise FileError(path, "no such project; give --runs to make one") from None
    except OSError as problem:
        raise explain(path, problem) from None
    application = int.from_bytes(header[68:72], "big")
    if len(header) < 100 or not header.startswith(b"SQLite format 3\0") or application != APPLICATION:
        raise FileError(path, "this is no project of unjudged judge; give the file that it made, or a new name")
    version = int.from_bytes(header[60:64], "big")
    if version > VERSION:
        raise FileError(
            path,
            f"the project is of a newer version of unjudged (format {version}; this one knows {VERSION});"
            " pip install -U unjudged",
        )
    page = int.from_bytes(header[16:18], "big")
    whole = int.from_bytes(header[28:32], "big") * (65536 if page == 1 else page)
    recent = Path(f"{path}-wal")
    if size < whole and not (recent.exists() and recent.stat().st_size):
        raise FileError(
            path, f"the file is cut off: {size:,} of {whole:,} bytes are there; take a copy of it that is whole"
        )


def _check_version(path: str, connection: sqlite3.Connection) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master WHERE name IN ('judgments', 'pairs')").fetchone()
    # What it is made of is written last, all at once.
    if version != VERSION or tables != 2 or not connection.execute("SELECT 1 FROM meta").fetchone():
        raise FileError(path, "the project was not finished when it was made; delete it, and make it again")
