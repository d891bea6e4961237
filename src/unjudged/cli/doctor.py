"""unjudged doctor"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from unjudged.cli import command_io
from unjudged.cli.study_command import Answer, Collection, study_command

__all__ = ["doctor"]

PLACE = 10


class Format(StrEnum):
    """How a diagnosis is written."""

    table = "table"
    tsv = "tsv"
    csv = "csv"
    json = "json"
    markdown = "markdown"


@study_command()
def doctor(
    collection: Collection,
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
) -> Answer:
    """Check judgments and runs before you score them, and say what is wrong, where, and what to do.

    Goes on after problems, so one call shows all of them. Exits with 0 unless --strict is given.

    Example: unjudged doctor qrels.txt runs/ --strict
    """
    from unjudged.reports.doctor import render_diagnosis
    from unjudged.reports.layout import screen_width

    result = collection.doctor(cutoffs=cutoff or ())

    def render(file: Path | None) -> str:
        width = min(max(screen_width(), 60), 100) if file is None else 80
        return render_diagnosis(result, format.value, all_runs=all_runs, colour=command_io.in_colour(file), width=width)

    wrong = result.count("error") or result.count("warning")
    return Answer(result, render, result.warnings, failed=strict and wrong > 0)
