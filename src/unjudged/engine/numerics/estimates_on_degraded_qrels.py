"""Methods on trial: estimates of all runs from degraded judgments, to be compared with the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unjudged.arrays import Flags, Floats, Ints
from unjudged.data.joined import Joined
from unjudged.data.view import View
from unjudged.engine.numerics.reuse_trial import Trial, run_blocks
from unjudged.engine.numerics.scoring import deepest_rank
from unjudged.holes.base import Estimate, HoleModel, PreparedHoleModel, Settings
from unjudged.holes.evidence_model.model import NO_EVIDENCE
from unjudged.measures.base import Measure

__all__ = ["Estimates", "estimate_all"]


@dataclass(frozen=True, eq=False)
class Estimates:
    """Scores from degraded judgments: values, low, high have shape (holes, measures, runs, topics)."""

    values: Floats
    low: Floats
    high: Floats
    lowest: Floats
    """With unjudged documents as not relevant, shape (measures, runs, topics)."""
    means: Floats
    """Summaries over the topics that count, shape (holes, measures, runs); so have all below that have means."""
    mean_low: Floats
    mean_high: Floats
    topics_low: Floats
    """Means of the ends of single topics."""
    topics_high: Floats
    true_means: Floats
    """Summaries of the truth: without topics for which there is no estimate."""
    judged: Ints
    """Judged documents among those that a measure reads, shape (measures, runs, topics)."""
    without_evidence: Ints
    """For each hole model, holes about which it was to ask the other runs, and had too little to learn from."""


def estimate_all(trial: Trial, joined: Joined, topics: Flags | None, pool_depth: int | None = None) -> Estimates:
    """Score all runs under every hole model with every measure; *topics* are those that count in means.

    *pool_depth*: how many documents of each run went into the pool, where that is known. A topic for which there is no
    truth has no estimate.
    """
    hole_models = trial.methods.hole_models
    out = _no_estimates((len(hole_models), len(trial.methods.measures), len(joined.runs), len(joined.qrels.topics)))
    occurrences = trial.occurrences
    if occurrences is not None and pool_depth is not None:
        occurrences = occurrences.with_pool_depth(pool_depth)
    beliefs = [model.learn(joined.qrels, occurrences) for model in hole_models]
    counted = np.ones(len(joined.qrels.topics), dtype=bool) if topics is None else topics
    draws = max((model.draws for model in hole_models), default=0)
    for runs in run_blocks(joined, draws):
        _estimate_block(trial, joined, runs, beliefs, counted, out)
    out.without_evidence[:] = [
        sum(one.count for one in belief.notices if one.code == NO_EVIDENCE) for belief in beliefs
    ]
    return out


def _no_estimates(shape: tuple[int, int, int, int]) -> Estimates:
    """Room for estimates that are still to come."""
    values, low, high = (np.full(shape, np.nan) for _ in range(3))
    means, mean_low, mean_high = (np.full(shape[:3], np.nan) for _ in range(3))
    return Estimates(
        values,
        low,
        high,
        lowest=np.full(shape[1:], np.nan),
        means=means,
        mean_low=mean_low,
        mean_high=mean_high,
        topics_low=mean_low.copy(),
        topics_high=mean_high.copy(),
        true_means=means.copy(),
        judged=np.zeros(shape[1:], dtype=np.int64),
        without_evidence=np.zeros(shape[0], dtype=np.int64),
    )


def _estimate_block(
    trial: Trial, joined: Joined, runs: range, beliefs: Sequence[PreparedHoleModel], counted: Flags, out: Estimates
) -> None:
    methods, here = trial.methods, slice(runs.start, runs.stop)
    views: dict[int | None, View] = {}
    estimates: dict[tuple[int, Measure], Estimate] = {}  # a measure may be compared with several truths

    def view_to(depth: int | None) -> View:
        if depth not in views:
            views[depth] = joined.view(runs, depth=depth)
        return views[depth]

    judged: dict[int | None, Ints] = {}
    lowest: dict[Measure, Floats] = {}
    for m, measure in enumerate(methods.measures):
        depth = measure.depth()
        top = view_to(depth)
        if depth not in judged:
            judged[depth] = top.count(top.judged).reshape(len(runs), -1)
        out.judged[m, here] = judged[depth]
        if measure.has_holes:
            if measure not in lowest:
                lowest[measure] = measure.score(top).reshape(len(runs), -1)
            out.lowest[m, here] = lowest[measure]
    for h, m in methods.cells:
        measure, model = methods.measures[m], methods.hole_models[h]
        if (h, measure) not in estimates:
            view = view_to(deepest_rank([measure], [model]))
            estimates[h, measure] = beliefs[h].estimate(measure, view, methods.settings)
        _put(trial, (h, m), runs, estimates[h, measure], counted, out)


def _put(trial: Trial, cell: tuple[int, int], runs: range, estimate: Estimate, counted: Flags, out: Estimates) -> None:
    """What a hole model says of some runs, and what follows for their means."""
    h, m = cell
    measure, model, here = trial.methods.measures[m], trial.methods.hole_models[h], slice(runs.start, runs.stop)
    has_truth = ~np.isnan(trial.truth.scores[m, here])
    columns = [(out.values, estimate.value)]
    if estimate.low is not None and estimate.high is not None:
        columns += [(out.low, estimate.low), (out.high, estimate.high)]
    for column, values in columns:
        column[h, m, here] = np.where(has_truth, values.reshape(has_truth.shape), np.nan)
    for row, run in enumerate(runs):
        values = out.values[h, m, run]
        has_value = counted & ~np.isnan(values)
        out.means[h, m, run] = measure.summarise(values[counted])
        out.true_means[h, m, run] = _true_mean(trial, m, run, np.isnan(values) & counted)
        ends = _mean_ends(measure, out.low[h, m, run, has_value], out.high[h, m, run, has_value])
        out.topics_low[h, m, run], out.topics_high[h, m, run] = ends
        if estimate.draws is not None:
            drawn = estimate.draws.reshape(*has_truth.shape, -1)[row]
            drawn = np.where(has_truth[row, :, None], drawn, np.nan)[counted]
            ends = _drawn_ends(measure, model, drawn, trial.methods.settings)
        out.mean_low[h, m, run], out.mean_high[h, m, run] = ends


def _true_mean(trial: Trial, m: int, run: int, without_estimate: Flags) -> float:
    """The mean of the truth that a mean of estimates is compared with: over the same topics."""
    if not without_estimate.any():
        return float(trial.truth.means[m, run])
    return trial.methods.truths[m].summarise(np.where(without_estimate, np.nan, trial.truth.scores[m, run]))


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
