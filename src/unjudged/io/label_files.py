"""One door for labels of several judges: files of judgments or JSON lines, folders, globs, dicts, frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from unjudged.data.judge_labels import JudgeLabels, LabelOrigin
from unjudged.data.qrels import Qrels
from unjudged.errors import InputError, Notice, some_of
from unjudged.io.datasets import PREFIX
from unjudged.io.label_lines import Useful, read_label_lines
from unjudged.io.parquet import PARQUET, open_parquet
from unjudged.io.reading import expand_path, read_qrels
from unjudged.io.sources import STDIN, as_path, line_blocks, run_name_from_path, unique_names
from unjudged.io.table_columns import is_frame
from unjudged.io.trec import RunColumn
from unjudged.wording import visible

__all__ = [
    "LabelFile",
    "expand_labels",
    "is_json_lines",
    "label_paths",
    "labels_and_runs",
    "read_labels_of",
    "read_one_judge",
]


class LabelFile(NamedTuple):
    """Labels of a path or a table, and what it is called, if that was said; or those that a judge gave, as read."""

    source: Any
    name: str | None = None


def labels_and_runs(paths: Sequence[str]) -> tuple[list[str], list[str]]:
    """Tell files of labels and of runs apart, by the columns of their first line; folders and globs are opened up."""
    labels: list[str] = []
    runs: list[str] = []
    for path in paths:
        for file in [path] if path == STDIN or path.startswith(PREFIX) else expand_path(path):
            (runs if _is_run(file) else labels).append(file)
    if not labels:
        which = f"{runs[0]} is a run" if runs else "no file was given"
        raise InputError(f"there is no file with labels: {which}; labels are judgments (4 columns) or JSON lines")
    return labels, runs


def _is_run(path: str) -> bool:
    if path == STDIN:
        return False
    if path.startswith(PREFIX):
        return True
    if path.endswith(PARQUET):
        with open_parquet(path) as file:
            return "score" in file.schema_arrow.names
    for block in line_blocks(path):
        for line in block.splitlines():
            if line.strip() and not line.lstrip().startswith(b"#"):
                return not line.lstrip().startswith(b"{") and len(line.split()) == RunColumn.COUNT
    return False


def expand_labels(labels: Any) -> list[LabelFile]:
    """What a user calls labels, as a list: of one judge, or of several in a list or a dict by name."""
    if isinstance(labels, Qrels) or is_frame(labels):
        return [LabelFile(labels)]
    if as_path(labels) is not None:
        return [LabelFile(file) for file in _files(str(as_path(labels)))]
    if isinstance(labels, Mapping):
        inner = next((value for value in labels.values() if not isinstance(value, Mapping) or value), None)
        if isinstance(inner, Mapping) and not isinstance(next(iter(inner.values())), Mapping):
            return [LabelFile(labels)]
        return [LabelFile(as_path(source) or source, visible(str(name))) for name, source in labels.items()]
    if not isinstance(labels, Iterable) or isinstance(labels, bytes | bytearray):
        raise InputError(f"cannot read labels from {type(labels).__name__}; give a path, a dict of dicts or a frame")
    items = list(labels)
    if items and isinstance(items[0], tuple | list) and len(items[0]) == 3:
        return [LabelFile(items)]
    sources = [one for item in items for one in ([item] if isinstance(item, LabelFile) else expand_labels(item))]
    if not sources:
        raise InputError("no labels were given")
    return sources


def label_paths(labels: Any) -> list[str]:
    """The files behind labels."""
    return [path for one in expand_labels(labels) if (path := as_path(one.source)) is not None]


def _files(path: str) -> list[str]:
    return [path] if path == STDIN or path.startswith(PREFIX) else expand_path(path)


def read_one_judge(source: Any, qrels: Qrels) -> tuple[JudgeLabels, tuple[str, ...]]:
    """The labels of one judge for all topics, and these: first those of the judgments, then others."""
    files = expand_labels(source)
    rows = dict(qrels.topic_rows)
    sources = [one for file in files for one in _read(file, qrels, rows)]
    if len(sources) > 1:
        names = some_of([one.name for one in sources])
        raise InputError(f"{len(sources)} judges have labels here: {names}; estimates take the labels of one judge")
    return sources[0], tuple(rows)


def read_labels_of(files: Iterable[LabelFile], qrels: Qrels, *, judged_only: bool = False) -> list[JudgeLabels]:
    """The labels of every judge, for the judged topics. Names are made unique.

    With *judged_only*, of JSON lines only labels for judged pairs are kept and compared with each other, so that memory
    does not grow with the file; others are counted.
    """
    useful = qrels.judges if judged_only else None
    read = [one for file in files for one in _read(file, qrels, None, useful)]
    names = unique_names([(one.name, one.origin.source) for one in read])
    return [one.renamed(name) for one, name in zip(read, names, strict=True)]


def _read(
    file: LabelFile, qrels: Qrels, every: dict[str, int] | None, useful: Useful | None = None
) -> list[JudgeLabels]:
    """The labels for judged topics; or for *every* topic, to whose positions others are added."""
    if isinstance(file.source, JudgeLabels):
        return [file.source]
    path = as_path(file.source)
    if path is not None and is_json_lines(path):
        rows = qrels.topic_rows if every is None else every
        sources = read_label_lines(path, rows, add=every is not None, useful=useful)
        return sources if file.name is None or len(sources) > 1 else [sources[0].renamed(file.name)]
    labels = read_qrels(file.source, negative="pooled")
    name = file.name or (run_name_from_path(path).removesuffix(".qrels").removesuffix(".qrel") if path else "labels")
    if every is not None:
        for topic in labels.topics:
            every.setdefault(topic, len(every))
    return [_from_judgments(labels, name, path or name, qrels.topic_rows if every is None else every)]


def is_json_lines(path: str) -> bool:
    """Whether a file of labels has JSON lines, and not columns."""
    if path == STDIN or path.startswith(PREFIX) or path.endswith(PARQUET):
        return False
    return next((block.lstrip().startswith(b"{") for block in line_blocks(path) if block.strip()), False)


def _from_judgments(labels: Qrels, name: str, where: str, topic_rows: Mapping[str, int]) -> JudgeLabels:
    if labels.subtopics is not None:
        raise InputError(f"{where}: labels are for subtopics; judges compares one grade for each topic and document")
    position = np.array([topic_rows.get(topic, -1) for topic in labels.topics], dtype=np.int64)
    topics = position[labels.topic_of_row]
    rows = np.flatnonzero((topics >= 0) & labels.judged)
    unknown = int((position < 0).sum())
    if unknown == len(position):
        raise InputError(
            f"{where}: no topic of these labels is judged"
            f" (the labels have {labels.topics[0]!r}, the judgments have {next(iter(topic_rows))!r})"
        )
    if not len(rows):
        raise InputError(f"{where}: all labels of judged topics are below 0, so there is none to use")
    notices = []
    if unknown:
        text = f"{where}: {unknown} of {len(position)} topics of these labels are not judged; they are left out"
        notices.append(Notice("unknown-label-topics", unknown, text))
    values = labels.grades[rows].astype(np.float64)
    origin = LabelOrigin(where)
    return JudgeLabels(name, origin, topics[rows], labels.docs.take(rows), values, tuple(notices))
