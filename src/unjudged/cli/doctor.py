"""unjudged doctor"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from unjudged.cli import EXIT_CHECK_FAILED, options, publishing, running

__all__ = ["doctor"]


class Format(StrEnum):
    """How a diagnosis is written."""

    table = "table"
    tsv = "tsv"
    csv = "csv"
    json = "json"
    markdown = "markdown"


def doctor(
    qrels: options.Qrels,
    runs: options.Runs,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 when there is an error or a warning.")] = False,
    cutoff: Annotated[
        list[int] | None,
        typer.Option(
            "--cutoff", min=1, metavar="K", help="Also look for ties at rank K, beside 10 and 100; repeat for more."
        ),
    ] = None,
    all_runs: Annotated[
        bool, typer.Option("--all-runs", help="Show the share judged of all runs, not only of the 10 lowest.")
    ] = False,
    format: Annotated[  # noqa: A002
        Format, typer.Option("--format", "-f", help="How to write the result; tsv and csv have the findings only.")
    ] = Format.table,
    output: options.Output = None,
    plot: publishing.Plot = None,
    qrels_format: options.QrelsKind = options.QrelsFormat.auto,
    negative: options.Negative = options.NegativeGrades.pooled,
    jobs: options.Jobs = None,
    quiet: options.Quiet = False,
) -> None:
    """Check judgments and runs before you score them, and say what is wrong, where, and what to do.

    Goes on after problems, so one call shows all of them. Exits with 0 unless --strict is given.

    Example: unjudged doctor qrels.txt runs/ --strict
    """
    from unjudged import api
    from unjudged.io.reading import expand_runs
    from unjudged.reports.doctor import render_diagnosis
    from unjudged.reports.layout import screen_width

    publishing.check_charts("doctor", plot, None)
    sources = expand_runs(runs)
    origin = running.origin(qrels, sources, output=output, beside=(plot,), hashed=format is Format.json)
    result = api.doctor(
        qrels,
        sources,
        cutoffs=cutoff or (),
        format=qrels_format.value,
        negative=negative.value,
        jobs=jobs,
        progress=None if quiet else running.progress("examining runs"),
        provenance=origin,
    )
    width = min(max(screen_width(), 60), 100) if output is None else 80
    text = render_diagnosis(result, format.value, all_runs=all_runs, colour=running.in_colour(output), width=width)
    running.emit(text, output)
    publishing.draw_charts("doctor", result, plot, None)
    if strict and (result.count("error") or result.count("warning")):
        raise typer.Exit(EXIT_CHECK_FAILED)
