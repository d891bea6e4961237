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
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

import unjudged.kernels as kernels
from unjudged.arrays import Flags, Floats, Ints
from unjudged.data.qrels import State, judgments_of
from unjudged.data.spans import sums_of
from unjudged.data.view import View
from unjudged.engine.numerics.joint_imputations import ScoredRun
from unjudged.holes.imputation.filling import grade_counts
from unjudged.measures.base import Measure
from unjudged.progress import Progress, watched
from unjudged.uncertainty.ranks import SAME_MEAN

__all__ = ["PairBounds", "TopicBounds", "pair_bounds", "pair_bounds_of_parts", "topic_bounds"]


_PAIRS_AT_ONCE = 256
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
    return pair_bounds_of_parts(measure, scored_runs, pairs, [kept], progress=progress)[0]


def pair_bounds_of_parts(
    measure: Measure,
    scored_runs: Sequence[ScoredRun],
    pairs: Ints,
    parts: Sequence[Ints],
    *,
    progress: Progress | None = None,
) -> list[PairBounds]:
    """The same for the mean over each of these parts of the topics."""
    exact = measure.linear(scored_runs[0].view) is not None
    if not exact and len(parts) > 1:  # what is looked for depends on the sign of a part's mean
        return [pair_bounds(measure, scored_runs, pairs, part) for part in parts]
    lowest, highest = measure.limits()
    span = highest - lowest
    blocks = _blocks_of_bounds(measure, scored_runs, pairs, parts[0])
    means: list[list[Floats]] = [[] for _ in parts]
    for bounds in watched(progress, blocks, -(-len(pairs) // _PAIRS_AT_ONCE), "bounding differences"):
        for part, own in zip(parts, means, strict=True):
            of_kept = bounds.take(part, axis=2)
            out = of_kept.mean(axis=2)
            if not exact:
                out[2], out[3] = np.minimum(out[2], out[0]), np.maximum(out[3], out[1])
                # No real score is beyond the limits; with R kept fixed, one with many holes could be.
                out[:2] = np.clip(of_kept[:2], -span, span).mean(axis=2)
            own.append(out)
    joined = [np.concatenate(own, axis=1) if own else np.zeros((4, 0)) for own in means]
    return [PairBounds(one[0], one[1], one[2], one[3], exact) for one in joined]


def topic_bounds(
    measure: Measure, scored_runs: Sequence[ScoredRun], first: int, second: int, kept: Ints
) -> TopicBounds:
    """Bounds of each topic for a pair of runs; the sure ones matter where the mean over *kept* topics has a sign."""
    (bounds,) = _blocks_of_bounds(measure, scored_runs, np.array([[first, second]]), kept)
    return TopicBounds(*bounds[:, 0])


def _blocks_of_bounds(measure: Measure, scored_runs: Sequence[ScoredRun], pairs: Ints, kept: Ints) -> Iterator[Floats]:
    """Bounds of some pairs after the other, in the order of :class:`TopicBounds`: shape (4, pairs, topics)."""
    view = scored_runs[0].view
    form = measure.linear(view)
    gains = None if form is None else (float(form.gains.min()), float(form.gains.max()))
    parts = [_part(measure, scored_run) for scored_run in scored_runs]
    union = _Union(scored_runs, parts)
    ideals = _Ideals(measure, view, linear=form is not None)
    lows, highs = np.stack([part.low for part in parts]), np.stack([part.high for part in parts])
    scores, signatures = (np.stack([getattr(one, name) for one in scored_runs]) for name in ("scores", "signature"))
    for start in range(0, len(pairs), _PAIRS_AT_ONCE):
        some = pairs[start : start + _PAIRS_AT_ONCE]
        a, b = some.T
        low, high = lows[a] - highs[b], highs[a] - lows[b]
        holes = np.empty(low.shape, dtype=np.int64)
        for i, (first, second) in enumerate(some.tolist()):
            if gains is None:
                holes[i] = union.counts(first, second)
            else:
                holes[i], least, most = union.gains(first, second, gains)
                low[i] += least
                high[i] += most
        same = signatures[a] == signatures[b]
        settled = (holes == 0) | same
        low, high = (np.where(same, 0.0, np.where(holes == 0, scores[a] - scores[b], ends)) for ends in (low, high))
        sure_low, sure_high = low.copy(), high.copy()
        if gains is None:
            # Where neither bound has a sign, nothing is certain anyway.
            least_mean, most_mean = (ends.take(kept, axis=1).mean(axis=1) for ends in (low, high))
            signed = (least_mean >= -SAME_MEAN) | (most_mean <= SAME_MEAN)
            for i in np.flatnonzero(signed).tolist():
                first, second = some[i].tolist()
                lowest = [ideals.lowest(scored_runs[one], holes[i]) for one in (first, second)]
                sure_low[i], sure_high[i] = ideals.apart(
                    low[i], high[i], settled[i], lowest[0] - highs[second], highs[first] - lowest[1]
                )
        else:
            for i in range(len(some)):
                sure_low[i], sure_high[i] = ideals.scaled(low[i], high[i], holes[i], settled[i])
        yield np.stack([low, high, sure_low, sure_high])


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
    some = holes.counts > 0
    if not measure.monotone(view.qrels.scale.top):
        low[some], high[some] = measure.limits()
        return _Part(low, high, where, None)
    states = np.full(len(view.states), State.JUDGED, dtype=np.uint8)
    for grade in (0, view.qrels.scale.top):
        grades = np.where(view.judged, view.grades, grade).astype(np.int32)
        ends = measure.compute(replace(view, grades=grades, states=states))
        low[some], high[some] = np.fmin(low, ends)[some], np.fmax(high, ends)[some]
    return _Part(low, high, where, None)


class _Union:
    """The holes that one of two runs has, for any two runs. Holes are coded once, so that a pair needs no sorting."""

    def __init__(self, scored_runs: Sequence[ScoredRun], parts: Sequence[_Part]) -> None:
        self._codes = _codes(scored_runs)
        number = 1 + max(int(codes.max(initial=-1)) for codes in self._codes)
        self._holes = [one.holes for one in scored_runs]
        self._weights = [part.weights for part in parts]
        self._topics = np.zeros(number, dtype=np.int64)
        for codes, part in zip(self._codes, parts, strict=True):
            self._topics[codes] = part.topics
        self._marked = -1
        self._is_marked = np.zeros(number, dtype=bool)
        """Whether the run that is marked has a hole: mostly, the next pair is of the same first run."""
        self._balance = np.zeros(number)  # cleared after each pair

    def counts(self, a: int, b: int) -> Ints:
        """How many holes run *a* or *b* has, for each topic."""
        common = kernels.count_marked(self._holes[b].starts, self._codes[b], self._of_first(a).view(np.uint8))
        out: Ints = self._holes[a].counts + self._holes[b].counts - common
        return out

    def gains(self, a: int, b: int, ends: tuple[float, float]) -> tuple[Ints, Floats, Floats]:
        """The same, and the least and the most that they add to the difference, each with a gain between *ends*."""
        first, second = self._codes[a], self._codes[b]
        both = np.concatenate([first, second[~self._of_first(a)[second]]])
        plus, minus, topics = self._weights[a], self._weights[b], len(self._holes[a].view)
        if plus is None or minus is None:
            raise TypeError("only holes of a weighted sum have weights")
        self._balance[first] += plus
        self._balance[second] -= minus
        where, weights = self._topics[both], self._balance[both]
        self._balance[both] = 0.0
        least, most = weights * ends[0], weights * ends[1]
        counts = np.bincount(where, minlength=topics).astype(np.int64)
        return counts, sums_of(np.minimum(least, most), where, topics), sums_of(np.maximum(least, most), where, topics)

    def _of_first(self, run: int) -> Flags:
        if self._marked != run:
            if self._marked >= 0:
                self._is_marked[self._codes[self._marked]] = False
            self._is_marked[self._codes[run]] = True
            self._marked = run
        return self._is_marked


def _codes(scored_runs: Sequence[ScoredRun]) -> list[Ints]:
    """A number for each hole, the same in all runs; where grades are drawn once for all, holes have one already."""
    numbers = [one.relevance.rows for one in scored_runs if one.relevance is not None]
    if len(numbers) == len(scored_runs):
        return numbers
    codes = np.unique(np.concatenate([one.keys for one in scored_runs]), return_inverse=True)[1]
    return np.split(codes, np.cumsum([len(one.keys) for one in scored_runs])[:-1])


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
