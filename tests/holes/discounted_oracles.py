"""Runs with judged documents and holes, and what discounted says of them, computed slowly."""

from __future__ import annotations

import math
import random
from functools import cache

import numpy as np
from grouped_runs import Judgments, Ranked, as_runs
from scipy.optimize import brentq, minimize
from scipy.special import expit, logit

import unjudged as uj
from unjudged.api import read_holes
from unjudged.data.qrels import Qrels
from unjudged.data.run_occurrences import OccurrencesInRuns
from unjudged.data.view import View, join
from unjudged.engine.preparation.document_occurrences import collect_occurrences
from unjudged.holes.discount_model import DISCOUNT, SHRINKAGE, TOPIC_SHRINKAGE, Discount, DiscountModel
from unjudged.holes.imputation.grade_sampler import GradeProbabilities

DEPTH = 10


@cache
def one_run(
    seed: int = 1, *, topics: int = 12, length: int = DEPTH, share: float = 0.6, grades: tuple[int, ...] = (0, 0, 1, 3)
) -> tuple[Judgments, Ranked]:
    """Judgments, and a run with better documents first, of which some are judged; two topics have no judged ones."""
    rng = random.Random(seed)
    ranked = {f"t{t}": [f"d{i}" for i in rng.sample(range(1000), length)] for t in range(topics)}
    judged: Judgments = {}
    for t, (topic, docs) in enumerate(ranked.items()):
        chosen = {doc: i for i, doc in enumerate(docs) if t > 1 and rng.random() < share}
        judged[topic] = {doc: rng.choice(grades) if rng.random() < 1.2 - i / length else 0 for doc, i in chosen.items()}
        judged[topic] |= {f"other{i}": rng.choice((0, 0, 0, 1)) for i in range(15)}
    return judged, ranked


def with_occurrences(judged: Judgments, runs: dict[str, Ranked], depth: int | None) -> tuple[Qrels, OccurrencesInRuns]:
    informed = collect_occurrences(uj.Collection(judged, as_runs(runs)), read_holes("discounted"), depth=depth)[0]
    assert informed.occurrences is not None
    return informed.qrels, informed.occurrences


def holes_of(
    judged: Judgments, ranked: Ranked, discount: Discount = DISCOUNT, *, depth: int | None = DEPTH
) -> tuple[GradeProbabilities, View, np.ndarray]:
    model = DiscountModel(*with_occurrences(judged, {"one": ranked}, depth), discount)
    view = join(uj.read_run(as_runs({"one": ranked})["one"]), model.qrels, depth=depth)
    rows = np.flatnonzero(~view.judged)
    return model.grade_probabilities(view, rows), view, rows


def reached(probabilities: np.ndarray) -> np.ndarray:
    """Chance of each grade above 0 or a higher one."""
    return probabilities[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]


class Slowly:
    """What the documentation says, with an optimiser that knows nothing of ordinal regressions."""

    def __init__(self, judged: Judgments, ranked: Ranked) -> None:
        self.judged, self.ranked = judged, ranked
        every = [grade for docs in judged.values() for grade in docs.values()]
        self.top = max(every)
        self.given = sorted(set(every))
        self.pool = {grade: every.count(grade) / len(every) for grade in self.given}
        seen = [
            (topic, math.log(i + 1), judged[topic][doc], min(1.0, 10 / (i + 1)))
            for topic, docs in ranked.items()
            for i, doc in enumerate(docs)
            if doc in judged[topic]
        ]
        self.seen = seen
        weights = [weight for _, _, _, weight in seen]
        self.middle = float(np.average([log_rank for _, log_rank, _, _ in seen], weights=weights))
        self.width = float(np.std([log_rank for _, log_rank, _, _ in seen]))
        start = [logit(sum(self.pool[g] for g in self.given if g >= grade)) for grade in self.given[1:]]
        fit = minimize(self._loss, [start[0], *np.log(-np.diff(start)), 0.3], method="BFGS", options={"gtol": 1e-9})
        *self.thresholds, slope = self._unpacked(fit.x)
        if slope < 0:
            fit = minimize(lambda x: self._loss([*x, 0.0]), fit.x[:-1], method="BFGS", options={"gtol": 1e-9})
            *self.thresholds, slope = self._unpacked([*fit.x, 0.0])
        self.slope = slope / self.width

    @staticmethod
    def _unpacked(x: np.ndarray) -> list[float]:
        return [*np.cumsum([x[0], *-np.exp(x[1:-1])]), x[-1]]

    def _loss(self, x: np.ndarray) -> float:
        *thresholds, slope = self._unpacked(x)
        total = -0.5 * slope**2
        rows = [(-(log_rank - self.middle) / self.width, grade, weight) for _, log_rank, grade, weight in self.seen]
        rows += [(0.0, grade, SHRINKAGE * share) for grade, share in self.pool.items()]
        for feature, grade, weight in rows:
            at_least = [1.0, *(expit(one + slope * feature) for one in thresholds), 0.0]
            place = self.given.index(grade)
            total += weight * math.log(max(at_least[place] - at_least[place + 1], 1e-300))
        return -total

    def of_pool(self, topic: str, grade: int) -> float:
        """Log odds of the topic's judged documents, but the run's first 10, to have at least this grade."""
        every = sum(share for one, share in self.pool.items() if one >= grade)
        grades = [one for doc, one in self.judged[topic].items() if doc not in self.ranked[topic][:10]]
        share = (sum(one >= grade for one in grades) + TOPIC_SHRINKAGE * every) / (len(grades) + TOPIC_SHRINKAGE)
        return float(logit(share))

    def share(self, topic: str, grade: int) -> float:
        """Of judged documents of the run on this topic, at the mean of their ranks, that have at least this grade."""
        seen = {t: [one for one in self.seen if one[0] == t] for t in self.judged}
        number = {t: sum(weight for _, _, _, weight in docs) for t, docs in seen.items()}
        higher = min(one for one in self.given if one >= grade)
        at_middle = self.thresholds[self.given.index(higher) - 1]
        usual = {t: at_middle - self.slope * (self.center(t) - self.middle) for t in seen}
        rows = [(number[t], usual[t], self.of_pool(t, grade)) for t in seen]
        wanted = sum(n * expit(one) for n, one, _ in rows)
        ends = [f([of_pool for _, _, of_pool in rows]) for f in (min, max)]
        even = (
            ends[0]
            if ends[0] == ends[1]
            else brentq(lambda c: sum(n * expit(one + t - c) for n, one, t in rows) - wanted, *ends, xtol=1e-13)
        )
        count = sum(weight for _, _, one, weight in seen[topic] if one >= grade)
        expected = expit(usual[topic] + self.of_pool(topic, grade) - even)
        return float((count + SHRINKAGE * expected) / (number[topic] + SHRINKAGE))

    def center(self, topic: str) -> float:
        """Mean logarithm of the ranks of the run's judged documents on this topic."""
        mine = [(log_rank, weight) for t, log_rank, _, weight in self.seen if t == topic]
        return sum(w * r for r, w in mine) / sum(w for _, w in mine) if mine else self.middle

    def log_odds(self, topic: str, rank: int, grade: int) -> float:
        """Of a judged document of the run at this rank to have at least this grade."""
        share = min(self.share(topic, one) for one in range(1, grade + 1))
        return float(logit(share) - self.slope * (math.log(rank) - self.center(topic)))
