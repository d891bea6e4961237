"""The pool: which documents were chosen to be put before the assessors, whether or not somebody judged them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from unjudged.data.ids import Ids, PairIndex, concatenate_ids
from unjudged.data.qrels import Qrels, State
from unjudged.data.run import Run, TopicColumn
from unjudged.data.spans import offsets_of
from unjudged.errors import InputError
from unjudged.notebook_repr import NotebookRepr
from unjudged.wording import counted

__all__ = ["Pool", "depth_pool", "with_pool"]


@dataclass(frozen=True, eq=False)
class Pool(NotebookRepr):
    """(topic, doc) pairs, in any order. A pair that is there twice says nothing new."""

    topics: TopicColumn
    docs: Ids
    source: str = ""
    """Where the pool came from, for messages."""

    def __len__(self) -> int:
        return len(self.docs)

    def __repr__(self) -> str:
        return f"Pool({counted(len(self.topics.names), 'topic')}, {counted(len(self), 'document')})"


def with_pool(qrels: Qrels, pool: Pool) -> Qrels:
    """The judgments together with the pool: pairs that are in the pool only are listed as pooled but not judged.

    What the judgments list already stays as it is, inside the pool or not; topics without judgments are left out. The
    same as adding a line with grade -1 to the file for each of the pairs.
    """
    if qrels.strata is not None:
        raise InputError(f"{qrels.source or 'qrels'}: judgments with strata list their pool; another cannot be added")
    topic_rows = np.array([qrels.topic_rows.get(name, -1) for name in pool.topics.names], dtype=np.int64)
    groups = topic_rows[pool.topics.codes]
    rows = np.flatnonzero(groups >= 0)
    rows = rows[qrels.pairs.find(groups[rows], pool.docs.take(rows)) < 0]
    groups, docs = groups[rows], pool.docs.take(rows)
    first = PairIndex(groups, docs).first_rows()
    groups, docs = groups[first], docs.take(first)
    if not len(docs):
        return qrels
    topics = np.concatenate([qrels.topic_of_row, groups])
    order = np.argsort(topics, kind="stable")
    counts = np.bincount(topics, minlength=len(qrels.topics))
    return replace(
        qrels,
        offsets=offsets_of(counts),
        docs=concatenate_ids([qrels.docs, docs]).take(order),
        grades=np.concatenate([qrels.grades, np.zeros(len(docs), dtype=qrels.grades.dtype)])[order],
        states=np.concatenate([qrels.states, np.full(len(docs), State.POOLED, dtype=np.uint8)])[order],
        subtopics=None if qrels.subtopics is None else qrels.subtopics.moved(np.argsort(order)),
    )


def depth_pool(runs: Iterable[Run], depth: int) -> Pool:
    """The first *depth* documents of each topic of each run.

    >>> from unjudged.io.tables import run_from_table
    >>> run = run_from_table({"1": {"a": 3.0, "b": 2.0, "c": 1.0}})
    >>> list(depth_pool([run], 2).docs)
    ['a', 'b']
    """
    if depth < 1:
        raise InputError(f"the depth of a pool is a whole number of at least 1, not {depth}")
    codes: dict[str, int] = {}
    values, lengths, docs = [], [], []
    for run in runs:
        top = run.top(depth)
        values.append(np.array([codes.setdefault(topic, len(codes)) for topic in top.topics], dtype=np.int64))
        lengths.append(np.diff(top.offsets))
        docs.append(top.docs)
    if not docs:
        raise InputError("a pool needs at least one run")
    column = TopicColumn(tuple(codes), np.concatenate(values), np.concatenate(lengths))
    return Pool(column, concatenate_ids(docs), f"the first {depth} documents of the runs")
