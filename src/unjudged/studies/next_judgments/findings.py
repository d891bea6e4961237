"""What judgments so far say about runs and documents."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from unjudged.arrays import Flags, Floats, Ints
from unjudged.data.scale import Scale
from unjudged.engine.numerics.difference_bounds import pair_bounds
from unjudged.engine.numerics.joint_imputations import ScoredRun
from unjudged.measures.base import Measure
from unjudged.results.next_judgments import Decided, OutlookRow, PairOutlookRow, RecallRow
from unjudged.strategies.decide import SETTLED, DecideOrder, open_directions
from unjudged.strategies.grade_posterior import GradePosterior
from unjudged.strategies.score_posterior import Outlook
from unjudged.studies.next_judgments.forecast import Forecast, look_forward
from unjudged.studies.next_judgments.goals import INTERVAL, Goal
from unjudged.uncertainty.ranks import SAME_MEAN

__all__ = ["Findings", "pair_rows"]


class Findings(NamedTuple):
    """What is known of runs and of documents."""

    scored_runs: Sequence[ScoredRun]
    order: DecideOrder
    posterior: GradePosterior
    outlook: Outlook
    covariance: Floats
    risk: float

    @classmethod
    def of(cls, scored_runs: Sequence[ScoredRun], order: DecideOrder) -> Findings:
        """What the order believes of these runs."""
        posterior, outlook = order.state
        return cls(scored_runs, order, posterior, outlook, outlook.covariance(), order.strategy.risk)

    def run_rows(self) -> tuple[OutlookRow, ...]:
        """Runs, best first."""
        names, spread = self.order.candidates.runs, self.outlook.deviations(self.covariance)
        expected = self.outlook.expected
        observed = [float(np.nanmean(one.scores)) for one in self.scored_runs]
        return tuple(
            OutlookRow(
                names[run],
                observed[run],
                float(expected[run]),
                float(expected[run] - INTERVAL * spread[run]),
                float(expected[run] + INTERVAL * spread[run]),
            )
            for run in self.best_first()
        )

    def best_first(self) -> list[int]:
        """Positions of the runs."""
        order: list[int] = np.argsort(-np.round(self.outlook.expected, 12), kind="stable").tolist()
        return order

    def first_relevant(self) -> float:
        """The lowest grade that counts for the measure that decides."""
        return self.order.strategy.measure.first_relevant(Scale(self.order.candidates.scale))

    def _values(self, rel: float) -> Floats:
        return self.posterior.descriptions.of_levels((self.order.candidates.scale >= rel).astype(np.float64))

    def relevant(self, rel: float, *, sought: bool) -> RecallRow:
        """How many relevant documents there are, and how many of them are found.

        Where relevant documents were *sought*, the estimate is too high, and only its upper end holds.
        """
        judged = self.order.judged & self.order.candidates.askable
        found = int((judged & (self.order.grades >= rel)).sum())
        pairs = np.flatnonzero(self.order.open)
        predicted = self.posterior.predict(self.posterior.chances(pairs), self._values(rel))
        missing = float(predicted.expected.sum())
        spread = INTERVAL * float(np.sqrt(self.posterior.variance_of_sum(pairs, predicted)))
        low, high = 0.0 if sought else max(missing - spread, 0.0), min(missing + spread, float(len(pairs)))
        total = found + missing
        shares = (None,) * 3 if total == 0 else (found / total, found / (found + high), _share(found, low))
        return RecallRow(rel, found, total, found + low, found + high, shares[0], shares[1], shares[2], sought)

    def forecast(self, asked: Ints, *, all_documents: bool) -> Forecast:
        """What further judgments will show: first those that the strategy asks for, then by what they say now.

        Unless it is to be about *all documents*, those that count for no run are left out, as far as nobody asks.
        """
        open_pairs = self.order.open
        if not all_documents:
            counted = np.zeros_like(open_pairs)
            counted[self.outlook.pairs] = True
            counted[asked] = True
            open_pairs = open_pairs & counted
        pairs = np.flatnonzero(open_pairs)
        chances = self.posterior.chances(pairs)
        descriptions = self.posterior.descriptions
        gains = self.posterior.predict(chances, descriptions.of_levels(self.order.weights.gains))
        relevant = self.posterior.predict(chances, self._values(self.first_relevant()))
        directions = open_directions(self.outlook, self.order.wanted, self.risk, relative=True)
        worth = self.outlook.narrowing(directions, pairs, gains)
        place = np.full(len(self.order.candidates), len(asked))
        place[asked] = np.arange(len(asked))
        by_worth = np.lexsort((self.order.candidates.ties[pairs], -np.round(worth, 9), place[pairs]))
        return look_forward(self.outlook, pairs[by_worth], gains.take(by_worth), relevant.take(by_worth))


def _share(found: int, others: float) -> float:
    return found / (found + others) if found else 0.0


def pair_rows(findings: Findings, goals: Sequence[Goal]) -> tuple[PairOutlookRow, ...]:
    """Differences of pairs of runs: those that are asked about, or all."""
    best_first = findings.best_first()
    place = {run: i for i, run in enumerate(best_first)}
    if goals and all(goal.runs is not None for goal in goals):
        wanted = [tuple(sorted(goal.runs, key=place.__getitem__)) for goal in goals if goal.runs is not None]
        pairs = np.array(list(dict.fromkeys(wanted)), dtype=np.int64)
    else:
        first, second = np.triu_indices(len(best_first), 1)
        runs = np.array(best_first, dtype=np.int64)
        pairs = np.stack([runs[first], runs[second]], axis=1)
    if not len(pairs):
        return ()
    own, names = np.diag(findings.covariance), findings.order.candidates.runs
    expected = findings.outlook.expected[pairs[:, 0]] - findings.outlook.expected[pairs[:, 1]]
    variance = own[pairs[:, 0]] + own[pairs[:, 1]] - 2 * findings.covariance[pairs[:, 0], pairs[:, 1]]
    deviation = np.sqrt(np.where(variance > SETTLED, variance, 0.0))
    certain = _certain(findings, pairs, deviation)
    looked = findings.order.weights.looked_at(findings.order.judged)[pairs[:, 0], pairs[:, 1]]
    rows = []
    columns = (one.tolist() for one in (pairs, expected, deviation, certain, looked))
    for (a, b), difference, spread, sure, enough in zip(*columns, strict=True):
        greater = NormalDist().cdf(difference / spread) if spread > 0 else 0.5 + 0.5 * float(np.sign(difference))
        likely = enough and max(greater, 1 - greater) >= 1 - findings.risk
        verdict: Decided = "certain" if sure else "likely" if likely else "undecided"
        ends = difference - INTERVAL * spread, difference + INTERVAL * spread
        rows.append(PairOutlookRow(names[a], names[b], difference, *ends, greater, verdict))
    return tuple(rows)


def _certain(findings: Findings, pairs: Ints, deviation: Floats) -> Flags:
    """Which differences no grades of unjudged documents can turn around, or make."""
    scored, measure = findings.scored_runs, findings.order.strategy.measure
    defined = ~np.any([np.isnan(one.scores) for one in scored], axis=0)
    kept = np.flatnonzero(defined)
    nothing_left: Flags = deviation == 0
    if not len(kept) or not findings.order.judged.any():
        return nothing_left
    asked = np.flatnonzero(~_turned_around(measure, scored, pairs, kept))
    bounds = pair_bounds(measure, scored, pairs[asked], kept)
    low, high = np.minimum(bounds.worst, bounds.sure_low), np.maximum(bounds.best, bounds.sure_high)
    known = nothing_left.copy()
    known[asked] |= (low > SAME_MEAN) | (high < -SAME_MEAN) | ((low >= -SAME_MEAN) & (high <= SAME_MEAN))
    return known


def _turned_around(measure: Measure, scored: Sequence[ScoredRun], pairs: Ints, kept: Ints) -> Flags:
    """Which differences have one sign if all holes of one run are relevant, and the other if all of the other's are.

    That is quick to find out for all pairs at once, and true of most as long as few documents are judged.
    """
    form = measure.linear(scored[0].view)
    if form is None:
        return np.zeros(len(pairs), dtype=bool)
    wanted = np.zeros(len(scored[0].scores), dtype=bool)
    wanted[kept] = True
    base, weights = np.zeros(len(scored)), []
    for place, one in enumerate(scored):
        view, of_run = one.view, measure.linear(one.view)
        if of_run is None:
            raise TypeError(f"{measure} is a sum of gains for some runs only")
        counted = wanted[view.ranking]
        base[place] = (of_run.gains[view.levels] * of_run.weights)[view.judged & counted].sum()
        weights.append(np.where(counted, of_run.weights, 0.0)[one.holes.rows])
    codes = np.unique(np.concatenate([one.keys for one in scored]), return_inverse=True)[1]
    ends = np.cumsum([0, *map(len, weights)])
    every, run_of = np.concatenate(weights), np.repeat(np.arange(len(scored)), np.diff(ends))
    has = np.zeros(int(codes.max(initial=-1)) + 1, dtype=bool)
    shared = np.zeros((len(scored), len(scored)))
    for run in range(len(scored)):  # what each run gets if the holes of one are relevant
        mine = codes[ends[run] : ends[run + 1]]
        has[mine] = True
        shared[run] = np.bincount(run_of, every * has[codes], len(scored))
        has[mine] = False
    gains = float(form.gains.min()), float(form.gains.max())
    scores = base + gains[0] * np.bincount(run_of, every, len(scored)) + (gains[1] - gains[0]) * shared
    first, second = pairs.T
    apart = scores[first, first] - scores[first, second], scores[second, first] - scores[second, second]
    small = SAME_MEAN * len(kept)
    out: Flags = (apart[0] > small) & (apart[1] < -small)
    return out
