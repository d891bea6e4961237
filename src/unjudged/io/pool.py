"""Reading a pool: which documents were chosen to be judged, from a file or from what is in memory."""

from __future__ import annotations

from typing import Any

from unjudged.data.ids import Ids
from unjudged.data.pool import Pool
from unjudged.data.qrels import Qrels
from unjudged.data.run import TopicColumn
from unjudged.errors import FileError
from unjudged.io.columns import Layout, open_columns, read_columns
from unjudged.io.datasets import PREFIX, qrels_from_dataset
from unjudged.io.parquet import PARQUET, read_parquet
from unjudged.io.reading import as_path, refuse_unknown
from unjudged.io.sources import enough_memory, show
from unjudged.io.table_columns import coded, pairs_from_table
from unjudged.io.trec import RunColumn

__all__ = ["read_pool", "read_pool_file"]

_DOC_COLUMN = {2: 1, 4: 2, 5: 2}
"""Where the document is, by the number of columns: a plain pool, or judgments with and without strata."""


def read_pool(source: Any, *, threads: int = 1) -> Pool:
    """Read a pool from wherever it is."""
    if isinstance(source, Pool):
        return source
    if isinstance(source, Qrels):
        return _listed(source)
    path = as_path(source)
    if path is None:
        refuse_unknown(source, "a pool")
        return _from_table(source, "pool")
    with enough_memory(path):
        if path.startswith(PREFIX):
            return _listed(qrels_from_dataset(path))
        if path.endswith(PARQUET):
            return _from_table(read_parquet(path, values=False), path)
        return read_pool_file(path, threads=threads)


def read_pool_file(path: str, *, threads: int = 1) -> Pool:
    """Read a pool: ``topic doc``, or judgments, whose grades are ignored. The same line twice is no mistake."""
    opened = open_columns(path)
    first = opened.first
    width = 2 if first is None else len(first.fields)
    if first is not None and width not in _DOC_COLUMN:
        hint = " (is this a run? --pool-depth pools runs)" if width == RunColumn.COUNT else ""
        message = f"expected 2 columns (topic doc) or those of judgments, got {width}{hint}: {show(first.text)}"
        raise FileError(path, message, line=first.line)
    doc = _DOC_COLUMN[width]
    columns = read_columns(opened, Layout(width, text=(doc,), coded=(0,)), threads=threads)
    return Pool(columns.coded[0], columns.text[doc], path)


def _listed(qrels: Qrels) -> Pool:
    """Everything that judgments list, judged or not."""
    return Pool(TopicColumn(qrels.topics, qrels.topic_of_row), qrels.docs, qrels.source)


def _from_table(source: object, label: str) -> Pool:
    topics, docs = pairs_from_table(source, label)
    return Pool(coded(topics), Ids.of(docs), label)
