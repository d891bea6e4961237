"""What a strategy chooses from: the documents that runs rank, who ranks them where, and what labels say of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from unjudged.arrays import Flags, Floats, GradeColumn, Ints, SmallInts
from unjudged.data.ids import Ids, PairIndex, concatenate_ids
from unjudged.data.joined import Joined
from unjudged.data.judge_labels import JudgeLabels
from unjudged.data.qrels import Qrels
from unjudged.data.spans import offsets_of

__all__ = ["Candidates", "Ranked", "candidates_of"]


class Ranked(NamedTuple):
    """Documents of one run for one topic that are candidates, best first."""

    pairs: SmallInts
    ranks: SmallInts


@dataclass(frozen=True, eq=False)
class Candidates:
    """(topic, document) pairs, numbered topic by topic and by document id in byte order, so that a number breaks ties.

    Topic ``t`` owns pairs ``offsets[t]:offsets[t + 1]``. Run ``r`` ranks, for topic ``t``, the pairs
    ``ranked.pairs[i:j]`` at ``ranked.ranks[i:j]``, where ``i, j = ranking_offsets[r * topics + t:][:2]``. Ranks may be
    deeper than the pool; documents that are no candidates are left out. Runs are in the order of their names, so that
    nothing depends on how they were given.
    """

    topics: tuple[str, ...]
    offsets: Ints
    docs: Ids
    qrels_rows: Ints
    """The row of each pair in the judgments, -1 where they do not list it."""
    askable: Flags
    """Pairs that somebody may be asked to judge: those within the pool. Others are there because they are judged."""
    runs: tuple[str, ...]
    groups: Ints
    """The group of each run, numbered by who comes first; each run is its own where groups are not known."""
    pooled_runs: Flags
    """Runs whose documents make the pool; others are only evidence."""
    depth: int | None
    """How deep pooled runs are looked at; None for all of them."""
    ranking_offsets: Ints
    ranked: Ranked
    labels: Floats
    """What each label source says of each pair, shape (sources, pairs), NaN where it says nothing."""
    scale: GradeColumn
    """The grades that a judgment may have, lowest first."""

    def __len__(self) -> int:
        return len(self.qrels_rows)

    def __repr__(self) -> str:
        return f"Candidates({len(self.topics):,} topics, {len(self.runs):,} runs, {len(self):,} documents)"

    @cached_property
    def topic_of(self) -> Ints:
        """The topic of each pair."""
        return np.repeat(np.arange(len(self.topics), dtype=np.int64), np.diff(self.offsets))

    def ranking(self, run: int, topic: int) -> Ranked:
        """What a run has for a topic."""
        first, last = self.ranking_offsets[run * len(self.topics) + topic :][:2]
        return Ranked(self.ranked.pairs[first:last], self.ranked.ranks[first:last])

    @cached_property
    def run_of_ranked(self) -> SmallInts:
        """The run of each row of :attr:`ranked`."""
        by_run = self.ranking_offsets[:: len(self.topics)] if self.topics else np.zeros(len(self.runs) + 1, np.int64)
        return np.repeat(np.arange(len(self.runs), dtype=np.int32), np.diff(by_run))

    @cached_property
    def occurrences(self) -> tuple[Ints, Ints]:
        """Rows of :attr:`ranked` pair by pair and best rank first; and where those of each pair begin and end."""
        order = np.lexsort((self.run_of_ranked, self.ranked.ranks, self.ranked.pairs))
        return order, offsets_of(np.bincount(self.ranked.pairs, minlength=len(self)))

    def found_by(self, pair: int) -> list[tuple[str, int]]:
        """The runs that have a pair, with its rank, best rank first."""
        rows, offsets = self.occurrences
        mine = rows[offsets[pair] : offsets[pair + 1]]
        ranks = self.ranked.ranks[mine].tolist()
        return [(self.runs[run], rank) for run, rank in zip(self.run_of_ranked[mine].tolist(), ranks, strict=True)]

    @cached_property
    def best_rank(self) -> Ints:
        """The best rank of each pair in a pooled run; beyond all ranks where none has it."""
        out = np.full(len(self), np.iinfo(np.int32).max, dtype=np.int64)
        rows = self.pooled_runs[self.run_of_ranked]
        np.minimum.at(out, self.ranked.pairs[rows], self.ranked.ranks[rows].astype(np.int64))
        return out

    @cached_property
    def ties(self) -> Ints:
        """The place of each pair in the order that breaks ties: best rank in a pooled run, then number of the pair."""
        out = np.empty(len(self), dtype=np.int64)
        out[np.argsort(self.best_rank, kind="stable")] = np.arange(len(self))
        return out

    def judgments(self, qrels: Qrels) -> tuple[Ints, GradeColumn]:
        """The pairs that are judged, and their grades: what to tell an order that starts with these judgments."""
        listed = np.flatnonzero(self.qrels_rows >= 0)
        pairs = listed[qrels.judged[self.qrels_rows[listed]]]
        return pairs, qrels.grades[self.qrels_rows[pairs]]

    def only(self, askable: Flags) -> Candidates:
        """The same where only some of the pairs may be asked for; others are no longer there."""
        number = np.where(askable, np.cumsum(askable) - 1, -1)
        kept = askable[self.ranked.pairs]
        return replace(
            self,
            offsets=offsets_of(askable)[self.offsets],
            docs=self.docs.take(np.flatnonzero(askable)),
            qrels_rows=self.qrels_rows[askable],
            askable=np.ones(int(askable.sum()), dtype=bool),
            ranking_offsets=offsets_of(kept)[self.ranking_offsets],
            ranked=Ranked(number[self.ranked.pairs[kept]].astype(np.int32), self.ranked.ranks[kept]),
            labels=self.labels[:, askable],
        )


def candidates_of(
    joined: Joined,
    *,
    depth: int | None = None,
    pooled_runs: Flags | None = None,
    labels: Sequence[JudgeLabels] = (),
) -> Candidates:
    """What may be judged: documents that pooled runs have down to *depth*; and all that is judged already.

    All runs make the pool unless *pooled_runs* says which. A document counts once for each topic, however many runs
    have it. The judgments may be empty but for their topics.

    >>> from unjudged.data.joined import join_runs
    >>> from unjudged.io.tables import qrels_from_table, run_from_table
    >>> joined = join_runs(qrels_from_table({"1": {"b": 1}}), [run_from_table({"1": {"x": 3.0, "b": 2.0, "c": 1.0}})])
    >>> candidates = candidates_of(joined, depth=2)
    >>> list(candidates.docs), candidates.best_rank.tolist(), candidates.found_by(1)
    (['b', 'x'], [2, 1], [('run', 1)])
    """
    by_name = sorted(range(len(joined.runs)), key=joined.runs.__getitem__)
    pooled = np.ones(len(by_name), dtype=bool) if pooled_runs is None else pooled_runs[by_name]
    joined = joined.only(np.array(by_name, dtype=np.int64))
    topics, lengths = len(joined.qrels.topics), np.diff(joined.offsets)
    of_ranking = np.tile(np.arange(topics, dtype=np.int64), len(by_name))
    ranks, _, _ = joined.original_columns()
    within = np.repeat(np.repeat(pooled, topics), lengths)
    if depth is not None:
        within &= ranks <= depth
    codes, listed = _one_code_each(joined, np.repeat(of_ranking, lengths), within)
    pairs = len(joined.qrels) + len(listed.docs)
    askable = np.zeros(pairs, dtype=bool)
    askable[codes[within]] = True
    wanted = askable.copy()
    wanted[: len(joined.qrels)] |= joined.qrels.judged
    topic = np.concatenate([joined.qrels.topic_of_row, listed.topics])
    every = concatenate_ids([joined.qrels.docs, joined.docs.take(listed.docs)])
    chosen = np.flatnonzero(wanted)
    names = list(every.take(chosen))
    chosen = chosen[np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)]
    chosen = chosen[np.argsort(topic[chosen], kind="stable")]
    number = np.full(pairs, -1, dtype=np.int32)
    number[chosen] = np.arange(len(chosen), dtype=np.int32)
    number = np.append(number, np.int32(-1))  # code -1: no candidate
    there = np.flatnonzero(number[codes] >= 0)
    docs, topics_of = every.take(chosen), topic[chosen]
    return Candidates(
        joined.qrels.topics,
        offsets_of(np.bincount(topics_of, minlength=topics)),
        docs,
        np.where(chosen < len(joined.qrels), chosen, -1),
        askable[chosen],
        joined.runs,
        _numbered(joined.groups or joined.runs),
        pooled,
        depth,
        np.searchsorted(there, joined.offsets),
        Ranked(number[codes[there]], ranks[there].astype(np.int32)),
        np.array([one.of(topics_of, docs) for one in labels]).reshape(len(labels), len(chosen)),
        joined.qrels.scale.grades,
    )


class _Unlisted(NamedTuple):
    """Documents that the judgments do not list, once for each topic: their topics, and their rows of the joined."""

    topics: Ints
    docs: Ints


def _one_code_each(joined: Joined, topics: Ints, within: Flags) -> tuple[SmallInts, _Unlisted]:
    """Codes by which a document has the same one in all runs, and who is behind those that the judgments do not list.

    These are what is *within* the pool somewhere; what is not has the code -1.
    """
    first = len(joined.qrels)
    codes = joined.codes.copy()
    rows = np.flatnonzero(codes >= first)
    if not len(rows):
        return codes, _Unlisted(topics[rows], rows)
    in_pool = rows[within[rows]]
    docs = joined.docs.take(codes[in_pool].astype(np.int64))
    distinct = PairIndex(topics[in_pool], docs).first_rows()
    unlisted = _Unlisted(topics[in_pool[distinct]], codes[in_pool[distinct]].astype(np.int64))
    found = np.full(len(rows), -1, dtype=np.int64)
    if len(distinct):
        index = PairIndex(unlisted.topics, docs.take(distinct))
        found = index.find(topics[rows], joined.docs.take(codes[rows].astype(np.int64)))
    codes[rows] = np.where(found >= 0, first + found, -1)
    return codes, unlisted


def _numbered(groups: Sequence[str]) -> Ints:
    number = {group: i for i, group in enumerate(dict.fromkeys(groups))}
    return np.array([number[group] for group in groups], dtype=np.int64)
