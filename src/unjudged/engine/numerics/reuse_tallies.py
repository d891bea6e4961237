"""One block of a trial: how far estimates from degraded judgments are from the truth, in counts that add up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from unjudged.arrays import Flags, Floats, Ints
from unjudged.data.joined import Joined
from unjudged.engine.execution.plan import Arrays
from unjudged.engine.numerics.estimates_on_degraded_qrels import Estimates, Trial, decisions, degraded, estimate_all
from unjudged.measures.base import Measure
from unjudged.simulate.base import Degradation
from unjudged.uncertainty.agreement import agreement, errors_of
from unjudged.uncertainty.draws import resampled_means
from unjudged.uncertainty.paired import all_pairs
from unjudged.uncertainty.preferences import count_preferences
from unjudged.uncertainty.ranks import tied_ranks, without_rounding

__all__ = [
    "DECISIONS",
    "ERRORS",
    "INSIDE",
    "REVISION",
    "STATISTICS",
    "PoolCase",
    "lost_judgments",
    "middle_ranks",
    "never_judged_share",
    "reach",
    "something_to_estimate",
    "try_pool",
]


REVISION = 4
"""Raise it when :func:`try_pool` gives something else for the same input, so that no store hands out the old."""
ERRORS = ("pairs", "sum", "squares", "squares_above", "squares_below")
"""Of estimate - truth, over (run, topic) pairs that lost a judgment."""
INSIDE = ("pairs", "inside", "below", "above", "width")
"""Where the truth is, of the same pairs, as far as a model gives a range."""
DECISIONS = ("pairs", "significant", "false_positive", "false_negative")
"""Of a significance test, over pairs of runs with at least one that is looked at."""
STATISTICS = ("tau_b", "tau_ap", "pearson", "rmse", "bias")
"""Of the agreement of means, those that have intervals over topics."""
_TOPIC_SAMPLES = 200
_ROUNDING = 1e-9


@dataclass(frozen=True)
class PoolCase:
    """Which block: a degradation (by its place), one of its cases, and a repetition."""

    degradation: int
    case: str
    repetition: int


def try_pool(trial: Trial, which: PoolCase) -> Arrays:
    """Degrade the judgments, estimate all scores, and compare those of the runs that are new to the pool, or of all.

    Each array has a row for each of the trial's cells, apart from ``judgments`` (how many are left), ``runs``, and
    ``without_evidence``, which has one for each hole model.
    """
    how = trial.degradations[which.degradation]
    joined, left = degraded(trial, how, which.case, which.repetition)
    estimates = estimate_all(trial, joined, left.topics, how.pool_depth)
    runs = np.arange(len(joined.runs)) if left.runs is None else left.runs
    counted = lost_judgments(trial, estimates, runs, left.topics)

    def by_cell(tally: Callable[[int, int], Any]) -> Floats:
        return np.array([tally(h, m) for h, m in trial.cells], dtype=np.float64)

    h, m = np.array(trial.cells).T
    joined.qrels.forget()
    return {
        "judgments": np.array([left.judged.sum()]),
        "runs": runs,
        "without_evidence": estimates.without_evidence,
        "means": estimates.means[h, m][:, runs],
        "low": estimates.mean_low[h, m][:, runs],
        "high": estimates.mean_high[h, m][:, runs],
        "truths": estimates.true_means[h, m][:, runs],
        "ranks": by_cell(lambda h, m: middle_ranks(estimates.means[h, m])[runs]),
        "true_ranks": by_cell(lambda h, m: middle_ranks(estimates.true_means[h, m])[runs]),
        "open": by_cell(lambda h, m: something_to_estimate(trial, estimates, m, left.topics)[runs]),
        "lost": by_cell(lambda h, m: lost_share(trial, joined, m, runs, how.pool_depth)),
        "errors": by_cell(lambda h, m: _errors(trial, estimates, h, m, counted[m])),
        "inside": by_cell(lambda h, m: _inside(trial, estimates, h, m, counted[m])),
        "preferences": by_cell(lambda h, m: _preferences(trial, estimates, h, m, counted[m])),
        "decisions": by_cell(lambda h, m: _decisions(trial, estimates, h, m, runs, left.topics)),
        "over_topics": by_cell(lambda h, m: _over_topics(trial, estimates, h, m, how, left.topics)),
    }


def middle_ranks(means: Floats) -> Floats:
    """Rank of each run, from 1, best mean first; runs with the same mean share the middle of their ranks."""
    first, last = tied_ranks(-np.nan_to_num(without_rounding(means), nan=-np.inf))
    return (first + last) / 2


def reach(measure: Measure, pool_depth: int | None) -> int | None:
    """Down to which rank of runs holes matter to a measure: as far as it looks, and as the pool reached."""
    return min((depth for depth in (measure.depth(), pool_depth) if depth is not None), default=None)


def something_to_estimate(trial: Trial, estimates: Estimates, m: int, topics: Flags | None) -> Flags:
    """Runs whose mean is an estimate: they lost a judgment that the measure reads, or a topic.

    So is that of every run where the truth is another measure.
    """
    if trial.measures[m] != trial.truths[m] or (topics is not None and not topics.all()):
        return np.ones(len(trial.joined.runs), dtype=bool)
    lost: Flags = (estimates.judged[m] < trial.judged[m]).any(axis=1)
    return lost


def never_judged_share(joined: Joined, depth: int | None) -> Floats:
    """The share of the first documents of each run, as it was given, that nobody ever judged."""
    judged, documents = joined.judged_within(depth, range(len(joined.runs)))
    share: Floats = (documents - judged).sum(axis=1) / np.maximum(documents.sum(axis=1), 1)
    return share


def lost_share(trial: Trial, degraded: Joined, m: int, runs: Ints, pool_depth: int | None) -> Floats:
    """The share of the first documents of each run whose judgment was taken away; 0 for runs without documents."""
    depth = reach(trial.measures[m], pool_depth)
    before, documents = trial.joined.judged_within(depth, runs)
    after, _ = degraded.judged_within(depth, runs)
    share: Floats = (before - after).sum(axis=1) / np.maximum(documents.sum(axis=1), 1)
    return share


def lost_judgments(trial: Trial, estimates: Estimates, runs: Ints, topics: Flags | None) -> Flags:
    """Pairs (measure, run, topic) on which methods are judged: something that the measure reads is no longer judged."""
    out = estimates.judged < trial.judged
    mine = np.zeros(len(trial.joined.runs), dtype=bool)
    mine[runs] = True
    out &= mine[None, :, None]
    return out if topics is None else out & topics


def _errors(trial: Trial, estimates: Estimates, h: int, m: int, counted: Flags) -> list[float]:
    off = (estimates.values[h, m] - trial.truth[m])[counted]
    off = off[~np.isnan(off)]
    above, below = np.maximum(off, 0), np.minimum(off, 0)
    return [len(off), off.sum(), (off**2).sum(), (above**2).sum(), (below**2).sum()]


def _inside(trial: Trial, estimates: Estimates, h: int, m: int, counted: Flags) -> list[float]:
    counted = counted & ~np.isnan(estimates.low[h, m]) & ~np.isnan(estimates.high[h, m]) & ~np.isnan(trial.truth[m])
    low, high, truth = (array[counted] for array in (estimates.low[h, m], estimates.high[h, m], trial.truth[m]))
    below, above = truth < low - _ROUNDING, truth > high + _ROUNDING
    return [len(truth), (~below & ~above).sum(), below.sum(), above.sum(), (high - low).sum()]


def _preferences(trial: Trial, estimates: Estimates, h: int, m: int, counted: Flags) -> Ints:
    """With the range where there is one, else with the value."""
    value = estimates.values[h, m]
    low = np.where(np.isnan(estimates.low[h, m]), value, estimates.low[h, m])
    high = np.where(np.isnan(estimates.high[h, m]), value, estimates.high[h, m])
    return count_preferences(low, high, trial.truth[m], counted & ~np.isnan(value))


def _decisions(trial: Trial, estimates: Estimates, h: int, m: int, runs: Ints, topics: Flags | None) -> list[float]:
    """A false positive is significant here and not in truth, or the other way round there; a negative, only there."""
    values = estimates.values[h, m] if topics is None else estimates.values[h, m][:, topics]
    now = decisions(values, trial.test, trial.correction, trial.settings.seed)
    mine = np.isin(all_pairs(len(values)), runs).any(axis=1)
    now, then = now[mine], trial.decided[m][mine]
    return [len(now), (then != 0).sum(), ((now != 0) & (now != then)).sum(), ((now == 0) & (then != 0)).sum()]


def _over_topics(trial: Trial, estimates: Estimates, h: int, m: int, how: Degradation, topics: Flags | None) -> Floats:
    """95% interval of each statistic, shape (statistics, 2), with topics drawn anew; NaN where repetitions tell."""
    unknown = np.full((len(STATISTICS), 2), np.nan)
    defined = ~(np.isnan(estimates.values[h, m]) | np.isnan(trial.truth[m])).any(axis=0)
    if how.is_random or how.leaves_runs_out or trial.measures[m].summary != "mean" or not defined.any():
        return unknown
    # The same samples of topics on both sides: they follow from the seed alone.
    truth, estimate = (
        resampled_means(scores[:, defined], draws=_TOPIC_SAMPLES, seed=trial.settings.seed)
        for scores in (trial.truth[m], estimates.values[h, m])
    )
    is_open = something_to_estimate(trial, estimates, m, topics)
    is_open = is_open if is_open.any() else ~is_open
    values = np.empty((len(truth.T), len(STATISTICS)))
    for i, (x, y) in enumerate(zip(truth.T, estimate.T, strict=True)):
        found = asdict(agreement(x, y)) | errors_of(x[is_open], y[is_open])._asdict()
        values[i] = [found[name] for name in STATISTICS]
    ends: Floats = np.quantile(values, [0.025, 0.975], axis=0).T
    return ends
