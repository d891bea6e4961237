"""Many runs joined with the same judgments once, so that taking judgments away needs no second look at any document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unjudged.data.ids import Ids, PairIndex, concatenate_ids
from unjudged.data.qrels import Qrels, State
from unjudged.data.run import Run
from unjudged.data.view import View, join
from unjudged.errors import InputError

__all__ = ["Joined", "join_runs"]

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Joined:
    """Rankings of all runs for all judged topics. Run ``r`` and topic ``t`` have ranking ``r * topics + t``.

    A ranking owns rows ``bounds[i]:bounds[i + 1]`` of ``codes``, best document first. A code is a row of ``docs``,
    which are those of the judgments, in their order, and then all others that runs return. ``groups`` has the group
    of each run, where they are known.
    """

    qrels: Qrels
    runs: tuple[str, ...]
    bounds: Ints
    codes: NDArray[np.int32]
    docs: Ids
    answered: Flags
    """Which judged topics each run has, shape (runs, topics)."""
    groups: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        return f"Joined({len(self.runs):,} runs, {len(self.codes):,} documents, {self.qrels!r})"

    @cached_property
    def deepest(self) -> int:
        """Documents in the longest ranking."""
        return int(np.diff(self.bounds).max(initial=0))

    @cached_property
    def judged(self) -> Flags:
        """Which rows of the judgments are judged."""
        judged: Flags = self.qrels.states == State.JUDGED
        return judged

    def against(self, qrels: Qrels) -> Joined:
        """The same runs against other judgments of the same documents, such as ``qrels.left`` gives."""
        return replace(self, qrels=qrels)

    def in_groups(self, groups: Mapping[str, str], source: str = "groups") -> Joined:
        """The same runs, knowing the group of each."""
        missing = [run for run in self.runs if run not in groups]
        if missing:
            more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            raise InputError(f"{source}: no group for {missing[0]!r}{more}; every run needs one")
        return replace(self, groups=tuple(groups[run] for run in self.runs))

    def view(self, runs: range, *, depth: int | None = None) -> View:
        """The rankings of these runs, run by run and topic by topic, down to rank *depth*."""
        topics = len(self.qrels.topics)
        first, last = runs.start * topics, runs.stop * topics
        bounds = self.bounds[first : last + 1]
        codes = self.codes[bounds[0] : bounds[-1]].astype(np.int64)
        bounds = bounds - bounds[0]
        if depth is not None:
            rows, bounds = _top(bounds, depth)
            codes = codes[rows]
        listed = codes < len(self.qrels)
        grades, states = np.zeros(len(codes), dtype=np.int32), np.zeros(len(codes), dtype=np.uint8)
        found = codes[listed]
        grades[listed], states[listed] = self.qrels.grades[found], self.qrels.states[found]
        return View(
            self.qrels,
            np.tile(np.arange(topics, dtype=np.int64), len(runs)),
            bounds,
            grades,
            states,
            self.docs,
            codes,
            found=np.where(listed, codes, -1),
        )

    def reached(self, runs: Sequence[int] | Ints, depth: int) -> Flags:
        """Which rows of the judgments some of these runs have within *depth*."""
        topics = len(self.qrels.topics)
        rankings = (np.asarray(runs, dtype=np.int64)[:, None] * topics + np.arange(topics)).ravel()
        starts = self.bounds[rankings]
        lengths = np.minimum(self.bounds[rankings + 1] - starts, depth)
        ends = np.cumsum(lengths)
        rows = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + lengths, lengths)
        codes = self.codes[rows]
        out = np.zeros(len(self.qrels), dtype=bool)
        out[codes[codes < len(self.qrels)]] = True
        return out


def join_runs(qrels: Qrels, runs: Iterable[Run] = (), *, depth: int | None = None) -> Joined:
    """Look every retrieved document up once; documents below rank *depth* are left out.

    >>> from unjudged.io.tables import qrels_from_table, run_from_table
    >>> qrels = qrels_from_table({"1": {"a": 1, "b": 0}})
    >>> joined = join_runs(qrels, [run_from_table({"1": {"x": 3.0, "b": 2.0}})])
    >>> joined.codes.tolist(), joined.reached([0], 2).tolist()
    ([2, 1], [False, True])
    """
    names, lengths, found, others, answered = [], [], [], [], []
    for run in runs:
        view = join(run, qrels, depth=depth, keep_found=True)
        names.append(run.name)
        lengths.append(view.lengths)
        found.append(view.qrels_rows.astype(np.int32))
        others.append(view.doc_ids().take(np.flatnonzero(view.qrels_rows < 0)))
        answered.append([topic in run.topic_rows for topic in qrels.topics])
    every = concatenate_ids(others)
    same = np.zeros(len(every), dtype=np.int64)
    first = PairIndex(same, every).find(same, every) if len(every) else same
    unlike = np.flatnonzero(first == np.arange(len(every)))
    codes = np.concatenate([*found, np.zeros(0, dtype=np.int32)])
    codes[codes < 0] = len(qrels) + np.searchsorted(unlike, first)
    return Joined(
        replace(qrels, _memory={}),  # without indexes that only the join needs
        tuple(names),
        np.concatenate([[0], np.cumsum(np.concatenate([*lengths, np.zeros(0, dtype=np.int64)]))]).astype(np.int64),
        codes,
        concatenate_ids([qrels.docs, every.take(unlike)]),
        np.array(answered, dtype=bool).reshape(len(names), len(qrels.topics)),
    )


def _top(bounds: Ints, depth: int) -> tuple[Ints, Ints]:
    """Rows of the first *depth* ranks of each ranking, and their bounds."""
    lengths = np.minimum(np.diff(bounds), depth)
    ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return np.arange(ends[-1]) + np.repeat(bounds[:-1] - ends[:-1], lengths), ends
