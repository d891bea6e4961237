"""Scores as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from unjudged.errors import some_of
from unjudged.reports.cells import UNKNOWN, decimal, percent, span
from unjudged.reports.layout import Table, fits, keeps_names, render_columns, render_tables
from unjudged.reports.ranges import Ranges
from unjudged.reports.score_cells import (
    COULD_BE,
    at_depth,
    cells_of_score,
    has_range,
    share_names,
    shares_of_score,
)
from unjudged.reports.score_columns import tables_by_measure
from unjudged.results.scores import ALL_TOPICS, HoleRow, ScoreRows, Scores, SegmentRow, UnjudgedRow
from unjudged.results.tabular import columns_of
from unjudged.wording import counted

if TYPE_CHECKING:
    from unjudged.data.texts import ModelSize

__all__ = ["explained_holes", "render_scores", "score_tables", "subtopic_model_words"]


def render_scores(
    scores: Scores,
    form: str,
    *,
    per_topic: bool = False,
    long: bool = False,
    table: str = "scores",
    colour: bool = False,
) -> str:
    """Scores in one of the formats ``table``, ``markdown``, ``latex``, ``tsv``, ``csv``, ``json``.

    Hole models are columns, or rows where a table is *long*, as the last three always are. *table*: which one ``tsv``
    and ``csv`` have: ``scores``, ``segments`` or ``unjudged``.
    """
    if form == "json":
        return scores.to_json(per_topic=per_topic)
    if form in {"tsv", "csv"} and table == "segments":
        return render_columns(columns_of(scores.segments, SegmentRow), form)
    if form in {"tsv", "csv"} and table == "unjudged":
        columns = columns_of(scores.unjudged, UnjudgedRow) | {
            "ranks": [" ".join(_ranks(row)) for row in scores.unjudged]
        }
        return render_columns(columns, form)
    if form in {"tsv", "csv"}:
        return render_columns(ScoreRows([*scores.mean(), *(scores.per_topic() if per_topic else ())]).to_dict(), form)
    tables, words = score_tables(scores, form, per_topic=per_topic, long=long)
    return render_tables(tables, words, form, colour=colour)


def score_tables(
    scores: Scores, form: str, *, per_topic: bool = False, long: bool = False
) -> tuple[list[Table], list[str]]:
    """The tables of a form for readers, and what is said beside them."""
    topics = _topics(scores, per_topic=per_topic)
    order = _best_first(scores)
    tables, marks = tables_by_measure(scores, order, topics) if len(scores.holes) > 1 and not long else ([], [])
    if not tables or (form == "table" and not all(map(keeps_names, tables))):
        table, marks = _table(scores, order, topics)
        if len(scores.measures) > 1 and (long or (form == "table" and not fits(table))):
            table, marks = _table(scores, order, topics, long=True)
        tables = [replace(table, caption=_caption(scores))]
    if form == "latex":  # which has captions instead of sentences
        tables = [replace(table, caption=" ".join([table.caption, *marks])) for table in tables]
    holes, words = explained_holes(scores.explained)
    more, assumed = _assisted(scores)
    words = [*subtopic_model_words(scores.subtopic_models), *(words if form == "table" else [])]
    heavy, weights = _unjudged_tables(scores)
    words = [*weights, *words]
    return [*tables, *_segment_tables(scores, order), *heavy, *holes, *more], [*marks, *assumed, *words]


def _assisted(scores: Scores) -> tuple[list[Table], list[str]]:
    """Estimates with labels, which most scores do not have, and what they assume."""
    if scores.assisted is None:
        return [], []
    from unjudged.reports.assisted import assisted_tables

    return assisted_tables(scores.assisted)


def _segment_tables(scores: Scores, order: Sequence[int]) -> list[Table]:
    """A table for each measure and hole model: runs, best first, and a mean with its interval for each segment."""
    place = {scores.runs[run]: i for i, run in enumerate(order)}
    tables = []
    for measure, holes in dict.fromkeys((row.measure, row.holes) for row in scores.segments):
        mine = [row for row in scores.segments if (row.measure, row.holes) == (measure, holes)]
        mine.sort(key=lambda row: place[row.run])  # segments stay in their order
        rows = [
            [row.run, row.segment, f"{row.topics:,}", decimal(row.value), span(row.low, row.high), percent(row.judged)]
            for row in mine
        ]
        title = f"{measure} by segment, unjudged documents: {holes}; 95% intervals over topics"
        header = ["run", "segment", "topics", measure, "95% interval", "judged"]
        tables.append(Table(header, rows, 2, f"{title}.", title=title, whole=".segments"))
    return tables


_WEIGHT_WORDS = (
    "weight: the part of what the measure looks at that the document is, by rank, on average over runs and topics;"
    " left: what is unjudged once it and those above are judged; ranks: where runs have it."
)


def _unjudged_tables(scores: Scores) -> tuple[list[Table], list[str]]:
    """A table for each measure: the unjudged documents that weigh most; and what the columns are."""
    tables = []
    for measure in dict.fromkeys(row.measure for row in scores.unjudged):
        mine = [row for row in scores.unjudged if row.measure == measure]
        cells = [
            [row.topic, row.doc, f"{row.weight:.3%}", percent(row.left), f"{row.runs:,}", some_of(_ranks(row), 2)]
            for row in mine
        ]
        title = f"Unjudged documents that weigh most in {measure}"
        header = ["topic", "document", "weight", "left", "runs", "ranks"]
        tables.append(Table(header, cells, 2, f"{title}. {_WEIGHT_WORDS}", title=title, whole=".unjudged"))
    return tables, [_WEIGHT_WORDS] if tables else []


def _ranks(row: UnjudgedRow) -> list[str]:
    return [f"{run}:{rank}" for run, rank in row.ranks]


def _topics(scores: Scores, *, per_topic: bool) -> list[tuple[str, tuple[int, ...]]]:
    """What rows are about, and where it is in arrays: topics, where they are asked for, and the summary."""
    single = [(topic, (t,)) for t, topic in enumerate(scores.topics)] if per_topic else []
    return [*single, (ALL_TOPICS, ())]


def _table(
    scores: Scores, order: Sequence[int], topics: Sequence[tuple[str, tuple[int, ...]]], *, long: bool = False
) -> tuple[Table, list[str]]:
    """One row per run (hole model, topic) with a column per measure or, where it is *long*, one row per number.

    The shares in a row go with its first measure. Also what is said of ranges that promise less than they seem to.
    """
    ranges = Ranges()
    several, per_topic = len(scores.holes) > 1, len(topics) > 1
    measures = range(len(scores.measures))
    ranged = [has_range(scores, m) for m in measures]
    if long:
        ranged = [any(ranged)] * len(ranged)
    shares = share_names(scores, "" if long else at_depth(scores, 0))
    rows = []
    for r in order:
        for together in [[m] for m in measures] if long else [measures]:
            name = [scores.measures[together[0]]] if long else []
            for h, hole in enumerate(scores.holes):
                if not any(scores.is_asked(h, m) for m in together):
                    continue
                for topic, t in topics:
                    values = [
                        cell
                        for m in together
                        for cell in cells_of_score(scores, (h, m, r, *t), ranges if ranged[m] else None)
                    ]
                    lead = [scores.runs[r], *name, *([hole] if several else []), *([topic] if per_topic else [])]
                    rows.append([*lead, *values, *shares_of_score(scores, (h, together[0], r, *t), len(shares))])
    names = ["value"] if long else scores.measures
    numbers = [column for m, name in enumerate(names) for column in (name, *([COULD_BE] if ranged[m] else []))]
    keys = ["run", *(["measure"] if long else []), *(["holes"] if several else []), *(["topic"] if per_topic else [])]
    return Table([*keys, *numbers, *shares], rows, len(keys), whole=".to_frame()"), ranges.words()


def _caption(scores: Scores) -> str:
    topics = counted(len(scores.topics), "topic")
    models = f"Unjudged documents: {', '.join(scores.holes)}."
    depth = "" if scores.depths[0] is None else f" among the first {scores.depths[0]}"
    ranged = any(has_range(scores, m) for m in range(len(scores.measures)))
    could_be = f" {COULD_BE.capitalize()}: what their grades leave possible, or an interval of draws." if ranged else ""
    return f"{', '.join(scores.measures)} over {topics}. {models}{could_be} Judged: share of judged documents{depth}."


def _best_first(scores: Scores) -> Sequence[int]:
    first = np.nan_to_num(scores.means[0, 0], nan=-np.inf)
    return np.argsort(-first, kind="stable").tolist()  # type: ignore[no-any-return]


_HOLE_WORDS = (
    "groups: other groups that return the document; best: at which rank the best of them has it; run, pool: mean grade"
    " of the run's documents that others brought too, and of the topic's judged documents; P(1+): chance of at least"
    " that grade; score: share of the score that is lost with grade 0."
)


def explained_holes(rows: Sequence[HoleRow]) -> tuple[list[Table], list[str]]:
    """A table for each run, topic and measure, and what the columns are."""
    tables = []
    for run, topic, measure in dict.fromkeys((row.run, row.topic, row.measure) for row in rows):
        mine = [row for row in rows if (row.run, row.topic, row.measure) == (run, topic, measure)]
        title = f"Holes of {run} on topic {topic}, {measure}"
        tables.append(Table(*_hole_cells(mine), title=title, caption=f"{title}. {_HOLE_WORDS}", whole=".explained"))
    return tables, [_HOLE_WORDS] if tables else []


def _hole_cells(rows: Sequence[HoleRow]) -> tuple[list[str], list[list[str]]]:
    grades = rows[0].grades
    header = ["doc", "rank", "groups", "best", "run", "pool", *(f"P({grade}+)" for grade in grades[1:]), "score"]
    body = [
        [
            row.doc,
            str(row.rank),
            *(UNKNOWN if number is None else str(number) for number in (row.groups, row.best_rank)),
            *(decimal(number, 2) for number in (row.run_mean, row.pool_mean)),
            *(f"{sum(row.chances[level:]):.3f}" for level in range(1, len(grades))),
            percent(row.share),
        ]
        for row in rows
    ]
    return header, body


def subtopic_model_words(models: Sequence[ModelSize]) -> list[str]:
    """What measures of texts rest on: how many documents and words speak for a subtopic."""
    words = []
    for rel in sorted({size.rel for size in models}):
        sizes = [size for size in models if size.rel == rel]
        filled = [size for size in sizes if size.tokens]
        topics = counted(len({size.topic for size in filled}), "topic")
        documents = _spread([size.documents for size in filled], "document")
        tokens = _spread([size.tokens for size in filled], "word")
        text = (
            f"Subtopics are known by the text judged {rel} or higher: {len(filled):,} of {len(sizes):,} subtopics have"
            f" some, in {topics}. Each rests on {documents} and {tokens}; JSON output has them one by one."
        )
        words.append(text)
    return words


def _spread(numbers: Sequence[int], of: str) -> str:
    low, high = min(numbers), max(numbers)
    if low == high:
        return counted(low, of)
    return f"{low:,} to {high:,} {of}s (median {np.median(numbers):,.0f})"
