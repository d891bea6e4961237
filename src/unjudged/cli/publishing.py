"""What commands write beside their result: charts and, for papers, how it was made."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unjudged.io.writing import check_writable
from unjudged.reports import charts

if TYPE_CHECKING:
    from unjudged.reports.methods import Result

__all__ = [
    "MethodsFile",
    "chart_options",
    "check_charts",
    "check_methods",
    "draw_charts",
    "write_methods",
]

_PANEL = "Charts and papers"

_Plot = Annotated[
    list[Path] | None,
    typer.Option(
        "--plot",
        metavar="FILE",
        help="Also draw a chart: FILE ends in .png, .svg, .pdf, .html or .json; repeat for more.",
        rich_help_panel=_PANEL,
    ),
]

MethodsFile = Annotated[
    list[Path] | None,
    typer.Option(
        "--methods",
        metavar="FILE",
        help="Also write how the result was made, with citations: FILE ends in .tex (a paragraph), .bib (BibTeX), .md"
        " or .txt (both); repeat for more.",
        rich_help_panel=_PANEL,
    ),
]


def chart_options(command: str) -> dict[str, Any]:
    """``--plot`` for a command that has charts, and ``--chart`` where there is something to choose."""
    names = charts.chart_names(command)
    which = typer.Option(
        "--chart", metavar="NAME", help=f"Which chart: {', '.join(names)}.", rich_help_panel=_PANEL, show_default=False
    )
    if not names:
        return {}
    return {"plot": _Plot, **({"chart": Annotated[str | None, which]} if len(names) > 1 else {})}


def check_methods(files: list[Path] | None) -> None:
    """Refuse what cannot be written before any work starts."""
    if files:
        from unjudged.reports.methods import check_file

        for file in files:
            check_file(file)
            check_writable(file)


def write_methods(result: Result, files: list[Path] | None) -> None:
    """Write how a result was made into files."""
    if files:
        from unjudged.reports.methods import methods

        for file in files:
            methods(result).save(file)


def check_charts(command: str, files: list[Path] | None, name: str | None) -> None:
    """Refuse what cannot be drawn before any work starts."""
    from unjudged.errors import InputError

    if not files:
        if name is not None:
            raise InputError("--chart needs --plot FILE")
        return
    from unjudged.reports.charts.writing import check_file

    if name is not None:
        charts.choose(command, name)
    for file in files:
        check_file(file)
        check_writable(file)


def draw_charts(command: str, result: Any, files: list[Path] | None, name: str | None) -> None:
    """Draw a chart of a result into files."""
    if not files:
        return
    chart = charts.choose(command, name or charts.default_name(command, result))(result)
    for file in files:
        chart.save(file)
