"""White-space separated columns: what is read where nothing else is recognised."""

from __future__ import annotations

from collections.abc import Iterator

from unjudged.io.columns import open_columns
from unjudged.io.formats.base import Asked, Format, Head
from unjudged.io.rows import Rows
from unjudged.io.trec import pool_rows, qrels_rows, run_rows

__all__ = ["TrecColumns"]


class TrecColumns(Format):
    """TREC's columns."""

    name = "trec"
    what = "white-space separated columns"

    def recognises(self, head: Head) -> bool:
        return True

    def rows(self, asked: Asked, head: Head, blocks: Iterator[bytes]) -> Rows:
        opened = open_columns(asked.path, blocks)
        if asked.value == "pair":
            return pool_rows(opened, threads=asked.threads)
        if asked.value == "score":
            return run_rows(opened, threads=asked.threads)
        return qrels_rows(opened, kind=asked.kind, threads=asked.threads)
