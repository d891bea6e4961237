"""A history of releases as tables: their scores, and where changes come from."""

from __future__ import annotations

from collections.abc import Sequence

from unjudged.errors import some_of
from unjudged.reports.cells import UNKNOWN, Table, between, decimal, percent
from unjudged.reports.layout import render_columns, render_tables
from unjudged.reports.model_names import short_model_names
from unjudged.results.history import ChangeRow, History, Release, ReleaseRow
from unjudged.wording import counted, visible

__all__ = ["added_release", "history_tables", "render_history"]


def render_history(history: History, form: str, *, table: str = "releases", colour: bool = False) -> str:
    """A history as ``table``, ``markdown``, ``latex``, ``html``, ``json``, ``tsv`` or ``csv``.

    *table*: which one ``tsv`` and ``csv`` have: ``releases`` or ``changes``.
    """
    if form == "json":
        return history.to_json()
    if form in {"tsv", "csv"}:
        return render_columns(history.to_dict(table), form)
    return render_tables(*history_tables(history), form, title=f"History: {history.path}", colour=colour)


def added_release(history: History) -> str:
    """What is said of the last release, which was added just now."""
    new = history.entries[-1]
    tables = [table for measure in _measures(history) for table in [_scores(history, measure, [new])] if table.rows]
    words = [f"{new.release} is added to {history.path}, which has {counted(len(history.entries), 'release')} now."]
    return render_tables(tables, [*words, *_last_changes(history)], "table")


def history_tables(history: History) -> tuple[list[Table], list[str]]:
    """Two tables for each measure, and what is said beside them."""
    tables = []
    for measure in _measures(history):
        tables.append(_scores(history, measure, history.entries))
        changes = [row for row in history.changes() if row.measure == measure]
        if changes:
            tables.append(_changes(changes, measure))
    if not history.entries:
        return [], [f"{history.path} has no release yet; unjudged history add puts some in."]
    return tables, [*_last_changes(history), *_explained(history)]


def _measures(history: History) -> list[str]:
    return list(dict.fromkeys(row.measure for row in history.releases()))


# ---- scores


def _scores(history: History, measure: str, shown: Sequence[Release]) -> Table:
    """A row for each release: its score, what it could be, what is likely, and how much was judged."""
    names = {one.release for one in shown}
    rows = [row for row in history.releases() if row.measure == measure and row.release in names]
    models = list(dict.fromkeys(row.holes for row in rows))
    plain = models[:1]
    bounds = [one for one in models if any(row.range == "bounds" for row in rows if row.holes == one)]
    likely = [one for one in models if one not in (*plain, *bounds)]
    short = dict(zip(models, short_model_names(models), strict=True))
    header = [measure]
    header += ["could be" if len(bounds) == 1 else short[one] for one in bounds]
    for one in likely:
        header += ["likely" if len(likely) == 1 else short[one], "interval"]
    dated = any(row.date for row in rows)
    cells = []
    for release in shown:
        own = {row.holes: row for row in rows if row.release == release.release}
        if not own:
            continue
        line = [release.release, *([release.date or UNKNOWN] if dated else [])]
        line += [_value(own.get(one)) for one in plain]
        line += [_range(own.get(one)) for one in bounds]
        line += [cell for one in likely for cell in (_value(own.get(one)), _range(own.get(one)))]
        cells.append([*line, percent(next(iter(own.values())).judged)])
    title = f"{measure} of {counted(len(cells), 'release')}"
    left = 1 + dated
    names_of = ["release", *(["date"] if dated else [])]
    return Table([*names_of, *header, "judged"], cells, left, f"{title}.", title=title, whole=".to_frame()")


def _value(row: ReleaseRow | None) -> str:
    return "" if row is None else decimal(row.value)


def _range(row: ReleaseRow | None) -> str:
    return "" if row is None else between(row.low, row.high)


# ---- changes


def _changes(rows: Sequence[ChangeRow], measure: str) -> Table:
    """A row for each release and hole model: how much its score changed, and through what."""
    models = list(dict.fromkeys(row.holes for row in rows))
    short = dict(zip(models, short_model_names(models), strict=True))
    columns = {"change": "change", "ranker": "ranker", "ranker_new_qrels": "ranker, new", "judgments": "judgments"}
    columns |= {one: one for one in ("topics", "other") if any(getattr(row, one) for row in rows)}
    cells = [
        [
            row.release,
            row.previous,
            *([short[row.holes]] if len(models) > 1 else []),
            *(_signed(getattr(row, one)) for one in columns),
        ]
        for row in rows
    ]
    title = f"{measure}: changes, and where they come from"
    header = ["release", "since", *(["unjudged"] if len(models) > 1 else []), *columns.values()]
    whole = ".to_frame(table='changes')"
    return Table(header, cells, len(header) - len(columns), f"{title}.", title=title, whole=whole)


def _signed(value: float | None) -> str:
    if value is None:
        return UNKNOWN
    return f"{value:+.4f}" if abs(value) >= 0.00005 else "0.0000"


def _last_changes(history: History) -> list[str]:
    """What changed with the last release, in a sentence for each measure; and why that is not known."""
    last = history.entries[-1]
    if last.previous is None:
        return []
    rows = [row for row in history.changes() if row.release == last.release and row.change is not None]
    first = dict(reversed([(row.measure, row.holes) for row in rows]))
    words = [_sentence(row, last, plain=first[row.measure] == row.holes) for row in rows]
    return [*words, *_not_told([last])]


def _sentence(row: ChangeRow, release: Release, *, plain: bool) -> str:
    how = "" if plain else f" ({row.holes})"
    start = f"{row.release} since {row.previous}: {row.measure}{how} {_signed(row.change)}"
    if row.ranker is None or row.judgments is None:
        return f"{start}; how much of that is the ranker is not known."
    both = ""
    if plain and row.ranker_earlier_qrels is not None and row.ranker_new_qrels is not None:
        both = (
            f" ({_signed(row.ranker_earlier_qrels)} under the earlier judgments,"
            f" {_signed(row.ranker_new_qrels)} under the new ones)"
        )
    counts = (
        "" if release.previous is None or release.previous.judgments is None else _counts(release.previous.judgments)
    )
    text = f"{start}: {_signed(row.ranker)} by the ranker{both}, {_signed(row.judgments)} by the judgments{counts}"
    if row.topics:
        text += f", {_signed(row.topics)} by topics that only one of them has"
    if row.other:
        text += f", {_signed(row.other)} by what is computed otherwise today than for {row.previous}"
    return f"{text}.{_DISAGREE if plain and _disagree(row) else ''}"


_DISAGREE = (
    " The earlier and the new judgments disagree about the ranker: rather believe those under which more of both runs"
    " is judged."
)


def _disagree(row: ChangeRow) -> bool:
    """Whether one of two runs is better under the earlier judgments, and the other under the new ones."""
    return (row.ranker_earlier_qrels or 0.0) * (row.ranker_new_qrels or 0.0) < 0


def _counts(judgments: tuple[int, int, int]) -> str:
    added, changed, removed = judgments
    return f" ({added:,} new, {changed:,} changed, {removed:,} gone)"


def _not_told(releases: Sequence[Release]) -> list[str]:
    """Why some changes are not told apart, or in part."""
    return [
        f"{one.release} since {one.previous.release}: {one.previous.missing}."
        for one in releases
        if one.previous is not None and one.previous.missing
    ]


def _explained(history: History) -> list[str]:
    """What the columns are, and which earlier releases could not be told apart."""
    words = []
    if history.changes():
        words.append(
            "Ranker: what the new run instead of the earlier one changes, the mean of that under the earlier and under"
            " the new judgments (ranker, new: under the new ones alone); judgments: what the new ones change, the mean"
            " of that for both runs. Documents that nobody judged may have moved a score, too: see what it could be."
        )
    others = [one for one in history.entries[:-1] if one.previous is not None and one.previous.missing]
    if others:
        names = some_of([one.release for one in others], 3)
        words.append(f"Not all known, because files were not there: {names}; -f json says why.")
    lost = [one.release for one in history.entries if one.previous and one.previous.release not in history.by_name]
    if lost:
        words.append(f"The release before is not in this file: {some_of(lost, 3)}.")
    return [visible(one) for one in words]
