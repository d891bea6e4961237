"""What commands that ask a question have in common: the collection's options, and what becomes of the answer.

What is written beside the result is checked before any work starts, so that a study of an hour does not end with an
unknown file format.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from unjudged.cli import EXIT_CHECK_FAILED, command_io, options, publishing
from unjudged.cli.streams import output_is_closed
from unjudged.errors import Notice
from unjudged.io.writing import STANDARD_OUTPUT, Output

if TYPE_CHECKING:
    from unjudged.api import Collection
else:
    Collection = Any  # annotations are evaluated for typer, and `--help` must not wait for the library

__all__ = ["Answer", "Collection", "make_collection", "study_command"]


class Answer(NamedTuple):
    """What a command found out, and how it is shown."""

    result: Any
    render: Callable[[Path | None], str]
    """The text for the screen (None) or for a file."""
    warnings: Sequence[Notice] = ()
    failed: bool = False
    """Whether a check failed that the user asked for."""


def make_collection(
    qrels: options.Qrels,
    runs: options.Runs,
    groups: options.Groups = None,
    pool: options.Pool = None,
    pool_depth: options.PoolDepth = None,
    intents: options.Intents = None,
    only_topics: options.OnlyTopics = None,
    scores: options.Scores = options.ScoreType.float64,
    duplicates: options.TwiceRanked = options.Duplicates.error,
    qrels_format: options.QrelsKind = options.QrelsFormat.auto,
    negative: options.Negative = options.NegativeGrades.auto,
    texts: options.Texts = None,
    text_format: options.TextKind = options.TextFormat.auto,
    stem: options.Stem = None,
    stop_words: options.StopWords = None,
    term_counts: options.TermCounts = None,
    text_cache: options.TextCache = None,
    jobs: options.Jobs = None,
    seed: options.Seed = 42,
    quiet: options.Quiet = False,
    *,
    hashes: bool,
    outputs: Sequence[Output],
) -> Collection:
    """The collection that options name. Every command that asks a question has these, in this order."""
    from unjudged import api
    from unjudged.reports.bars import progress_bar

    return api.Collection(
        qrels,
        runs,
        groups=groups,
        pool=pool,
        pool_depth=pool_depth,
        intents=intents,
        only_topics=only_topics,
        texts=command_io.text_source(texts, text_format, stem, stop_words, term_counts, text_cache),
        scores=scores.value,
        duplicates=duplicates.value,
        format=qrels_format.value,
        negative=negative.value,
        seed=seed,
        jobs=jobs,
        progress=None if quiet else progress_bar,
        command=command_io.command(),
        hashes=hashes,
        outputs=outputs,
    )


def study_command(
    *, methods: bool = False, output: bool = True
) -> Callable[[Callable[..., Answer]], Callable[..., None]]:
    """Make a command of a function that asks a collection a question, with the options of both.

    The function gets the collection and its own options. *methods*: whether the answer can say how it was made;
    *output*: whether it can go to a file. There is ``--plot`` where the result has charts.
    """

    def decorate(ask: Callable[..., Answer]) -> Callable[..., None]:
        own = list(inspect.signature(ask, eval_str=True).parameters.values())[1:]
        taken = inspect.signature(make_collection, eval_str=True).parameters.values()
        shared = [one for one in taken if one.kind is not one.KEYWORD_ONLY]  # the rest is not the user's to say
        name = ask.__name__
        beside = _outputs(name, methods, output)

        def command(**given: Any) -> None:
            from unjudged.errors import unsaid

            def some(parameters: Sequence[inspect.Parameter]) -> dict[str, Any]:
                return {one.name: given[one.name] for one in parameters}

            file, plot, chart = given.get("output"), given.get("plot"), given.get("chart")
            publishing.check_charts(name, plot, chart)
            publishing.check_methods(given.get("methods"))
            # The page is what a report was asked for: whoever closes standard output does not want its sentences.
            screen = [] if file is not None and (output or output_is_closed()) else [STANDARD_OUTPUT]
            outputs = [*([] if file is None else [file]), *screen, *(plot or ()), *(given.get("methods") or ())]
            collection = make_collection(**some(shared), hashes=given.get("format") == "json", outputs=outputs)
            with unsaid():  # warnings are said below, with their codes
                answer = ask(collection, **some(own))
            command_io.say(answer.warnings, quiet=given["quiet"])
            if screen or output:
                command_io.emit(answer.render(file if output else None), file if output else None)
            publishing.draw_charts(name, answer.result, plot, chart)
            publishing.write_methods(answer.result, given.get("methods"))
            if answer.failed:
                raise typer.Exit(EXIT_CHECK_FAILED)

        parameters = [*shared[:2], *own, *beside, *shared[2:]]
        # Typer reads these; what is only keyword may have a default before what has none.
        command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in parameters]
        )
        command.__annotations__ = {one.name: one.annotation for one in parameters}
        command.__name__, command.__doc__, command.__module__ = name, ask.__doc__, ask.__module__
        return command

    return decorate


def _outputs(command: str, methods: bool, output: bool) -> list[inspect.Parameter]:
    """Where an answer can go, beside the screen."""
    wanted = {
        "output": options.Output if output else None,
        **publishing.chart_options(command),
        "methods": publishing.MethodsFile if methods else None,
    }
    keyword = inspect.Parameter.KEYWORD_ONLY
    return [
        inspect.Parameter(name, keyword, default=None, annotation=annotation)
        for name, annotation in wanted.items()
        if annotation is not None
    ]
