"""What the judgments say so far, and what should be judged next: made of a snapshot of them, beside the work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from unjudged.api.collection import Collection
from unjudged.api.reading import read_measure
from unjudged.data.qrels import Qrels
from unjudged.errors import InputError, unsaid
from unjudged.io.label_files import expand_labels
from unjudged.io.sources import as_path, digest
from unjudged.measures.gain import nDCG
from unjudged.strategies import Order, strategies
from unjudged.strategies.decide import Decide
from unjudged.strategies.depth import Depth
from unjudged.studies.next_judgments.reading import read_all, with_new_topics

if TYPE_CHECKING:
    from unjudged.judging.making import Plan
    from unjudged.results.next_judgments import NextJudgments

__all__ = ["AHEAD", "Outlooks", "Pool"]

AHEAD = 500
"""Documents that a strategy puts in order at a time; the others stay as they are."""


@dataclass(frozen=True)
class Pool:
    """What may be judged, first by best rank, topics taking turns; or what a sample has drawn."""

    pairs: list[tuple[str, str]]
    judged: Qrels | None
    seed: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    inclusion: list[float] | None = None
    strata: list[int] | None = None

    @classmethod
    def of(cls, plan: Plan) -> Self:
        """Read the runs of a plan."""
        settings = plan.settings
        strategy = strategies.choose(plan.given["strategy"])
        measure = read_measure(plan.given["measure"]) if plan.given["measure"] is not None else nDCG @ 10
        if isinstance(strategy, Decide) and plan.given["measure"] is None:
            measure = strategy.measure
        top = max(plan.grades)
        asked = Collection(
            {} if plan.qrels is None else plan.qrels, plan.runs, seed=settings["seed"], pool_depth=settings["depth"]
        )
        collection = with_new_topics(asked, new=True, max_grade=top)
        labels = [] if plan.given["labels"] is None else expand_labels(plan.given["labels"])
        read = read_all(collection, measure, labels)
        strategy.check(read.candidates)
        order: Order = (strategy if strategy.is_sample else Depth()).start(read.candidates, seed=settings["seed"])
        batch = order.ask(len(read.candidates))
        topics, topic_of = read.candidates.topics, read.candidates.topic_of
        docs = read.candidates.docs.take(batch.pairs)
        hashes = {path: digest(path) for path in settings["runs"] or [] if as_path(path)}
        return cls(
            [(topics[topic_of[pair]], doc) for pair, doc in zip(batch.pairs.tolist(), docs, strict=True)],
            asked.judgments(plan.qrels) if plan.qrels is not None and len(collection.qrels) else None,
            settings["seed"],
            {"hashes": hashes, "sampled": strategy.is_sample, "judged_depth": read.candidates.depth},
            None if batch.inclusion is None else batch.inclusion.tolist(),
            None if batch.strata is None else np.asarray(batch.strata).tolist(),
        )

    def slots(self, overlap: float) -> list[int]:
        """For how many assessors each pair is."""
        from unjudged.judging.making import overlap_slots

        return overlap_slots(self.pairs, overlap, self.seed)


@dataclass
class Outlooks:
    """Asks again and again what judgments say, with the runs of a project."""

    settings: Mapping[str, Any]
    top: int
    runs: Any = None
    """Runs in memory, where the project has no paths of them."""
    labels: Any = None

    def missing(self) -> str | None:
        """Why nothing can be said: runs that are gone, or have changed."""
        if self.runs is not None:
            return None
        paths: Sequence[str] | None = self.settings["runs"]
        if paths is None:
            return "the runs were given in memory, and are not here any more"
        for path in paths:
            if self.settings["hashes"].get(path) != digest(path):
                return f"{path}: the run is gone or has changed since the project was made"
        return None

    def compute(self, judgments: Mapping[str, Mapping[str, int]], ahead: int = AHEAD) -> NextJudgments:
        """What these judgments say, and the next *ahead* documents."""
        if (problem := self.missing()) is not None:
            raise InputError(f"{problem}; judging goes on in the order there is")
        settings = self.settings
        runs = settings["runs"] if self.runs is None else self.runs
        collection = Collection(judgments, runs, seed=settings["seed"], pool_depth=settings["depth"], jobs=1)
        with unsaid():
            return collection.next_judgments(
                settings["strategy"],
                measure=settings["measure"],
                budget=ahead,
                goal=settings["goal"],
                labels=settings["labels"] if self.labels is None else self.labels,
                new=True,
                max_grade=self.top,
            )
