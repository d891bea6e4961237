"""What runs add to others, as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from unjudged.reports.cells import between, decimal, percent
from unjudged.reports.layout import Table, fits, render_columns, render_tables
from unjudged.results.relative import AddedDocument, AddedRun, AddedTopic, Relative
from unjudged.wording import counted

__all__ = ["relative_tables", "render_relative"]

_MOST_DOCUMENTS = 20
"""Judged documents of a run that tables for readers show, those that add most ..."""
_MOST_HOLES = 10
"""... and those that nobody judged."""
_MOST_PAIRED = 40
"""Runs up to which pairs are shown as a matrix where the width of a page does not matter."""


def render_relative(
    result: Relative, form: str, *, per_topic: bool = False, table: str = "rows", colour: bool = False
) -> str:
    """A result in one of the formats ``table``, ``markdown``, ``latex``, ``html``, ``json``, ``tsv``, ``csv``.

    The last two have one *table*: ``rows``, ``topics``, ``documents``, ``pairs``, ``choice`` or ``groups``.
    """
    if form == "json":
        return result.to_json(per_topic=per_topic)
    if form in {"tsv", "csv"}:
        return render_columns(result.to_dict(table), form)
    tables, words = relative_tables(result, form, per_topic=per_topic)
    return render_tables(tables, words, form, title="What runs add to others", colour=colour)


def relative_tables(result: Relative, form: str, *, per_topic: bool = False) -> tuple[list[Table], list[str]]:
    """The tables of a form for readers, and what is said beside them."""
    tables = [_runs(result, form)]
    if per_topic:
        tables.append(_topics(result, result.topics()))
    tables += [*_groups(result), *_pairs(result, form), *_choice(result)]
    for run in dict.fromkeys(row.run for row in result.documents()):
        tables += _explained(result, run, per_topic=per_topic)
    return tables, _words(result, form, per_topic=per_topic)


# ---- tables


def _runs(result: Relative, form: str) -> Table:
    """All columns where there is room, else without rareness-based precision and TaSC."""
    full = _run_table(result, full=True)
    return full if form != "table" or fits(full) else _run_table(result, full=False)


def _run_table(result: Relative, *, full: bool) -> Table:
    names = _Names(result)
    rows = [
        [
            row.run,
            *names.holes(row),
            *([row.group or "-"] if names.groups else []),
            *names.numbers(row),
            f"{row.unique:.2f}",
            *([decimal(row.rareness), decimal(row.tasc)] if full else []),
        ]
        for row in result.rows()
    ]
    older = [f"rare P@{result.pool_depth}", "TaSC"] if full else []
    header = ["run", *names.holes_header, *(["group"] if names.groups else []), *names.header, "unique", *older]
    caption = (
        f"{result.absolute} and what runs add (NRG) over {counted(result.topics_count, 'topic')}. {result.reading()}"
        f" Prior sets: {result.priors}. Unique: relevant documents per topic that no prior run has in its top"
        f" {result.pool_depth}."
    )
    return Table(header, rows, 1 + len(names.holes_header) + names.groups, caption, whole=".to_frame()")


def _topics(result: Relative, topics: Sequence[AddedTopic]) -> Table:
    names = _Names(result)
    rows = [[row.run, row.topic, *names.holes(row), *names.numbers(row), str(row.unique)] for row in topics]
    header = ["run", "topic", *names.holes_header, *names.header, "unique"]
    caption = f"What runs add, topic by topic. {result.reading()}"
    return Table(header, rows, 2 + len(names.holes_header), caption, whole=".to_frame(table='topics')")


class _Names:
    """The columns that runs and topics have in common, and whether there is something to show in them."""

    def __init__(self, result: Relative) -> None:
        self.several = len({row.holes for row in result.rows()}) > 1
        self.groups = any(row.group is not None for row in result.rows())
        self.bounded = any(row.low is not None for row in result.rows())
        at = "" if result.depth is None else f"@{result.depth}"
        self.holes_header = ["holes"] if self.several else []
        self.header = [result.absolute, "NRG", *(["could be"] if self.bounded else []), f"judged{at}"]

    def holes(self, row: AddedRun | AddedTopic) -> list[str]:
        return [row.holes] if self.several else []

    def numbers(self, row: AddedRun | AddedTopic) -> list[str]:
        bounds = [between(row.low, row.high)] if self.bounded else []
        return [decimal(row.absolute), decimal(row.nrg), *bounds, percent(row.judged)]


def _pairs(result: Relative, form: str) -> list[Table]:
    """A matrix where it fits: what the run of a row adds to that of a column, which has a number for a name."""
    runs = list(dict.fromkeys(row.run for row in result.pairs()))
    priors = [*runs, *dict.fromkeys(row.prior for row in result.pairs() if row.prior not in runs)]
    if len(priors) < 2 or (form != "table" and len(priors) > _MOST_PAIRED):
        return []
    cells = {(row.run, row.prior): f"{row.nrg:.2f}".removeprefix("0") for row in result.pairs()}
    number = {run: str(i) for i, run in enumerate(priors, start=1)}
    rows = [[f"{number[run]} {run}", *(cells.get((run, prior), "") for prior in priors)] for run in priors]
    header = ["adds to", *number.values()]
    table = Table(header, rows, 1, "NRG of the run of a line after the run of a column alone.")
    return [table] if form != "table" or fits(table, short_names=True) else []


def _groups(result: Relative) -> list[Table]:
    rows = [[row.group, row.best, str(row.runs), str(row.unique)] for row in result.groups()]
    caption = f"Relevant documents that only one group has in its top {result.pool_depth}."
    header = ["group", "best run", "runs", "found by no other group"]
    return [Table(header, rows, 2, caption, whole=".to_frame(table='groups')")] if rows else []


def _choice(result: Relative) -> list[Table]:
    rows = [[str(row.step), row.run, decimal(row.nrg), percent(row.relevant)] for row in result.choice()]
    header = ["step", "run that adds most", "NRG", f"relevant in top {result.pool_depth}"]
    caption = "Runs in the order in which each adds most to those before it."
    return [Table(header, rows, 2, caption, whole=".to_frame(table='choice')")] if rows else []


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
    if result.pairs() and not _pairs(result, form):
        there = ".to_frame(table='pairs') has" if form == "notebook" else "-f json and -f tsv --table pairs have"
        words.append(f"Pairs are not shown; {there} them.")
    shown = Counter((row.run, row.grade is None) for row in result.documents())
    hidden = any(count > (_MOST_HOLES if is_hole else _MOST_DOCUMENTS) for (_, is_hole), count in shown.items())
    if hidden or per_topic:
        there = ".to_frame(table='topics')" if form == "notebook" else "-f tsv --table topics"
        words.append(f"{there} (or documents) has all rows.")
    return words
