"""One block of a trial: how far estimates from degraded judgments are from the truth, in counts that add up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from unjudged.arrays import Flags, Floats, Ints
from unjudged.data.qrels import Qrels
from unjudged.engine.execution.plan import Arrays
from unjudged.engine.numerics.estimates_on_degraded_qrels import Estimates, estimate_all
from unjudged.engine.numerics.lost_judgments import lost_judgments, lost_shares, something_to_estimate
from unjudged.engine.numerics.reuse_trial import Trial, decisions, degraded
from unjudged.simulate.base import Degradation, Left
from unjudged.uncertainty.agreement import agreement, errors_of
from unjudged.uncertainty.draws import resampled_means
from unjudged.uncertainty.paired import all_pairs
from unjudged.uncertainty.preferences import TIES, count_preferences
from unjudged.uncertainty.ranks import tied_ranks, without_rounding

__all__ = ["DECISIONS", "ERRORS", "INSIDE", "KINDS", "REVISION", "STATISTICS", "PoolCase", "try_pool", "where_truth_is"]


REVISION = 8
"""Raise it when :func:`try_pool` gives something else for the same input, so that no store hands out the old."""
ERRORS = ("pairs", "sum", "squares", "squares_above", "squares_below")
"""Of estimate - truth, over (run, topic) pairs that lost a judgment."""
INSIDE = ("pairs", "inside", "below", "above", "width", "squares_low", "squares_high", "outside_low", "outside_high")
"""Where the truth is, of the same pairs, as far as a model gives a range; and squared distances of its ends from the
truth, of all and of those ends that the truth is beyond."""
DECISIONS = ("pairs", "significant", "false_positive", "false_negative", "kept")
"""Of a significance test, over pairs of runs with at least one that is looked at; kept are those significant in truth
that are so here, in the same direction."""
KINDS = ("estimate", "range", "from lowest")
"""What stands for a run when it is put in order among others: the estimate; the model's range; the range from the score
with unjudged documents as not relevant to the upper end, or to the estimate where there is none (paper 1, Table 6)."""
STATISTICS = ("tau_b", "tau_a", "tau_ap", "pearson", "rmse", "bias")
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

    Each array has a row for each of the cells (a hole model and a measure), apart from ``judgments`` (how many are
    left), ``runs``, ``grades`` (judgments of each level that are left, and that are lost), and ``without_evidence``,
    which has one for each hole model.
    """
    how, cells = trial.degradations[which.degradation], trial.methods.cells
    trial, joined, left, runs = degraded(trial, how, which.case, which.repetition)
    estimates = estimate_all(trial, joined, left.topics, how.pool_depth)
    lost = lost_judgments(trial, estimates, runs, left.topics)
    lost_share = lost_shares(trial, joined, runs, how)

    def by_cell(tally: Callable[[int, int], Any], type_: type = np.float64) -> Any:
        return np.array([tally(h, m) for h, m in cells], dtype=type_)

    h, m = np.array(cells).T
    joined.qrels.forget()
    return {
        "judgments": np.array([left.judged.sum()]),
        "grades": _grades(trial.joined.qrels, left),
        "runs": runs,
        "without_evidence": estimates.without_evidence,
        "means": estimates.means[h, m][:, runs],
        "low": estimates.mean_low[h, m][:, runs],
        "high": estimates.mean_high[h, m][:, runs],
        "topics_low": estimates.topics_low[h, m][:, runs],
        "topics_high": estimates.topics_high[h, m][:, runs],
        "truths": estimates.true_means[h, m][:, runs],
        "ranks": by_cell(lambda h, m: middle_ranks(estimates.means[h, m])[runs]),
        "true_ranks": by_cell(lambda h, m: middle_ranks(estimates.true_means[h, m])[runs]),
        "open": by_cell(lambda h, m: something_to_estimate(trial, estimates, m, left.topics)[runs]),
        "lost": by_cell(lambda h, m: lost_share[m]),
        "errors": by_cell(lambda h, m: _errors(trial, estimates, h, m, lost[m])),
        "squares": by_cell(lambda h, m: _squares(trial, estimates, h, m, lost[m])),
        "inside": by_cell(lambda h, m: _inside(trial, estimates, h, m, lost[m])),
        "preferences": by_cell(lambda h, m: _preferences(trial, estimates, h, m, lost[m], how), np.int64),
        "decisions": by_cell(lambda h, m: _decisions(trial, estimates, h, m, runs, left.topics)),
        "over_topics": by_cell(lambda h, m: _over_topics(trial, estimates, h, m, how, left.topics)),
        **(_by_topic(trial, estimates) if trial.by_topic else {}),
    }


def middle_ranks(means: Floats) -> Floats:
    """Rank of each run, from 1, best mean first; runs with the same mean share the middle of their ranks."""
    first, last = tied_ranks(-np.nan_to_num(without_rounding(means), nan=-np.inf))
    return (first + last) / 2


def _grades(qrels: Qrels, left: Left) -> Ints:
    """How many judgments of each level are left, and how many are lost, shape (2, levels)."""
    masks = (left.judged & qrels.judged, ~left.judged & qrels.judged)
    return np.array([np.bincount(qrels.levels[mask], minlength=len(qrels.scale)) for mask in masks])


def _by_topic(trial: Trial, estimates: Estimates) -> Arrays:
    """Values, ends and shares unjudged of every run on every topic; NaN where a run has no document."""
    h, m = np.array(trial.methods.cells).T
    documents = np.where(trial.truth.documents > 0, trial.truth.documents, np.nan)
    return {
        "values": estimates.values[h, m],
        "lows": estimates.low[h, m],
        "highs": estimates.high[h, m],
        "unjudged": 1 - (estimates.judged / documents)[m],
    }


def _errors(trial: Trial, estimates: Estimates, h: int, m: int, counted: Flags) -> list[float]:
    off = (estimates.values[h, m] - trial.truth.scores[m])[counted]
    off = off[~np.isnan(off)]
    above, below = np.maximum(off, 0), np.minimum(off, 0)
    return [len(off), off.sum(), (off**2).sum(), (above**2).sum(), (below**2).sum()]


def _squares(trial: Trial, estimates: Estimates, h: int, m: int, counted: Flags) -> Floats:
    """Squared errors and pairs of each topic, shape (topics, 2)."""
    off = np.where(counted, estimates.values[h, m] - trial.truth.scores[m], np.nan)
    return np.stack([np.nansum(off**2, axis=0), (~np.isnan(off)).sum(axis=0)], axis=1)


def _inside(trial: Trial, estimates: Estimates, h: int, m: int, counted: Flags) -> list[float]:
    low, high, truth = estimates.low[h, m], estimates.high[h, m], trial.truth.scores[m]
    counted = counted & ~np.isnan(low) & ~np.isnan(high) & ~np.isnan(truth)
    return where_truth_is(low[counted], high[counted], truth[counted])


def where_truth_is(low: Floats, high: Floats, truth: Floats) -> list[float]:
    """As in :data:`INSIDE`."""
    below, above = truth < low - _ROUNDING, truth > high + _ROUNDING
    squares_low, squares_high = (low - truth) ** 2, (high - truth) ** 2
    counts = [len(truth), (~below & ~above).sum(), below.sum(), above.sum(), (high - low).sum()]
    return [*counts, squares_low.sum(), squares_high.sum(), squares_low[below].sum(), squares_high[above].sum()]


def _preferences(trial: Trial, estimates: Estimates, h: int, m: int, counted: Flags, how: Degradation) -> Ints:
    """Right, emitted and true preferences, shape (kinds, ways to see ties, topics, 3); zeros where a kind is not there.

    What is drawn at random is asked for its estimates only, and in the paper's words: the rest is about runs that were
    not pooled.
    """
    value, low, high = estimates.values[h, m], estimates.low[h, m], estimates.high[h, m]
    truth, counted = trial.truth.scores[m], counted & ~np.isnan(value)
    out = np.zeros((len(KINDS), len(TIES), truth.shape[1], 3), dtype=np.int64)
    has_range = ~np.isnan(low).all()
    ends = [(value, value)]
    if not how.is_random and trial.methods.measures[m].has_holes:
        low, high = np.where(np.isnan(low), value, low), np.where(np.isnan(high), value, high)
        lowest = estimates.lowest[m]
        ends += [(low, high), (np.minimum(lowest, high), np.maximum(lowest, high))]
    for kind, (from_, to) in enumerate(ends):
        if kind != KINDS.index("range") or has_range:
            for place, ties in enumerate(TIES[:1] if how.is_random else TIES):
                out[kind, place] = count_preferences(from_, to, truth, counted, ties=ties)
    return out


def _decisions(trial: Trial, estimates: Estimates, h: int, m: int, runs: Ints, topics: Flags | None) -> list[float]:
    """A false positive is significant here and not in truth, or the other way round there; a negative, only there."""
    methods = trial.methods
    values = estimates.values[h, m] if topics is None else estimates.values[h, m][:, topics]
    now = decisions(values, methods.test, methods.correction, methods.settings.seed)
    mine = np.isin(all_pairs(len(values)), runs).any(axis=1)
    now, then = now[mine], trial.truth.decided[m][mine]
    false, missed = (now != 0) & (now != then), (now == 0) & (then != 0)
    return [len(now), (then != 0).sum(), false.sum(), missed.sum(), ((now == then) & (then != 0)).sum()]


def _over_topics(trial: Trial, estimates: Estimates, h: int, m: int, how: Degradation, topics: Flags | None) -> Floats:
    """95% interval of each statistic, shape (statistics, 2), with topics drawn anew; NaN where repetitions tell."""
    true_scores = trial.truth.scores[m]
    unknown = np.full((len(STATISTICS), 2), np.nan)
    defined = ~(np.isnan(estimates.values[h, m]) | np.isnan(true_scores)).any(axis=0)
    if how.is_random or how.leaves_runs_out or trial.methods.measures[m].summary != "mean" or not defined.any():
        return unknown
    # The same samples of topics on both sides: they follow from the seed alone.
    truth, estimate = (
        resampled_means(scores[:, defined], draws=_TOPIC_SAMPLES, seed=trial.methods.settings.seed)
        for scores in (true_scores, estimates.values[h, m])
    )
    is_open = something_to_estimate(trial, estimates, m, topics)
    is_open = is_open if is_open.any() else ~is_open
    values = np.empty((len(truth.T), len(STATISTICS)))
    for i, (x, y) in enumerate(zip(truth.T, estimate.T, strict=True)):
        statistics = asdict(agreement(x, y)) | errors_of(x[is_open], y[is_open])._asdict()
        values[i] = [statistics[name] for name in STATISTICS]
    ends: Floats = np.quantile(values, [0.025, 0.975], axis=0).T
    return ends
