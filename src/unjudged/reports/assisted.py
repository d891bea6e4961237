"""Estimates from a few human and many machine judgments, as tables."""

from __future__ import annotations

from unjudged.reports.cells import decimal, probability, signed, span
from unjudged.reports.layout import Table
from unjudged.results.assisted import Assisted, AssistedPairRow

__all__ = ["assisted_tables"]

_MOST_PAIRS = 15


def assisted_tables(assisted: Assisted | None) -> tuple[list[Table], list[str]]:
    """The tables, and what they assume."""
    if assisted is None:
        return [], []
    tables = [*_means(assisted), *_differences(assisted)]
    return tables, list(assisted.assumptions)


def _means(assisted: Assisted) -> list[Table]:
    if not assisted.rows:
        return []
    several = len({row.measure for row in assisted.rows}) > 1
    first = assisted.rows[0]
    rows = [
        [
            row.run,
            *([row.measure] if several else []),
            decimal(row.human, 3),
            f"{row.human_low:.3f} {row.human_high:.3f}",
            decimal(row.labels, 3),
            decimal(row.calibrated, 3),
            decimal(row.estimate, 3),
            f"{row.low:.3f} {row.high:.3f}",
        ]
        for row in sorted(assisted.rows, key=lambda row: (-row.estimate, row.run))
    ]
    caption = (
        f"{'Means' if several else first.measure} with the labels of {assisted.judge}: {first.human_topics} of"
        f" {first.label_topics} topics have human judgments. People: from these alone; labels: by labels alone;"
        " calibrated: labels as the grades that they turned out to mean; estimate: prediction-powered. Intervals: 95%."
    )
    lead = ["run", *(["measure"] if several else [])]
    header = [*lead, "people", "interval", "labels", "calibrated", "estimate", "interval"]
    return [Table(header, rows, len(lead), caption, title=f"With the labels of {assisted.judge}")]


def _differences(assisted: Assisted) -> list[Table]:
    if not assisted.pairs:
        return []

    def cells(row: AssistedPairRow) -> list[str]:
        human = [signed(row.human), span(row.human_low, row.human_high, with_sign=True)]
        powered = [signed(row.estimate), span(row.low, row.high, with_sign=True)]
        return [row.run, row.other, *human, *powered, probability(row.corrected_p)]

    shown = sorted(assisted.pairs, key=lambda row: row.corrected_p)[:_MOST_PAIRS]
    caption = (
        f"Differences with the labels of {assisted.judge}. People: from human judgments alone; estimate:"
        " prediction-powered. Intervals: 95%, for each pair by itself."
    )
    header = ["A", "B", "people", "interval", "estimate", "interval", "p"]
    hidden = len(assisted.pairs) - len(shown)
    title = f"With the labels of {assisted.judge}" + (
        f": the {len(shown)} clearest of {len(assisted.pairs):,}" if hidden else ""
    )
    return [Table(header, list(map(cells, shown)), 2, caption, title=title, left_out=hidden)]
