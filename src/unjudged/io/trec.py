"""The TREC text formats: qrels (4 columns, 5 with strata, diversity), runs (6 columns), pools (2), features (3)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unjudged.data.run import Run, build_run, repeated_docs
from unjudged.errors import FileError
from unjudged.io.columns import Columns, Layout, Opened, open_columns, read_columns
from unjudged.io.rows import Places, Rows
from unjudged.limits import QrelsFormat
from unjudged.wording import shortened

__all__ = [
    "RUN_LAYOUT",
    "RunColumn",
    "pool_rows",
    "qrels_rows",
    "qrels_width",
    "read_feature_file",
    "run_rows",
    "tag_of",
]


_DOC_OF_POOL = {2: 1, 4: 2, 5: 2}
"""Where the document is, by the number of columns: a plain pool, or judgments with and without strata."""


class RunColumn:
    """Columns of a run. The second and the rank are ignored."""

    TOPIC, ITERATION, DOC, RANK, SCORE, TAG = range(6)
    COUNT = 6


_LINES_OF_RUNS = "lines of runs are 'topic Q0 doc rank score name'"
_LINES_OF_QRELS = "lines of judgments are 'topic 0 doc grade'"

RUN_LAYOUT = Layout(
    RunColumn.COUNT,
    text=(RunColumn.DOC,),
    coded=(RunColumn.TOPIC,),
    numbers=(RunColumn.SCORE,),
    names={RunColumn.SCORE: "score"},
    lines=_LINES_OF_RUNS,
)
FEATURE_LAYOUT = Layout(3, text=(1,), coded=(0,), numbers=(2,), names={2: "value"})
"""Lines ``topic doc value``."""


def run_rows(opened: Opened, *, threads: int = 1) -> Rows:
    """The rows of a run: ``topic Q0 doc rank score tag``. Its name is the tag of its first line."""
    name = tag_of(opened)
    columns = read_columns(opened, RUN_LAYOUT, threads=threads)
    return Rows(
        source=opened.path,
        name=name,
        topics=columns.coded[RunColumn.TOPIC],
        docs=columns.text[RunColumn.DOC],
        values=columns.numbers[RunColumn.SCORE],
        places=Places(line=columns.line),
    )


def read_feature_file(path: str, *, threads: int = 1) -> Run:
    """Read what a feature is worth for documents: lines ``topic doc value``, or a run, whose scores are taken."""
    opened = open_columns(path)
    hints = dict.fromkeys((4, 5), "are these judgments? evidence(labels=FILE) takes labels")
    width = opened.width({3, RunColumn.COUNT}, "3 columns (topic doc value) or those of a run", hints)
    layout = RUN_LAYOUT if width == RunColumn.COUNT else FEATURE_LAYOUT
    columns, values = _with_numbers(opened, layout, threads)
    run, origins = build_run("", columns.coded[0], columns.text[layout.text[0]], values, source=path, threads=threads)
    repeated = repeated_docs(run, threads=threads)
    if len(repeated):
        first, again = sorted(columns.line(origins[int(row)]) for row in repeated[0])
        topic = run.topics[int(np.searchsorted(run.offsets, repeated[0, 0], side="right")) - 1]
        doc = run.docs[int(repeated[0, 0])]
        problem = f"document {shortened(doc)} has two values for topic {shortened(topic)} (first in line {first})"
        raise FileError(path, f"{problem}; leave one", line=again)
    return run


def _with_numbers(opened: Opened, layout: Layout, threads: int) -> tuple[Columns, NDArray[np.float64]]:
    """The columns of a file, and its one column of numbers, all of which must be finite."""
    columns = read_columns(opened, layout, threads=threads)
    (place,) = layout.numbers
    numbers = columns.numbers[place]
    if not np.isfinite(numbers).all():
        row = int(np.argmin(np.isfinite(numbers)))
        problem = f"the {layout.names[place]} is not a finite number: {numbers[row]}"
        raise FileError(opened.path, problem, line=columns.line(row))
    return columns, numbers


def tag_of(opened: Opened) -> str:
    """The run's name as its file gives it. Refuses a file whose first line is not a run's; empty if there is none."""
    count = RunColumn.COUNT
    opened.width({count}, f"{count} columns", _NO_RUN)
    return "" if opened.first is None else opened.first.fields[RunColumn.TAG].decode("utf-8")


_NO_RUN = {
    **dict.fromkeys((4, 5), "is this a qrels file? judgments come first, then runs"),
    0: f"{_LINES_OF_RUNS}; CSV and JSON lines name their columns",
}
_NO_QRELS = {
    RunColumn.COUNT: "is this a run? judgments come first, then runs",
    0: f"{_LINES_OF_QRELS}; CSV and JSON lines name their columns",
}
"""What a file may be that is not what it was given for, by the number of its columns."""


def qrels_rows(opened: Opened, *, kind: QrelsFormat = "auto", threads: int = 1) -> Rows:
    """The rows of judgments: ``topic iteration doc grade``, ``topic 0 doc stratum grade`` or ``topic subtopic doc
    grade``.

    ``auto`` takes 5 columns as strata, and 4 columns as diversity judgments when a document is judged for
    more than one value of the second column.
    """
    layout = _qrels_layout(qrels_width(opened, kind), kind)
    columns = read_columns(opened, layout, threads=threads)
    return Rows(
        source=opened.path,
        topics=columns.coded[0],
        docs=columns.text[2],
        values=columns.integers[layout.columns - 1],
        second=columns.coded.get(1),
        are_subtopics=kind == "diversity",
        strata=columns.whole(3) if layout.columns == 5 else None,
        always_graded=True,
        places=Places(line=columns.line),
    )


def pool_rows(opened: Opened, *, threads: int = 1) -> Rows:
    """The rows of a pool: ``topic doc``, or judgments, whose grades are ignored."""
    expected = "2 columns (topic doc) or those of judgments"
    width = opened.width(_DOC_OF_POOL, expected, {RunColumn.COUNT: "is this a run? --pool-depth pools runs"}) or 2
    doc = _DOC_OF_POOL[width]
    columns = read_columns(opened, Layout(width, text=(doc,), coded=(0,)), threads=threads)
    return Rows(
        source=opened.path,
        topics=columns.coded[0],
        docs=columns.text[doc],
        values=np.zeros(0),
        places=Places(line=columns.line),
    )


def qrels_width(opened: Opened, kind: QrelsFormat) -> int:
    """Number of columns, told from the first data line (4 where there is none)."""
    widths = {"auto": (4, 5), "strata": (5,)}.get(kind, (4,))
    expected = "4 (or 5, with strata)" if len(widths) > 1 else widths[0]
    return opened.width(widths, f"{expected} columns", _NO_QRELS) or 4


def _qrels_layout(width: int, kind: QrelsFormat) -> Layout:
    if width == 5:
        return Layout(
            5,
            text=(2,),
            coded=(0,),
            integers=(3, 4),
            fractional=(4,),
            names={3: "stratum", 4: "grade"},
            lines="lines above are 'topic 0 doc stratum grade'",
        )
    return Layout(
        4,
        text=(2,),
        coded=(0,) if kind == "trec" else (0, 1),
        integers=(3,),
        fractional=(3,),
        names={3: "grade"},
        lines=_LINES_OF_QRELS,
    )
