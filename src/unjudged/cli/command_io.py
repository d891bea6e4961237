"""What commands do around their study: know what was typed, warn, and write what it found."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from unjudged.errors import Notice, few_of_each_kind
from unjudged.io.writing import write_file
from unjudged.wording import visible

__all__ = [
    "called_with",
    "command",
    "emit",
    "in_colour",
    "say",
]

_arguments: ContextVar[tuple[str, ...]] = ContextVar("_arguments", default=())


@contextmanager
def called_with(arguments: Sequence[str]) -> Iterator[None]:
    """While a command runs: with these arguments, which need not be the process's (a test, a step of the demo)."""
    before = _arguments.set(tuple(arguments))
    try:
        yield
    finally:
        _arguments.reset(before)


def command() -> tuple[str, ...]:
    """The command that is running, as its result says it."""
    return ("unjudged", *_arguments.get())


def in_colour(output: Path | None) -> bool:
    """Whether a result is shown in colour: on a terminal, unless NO_COLOR is set."""
    return output is None and sys.stdout.isatty() and "NO_COLOR" not in os.environ


def emit(text: str, output: Path | None) -> None:
    """Write a result to the screen or to a file."""
    text = text if text.endswith("\n") else text + "\n"
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
        print(f"warning: {visible(notice.message)} [{notice.code}]", file=sys.stderr)
    for code, count in more.items():
        print(f"warning: {count} more of [{code}]; JSON output has all of them", file=sys.stderr)
