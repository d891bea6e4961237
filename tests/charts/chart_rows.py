"""Columns of a chart, row by row."""

from __future__ import annotations

import unjudged as uj


def rows(chart: uj.Chart, **wanted: object) -> list[dict[str, object]]:
    """The rows of a chart in which columns have the wanted cells."""
    every = [dict(zip(chart.columns, cells, strict=True)) for cells in zip(*chart.columns.values(), strict=True)]
    return [row for row in every if all(row[name] == cell for name, cell in wanted.items())]
