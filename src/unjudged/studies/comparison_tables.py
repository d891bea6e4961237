"""The tables of a comparison: what was measured and drawn, run by run and pair by pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.engine.numerics.difference_bounds import PairBounds
from unjudged.engine.numerics.joint_imputations import Drawn, OnImages
from unjudged.results.comparison import LEVEL, BudgetRow, PairRow, RankRow, RunRow, Verdict
from unjudged.results.scores import mean_known
from unjudged.results.tabular import number_or_none
from unjudged.uncertainty.base import IntervalMethod
from unjudged.uncertainty.draws import resampled_means
from unjudged.uncertainty.intervals import mean_interval
from unjudged.uncertainty.ranks import SAME_MEAN, ranks_of_means, share_greater
from unjudged.uncertainty.significance import Significance

__all__ = ["Findings", "budget_rows", "pair_rows", "rank_rows", "run_means", "run_rows"]


LIKELY = 0.95
"""Share of the worlds in which one of two runs must be better for the verdict *likely*."""
_PAIRS_AT_ONCE = 256


@dataclass(frozen=True, eq=False)
class Findings:
    """What the tables are made of. Runs are listed best first."""

    names: Sequence[str]
    observed: Floats
    """Scores with holes as not relevant: (runs, topics)."""
    judged: Floats
    """Share of judged documents: (runs, topics)."""
    worlds: Sequence[Drawn]
    signs: Significance
    bounds: PairBounds | None
    """None for a measure that takes no grades for holes: nothing can be said about them then."""
    images: OnImages | None
    interval_method: IntervalMethod
    draws: int
    seed: int
    p_holes: Floats | None = None
    """Of each pair, with the holes' variance, and the same corrected for the number of pairs; None without evidence."""
    corrected_p_holes: Floats | None = None

    def intervals(self, values: Floats) -> tuple[Floats, Floats]:
        """Ends of the interval of each row's mean; NaN with a single topic, which says nothing about others."""
        if values.shape[1] < 2:
            return np.full(len(values), np.nan), np.full(len(values), np.nan)
        interval = mean_interval(values, self.interval_method, level=LEVEL, seed=self.seed)
        return interval.low, interval.high

    def ranks(self) -> Ints:
        """Rank of each run in each world, topics drawn anew: (runs, draws)."""
        return ranks_of_means(np.stack([one.resampled for one in self.worlds]))


def run_means(findings: Findings) -> Iterator[tuple[str, int, float, float | None, float | None, float | None, float]]:
    """Of each run: its name, rank, mean, interval, share of judged documents, and mean over the worlds."""
    low, high = findings.intervals(findings.observed)
    means = findings.observed.mean(axis=1)
    place = ranks_of_means(means[:, None])[:, 0]
    judged = mean_known(findings.judged)
    for i, name in enumerate(findings.names):
        ends = number_or_none(low[i]), number_or_none(high[i])
        expected = float(findings.worlds[i].means.mean())
        yield name, int(place[i]), float(means[i]), *ends, number_or_none(judged[i]), expected


def run_rows(findings: Findings, ranks: Ints) -> tuple[RunRow, ...]:
    """One row per run."""
    tails = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
    rank_low, rank_high = np.quantile(ranks, tails, axis=1, method="inverted_cdf")
    return tuple(
        RunRow(*row, rank_low=int(rank_low[i]), rank_high=int(rank_high[i]))
        for i, row in enumerate(run_means(findings))
    )


def pair_rows(findings: Findings) -> tuple[PairRow, ...]:
    """One row per pair."""
    out = []
    signs, effects, bounds = findings.signs, findings.signs.effects, findings.bounds
    for start in range(0, len(signs.pairs), _PAIRS_AT_ONCE):
        first, second = signs.pairs[start : start + _PAIRS_AT_ONCE].T
        low, high = findings.intervals(findings.observed[first] - findings.observed[second])
        for row, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
            i = start + row
            difference = float(effects.mean_difference[i])
            drawn = None if bounds is None else findings.worlds[a].means - findings.worlds[b].means
            greater = None if drawn is None else float(share_greater(drawn))
            out.append(
                PairRow(
                    run=findings.names[a],
                    other=findings.names[b],
                    difference=difference,
                    low=number_or_none(low[row]),
                    high=number_or_none(high[row]),
                    p=float(signs.p[i]),
                    corrected_p=float(signs.corrected[i]),
                    worst=None if bounds is None else number_or_none(bounds.worst[i]),
                    best=None if bounds is None else number_or_none(bounds.best[i]),
                    bounds=None if bounds is None else "exact" if bounds.exact else "conservative",
                    p_greater=greater,
                    verdict=None if bounds is None or greater is None else _verdict(difference, bounds, i, greater),
                    cohens_d=number_or_none(effects.cohens_d[i]),
                    common_language=float(effects.common_language[i]),
                    p_holes=None if findings.p_holes is None else float(findings.p_holes[i]),
                    corrected_p_holes=None
                    if findings.corrected_p_holes is None
                    else float(findings.corrected_p_holes[i]),
                    p_greater_corpus=_greater_on_images(findings.images, a, b, difference),
                )
            )
    return tuple(out)


def _greater_on_images(images: OnImages | None, run: int, other: int, difference: float) -> float | None:
    """Share of the images of the corpus on which a run is better than the other, by the means over topics."""
    if images is None:
        return None
    return float(share_greater(difference + images.moves[run] - images.moves[other]))


def _verdict(difference: float, bounds: PairBounds, pair: int, greater: float) -> Verdict:
    """Whether the sign of the difference can change with the labels of the holes."""
    low = min(difference, bounds.worst[pair], bounds.sure_low[pair])
    high = max(difference, bounds.best[pair], bounds.sure_high[pair])
    if low > SAME_MEAN or high < -SAME_MEAN or (low >= -SAME_MEAN and high <= SAME_MEAN):
        return "certain"
    return "likely" if greater >= LIKELY or greater <= 1 - LIKELY else "undetermined"


def rank_rows(names: Sequence[str], ranks: Ints) -> tuple[RankRow, ...]:
    """One row per run and rank that it has in some world."""
    rows = []
    for name, drawn in zip(names, ranks, strict=True):
        values, counts = np.unique(drawn, return_counts=True)
        shares = (counts / len(drawn)).tolist()
        rows += [RankRow(name, rank, share) for rank, share in zip(values.tolist(), shares, strict=True)]
    return tuple(rows)


def budget_rows(findings: Findings) -> tuple[BudgetRow, ...]:
    """One row per run: standard deviations of its mean."""
    expected = np.stack([one.expected for one in findings.worlds])
    topics = resampled_means(expected, draws=findings.draws, seed=findings.seed).std(axis=1)
    rows = []
    for i, (name, world) in enumerate(zip(findings.names, findings.worlds, strict=True)):
        holes = None if findings.bounds is None else _spread(world.means)
        corpus, together = None, world.resampled
        if findings.images is not None:
            corpus = _spread(findings.images.moves[i])
            both = min(findings.draws, findings.images.moves.shape[1])
            # With the topics as they are: a topic that a sample has twice would bring its luck of the corpus twice.
            together = world.resampled[:both] + findings.images.moves[i, :both]
        rows.append(BudgetRow(name, holes, float(topics[i]), corpus, _spread(together)))
    return tuple(rows)


def _spread(values: Floats) -> float:
    """Standard deviation; exactly 0 for values that are all the same."""
    return float((values - values[0]).std())
