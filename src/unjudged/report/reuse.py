"""Whether a collection can judge new systems, as tables."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

from unjudged.data.reuse import AgreementRow, LeftOutRow, MethodRow, Reuse
from unjudged.report import html, layout

__all__ = ["render_reuse"]

_LAYOUTS: dict[str, Callable[..., str]] = {
    "table": layout.aligned,
    "markdown": layout.markdown,
    "latex": layout.latex,
    "html": html.table,
}
_MOST_LEFT_OUT = 10
"""Left-out runs that tables for readers show: those whose rank changes most under the recommended method."""

Table = tuple[list[str], list[list[str]], int]


def render_reuse(found: Reuse, form: str, *, table: str = "correlations") -> str:
    """A result in one of the formats ``table``, ``markdown``, ``latex``, ``html``, ``json``, ``tsv``, ``csv``.

    The last two have one *table*: ``methods``, ``correlations``, ``coverage``, ``leaveout``, ``curves``, ``targets``.
    """
    if form == "json":
        return found.to_json()
    if form in {"tsv", "csv"}:
        columns = found.to_dict(table)
        cells = [["" if cell is None else str(cell) for cell in row] for row in zip(*columns.values(), strict=True)]
        return layout.delimited(list(columns), cells, "\t" if form == "tsv" else ",")
    tables = [_correlations(found, form), *_coverage(found), *_left_out(found), *_targets(found), _methods(found)]
    if form == "table":
        tables = [(header, layout.shortened(header, rows, left), left) for header, rows, left in tables]
    parts = [_LAYOUTS[form](header, rows, left=left) for header, rows, left in tables]
    words = [found.verdict, found.rule]
    if form == "html":
        return html.page("Can this collection judge new systems?", parts, words)
    if form == "latex":
        return "\n\n".join(parts)
    if form == "table":
        words = [textwrap.fill(text, max(layout.screen_width(), layout.WIDEST)) for text in words]
    return "\n\n".join([*parts, *words])


def _correlations(found: Reuse, form: str) -> Table:
    """All columns where there is room, else those about means over topics only."""
    full = _correlation_table(found, full=True)
    too_wide = layout.table_width(full[0], full[1]) > max(layout.screen_width(), layout.WIDEST)
    return _correlation_table(found, full=False) if form == "table" and too_wide else full


def _correlation_table(found: Reuse, *, full: bool) -> Table:
    several = full or len({row.measure for row in found.correlations()}) > 1
    more = ["tau_AP", "Pearson", "topic RMSE", "precision", "recall", "F1"] if full else []
    lead = ["degradation", *(["measure"] if several else []), "holes"]

    def cells(row: AgreementRow) -> list[str]:
        middle = [row.tau_ap, row.pearson, row.topic_rmse, row.precision, row.recall, row.f1] if full else []
        return [
            row.degradation,
            *([row.measure] if several else []),
            row.holes,
            f"{row.share:.1%}",
            _number(row.tau_b),
            _number(row.rmse),
            _signed(row.bias),
            *map(_number, middle),
            f"{row.false_positives:.1%}",
            f"{row.false_negatives:.1%}",
        ]

    return (
        [*lead, "left", "tau-b", "RMSE", "bias", *more, "FP", "FN"],
        [cells(row) for row in found.correlations()],
        len(lead),
    )


def _coverage(found: Reuse) -> list[Table]:
    rows = [
        [row.degradation, row.measure, row.holes, row.of, f"{row.nominal:.0%}", f"{row.inside:.1%}", f"{row.width:.3f}"]
        for row in found.coverage()
    ]
    header = ["degradation", "measure", "holes", "range of", "promised", "inside", "width"]
    return [(header, rows, 4)] if rows else []


def _left_out(found: Reuse) -> list[Table]:
    """The runs whose rank changes most, under the method that the verdict is about."""
    best = _best(found)
    rows = [row for row in found.leaveout() if (row.measure, row.holes) == (best.measure, best.holes)]
    rows = sorted(rows, key=lambda row: (-abs(row.change), row.run))[:_MOST_LEFT_OUT]
    if not rows:
        return []

    def cells(row: LeftOutRow) -> list[str]:
        scores = [f"{row.truth:.4f}", f"{row.estimate:.4f}"]
        return [row.run, row.left_out, *scores, f"{row.true_rank:g}", f"{row.rank:g}", f"{row.change:+g}"]

    return [(["left out", "without", "truth", "estimate", "rank", "becomes", "change"], [cells(r) for r in rows], 2)]


def _targets(found: Reuse) -> list[Table]:
    rows = [
        [
            row.family,
            row.measure,
            row.holes,
            f"{row.statistic} {row.target:g}",
            "not reached" if row.judgments is None else f"{row.judgments:,.0f}",
            "-" if row.share is None else f"{row.share:.1%}",
            _number(row.value),
        ]
        for row in found.targets()
    ]
    return [(["degradation", "measure", "holes", "target", "judgments", "left", "value"], rows, 4)] if rows else []


def _methods(found: Reuse) -> Table:
    rows = [
        [
            row.measure,
            row.holes,
            *([row.truth] if _common_truth(found) else []),
            _number(row.tau_b),
            _number(row.rmse),
            "-" if row.rank_error is None else f"{row.rank_error:.2f}",
            "-" if row.loss is None else f"{row.loss:g}",
            "recommended" if row.recommended else "",
        ]
        for row in found.methods()
    ]
    truth = ["truth"] if _common_truth(found) else []
    return ["measure", "holes", *truth, "tau-b", "RMSE", "ranks wrong", "95% lose", ""], rows, 2 + len(truth)


def _common_truth(found: Reuse) -> bool:
    return any(row.truth != row.measure for row in found.methods())


def _best(found: Reuse) -> MethodRow:
    return found.methods()[0]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _signed(value: float | None) -> str:
    return "-" if value is None else f"{value:+.3f}"
