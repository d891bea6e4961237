"""Tables of a comparison on each segment of the topics."""

from __future__ import annotations

from unjudged.reports.cells import Table, decimal, percent, probability, signed, span
from unjudged.reports.layout import fits
from unjudged.results.comparison import SIGNIFICANT, Comparison, SegmentPairRow
from unjudged.wording import counted

__all__ = ["pairs_shown", "segment_tables"]

_MOST_ROWS = 40
"""Rows of pairs on segments that tables for readers have."""


def segment_tables(comparison: Comparison, *, marked: bool) -> list[Table]:
    """Means of runs on each segment, and differences; *marked*: with a star where they are significant."""
    return [_runs(comparison), _pairs(comparison, marked=marked)]


def _runs(comparison: Comparison) -> Table:
    """Segments as rows and runs as columns where these fit, else a row for each of both."""
    rows = comparison.segments()
    segments = {row.segment: row.topics for row in rows}
    runs = [row.run for row in comparison.rows()]
    means = {(row.segment, row.run): decimal(row.mean) for row in rows}
    title = f"{comparison.measure} by segment"
    largest = sorted(segments, key=lambda one: -segments[one])[:_MOST_ROWS]
    body = [
        [one, f"{topics:,}", *(means[one, run] for run in runs)] for one, topics in segments.items() if one in largest
    ]
    which = _which(len(body), len(segments))
    caption = f"{title}{which}. Means with unjudged documents as not relevant."
    wide = Table(
        ["segment", "topics", *runs],
        body,
        *(1, caption),
        title=title + which,
        whole=".to_frame(table='segments')",
        left_out=len(segments) - len(body),
    )
    if len(runs) <= 6 and fits(wide):
        return wide
    shown = sorted(segments, key=lambda one: -segments[one])[: max(1, _MOST_ROWS // len(runs))]
    some = [row for row in rows if row.segment in shown]
    body = [
        [row.segment, row.run, f"{row.topics:,}", decimal(row.mean), span(row.low, row.high), percent(row.judged)]
        for row in some
    ]
    header = ["segment", "run", "topics", comparison.measure, "95% interval", "judged"]
    title += _which(len(shown), len(segments))
    whole = ".to_frame(table='segments')"
    return Table(header, body, 2, f"{title}.", title=title, whole=whole, left_out=len(rows) - len(some))


def _which(shown: int, there: int) -> str:
    return "" if shown == there else f": the largest {shown:,} of {there:,}; -f json has all"


def pairs_shown(comparison: Comparison) -> list[SegmentPairRow]:
    """What tables for readers have: of many pairs that of the first two runs, of many segments the largest."""
    rows = list(comparison.segment_pairs())
    if len(rows) > _MOST_ROWS:
        first = comparison.pairs()[0]
        rows = [row for row in rows if (row.run, row.other) == (first.run, first.other)]
        rows = sorted(sorted(rows, key=lambda row: -row.topics)[:_MOST_ROWS], key=rows.index)
    order = {(row.run, row.other): i for i, row in enumerate(comparison.pairs())}
    return sorted(rows, key=lambda row: order[row.run, row.other])


def _pairs(comparison: Comparison, *, marked: bool) -> Table:
    """With the interval where there is room for it, else without."""
    full = _pair_table(comparison, interval=True, marked=marked)
    return full if marked or fits(full) else _pair_table(comparison, interval=False, marked=False)


def _pair_table(comparison: Comparison, *, interval: bool, marked: bool) -> Table:
    shown = pairs_shown(comparison)
    with_holes = any(row.corrected_p_holes is not None for row in shown)
    verdicts = any(row.verdict for row in shown)
    firsts, seconds = {row.run for row in shown}, {row.other for row in shown}
    columns = [("A", "run"), ("B", "other")]
    if len(seconds) == 1:  # what is the same in all rows is said once
        columns = columns[:1] if len(firsts) > 1 else []
    body = [
        [
            *(getattr(row, name) for _, name in columns),
            row.segment,
            f"{row.topics:,}",
            signed(row.difference) + ("*" if marked and row.corrected_p < SIGNIFICANT else ""),
            *([span(row.low, row.high, with_sign=True)] if interval else []),
            probability(row.corrected_p),
            *([] if row.corrected_p_holes is None else [probability(row.corrected_p_holes)]),
            *([decimal(row.p_greater, 2), row.verdict or ""] if verdicts else []),
        ]
        for row in shown
    ]
    header = [*(head for head, _ in columns), "segment", "topics", "A - B", *(["95% interval"] if interval else [])]
    header += ["p", *(["p, holes"] if with_holes else []), *(["P(A>B)", "verdict"] if verdicts else [])]
    rows, there = comparison.segment_pairs(), len(shown)
    what = "Differences"
    if len(seconds) == 1:
        what = f"{next(iter(firsts))} less" if len(firsts) == 1 else "Differences from"
        what += f" {next(iter(seconds))}"
    title = f"{what} by segment, p for {counted(len(rows), 'comparison')}"
    if there < len(rows):
        title += f"; {there:,} are shown, -f json has all"
    caption = (
        f"{title}. P-values ({comparison.test}) are corrected for all pairs on all segments"
        f" ({_correction(comparison)}); P(A>B) and the verdict are about the holes on the topics of the segment."
    )
    whole = ".to_frame(table='segment_pairs')"
    return Table(header, body, len(columns) + 1, caption, title=title, whole=whole, left_out=len(rows) - there)


def _correction(comparison: Comparison) -> str:
    return comparison.correction if comparison.correction != "none" else f"{comparison.test}, Bonferroni for segments"
