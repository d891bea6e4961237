"""Normalized residual gain in plain Python, from the formulas of the paper: one topic, lists and dictionaries."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import unjudged as uj
from unjudged.data.view import View, join
from unjudged.engine.numerics.normalized_residual_gain import Readings
from unjudged.measures.relative import NRG

Ranking = list[str]
Grades = dict[str, int]


@dataclass(frozen=True)
class Model:
    """How somebody reads: the chance to see a rank, the gain of a grade (with the top of the scale), and a divisor."""

    seen: Callable[[int], float]
    gain: Callable[[int, int], float]
    divisor: str | float = "ideal"
    stops: bool = False
    cutoff: int | None = None


def dcg(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def linear(grade: int, top: int) -> float:
    return float(grade)


def binary(rel: int) -> Callable[[int, int], float]:
    return lambda grade, top: float(grade >= rel)


MODELS = {
    "nDCG": Model(dcg, linear),
    "nDCG@3": Model(dcg, linear, cutoff=3),
    "nDCG(dcg='exp-log2')@3": Model(dcg, lambda grade, top: 2.0**grade - 1, cutoff=3),
    "DCG@3": Model(dcg, linear, 1.0, cutoff=3),
    "SDCG@3": Model(dcg, lambda grade, top: grade / top, sum(map(dcg, (1, 2, 3))), cutoff=3),
    "RBP(p=0.7)": Model(lambda rank: 0.7 ** (rank - 1), lambda grade, top: grade / top, 1 / 0.3),
    "RBP(rel=2)@4": Model(lambda rank: 0.8 ** (rank - 1), binary(2), 5.0, cutoff=4),
    "INSQ(T=2.0)": Model(
        lambda rank: (4 / (rank + 3)) ** 2, lambda grade, top: grade / top, 16 * (math.pi**2 / 6 - 1 - 1 / 4 - 1 / 9)
    ),
    "P@3": Model(lambda rank: 1.0, binary(1), 3.0, cutoff=3),
    "P(rel=2,relative=True)@3": Model(lambda rank: 1.0, binary(2), cutoff=3),
    "R@3": Model(lambda rank: 1.0, binary(1), "total", cutoff=3),
    "RR": Model(lambda rank: 1 / rank, binary(1), 1.0, stops=True),
    "RR(rel=2)@3": Model(lambda rank: 1 / rank, binary(2), 1.0, stops=True, cutoff=3),
    "ERR@4": Model(lambda rank: 1 / rank, lambda grade, top: (2**grade - 1) / 2**top, 1.0, stops=True, cutoff=4),
}


def left_of(doc: str, priors: Sequence[Ranking], model: Model) -> float:
    left = 1.0
    for prior in priors:
        if doc in prior[: model.cutoff]:
            left *= 1 - model.seen(prior.index(doc) + 1)
    return left


def nrg(ranking: Ranking, priors: Sequence[Ranking], judged: Grades, model: Model, top: int = 0) -> float:
    """One topic; *top* is the highest grade of the scale, unless it is that of the judgments."""
    top = top or max([1, *judged.values()])
    total, goes_on = 0.0, 1.0
    for rank, doc in enumerate(ranking[: model.cutoff], start=1):
        gain = model.gain(judged[doc], top) if doc in judged else 0.0
        total += goes_on * model.seen(rank) * gain * left_of(doc, priors, model)
        goes_on *= 1 - gain if model.stops else 1
    if isinstance(model.divisor, float):
        return total / model.divisor
    gains = sorted(
        (model.gain(grade, top) * left_of(doc, priors, model) for doc, grade in judged.items()), reverse=True
    )
    if model.divisor == "ideal":
        gains = [gain * model.seen(rank) for rank, gain in enumerate(gains[: model.cutoff], start=1)]
    return total / sum(gains) if sum(gains) > 0 else 0.0


@dataclass(frozen=True)
class Case:
    """A ranking, rankings that were read before, and judgments."""

    ranking: Ranking
    priors: tuple[Ranking, ...]
    judged: Grades

    def view(self, measure: NRG) -> View:
        """The ranking as the package sees it after the others."""
        qrels = uj.read_qrels({"1": self.judged})
        runs = [uj.read_run({"1": scored(ranking)}) for ranking in (self.ranking, *self.priors)]
        readings = Readings(measure, qrels, [join(run, qrels) for run in runs], holes=True)
        return readings.after(0, readings.left(range(1, len(runs))))

    def holes(self, cutoff: int | None) -> list[str]:
        return [doc for doc in self.ranking[:cutoff] if doc not in self.judged]

    def labellings(self, cutoff: int | None, top: int) -> Iterator[Grades]:
        """The judgments together with all grades that the ranking's unjudged documents could get."""
        holes = self.holes(cutoff)
        for grades in product(range(top + 1), repeat=len(holes)):
            yield {**self.judged, **dict(zip(holes, grades, strict=True))}


def scored(ranking: Ranking) -> dict[str, float]:
    return {doc: float(len(ranking) - i) for i, doc in enumerate(ranking)}


def random_cases(seed: int, number: int, *, depth: int = 5, docs: int = 9, share: float = 0.6) -> Iterator[Case]:
    """Small topics with holes, in which rankings share documents; grades go up to 3."""
    rng = random.Random(seed)
    names = [f"d{i}" for i in range(docs)]
    for _ in range(number):
        rankings = [rng.sample(names, depth) for _ in range(rng.randint(1, 4))]
        judged = {doc: rng.choice([0, 0, 1, 2, 3]) for doc in names if rng.random() < share}
        judged["elsewhere"] = 3  # fixes the scale
        yield Case(rankings[0], tuple(rankings[1:]), judged)
