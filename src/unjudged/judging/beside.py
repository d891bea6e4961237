"""What the judgments of a project say, computed by a process of its own, so that nobody who judges waits for it.

In a thread it would take the interpreter's lock from the server again and again: that trebles the time to record a
judgment. The process opens the same file, reads, and never writes; it has a lower priority, and ends with its owner.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO

from unjudged.errors import InputError, UnjudgedError

if TYPE_CHECKING:
    from unjudged.results.next_judgments import NextJudgments

__all__ = ["Beside"]

_NICE = 10


class Beside:
    """Asks a process what the judgments of a file say; it is started when it is needed."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._process: subprocess.Popen[bytes] | None = None
        self._changing = threading.Lock()
        self._closed = False

    def ask(self) -> NextJudgments:
        """What they say now."""
        process = self._started()
        try:
            if process.stdin is None or process.stdout is None:
                raise BrokenPipeError
            process.stdin.write(b"\n")
            process.stdin.flush()
            answer: NextJudgments | str = pickle.load(process.stdout)  # noqa: S301  # of a process of ours
        except (OSError, EOFError, pickle.UnpicklingError):
            self._stop()
            raise InputError(
                "the process that computes what the judgments say has ended; it is started again"
            ) from None
        if isinstance(answer, str):
            raise InputError(answer)
        return answer

    def close(self) -> None:
        """End the process; whoever is asking is told so."""
        self._closed = True
        self._stop()

    def _started(self) -> subprocess.Popen[bytes]:
        with self._changing:
            if self._closed:
                raise InputError("the project is not served any more")
            if self._process is None:
                # Ctrl-C is for the server, which ends it.
                self._process = subprocess.Popen(  # noqa: S603  # our own module
                    [sys.executable, "-c", f"from {__name__} import run; run()", self._path],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    start_new_session=True,
                )
            return self._process

    def _stop(self) -> None:
        with self._changing:
            process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()


def run() -> None:
    """The process: one answer for each line that comes, until no more can."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed is no answer
    if hasattr(os, "nice"):
        os.nice(_NICE)
    with suppress(BrokenPipeError):
        answer(sys.argv[1], sys.stdin.buffer, out)


def answer(path: str, asked: BinaryIO, answers: BinaryIO) -> None:
    """What judgments say whenever a line comes, or why that cannot be said."""
    from unjudged.judging.project import Project

    with Project(path) as project:
        while asked.readline():
            try:
                found: NextJudgments | str = project.compute_outlook()
            except UnjudgedError as problem:
                found = str(problem)
            pickle.dump(found, answers)
            answers.flush()
