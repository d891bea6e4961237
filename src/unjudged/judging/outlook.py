"""What the judgments say so far, and what should be judged next: made of a snapshot of them, beside the work."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from unjudged.api.collection import Collection
from unjudged.api.reading import read_measure
from unjudged.data.qrels import Qrels
from unjudged.errors import InputError, UnjudgedError, unsaid
from unjudged.io.label_files import LabelFile
from unjudged.io.reading import RunSource
from unjudged.io.sources import digest
from unjudged.judging.beside import Beside
from unjudged.measures.base import Measure
from unjudged.measures.gain import nDCG
from unjudged.strategies import Order, Strategy, strategies
from unjudged.strategies.decide import Decide
from unjudged.strategies.depth import Depth
from unjudged.studies.next_judgments.reading import on_scale, read_all, with_new_topics

if TYPE_CHECKING:
    from unjudged.judging.making import Plan
    from unjudged.judging.project import Project
    from unjudged.results.next_judgments import NextJudgments
    from unjudged.studies.next_judgments import Judging

__all__ = ["AHEAD", "OutlookWorker", "Outlooks", "Pool"]

AHEAD = 500
"""Documents that a strategy puts in order at a time; the others stay as they are."""

Grades = Mapping[str, Mapping[str, int]]


@dataclass
class Outlooks:
    """Asks again and again what judgments say, with the runs of a project, which are read once."""

    settings: Mapping[str, Any]
    top: int
    """The highest grade."""
    runs: Sequence[RunSource] | None = None
    """Runs in memory, where the project has no paths of them."""
    labels: Sequence[LabelFile] | None = None
    _judging: Judging | None = None
    _told: Grades = field(default_factory=dict)
    _lock: Any = field(default_factory=threading.Lock)

    @property
    def in_memory(self) -> bool:
        """Whether runs or labels are nowhere else."""
        return self.runs is not None or self.labels is not None

    def missing(self) -> str | None:
        """Why nothing can be said: runs that are gone, or have changed."""
        if self.runs is not None:
            return None
        paths: Sequence[str] | None = self.settings["runs"]
        if paths is None:
            return "the runs were given in memory, and are not here any more"
        for path in paths:
            known = self.settings["hashes"].get(path)
            if known is None or (self._judging is None and known != digest(path)) or not Path(path).exists():
                return f"{path}: the run is gone or has changed since the project was made"
        return None

    def compute(self, judgments: Grades, ahead: int = AHEAD) -> NextJudgments:
        """What these judgments say, and the next *ahead* documents."""
        with self._lock, unsaid():
            if (problem := self.missing()) is not None:
                raise InputError(f"{problem}; judging goes on in the order there is")
            if self._judging is None or not self._follow(self._judging, judgments):
                self._judging = self._start(judgments)
            self._told = judgments
            return self._judging.result(ahead)

    def _follow(self, judging: Judging, judgments: Grades) -> bool:
        """Tell what has changed; whether that is possible: it is not where documents came in that no run has."""
        now, before = (
            {(topic, doc): grade for topic, docs in grades.items() for doc, grade in docs.items()}
            for grades in (judgments, self._told)
        )
        changed = [(*pair, grade) for pair, grade in now.items() if before.get(pair) != grade]
        try:
            judging.record([*changed, *((*pair, None) for pair in before if pair not in now)])
        except InputError:
            return False
        return True

    def _start(self, judgments: Grades) -> Judging:
        settings = self.settings
        runs = settings["runs"] if self.runs is None else self.runs
        collection = Collection(judgments, runs, seed=settings["seed"], pool_depth=settings["depth"], jobs=1)
        return collection.start_judging(
            settings["strategy"],
            measure=settings["measure"],
            goal=settings["goal"],
            labels=settings["labels"] if self.labels is None else self.labels,
            new=True,
            max_grade=self.top,
        )


@dataclass(frozen=True)
class Pool:
    """What may be judged: first what the strategy asks for, then by best rank; or what a sample has drawn."""

    topics: tuple[str, ...]
    pairs: list[tuple[str, str]]
    grades: Mapping[int, str]
    judged: Qrels | None
    seed: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    inclusion: list[float] | None = None
    strata: list[int] | None = None
    undrawn: tuple[tuple[str, str, int], ...] = ()
    """What a sample passed over, with its strata."""

    @classmethod
    def of(cls, plan: Plan) -> Self:
        """Read the runs of a plan."""
        settings = plan.settings
        given = {} if plan.qrels is None else plan.qrels
        asked = Collection(given, plan.runs, seed=settings["seed"], pool_depth=settings["depth"])
        collection = with_new_topics(asked, new=True, max_grade=None)
        grades = plan.grades_beside(collection.qrels)
        collection = collection.replaced(qrels=on_scale(collection.qrels, max(grades)))
        strategy = strategies.choose(settings["strategy"])
        read = read_all(collection, _measure(strategy, settings["measure"]), plan.labels or [], goes_on=False)
        strategy.check(read.candidates)
        order: Order = (strategy if strategy.is_sample else Depth()).start(read.candidates, seed=settings["seed"])
        order.tell(*read.candidates.judgments(read.qrels))
        batch = order.ask(len(read.candidates))
        names, topic_of = read.candidates.topics, read.candidates.topic_of

        def named(pairs: Any) -> list[tuple[str, str]]:
            docs = read.candidates.docs.take(pairs)
            return [(names[topic_of[pair]], doc) for pair, doc in zip(pairs.tolist(), docs, strict=True)]

        strata = np.zeros(len(read.candidates), dtype=np.int64) if order.strata is None else order.strata
        rest = np.setdiff1d(np.flatnonzero(order.open), batch.pairs)
        pairs = named(batch.pairs)
        if not strategy.is_sample:
            # The first of them as the strategy says, which also refuses now what it could not do later.
            now = Outlooks(settings, max(grades), plan.runs, plan.labels).compute(given)
            pairs = list(dict.fromkeys([*((row.topic, row.doc) for row in now.judgments()), *pairs]))
        hashes = {path: digest(path) for path in settings["runs"] or []}
        return cls(
            names,
            pairs,
            grades,
            collection.qrels if collection.qrels.judged.any() else None,
            settings["seed"],
            {"hashes": hashes, "sampled": strategy.is_sample},
            None if batch.inclusion is None else batch.inclusion.tolist(),
            None if batch.strata is None else np.asarray(batch.strata).tolist(),
            tuple((*pair, int(strata[row])) for pair, row in zip(named(rest), rest, strict=True)),
        )

    def slots(self, overlap: float) -> list[int]:
        """For how many assessors each pair is."""
        from unjudged.judging.making import overlap_slots

        return overlap_slots(self.pairs, overlap, self.seed)


def _measure(strategy: Strategy, given: str | None) -> Measure:
    if given is not None:
        return read_measure(given)
    return strategy.measure if isinstance(strategy, Decide) else nDCG @ 10


class OutlookWorker:
    """Asks what the judgments say after each batch of them, so that nobody who judges waits for it.

    It is a thread, which lets another process compute where the project is in files alone.
    """

    def __init__(self, project: Project, batch: int = 20) -> None:
        self.project = project
        self.batch = batch
        self._beside = Beside(project.path) if project.is_in_file else None
        self.problem: str | None = None
        """Why there is no newer answer."""
        self._waiting = batch
        self._changed = threading.Condition()
        self._closed = False
        self._idle = False
        self._thread = threading.Thread(target=self._work, name="unjudged-outlook", daemon=True)
        self._thread.start()

    def judged(self, number: int = 1) -> None:
        """Say that so many more judgments are in the file."""
        with self._changed:
            self._waiting += number
            self._changed.notify_all()

    def ask(self) -> None:
        """Ask now, however few judgments there are."""
        self.judged(self.batch)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until all that was asked is answered."""
        with self._changed:
            return self._changed.wait_for(lambda: self._closed or (self._idle and self._waiting < self.batch), timeout)

    def close(self) -> None:
        """Stop; what is being computed in this process is finished first."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._beside is not None:
            self._beside.close()
        self._thread.join()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._idle = True
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._closed or self._waiting >= self.batch)
                if self._closed:
                    return
                self._idle, self._waiting = False, 0
            try:
                self.project.refresh(None if self._beside is None else self._beside.ask())
                self.problem = None
            except UnjudgedError as problem:
                self.problem = str(problem)
