"""What commands that ask a question have in common: the collection's options, and what becomes of the answer.

What is written beside the result, charts and for papers how it was made, is checked before any work starts, so that a
study of an hour does not end with an unknown file format.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from unjudged.cli import EXIT_ANSWERED, EXIT_CHECK_FAILED, EXIT_UNDECIDED, streams
from unjudged.cli.declared import Ended, argument
from unjudged.cli.options import Collection, make_collection, option, writable
from unjudged.errors import InputError, unsaid
from unjudged.io.writing import STANDARD_OUTPUT, check_writable
from unjudged.reports import charts

__all__ = ["Answer", "Collection", "chart_option", "check_beside", "plot_option", "study_command", "write_beside"]


class Answer(NamedTuple):
    """What a command found out, and how it is shown."""

    result: Any
    render: Callable[[Path | None], str]
    """The text for the screen (None) or for a file."""
    failed: bool = False
    """Whether a check failed that the user asked for."""
    answered: bool = False
    """Whether a question is answered that the user asks until it is."""
    undecided: bool = False
    """Whether more judgments are needed to say."""
    beside: str = ""
    """What is said on the screen when the answer goes to a file."""


def study_command(
    *,
    methods: bool = False,
    output: bool = True,
    labels: bool = False,
    needs_runs: bool = True,
    first: Callable[[Mapping[str, Any]], None] | None = None,
) -> Callable[[Callable[..., Answer]], Callable[..., None]]:
    """Make a command of a function that asks a collection a question, with the options of both.

    The function gets the collection and its own options. *methods*: whether the answer can say how it was made;
    *output*: whether it can go to a file. There is ``--plot`` where the result has charts. *labels*: beside runs, which
    there may then be none of, there are files of labels, which the function gets after the collection. *needs_runs*:
    whether there must be some. *first* is called with all parameters before the library is imported.
    """

    def decorate(ask: Callable[..., Answer]) -> Callable[..., None]:
        own = list(inspect.signature(ask, eval_str=True).parameters.values())[2 if labels else 1 :]
        taken = inspect.signature(make_collection, eval_str=True).parameters.values()
        shared = [one for one in taken if one.kind is not one.KEYWORD_ONLY]  # the rest is not the user's to say
        typed = [shared[0], _FILES if labels else shared[1] if needs_runs else _optional(shared[1])]
        name = ask.__name__

        def command(**given: Any) -> None:
            def some(parameters: Sequence[inspect.Parameter]) -> dict[str, Any]:
                return {one.name: given[one.name] for one in parameters}

            if first is not None:
                first(given)
            file, chart = given.get("output"), given.get("chart")
            plots, papers = given.get("plot") or [], given.get("methods") or []
            check_beside(name, plots, chart, papers)
            # The page is what a report was asked for: whoever closes standard output does not want its sentences.
            screen = [] if file is not None and (output or streams.output_is_closed()) else [STANDARD_OUTPUT]
            outputs = [*([] if file is None else [file]), *screen, *plots, *papers]
            beside: tuple[list[str], ...] = ()
            if labels:
                beside, given["runs"] = _labels_and_runs(given)
            collection = make_collection(**some(shared), hashes=given.get("format") == "json", outputs=outputs)
            with unsaid():  # warnings are said below, with their codes
                answer = ask(collection, *beside, **some(own))
            streams.say(getattr(answer.result, "warnings", ()), quiet=given["quiet"])
            if screen or output:
                streams.emit(answer.render(file if output else None), file if output else None)
            if file is not None and answer.beside:
                from unjudged.reports.layout import wrapped

                streams.emit(wrapped(answer.beside), None)
            write_beside(name, answer.result, plots, chart, papers)
            if answer.failed:
                raise Ended(EXIT_CHECK_FAILED)
            if answer.answered:
                raise Ended(EXIT_ANSWERED)
            if answer.undecided:
                raise Ended(EXIT_UNDECIDED)

        parameters = [*typed, *own, *_outputs(name, methods, output), *shared[2:], _HELP_ALL]
        # Typer reads these; what is only keyword may have a default before what has none.
        command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in parameters]
        )
        command.__annotations__ = {one.name: one.annotation for one in parameters}
        command.__name__, command.__doc__, command.__module__ = name, ask.__doc__, ask.__module__
        return command

    return decorate


_FILES = inspect.Parameter(
    "files",
    inspect.Parameter.KEYWORD_ONLY,
    default=argument(
        metavar="LABELS... [RUN...]",
        help="Labels: judgments (4 columns) or JSON lines; then runs (6 columns), if any. Files, '-' for labels,"
        " directories or quoted globs; each file is told by its first line.",
    ),
    annotation=list[str],
)
"""What a command takes that looks at labels, beside runs or without."""


def _optional(taken: inspect.Parameter) -> inspect.Parameter:
    """The same argument, which may be left out."""
    return taken.replace(default=replace(taken.default, default=None))


def _labels_and_runs(given: dict[str, Any]) -> tuple[tuple[list[str], ...], list[str] | None]:
    """Tell files of labels and of runs apart."""
    from unjudged.io.label_files import labels_and_runs

    labels, runs = labels_and_runs(given["files"])
    return (labels,), runs or None


def _print_all(ctx: Any, wanted: bool) -> None:
    from unjudged.cli.help import print_all

    print_all(ctx, wanted)


_HELP_ALL = inspect.Parameter(
    "help_all",
    inspect.Parameter.KEYWORD_ONLY,
    default=option("--help-all", "Explain all options, and exit.", False, callback=_print_all, is_eager=True),
    annotation=bool,
)
_beside = partial(option, rich_help_panel="Charts and papers")


def plot_option() -> Any:
    """``--plot``."""
    return _beside("--plot FILE", "Also draw a chart: FILE ends in .png, .svg, .pdf, .html or .json; repeat for more.")


def chart_option(command: str) -> Any:
    """``--chart``, of a command with several."""
    return _beside("--chart NAME", f"Which chart: {', '.join(charts.chart_names(command))}.", show_default=False)


def _outputs(command: str, methods: bool, output: bool) -> list[inspect.Parameter]:
    """Options for where an answer can go, beside the screen."""
    names = charts.chart_names(command)
    to_file = option("--output -o FILE", "Write to FILE instead of the screen.", callback=writable)
    papers = _beside(
        "--methods FILE",
        "Also write how the result was made, with citations: FILE ends in .tex (a paragraph), .bib (BibTeX), .md or"
        " .txt (both); repeat for more.",
    )
    declared = (
        (output, "output", Path | None, to_file),
        (len(names) > 0, "plot", list[Path] | None, plot_option()),
        (len(names) > 1, "chart", str | None, chart_option(command)),
        (methods, "methods", list[Path] | None, papers),
    )
    keyword = inspect.Parameter.KEYWORD_ONLY
    return [
        inspect.Parameter(name, keyword, default=default, annotation=kind)
        for is_there, name, kind, default in declared
        if is_there
    ]


def check_beside(command: str, plots: Sequence[Path], chart: str | None, papers: Sequence[Path]) -> None:
    """Refuse what cannot be drawn or written before any work starts."""
    if plots:
        from unjudged.reports.charts import writing

        if chart is not None:
            charts.choose(command, chart)
        for file in plots:
            writing.check_file(file)
            check_writable(file)
    elif chart is not None:
        raise InputError("--chart needs --plot FILE")
    if papers:
        from unjudged.reports import methods

        for file in papers:
            methods.check_file(file)
            check_writable(file)


def write_beside(command: str, result: Any, plots: Sequence[Path], chart: str | None, papers: Sequence[Path]) -> None:
    """Draw charts of a result, and write how it was made."""
    if plots:
        drawn = charts.choose(command, chart or charts.default_name(command, result))(result)
        for file in plots:
            drawn.save(file)
    if papers:
        from unjudged.reports.methods import methods

        for file in papers:
            methods(result).save(file)
