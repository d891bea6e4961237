"""What runs add to others, as tables."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence

from unjudged.data.relative import AddedDocument, AddedRun, AddedTopic, Relative
from unjudged.report import html, layout

__all__ = ["render_relative"]

_LAYOUTS: dict[str, Callable[..., str]] = {
    "table": layout.aligned,
    "markdown": layout.markdown,
    "latex": layout.latex,
    "html": html.table,
}
_MOST_DOCUMENTS = 20
"""Documents of a run that tables for readers show, those that add most; and half as many that nobody judged."""
_MOST_PAIRED = 40
"""Runs up to which pairs are shown as a matrix where the width of a page does not matter."""

Table = tuple[list[str], list[list[str]], int]


def render_relative(found: Relative, form: str, *, per_topic: bool = False, table: str = "rows") -> str:
    """A result in one of the formats ``table``, ``markdown``, ``latex``, ``html``, ``json``, ``tsv``, ``csv``.

    The last two have one *table*: ``rows``, ``topics``, ``documents``, ``pairs``, ``choice`` or ``groups``.
    """
    if form == "json":
        return found.to_json(per_topic=per_topic)
    if form in {"tsv", "csv"}:
        columns = found.to_dict(table)
        cells = [["" if cell is None else str(cell) for cell in row] for row in zip(*columns.values(), strict=True)]
        return layout.delimited(list(columns), cells, "\t" if form == "tsv" else ",")
    tables = [_runs(found, form)]
    if per_topic:
        tables.append(_topics(found, found.topics()))
    tables += [*_groups(found), *_pairs(found, form), *_choice(found)]
    for run in dict.fromkeys(row.run for row in found.documents()):
        tables += _explained(found, run, per_topic=per_topic)
    if form == "table":
        tables = [(header, layout.shortened(header, rows, left), left) for header, rows, left in tables]
    parts = [_LAYOUTS[form](header, rows, left=left) for header, rows, left in tables]
    words = _words(found, form, per_topic=per_topic)
    if form == "html":
        return html.page("What runs add to others", parts, words)
    if form == "latex":
        return "\n\n".join(parts)
    if form == "table":
        words = [textwrap.fill(text, max(layout.screen_width(), layout.WIDEST)) for text in words]
    return "\n\n".join([*parts, "\n".join(words)])


# ---- tables


def _runs(found: Relative, form: str) -> Table:
    """All columns where there is room, else without rareness-based precision and TaSC."""
    full = _run_table(found, full=True)
    too_wide = layout.table_width(full[0], full[1]) > max(layout.screen_width(), layout.WIDEST)
    return _run_table(found, full=False) if form == "table" and too_wide else full


def _run_table(found: Relative, *, full: bool) -> Table:
    names = _Names(found)
    rows = [
        [
            row.run,
            *names.holes(row),
            *([row.group or "-"] if names.groups else []),
            *names.numbers(row),
            f"{row.unique:.2f}",
            *([f"{row.rareness:.4f}", f"{row.tasc:.4f}"] if full else []),
        ]
        for row in found.rows()
    ]
    older = [f"rare P@{found.pool_depth}", "TaSC"] if full else []
    header = ["run", *names.holes_header, *(["group"] if names.groups else []), *names.header, "unique", *older]
    return header, rows, 1 + len(names.holes_header) + names.groups


def _topics(found: Relative, topics: Sequence[AddedTopic]) -> Table:
    names = _Names(found)
    rows = [[row.run, row.topic, *names.holes(row), *names.numbers(row), str(row.unique)] for row in topics]
    return ["run", "topic", *names.holes_header, *names.header, "unique"], rows, 2 + len(names.holes_header)


class _Names:
    """The columns that runs and topics have in common, and whether there is something to show in them."""

    def __init__(self, found: Relative) -> None:
        self.several = len({row.holes for row in found.rows()}) > 1
        self.groups = any(row.group is not None for row in found.rows())
        self.bounded = any(row.low is not None for row in found.rows())
        at = "" if found.depth is None else f"@{found.depth}"
        self.holes_header = ["holes"] if self.several else []
        self.header = [found.absolute, "NRG", *(["could be"] if self.bounded else []), f"judged{at}"]

    def holes(self, row: AddedRun | AddedTopic) -> list[str]:
        return [row.holes] if self.several else []

    def numbers(self, row: AddedRun | AddedTopic) -> list[str]:
        bounds = [_range(row.low, row.high)] if self.bounded else []
        return [f"{row.absolute:.4f}", f"{row.nrg:.4f}", *bounds, _percent(row.judged)]


def _pairs(found: Relative, form: str) -> list[Table]:
    """A matrix where it fits: what the run of a row adds to that of a column, which has a number for a name."""
    runs = list(dict.fromkeys(row.run for row in found.pairs()))
    priors = [*runs, *dict.fromkeys(row.prior for row in found.pairs() if row.prior not in runs)]
    cells = {(row.run, row.prior): f"{row.nrg:.2f}".removeprefix("0") for row in found.pairs()}
    if len(priors) < 2:
        return []
    number = {run: str(i) for i, run in enumerate(priors, start=1)}
    rows = [[f"{number[run]} {run}", *(cells.get((run, prior), "") for prior in priors)] for run in priors]
    header = ["adds to", *number.values()]
    short = layout.shortened(header, rows, 1)
    fits = layout.table_width(header, short) <= max(layout.screen_width(), layout.WIDEST)
    return [(header, rows, 1)] if (fits if form == "table" else len(priors) <= _MOST_PAIRED) else []


def _groups(found: Relative) -> list[Table]:
    rows = [[row.group, row.best, str(row.runs), str(row.unique)] for row in found.groups()]
    return [(["group", "best run", "runs", "found by no other group"], rows, 2)] if rows else []


def _choice(found: Relative) -> list[Table]:
    rows = [[str(row.step), row.run, f"{row.nrg:.4f}", f"{row.relevant:.1%}"] for row in found.choice()]
    return [(["step", "run that adds most", "NRG", f"relevant in top {found.pool_depth}"], rows, 2)] if rows else []


def _explained(found: Relative, run: str, *, per_topic: bool) -> list[Table]:
    """One run: its topics, unless they are shown already, and its documents."""
    documents = [row for row in found.documents() if row.run == run]
    judged = sorted((row for row in documents if row.grade is not None), key=lambda row: -row.added)
    holes = sorted((row for row in documents if row.grade is None), key=lambda row: -row.added)
    topics = [] if per_topic else [_topics(found, [row for row in found.topics() if row.run == run])]
    header = ["document that adds most", "topic", "rank", "grade", "found by", "left", "adds"]
    tables = [*topics, (header, list(map(_document, judged[:_MOST_DOCUMENTS])), 2)]
    if holes:
        header = ["unjudged document", *header[1:-1], "could add"]
        tables.append((header, list(map(_document, holes[: _MOST_DOCUMENTS // 2])), 2))
    return tables


def _document(row: AddedDocument) -> list[str]:
    grade = "-" if row.grade is None else str(row.grade)
    return [row.doc, row.topic, str(row.rank), grade, str(row.found_by), f"{row.left:.3f}", f"{row.added:.4f}"]


# ---- words


def _words(found: Relative, form: str, *, per_topic: bool) -> list[str]:
    words = [
        found.summary(),
        found.reading(),
        f"Prior sets: {found.priors}.",
        f"unique: documents of grade {found.rel} or higher per topic that no prior run has in its top"
        f" {found.pool_depth}; what nobody judged does not count.",
    ]
    if _Names(found).bounded:
        models = ", ".join(dict.fromkeys(row.holes for row in found.rows() if row.low is not None))
        words.append(f"could be: NRG by the labels that the run's own unjudged documents could get ({models}).")
    if found.pairs() and not _pairs(found, form):
        words.append("Pairs are not shown; -f json has them, and -f tsv --table pairs.")
    hidden = len(found.documents()) > _MOST_DOCUMENTS
    if hidden or per_topic:
        words.append("-f tsv --table topics (or documents) has all rows.")
    return words


# ---- cells


def _range(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return "-"
    return "" if low == high else f"{low:.4f}-{high:.4f}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"
