"""One table of a result with all its rows and columns, also where the screen has no room for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_type_hints

from unjudged.reports.cells import UNKNOWN, Table, decimal, probability
from unjudged.reports.layout import fits, render_columns, render_tables
from unjudged.results.tabular import Tabular

__all__ = ["SEPARATED", "render_one_table"]

SEPARATED = frozenset({"tsv", "csv"})
"""Forms that have one table only."""


def render_one_table(
    result: Tabular,
    name: str | None,
    form: str,
    *,
    title: str,
    words: Sequence[str] = (),
    why_empty: str = "",
    colour: bool = False,
) -> str:
    """One of the result's tables with all its rows, the main one unless another is named; for readers *words* below it.

    On a screen without room for all columns, names and numbers of things that are the same in every row are said once
    below it, and the others are divided over as many tables as it takes. *why_empty*: why there may be no rows.
    """
    name = name or result.main_table
    if form in SEPARATED:
        return render_columns(result.to_dict(name), form)
    tables, about = _whole_table(result, name, form, why_empty)
    return render_tables(tables, [*about, *words], form, title=title, colour=colour)


def _whole_table(result: Tabular, name: str, form: str, why_empty: str) -> tuple[list[Table], list[str]]:
    columns = result.to_dict(name)
    words = dict(zip(columns, get_type_hints(result.row_types[name]).values(), strict=True))
    table = _table_of(columns, words)
    if not table.rows:
        return [table], [f"Nothing to show{': ' * bool(why_empty)}{why_empty}."]
    if form != "table" or fits(table):
        return [table], []
    alike = {key: values[0] for key, values in columns.items() if len(values) > 1 and len(set(values)) == 1}
    same = {key: value for key, value in alike.items() if not isinstance(value, float)}
    shown = [f"{key.replace('_', ' ')} {_cell(value)}" for key, value in same.items() if value is not None]
    table = _table_of({key: values for key, values in columns.items() if key not in same}, words)
    return _in_pieces(table), [f"In all rows: {', '.join(shown)}."] if shown else []


def _in_pieces(table: Table) -> list[Table]:
    """As many tables with the same names as it takes for all columns to have room."""
    pieces: list[Table] = []
    start = table.left
    while start < len(table.header):
        end = start + 1
        while end < len(table.header) and fits(_columns(table, start, end + 1), short_names=True):
            end += 1
        pieces.append(_columns(table, start, end))
        start = end
    return pieces or [table]


def _columns(table: Table, start: int, end: int) -> Table:
    """The names, and some of the numbers."""
    rows = [[*row[: table.left], *row[start:end]] for row in table.rows]
    return Table([*table.header[: table.left], *table.header[start:end]], rows, table.left)


def _table_of(columns: dict[str, list[Any]], types: dict[str, Any]) -> Table:
    """Names come first in all tables."""
    left = next((i for i, key in enumerate(columns) if types[key] not in (str, str | None)), len(columns))
    rows = [list(row) for row in zip(*(_cells(key, values) for key, values in columns.items()), strict=True)]
    return Table([one.replace("_", " ") for one in columns], rows, left)


def _cells(key: str, values: list[Any]) -> list[str]:
    """A column as text: numbers with decimals, unless all are whole or halves, such as ranks."""
    if key in ("p", "corrected_p"):
        return [probability(value) for value in values]
    numbers = [value for value in values if isinstance(value, float)]
    places = 0 if all(2 * number == round(2 * number) for number in numbers) else 3
    return [_cell(value, places) for value in values]


def _cell(value: Any, places: int = 3) -> str:
    if value is None:
        return UNKNOWN
    if isinstance(value, bool | str):
        return str(value)
    return f"{value:,}" if isinstance(value, int) else decimal(value, places) if places else f"{value:,g}"
