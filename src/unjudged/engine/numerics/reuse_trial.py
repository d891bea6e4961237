"""What all blocks of a study of reuse look at: runs, methods, and the truth that estimates are compared with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unjudged.arrays import Floats, Ints
from unjudged.data.joined import Joined
from unjudged.data.run_occurrences import OccurrencesInRuns
from unjudged.holes.base import HoleModel, Settings
from unjudged.measures.base import Measure
from unjudged.results.comparison import SIGNIFICANT
from unjudged.simulate.base import Degradation, Left
from unjudged.uncertainty.base import Correction, SignificanceTest
from unjudged.uncertainty.paired import all_pairs

__all__ = ["Degraded", "Methods", "Trial", "Truth", "decisions", "degraded", "run_blocks", "truth_of"]


_ROWS = 1 << 19
"""Rows of rankings looked at together ..."""
_DRAWN = 1 << 22
"""... and drawn scores held at once. Neither changes a number."""


@dataclass(frozen=True, eq=False)
class Methods:
    """What is tried, and how it is compared: each of the measures with the truth at the same place."""

    measures: tuple[Measure, ...]
    truths: tuple[Measure, ...]
    hole_models: tuple[HoleModel, ...]
    settings: Settings
    test: SignificanceTest
    correction: Correction

    @cached_property
    def cells(self) -> tuple[tuple[int, int], ...]:
        """Hole models and measures that go together, by place.

        A measure that says itself what becomes of unjudged documents needs no hole model, and has the first one only.
        """
        places = range(len(self.hole_models))
        plain = next((h for h in places if self.hole_models[h].takes_as_nonrelevant), 0)
        return tuple(
            (h, m) for m, measure in enumerate(self.measures) for h in places if measure.has_holes or h == plain
        )


@dataclass(frozen=True, eq=False)
class Truth:
    """Scores with all judgments, and what they rest on: arrays of shape (measures, runs, topics), unless said."""

    scores: Floats
    means: Floats
    """Their summaries over topics, shape (measures, runs)."""
    documents: Ints
    """Documents that the measure reads, ..."""
    judged: Ints
    """... and how many of them are judged."""
    decided: NDArray[np.int8]
    """For each pair of runs (see ``all_pairs``) whether the first is significantly better (1), worse (-1) or neither
    (0), shape (measures, pairs)."""


@dataclass(frozen=True, eq=False)
class Trial:
    """All of a study apart from the degradation and the case that a block is about."""

    joined: Joined
    """The runs that are scored, against all judgments."""
    everybody: Joined
    """All runs, also those that are not scored: their documents were pooled."""
    places: Ints
    """Where the scored runs are among all."""
    occurrences: OccurrencesInRuns | None
    """Where all runs have documents, for hole models that learn from it."""
    degradations: tuple[Degradation, ...]
    methods: Methods
    truth: Truth
    by_topic: bool = False
    """Whether blocks give the score of every run on every topic, too."""


class Degraded(NamedTuple):
    """What a degradation leaves of a trial: its runs against fewer judgments, and those that are new to them.

    The ``trial`` is the same, unless the degradation is about other runs or another truth.
    """

    trial: Trial
    joined: Joined
    left: Left
    runs: Ints


def degraded(trial: Trial, how: Degradation, case: str, repetition: int) -> Degraded:
    """The scored runs against what a degradation leaves of the judgments; all are meant where none is left out."""
    seed = trial.methods.settings.seed
    left = how.leave(trial.everybody, seed=seed, repetition=repetition, case=case)
    runs = np.arange(len(trial.places)) if left.runs is None else np.flatnonzero(np.isin(trial.places, left.runs))
    qrels = trial.joined.qrels
    if left.docs is not None or left.truth is not None:
        joined = trial.joined if left.docs is None else trial.joined.returning(left.docs)
        joined = joined if left.truth is None else joined.against(qrels.left(left.truth))
        trial = replace(trial, joined=joined, truth=truth_of(joined, trial.methods))
    return Degraded(trial, trial.joined.against(left.of(qrels)), left, runs)


def truth_of(joined: Joined, methods: Methods) -> Truth:
    """Score all runs with all judgments."""
    measures, truths = methods.measures, methods.truths
    shape = (len(measures), len(joined.runs), len(joined.qrels.topics))
    scores = np.empty(shape)
    judged, documents = np.empty((2, *shape), dtype=np.int64)
    for runs in run_blocks(joined, 0):
        view, here = joined.view(runs), slice(runs.start, runs.stop)
        known = {truth: truth.score(view).reshape(len(runs), -1) for truth in dict.fromkeys(truths)}
        for m, (measure, truth) in enumerate(zip(measures, truths, strict=True)):
            scores[m, here] = known[truth]
            top = view.top(measure.depth())
            judged[m, here] = top.count(top.judged).reshape(len(runs), -1)
            documents[m, here] = top.lengths.reshape(len(runs), -1)
    means = np.array([[truth.summarise(row) for row in rows] for truth, rows in zip(truths, scores, strict=True)])
    decided = np.stack([decisions(rows, methods.test, methods.correction, methods.settings.seed) for rows in scores])
    return Truth(scores, means, documents, judged, decided)


def decisions(scores: Floats, test: SignificanceTest, correction: Correction, seed: int) -> NDArray[np.int8]:
    """For each pair of runs: 1 where the first is significantly better, -1 where it is worse, else 0.

    *scores* has shape (runs, topics); topics where some run has none are left out.
    """
    scores = scores[:, ~np.isnan(scores).any(axis=0)]
    pairs = all_pairs(len(scores))
    if not scores.shape[1]:
        return np.zeros(len(pairs), dtype=np.int8)
    significant = correction.adjust(test.p_values(scores, pairs, seed=seed)) < SIGNIFICANT
    means = scores.mean(axis=1)
    return np.where(significant, np.sign(means[pairs[:, 0]] - means[pairs[:, 1]]), 0).astype(np.int8)


def run_blocks(joined: Joined, draws: int) -> Iterator[range]:
    """Runs that are looked at together, so that memory is bounded."""
    runs, topics = len(joined.runs), max(1, len(joined.qrels.topics))
    by_rows = max(1, _ROWS * runs // max(1, len(joined.codes)))
    size = min(by_rows, max(1, _DRAWN // (topics * draws))) if draws else by_rows
    for start in range(0, runs, size):
        yield range(start, min(start + size, runs))
