"""Many runs joined with the same judgments once, so that taking judgments away needs no second look at any document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from unjudged.arrays import Bytes, Flags, Ints, SmallInts
from unjudged.data.groups import of_each_run
from unjudged.data.ids import Ids, concatenate_ids
from unjudged.data.qrels import Qrels, State
from unjudged.data.run import Run
from unjudged.data.run_info import RunInfo
from unjudged.data.spans import offsets_of, rows_of_spans, top_rows
from unjudged.data.view import View, join

__all__ = ["Joined", "JoinedRun", "join_run", "join_runs", "together"]


@dataclass(frozen=True, eq=False)
class Joined:
    """Rankings of all runs for all judged topics. Run ``r`` and topic ``t`` have ranking ``r * topics + t``.

    A ranking owns rows ``offsets[i]:offsets[i + 1]`` of ``codes``, best document first. A code is a row of ``docs``,
    which are those of the judgments, in their order, and then all others that runs return, as often as they do.
    ``groups`` has the group of each run, where they are known.
    """

    qrels: Qrels
    runs: tuple[str, ...]
    offsets: Ints
    codes: SmallInts
    docs: Ids
    answered: Flags
    """Which judged topics each run has, shape (runs, topics)."""
    groups: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        return f"Joined({len(self.runs):,} runs, {len(self.codes):,} documents, {self.qrels!r})"

    @cached_property
    def deepest(self) -> int:
        """Documents in the longest ranking."""
        return int(np.diff(self.offsets).max(initial=0))

    def against(self, qrels: Qrels) -> Joined:
        """The same runs against other judgments of the same documents, such as ``qrels.left`` gives."""
        return replace(self, qrels=qrels)

    def in_groups(self, groups: Mapping[str, str], source: str = "groups") -> Joined:
        """The same runs, knowing the group of each."""
        return replace(self, groups=of_each_run(self.runs, groups, source))

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
    def _columns(self) -> tuple[SmallInts, Bytes]:
        """Grades and states of the judgments' rows, and one more for documents that they do not list."""
        return np.append(self.qrels.grades, np.int32(0)), np.append(self.qrels.states, np.uint8(State.UNPOOLED))

    def reached(self, runs: Sequence[int] | Ints, depth: int) -> Flags:
        """Which rows of the judgments some of these runs have within *depth*."""
        topics = len(self.qrels.topics)
        rankings = (np.asarray(runs, dtype=np.int64)[:, None] * topics + np.arange(topics)).ravel()
        starts = self.offsets[rankings]
        lengths = np.minimum(self.offsets[rankings + 1] - starts, depth)
        codes = self.codes[rows_of_spans(starts, lengths)]
        out = np.zeros(len(self.qrels), dtype=bool)
        out[codes[codes < len(self.qrels)]] = True
        return out


@dataclass(frozen=True, eq=False)
class JoinedRun:
    """One run joined with judgments: as much of it as :func:`together` needs."""

    lengths: Ints
    qrels_rows: SmallInts
    """Row of each document in the judgments, -1 where it is not listed."""
    others: Ids
    """The documents that are not."""


def join_run(run: Run, qrels: Qrels, *, depth: int | None = None, only_judged: bool = False) -> JoinedRun:
    """Look every document of a run up; those below rank *depth* are left out.

    With *only_judged*, documents that nobody judged are taken out first, and those below move up.
    """
    view = join(run, qrels, depth=None if only_judged else depth, keep_qrels_rows=True)
    if only_judged:
        view = view.kept(view.judged).top(depth)
    qrels_rows = view.qrels_rows
    return JoinedRun(view.lengths, qrels_rows.astype(np.int32), view.doc_ids().take(np.flatnonzero(qrels_rows < 0)))


def together(qrels: Qrels, parts: Sequence[JoinedRun], runs: Sequence[RunInfo]) -> Joined:
    """Runs that were joined one by one."""
    codes = np.concatenate([*(part.qrels_rows for part in parts), np.zeros(0, dtype=np.int32)])
    others = codes < 0
    codes[others] = np.arange(len(qrels), len(qrels) + int(others.sum()), dtype=np.int32)
    lengths = np.concatenate([*(part.lengths for part in parts), np.zeros(0, dtype=np.int64)])
    return Joined(
        replace(qrels),  # without indexes that only the join needs
        tuple(run.name for run in runs),
        offsets_of(lengths),
        codes,
        concatenate_ids([qrels.docs, *(part.others for part in parts)]),
        np.array([run.answered for run in runs], dtype=bool).reshape(len(parts), len(qrels.topics)),
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
