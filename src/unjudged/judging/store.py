"""One connection that writes, some that read, and transactions that threads share."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from unjudged.errors import FileError
from unjudged.judging.schema import connect, open_file, said_by_sqlite

__all__ = ["Store"]


class Store:
    """The connections to a project file. What is written is durable when the outermost :meth:`write` is left."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._writer, self.read_only = open_file(path)
        self._lock = threading.RLock()
        self._owner: int | None = None
        """The thread whose transaction is open."""
        self._readers: list[sqlite3.Connection] = []
        self._lock_of_readers = threading.Lock()
        self._depth = 0
        self._closed = False

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """A transaction; within another one of the same thread, a part of it that can fail alone."""
        self._check_open()
        if self.read_only:
            raise FileError(
                self.path, "cannot be written: the file or its folder is read-only; copy it to where you may write"
            )
        with self._lock:
            inner = self._owner is not None
            if inner and not self._writer.in_transaction:
                raise self._undone()
            with said_by_sqlite(self.path):
                yield from self._nested() if inner else self._outermost()

    def _outermost(self) -> Iterator[sqlite3.Connection]:
        self._writer.execute("BEGIN IMMEDIATE")
        self._owner = threading.get_ident()
        try:
            yield self._writer
            if not self._writer.in_transaction:
                raise self._undone()
            self._writer.execute("COMMIT")
        finally:
            self._owner = None
            if self._writer.in_transaction:
                self._writer.execute("ROLLBACK")

    def _nested(self) -> Iterator[sqlite3.Connection]:
        self._depth += 1
        name = f"part_{self._depth}"
        try:
            self._writer.execute(f"SAVEPOINT {name}")
            try:
                yield self._writer
            except BaseException:
                # A full disk may have undone the whole transaction, and the savepoint with it.
                if self._writer.in_transaction:
                    self._writer.execute(f"ROLLBACK TO {name}")
                    self._writer.execute(f"RELEASE {name}")
                raise
            self._writer.execute(f"RELEASE {name}")
        finally:
            self._depth -= 1

    def _undone(self) -> FileError:
        return FileError(self.path, "writing failed before, and the whole transaction was undone: nothing was written")

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """One state of the file, which others may go on writing; in a thread's own transaction, what it has written."""
        self._check_open()
        if self._owner == threading.get_ident():
            yield self._writer
            return
        with said_by_sqlite(self.path):
            reader = self._reader()
            try:
                reader.execute("BEGIN")
                yield reader
            finally:
                if reader.in_transaction:
                    reader.execute("COMMIT")
                self._give_back(reader)

    def _reader(self) -> sqlite3.Connection:
        with self._lock_of_readers:
            if self._readers:
                return self._readers.pop()
        if self.read_only:
            return open_file(self.path)[0]
        reader = connect(self.path)
        reader.execute("PRAGMA query_only = ON")
        return reader

    def _give_back(self, reader: sqlite3.Connection) -> None:
        with self._lock_of_readers:
            if not self._closed:
                self._readers.append(reader)
                return
        reader.close()

    def close(self) -> None:
        """Close the file. Recent judgments go from the files beside it into it, so that one file is left."""
        with self._lock, self._lock_of_readers:
            if self._closed:
                return
            self._closed = True
            for reader in self._readers:
                reader.close()
            self._readers.clear()
            self._writer.close()

    def _check_open(self) -> None:
        if self._closed:
            raise FileError(self.path, "the project is closed")
