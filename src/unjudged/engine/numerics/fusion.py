"""Several runs made into one: what each says about a document is added up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

import numpy as np

from unjudged.arrays import Floats
from unjudged.data.ids import PairIndex, concatenate_ids
from unjudged.data.run import Run, TopicColumn, build_run
from unjudged.errors import InputError
from unjudged.registry import Registry
from unjudged.spec import Real, Spec, param

__all__ = ["RRF", "CombMNZ", "CombSUM", "Fusion", "fuse_first", "fusions"]

fusions: Registry[Fusion] = Registry("fusion", example="RRF, RRF(k=10) or CombMNZ")


class Fusion(Spec):
    """What a document is worth that several runs return. A subclass with a ``name`` is registered by being defined."""

    registry = fusions
    title: ClassVar[str] = ""
    reference: ClassVar[str] = ""
    times_runs: ClassVar[bool] = False
    """Whether the sum is multiplied by the number of runs that return the document."""

    def worth(self, run: Run) -> Floats:
        """What a run says about each of its documents; those that it does not return get 0."""
        raise TypeError(f"{type(self).__name__} does not say what a document is worth")


class RRF(Fusion):
    """Reciprocal rank fusion: the sum of 1 / (k + rank). Scores of the runs do not matter, only their order."""

    name = "RRF"
    title = "Reciprocal rank fusion"
    reference = (
        "G. V. Cormack, C. L. A. Clarke and S. Büttcher. Reciprocal rank fusion outperforms Condorcet and individual"
        " rank learning methods. SIGIR 2009."
    )
    k: float = param(60, Real(0), "how little the first ranks stand out")

    def worth(self, run: Run) -> Floats:
        """By rank alone."""
        ranks = np.arange(1, len(run) + 1) - np.repeat(run.offsets[:-1], np.diff(run.offsets))
        worth: Floats = 1 / (self.k + ranks)
        return worth


class CombSUM(Fusion):
    """The sum of the scores, which each run has from 0 (its last document) to 1 (its first) on every topic.

    Scores that are all the same say nothing about the order, and are 0.
    """

    name = "CombSUM"
    title = "Sum of scores between 0 and 1"
    reference = "E. A. Fox and J. A. Shaw. Combination of multiple searches. TREC-2, 1993."

    def worth(self, run: Run) -> Floats:
        """By score, from the lowest to the highest of the topic."""
        filled = np.flatnonzero(np.diff(run.offsets))
        first, last = (run.scores[rows] for rows in (run.offsets[filled], run.offsets[filled + 1] - 1))
        with np.errstate(over="ignore", invalid="ignore"):
            span = first - last
        if not np.isfinite(span).all():
            topic = run.topics[filled[int(np.argmin(np.isfinite(span)))]]
            raise InputError(
                f"{run.name}: scores of topic {topic!r} are too far apart to be put between 0 and 1; fuse by rank: RRF"
            )
        lengths = np.diff(run.offsets)[filled]
        span[span == 0] = 1
        worth: Floats = (run.scores - np.repeat(last, lengths)) / np.repeat(span, lengths)
        return worth


class CombMNZ(CombSUM):
    """CombSUM times the number of runs that return the document."""

    name = "CombMNZ"
    title = "Sum of scores between 0 and 1, times the number of runs"
    times_runs = True


def fuse_first(runs: Sequence[Run], how: Fusion, numbers: Iterable[int]) -> Iterator[Run]:
    """The fusion of the first so many runs, for each of the *numbers*.

    It does not depend on the order of the runs: what is added up is sorted first, so that equal sums are equal to the
    last digit, and the tie rule decides.
    """
    topics = {topic: i for i, topic in enumerate(dict.fromkeys(topic for run in runs for topic in run.topics))}
    codes = np.concatenate(
        [np.repeat(np.array([topics[one] for one in run.topics], dtype=np.int64), np.diff(run.offsets)) for run in runs]
    )
    docs = concatenate_ids([run.docs for run in runs])
    pairs = PairIndex(codes, docs).find(codes, docs)
    worth = np.concatenate([how.worth(run) for run in runs])
    run_of_row = np.repeat(np.arange(len(runs)), [len(run) for run in runs])
    order = np.lexsort((worth, pairs))
    for number in numbers:
        rows = order[run_of_row[order] < number]
        counts = np.bincount(pairs[rows], minlength=len(docs))
        sums: Floats = np.bincount(pairs[rows], worth[rows], minlength=len(docs)).astype(np.float64)
        returned = np.flatnonzero(counts)
        scores = (sums * counts if how.times_runs else sums)[returned]
        yield build_run(str(how), TopicColumn(tuple(topics), codes[returned]), docs.take(returned), scores)[0]
