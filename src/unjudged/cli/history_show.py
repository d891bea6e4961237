"""unjudged history show"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from unjudged.cli import options, streams
from unjudged.cli.declared import argument
from unjudged.cli.options import PageFormat, option
from unjudged.cli.study_command import chart_option, check_beside, plot_option, write_beside
from unjudged.errors import InputError
from unjudged.io.writing import STANDARD_OUTPUT, check_outputs

__all__ = ["NAME", "history_show"]

PLACE = 34
NAME = "history show"

Table = Literal["releases", "changes"]


def history_show(
    history: str = argument("history.jsonl", metavar="[FILE]", help="The history."),
    output: Path | None = option("--output -o FILE", "Write to FILE instead of the screen.", callback=options.writable),
    format: PageFormat = options.FORMAT,  # noqa: A002
    table: Table = options.separated_table("releases"),
    plot: list[Path] | None = plot_option(),
    chart: str | None = chart_option("history"),
) -> None:
    """Show the releases of a history: their scores, and what changed them, the ranker or the judgments.

    Examples:
        unjudged history show
        unjudged history show history.jsonl -f html -o history.html
        unjudged history show history.jsonl --plot history.svg
    """
    from unjudged import history as read
    from unjudged.reports.history import render_history

    if table != "releases" and format not in {"tsv", "csv"}:
        raise InputError(f"--table {table} goes with --format tsv or csv")
    check_beside("history", plot or [], chart, [])
    result = read(history)
    check_outputs([STANDARD_OUTPUT if output is None else output, *(plot or [])], result.provenance.files)
    streams.emit(render_history(result, format, table=table, colour=streams.in_colour(output)), output)
    write_beside("history", result, plot or [], chart, [])
