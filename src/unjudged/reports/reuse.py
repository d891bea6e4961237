"""Whether a collection can judge new systems, as tables."""

from __future__ import annotations

from typing import Any, get_type_hints

from unjudged.reports.cells import UNKNOWN, decimal, percent, probability
from unjudged.reports.layout import Table, fits, render_columns, render_tables
from unjudged.results.reuse import Reuse
from unjudged.results.reuse_rows import AgreementRow, BandRow, MethodRow, RunRow

__all__ = ["render_reuse", "reuse_tables"]

_MOST_LEFT_OUT = 10
"""Left-out runs that tables for readers show: those whose rank changes most under the recommended method."""

_WHY_EMPTY = {
    "coverage": "no method that was tried gives ranges, or no judgment was lost",
    "orders": "no judgment was lost",
    "differences": "it takes two methods, and judgments that were lost",
    "repetitions": "nothing was drawn at random",
    "bands": "it takes later judgments and --bands",
    "curves": "no degradation has several levels",
    "targets": "no --target was given",
}
"""Why tables may have no rows; the others always have some."""


def render_reuse(result: Reuse, form: str, *, table: str | None = None, colour: bool = False) -> str:
    """A result in one of the formats ``table``, ``markdown``, ``latex``, ``html``, ``json``, ``tsv``, ``csv``.

    With *table*, one of the result's tables with all its rows; the last two have ``correlations`` unless it is given.
    """
    if form == "json":
        return result.to_json()
    if form in {"tsv", "csv"}:
        return render_columns(result.to_dict(table), form)
    title = "Can this collection judge new systems?"
    if table is not None:
        return render_tables(*_whole(result, table, form), form, title=title, colour=colour)
    return render_tables(*reuse_tables(result, form), form, title=title, colour=colour)


def reuse_tables(result: Reuse, form: str) -> tuple[list[Table], list[str]]:
    """The tables of a form for readers, and what is said beside them."""
    tables = [
        *_bands(result),
        *_grades(result),
        _correlations(result, form),
        *_coverage(result),
        *_left_out(result),
        *_targets(result),
        _methods(result),
    ]
    pool = [f"The pool {result.pool}."] if result.pool else []
    return tables, [*pool, result.verdict, result.rule]


def _whole(result: Reuse, name: str, form: str) -> tuple[list[Table], list[str]]:
    """One of the result's tables with all its rows.

    On a screen without room for all columns, those that say the same in every row are said once below it.
    """
    columns = result.to_dict(name)
    words = dict(zip(columns, get_type_hints(result.row_types[name]).values(), strict=True))
    table = _table_of(columns, words)
    if not table.rows:
        return [table], [f"Nothing to show: {_WHY_EMPTY[name]}."]
    if form != "table" or fits(table) or len(table.rows) < 2:
        return [table], []
    same = {key: values[0] for key, values in columns.items() if len(set(values)) == 1}
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


def _bands(result: Reuse) -> list[Table]:
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
    header = ["unjudged", "run", "holes", "topics", "share", "truth", "estimate", "low", "high"]
    caption = (
        f"Scores under earlier judgments, beside those under {result.truth_qrels}, by the share of a topic's documents"
        " that was unjudged; means over a run's topics, also of the ends of ranges."
    )
    return [Table(header, rows, 3, caption, whole=".to_frame(table='bands')")] if rows else []


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


def _grades(result: Reuse) -> list[Table]:
    """The grades of judgments that are left and lost, where judgments were really missing."""
    rows = [[f"{row.grade}", percent(row.left), percent(row.lost)] for row in result.tables.grades]
    if result.truth_qrels is None:
        return []
    caption = "Share of the earlier judgments, and of those that were added, that have each grade."
    return [Table(["grade", "earlier", "added"], rows, 1, caption, whole=".to_frame(table='grades')")]


def _correlations(result: Reuse, form: str) -> Table:
    """All columns where there is room, else those about means over topics only."""
    full = _correlation_table(result, full=True)
    return full if form != "table" or fits(full) else _correlation_table(result, full=False)


def _correlation_table(result: Reuse, *, full: bool) -> Table:
    several = full or len({row.measure for row in result.correlations()}) > 1
    truths = _several_truths(result)
    lead = ["degradation", *(["measure"] if several else []), "holes", *(["truth"] if truths else [])]
    more = ["runs", "tau-a", "tau_AP", "Spearman", "Pearson", "topic RMSE", "precision", "recall", "F1"] if full else []

    def cells(row: AgreementRow) -> list[str]:
        agreement = [row.tau_a, row.tau_ap, row.spearman, row.pearson]
        of_topics = [row.topic_rmse, row.precision, row.recall, row.f1]
        return [
            row.degradation,
            *([row.measure] if several else []),
            row.holes,
            *([row.truth] if truths else []),
            percent(row.share),
            decimal(row.tau_b, 3),
            decimal(row.rmse, 3),
            UNKNOWN if row.bias is None else f"{row.bias:+.3f}",
            *([f"{row.runs}", *(decimal(one, 3) for one in (*agreement, *of_topics))] if full else []),
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
    truths = _several_truths(result)
    rows = [
        [
            row.degradation,
            row.measure,
            row.holes,
            *([row.truth] if truths else []),
            row.of,
            f"{row.pairs:,}",
            f"{row.nominal:.0%}",
            percent(row.inside),
            decimal(row.width, 3),
        ]
        for row in result.coverage()
    ]
    truth = ["truth"] if truths else []
    header = ["degradation", "measure", "holes", *truth, "of", "number", "promised", "inside", "width"]
    caption = (
        "How often the true score is inside of the range that a hole model gives, and how wide the range is; of topics"
        " that lost a judgment, and of means of runs that did."
    )
    return [Table(header, rows, 4 + len(truth), caption, whole=".to_frame(table='coverage')")] if rows else []


def _left_out(result: Reuse) -> list[Table]:
    """The runs whose rank changes most, under the method that the verdict is about."""
    best = _best(result)
    method = (best.truth, best.measure, best.holes)
    rows = [row for row in result.leaveout() if (row.truth, row.measure, row.holes) == method]
    if not rows:
        return []
    most = sorted(rows, key=lambda row: (-abs(row.change), row.run))[:_MOST_LEFT_OUT]

    def cells(row: RunRow) -> list[str]:
        scores = [decimal(row.true_score), decimal(row.estimate)]
        return [row.run, row.left_out or "", *scores, f"{row.true_rank:g}", f"{row.rank:g}", f"{row.change:+g}"]

    header = ["left out", "without", "truth", "estimate", "rank", "becomes", "change"]
    caption = f"Runs whose rank changes most when they are new to the pool, by {best.measure} with {best.holes}."
    whole, left_out = ".to_frame(table='runs')", len(rows) - len(most)
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


def _several_truths(result: Reuse) -> bool:
    """Whether a measure is compared with several others."""
    methods = {(row.measure, row.holes) for row in result.methods()}
    return len(methods) < len(result.methods())


def _common_truth(result: Reuse) -> bool:
    return any(row.truth != row.measure for row in result.methods())


def _best(result: Reuse) -> MethodRow:
    return result.methods()[0]
