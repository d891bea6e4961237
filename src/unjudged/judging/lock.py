"""One process serves a project at a time: a lock of the operating system, which a process that dies gives back."""

from __future__ import annotations

import os
import sys

from unjudged.errors import FileError
from unjudged.wording import clipped, visible

__all__ = ["Lock"]

_LONGEST_NOTE = 200


class Lock:
    """The lock of a project, on a file beside it, which holds who has it."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._file: int | None = None

    def take(self, note: str) -> None:
        """Take it, or say who has it."""
        if self._file is not None:
            return
        try:
            file = os.open(f"{self.path}-lock", os.O_CREAT | os.O_RDWR, 0o600)
        except OSError as problem:
            raise FileError(f"{self.path}-lock", f"cannot be written: {problem.strerror}") from None
        if not _locked(file):
            # The first byte is what is locked; the rest can be read by others.
            os.lseek(file, 1, os.SEEK_SET)
            who = visible(os.read(file, _LONGEST_NOTE).decode("utf-8", "replace")).strip()
            os.close(file)
            at = f" ({clipped(who)})" if who else ""
            raise FileError(self.path, f"another process serves this project{at}; use that one, or stop it first")
        os.ftruncate(file, 0)
        os.write(file, f" process {os.getpid()}{', ' if note else ''}{note}"[:_LONGEST_NOTE].encode())
        self._file = file

    def release(self) -> None:
        """Give it back. The file stays where others may be about to lock it, but on a system that could not say so."""
        if self._file is None:
            return
        os.close(self._file)
        self._file = None


if sys.platform == "win32":
    import msvcrt

    def _locked(file: int) -> bool:
        os.lseek(file, 0, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        os.lseek(file, 0, os.SEEK_SET)
        return True
else:
    import fcntl

    def _locked(file: int) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
