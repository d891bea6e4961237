"""White-space separated columns: what is read where nothing else is recognised."""

from __future__ import annotations

import re
from collections.abc import Iterator

from unjudged.io.columns import open_columns
from unjudged.io.formats.base import Asked, Format, Head, RunColumns, Value, Written
from unjudged.io.rows import Rows
from unjudged.io.trec import RUN_LAYOUT, RunColumn, pool_rows, qrels_rows, run_rows, tag_of

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

    def run_columns(self, asked: Asked, head: Head, blocks: Iterator[bytes]) -> RunColumns | None:
        opened = open_columns(asked.path, blocks)
        return RunColumns(tag_of(opened), opened.blocks, RUN_LAYOUT)

    refused = re.compile(r"[\s\0]")
    refused_topic = re.compile("[#\ufeff]")

    def values(self, head: Head) -> frozenset[Value]:
        width = len(head.line.split())
        if width == RunColumn.COUNT:
            return frozenset({"score"})
        return frozenset({"grade"}) if width in (4, 5) else super().values(head)

    def write(self, written: Written) -> Iterator[str]:
        row = 0
        tag = re.sub(r"[\s\0]+", "_", written.name) or "run"
        for topic, docs, values in written:
            span = range(row, row + len(docs))
            if written.is_run:
                yield "".join(
                    f"{topic} Q0 {doc} {rank} {value} {tag}\n"
                    for rank, (doc, value) in enumerate(zip(docs, values, strict=True), 1)
                )
            else:
                second = ["0"] * len(docs) if written.second is None else [written.second[one] for one in span]
                strata = [""] * len(docs) if written.strata is None else [f"{one} " for one in written.strata[span]]
                yield "".join(
                    f"{topic} {second[place]} {doc} {strata[place]}{values[place]}\n" for place, doc in enumerate(docs)
                )
            row += len(docs)
