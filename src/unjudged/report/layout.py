"""Laying out a table of text cells: aligned text, Markdown, LaTeX, separated values."""

from __future__ import annotations

import csv
import io
import shutil
import textwrap
from collections.abc import Sequence

from unjudged.report.escape import for_latex, for_markdown, for_terminal

__all__ = [
    "WIDEST",
    "Rows",
    "aligned",
    "delimited",
    "latex",
    "markdown",
    "plain",
    "screen_width",
    "shortened",
    "table_width",
    "wrapped",
]

Rows = Sequence[Sequence[str]]

GAP = "  "
WIDEST = 80
"""Columns that a table may have on any screen."""
_SHORTEST_NAME = 8


def screen_width() -> int:
    """Columns of the terminal; 80 where there is none."""
    return shutil.get_terminal_size((80, 24)).columns


def table_width(header: Sequence[str], rows: Rows) -> int:
    """Columns that :func:`aligned` would need."""
    return sum(_widths(header, rows)) + len(GAP) * (len(header) - 1)


def aligned(header: Sequence[str], rows: Rows, *, left: int = 1) -> str:
    """Columns of text: the first *left* to the left, the others (numbers) to the right."""
    widths = _widths(header, rows)

    def line(cells: Sequence[str]) -> str:
        parts = [
            for_terminal(cell).ljust(width) if i < left else for_terminal(cell).rjust(width)
            for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return GAP.join(parts).rstrip()

    return "\n".join([line(header), GAP.join("-" * width for width in widths), *map(line, rows)])


def _widths(header: Sequence[str], rows: Rows) -> list[int]:
    return [max(len(for_terminal(cell)) for cell in column) for column in zip(header, *rows, strict=True)]


def shortened(header: Sequence[str], rows: Rows, left: int) -> list[list[str]]:
    """The rows with names, the first *left* cells, shortened in the middle where the table is wider than the screen."""
    out = [list(row) for row in rows]
    widest = max(screen_width(), WIDEST)
    longest = max((len(cell) for row in rows for cell in row[:left]), default=0)
    while table_width(header, out) > widest and longest > _SHORTEST_NAME:
        longest -= 1
        out = [[*(_short(cell, longest) for cell in row[:left]), *row[left:]] for row in rows]
    return out


def _short(name: str, length: int) -> str:
    if len(name) <= length:
        return name
    head = (length - 1) // 2
    return f"{name[:head]}~{name[len(name) - (length - 1 - head) :]}"


def wrapped(words: str) -> str:
    """A paragraph that is no wider than a table may be."""
    return textwrap.fill(for_terminal(words), max(screen_width(), WIDEST))


def plain(words: str, form: str) -> str:
    """Words beside a table, escaped as its cells are."""
    return {"latex": for_latex, "markdown": for_markdown}.get(form, for_terminal)(words)


def markdown(header: Sequence[str], rows: Rows, *, left: int = 1) -> str:
    """A pipe table."""
    rule = [":--" if i < left else "--:" for i in range(len(header))]
    lines = [[for_markdown(cell) for cell in header], rule, *([for_markdown(cell) for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def latex(header: Sequence[str], rows: Rows, *, left: int = 1) -> str:
    """A booktabs table."""
    shape = "l" * left + "r" * (len(header) - left)
    lines = [
        "% needs \\usepackage{booktabs}",
        f"\\begin{{tabular}}{{{shape}}}",
        "\\toprule",
        " & ".join(for_latex(cell) for cell in header) + " \\\\",
        "\\midrule",
        *(" & ".join(for_latex(cell) for cell in row) + " \\\\" for row in rows),
        "\\bottomrule",
        "\\end{tabular}",
    ]
    return "\n".join(lines)


def delimited(header: Sequence[str], rows: Rows, delimiter: str) -> str:
    """Comma or tab separated values, quoted where needed."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()
