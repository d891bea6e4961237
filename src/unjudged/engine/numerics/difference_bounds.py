"""The worst and the best difference of two runs over all grades that their unjudged documents could get.

For a measure that is a weighted sum of gains each hole adds its gain times the difference of its two weights, so the
extremes need no search (R and the ideal ranking stay those of the judgments). For other measures the runs' own
extremes give bounds that are wider than needed, never too narrow.

Judging a hole can also change R and the ideal ranking of its topic, which scales the topic's scores. ``sure_low`` and
``sure_high`` allow for that: no labelling of the holes leads outside, whether the ideal ranking follows it or not. The
verdict *certain* rests on them: a topic that counts less in the mean can alone turn a difference around.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from unjudged.arrays import Flags, Floats, Ints
from unjudged.data.qrels import State, judgments_of
from unjudged.data.view import View
from unjudged.engine.numerics.joint_imputations import ScoredRun
from unjudged.holes.imputation.filling import grade_counts, score_drawn
from unjudged.measures.base import Measure
from unjudged.progress import Progress, watched
from unjudged.uncertainty.ranks import SAME_MEAN

__all__ = ["PairBounds", "TopicBounds", "pair_bounds", "topic_bounds"]


_SMALL = 32
"""Up to so many holes the change of the ideal ranking is exact; above, for the next of numbers ever further apart."""


@dataclass(frozen=True, eq=False)
class PairBounds:
    """Bounds of the difference of the means of each pair, first less second; infinite where there are none."""

    worst: Floats
    best: Floats
    sure_low: Floats
    sure_high: Floats
    exact: bool
    """Whether ``worst`` and ``best`` are reached by some grades."""


@dataclass(frozen=True, eq=False)
class _Part:
    """What the bounds of a run's pairs need: its score without holes' gains, or its extremes; and its holes."""

    low: Floats
    high: Floats
    topics: Ints
    weights: Floats | None


class TopicBounds(NamedTuple):
    """Bounds of the difference of two runs for each topic, first less second; see :class:`PairBounds`."""

    low: Floats
    high: Floats
    sure_low: Floats
    sure_high: Floats

    def widest(self) -> tuple[Floats, Floats]:
        """Bounds that hold whether R and the ideal ranking follow the grades or stay."""
        return np.minimum(self.low, self.sure_low), np.maximum(self.high, self.sure_high)


def pair_bounds(
    measure: Measure, scored_runs: Sequence[ScoredRun], pairs: Ints, kept: Ints, *, progress: Progress | None = None
) -> PairBounds:
    """Bounds for pairs of runs (rows of *pairs*), for the mean over the topics *kept*."""
    exact = measure.linear(scored_runs[0].view) is not None
    lowest, highest = measure.limits()
    span = highest - lowest
    out = np.empty((4, len(pairs)))
    by_pair = topic_bounds(measure, scored_runs, pairs, kept)
    for i, bounds in enumerate(watched(progress, by_pair, len(pairs), "bounding differences")):
        out[:, i] = [values[kept].mean() for values in bounds]
        if not exact:
            out[2, i], out[3, i] = min(out[2, i], out[0, i]), max(out[3, i], out[1, i])
            # No real score is beyond the limits; with R kept fixed, one with many holes could be.
            out[:2, i] = [np.clip(values, -span, span)[kept].mean() for values in bounds[:2]]
    return PairBounds(out[0], out[1], out[2], out[3], exact=exact)


def topic_bounds(measure: Measure, scored_runs: Sequence[ScoredRun], pairs: Ints, kept: Ints) -> Iterator[TopicBounds]:
    """Bounds of each topic for each pair of runs; the sure ones matter where the mean over *kept* topics has a sign."""
    view = scored_runs[0].view
    topics = len(view)
    form = measure.linear(view)
    gains = None if form is None else (float(form.gains.min()), float(form.gains.max()))
    parts = [_part(measure, scored_run) for scored_run in scored_runs]
    union = _Union(scored_runs, parts)
    ideals = _Ideals(measure, view, linear=form is not None)
    for a, b in pairs.tolist():
        first, second = parts[a], parts[b]
        where, weights = union.of(a, b)
        holes = np.bincount(where, minlength=topics)
        low, high = first.low - second.high, first.high - second.low
        if gains is not None:
            ends = weights * gains[0], weights * gains[1]
            low = low + np.bincount(where, weights=np.minimum(*ends), minlength=topics)
            high = high + np.bincount(where, weights=np.maximum(*ends), minlength=topics)
        observed = scored_runs[a].scores - scored_runs[b].scores
        fixed = holes == 0
        low, high = np.where(fixed, observed, low), np.where(fixed, observed, high)
        same = scored_runs[a].signature == scored_runs[b].signature
        low[same], high[same] = 0.0, 0.0
        settled = fixed | same
        if gains is not None:
            sure_low, sure_high = ideals.scaled(low, high, holes, settled)
        elif low[kept].mean() >= -SAME_MEAN or high[kept].mean() <= SAME_MEAN:  # else nothing is certain anyway
            least = ideals.lowest(scored_runs[a], holes), ideals.lowest(scored_runs[b], holes)
            sure_low, sure_high = ideals.apart(low, high, settled, least[0] - second.high, first.high - least[1])
        else:
            sure_low, sure_high = low, high
        yield TopicBounds(low, high, sure_low, sure_high)


def _part(measure: Measure, scored_run: ScoredRun) -> _Part:
    view = scored_run.view
    holes = scored_run.holes
    where = view.ranking[holes.rows]
    form = measure.linear(view)
    if form is not None:
        judged = np.where(view.judged, form.gains[view.levels], 0.0) * form.weights
        base = view.total(np.arange(len(judged)), judged)
        return _Part(base, base, where, form.weights[holes.rows])
    low, high = scored_run.scores.copy(), scored_run.scores.copy()
    scale = view.qrels.scale
    some = np.flatnonzero(holes.counts > 0)
    if not measure.monotone(scale.top):
        low[some], high[some] = measure.limits()
        return _Part(low, high, where, None)
    for number in np.unique(holes.counts[some]).tolist():
        rankings = np.flatnonzero(holes.counts == number)
        drawn = np.zeros((len(rankings), 2, number), dtype=np.int32)
        drawn[:, 1] = len(scale) - 1
        ends = score_drawn(measure, view, rankings, holes.of(rankings), drawn, scale)
        low[rankings] = np.fmin(low[rankings], np.fmin.reduce(ends, axis=1))
        high[rankings] = np.fmax(high[rankings], np.fmax.reduce(ends, axis=1))
    return _Part(low, high, where, None)


class _Union:
    """The holes that one of two runs has, for any two runs. Holes are coded once, so that a pair needs no sorting."""

    def __init__(self, scored_runs: Sequence[ScoredRun], parts: Sequence[_Part]) -> None:
        keys = np.concatenate([one.keys for one in scored_runs])
        distinct, at, codes = np.unique(keys, return_index=True, return_inverse=True)
        self._codes = np.split(codes, np.cumsum([len(one.keys) for one in scored_runs])[:-1])
        self._weights = [part.weights for part in parts]
        self._topics = np.concatenate([part.topics for part in parts])[at]
        # Tables over all holes, cleared after each pair.
        self._in_first = np.zeros(len(distinct), dtype=bool)
        self._balance = np.zeros(len(distinct))

    def of(self, a: int, b: int) -> tuple[Ints, Floats]:
        """Topic of each hole that run *a* or *b* has, and the difference of its weights (0 where there are none)."""
        first, second = self._codes[a], self._codes[b]
        self._in_first[first] = True
        both = np.concatenate([first, second[~self._in_first[second]]])
        self._in_first[first] = False
        plus, minus = self._weights[a], self._weights[b]
        if plus is None or minus is None:
            return self._topics[both], np.zeros(len(both))
        self._balance[first] += plus
        self._balance[second] -= minus
        weights = self._balance[both]
        self._balance[both] = 0.0
        return self._topics[both], weights


class _Ideals:
    """How far judging holes can change the divisor of a measure: R, or the gain of the ideal ranking."""

    def __init__(self, measure: Measure, view: View, *, linear: bool) -> None:
        self.measure = measure
        self.kind, self.scale = measure.normaliser(), view.qrels.scale
        low, high = measure.limits()
        self.span = high - low
        counts = grade_counts(view.qrels)[view.topics]
        self.counts = np.where(np.arange(counts.shape[1]) > 0, counts, 0)
        self.weights = self._weights(self.counts) if linear else np.zeros(len(view))
        # Without anything relevant there is no divisor yet: the first relevant document brings one, and any score.
        relevant = self.counts[:, self.scale.grades >= measure.first_relevant(self.scale)].sum(axis=1)
        self.free = np.full(len(view), self.kind == "mixed") | ((self.weights if linear else relevant) == 0)
        self._known: dict[tuple[int, int], float] = {(topic, 0): 1.0 for topic in range(len(view))}

    def scaled(self, low: Floats, high: Floats, holes: Ints, settled: Flags) -> tuple[Floats, Floats]:
        """Bounds of each topic's difference for a sum of gains, where grades of holes can scale it down."""
        if self.kind == "none":
            return low, high
        added = list(enumerate(_rounded_up(holes)))
        self._learn(added)
        shrink = np.array([self._known[one] for one in added])
        return self.apart(
            low, high, settled, np.where(low > 0, low * shrink, low), np.where(high < 0, high * shrink, high)
        )

    def apart(
        self, low: Floats, high: Floats, settled: Flags, sure_low: Floats, sure_high: Floats
    ) -> tuple[Floats, Floats]:
        """The wider bounds, but for topics that are settled, and for those about which nothing is known."""
        if self.kind == "none":
            return low, high
        sure_low, sure_high = np.where(self.free, -self.span, sure_low), np.where(self.free, self.span, sure_high)
        return np.where(settled, low, sure_low), np.where(settled, high, sure_high)

    def lowest(self, scored_run: ScoredRun, holes: Ints) -> Floats:
        """Scores with the run's own holes at grade 0, and as many documents of the highest grade as there are holes."""
        view = scored_run.view
        quick = self.measure.lowest(view, holes)
        if quick is not None:
            return quick
        counts = self.counts.copy()
        counts[:, -1] += holes
        states = np.full(len(view.states), State.JUDGED, dtype=np.uint8)
        every = np.arange(len(view), dtype=np.int64)
        return self.measure.compute(View(judgments_of(counts, self.scale), every, view.offsets, view.grades, states))

    def _learn(self, added_to: list[tuple[int, int]]) -> None:
        wanted = [one for one in added_to if one not in self._known]
        if not wanted:
            return
        topics, added = np.array(wanted, dtype=np.int64).T
        counts = self.counts[topics]
        counts[:, -1] += added
        weights = self._weights(counts)
        before = self.weights[topics]
        factors = np.divide(weights, before, out=np.zeros(len(weights)), where=before != 0)
        self._known.update(zip(wanted, factors.tolist(), strict=True))

    def _weights(self, counts: Ints) -> Floats:
        """What the first rank weighs, with judgments of so many documents of each grade."""
        number = len(counts)
        grades, states = np.zeros(number, dtype=self.scale.grades.dtype), np.full(number, State.JUDGED, dtype=np.uint8)
        every = np.arange(number + 1, dtype=np.int64)
        form = self.measure.linear(View(judgments_of(counts, self.scale), every[:-1], every, grades, states))
        return np.zeros(number) if form is None else form.weights


def _rounded_up(holes: Ints) -> list[int]:
    """The same numbers where they are small, else the next of a sparse set: more holes never narrow a bound."""
    steps = [float(_SMALL)]
    while steps[-1] < holes.max(initial=0):
        steps.append(np.ceil(steps[-1] * 1.25))
    grid = np.array(steps, dtype=np.int64)
    return np.where(holes <= _SMALL, holes, grid[np.minimum(np.searchsorted(grid, holes), len(grid) - 1)]).tolist()  # type: ignore[no-any-return]
