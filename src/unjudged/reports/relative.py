"""What runs add to others, as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from unjudged.reports.cells import decimal, percent
from unjudged.reports.layout import Table, fits, render_tables
from unjudged.reports.ranges import Ranges, is_chance_alone
from unjudged.reports.whole_table import SEPARATED, render_one_table
from unjudged.results.relative import AddedDocument, AddedRun, AddedTopic, FusedRuns, Relative
from unjudged.wording import counted

__all__ = ["relative_tables", "render_relative"]

_MOST_DOCUMENTS = 20
"""Judged documents of a run that tables for readers show, those that add most ..."""
_MOST_HOLES = 10
"""... and those that nobody judged."""
_MOST_PAIRED = 40
"""Runs up to which pairs are shown as a matrix where the width of a page does not matter."""
_WHY_EMPTY = {
    "documents": "no --explain was given",
    "pairs": "there is no second run",
    "choice": "no --choose was given",
    "fusion": "no --fuse was given",
    "groups": "neither --groups nor --types were given",
}
"""Why tables may have no rows; the others always have some."""


def render_relative(
    result: Relative, form: str, *, per_topic: bool = False, table: str | None = None, colour: bool = False
) -> str:
    """A result in one of the formats ``table``, ``markdown``, ``latex``, ``html``, ``json``, ``tsv``, ``csv``.

    With *table*, one of ``rows``, ``topics``, ``documents``, ``pairs``, ``choice``, ``fusion``, ``groups`` with all its
    rows; the last two have the first of these unless it is given.
    """
    if form == "json":
        return result.to_json(per_topic=per_topic)
    title = "What runs add to others"
    if table is not None or form in SEPARATED:
        why_empty = _WHY_EMPTY.get(table or "", "")
        return render_one_table(result, table, form, title=title, why_empty=why_empty, colour=colour)
    tables, words = relative_tables(result, form, per_topic=per_topic)
    return render_tables(tables, words, form, title=title, colour=colour)


def relative_tables(result: Relative, form: str, *, per_topic: bool = False) -> tuple[list[Table], list[str]]:
    """The tables of a form for readers, and what is said beside them."""
    tables = [_runs(result, form)]
    if per_topic:
        tables.append(_topics(result, result.topics()))
    tables += [*_groups(result), *_pairs(result, form), *_choice(result), *_fusion(result)]
    for run in dict.fromkeys(row.run for row in result.documents()):
        tables += _explained(result, run, per_topic=per_topic)
    return tables, _words(result, form, per_topic=per_topic)


# ---- tables


def _runs(result: Relative, form: str) -> Table:
    """All columns where there is room, else without rareness-based precision and TaSC, and then without types."""
    full = _run_table(result, full=True)
    if form != "table" or fits(full):
        return full
    some = _run_table(result, full=False)
    return some if fits(some, short_names=True) else _run_table(result, full=False, kinds=("group",))


def _run_table(result: Relative, *, full: bool, kinds: Sequence[str] = ("group", "type")) -> Table:
    names = _Names(result, kinds)
    rows = [
        [
            row.run,
            *names.holes(row),
            *names.kinds(row),
            *names.numbers(row),
            f"{row.unique:.2f}",
            *([decimal(row.rareness), decimal(row.tasc)] if full else []),
        ]
        for row in result.rows()
    ]
    older = [f"rare P@{result.pool_depth}", "TaSC"] if full else []
    header = ["run", *names.holes_header, *names.kinds_header, *names.header, "unique", *older]
    caption = (
        f"{result.absolute} and what runs add (NRG) over {counted(result.topics_count, 'topic')}. {result.reading()}"
        f" Prior sets: {result.priors}. Unique: relevant documents per topic that no prior run has in its top"
        f" {result.pool_depth}."
    )
    return Table(header, rows, 1 + len(names.holes_header) + len(names.kinds_header), caption, whole=".to_frame()")


def _topics(result: Relative, topics: Sequence[AddedTopic]) -> Table:
    names = _Names(result)
    rows = [[row.run, row.topic, *names.holes(row), *names.numbers(row), str(row.unique)] for row in topics]
    header = ["run", "topic", *names.holes_header, *names.header, "unique"]
    caption = f"What runs add, topic by topic. {result.reading()}"
    return Table(header, rows, 2 + len(names.holes_header), caption, whole=".to_frame(table='topics')")


class _Names:
    """The columns that runs and topics have in common, and whether there is something to show in them."""

    def __init__(self, result: Relative, kinds: Sequence[str] = ()) -> None:
        self.several = len({row.holes for row in result.rows()}) > 1
        self.bounded = any(row.low is not None for row in result.rows())
        at = "" if result.depth is None else f"@{result.depth}"
        self.holes_header = ["holes"] if self.several else []
        self.kinds_header = [kind for kind in kinds if any(getattr(row, kind) for row in result.rows())]
        self.header = [result.absolute, "NRG", *(["could be"] if self.bounded else []), f"judged{at}"]

    def holes(self, row: AddedRun | AddedTopic) -> list[str]:
        return [row.holes] if self.several else []

    def kinds(self, row: AddedRun) -> list[str]:
        return [getattr(row, kind) or "-" for kind in self.kinds_header]

    def numbers(self, row: AddedRun | AddedTopic) -> list[str]:
        chance_alone = isinstance(row, AddedRun) and is_chance_alone(row.holes)
        bounds = [Ranges().cell(row.nrg, row.low, row.high, chance_alone=chance_alone)] if self.bounded else []
        return [decimal(row.absolute), decimal(row.nrg), *bounds, percent(row.judged)]


def _pairs(result: Relative, form: str) -> list[Table]:
    """A matrix where it fits: what the run of a row adds to that of a column, which has a number for a name."""
    runs = list(dict.fromkeys(row.run for row in result.pairs()))
    prior_runs = [*runs, *dict.fromkeys(row.prior_run for row in result.pairs() if row.prior_run not in runs)]
    if len(prior_runs) < 2 or (form != "table" and len(prior_runs) > _MOST_PAIRED):
        return []
    cells = {(row.run, row.prior_run): f"{row.nrg:.2f}".removeprefix("0") for row in result.pairs()}
    number = {run: str(i) for i, run in enumerate(prior_runs, start=1)}
    rows = [
        [f"{number[run]} {run}", *(cells.get((run, prior_run), "") for prior_run in prior_runs)] for run in prior_runs
    ]
    header = ["adds to", *number.values()]
    table = Table(header, rows, 1, "NRG of the run of a line after the run of a column alone.")
    return [table] if form != "table" or fits(table, short_names=True) else []


def _groups(result: Relative) -> list[Table]:
    """A table for groups, and one for types."""
    tables = []
    for grouping in dict.fromkeys(row.grouping for row in result.groups()):
        rows = [
            [row.group, row.best, str(row.runs), decimal(row.absolute), decimal(row.nrg), str(row.unique)]
            for row in result.groups()
            if row.grouping == grouping
        ]
        caption = (
            f"Means over the runs of each {grouping}, and relevant documents that only one {grouping} has in its top"
            f" {result.pool_depth}."
        )
        header = [grouping, "best run", "runs", result.absolute, "NRG", f"found by no other {grouping}"]
        tables.append(Table(header, rows, 2, caption, whole=".to_frame(table='groups')"))
    return tables


def _choice(result: Relative) -> list[Table]:
    rows = [
        [str(row.step), row.run, decimal(row.nrg), percent(row.relevant), f"{row.judgments:,}", f"{row.unjudged:,}"]
        for row in result.choice()
    ]
    per_judgment = " for each new judgment" if result.settings.get("choose_by") == "gain-per-judgment" else ""
    most = "adds most per judgment" if per_judgment else "run that adds most"
    header = ["step", most, "NRG", f"relevant@{result.pool_depth}", "judgments", "unjudged"]
    caption = f"Runs in the order in which each adds most{per_judgment} to those before it."
    return [Table(header, rows, 2, caption, whole=".to_frame(table='choice')")] if rows else []


def _fusion(result: Relative) -> list[Table]:
    """The best run alone in the first lines, then one fused run more in each."""
    fused = result.fusion()
    if not fused:
        return []
    models = list(dict.fromkeys(row.holes for row in fused))
    bounded = any(row.low is not None for row in fused)

    def cells(row: FusedRuns, *, alone: bool) -> list[str]:
        start = "best_" if alone else ""
        score, low, high, judged = (getattr(row, start + name) for name in ("score", "low", "high", "judged"))
        return [
            "best run" if alone else str(row.runs),
            row.best if alone else row.last,
            *([row.holes] if len(models) > 1 else []),
            decimal(score),
            *([Ranges().cell(score, low, high, chance_alone=is_chance_alone(row.holes))] if bounded else []),
            percent(judged),
        ]

    rows = [cells(row, alone=True) for row in fused[: len(models)]] + [cells(row, alone=False) for row in fused]
    holes, bounds = ["holes"] if len(models) > 1 else [], ["could be"] if bounded else []
    header = ["fused", "with", *holes, result.absolute, *bounds, "judged"]
    caption = f"Chosen runs fused by {result.settings['fusion']}, one more in each line, and the best run alone."
    return [Table(header, rows, 2 + len(holes), caption, whole=".to_frame(table='fusion')")]


def _explained(result: Relative, run: str, *, per_topic: bool) -> list[Table]:
    """One run: its topics, unless they are shown already, and its documents."""
    documents = [row for row in result.documents() if row.run == run]
    judged = sorted((row for row in documents if row.grade is not None), key=lambda row: -row.added)
    holes = sorted((row for row in documents if row.grade is None), key=lambda row: -row.added)
    topics = [] if per_topic else [_topics(result, [row for row in result.topics() if row.run == run])]
    header = ["document that adds most", "topic", "rank", "grade", "found by", "left", "adds"]
    caption = f"Documents by which {run} adds most."
    tables = [*topics, Table(header, list(map(_document, judged[:_MOST_DOCUMENTS])), 2, caption)]
    if holes:
        header = ["unjudged document", *header[1:-1], "could add"]
        caption = f"Unjudged documents by which {run} could add most."
        tables.append(Table(header, list(map(_document, holes[:_MOST_HOLES])), 2, caption))
    return tables


def _document(row: AddedDocument) -> list[str]:
    grade = "-" if row.grade is None else str(row.grade)
    return [row.doc, row.topic, str(row.rank), grade, str(row.found_by), decimal(row.left, 3), decimal(row.added)]


# ---- words


def _words(result: Relative, form: str, *, per_topic: bool) -> list[str]:
    words = [result.summary()]
    if form != "notebook":  # where captions say this
        words += [
            result.reading(),
            f"Prior sets: {result.priors}.",
            f"unique: documents of grade {result.rel} or higher per topic that no prior run has in its top"
            f" {result.pool_depth}; what nobody judged does not count.",
        ]
    if _Names(result).bounded:
        models = ", ".join(dict.fromkeys(row.holes for row in result.rows() if row.low is not None))
        words.append(f"could be: NRG by the labels that the run's own unjudged documents could get ({models}).")
        ranges = Ranges()
        for row in result.rows():
            ranges.cell(row.nrg, row.low, row.high, chance_alone=is_chance_alone(row.holes))
        words += ranges.words()
    if result.choice():
        words.append(
            f"relevant@{result.pool_depth}: share of the relevant documents that the runs so far have in their top"
            f" {result.pool_depth}; judgments: judged documents there that only this run brings; unjudged: those that"
            " nobody judged, which count neither as gain nor as cost, though a pool would have to have them judged."
        )
    if result.pairs() and not _pairs(result, form):
        there = ".to_frame(table='pairs') has" if form == "notebook" else "--table pairs has"
        words.append(f"Pairs are not shown; {there} them.")
    shown = Counter((row.run, row.grade is None) for row in result.documents())
    hidden = any(count > (_MOST_HOLES if is_hole else _MOST_DOCUMENTS) for (_, is_hole), count in shown.items())
    if hidden or per_topic:
        there = ".to_frame(table='topics')" if form == "notebook" else "--table topics"
        words.append(f"{there} (or documents) has all rows.")
    return words
