"""Judgments and runs written as other tools have them."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from os import PathLike
from typing import Any, get_args

import numpy as np

from unjudged.arrays import Ints
from unjudged.data.ids import Ids
from unjudged.data.run import Run, group_rows
from unjudged.errors import InputError, Notice, warn_of
from unjudged.io.datasets import PREFIX
from unjudged.io.formats import TARGETS, format_of, read_rows, values_of
from unjudged.io.formats.base import HEAD_BYTES, Format, Head, Value, Written
from unjudged.io.formats.header_table import HeaderTable
from unjudged.io.formats.trec_columns import TrecColumns
from unjudged.io.parquet import PARQUET
from unjudged.io.reading import read_run, table_or_file
from unjudged.io.rows import Places, Rows, qrels_of
from unjudged.io.sources import STDIN, as_path, run_name_from_path
from unjudged.io.table_columns import coded, read_table
from unjudged.io.tables import grades_of, strata_of
from unjudged.io.writing import STANDARD_OUTPUT, check_outputs, write_file
from unjudged.limits import ConvertTo, Duplicates, Kind
from unjudged.threads import PARSING_THREADS, worker_count
from unjudged.wording import counted, shortened

__all__ = ["Conversion", "convert"]

_VALUE: dict[Kind, Value] = {"qrels": "grade", "run": "score"}
_FORMULA = re.compile(r"[=+\-@\t\r]")
_PIECE = 1 << 20


@dataclass(frozen=True)
class Conversion:
    """What was written: judgments or a run, how much of them, and what to know about it."""

    kind: Kind
    to: ConvertTo
    rows: int
    topics: int
    output: str
    warnings: tuple[Notice, ...] = ()

    def __str__(self) -> str:
        what = counted(self.rows, "judgment" if self.kind == "qrels" else "ranked document")
        return f"{what} of {counted(self.topics, 'topic')} written to {self.output}"


def convert(
    source: Any,
    output: str | PathLike[str],
    to: ConvertTo,
    *,
    kind: Kind | None = None,
    duplicates: Duplicates = "error",
) -> Conversion:
    """Write judgments or a run as another tool has them.

    *source* is what :func:`read_qrels` or :func:`read_run` read; *kind* says which of them it is, where its content
    does not. *output* is a file, which is replaced when the new one is complete, or ``"-"`` for standard output. *to*:
    ``trec``, ``beir``, ``quepid`` (judgments only), ``elasticsearch`` or ``opensearch``. *duplicates* is as in
    :func:`read_run`.
    """
    for what, value, words in (("to", to, get_args(ConvertTo)), ("kind", kind, (None, *get_args(Kind)))):
        if value not in words:
            listed = [repr(word) for word in words if word is not None]
            raise InputError(f"{what} must be {', '.join(listed[:-1])} or {listed[-1]}, not {value!r}")
    path = as_path(source)
    is_screen = os.fspath(output) == STDIN
    inputs = [] if path is None or path.startswith(PREFIX) else [path]
    check_outputs([STANDARD_OUTPUT if is_screen else output], inputs)
    kind = kind or _kind_of(source)
    chosen = TARGETS[to].get(_VALUE[kind])
    if chosen is None:
        others = " or ".join(name for name in TARGETS if _VALUE[kind] in TARGETS[name])
        raise InputError(f"{path or kind}: {to} has no files of runs; write this run --to {others}")
    written, notices = _judgments(source) if kind == "qrels" else (_run(read_run(source, duplicates=duplicates)), ())
    where = path or kind
    _refuse_what_is_lost(written, chosen, to, where)
    notices = (*notices, *_formulas(written, chosen, where))

    def pieces() -> Iterator[str]:
        return _joined(chosen.write(written))

    _refuse_what_looks_otherwise(pieces(), chosen, to, where)
    _print(pieces) if is_screen else write_file(output, pieces, inputs=inputs)
    warn_of(notices)
    place = "standard output" if is_screen else os.fspath(output)
    return Conversion(kind, to, len(written.docs), len(written.topics), place, notices)


def _kind_of(source: Any) -> Kind:
    path = as_path(source)
    if isinstance(source, Run):
        return "run"
    if path is not None and path != STDIN and not path.startswith(PREFIX) and not path.endswith(PARQUET):
        # A pipe can be read only once.
        values = frozenset[Value]() if os.path.exists(path) and not os.path.isfile(path) else values_of(path)  # noqa: PTH110,PTH113
        if len(values) == 1:
            return "qrels" if "grade" in values else "run"
    problem = "this may be judgments or a run; say which with --as qrels or --as run"
    raise InputError(f"{path}: {problem}" if path else f"{problem} (kind= in Python)")


def _judgments(source: Any) -> tuple[Written, tuple[Notice, ...]]:
    with table_or_file(source, "judgments", "qrels") as (table, path, _):
        if table is None:
            rows = read_rows(path, "grade", threads=worker_count(None, PARSING_THREADS))
        else:
            rows = _rows_of(table, path or "qrels")
    # Grades are written as they are: what is below 0 means is not decided here.
    qrels = qrels_of(rows, negative="judged")
    rows, notices = rows.rated()
    order, offsets = group_rows(rows.topics)
    taken: Ints = np.arange(len(rows.docs)) if order is None else order
    second = None
    if rows.second is not None:
        names = rows.second.names
        second = tuple(names[code] for code in rows.second.codes[taken].tolist())
    written = Written(
        name=run_name_from_path(rows.source),
        topics=rows.topics.names,
        offsets=offsets,
        docs=rows.docs if order is None else rows.docs.take(order),
        values=rows.values[taken],
        is_run=False,
        second=second,
        strata=None if rows.strata is None else rows.strata[taken],
        has_subtopics=qrels.subtopics is not None,
    )
    return written, notices


def _rows_of(table: Any, label: str) -> Rows:
    held = read_table(table, "grade", label)
    return Rows(
        source=label,
        topics=held.topics,
        docs=Ids.of(held.docs),
        values=grades_of(held, label),
        places=Places(key=lambda row: f"row {row + 1}"),
        second=None if held.subtopics is None else coded(held.subtopics),
        are_subtopics=held.subtopics is not None,
        strata=strata_of(held, label),
    )


def _run(run: Run) -> Written:
    return Written(name=run.name, topics=run.topics, offsets=run.offsets, docs=run.docs, values=run.scores, is_run=True)


def _refuse_what_is_lost(written: Written, chosen: Format, to: ConvertTo, where: str) -> None:
    """Refuse ids that a format cannot hold, strata, and subtopics."""
    if not isinstance(chosen, TrecColumns):
        for has, what in ((written.has_subtopics, "subtopics"), (written.strata is not None, "strata")):
            if has:
                raise InputError(f"{where}: these judgments have {what}, which {to} cannot hold; trec can")
    _refuse(written.topics, "topic", chosen, to, where, written)
    second = () if written.second is None or not isinstance(chosen, TrecColumns) else written.second
    _refuse(second, "subtopic", chosen, to, where, written)
    if chosen.refused.search(written.docs.blob.tobytes().decode()):
        _refuse(written.docs, "document", chosen, to, where, written)


def _refuse(ids: Any, what: str, chosen: Format, to: ConvertTo, where: str, written: Written) -> None:
    def refuses(one: Format, text: str) -> bool:
        starts = what == "topic" and one.refused_topic.match(text) is not None
        return starts or one.refused.search(text) is not None

    wrong = next((text for text in ids if refuses(chosen, text)), None)
    if wrong is None:
        return
    value = _VALUE["run" if written.is_run else "qrels"]
    able = [name for name, held in TARGETS.items() if value in held and not refuses(held[value], wrong)]
    others = f"; {', '.join(able)} can" if able and what != "subtopic" else ""
    raise InputError(f"{where}: {to} cannot hold the {what} {shortened(wrong)}{others}")


def _formulas(written: Written, chosen: Format, where: str) -> tuple[Notice, ...]:
    """Ids that a spreadsheet would compute: they are written as they are, because others have to find them."""
    if not isinstance(chosen, HeaderTable):
        return ()
    number = sum(_FORMULA.match(one) is not None for one in chain(written.topics, written.docs))
    if not number:
        return ()
    text = f"{where}: a spreadsheet may take {counted(number, 'id')} for formulas (they begin with =, +, - or @)"
    return (Notice("formula-ids", number, f"{text}; ids are written as they are"),)


def _refuse_what_looks_otherwise(pieces: Iterator[str], chosen: Format, to: ConvertTo, where: str) -> None:
    """Refuse what will not be read as what it is: ids at the beginning may look like another format."""
    first = ""
    while len(first) < HEAD_BYTES and (piece := next(pieces, "")):
        first += piece
    read = format_of(Head.of(first.encode()))
    if type(read) is not type(chosen):
        raise InputError(f"{where}: written for {to}, its first ids would look like {read.what}")


def _joined(pieces: Iterator[str]) -> Iterator[str]:
    """Few large pieces instead of one for each topic."""
    held: list[str] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= _PIECE:
            yield "".join(held)
            held, size = [], 0
    yield "".join(held)


def _print(pieces: Callable[[], Iterator[str]]) -> None:
    if isinstance(sys.stdout, io.TextIOWrapper):  # files are UTF-8, whatever the terminal is
        sys.stdout.reconfigure(encoding="utf-8")
    for piece in pieces():
        sys.stdout.write(piece)
    sys.stdout.flush()
