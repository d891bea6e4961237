"""A run: one system's ranked documents for a set of topics."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

import unjudged.kernels as kernels
from unjudged.arrays import Flags, Floats, Ints
from unjudged.data.ids import Ids
from unjudged.data.spans import offsets_of, ranking_blocks, rows_of_spans, top_rows
from unjudged.errors import InputError
from unjudged.limits import Duplicates, ScoreType
from unjudged.notebook_repr import NotebookRepr
from unjudged.threads import in_order
from unjudged.wording import counted

__all__ = [
    "Origins",
    "Run",
    "TopicColumn",
    "build_run",
    "group_rows",
    "in_precision",
    "keep_one_of_each",
    "repeated_docs",
    "topics_alone",
]

_NO_ROWS = np.zeros(0, dtype=np.int64)
_BLOCK_ROWS = 1 << 17
"""Rows that are ranked, or looked through for duplicates, together."""


@dataclass(frozen=True, eq=False)
class TopicColumn:
    """Which topic each row belongs to, before rows are grouped: codes into ``names``.

    Topics mostly come in long stretches, so a code may stand for ``lengths`` rows in succession (for one, if None).
    """

    names: tuple[str, ...]
    values: Ints
    lengths: Ints | None = None

    @cached_property
    def codes(self) -> Ints:
        """The code of every row."""
        return self.values if self.lengths is None else np.repeat(self.values, self.lengths)

    def counts(self) -> Ints:
        """Number of rows of each topic."""
        counts = np.bincount(self.values, weights=self.lengths, minlength=len(self.names))
        return counts.astype(np.int64)

    def take(self, rows: Ints) -> TopicColumn:
        """Some rows, and the names that they have."""
        used, codes = np.unique(self.codes[rows], return_inverse=True)
        return TopicColumn(tuple(self.names[code] for code in used.tolist()), codes.astype(np.int64))

    def rows_of(self, topics: Container[str]) -> Ints:
        """The rows of some topics."""
        return np.flatnonzero(np.array([name in topics for name in self.names], dtype=bool)[self.codes])


@dataclass(frozen=True, eq=False)
class Run(NotebookRepr):
    """Ranked documents, topic by topic, best first.

    ``docs`` and ``scores`` have one row per retrieved document; topic ``i`` owns rows ``offsets[i]:offsets[i + 1]``.
    """

    name: str
    topics: tuple[str, ...]
    offsets: Ints
    docs: Ids
    scores: Floats
    source: str = ""
    """Where the run came from, for messages."""
    repeats: int = 0
    """Lines that were left out when it was read, because it has their documents more than once."""

    def __len__(self) -> int:
        return len(self.scores)

    def __repr__(self) -> str:
        return f"Run({self.name!r}, {counted(len(self.topics), 'topic')}, {counted(len(self), 'document')})"

    @property
    def nbytes(self) -> int:
        """Memory that its documents take."""
        return self.docs.blob.nbytes + self.docs.offsets.nbytes + self.scores.nbytes

    @cached_property
    def topic_rows(self) -> dict[str, int]:
        """Position of each topic."""
        return {topic: i for i, topic in enumerate(self.topics)}

    def answered(self, topics: Sequence[str]) -> Flags:
        """Which of the topics it has."""
        return np.array([topic in self.topic_rows for topic in topics], dtype=bool)

    def ranking(self, topic: str) -> list[tuple[str, float]]:
        """The documents of one topic with their scores, best first; empty when the topic is missing."""
        if topic not in self.topic_rows:
            return []
        rows = np.arange(*self.offsets[self.topic_rows[topic] :][:2])
        return list(zip(self.docs.take(rows), self.scores[rows].tolist(), strict=True))

    def top(self, cutoff: int) -> Run:
        """The first *cutoff* documents of each topic, in memory of their own."""
        rows, offsets = top_rows(self.offsets, cutoff)
        return replace(self, offsets=offsets, docs=self.docs.take(rows), scores=self.scores[rows])

    def without(self, rows: Ints) -> Run:
        """The run without some rows."""
        keep = np.ones(len(self), dtype=bool)
        keep[rows] = False
        kept = np.flatnonzero(keep)
        offsets = offsets_of(keep)[self.offsets]
        return replace(self, offsets=offsets, docs=self.docs.take(kept), scores=self.scores[kept])

    def only(self, topics: Container[str]) -> Run:
        """Some of its topics, in the order that they have."""
        kept = [place for place, topic in enumerate(self.topics) if topic in topics]
        lengths = np.diff(self.offsets)[kept]
        rows = rows_of_spans(self.offsets[kept], lengths)
        names = tuple(self.topics[place] for place in kept)
        docs, scores = self.docs.take(rows), self.scores[rows]
        return replace(self, topics=names, offsets=offsets_of(lengths), docs=docs, scores=scores)

    def renamed(self, name: str) -> Run:
        """The same run under another name."""
        return replace(self, name=name)


def topics_alone(name: str, topics: Sequence[str], source: str) -> Run:
    """A run as far as its topics; its documents were looked at, and forgotten."""
    nothing = np.zeros(len(topics) + 1, dtype=np.int64)
    return Run(name, tuple(topics), nothing, Ids.of([]), np.zeros(0), source)


@dataclass(frozen=True, eq=False)
class Origins:
    """Which input row each row of a run was, so that a reader can say which line a problem is on.

    Most rows stay where they are, and a run may have millions, so only those that ranking ``moved`` are listed, with
    where they came ``from_`` in the rows as they were ``grouped`` by topic (None: as they were).
    """

    rows: int
    grouped: Ints | None
    moved: Ints
    from_: Ints

    def all(self) -> Ints:
        """The input row of each row."""
        rows = np.arange(self.rows, dtype=np.int64)
        rows[self.moved] = self.from_
        return rows if self.grouped is None else self.grouped[rows]

    def __getitem__(self, row: int) -> int:
        at = int(np.searchsorted(self.moved, row))
        if at < len(self.moved) and self.moved[at] == row:
            row = int(self.from_[at])
        return row if self.grouped is None else int(self.grouped[row])


def group_rows(column: TopicColumn) -> tuple[Ints | None, Ints]:
    """Rows of the same topic brought together: ``order`` (None when they already are) and ``offsets``."""
    offsets = offsets_of(column.counts())
    if bool(np.all(column.values[1:] >= column.values[:-1])):
        return None, offsets
    return np.argsort(column.codes, kind="stable").astype(np.int64), offsets


def in_precision(scores: Floats, score_type: ScoreType) -> Floats:
    """Scores as they are compared.

    trec_eval 9 and pytrec_eval keep scores in single precision: other ties, other rankings. What is too large for it
    becomes infinite and ties there, as it does for them.
    """
    if score_type == "float64":
        return scores
    with np.errstate(over="ignore"):
        return scores.astype(np.float32).astype(np.float64)


def build_run(
    name: str,
    topics: TopicColumn,
    docs: Ids,
    scores: Floats,
    *,
    source: str = "",
    score_type: ScoreType = "float64",
    reuse: bool = False,
    threads: int = 1,
) -> tuple[Run, Origins]:
    """Group rows by topic, rank them by the tie rule, and refuse what cannot be ranked.

    Also returns where the rows came from.
    Duplicate documents are *not* refused here (the doctor wants to see them); see :func:`repeated_docs`. With *reuse*
    the given arrays may be overwritten, which saves a copy of the run.
    """
    scores = in_precision(scores, score_type)
    order, offsets = group_rows(topics)
    if order is not None:
        docs, scores = docs.take(order), scores[order]
    if np.isnan(scores).any():
        raise InputError(f"{source or name}: a score is NaN, so the documents cannot be ranked")
    if not reuse and order is None:
        docs, scores = docs.copy(), scores.copy()
    moved, from_ = _rank_in_place(offsets, docs, scores, threads)
    return Run(name, topics.names, offsets, docs, scores, source), Origins(len(scores), order, moved, from_)


def _rank_in_place(offsets: Ints, docs: Ids, scores: Floats, threads: int) -> tuple[Ints, Ints]:
    """Apply the tie rule, some rankings at a time: a permutation of the whole run would double its memory.

    Returns the rows that moved, ascending, and where each was before.
    """

    def rank(rankings: range) -> tuple[Ints, Ints]:
        start, end = int(offsets[rankings.start]), int(offsets[rankings.stop])
        block = docs.slice(start, end)
        inside = offsets[rankings.start : rankings.stop + 1] - start
        order = kernels.order_rankings(inside, scores[start:end], block.blob, block.offsets)
        if order is None:
            return _NO_ROWS, _NO_ROWS
        docs.reorder(start, order)
        moved = np.flatnonzero(order != np.arange(len(order)))
        from_ = start + order[moved]
        moved += start
        scores[moved] = scores[from_]
        return moved, from_

    blocks = list(in_order(rank, ranking_blocks(offsets, _BLOCK_ROWS), threads))
    moved, from_ = zip(*blocks, strict=True) if blocks else ((_NO_ROWS,), (_NO_ROWS,))
    return np.concatenate(moved), np.concatenate(from_)


def repeated_docs(run: Run, *, threads: int = 1) -> Ints:
    """Documents that a topic has more than once: (row, first row) pairs."""

    def find(rankings: range) -> Ints:
        start, end = int(run.offsets[rankings.start]), int(run.offsets[rankings.stop])
        block = run.docs.slice(start, end)
        inside = run.offsets[rankings.start : rankings.stop + 1] - start
        return kernels.find_duplicates(inside, block.blob, block.offsets) + start

    parts = list(in_order(find, ranking_blocks(run.offsets, _BLOCK_ROWS), threads))
    return np.concatenate(parts) if parts else np.zeros((0, 2), dtype=np.int64)


def keep_one_of_each(run: Run, repeated: Ints, duplicates: Duplicates, origins: Origins) -> tuple[Run, Ints]:
    """The run with each of its *repeated* documents once, and the rows that went; *origins* says how rows came."""
    copies = np.unique(repeated)
    best = copies.copy()
    best[np.searchsorted(copies, repeated[:, 0])] = repeated[:, 1]
    came = copies if duplicates == "best" else np.array([origins[row] for row in copies.tolist()])
    order = np.lexsort((-came if duplicates == "last" else came, best))
    is_kept = np.diff(best[order], prepend=-1) != 0
    gone = np.sort(copies[order[~is_kept]])
    return replace(run.without(gone), repeats=len(gone)), gone
