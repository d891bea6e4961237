"""A comparison of runs as tables."""

from __future__ import annotations

from collections.abc import Iterable

from unjudged.reports.assisted import assisted_tables
from unjudged.reports.cells import decimal, percent, probability, signed, span
from unjudged.reports.comparison_by_segment import segment_tables
from unjudged.reports.layout import Table, fits, render_columns, render_tables
from unjudged.reports.scores import subtopic_model_words
from unjudged.results.comparison import REVERSED, SIGNIFICANT, Comparison, PairRow, verdict_words
from unjudged.wording import counted

__all__ = ["comparison_tables", "render_comparison"]

_MARKS = {"certain": "●", "likely": "◐", REVERSED: "⊖", "undetermined": "○"}
_ALL_PAIRS = 15
"""Pairs that tables for readers show; of more, they show the neighbours in the ranking, and those with the best."""
_ALL_RANKS = 10
"""Runs up to which tables for readers show how often each run has each rank."""


def render_comparison(comparison: Comparison, form: str, *, table: str = "pairs", colour: bool = False) -> str:
    """A comparison in one of the formats ``table``, ``markdown``, ``latex``, ``tsv``, ``csv``, ``json``.

    *table*: which one ``tsv`` and ``csv`` have.
    """
    if form == "json":
        return comparison.to_json()
    if form in {"tsv", "csv"}:
        return render_columns(comparison.to_dict(table), form)
    return render_tables(*comparison_tables(comparison, form), form, colour=colour)


def comparison_tables(comparison: Comparison, form: str) -> tuple[list[Table], list[str]]:
    """The tables of a form for readers, and what is said beside them."""
    marked = form != "table"
    tables = [_runs(comparison, marked=marked), _pairs(comparison, form), *_rank_table(comparison), _budget(comparison)]
    if comparison.segments():
        tables += segment_tables(comparison, marked=marked)
    more, assumed = assisted_tables(comparison.assisted)
    return [*tables, *more], [*assumed, *subtopic_model_words(comparison.subtopic_models), *_words(comparison, form)]


def _runs(comparison: Comparison, *, marked: bool) -> Table:
    """One row per run; for papers with a mark for what it is to the baseline."""
    at = "" if comparison.depth is None else f"@{comparison.depth}"
    against = {run: row for row in comparison.pairs() for run in (row.run, row.other) if run != comparison.baseline}
    marked = marked and comparison.baseline is not None
    rows = [
        [
            row.run,
            decimal(row.mean) + (_mark(against[row.run]) if marked and row.run != comparison.baseline else ""),
            span(row.low, row.high),
            percent(row.judged),
            _ranks(row.rank_low, row.rank_high),
        ]
        for row in comparison.rows()
    ]
    caption = (
        f"{comparison.measure} over {counted(comparison.topics, 'topic')}: means with unjudged documents as not"
        f" relevant, 95% intervals over topics ({comparison.interval_method}), share of judged documents, and ranks"
        f" in 95% of {comparison.draws:,} draws of grades and topics."
    )
    if marked:
        caption += f" Against {comparison.baseline}: {_mark_words(comparison, against.values())}"
    return Table(
        ["run", comparison.measure, "95% interval", f"judged{at}", "ranks"], rows, 1, caption, whole=".to_frame()"
    )


def _mark(row: PairRow) -> str:
    star = "*" if row.corrected_p < SIGNIFICANT else ""
    return star + _MARKS.get(verdict_words(row) or "", "")


def _mark_words(comparison: Comparison, rows: Iterable[PairRow]) -> str:
    """What the marks mean that occur."""
    verdicts = {verdict_words(row) for row in rows}
    shown = [f"{mark} {verdict}" for verdict, mark in _MARKS.items() if verdict in verdicts]
    star = f"* p < {SIGNIFICANT} ({comparison.test}, {comparison.correction})"
    holes = "; whether grades of unjudged documents can change the sign: " + ", ".join(shown) if shown else ""
    return f"{star}{holes}."


def _pairs(comparison: Comparison, form: str) -> Table:
    """All columns where there is room, else without the interval and the uncorrected p, else without bounds, too."""
    full = _pair_table(comparison, full=True, marked=form != "table")
    if form != "table" or fits(full):
        return full
    some = _pair_table(comparison, full=False, marked=False)
    return some if fits(some, short_names=True) else _pair_table(comparison, full=False, bounds=False, marked=False)


def _pair_table(comparison: Comparison, *, full: bool, bounds: bool = True, marked: bool) -> Table:
    """Pairs without a verdict are of a measure about which holes say nothing."""
    bounds = bounds and _has_verdicts(comparison)
    with_images = comparison.images is not None
    rows = [
        [
            row.run,
            row.other,
            signed(row.difference) + ("*" if marked and row.corrected_p < SIGNIFICANT else ""),
            *([span(row.low, row.high, with_sign=True), probability(row.p)] if full else []),
            probability(row.corrected_p),
            *([] if row.corrected_p_holes is None else [probability(row.corrected_p_holes)]),
            *([span(row.worst, row.best, with_sign=True)] if bounds else []),
            *([decimal(row.p_greater, 2)] if row.verdict else []),
            *([decimal(row.p_greater_corpus, 2)] if with_images else []),
            *([row.verdict] if row.verdict else []),
        ]
        for row in _shown(comparison)
    ]
    more = ["95% interval", "p"] if full else []
    about_holes = [*(["worst to best"] if bounds else []), "P(A>B)"] if _has_verdicts(comparison) else []
    about_corpus = ["P(A>B), images" if full else "image"] if with_images else []  # short names have room beside it
    verdict = ["verdict"] if about_holes else []
    with_holes = ["p, holes"] if any(row.corrected_p_holes is not None for row in comparison.pairs()) else []
    header = [
        "A",
        "B",
        "A - B",
        *more,
        f"p ({comparison.correction})",
        *with_holes,
        *about_holes,
        *about_corpus,
        *verdict,
    ]
    over = f"{comparison.measure} over {counted(comparison.topics, 'topic')}"
    caption = f"Differences in {over}. {_mark_words(comparison, [])}"
    if about_holes:
        caption += (
            " Worst to best: over all grades of unjudged documents, R and the ideal ranking as they are. P(A>B): share"
            f" of {comparison.draws:,} draws of such grades in which A is better."
        )
    if with_holes:
        caption += " p, holes: the same of a paired t test on drawn grades, whose variance counts as well."
    if with_images:
        caption += f" Images: share of {comparison.images:,} images of the corpus on which A is better."
    return Table(header, rows, 2, caption, whole=".to_frame(table='pairs')")


def _has_verdicts(comparison: Comparison) -> bool:
    return any(row.verdict for row in comparison.pairs())


def _shown(comparison: Comparison) -> list[PairRow]:
    pairs = comparison.pairs()
    if comparison.baseline is not None or len(pairs) <= _ALL_PAIRS:
        return list(pairs)
    place = {row.run: i for i, row in enumerate(comparison.rows())}
    places = [(place[row.run], place[row.other]) for row in pairs]
    return [row for row, (a, b) in zip(pairs, places, strict=True) if 0 in (a, b) or abs(a - b) == 1]


def _rank_table(comparison: Comparison) -> list[Table]:
    """How often each run has each rank, where that fits."""
    runs = [row.run for row in comparison.rows()]
    if len(runs) > _ALL_RANKS:
        return []
    shares = {(row.run, row.rank): f"{row.share:.0%}" for row in comparison.ranks()}
    ranks = range(1, len(runs) + 1)
    rows = [[run, *(shares.get((run, rank), "") for rank in ranks)] for run in runs]
    caption = (
        f"How often each run has each rank by {comparison.measure}, in {comparison.draws:,} draws of grades and topics."
    )
    return [Table(["rank", *map(str, ranks)], rows, 1, caption)]


def _budget(comparison: Comparison) -> Table:
    """The sources that were looked at."""
    sources = ("holes", "topics", "corpus", "together")
    columns = [name for name in sources if any(getattr(row, name) is not None for row in comparison.budget())]
    if len(columns) == 2:  # one source alone is all there is
        columns.remove("together")
    rows = [[row.run, *(decimal(getattr(row, name)) for name in columns)] for row in comparison.budget()]
    caption = f"Standard deviation of mean {comparison.measure} from each source alone, and from all together."
    return Table(["uncertainty (sd)", *columns], rows, 1, caption, whole=".to_frame(table='budget')")


def _words(comparison: Comparison, form: str) -> list[str]:
    hidden = len(comparison.pairs()) - len(_shown(comparison))
    words = [comparison.summary()]
    if _has_verdicts(comparison):
        both = comparison.significance_with_holes()
        words.append(
            "Verdicts are about the holes on these topics; p-values are about other topics"
            + (f"; {both}" if both else "")
            + "."
        )
    if hidden:
        where = ".to_frame(table='pairs') has" if form == "notebook" else "-f json, tsv and csv have"
        words.append(f"{counted(hidden, 'pair is', 'pairs are')} not shown; {where} all of them.")
    if comparison.images is not None and form == "table":
        words.append(f"Images: share of {comparison.images:,} images of the corpus on which A is better.")
    if any(row.bounds == "conservative" and row.worst is not None for row in comparison.pairs()):
        words.append(f"Worst and best are conservative: {comparison.measure} is not a sum over documents.")
    return words


def _ranks(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"
