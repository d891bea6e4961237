"""How far label sources can be trusted, as tables."""

from __future__ import annotations

from unjudged.errors import some_of
from unjudged.reports.cells import UNKNOWN, decimal, percent, probability, signed
from unjudged.reports.layout import Table, render_tables
from unjudged.reports.whole_table import SEPARATED, render_one_table
from unjudged.results.comparison import SIGNIFICANT
from unjudged.results.judges import FavourRow, JudgeRow, Judges, OrderRow

__all__ = ["judges_tables", "render_judges"]

_FEW = 3
"""Judges up to which the confusion matrix of each is shown."""
_MOST_NAMED = 10
_MOST_LABELS = 12
"""Different labels up to which it is."""
_WHY_EMPTY = {
    **dict.fromkeys(("orders", "runs", "groups"), "no runs were given, or too few"),
    "targets": "no --target was given",
}
"""Why tables may have no rows; the others always have some."""


def render_judges(result: Judges, form: str, *, table: str | None = None, colour: bool = False) -> str:
    """A result in one of the formats ``table``, ``markdown``, ``latex``, ``html``, ``json``, ``tsv``, ``csv``.

    With *table*, one of those in ``Judges.row_types`` with all its rows; the last two have ``judges`` unless it is
    given.
    """
    if form == "json":
        return result.to_json()
    title = "Can these labels be trusted?"
    if table is not None or form in SEPARATED:
        why_empty = _WHY_EMPTY.get(table or "", "")
        return render_one_table(result, table, form, title=title, why_empty=why_empty, colour=colour)
    return render_tables(*judges_tables(result), form, title=title, colour=colour)


def judges_tables(result: Judges) -> tuple[list[Table], list[str]]:
    """The tables of a form for readers, and what is said beside them."""
    tables = [_agreement(result), *_orders(result), *_favoured(result), *_targets(result), *_confusion(result)]
    return tables, [*_oddities(result), *_together(result), *_verdicts(result), result.rule]


def _agreement(result: Judges) -> Table:
    def cells(row: JudgeRow) -> list[str]:
        numbers = (row.kappa, row.weighted_kappa, row.alpha_ordinal)
        shares = (row.coverage, row.exact, row.within_one)
        return [row.judge, *map(percent, shares), *(decimal(one, 3) for one in numbers), signed(row.bias)]

    caption = (
        f"Labels beside {result.judgments:,} judgments. Covered: share of them with a label; then the share with the"
        " same grade, and with one that differs by 1 at most; Cohen's kappa, plain and weighted by squared distance;"
        " Krippendorff's ordinal alpha; mean of label less grade."
    )
    header = ["judge", "covered", "same", "within 1", "kappa", "weighted", "alpha", "bias"]
    return Table(header, list(map(cells, result.judges())), 1, caption, whole=".to_frame()")


def _orders(result: Judges) -> list[Table]:
    def cells(row: OrderRow) -> list[str]:
        correlations = [decimal(one, 3) for one in (row.tau_b, row.tau_ap)]
        pairs = [percent(one / row.run_pairs) for one in (row.false, row.missed)]
        return [row.judge, *correlations, percent(row.top), signed(row.bias), *pairs, str(row.favoured)]

    rows = result.orders()
    if not rows:
        return []
    who = "groups" if result.groups() else "runs"
    caption = (
        f"{result.measure} of {rows[0].runs} runs by labels alone, beside that by judgments. Top {rows[0].depth}: share"
        " of the best that are the same; bias: mean difference of scores; false and missed: share of pairs of runs that"
        f" are significant by labels only, or by judgments only ({result.test}, {result.correction}); favoured: {who}"
        " that score higher by labels than others of their score by judgments."
    )
    header = ["judge", "tau-b", "tau_AP", f"top {rows[0].depth}", "bias", "false", "missed", "favoured"]
    return [Table(header, list(map(cells, rows)), 1, caption, whole=".to_frame(table='orders')")]


def _favoured(result: Judges) -> list[Table]:
    """Groups whose scores by labels are not what their judgments make one expect."""
    rows = [row for row in result.groups() if row.corrected_p < SIGNIFICANT]

    def cells(row: FavourRow) -> list[str]:
        return [
            row.judge,
            row.group,
            f"{row.runs}",
            signed(row.favour),
            probability(row.p),
            probability(row.corrected_p),
        ]

    caption = (
        "Groups that labels favour (above 0) or do not, given what others of their score get: p-values over topics,"
        f" corrected for the number of groups ({result.correction})."
    )
    header = ["judge", "group", "runs", "favour", "p", "corrected"]
    return [Table(header, list(map(cells, rows)), 2, caption, whole=".to_frame(table='groups')")] if rows else []


def _targets(result: Judges) -> list[Table]:
    def count(number: int | None, otherwise: str = "over 1,000,000") -> str:
        return otherwise if number is None else f"{number:,}"

    rows = [
        [
            *(row.judge, row.of, f"{row.width:g}", count(row.topics), count(row.without), count(row.judgments)),
            *(count(row.pairs, "-"), count(row.pairs_without, "-")),
        ]
        for row in result.targets()
    ]
    caption = (
        "Topics that people must judge, beside labels of many more, for a 95% interval of mean"
        f" {result.measure} of this width, on average over runs or pairs of runs; without labels; and how many"
        " judgments these topics have, each as many as now. Or judge so many pairs of topic and document, drawn at"
        " random from these topics, for an interval about them; and without labels (-: not for this measure)."
    )
    header = ["judge", "interval of", "width", "topics", "without", "judgments", "or pairs", "without"]
    return [Table(header, rows, 2, caption, whole=".to_frame(table='targets')")] if rows else []


def _confusion(result: Judges) -> list[Table]:
    if len(result.judges()) > _FEW:
        return []
    tables = []
    for judge in result.judges():
        rows = [row for row in result.confusion() if row.judge == judge.judge]
        labels = sorted({row.label for row in rows})
        grades = sorted({row.grade for row in rows})
        if len(labels) > _MOST_LABELS or len(grades) > _MOST_LABELS:
            continue
        shares = {(row.label, row.grade): row.share for row in rows}
        pairs = {label: sum(row.pairs for row in rows if row.label == label) for label in labels}
        cells = [
            [f"{label:g}", f"{pairs[label]:,}", *(percent(shares.get((label, grade), 0.0)) for grade in grades)]
            for label in labels
        ]
        header = ["label", "pairs", *(f"grade {grade:g}" for grade in grades)]
        caption = f"What people said where {judge.judge} gave a label."
        whole = ".to_frame(table='confusion')"
        tables.append(Table(header, cells, 1, caption, title=caption, whole=whole))
    return tables


# ---- sentences


def _oddities(result: Judges) -> list[str]:
    rows = result.judges()
    odd = [f"{row.judge} is {words}." for row in rows for words in (row.odd or "").split("; ") if words]
    return odd + [f"{row.judge} is a copy of {row.copy_of}." for row in rows if row.copy_of]


def _together(result: Judges) -> list[str]:
    if result.alpha_of_judges is None:
        return []
    everybody = UNKNOWN if result.alpha_ordinal is None else f"{result.alpha_ordinal:.3f}"
    return [
        f"Krippendorff's ordinal alpha of all judges together is {result.alpha_of_judges:.3f}, and with people it is"
        f" {everybody}."
    ]


def _verdicts(result: Judges) -> list[str]:
    """Judges by verdict."""
    verdicts = dict.fromkeys(row.verdict for row in result.judges())
    by_verdict = {one: [_with_reason(row) for row in result.judges() if row.verdict == one] for one in verdicts}
    return [f"{one[0].upper()}{one[1:]}: {some_of(judges, _MOST_NAMED)}." for one, judges in by_verdict.items()]


def _with_reason(row: JudgeRow) -> str:
    return f"{row.judge} ({row.reason})" if row.reason else row.judge
