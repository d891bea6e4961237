"""Whether a collection can judge new systems, as tables."""

from __future__ import annotations

from unjudged.reports.cells import UNKNOWN, decimal, percent
from unjudged.reports.layout import Table, fits, render_columns, render_tables
from unjudged.results.reuse import AgreementRow, LeftOutRow, MethodRow, Reuse

__all__ = ["render_reuse", "reuse_tables"]

_MOST_LEFT_OUT = 10
"""Left-out runs that tables for readers show: those whose rank changes most under the recommended method."""


def render_reuse(result: Reuse, form: str, *, table: str = "correlations", colour: bool = False) -> str:
    """A result in one of the formats ``table``, ``markdown``, ``latex``, ``html``, ``json``, ``tsv``, ``csv``.

    The last two have one *table*: ``methods``, ``correlations``, ``coverage``, ``leaveout``, ``curves``, ``targets``.
    """
    if form == "json":
        return result.to_json()
    if form in {"tsv", "csv"}:
        return render_columns(result.to_dict(table), form)
    return render_tables(
        *reuse_tables(result, form), form, title="Can this collection judge new systems?", colour=colour
    )


def reuse_tables(result: Reuse, form: str) -> tuple[list[Table], list[str]]:
    """The tables of a form for readers, and what is said beside them."""
    tables = [_correlations(result, form), *_coverage(result), *_left_out(result), *_targets(result), _methods(result)]
    pool = [f"The pool {result.pool}."] if result.pool else []
    return tables, [*pool, result.verdict, result.rule]


def _correlations(result: Reuse, form: str) -> Table:
    """All columns where there is room, else those about means over topics only."""
    full = _correlation_table(result, full=True)
    return full if form != "table" or fits(full) else _correlation_table(result, full=False)


def _correlation_table(result: Reuse, *, full: bool) -> Table:
    several = full or len({row.measure for row in result.correlations()}) > 1
    more = ["runs", "tau_AP", "Pearson", "topic RMSE", "precision", "recall", "F1"] if full else []
    lead = ["degradation", *(["measure"] if several else []), "holes"]

    def cells(row: AgreementRow) -> list[str]:
        middle = [row.tau_ap, row.pearson, row.topic_rmse, row.precision, row.recall, row.f1] if full else []
        return [
            row.degradation,
            *([row.measure] if several else []),
            row.holes,
            percent(row.share),
            decimal(row.tau_b, 3),
            decimal(row.rmse, 3),
            UNKNOWN if row.bias is None else f"{row.bias:+.3f}",
            *([f"{row.runs}"] if full else []),
            *(decimal(one, 3) for one in middle),
            percent(row.false_positives),
            percent(row.false_negatives),
        ]

    caption = (
        f"Scores of {result.runs} runs from fewer judgments, compared with those under all {result.judgments:,}. Left:"
        " share of the judgments; RMSE and bias: of the means of runs that lost a judgment; FP and FN: share of pairs"
        f" of runs whose difference becomes significant, or is no longer so ({result.test}, {result.correction})."
    )
    header = [*lead, "left", "tau-b", "RMSE", "bias", *more, "FP", "FN"]
    rows = [cells(row) for row in result.correlations()]
    return Table(header, rows, len(lead), caption, whole=".to_frame(table='correlations')")


def _coverage(result: Reuse) -> list[Table]:
    rows = [
        [
            row.degradation,
            row.measure,
            row.holes,
            row.of,
            f"{row.pairs:,}",
            f"{row.nominal:.0%}",
            percent(row.inside),
            decimal(row.width, 3),
        ]
        for row in result.coverage()
    ]
    header = ["degradation", "measure", "holes", "of", "number", "promised", "inside", "width"]
    caption = (
        "How often the true score is inside of the range that a hole model gives, and how wide the range is; of topics"
        " that lost a judgment, and of means of runs that did."
    )
    return [Table(header, rows, 4, caption, whole=".to_frame(table='coverage')")] if rows else []


def _left_out(result: Reuse) -> list[Table]:
    """The runs whose rank changes most, under the method that the verdict is about."""
    best = _best(result)
    rows = [row for row in result.leaveout() if (row.measure, row.holes) == (best.measure, best.holes)]
    if not rows:
        return []
    most = sorted(rows, key=lambda row: (-abs(row.change), row.run))[:_MOST_LEFT_OUT]

    def cells(row: LeftOutRow) -> list[str]:
        scores = [decimal(row.truth), decimal(row.estimate)]
        return [row.run, row.left_out, *scores, f"{row.true_rank:g}", f"{row.rank:g}", f"{row.change:+g}"]

    header = ["left out", "without", "truth", "estimate", "rank", "becomes", "change"]
    caption = f"Runs whose rank changes most when they are new to the pool, by {best.measure} with {best.holes}."
    whole, left_out = ".to_frame(table='leaveout')", len(rows) - len(most)
    return [Table(header, list(map(cells, most)), 2, caption, whole=whole, left_out=left_out)]


def _targets(result: Reuse) -> list[Table]:
    rows = [
        [
            row.family,
            row.measure,
            row.holes,
            f"{row.statistic} {row.target:g}",
            "not reached" if row.judgments is None else f"{row.judgments:,.0f}",
            percent(row.share),
            decimal(row.value, 3),
        ]
        for row in result.targets()
    ]
    header = ["degradation", "measure", "holes", "target", "judgments", "left", "value"]
    caption = "The fewest judgments that reach a target."
    return [Table(header, rows, 4, caption, whole=".to_frame(table='targets')")] if rows else []


def _methods(result: Reuse) -> Table:
    rows = [
        [
            row.measure,
            row.holes,
            *([row.truth] if _common_truth(result) else []),
            decimal(row.tau_b, 3),
            decimal(row.rmse, 3),
            decimal(row.rank_error, 2),
            UNKNOWN if row.loss is None else f"{row.loss:g}",
            UNKNOWN if row.tried is None else f"{row.tried}",
            "recommended" if row.recommended else "",
        ]
        for row in result.methods()
    ]
    truth = ["truth"] if _common_truth(result) else []
    header = ["measure", "holes", *truth, "tau-b", "RMSE", "ranks wrong", "95% lose", "runs", ""]
    caption = (
        "Methods on the whole, best first. Ranks wrong: on average, of left-out runs that had holes; 95% lose: at most"
        " so many ranks; runs: how many these are."
    )
    return Table(header, rows, 2 + len(truth), caption, whole=".to_frame(table='methods')")


def _common_truth(result: Reuse) -> bool:
    return any(row.truth != row.measure for row in result.methods())


def _best(result: Reuse) -> MethodRow:
    return result.methods()[0]
