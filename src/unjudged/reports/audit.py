"""Which judgments are probably wrong, as tables."""

from __future__ import annotations

from unjudged.errors import some_of
from unjudged.reports.cells import UNKNOWN, decimal, percent, probability, signed, span
from unjudged.reports.layout import Table, render_columns, render_tables
from unjudged.results.audit import AssessorRow, Audit, DuplicateRow, PlantedRow, SuspectRow, UnfoundRow

__all__ = ["audit_tables", "render_audit"]

_SHOWN = 20
"""Rows of each list that are shown to readers; tsv, csv, json and data frames have all."""
_MOST_FACTOR = 10_000.0


def render_audit(result: Audit, form: str, *, table: str = "suspects", colour: bool = False) -> str:
    """A result in one of the formats ``table``, ``markdown``, ``latex``, ``html``, ``json``, ``tsv``, ``csv``.

    The last two have one *table*: ``suspects``, ``planted``, ``unfound``, ``duplicates`` or ``assessors``.
    """
    if form == "json":
        return result.to_json()
    if form in {"tsv", "csv"}:
        return render_columns(result.to_dict(table), form)
    return render_tables(*audit_tables(result), form, title="Which judgments are probably wrong?", colour=colour)


def audit_tables(result: Audit) -> tuple[list[Table], list[str]]:
    """The tables of a form for readers, and what is said beside them."""
    tables = [_suspects(result), _planted(result), *_unfound(result), *_duplicates(result), *_assessors(result)]
    return tables, [_rate(result), *_lost(result)]


def _suspects(result: Audit) -> Table:
    rows = result.suspects()
    runs = "runs" in result.evidence

    def cells(row: SuspectRow) -> list[str]:
        where = [_whole(row.best_rank), signed(row.change), _whole(row.swaps)] if runs else []
        chances = [percent(row.probability), _times(row.factor), percent(row.wrong)]
        return [row.topic, row.doc, str(row.grade), str(row.likely), *chances, *where]

    most = ", as many as can be" if result.error_rate == result.most_blind else ""
    caption = (
        f"The judgments that {some_of(result.evidence)} speak most against, of {result.judgments:,}. Likely: what the"
        " grade should rather be; chance: of the grade given; blind: how much likelier it is from somebody who did not"
        f" look at the document; wrong: the chance of that, if {result.error_rate:.1%} of all judgments are such{most}"
    )
    if runs:
        caption += (
            "; rank: the best that any run gives it; change: the largest change of a run's mean"
            f" {result.measure} if the grade becomes the likely one; swaps: pairs of runs that change places"
        )
    header = ["topic", "doc", "grade", "likely", "chance", "blind", "wrong"]
    header += ["rank", "change", "swaps"] if runs else []
    shown = [cells(row) for row in rows[:_SHOWN]]
    return Table(header, shown, 2, f"{caption}.", whole=".to_frame()", left_out=len(rows) - len(shown))


def _planted(result: Audit) -> Table:
    def cells(row: PlantedRow) -> list[str]:
        shares = (row.share, row.found, row.too_high, row.too_low)
        return [f"{row.checked:,}", *map(percent, shares), f"{row.wrong:.1f}"]

    caption = (
        "What one finds who looks at the worst judgments again: the share of all wrong ones that were made blindly, of"
        " those too high and of those too low; and how many of those looked at are wrong, if"
        f" {result.error_rate:.1%} of all judgments are blind."
    )
    header = ["checked", "share", "found", "too high", "too low", "wrong"]
    return Table(header, list(map(cells, result.planted())), 0, caption, whole=".to_frame(table='planted')")


def _unfound(result: Audit) -> list[Table]:
    rows = result.unfound()

    def cells(row: UnfoundRow) -> list[str]:
        return [row.topic, row.doc, str(row.grade), percent(row.probability), _times(row.factor)]

    caption = "Documents judged relevant that no run has, the least probable first."
    shown, whole = [cells(row) for row in rows[:_SHOWN]], ".to_frame(table='unfound')"
    header = ["topic", "doc", "grade", "chance", "blind"]
    return [Table(header, shown, 2, caption, caption, whole, len(rows) - len(shown))] if rows else []


def _duplicates(result: Audit) -> list[Table]:
    rows, runs = result.duplicates(), "runs" in result.evidence

    def cells(row: DuplicateRow) -> list[str]:
        where = [signed(row.change), _whole(row.swaps)] if runs else []
        pair = [row.topic, row.doc, str(row.grade), row.other, str(row.other_grade)]
        return [*pair, percent(row.share), _times(row.factor), *where]

    caption = (
        "Near-duplicates with different grades: same is the share of words that both have; blind and, if the first gets"
        " the grade of the other, the change of scores, as above."
    )
    header = ["topic", "doc", "grade", "other", "grade", "same", "blind", *(["change", "swaps"] if runs else [])]
    shown, whole = [cells(row) for row in rows[:_SHOWN]], ".to_frame(table='duplicates')"
    return [Table(header, shown, 2, caption, caption, whole, len(rows) - len(shown))] if rows else []


def _assessors(result: Audit) -> list[Table]:
    rows = result.assessors()

    def cells(row: AssessorRow) -> list[str]:
        means = [
            decimal(row.grade, 3),
            decimal(row.expected, 3),
            signed(row.bias),
            span(row.low, row.high, with_sign=True),
        ]
        p = UNKNOWN if row.corrected_p is None else probability(row.corrected_p)
        return [row.assessor, str(row.topics), f"{row.judgments:,}", *means, p, str(row.suspects)]

    caption = (
        "Grades of each assessor beside those that judgments of other topics make one expect. Bias: how much further"
        " above these than the median of others on the same topics, with a 95% interval and a p-value (t-test, Holm);"
        " or, where nobody else judged these topics, than others on theirs (Mann and Whitney's test, Holm); suspects:"
        f" among the {len(result.suspects()):,} worst judgments."
    )
    header = ["assessor", "topics", "judgments", "grade", "expected", "bias", "interval", "p", "suspects"]
    shown, whole = [cells(row) for row in rows[:_SHOWN]], ".to_frame(table='assessors')"
    return [Table(header, shown, 1, caption, caption, whole, len(rows) - len(shown))] if rows else []


# ---- sentences


def _rate(result: Audit) -> str:
    return (
        f"{result.summary()} That is a share of the grades that somebody would give who does not look; what assessors"
        " misread or see in another way is not bounded by it."
    )


def _lost(result: Audit) -> list[str]:
    return [f"No run has {len(result.unfound()):,} of the relevant documents."] if result.unfound() else []


def _whole(value: int | None) -> str:
    return UNKNOWN if value is None else f"{value:,}"


def _times(factor: float) -> str:
    """How much likelier something is."""
    if factor >= _MOST_FACTOR:
        return f">{_MOST_FACTOR:,.0f}"
    return f"{factor:,.0f}" if factor >= 10 else f"{factor:.1f}"
