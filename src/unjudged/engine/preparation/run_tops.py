"""What later questions about holes near the top need to know of a run: little, so that nobody reads it again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.collection import BaseCollection
from unjudged.data.groups import DEPTH, Fingerprint, RankingsDigest
from unjudged.data.ids import Ids, concatenate_ids
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.data.run_occurrences import OccurrencesInRuns, RunOccurrences, Unlisted, order_occurrences
from unjudged.data.spans import offsets_of, top_rows
from unjudged.data.view import Matches
from unjudged.engine.preparation.document_occurrences import distinct_pairs
from unjudged.io.reading import RunSource

__all__ = ["RunTop", "TopBuilder", "first_documents", "occurrences_near_the_top", "top_of"]


class RunTop(NamedTuple):
    """What is kept of a run."""

    run: Run
    """Its first documents of each topic."""
    digest: bytes
    """Hash of all its rankings."""
    lengths: Ints
    """How many documents it has for each judged topic."""
    judged: RunOccurrences
    """Where it has the documents of the judgments, at any rank."""
    unlisted: Unlisted
    """Its first documents that they do not list ..."""
    unlisted_ranks: Ints
    """... and where it has them."""


class TopBuilder:
    """Puts that together from all topics of a run, some at a time."""

    def __init__(self, qrels: Qrels, depth: int) -> None:
        """*depth*: how many documents of each topic are kept, and some for the fingerprint."""
        self._qrels, self._depth, self._kept = qrels, depth, max(depth, DEPTH)
        self._digest = RankingsDigest()
        self._parts: list[_Part] = []

    def add(
        self, names: Sequence[str], topics: Ints, offsets: Ints, docs: Ids, scores: Floats, matches: Matches
    ) -> bool:
        """Add topics; False where they cannot be: then the run has to be added as a whole.

        *topics* has the place of each in the judgments, -1 where it has none.
        """
        order, qrels_rows = matches
        ranked = docs if order is None else docs.take(order)
        if not self._digest.add(names, offsets, ranked):
            return False
        lengths = np.diff(offsets)
        topic, rank = np.repeat(topics, lengths), np.arange(1, len(qrels_rows) + 1) - np.repeat(offsets[:-1], lengths)
        judged = np.flatnonzero(qrels_rows >= 0)
        rows, kept = top_rows(offsets, self._kept)
        unlisted = rows[(qrels_rows[rows] < 0) & (topic[rows] >= 0) & (rank[rows] <= self._depth)]
        self._parts.append(
            _Part(
                list(names),
                np.diff(kept),
                ranked.take(rows),
                scores[rows if order is None else order[rows]],
                (topics, lengths),
                (topic[judged], qrels_rows[judged], rank[judged]),
                (topic[unlisted], rank[unlisted]),
                ranked.take(unlisted),
            )
        )
        return True

    def built(self, name: str, source: str, repeats: int = 0) -> RunTop:
        """What is kept of the run."""
        parts, number = self._parts, len(self._qrels.topics)
        names = [name for part in parts for name in part.names]
        offsets = offsets_of(np.concatenate([part.kept for part in parts]))
        docs = concatenate_ids([part.docs for part in parts])
        run = Run(name, tuple(names), offsets, docs, np.concatenate([part.scores for part in parts]), source, repeats)
        topics, all_lengths = _stacked([part.lengths for part in parts])
        lengths = np.zeros(number, dtype=np.int64)
        lengths[topics[topics >= 0]] = all_lengths[topics >= 0]
        topic, pairs, ranks = _stacked([part.judged for part in parts])
        unlisted_topic, unlisted_ranks = _stacked([part.unlisted for part in parts])
        unlisted = Unlisted(unlisted_topic, concatenate_ids([part.unlisted_docs for part in parts]))
        judged = _occurrences(topic, pairs, ranks, lengths)
        return RunTop(run, self._digest.digest(), lengths, judged, unlisted, unlisted_ranks)


class _Part(NamedTuple):
    """What is kept of some topics."""

    names: list[str]
    kept: Ints
    """How many documents of each topic are kept."""
    docs: Ids
    scores: Floats
    lengths: tuple[Ints, Ints]
    """The place of each topic in the judgments, and how many documents it has."""
    judged: tuple[Ints, Ints, Ints]
    """Topic, row in the judgments and rank of each document that these list."""
    unlisted: tuple[Ints, Ints]
    unlisted_docs: Ids


def _stacked(parts: Sequence[tuple[Ints, ...]]) -> list[Ints]:
    """Columns one after another."""
    return [np.concatenate(column) for column in zip(*parts, strict=True)]


def _occurrences(topic: Ints, pairs: Ints, ranks: Ints, lengths: Ints) -> RunOccurrences:
    """Topic by topic, best first."""
    order = np.argsort(topic << 32 | ranks, kind="stable")  # quick, since most are in order
    offsets = offsets_of(np.bincount(topic, minlength=len(lengths)))
    return RunOccurrences(offsets, pairs[order].astype(np.int32), ranks[order].astype(np.int32), lengths)


def top_of(run: Run, qrels: Qrels, depth: int) -> RunTop:
    """What is kept of a run that is in memory."""
    topics = np.array([qrels.topic_rows.get(topic, -1) for topic in run.topics], dtype=np.int64)
    rows = qrels.pairs.find(np.repeat(topics, np.diff(run.offsets)), run.docs)
    builder = TopBuilder(qrels, depth)
    builder.add(run.topics, topics, run.offsets, run.docs, run.scores, Matches(None, rows))
    return builder.built(run.name, run.source, run.repeats)


def first_documents(collection: BaseCollection, tops: Sequence[RunTop]) -> BaseCollection:
    """The collection with what is kept in place of its runs."""
    return collection.replaced(runs=[RunSource(top.run) for top in tops])


def occurrences_near_the_top(
    collection: BaseCollection, names: Sequence[str], tops: Sequence[RunTop], depth: int
) -> OccurrencesInRuns:
    """Where runs have documents of the judgments, at any rank, and those that some run has down to *depth*.

    Of the latter only down there: enough for models that see holes from the runs that have them so far up.
    """
    qrels, groups = collection.qrels, collection.groups
    prints = [_fingerprint(top) for top in tops]
    near = [np.flatnonzero(top.unlisted_ranks <= depth) for top in tops]
    of_runs = [
        Unlisted(top.unlisted.topics[rows], top.unlisted.docs.take(rows)) for top, rows in zip(tops, near, strict=True)
    ]
    unlisted = distinct_pairs(of_runs)
    run_occurrences = []
    for top, rows, own in zip(tops, near, of_runs, strict=True):
        pairs = len(qrels) + unlisted.index.find(own.topics, own.docs)
        topic = np.concatenate([np.repeat(np.arange(len(top.lengths)), np.diff(top.judged.offsets)), own.topics])
        ranks = np.concatenate([top.judged.ranks, top.unlisted_ranks[rows]])
        run_occurrences.append(_occurrences(topic, np.concatenate([top.judged.pairs, pairs]), ranks, top.lengths))
    occurrences = order_occurrences(
        unlisted, run_occurrences, prints, groups.or_copies(names, prints), depth=depth, names=names
    )
    return replace(occurrences, groups_given=groups.given)


def _fingerprint(top: RunTop) -> Fingerprint:
    rows, offsets = top_rows(top.run.offsets, DEPTH)
    return Fingerprint(top.run.name, top.run.topics, top.digest, top.run.docs.take(rows).hashes(), np.diff(offsets))
