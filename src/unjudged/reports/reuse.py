"""Whether a collection can judge new systems, as tables."""

from __future__ import annotations

from collections.abc import Callable

from unjudged.reports.cells import UNKNOWN, decimal, percent
from unjudged.reports.layout import Table, fits, render_tables
from unjudged.reports.model_names import short_model_names
from unjudged.reports.ranges import CHANCE_ALONE, is_chance_alone
from unjudged.reports.reuse_later_judgments import bands_tables, grades_tables
from unjudged.reports.whole_table import SEPARATED, render_one_table
from unjudged.results.reuse import Reuse
from unjudged.results.reuse_rows import AgreementRow, MethodRow, RunRow

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
    "strategies": "no --strategy was given",
    "targets": "no --target was given",
}
"""Why tables may have no rows; the others always have some."""


def render_reuse(result: Reuse, form: str, *, table: str | None = None, colour: bool = False) -> str:
    """A result in one of the formats ``table``, ``markdown``, ``latex``, ``html``, ``json``, ``tsv``, ``csv``.

    With *table*, one of the result's tables with all its rows; the last two have ``correlations`` unless it is given.
    """
    if form == "json":
        return result.to_json()
    title = "Can this collection judge new systems?"
    if table is not None or form in SEPARATED:
        words, why_empty = _about_ends(result, table), _WHY_EMPTY.get(table or "", "")
        return render_one_table(result, table, form, title=title, words=words, why_empty=why_empty, colour=colour)
    return render_tables(*reuse_tables(result, form), form, title=title, colour=colour)


def reuse_tables(result: Reuse, form: str) -> tuple[list[Table], list[str]]:
    """The tables of a form for readers, and what is said beside them."""
    tables = [
        *bands_tables(result),
        *grades_tables(result),
        *_strategies(result, form),
        *([] if _only_strategies(result) else [_correlations(result, form)]),
        *_coverage(result, form),
        *_left_out(result, form),
        *_targets(result, form),
        *([] if _only_strategies(result) else [_methods(result, form)]),
    ]
    pool = [f"The pool {result.pool}."] if result.pool else []
    return tables, [*(_words(result) if form == "table" else []), *pool, result.verdict, result.rule]


def _words(result: Reuse) -> list[str]:
    """What columns mean, where no captions say so."""
    words = []
    if result.strategies():
        words.append(
            "recall: share of the relevant documents; kept: of the significant differences; false: of what is found"
            f" significant ({result.test}, {result.correction})."
        )
    if _only_strategies(result):
        return words
    words += [
        "left: share of the judgments. RMSE, bias: of the means of runs that lost a judgment. FP, FN: share of pairs of"
        f" runs whose difference becomes significant, or is no longer so ({result.test}, {result.correction})."
    ]
    if any(row.tried for row in result.methods()):
        words.append(
            "ranks wrong: on average, of left-out runs that had holes; 95% lose: at most so many ranks; runs: how many"
            " these are."
        )
    return [*words, *_about_ends(result, "bands")]


def _about_ends(result: Reuse, table: str | None) -> list[str]:
    """What the ends of ranges in a table are, where they could be taken for something else."""
    if table == "bands" and any(row.low is not None for row in result.tables.bands):
        return [
            "low, high: means over topics of the ends of ranges on single topics, as in paper 1; they do not say how"
            " sure a mean is."
        ]
    rows = result.tables.runs if table == "runs" else ()
    models = dict.fromkeys(row.holes for row in rows if row.low is not None and is_chance_alone(row.holes))
    return [f"low, high of {', '.join(models)}: {CHANCE_ALONE}"] if models else []


def _correlations(result: Reuse, form: str) -> Table:
    """All columns where there is room, else those about means over topics only."""
    full = _correlation_table(result, form, full=True)
    if form != "table" or fits(full):
        return full
    return _with_short_lead(result, lambda where: _correlation_table(result, form, full=False, where=where))


def _with_short_lead(result: Reuse, build: Callable[[bool], Table]) -> Table:
    """A table for screens: where it has no room, the only degradation is in its title instead of in every row."""
    table = build(True)
    alone = len({row.degradation for row in result.correlations()}) == 1
    return build(False) if alone and not fits(table) else table


def _correlation_table(result: Reuse, form: str, *, full: bool, where: bool = True) -> Table:
    measure = ["measure"] if full else _measures_shown(result, "table")
    truths = _several_truths(result)
    lead = [*(["degradation"] if where else []), *measure, "holes", *(["truth"] if truths else [])]
    names = _model_names(result, form)
    more = ["runs", "tau-a", "tau_AP", "Spearman", "Pearson", "topic RMSE", "precision", "recall", "F1"] if full else []

    def cells(row: AgreementRow) -> list[str]:
        agreement = [row.tau_a, row.tau_ap, row.spearman, row.pearson]
        of_topics = [row.topic_rmse, row.precision, row.recall, row.f1]
        return [
            *([row.degradation] if where else []),
            *([row.measure] if measure else []),
            names[row.holes],
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
    after = "" if where else f": {result.correlations()[0].degradation}"
    of = "" if measure else f" by {result.methods()[0].measure}"
    title = f"{result.runs} runs{of}, with fewer than all {result.judgments:,} judgments{after}"
    return Table(header, rows, len(lead), caption, title, ".to_frame(table='correlations')")


def _only_strategies(result: Reuse) -> bool:
    """Whether nothing else took judgments away."""
    names = {row.strategy for row in result.strategies()}
    return bool(names) and all(row.degradation.rpartition(" to ")[0] in names for row in result.correlations())


def _strategies(result: Reuse, form: str) -> list[Table]:
    """What strategies have found at each budget."""
    measure = _measures_shown(result, form)
    methods = {(row.holes, row.truth) for row in result.strategies()}
    several = len(methods) > 1
    names = _model_names(result, form)
    rows = [
        [
            row.strategy,
            *([row.measure] if measure else []),
            *([names[row.holes], row.truth] if several else []),
            f"{row.judgments:,.0f}",
            f"{row.per_topic:.0f}",
            percent(row.share),
            percent(row.recall),
            decimal(row.tau_b, 3),
            decimal(row.tau_ap, 3),
            decimal(row.rmse, 3),
            percent(row.significant_kept),
            percent(row.significant_false),
            "recommended" if row.recommended else "",
        ]
        for row in result.strategies()
    ]
    lead = ["strategy", *measure, *(["holes", "truth"] if several else [])]
    header = [*lead, "judgments", "per topic", "share", "recall", "tau-b", "tau_AP", "RMSE", "kept", "false", ""]
    caption = (
        "What strategies have found when so many judgments were made in their order. Recall: share of the relevant"
        " documents; kept: share of the significant differences between runs; false: share of what is found"
        f" significant that is not, or is the other way round ({result.test}, {result.correction})."
    )
    title = f"{result.runs} runs, judged again in the order of strategies"
    whole = ".to_frame(table='strategies')"
    return [Table(header, rows, len(lead), caption, title, whole)] if rows else []


def _coverage(result: Reuse, form: str) -> list[Table]:
    if not result.coverage():
        return []
    if form != "table":
        return [_coverage_table(result, form)]
    return [_with_short_lead(result, lambda where: _coverage_table(result, form, where=where))]


def _coverage_table(result: Reuse, form: str, *, where: bool = True) -> Table:
    truths, measure = _several_truths(result), _measures_shown(result, form)
    models = _model_names(result, form)
    rows = [
        [
            *([row.degradation] if where else []),
            *([row.measure] if measure else []),
            models[row.holes],
            *([row.truth] if truths else []),
            row.of,
            f"{row.pairs:,}",
            f"{row.nominal:.0%}",
            percent(row.inside),
            decimal(row.width, 3),
        ]
        for row in result.coverage()
    ]
    names = [*(["degradation"] if where else []), *measure, "holes", *(["truth"] if truths else []), "of"]
    caption = (
        "How often the true score is inside of the range that a hole model gives, and how wide the range is; of topics"
        " that lost a judgment, and of means of runs that did."
    )
    title = "How often is the truth inside of the range that a hole model gives?"
    if not where:
        title = f"{result.correlations()[0].degradation}: how often is the truth inside of a model's range?"
    header = [*names, "number", "promised", "inside", "width"]
    return Table(header, rows, len(names), caption, title, ".to_frame(table='coverage')")


def _left_out(result: Reuse, form: str) -> list[Table]:
    """The runs whose rank changes most, under the method that the verdict is about."""
    best = _best(result)
    method = (best.truth, best.measure, best.holes)
    rows = [row for row in result.leaveout() if (row.truth, row.measure, row.holes) == method]
    most = sorted(rows, key=lambda row: (-abs(row.change), row.run))[:_MOST_LEFT_OUT]
    most = [row for row in most if row.change]
    if not most:
        return []
    groups = any(row.left_out != row.run for row in rows)

    def cells(row: RunRow) -> list[str]:
        scores = [decimal(row.true_score), decimal(row.estimate)]
        ranks = [f"{row.true_rank:g}", f"{row.rank:g}", f"{row.change:+g}"]
        return [row.run, *([row.left_out or ""] if groups else []), *scores, *ranks]

    header = ["left out", *(["without"] if groups else []), "truth", "estimate", "rank", "becomes", "change"]
    caption = f"Runs whose rank changes most when they are new to the pool, by {best.measure} with {best.holes}."
    model = _model_names(result, form)[best.holes]
    title = f"Of {len(rows)} left-out runs, those whose rank changes most: {best.measure}, {model}"
    whole, left_out = ".to_frame(table='runs')", len(rows) - len(most)
    return [Table(header, list(map(cells, most)), 1 + groups, caption, title, whole, left_out)]


def _targets(result: Reuse, form: str) -> list[Table]:
    names = _model_names(result, form)
    rows = [
        [
            row.family,
            row.measure,
            names[row.holes],
            f"{row.statistic} {row.target:g}",
            "not reached" if row.judgments is None else f"{row.judgments:,.0f}",
            percent(row.share),
            decimal(row.value, 3),
        ]
        for row in result.targets()
    ]
    header = ["degradation", "measure", "holes", "target", "judgments", "left", "value"]
    caption = "The fewest judgments that reach a target."
    return [Table(header, rows, 4, caption, caption[:-1], ".to_frame(table='targets')")] if rows else []


def _methods(result: Reuse, form: str) -> Table:
    measure, names = _measures_shown(result, form), _model_names(result, form)
    rows = [
        [
            *([row.measure] if measure else []),
            names[row.holes],
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
    header = [*measure, "holes", *truth, "tau-b", "RMSE", "ranks wrong", "95% lose", "runs", ""]
    caption = (
        "Methods on the whole, best first. Ranks wrong: on average, of left-out runs that had holes; 95% lose: at most"
        " so many ranks; runs: how many these are."
    )
    title = "Methods on the whole, best first"
    return Table(header, rows, 1 + len(measure + truth), caption, title, ".to_frame(table='methods')")


def _model_names(result: Reuse, form: str) -> dict[str, str]:
    """What a form calls hole models: screens have room for short names only."""
    models = list(dict.fromkeys(row.holes for row in result.correlations()))
    return dict(zip(models, short_model_names(models) if form == "table" else models, strict=True))


def _measures_shown(result: Reuse, form: str) -> list[str]:
    """The column of measures, where there are several or there is room enough."""
    several = len({row.measure for row in result.methods()}) > 1
    return ["measure"] if several or form != "table" else []


def _several_truths(result: Reuse) -> bool:
    """Whether a measure is compared with several others."""
    methods = {(row.measure, row.holes) for row in result.methods()}
    return len(methods) < len(result.methods())


def _common_truth(result: Reuse) -> bool:
    return any(row.truth != row.measure for row in result.methods())


def _best(result: Reuse) -> MethodRow:
    return result.methods()[0]
