"""What commands write beside their result: charts and, for papers, how it was made."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

__all__ = ["Plot", "chart_option", "check_charts", "draw_charts"]

_PANEL = "Charts and papers"

Plot = Annotated[
    list[Path] | None,
    typer.Option(
        "--plot",
        metavar="FILE",
        help="Also draw a chart: FILE ends in .png, .svg, .pdf, .html or .json; repeat for more.",
        rich_help_panel=_PANEL,
    ),
]


def chart_option(*names: str) -> Any:
    """``--chart``, for a command with these charts."""
    return typer.Option(
        "--chart", metavar="NAME", help=f"Which chart: {', '.join(names)}.", rich_help_panel=_PANEL, show_default=False
    )


def check_charts(command: str, files: list[Path] | None, name: str | None) -> None:
    """Refuse what cannot be drawn before any work starts."""
    from unjudged.errors import InputError

    if not files:
        if name is not None:
            raise InputError("--chart needs --plot FILE")
        return
    from unjudged.report import charts

    if name is not None:
        charts.choose(command, name)
    for file in files:
        charts.check_file(file)


def draw_charts(command: str, result: Any, files: list[Path] | None, name: str | None) -> None:
    """Draw a chart of a result into files."""
    if not files:
        return
    from unjudged.report import charts

    chart = charts.choose(command, name or charts.default_name(command, result))(result)
    for file in files:
        chart.save(file)
