"""Methods on trial: estimates of all runs from degraded judgments, to be compared with the truth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unjudged.arrays import Flags, Floats, Ints
from unjudged.data.joined import Joined
from unjudged.data.run_occurrences import OccurrencesInRuns
from unjudged.data.view import View
from unjudged.engine.numerics.scoring import deepest_rank
from unjudged.holes.base import HoleModel, PreparedHoleModel, Settings
from unjudged.holes.evidence_model.model import NO_EVIDENCE
from unjudged.measures.base import Measure
from unjudged.results.comparison import SIGNIFICANT
from unjudged.simulate.base import Degradation, Left
from unjudged.uncertainty.base import Correction, SignificanceTest
from unjudged.uncertainty.paired import all_pairs

__all__ = ["Estimates", "Trial", "decisions", "degraded", "estimate_all", "prepare_trial"]


_ROWS = 1 << 19
"""Rows of rankings looked at together ..."""
_DRAWN = 1 << 22
"""... and drawn scores held at once. Neither changes a number."""


@dataclass(frozen=True, eq=False)
class Trial:
    """What all blocks of a study look at: runs, methods, and the truth that estimates are compared with."""

    joined: Joined
    occurrences: OccurrencesInRuns | None
    """Where runs have documents, for hole models that learn from it."""
    measures: tuple[Measure, ...]
    truths: tuple[Measure, ...]
    """What each of the measures is compared with."""
    holes: tuple[HoleModel, ...]
    degradations: tuple[Degradation, ...]
    settings: Settings
    test: SignificanceTest
    correction: Correction
    truth: Floats
    """Scores with all judgments, shape (measures, runs, topics)."""
    means: Floats
    """Their summaries over topics, shape (measures, runs)."""
    judged: Ints
    """Judged documents among those that a measure reads, shape (measures, runs, topics)."""
    decided: NDArray[np.int8]
    """For each pair of runs (see ``all_pairs``) whether the first is significantly better (1), worse (-1) or neither
    (0), shape (measures, pairs)."""

    @cached_property
    def cells(self) -> tuple[tuple[int, int], ...]:
        """Hole models and measures that go together, by place.

        A measure that says itself what becomes of unjudged documents needs no hole model, and has the first one only.
        """
        places = range(len(self.holes))
        plain = next((h for h in places if self.holes[h].takes_as_nonrelevant), 0)
        return tuple(
            (h, m) for m, measure in enumerate(self.measures) for h in places if measure.has_holes or h == plain
        )


@dataclass(frozen=True, eq=False)
class Estimates:
    """Scores from degraded judgments: values, low, high have shape (holes, measures, runs, topics)."""

    values: Floats
    low: Floats
    high: Floats
    means: Floats
    """Summaries over the topics that count, shape (holes, measures, runs); so have the three below."""
    mean_low: Floats
    mean_high: Floats
    true_means: Floats
    """The same of the truth: without topics for which there is no estimate."""
    judged: Ints
    """As in :class:`Trial`."""
    without_evidence: Ints
    """For each hole model, holes about which it was to ask the other runs, and had too little to learn from."""


def prepare_trial(
    joined: Joined,
    occurrences: OccurrencesInRuns | None,
    measures: Sequence[Measure],
    truths: Sequence[Measure],
    holes: Sequence[HoleModel],
    degradations: Sequence[Degradation],
    *,
    settings: Settings,
    test: SignificanceTest,
    correction: Correction,
) -> Trial:
    """Compute the truth: *truths* has the measure that each of the *measures* is compared with."""
    shape = (len(measures), len(joined.runs), len(joined.qrels.topics))
    truth, judged = np.empty(shape), np.empty(shape, dtype=np.int64)
    for runs in _run_blocks(joined, 0):
        view = joined.view(runs)
        for m, (measure, other) in enumerate(zip(measures, truths, strict=True)):
            truth[m, runs.start : runs.stop] = other.score(view).reshape(len(runs), -1)
            top = view.top(measure.depth())
            judged[m, runs.start : runs.stop] = top.count(top.judged).reshape(len(runs), -1)
    means = np.array([[other.summarise(row) for row in rows] for other, rows in zip(truths, truth, strict=True)])
    decided = np.stack([decisions(rows, test, correction, settings.seed) for rows in truth])
    return Trial(
        joined,
        occurrences,
        tuple(measures),
        tuple(truths),
        tuple(holes),
        tuple(degradations),
        settings,
        test,
        correction,
        truth,
        means,
        judged,
        decided,
    )


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


def degraded(trial: Trial, how: Degradation, case: str, repetition: int) -> tuple[Joined, Left]:
    """The runs against what a degradation leaves of the judgments."""
    joined = trial.joined
    left = how.leave(joined, seed=trial.settings.seed, repetition=repetition, case=case)
    return joined.against(left.of(joined.qrels)), left


def estimate_all(trial: Trial, joined: Joined, topics: Flags | None, pool_depth: int | None = None) -> Estimates:
    """Score all runs under every hole model with every measure; *topics* are those that count in means.

    *pool_depth*: how many documents of each run went into the pool, where that is known.

    A topic for which there is no truth has no estimate.
    """
    shape = (len(trial.holes), len(trial.measures), len(joined.runs), len(joined.qrels.topics))
    values, low, high = (np.full(shape, np.nan) for _ in range(3))
    means, mean_low, mean_high, true_means = (np.full(shape[:3], np.nan) for _ in range(4))
    judged, without_evidence = np.zeros(shape[1:], dtype=np.int64), np.zeros(shape[0], dtype=np.int64)
    out = Estimates(values, low, high, means, mean_low, mean_high, true_means, judged, without_evidence)
    occurrences = trial.occurrences
    if occurrences is not None and pool_depth is not None:
        occurrences = occurrences.with_pool_depth(pool_depth)
    beliefs = [model.learn(joined.qrels, occurrences) for model in trial.holes]
    counted = np.ones(shape[3], dtype=bool) if topics is None else topics
    draws = max((getattr(model, "draws", 0) for model in trial.holes), default=0)
    for runs in _run_blocks(joined, draws):
        _estimate_block(trial, joined, runs, beliefs, counted, out)
    out.without_evidence[:] = [
        sum(one.count for one in belief.notices if one.code == NO_EVIDENCE) for belief in beliefs
    ]
    return out


def _run_blocks(joined: Joined, draws: int) -> Iterator[range]:
    runs, topics = len(joined.runs), max(1, len(joined.qrels.topics))
    by_rows = max(1, _ROWS * runs // max(1, len(joined.codes)))
    size = min(by_rows, max(1, _DRAWN // (topics * draws))) if draws else by_rows
    for start in range(0, runs, size):
        yield range(start, min(start + size, runs))


def _estimate_block(
    trial: Trial, joined: Joined, runs: range, beliefs: Sequence[PreparedHoleModel], counted: Flags, out: Estimates
) -> None:
    here = slice(runs.start, runs.stop)
    views: dict[int | None, View] = {}

    def view_to(depth: int | None) -> View:
        if depth not in views:
            views[depth] = joined.view(runs, depth=depth)
        return views[depth]

    for m, measure in enumerate(trial.measures):
        top = view_to(measure.depth())
        out.judged[m, here] = top.count(top.judged).reshape(len(runs), -1)
    for h, m in trial.cells:
        measure = trial.measures[m]
        view = view_to(deepest_rank([measure], [trial.holes[h]]))
        estimate = beliefs[h].estimate(measure, view, trial.settings)
        has_truth = ~np.isnan(trial.truth[m, here])
        columns = [(out.values, estimate.value)]
        if estimate.low is not None and estimate.high is not None:
            columns += [(out.low, estimate.low), (out.high, estimate.high)]
        for column, values in columns:
            column[h, m, here] = np.where(has_truth, values.reshape(has_truth.shape), np.nan)
        for row, run in enumerate(runs):
            values = out.values[h, m, run]
            out.means[h, m, run] = measure.summarise(values[counted])
            out.true_means[h, m, run] = _true_mean(trial, m, run, np.isnan(values) & counted)
            if estimate.draws is not None:
                drawn = estimate.draws.reshape(*has_truth.shape, -1)[row]
                drawn = np.where(has_truth[row, :, None], drawn, np.nan)[counted]
                ends = _drawn_ends(measure, trial.holes[h], drawn, trial.settings)
            else:
                has_value = counted & ~np.isnan(values)
                ends = _mean_ends(measure, out.low[h, m, run, has_value], out.high[h, m, run, has_value])
            out.mean_low[h, m, run], out.mean_high[h, m, run] = ends


def _true_mean(trial: Trial, m: int, run: int, without_estimate: Flags) -> float:
    """The mean of the truth that a mean of estimates is compared with: over the same topics."""
    if not without_estimate.any():
        return float(trial.means[m, run])
    return trial.truths[m].summarise(np.where(without_estimate, np.nan, trial.truth[m, run]))


def _drawn_ends(measure: Measure, model: HoleModel, drawn: Floats, settings: Settings) -> tuple[float, float]:
    """Between what a run's summary over topics lies, from draws (topics, draws)."""
    defined = ~np.isnan(drawn)
    number = defined.sum(axis=0)
    if not number.all():
        return np.nan, np.nan
    total = np.where(defined, measure.to_add_up(drawn), 0.0).sum(axis=0)
    low, high = model.interval(measure.from_sum(total, number)[None], None, settings)[0].tolist()
    return low, high


def _mean_ends(measure: Measure, low: Floats, high: Floats) -> tuple[float, float]:
    """The same from bounds of topics; NaN where some topic has none."""
    if np.isnan(low).any() or np.isnan(high).any():
        return np.nan, np.nan
    return measure.summarise(low), measure.summarise(high)
