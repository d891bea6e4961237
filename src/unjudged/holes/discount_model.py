"""Grade probabilities for holes that rest on one run's judged documents alone, discounted.

A document that a run returns and nobody judged is less often relevant than what is judged in the same run, because the
others that went into the pool did not find it. How much less is nearly the same in all collections
(docs/discounted.md). So the log odds of a hole to have at least a grade are those of the run's judged documents at that
rank on that topic, plus a shift that is negative, not certain, and the same for all holes of the run.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unjudged.arrays import Flags, Floats, Ints
from unjudged.data.memo import remembered
from unjudged.data.qrels import Qrels
from unjudged.data.run_occurrences import OccurrencesInRuns, RunOccurrences
from unjudged.data.scale import Scale
from unjudged.data.view import View
from unjudged.errors import Notice
from unjudged.holes.evidence_model.ordinal import ATTENUATION, fit_ordinal, sigmoid
from unjudged.holes.evidence_model.variance_components import T4_VARIANCE
from unjudged.holes.imputation.binned_scales import bins_for
from unjudged.holes.imputation.filling import grade_counts
from unjudged.holes.imputation.grade_sampler import CELL, FIT, KIND, KINDS, OF_A_KIND, GradeProbabilities, RandomEffects
from unjudged.holes.imputation.grade_source import Facts
from unjudged.holes.imputation.holes_of_other_runs import AllHoles, OtherHoles, all_holes_of
from unjudged.holes.missing_kinds import ENOUGH_JUDGED, MissingKinds
from unjudged.kernels.splitmix import GOLDEN, mixed

__all__ = ["DISCOUNT", "TOP", "Discount", "DiscountModel", "discount_model", "of_levels"]


@dataclass(frozen=True)
class Discount:
    """By how much the log odds of holes differ from those of judged documents: a normal number, one for each run.

    Its mean follows from the share of the run's documents that is judged and from the size of the pool, unless it is
    given: the larger the pool, the more of what is relevant is in it; and a run of which little is in it is a bad one
    more often than a good one.
    """

    given_mean: float | None = None
    sd: float = 0.65
    usual_mean: float = -1.4
    """With a share of 0.7 judged, and 100 judgments for each topic."""
    per_share: float = 1.5
    per_pool: float = -0.25
    """For each time that there are e times as many judgments."""

    def mean(self, share_judged: float, judged_per_topic: float) -> float:
        """What is expected of a run."""
        if self.given_mean is not None:
            return self.given_mean
        more = float(np.log(max(judged_per_topic, 1.0) / _USUAL_POOL))
        return self.usual_mean + self.per_share * (share_judged - _USUAL_SHARE) + self.per_pool * more


DISCOUNT = Discount()
"""What is known of no collection in particular; experiments/results/discounted.md says how well."""
_USUAL_SHARE, _USUAL_POOL = 0.7, 100.0
_BETWEEN_GROUPS = 0.75
"""Share of the shift's variance that runs of one group have in common."""
SHRINKAGE = 4.0
"""A run's judged documents on a topic are joined by so many of its average, and those of the run by so many of the
pool's."""
TOPIC_SHRINKAGE = 20.0
"""The other judged documents of a topic are joined by so many that are as in all topics."""
_LEAST = 1e-6
"""Keeps log odds finite."""
_FLAT = 1e-9
_HALVINGS = 50
"""Of an interval of log odds, to find one as exactly as floating point can."""
TOP = 10
"""Ranks that count alike. Further down, one counts the less the deeper it is: most documents that a measure without a
cut-off reads are far from where its holes matter."""
_POINTS, _WEIGHTS = np.polynomial.hermite_e.hermegauss(15)
_WEIGHTS /= _WEIGHTS.sum()


class OwnGrades(NamedTuple):
    """What grades a run's judged documents have, topic by topic and by rank."""

    log_odds: Floats
    """To have at least each level above 0, at :attr:`log_rank`: shape (topics, levels - 1)."""
    log_rank: Floats
    """Mean logarithm of the ranks of the judged documents of each topic."""
    slope: float
    """How much the log odds fall when the logarithm of the rank rises by 1."""
    share_judged: float
    error: float
    """Standard error of the log odds of the run as a whole."""

    def at(self, topics: Ints, ranks: Ints) -> Floats:
        """Log odds at ranks of these topics."""
        below = np.log(ranks) - self.log_rank[topics]
        return self.log_odds[topics] - self.slope * below[:, None]


class DiscountModel:
    """Says what holes are worth by how relevant the judged documents of the runs that return them are.

    A hole that several runs return is seen from the one that has it at the best rank.
    """

    def __init__(self, qrels: Qrels, occurrences: OccurrencesInRuns, discount: Discount = DISCOUNT) -> None:
        self.qrels, self.occurrences, self.discount = qrels, occurrences, discount
        unlisted = occurrences.unlisted.topics
        self._judged = np.append(qrels.judged, np.zeros(len(unlisted), dtype=bool))
        self._topics = np.append(qrels.topic_of_row, unlisted)
        bins = bins_for(qrels, learned=True)
        self.scale: Scale = qrels.scale if bins is None else bins.scale
        self._levels: NDArray[np.integer] = qrels.levels if bins is None else bins.of_level[qrels.levels]
        self._pool = self._counts.sum(axis=0)
        self._missing_kinds = MissingKinds(qrels, occurrences)
        self._own_grades: dict[int, OwnGrades] = {}
        self._all_holes: dict[tuple[int, int, int], AllHoles] = {}

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Where judgments cannot say how often documents are relevant."""
        of_kinds = self.notices_of_kinds
        if self._pool[0]:
            return of_kinds
        text = (
            f"{self.qrels.source or 'qrels'}: every judged document is relevant, so a run's judged documents do"
            " not say how often others are; discounted estimates are too high"
        )
        return (Notice("only-relevant-judged", int(self._pool.sum()), text), *of_kinds)

    @property
    def notices_of_kinds(self) -> tuple[Notice, ...]:
        """Which runs are, or may be, of a kind that is missing from the pool, of those that were asked about."""
        little = [run for run in self._own_grades if self.is_little_judged(run)]
        return (*self._missing_kinds.notices(), *self._missing_kinds.little_judged(little))

    @property
    def missing_kinds(self) -> MissingKinds:
        """Which groups are of a kind that is missing from the pool."""
        return self._missing_kinds

    # ---- what is known of a run

    def share_judged(self, run: int) -> float:
        """Of its first documents."""
        one = self.occurrences.run_occurrences[run]
        return _share_of_first(one, self._judged[one.pairs])

    def is_little_judged(self, run: int) -> bool:
        """Whether too little of a run is judged for an interval; whoever says what the shift is knows its holes."""
        return self.discount.given_mean is None and self.share_judged(run) < ENOUGH_JUDGED

    def own_grades(self, run: int) -> OwnGrades:
        """What a run's judged documents say."""
        if run not in self._own_grades:
            self._own_grades[run] = self._learn_from(run)
        return self._own_grades[run]

    def facts(self, view: View, rows: Ints) -> list[Facts | None]:
        """What is known about some rows of a view: how good the run is where it is judged, and the topic's pool."""
        topics, pairs = view.topics[view.ranking[rows]], self.pairs(view, rows)
        pool = self._counts @ self.scale.grades
        judged = np.maximum(grade_counts(self.qrels).sum(axis=1), 1)
        out: list[Facts | None] = []
        for run, topic in zip(self._seen_from[0][pairs].tolist(), topics.tolist(), strict=True):
            if run < 0:
                out.append(None)
                continue
            run_mean = of_levels(sigmoid(self.own_grades(run).log_odds[topic : topic + 1])) @ self.scale.grades
            out.append(Facts(None, None, float(run_mean[0]), float(pool[topic] / judged[topic])))
        return out

    def _learn_from(self, run: int, unjudged: Ints | None = None) -> OwnGrades:
        """Fit how the run's grades fall with the rank, and let each topic move from there as far as it has documents.

        Cumulative shares of a topic's grades are those of its documents and ``SHRINKAGE`` more that are as the run is
        at these ranks, if the topic is as good to it as to the pool (a beta-binomial estimate with as many prior
        observations).
        """
        one, topics, levels = self.occurrences.run_occurrences[run], len(self.qrels.topics), len(self.scale)
        # At any depth, so that what is said of one measure does not depend on what others are asked for.
        known = np.flatnonzero(self._judged[one.pairs])
        if unjudged is not None:
            known = known[~np.isin(one.pairs[known], unjudged)]
        topic, level = self._topics[one.pairs[known]], self._levels[one.pairs[known]]
        log_rank = np.log(one.ranks[known].astype(np.float64))
        weight = np.minimum(1.0, TOP / one.ranks[known])
        counts = np.bincount(topic * levels + level, weights=weight, minlength=topics * levels).reshape(topics, levels)
        number = counts.sum(axis=1)
        middle = float(np.average(log_rank, weights=weight)) if len(known) else 0.0
        of_topic = np.bincount(topic, weights=weight * log_rank, minlength=topics)
        of_topic = np.divide(of_topic, number, out=np.full(topics, middle), where=number > 0)
        slope, at_middle, error = self._fall(log_rank - middle, level, weight)
        mine = one.pairs[known][one.ranks[known] <= TOP]
        easier = self._topics_of_others(mine if unjudged is None else np.union1d(mine, unjudged))
        run_shares = _as_topics_are(at_middle - slope * (of_topic - middle)[:, None], easier, number)
        shares = (_reached(counts)[:, 1:] + SHRINKAGE * run_shares) / (number + SHRINKAGE)[:, None]
        # What levels of a topic are in the pool can put a higher one before a lower one by a hair.
        shares = np.minimum.accumulate(np.clip(shares, _LEAST, 1 - _LEAST), axis=1)
        log_odds = np.where(np.isfinite(at_middle), np.log(shares) - np.log1p(-shares), -np.inf)
        return OwnGrades(log_odds, of_topic, slope, _share_of_first(one, known), error)

    def _fall(self, log_rank: Floats, level: NDArray[np.integer], weight: Floats) -> tuple[float, Floats, float]:
        """How much log odds fall with the logarithm of the rank, what they are where that is 0, and their error.

        An ordinal regression with a weak pull of the slope to 0. Grades that nobody gave are as likely as the next
        higher one that somebody did.
        """
        pool = self._pool.astype(np.float64)
        pool[0] = max(pool[0], 0.5)  # where only relevant documents are listed, there still are others
        given = np.flatnonzero(pool)
        next_given = np.searchsorted(given, np.arange(1, len(pool)))
        at_middle = np.full(len(pool) - 1, -np.inf)
        if len(given) == 1:
            return 0.0, at_middle, 0.0
        width = float(log_rank.std()) if len(log_rank) else 0.0
        width = width if width > _FLAT else 1.0
        # Documents at the same rank with the same grade are one row. Ranks are few, so their numbers are small.
        ranks, rank = np.unique(-log_rank / width, return_inverse=True)
        cells, place = np.unique(rank * len(given) + np.searchsorted(given, level), return_inverse=True)
        rows = ranks[cells // len(given)], cells % len(given)
        model, information = fit_ordinal(
            np.append(rows[0], np.zeros(len(given)))[:, None],
            np.append(rows[1], np.arange(len(given))).astype(np.int64),
            np.append(np.bincount(place.ravel(), weights=weight), SHRINKAGE * pool[given] / pool.sum()),
            number=len(given),
            rising=np.ones(1, dtype=bool),
        )
        there = next_given < len(given)
        at_middle[there] = model.thresholds[next_given[there] - 1]
        top = len(given) - 1
        return float(model.weights[0]) / width, at_middle, float(information[:top, :top].sum() ** -0.5)

    def _topics_of_others(self, mine: NDArray[np.integer]) -> Floats:
        """Log odds of each topic's judged documents but *mine* to have at least each level above 0.

        ``TOPIC_SHRINKAGE`` more are as in all topics. A topic of which hundreds of documents are judged, none of them
        perfect, has hardly a perfect one among its holes, whatever the run's other topics have. Without that, ideal
        rankings grow too much where runs are new. The run's own first documents speak for themselves.
        """
        levels = len(self.scale)
        judged = mine[self._judged[mine]]
        own = np.bincount(self._topics[judged] * levels + self._levels[judged], minlength=self._counts.size)
        reached = _reached(self._counts - own.reshape(self._counts.shape))
        (every,) = _reached(self._pool[None])
        shares = (reached[:, 1:] + TOPIC_SHRINKAGE * every[1:] / max(every[0], 1)) / (reached[:, :1] + TOPIC_SHRINKAGE)
        shares = np.clip(shares, _LEAST, 1 - _LEAST)
        log_odds: Floats = np.log(shares) - np.log1p(-shares)
        return log_odds

    @cached_property
    def _counts(self) -> Ints:
        """How many judged documents of each topic have each level."""
        return grade_counts(self.qrels, bins_for(self.qrels, learned=True))

    # ---- what follows for holes

    @cached_property
    def _seen_from(self) -> tuple[Ints, Ints]:
        """For each pair, if it is a hole, the run that has it at the best rank, and that rank; else -1 and 0.

        One more at the end, for no pair.
        """
        depth, runs = self.occurrences.depth or sys.maxsize, self.occurrences.run_occurrences
        kept = [np.flatnonzero(~self._judged[one.pairs] & (one.ranks <= depth)) for one in runs]
        pairs, ranks = (
            np.concatenate([column[some] for column, some in zip(columns, kept, strict=True)])
            for columns in ([one.pairs for one in runs], [one.ranks for one in runs])
        )
        number = np.repeat(np.arange(len(runs)), list(map(len, kept)))
        # The best rank last; of runs that have it at the same one, the first.
        order = np.lexsort((-number, -ranks))
        run, rank = np.full(len(self._judged) + 1, -1, dtype=np.int64), np.zeros(len(self._judged) + 1, dtype=np.int64)
        run[pairs[order]], rank[pairs[order]] = number[order], ranks[order]
        return run, rank

    def grade_probabilities(self, view: View, rows: Ints) -> GradeProbabilities:
        """Grade probabilities of some rows of a view."""
        return self.pair_probabilities(self.pairs(view, rows))

    def pairs(self, view: View, rows: Ints) -> Ints:
        """Numbers of some rows of a view among the occurrences."""
        return self.occurrences.find_rows(self.qrels, view, rows)

    def pair_probabilities(self, pairs: Ints) -> GradeProbabilities:
        """The same of pairs; of -1, which stands for what nobody was asked about, nothing is said."""
        run, rank = (one[pairs] for one in self._seen_from)
        informed = run >= 0
        log_odds, error = np.full((len(pairs), len(self.scale) - 1), -np.inf), np.zeros(len(pairs))
        for one in np.unique(run[informed]).tolist():
            here = np.flatnonzero(run == one)
            own = self.own_grades(one)
            log_odds[here], error[here] = self.discounted(own, pairs[here], rank[here], self.shift(one)), own.error
        averaged, stretch = self._averaged(log_odds, error), self._stretch(run, error)[:, None]
        probabilities, conditional = (
            np.where(informed[:, None], of_levels(one), 0.0) for one in (averaged, sigmoid(stretch * log_odds))
        )
        return GradeProbabilities(informed, probabilities, conditional, self._random_effects(run, error), rank)

    def without_precedent(self, view: View, rows: Ints) -> Flags:
        """Which rows of a view are holes of runs that nothing is a precedent for."""
        return self.runs_without_precedent(self.pairs(view, rows)) >= 0

    def runs_without_precedent(self, pairs: Ints) -> Ints:
        """For each pair that is a hole of such a run, the run that it is seen from; else -1."""
        run, groups = self._seen_from[0][pairs], self.occurrences.group_of_run
        such = [
            one
            for one in np.unique(run[run >= 0]).tolist()
            if self.is_little_judged(one) or self._missing_kinds.may_be_missing(int(groups[one]))
        ]
        return np.where(np.isin(run, such), run, -1)

    def expected_of(self, pairs: Ints, runs: Ints, ranks: Ints, *, unjudged: Ints | None) -> Floats:
        """Probability of each level for pairs seen from these runs at these ranks, were some pairs *unjudged*."""
        log_odds, error = np.empty((len(pairs), len(self.scale) - 1)), np.empty(len(pairs))
        for one in np.unique(runs).tolist():
            here = np.flatnonzero(runs == one)
            own = self.own_grades(one) if unjudged is None else self._learn_from(one, unjudged)
            log_odds[here], error[here] = (
                self.discounted(own, pairs[here], ranks[here], self._expected_shift(own)),
                own.error,
            )
        return of_levels(self._averaged(log_odds, error))

    def shift(self, run: int) -> float:
        """What is expected of the shift of a run."""
        return self._expected_shift(self.own_grades(run))

    def _expected_shift(self, own: OwnGrades) -> float:
        return self.discount.mean(own.share_judged, self._judged_per_topic)

    def discounted(self, own: OwnGrades, pairs: Ints, ranks: Ints, shift: float) -> Floats:
        """Log odds of holes of a run to have at least each level above 0."""
        return own.at(self._topics[pairs], ranks) + shift

    def _averaged(self, log_odds: Floats, error: Floats) -> Floats:
        """Probabilities on average over the shift."""
        sd = np.hypot(self.discount.sd, error)[:, None]
        averaged = np.zeros_like(log_odds)
        for point, weight in zip(_POINTS, _WEIGHTS, strict=True):
            averaged += weight * sigmoid(log_odds + point * sd)
        return averaged

    def _random_effects(self, run: Ints, error: Floats) -> RandomEffects:
        """The shifts of holes of these runs, -1 for none; most of a run's is that of its group."""
        of_run, nobody = self.occurrences.run_keys, run < 0
        group = self.occurrences.keys[self.occurrences.group_of_run[run]]
        keys, deviations = np.zeros((len(KINDS), len(run)), dtype=np.uint64), np.zeros((len(KINDS), len(run)))
        # Where nobody knows, each group may be of another kind.
        of_a_kind = np.where(self._missing_kinds.groups[self.occurrences.group_of_run[run]], OF_A_KIND, group)
        # A group with one run has that run's number.
        for kind, key, deviation in (
            (CELL, mixed(of_run + GOLDEN)[run], np.hypot(self.discount.sd * np.sqrt(1 - _BETWEEN_GROUPS), error)),
            (FIT, group, np.full(len(run), self.discount.sd * np.sqrt(_BETWEEN_GROUPS))),
            (KIND, of_a_kind, self._of_kind(run)),
        ):
            keys[kind], deviations[kind] = np.where(nobody, 0, key), np.where(nobody, 0.0, deviation)
        return RandomEffects(keys, deviations, np.zeros_like(deviations))

    def _of_kind(self, run: Ints) -> Floats:
        """The scale of the shift that runs share whose kind is, or may be, missing from the pool."""
        groups = self.occurrences.group_of_run
        scales = np.zeros(len(groups) + 1)  # the last one is for no run
        for one in np.unique(run[run >= 0]).tolist():
            little = self.is_little_judged(one)
            scales[one] = self._missing_kinds.scale(int(groups[one]), self.discount.sd, little_judged=little)
        return scales[run]

    def _stretch(self, run: Ints, error: Floats) -> Floats:
        """How much to stretch log odds so that a shift of their kind leaves probabilities as they are on average."""
        usual = 1 + ATTENUATION * (self.discount.sd**2 + error**2)
        stretched: Floats = np.sqrt(1 + ATTENUATION * T4_VARIANCE * self._of_kind(run) ** 2 / usual)
        return stretched

    @property
    def _judged_per_topic(self) -> float:
        return float(self._pool.sum()) / max(len(self.qrels.topics), 1)

    # ---- all holes of a topic

    def other_holes(self, own: GradeProbabilities, depth: int | None, draws: int, seed: int) -> OtherHoles:
        """What all runs' holes add to R and the ideal rankings of rankings with their *own* holes."""
        reach = self.reach(depth)
        return OtherHoles(self.all_holes(reach, draws, seed), own.informed & (own.ranks <= reach))

    def reach(self, depth: int | None) -> int:
        """Down to which rank documents count that only other runs have: as far as the pool and a measure reach."""
        return min((one for one in (self.occurrences.pool_depth, depth) if one is not None), default=sys.maxsize)

    def all_holes(self, reach: int, draws: int, seed: int) -> AllHoles:
        """Those that some run has down to rank *reach*."""
        key = (reach, draws, seed)
        if key not in self._all_holes:
            ranks = self._seen_from[1][:-1]
            pairs = np.flatnonzero((ranks > 0) & (ranks <= reach))
            self._all_holes[key] = all_holes_of(
                self.qrels,
                self._topics[pairs],
                self.occurrences.docs(self.qrels, pairs),
                self.pair_probabilities(pairs),
                draws,
                seed,
            )
        return self._all_holes[key]


def _share_of_first(one: RunOccurrences, known: Ints | Flags) -> float:
    """Which share of a run's first documents is among some of its occurrences."""
    return int((one.ranks[known] <= TOP).sum()) / max(int(np.minimum(one.lengths, TOP).sum()), 1)


def _as_topics_are(log_odds: Floats, easier: Floats, number: Floats) -> Floats:
    """Shares of a run with *log_odds* on each topic, if topics are so much easier for it as they are for others.

    Its mean share stays, over as many documents as it has on each topic.
    """
    weights = (number + _LEAST)[:, None]
    wanted = (weights * sigmoid(log_odds)).sum(axis=0)
    low, high = easier.min(axis=0), easier.max(axis=0)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        too_high = (weights * sigmoid(log_odds + easier - middle)).sum(axis=0) > wanted
        low, high = np.where(too_high, middle, low), np.where(too_high, high, middle)
    return sigmoid(log_odds + easier - (low + high) / 2)


def _reached(counts: NDArray[Any]) -> NDArray[Any]:
    """How many have at least each level, of counts of each."""
    return counts[:, ::-1].cumsum(axis=1)[:, ::-1]


def of_levels(reached: Floats) -> Floats:
    """Probability of each level from those to reach each above 0."""
    rows = len(reached)
    padded = np.concatenate([np.ones((rows, 1)), reached, np.zeros((rows, 1))], axis=1)
    out: Floats = padded[:, :-1] - padded[:, 1:]
    return out


@remembered
def discount_model(qrels: Qrels, occurrences: OccurrencesInRuns, discount: Discount = DISCOUNT) -> DiscountModel:
    """What these judgments and runs say; the same for all who ask."""
    return DiscountModel(qrels, occurrences, discount)
