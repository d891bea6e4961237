"""Methods on trial: estimates of all runs from degraded judgments, to be compared with the truth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unjudged.arrays import Flags, Floats, Ints
from unjudged.data.joined import Joined
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
    measures: tuple[Measure, ...]
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
    truth_known: Flags
    """Where the truth is known, of the same shape: all that a measure reads is judged.

    Always for measures without a cut-off, whose truth takes what nobody ever judged for not relevant, and for those
    that are compared with another measure.
    """
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
    """Summaries over the topics that count, shape (holes, measures, runs); so have the two below."""
    mean_low: Floats
    mean_high: Floats
    judged: Ints
    """As in :class:`Trial`."""
    without_evidence: Ints
    """For each hole model, holes about which it was to ask the other runs, and had too little to learn from."""


def prepare_trial(
    joined: Joined,
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
    truth_known = np.ones(shape, dtype=bool)
    for runs in _run_blocks(joined, 0):
        view = joined.view(runs)
        for m, (measure, other) in enumerate(zip(measures, truths, strict=True)):
            truth[m, runs.start : runs.stop] = other.score(view).reshape(len(runs), -1)
            top = view.top(measure.depth())
            judged_counts = top.count(top.judged).reshape(len(runs), -1)
            judged[m, runs.start : runs.stop] = judged_counts
            if measure.depth() is not None and measure == other:
                truth_known[m, runs.start : runs.stop] = judged_counts == top.lengths.reshape(len(runs), -1)
    means = np.array([[other.summarise(row) for row in rows] for other, rows in zip(truths, truth, strict=True)])
    decided = np.stack([decisions(rows, test, correction, settings.seed) for rows in truth])
    return Trial(
        joined,
        tuple(measures),
        tuple(holes),
        tuple(degradations),
        settings,
        test,
        correction,
        truth,
        means,
        judged,
        truth_known,
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


def degraded(trial: Trial, which: int, case: str, repetition: int) -> tuple[Joined, Left]:
    """The runs against what a degradation leaves of the judgments."""
    joined = trial.joined
    how = trial.degradations[which]
    left = how.leave(joined, seed=trial.settings.seed, repetition=repetition, case=case)
    qrels = left.of(joined.qrels)
    if qrels.occurrences is not None and how.pool_depth is not None:
        qrels = qrels.with_occurrences(qrels.occurrences.with_pool_depth(how.pool_depth))
    return joined.against(qrels), left


def estimate_all(trial: Trial, joined: Joined, topics: Flags | None) -> Estimates:
    """Score all runs under every hole model with every measure; *topics* are those that count in means.

    Where the truth is not known, the score under all judgments stands in for every estimate: means are then over the
    same topics for all runs, and methods differ only where they can be judged.
    """
    shape = (len(trial.holes), len(trial.measures), len(joined.runs), len(joined.qrels.topics))
    unknown = np.full(shape, np.nan)
    out = Estimates(
        unknown.copy(),
        unknown.copy(),
        unknown,
        np.full(shape[:3], np.nan),
        np.full(shape[:3], np.nan),
        np.full(shape[:3], np.nan),
        np.zeros(shape[1:], dtype=np.int64),
        np.zeros(shape[0], dtype=np.int64),
    )
    beliefs = [model.prepare(joined.qrels) for model in trial.holes]
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
        truth_known, truth = trial.truth_known[m, here], trial.truth[m, here]
        columns = [(out.values, estimate.value)]
        if estimate.low is not None and estimate.high is not None:
            columns += [(out.low, estimate.low), (out.high, estimate.high)]
        for column, values in columns:
            column[h, m, here] = np.where(truth_known, values.reshape(len(runs), -1), truth)
        for row, run in enumerate(runs):
            out.means[h, m, run] = measure.summarise(out.values[h, m, run, counted])
            if estimate.draws is not None:
                drawn = estimate.draws.reshape(*truth_known.shape, -1)[row]
                drawn = np.where(truth_known[row, :, None], drawn, truth[row, :, None])[counted]
                ends = _drawn_ends(measure, trial.holes[h], drawn, trial.settings)
            else:
                ends = _mean_ends(measure, out.low[h, m, run, counted], out.high[h, m, run, counted])
            out.mean_low[h, m, run], out.mean_high[h, m, run] = ends


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
