"""Holes one by one, as tables."""

from __future__ import annotations

from collections.abc import Sequence

from unjudged.reports.layout import Table
from unjudged.results.explained import HoleRow

__all__ = ["explained_holes"]

_WORDS = (
    "groups: other groups that return the document; best: at which rank the best of them has it; run, pool: mean grade"
    " of the run's documents that others brought too, and of the topic's judged documents; P(1+): chance of at least"
    " that grade; score: share of the score that is lost with grade 0."
)


def explained_holes(rows: Sequence[HoleRow]) -> tuple[list[Table], list[str]]:
    """A table for each run, topic and measure, and what the columns are."""
    tables = []
    for run, topic, measure in dict.fromkeys((row.run, row.topic, row.measure) for row in rows):
        mine = [row for row in rows if (row.run, row.topic, row.measure) == (run, topic, measure)]
        title = f"Holes of {run} on topic {topic}, {measure}"
        tables.append(Table(*_cells(mine), title=title, caption=f"{title}. {_WORDS}", whole=".explained"))
    return tables, [_WORDS] if tables else []


def _cells(rows: Sequence[HoleRow]) -> tuple[list[str], list[list[str]]]:
    grades = rows[0].grades
    header = ["doc", "rank", "groups", "best", "run", "pool", *(f"P({grade}+)" for grade in grades[1:]), "score"]
    body = [
        [
            row.doc,
            str(row.rank),
            *("-" if number is None else str(number) for number in (row.groups, row.best_rank)),
            *("-" if number is None else f"{number:.2f}" for number in (row.run_mean, row.pool_mean)),
            *(f"{sum(row.chances[level:]):.3f}" for level in range(1, len(grades))),
            "-" if row.share is None else f"{row.share:.1%}",
        ]
        for row in rows
    ]
    return header, body
