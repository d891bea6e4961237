"""What commands do around their study: know what was typed, find its texts, warn, and write what it found."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING

from unjudged.errors import InputError, Notice, few_of_each_kind
from unjudged.io.writing import write_file
from unjudged.wording import visible

if TYPE_CHECKING:
    from unjudged.cli.options import TextFormat
    from unjudged.io.texts import TextSource

__all__ = [
    "called_with",
    "command",
    "emit",
    "in_colour",
    "say",
    "text_source",
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


def text_source(
    texts: list[str] | None,
    form: TextFormat,
    stem: str | None,
    stop_words: str | None,
    term_counts: str | None,
    cache: str | None,
) -> TextSource | None:
    """The texts that the options name; None where they name none."""
    from unjudged import api

    if texts is None:
        given = {"--stem": stem, "--stop-words": stop_words, "--term-counts": term_counts, "--text-cache": cache}
        for option, value in given.items():
            if value is not None:
                raise InputError(f"{option} needs --texts FILE")
        return None
    return api.text_source(
        texts, format=form.value, stem=stem, stop_words=stop_words, term_counts=term_counts, cache=cache
    )
