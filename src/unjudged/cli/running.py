"""What commands do around their study: say what it came from, show how far it is, and write what it found."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from unjudged.data.provenance import DEFAULT_SEED, Input, Provenance, Role
from unjudged.errors import InputError, Notice, few_of_each_kind
from unjudged.io.writing import STANDARD_OUTPUT, check_outputs, write_file
from unjudged.reports.bars import progress_bar
from unjudged.wording import visible

if TYPE_CHECKING:
    from unjudged.cli.options import TextFormat
    from unjudged.holes import HoleModel
    from unjudged.io.reading import RunSource
    from unjudged.io.texts import TextSource
    from unjudged.progress import Progress

__all__ = [
    "called_with",
    "command",
    "emit",
    "in_colour",
    "origin",
    "progress",
    "say",
    "text_source",
]

T = TypeVar("T")

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


def progress(words: str) -> Progress:
    """A progress bar; *words* say what is being done, unless the study says it."""

    def show(items: Iterable[T], total: int, step: str = "", /) -> Iterable[T]:
        return progress_bar(items, total, step or words)

    return show


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


def origin(
    qrels: str,
    runs: Sequence[RunSource],
    *,
    output: Path | None,
    beside: Sequence[Sequence[Path] | None] = (),
    hashed: bool = False,
    seed: int = DEFAULT_SEED,
    pool: str | None = None,
    intents: str | None = None,
    models: Sequence[HoleModel] = (),
    groups: str | None = None,
    order: str | None = None,
    texts: TextSource | None = None,
    store: str | None = None,
) -> Provenance:
    """Where the result of the running command comes from; refuses, before the work, to write over any of it.

    The result goes to *output*, or to standard output; charts and methods go to the files *beside* it. Inputs have
    their hashes where the result shows them (*hashed*).
    """
    from unjudged import api
    from unjudged.io.sources import digest

    files = api.files_read(qrels, *runs, pool, intents, *models, groups, order, texts, store)
    outputs = [STANDARD_OUTPUT if output is None else output, *(file for some in beside for file in some or ())]
    check_outputs(outputs, files)
    if not hashed:
        return Provenance(command(), seed, files=files)
    named: list[tuple[str | None, Role]] = [
        (qrels, "qrels"),
        *((one.path or one.name or "run", "run") for one in runs),
        (pool, "pool"),
        (intents, "intents"),
        *((path, "texts") for path in (texts.paths() if texts else ())),
        *((path, "labels") for path in dict.fromkeys(path for model in models for path in model.files())),
        (groups, "groups"),
        (order, "order"),
    ]
    inputs = tuple(Input(path, digest(path), role) for path, role in named if path is not None)
    return Provenance(command(), seed, inputs, files=files)
