"""Laying tables out: aligned text, Markdown, LaTeX, HTML, separated values."""

from __future__ import annotations

import re
import shutil
import textwrap
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from unjudged.reports.cells import Rows, Table
from unjudged.reports.escape import for_markdown, for_spreadsheet
from unjudged.wording import visible

__all__ = [
    "Table",
    "aligned",
    "delimited",
    "fits",
    "keeps_names",
    "markdown",
    "page_width",
    "render_columns",
    "render_tables",
    "screen_width",
    "shorten",
    "shorten_apart",
    "table_width",
    "wrapped",
]

GAP = "  "
_WIDEST = 80
"""Columns that a table may have on any screen."""
_SHORTEST_NAME, _READABLE = 8, 16
"""Characters of names in tables that have no other shape, and in those that have."""

_PLAIN_CELL = r"(?:-?[0-9][0-9.]*|[\w.(][\w.:@()= /+-]*)?"
"""A number or a name that every table can have as it is."""

BOLD, PLAIN = "\x1b[1m", "\x1b[0m"
_TINTS = {"certain": "\x1b[32m", "likely": "\x1b[36m", "undetermined": "\x1b[33m", "recommended": "\x1b[32m"}
"""Cells that have a colour on a terminal."""


# ---- whole results


def render_tables(
    tables: Sequence[Table], words: Sequence[str], form: str, *, title: str = "", colour: bool = False
) -> str:
    """Tables and sentences as ``table``, ``markdown``, ``latex`` or ``html``; *title* is that of a page.

    LaTeX has captions instead of the sentences.
    """
    if form == "html":
        from unjudged.reports import html

        return html.page(title, [html.captioned(html.table(one), one.caption) for one in tables], words)
    if form == "latex":
        from unjudged.reports.latex import PACKAGES, latex

        return f"{PACKAGES}\n" + "\n\n".join(map(latex, tables))
    if form == "markdown":
        parts = [part for one in tables for part in (for_markdown(one.caption), markdown(one))]
        parts += [for_markdown(text) for text in words]
    else:
        parts = [part for one in map(_shortened, tables) for part in (visible(one.title), aligned(one, colour=colour))]
        parts.append("\n".join(map(wrapped, words)))
    return "\n\n".join(filter(None, parts))


def wrapped(text: str) -> str:
    """Lines of text that fit on the page."""
    return "\n".join(textwrap.fill(visible(line), page_width(), break_on_hyphens=False) for line in text.split("\n"))


def render_columns(columns: Mapping[str, Sequence[Any]], form: str) -> str:
    """Columns as ``tsv`` or ``csv``; what is not known is empty."""
    cells = [["" if cell is None else str(cell) for cell in row] for row in zip(*columns.values(), strict=True)]
    return delimited(list(columns), cells, "\t" if form == "tsv" else ",")


# ---- room


def screen_width() -> int:
    """Columns of the terminal; 80 where there is none."""
    return shutil.get_terminal_size((80, 24)).columns


def page_width() -> int:
    """Columns that text may have: those of the terminal, 80 at least."""
    return max(screen_width(), _WIDEST)


def table_width(table: Table) -> int:
    """Columns that :func:`aligned` would need."""
    return sum(_widths(table)) + len(GAP) * (len(table.header) - 1)


def fits(table: Table, *, short_names: bool = False) -> bool:
    """Whether a terminal has room for a table, as it is or with short names."""
    return table_width(_shortened(table) if short_names else table) <= page_width()


def keeps_names(table: Table) -> bool:
    """Whether names can still be told apart, and read, when only their middle is left out as the screen asks for."""
    names = [row[: table.left] for row in table.rows]
    after = (row[: table.left] for row in _shortened(table).rows)
    length = max((len(new) for old, new in zip(chain(*names), chain(*after), strict=True) if old != new), default=None)
    if length is None:
        return True
    plain = {tuple(shorten(cell, length) for cell in row) for row in names}
    return len(plain) == len(set(map(tuple, names))) and length >= _READABLE


def _shortened(table: Table) -> Table:
    """The table with as little of the middle of long names left out as the screen asks for."""
    longest = max((len(cell) for row in table.rows for cell in row[: table.left]), default=0)
    if fits(table) or longest <= _SHORTEST_NAME:
        return table

    names = list(dict.fromkeys(cell for row in table.rows for cell in row[: table.left]))

    def cut(length: int) -> Table:
        short = dict(zip(names, shorten_apart(names, length), strict=True))
        rows = [[*(short[cell] for cell in row[: table.left]), *row[table.left :]] for row in table.rows]
        return replace(table, rows=rows)

    too_long = bisect_left(range(_SHORTEST_NAME + 1, longest), True, key=lambda length: not fits(cut(length)))
    return cut(_SHORTEST_NAME + too_long)


def shorten(name: str, length: int) -> str:
    """A name with its middle left out where it has more than *length* characters."""
    if len(name) <= length:
        return name
    head = (length - 1) // 2
    return f"{name[:head]}~{name[len(name) - (length - 1 - head) :]}"


def shorten_apart(names: Sequence[str], length: int) -> list[str]:
    """Different names as :func:`shorten` has them, and what tells them apart where these would be alike."""
    alike = defaultdict[str, list[str]](list)
    for name in names:
        alike[shorten(name, length)].append(name)
    out = {same[0]: short for short, same in alike.items() if len(same) == 1}
    taken = set(out.values())
    for same in alike.values():
        if len(same) > 1:
            before = _alike(same)
            after = _alike([name[before:][::-1] for name in same])
            for name in same:
                own = shorten(name[before : len(name) - after], length - 2)
                short, number = f"{name[: length - 1 - len(own)]}~{own}", 1
                while short in taken:
                    number += 1
                    short = f"{name[: length - 1 - len(str(number))]}~{number}"
                taken.add(short)
                out[name] = short
    return [out[name] for name in names]


def _alike(names: Sequence[str]) -> int:
    """Letters with which all names begin."""
    columns = enumerate(zip(*names, strict=False))
    return next((i for i, letters in columns if len(set(letters)) > 1), min(map(len, names)))


# ---- single tables


def aligned(table: Table, *, colour: bool = False) -> str:
    """Columns of text: names to the left, numbers to the right."""
    widths = _widths(table)

    def line(cells: Sequence[str], tint: str = "") -> str:
        safe = [visible(cell) for cell in cells]
        placed = [
            cell.ljust(width) if i < table.left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(safe, widths, strict=True))
        ]
        if colour:  # after placing, since it takes no room
            tints = [tint or _TINTS.get(cell, "") for cell in cells]
            placed = [f"{one}{cell}{PLAIN}" if one else cell for one, cell in zip(tints, placed, strict=True)]
        return GAP.join(placed).rstrip()

    return "\n".join([line(table.header, BOLD), GAP.join("-" * width for width in widths), *map(line, table.rows)])


def _widths(table: Table) -> list[int]:
    return [max(len(visible(cell)) for cell in column) for column in zip(table.header, *table.rows, strict=True)]


def markdown(table: Table) -> str:
    """A pipe table."""
    rule = [":--" if i < table.left else "--:" for i in range(len(table.header))]
    header, *rows = ([for_markdown(cell) for cell in line] for line in [table.header, *table.rows])
    lines = [header, rule, *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def delimited(header: Sequence[str], rows: Rows, delimiter: str) -> str:
    """Comma or tab separated values, quoted where needed; nothing in them is a formula or moves a cursor."""
    # As many cells as there are columns: a name with the delimiter in it would be one more.
    plain = re.compile(rf"{_PLAIN_CELL}(?:{delimiter}{_PLAIN_CELL}){{{len(header) - 1}}}", re.ASCII)
    special = re.compile('["\t]' if delimiter == "\t" else '[",;]')  # where the comma is a decimal one, files have ;

    def quoted(text: str) -> str:
        return '"' + text.replace('"', '""') + '"' if special.search(text) else text

    def line(row: Sequence[str]) -> str:
        text = delimiter.join(row)
        if plain.fullmatch(text):  # almost all of them
            return text + "\n"
        return delimiter.join(quoted(for_spreadsheet(cell)) for cell in row) + "\n"

    return "".join(map(line, [header, *rows]))
