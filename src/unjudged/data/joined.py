"""Many runs joined with the same judgments once, so that taking judgments away needs no second look at any document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from unjudged.arrays import Bytes, Flags, GradeColumn, Ints, SmallInts
from unjudged.data.groups import Groups
from unjudged.data.ids import Ids, concatenate_ids
from unjudged.data.qrels import Qrels, State
from unjudged.data.run import Run
from unjudged.data.run_info import RunInfo
from unjudged.data.spans import offsets_of, rows_of_spans, top_rows
from unjudged.data.view import View, join

__all__ = ["Joined", "JoinedRun", "OriginalRanks", "join_run", "join_runs", "together"]


@dataclass(frozen=True, eq=False)
class OriginalRanks:
    """Where documents stood in the runs as they were given, before some were taken out."""

    ranks: SmallInts
    """Of each document that is left, ranking by ranking."""
    lengths: Ints
    """How many documents each ranking had."""


@dataclass(frozen=True, eq=False)
class Joined:
    """Rankings of all runs for all judged topics. Run ``r`` and topic ``t`` have ranking ``r * topics + t``.

    A ranking owns rows ``offsets[i]:offsets[i + 1]`` of ``codes``, best document first. A code is a row of ``docs``,
    which are those of the judgments, in their order, and then all others that runs return, as often as they do.
    ``groups`` has the group of each run, where they are known. ``original`` says where documents stood before some were
    taken out of the runs; None where none were. What a pool had is decided by that.
    """

    qrels: Qrels
    runs: tuple[str, ...]
    offsets: Ints
    codes: SmallInts
    docs: Ids
    answered: Flags
    """Which judged topics each run has, shape (runs, topics)."""
    groups: tuple[str, ...] | None = None
    original: OriginalRanks | None = None

    def __repr__(self) -> str:
        return f"Joined({len(self.runs):,} runs, {len(self.codes):,} documents, {self.qrels!r})"

    @cached_property
    def deepest(self) -> int:
        """Documents in the longest ranking, as it was given."""
        return int(self.original_lengths.max(initial=0))

    @property
    def original_lengths(self) -> Ints:
        """How many documents each ranking has, as it was given."""
        return np.diff(self.offsets) if self.original is None else self.original.lengths

    def against(self, qrels: Qrels) -> Joined:
        """The same runs against other judgments of the same documents, such as ``qrels.left`` gives."""
        return replace(self, qrels=qrels)

    def returning(self, docs: Ints) -> Joined:
        """The same runs over a corpus that has only these of the documents: what is below the others moves up."""
        there = np.zeros(len(self.docs), dtype=bool)
        there[docs] = True
        kept = there[self.codes]
        return replace(self, offsets=offsets_of(kept)[self.offsets], codes=self.codes[kept], original=None)

    def only(self, runs: Ints) -> Joined:
        """Some of the runs."""
        rankings = self._rankings(runs)
        rows = rows_of_spans(self.offsets[rankings], np.diff(self.offsets)[rankings])
        original = self.original
        return replace(
            self,
            runs=tuple(self.runs[run] for run in runs),
            offsets=offsets_of(np.diff(self.offsets)[rankings]),
            codes=self.codes[rows],
            answered=self.answered[runs],
            groups=None if self.groups is None else tuple(self.groups[run] for run in runs),
            original=original and OriginalRanks(original.ranks[rows], original.lengths[rankings]),
        )

    def in_groups(self, groups: Groups) -> Joined:
        """The same runs, knowing the group of each."""
        return replace(self, groups=groups.of_each(self.runs))

    def view(self, runs: range, *, depth: int | None = None) -> View:
        """The rankings of these runs, run by run and topic by topic, down to rank *depth*."""
        topics = len(self.qrels.topics)
        first, last = runs.start * topics, runs.stop * topics
        offsets = self.offsets[first : last + 1]
        codes = self.codes[offsets[0] : offsets[-1]]
        offsets = offsets - offsets[0]
        if depth is not None:
            rows, offsets = top_rows(offsets, depth)
            codes = codes[rows]
        grades, states = self._columns
        row = np.minimum(codes, len(self.qrels))
        return View(
            self.qrels,
            np.tile(np.arange(topics, dtype=np.int64), len(runs)),
            offsets,
            grades[row],
            states[row],
            self.docs,
            codes.astype(np.int64),
            cached_qrels_rows=None
            if self.qrels.subtopics is None
            else np.where(row < len(self.qrels), row, -1).astype(np.int64),
        )

    @cached_property
    def _columns(self) -> tuple[GradeColumn, Bytes]:
        """Grades and states of the judgments' rows, and one more for documents that they do not list."""
        return np.append(self.qrels.grades, self.qrels.grades.dtype.type(0)), np.append(
            self.qrels.states, np.uint8(State.UNPOOLED)
        )

    def original_columns(self) -> tuple[Ints, Flags, Ints]:
        """Of all documents the rank as it was given and whether it is judged; and how long each ranking was."""
        judged = np.append(self.qrels.judged, False)[np.minimum(self.codes, len(self.qrels))]
        if self.original is not None:
            return self.original.ranks.astype(np.int64), judged, self.original.lengths
        lengths = np.diff(self.offsets)
        return np.arange(1, len(self.codes) + 1) - np.repeat(self.offsets[:-1], lengths), judged, lengths

    def original_of(self, run: int) -> OriginalRanks | None:
        """Where the documents of one run stood before some were taken out; None where none were."""
        if self.original is None:
            return None
        topics = len(self.qrels.topics)
        rankings = slice(run * topics, (run + 1) * topics)
        rows = slice(self.offsets[rankings.start], self.offsets[rankings.stop])
        return OriginalRanks(self.original.ranks[rows], self.original.lengths[rankings])

    def reached(self, runs: Sequence[int] | Ints, depth: int) -> Flags:
        """Which rows of the judgments some of these runs have within *depth*, as they were given."""
        rows, _ = self._rows_within(depth, self._rankings(runs))
        codes = self.codes[rows]
        out = np.zeros(len(self.qrels), dtype=bool)
        out[codes[codes < len(self.qrels)]] = True
        return out

    def judged_within(self, depth: int | None, runs: Sequence[int] | Ints) -> tuple[Ints, Ints]:
        """How many of the first *depth* documents of rankings, as they were given, are judged, and how many there are.

        Both have shape (runs, topics); with None it is about whole rankings.
        """
        rankings, shape = self._rankings(runs), (len(runs), len(self.qrels.topics))
        rows, offsets = self._rows_within(depth, rankings)
        is_judged = np.append(self.qrels.judged, False)[np.minimum(self.codes[rows], len(self.qrels))]
        judged = np.diff(np.searchsorted(np.flatnonzero(is_judged), offsets))
        lengths = self.original_lengths[rankings]
        return judged.reshape(shape), (lengths if depth is None else np.minimum(lengths, depth)).reshape(shape)

    def judged_in_all(self, depth: int | None) -> tuple[Ints, Ints]:
        """The same of every run; kept, because studies ask for each measure and each way to take judgments away."""
        if depth not in self._judged_in_all:
            self._judged_in_all[depth] = self.judged_within(depth, range(len(self.runs)))
        return self._judged_in_all[depth]

    @cached_property
    def _judged_in_all(self) -> dict[int | None, tuple[Ints, Ints]]:
        return {}

    def _rankings(self, runs: Sequence[int] | Ints) -> Ints:
        """The rankings of some runs, run by run."""
        topics = len(self.qrels.topics)
        out: Ints = (np.asarray(runs, dtype=np.int64)[:, None] * topics + np.arange(topics)).ravel()
        return out

    def _rows_within(self, depth: int | None, rankings: Ints) -> tuple[Ints, Ints]:
        """Rows of the documents that rankings had within *depth*, and where those of each ranking begin and end."""
        lengths = np.diff(self.offsets)[rankings]
        if depth is not None:
            lengths = np.minimum(lengths, depth)  # documents only ever move up
        rows, offsets = rows_of_spans(self.offsets[rankings], lengths), offsets_of(lengths)
        if depth is None or self.original is None:
            return rows, offsets
        within = self.original.ranks[rows] <= depth
        return rows[within], offsets_of(within)[offsets]


@dataclass(frozen=True, eq=False)
class JoinedRun:
    """One run joined with judgments: as much of it as :func:`together` needs."""

    lengths: Ints
    qrels_rows: SmallInts
    """Row of each document in the judgments, -1 where it is not listed."""
    others: Ids
    """The documents that are not."""
    original: OriginalRanks | None = None


def join_run(run: Run, qrels: Qrels, *, depth: int | None = None, judged_only: bool = False) -> JoinedRun:
    """Look every document of a run up; those below rank *depth* are left out.

    With *judged_only*, documents that nobody judged are taken out first, and those below move up.
    """
    view, original = join(run, qrels, depth=None if judged_only else depth, keep_qrels_rows=True), None
    if judged_only:
        judged = view.kept(view.judged)
        ranks = view.rank[view.judged][rows_of_spans(judged.offsets[:-1], judged.top(depth).lengths)]
        original, view = OriginalRanks(ranks.astype(np.int32), view.lengths), judged.top(depth)
    qrels_rows = view.qrels_rows
    others = view.doc_ids().take(np.flatnonzero(qrels_rows < 0))
    return JoinedRun(view.lengths, qrels_rows.astype(np.int32), others, original)


def together(qrels: Qrels, parts: Sequence[JoinedRun], runs: Sequence[RunInfo]) -> Joined:
    """Runs that were joined one by one, all in the same way."""
    codes = np.concatenate([*(part.qrels_rows for part in parts), np.zeros(0, dtype=np.int32)])
    others = codes < 0
    codes[others] = np.arange(len(qrels), len(qrels) + int(others.sum()), dtype=np.int32)
    lengths = np.concatenate([*(part.lengths for part in parts), np.zeros(0, dtype=np.int64)])
    original = [part.original for part in parts if part.original is not None]
    return Joined(
        replace(qrels),  # without indexes that only the join needs
        tuple(run.name for run in runs),
        offsets_of(lengths),
        codes,
        concatenate_ids([qrels.docs, *(part.others for part in parts)]),
        np.array([run.answered for run in runs], dtype=bool).reshape(len(parts), len(qrels.topics)),
        original=OriginalRanks(
            np.concatenate([one.ranks for one in original]), np.concatenate([one.lengths for one in original])
        )
        if original
        else None,
    )


def join_runs(qrels: Qrels, runs: Iterable[Run] = (), *, depth: int | None = None) -> Joined:
    """Look every retrieved document up once; documents below rank *depth* are left out.

    >>> from unjudged.io.tables import qrels_from_table, run_from_table
    >>> qrels = qrels_from_table({"1": {"a": 1, "b": 0}})
    >>> joined = join_runs(qrels, [run_from_table({"1": {"x": 3.0, "b": 2.0}})])
    >>> joined.codes.tolist(), joined.reached([0], 2).tolist()
    ([2, 1], [False, True])
    """
    read = list(runs)
    parts = [join_run(run, qrels, depth=depth) for run in read]
    return together(qrels, parts, [RunInfo.of(run, qrels) for run in read])
