"""Tables for papers: booktabs rules, columns of numbers that siunitx aligns, and a caption."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from unjudged.reports.cells import Table
from unjudged.reports.escape import for_latex

__all__ = ["PACKAGES", "latex"]

PACKAGES = "% needs \\usepackage{booktabs,siunitx}"

_NUMBER = re.compile(r"([+-]?)(\d[\d,]*)(?:\.(\d+))?(%?)([*●◐⊖○]*)")
_RANGE = re.compile(r"([+-]?\d+(?:\.\d+)?)([ -])([+-]?\d+(?:\.\d+)?)")


class _Column(NamedTuple):
    """How a column is declared, its header and its cells, all in LaTeX."""

    declared: str
    header: str
    cells: list[str]


def latex(table: Table) -> str:
    """A table with a caption; without one, only what is inside of it.

    Marks that follow a number (stars and circles) are set as superscripts and take no part in the alignment.
    """
    columns = [
        _Column("l", for_latex(name), [for_latex(cell) for cell in cells]) if i < table.left else _numbers(name, cells)
        for i, (name, *cells) in enumerate(zip(table.header, *table.rows, strict=True))
    ]
    inside = [
        f"\\begin{{tabular}}{{{''.join(column.declared for column in columns)}}}",
        "\\toprule",
        " & ".join(column.header for column in columns) + " \\\\",
        "\\midrule",
        *(" & ".join(cells) + " \\\\" for cells in zip(*(column.cells for column in columns), strict=True)),
        "\\bottomrule",
        "\\end{tabular}",
    ]
    if table.caption:
        inside = ["\\begin{table}", "\\centering", f"\\caption{{{for_latex(table.caption)}}}", *inside, "\\end{table}"]
    return "\n".join(inside)


def _plain(cell: str) -> str:
    """A cell that siunitx does not see. Of two numbers, a dash between them would look like the minus of the second."""
    ends = _RANGE.fullmatch(cell)
    if not ends:
        return for_latex(cell)
    return f"${ends[1]}$--${ends[3]}$" if ends[2] == "-" else f"$[{ends[1]}, {ends[3]}]$"


def _numbers(name: str, cells: Sequence[str]) -> _Column:
    """A column for siunitx if it has numbers of one kind, else of text."""
    matches = [_NUMBER.fullmatch(cell) for cell in cells]
    numbers = [one for one in matches if one]
    others = [cell for cell, one in zip(cells, matches, strict=True) if not one]
    units = {one[4] for one in numbers}
    if len(units) != 1 or any(cell not in {"", "-"} and not cell.startswith("<") for cell in others):
        return _Column("r", for_latex(name), [_plain(cell) for cell in cells])
    sign = "+" if any(one[1] for one in numbers) else ""
    whole = max(len(one[2].replace(",", "")) for one in numbers)
    places = max(len(one[3] or "") for one in numbers)
    options = [*(["retain-explicit-plus"] if sign else []), f"table-format={sign}{whole}.{places}"]
    marks = max((one[5] for one in numbers), key=len)
    if marks:
        options.append(f"table-space-text-post={{{_superscript(marks)}}}")
    unit = " (%)" if units == {"%"} else ""
    return _Column(
        f"S[{','.join(options)}]",
        f"{{{for_latex(name + unit)}}}",
        [
            _number(one) if one else f"{{{'--' if cell == '-' else for_latex(cell)}}}"
            for cell, one in zip(cells, matches, strict=True)
        ],
    )


def _number(one: re.Match[str]) -> str:
    fraction = f".{one[3]}" if one[3] else ""
    return f"{one[1]}{one[2].replace(',', '')}{fraction}" + (f"{{{_superscript(one[5])}}}" if one[5] else "")


def _superscript(marks: str) -> str:
    return f"\\textsuperscript{{{for_latex(marks)}}}"
