"""What became of scores when judgments were added later, as tables."""

from __future__ import annotations

from typing import Any

from unjudged.reports.cells import decimal, percent
from unjudged.reports.layout import Table
from unjudged.results.reuse import Reuse
from unjudged.results.reuse_rows import BandRow

__all__ = ["bands_tables", "grades_tables"]


def bands_tables(result: Reuse) -> list[Table]:
    """What methods say of each run, by the share of its topics' documents that was unjudged."""
    rows: list[list[str]] = []
    last: BandRow | None = None
    for row in sorted(result.tables.bands, key=_by_band(result)):
        same = last is not None and (row.band, row.run, row.measure, row.truth) == (
            last.band,
            last.run,
            last.measure,
            last.truth,
        )
        numbers = [f"{row.topics}", percent(row.unjudged), decimal(row.true_score, 3)]
        shown = [decimal(value, 3) for value in (row.estimate, row.low, row.high)]
        rows.append([*(["", ""] if same else [row.band, row.run]), row.holes, *([""] * 3 if same else numbers), *shown])
        last = row
    header = ["unjudged", "run", "holes", "topics", "share", "truth", "value", "low", "high"]
    title = f"Scores under earlier judgments, and under {result.truth_qrels}"
    caption = (
        f"Scores under earlier judgments, beside those under {result.truth_qrels}, by the share of a topic's documents"
        " that was unjudged; means over a run's topics, also of the ends of ranges."
    )
    return [Table(header, rows, 3, caption, title, ".to_frame(table='bands')")] if rows else []


def _by_band(result: Reuse) -> Any:
    """Bands, runs, measures and methods in the order that they have in the result."""
    places = [
        {value: place for place, value in enumerate(dict.fromkeys(getattr(row, name) for row in result.tables.bands))}
        for name in ("measure", "truth", "band", "run", "holes")
    ]

    def key(row: BandRow) -> tuple[int, ...]:
        return tuple(
            known[value]
            for known, value in zip(places, (row.measure, row.truth, row.band, row.run, row.holes), strict=True)
        )

    return key


def grades_tables(result: Reuse) -> list[Table]:
    """The grades of judgments that are left and lost, where judgments were really missing."""
    rows = [[f"{row.grade}", percent(row.left), percent(row.lost)] for row in result.tables.grades]
    if result.truth_qrels is None:
        return []
    caption = "Share of the earlier judgments, and of those that were added, that have each grade."
    title = "Grades of the earlier judgments, and of those that were added"
    return [Table(["grade", "earlier", "added"], rows, 1, caption, title, ".to_frame(table='grades')")]
