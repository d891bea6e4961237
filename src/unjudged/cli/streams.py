"""Standard output and standard error while a command runs, and what it writes there."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from unjudged.errors import FileError, Notice, few_of_each_kind
from unjudged.io.writing import STANDARD_OUTPUT, unwritable, write_file
from unjudged.wording import visible

__all__ = ["StandardOutput", "emit", "in_colour", "output_is_closed", "ready_streams", "say"]


class StandardOutput(io.TextIOWrapper):
    """Standard output that says in one line that it cannot be written, whoever writes to it: we, typer or rich.

    Characters that its encoding lacks are shown as numbers.
    """

    def __init__(self, buffer: BinaryIO, *, encoding: str, like: io.TextIOWrapper | None = None) -> None:
        self._like = like
        super().__init__(
            buffer,
            encoding=encoding,
            errors="backslashreplace",
            line_buffering=like is not None and like.line_buffering,
            write_through=like is not None and like.write_through,
        )

    @property
    def was_closed(self) -> bool:
        """Whether there is nothing behind it (``>&-``)."""
        return self._like is None

    def isatty(self) -> bool:
        """Whether somebody looks at it."""
        return self._like is not None and self._like.isatty()

    def write(self, text: str) -> int:
        """Write text."""
        try:
            return super().write(text)
        except OSError as problem:
            raise self._explained(problem) from None

    def flush(self) -> None:
        """Write what has not been written yet."""
        try:
            super().flush()
        except OSError as problem:
            raise self._explained(problem) from None

    def _explained(self, problem: OSError) -> Exception:
        # Python would try again, and complain, when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
        # A reader that has gone (head, less) has seen enough.
        return problem if isinstance(problem, BrokenPipeError) else unwritable(STANDARD_OUTPUT, problem)


def output_is_closed() -> bool:
    """Whether somebody closed standard output (``>&-``), and so does not want to see what is printed."""
    return isinstance(sys.stdout, StandardOutput) and sys.stdout.was_closed


def in_colour(output: Path | None) -> bool:
    """Whether a result is shown in colour: on a terminal, unless NO_COLOR is set."""
    return output is None and sys.stdout.isatty() and "NO_COLOR" not in os.environ


def emit(text: str, output: Path | None) -> None:
    """Write a result to the screen or to a file."""
    text = text if not text or text.endswith("\n") else text + "\n"
    if output is not None:
        write_file(output, text)
        return
    sys.stdout.write(text)
    sys.stdout.flush()


def say(notices: Sequence[Notice], *, quiet: bool) -> None:
    """Show warnings on standard error, one line each; many of the same kind are summed up."""
    if quiet:
        return
    shown, more = few_of_each_kind(notices)
    for notice in shown:
        kind = "warning" if notice.is_warning else "note"
        print(f"{kind}: {visible(notice.message)} [{notice.code}]", file=sys.stderr)
    for code, count in more.items():
        print(f"warning: {count} more of [{code}]; JSON output has all of them", file=sys.stderr)


@contextmanager
def ready_streams() -> Iterator[None]:
    """Standard output says when it cannot be written; a standard error that is closed swallows what it gets."""
    before = sys.stdout, sys.stderr
    _occupy_closed()
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  # while there is a process
    elif isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(errors="backslashreplace")
    if sys.stdout is None:
        nowhere = os.open(os.devnull, os.O_RDONLY)  # not descriptor 1, where something else may be by now
        sys.stdout = StandardOutput(os.fdopen(nowhere, "wb"), encoding="utf-8")
    elif isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.flush()
        sys.stdout = StandardOutput(sys.stdout.buffer, encoding=sys.stdout.encoding, like=sys.stdout)
    try:
        yield
    finally:
        if isinstance(sys.stdout, StandardOutput):
            with suppress(FileError, BrokenPipeError):
                sys.stdout.flush()
            sys.stdout.detach()  # the other stream goes on with what is below
        sys.stdout, sys.stderr = before


def _occupy_closed() -> None:
    """Put what cannot be written in place of closed streams, where files that are opened later would be otherwise."""
    while (descriptor := os.open(os.devnull, os.O_RDONLY)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
