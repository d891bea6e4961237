"""Collections from which one team is left out after the other, and what became of estimates of its runs.

Documents that nobody ever judged are taken out of the runs first, so that the truth is known for every topic. Who
has what within the pool's depth is decided by the runs as they were submitted.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from collections_at_hand import SHARED, Collection, dl19, judged_part, lines, need, trec8
from numpy.typing import NDArray

import unjudged as uj
from unjudged.arrays import Floats
from unjudged.data.groups import Groups
from unjudged.data.joined import join_runs
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.results.scores import Scores

TOLERANCE = 1e-9
AS_WIDE = 0.95
"""Intervals of means that are so many times as wide as joint bounds are taken for bounds."""


@dataclass(frozen=True)
class World:
    """A collection whose runs have judged documents only; teams are left out of a pool of a certain depth."""

    name: str
    collection: Collection
    depth: int
    measures: tuple[str, ...]
    origin: str
    """The track that it is from: what is learned elsewhere is learned from other ones."""

    @cached_property
    def truth(self) -> Scores:
        """Scores under all judgments."""
        return uj.score(self.collection.qrels, self.collection.runs, self.measures)

    def pool_of(self, teams: Iterable[str]) -> Qrels:
        """The judgments of what these teams alone have within the depth."""
        joined, kept = self.collection._joined, set(teams)
        runs = [i for i, run in enumerate(joined.runs) if self.collection.team_of[run] in kept]
        return joined.qrels.left(joined.qrels.judged & joined.reached(runs, self.depth))

    def without_runs(self, names: Iterable[str]) -> Qrels:
        """The judgments as they were if these runs had not taken part."""
        joined, out = self.collection._joined, set(names)
        mine = [i for i, run in enumerate(joined.runs) if run in out]
        others = [i for i, run in enumerate(joined.runs) if run not in out]
        gone = joined.reached(mine, self.depth) & ~joined.reached(others, self.depth)
        return joined.qrels.left(joined.qrels.judged & ~gone)


def world(name: str, submitted: Collection, depth: int, measures: Sequence[str], origin: str) -> World:
    """One made of a collection as it was submitted."""
    parts = tuple(judged_part(run, submitted.qrels) for run in submitted.runs)
    judged = Collection(submitted.name, submitted.qrels, parts, submitted.team_of)
    # Which judgments go is decided by the runs as they were submitted.
    judged.__dict__["_joined"] = join_runs(submitted.qrels, submitted.runs).in_groups(Groups(submitted.team_of))
    return World(name, judged, depth, tuple(measures), origin)


def worlds() -> Iterator[World]:
    """All shared collections that have teams."""
    passages = dl19()
    relevant = ("nDCG@5", "nDCG@10", "P(rel=2)@10", "RBP(rel=2)", "AP(rel=2)")
    yield world("DL19", passages, 10, relevant, "dl19")
    answered, best = _questions()
    for name, qrels, rel in (("DL19, questions answered", answered, 1), ("DL19, best answer", best, 4)):
        graded = Collection(name, qrels, passages.runs, passages.team_of)
        yield world(name, graded, 10, ("nDCG@10", f"P(rel={rel})@10"), "dl19")
    ad_hoc = trec8()
    yield world("TREC-8", ad_hoc, 10, ("nDCG@5", "nDCG@10", "P@10", "RBP"), "trec8")
    yield world("TREC-8, depth 100", ad_hoc, 100, ("AP",), "trec8")
    measures = ("nDCG@5", "nDCG@10", "P@5", "P@10", "RBP", "AP")
    yield world("TREC-COVID round 1", trec_covid_round_1(), 7, measures, "trec-covid")


def trec_covid_round_1() -> Collection:
    """TREC-COVID, round 1: 143 runs of 56 teams, grades 0 to 2, pooled to depth 7 or so."""
    folder = need(SHARED / "trec-covid-round1")
    team_of = dict(line.split()[:2] for line in lines(folder / "groups.tsv"))
    runs = uj.read_runs(folder / "runs", scores="float32")
    return Collection("TREC-COVID", uj.read_qrels(folder / "qrels.covid-round1.txt.gz"), tuple(runs), team_of)


def _questions() -> tuple[Qrels, Qrels]:
    """DL19's exam questions as grades: how many a passage answers, up to 3; and its best grade for any."""
    answered: dict[str, dict[str, int]] = {}
    best: dict[str, dict[str, int]] = {}
    with gzip.open(need(SHARED / "dl19") / "exam-questions-as-subtopics.diversity-qrels.gz", "rt") as file:
        for topic, _, doc, grade in map(str.split, file):
            number, highest = answered.setdefault(topic, {}), best.setdefault(topic, {})
            number[doc] = min(3, number.get(doc, 0) + (int(grade) >= 4))
            highest[doc] = max(highest.get(doc, 0), int(grade))
    return uj.read_qrels(answered), uj.read_qrels(best)


# ---- what became of estimates


@dataclass
class Outcome:
    """Estimates of one measure by one model: per topic, and of means; with the truth."""

    group: list[tuple[str, str]] = field(default_factory=list)
    """What was left out, and the team, of each run."""
    truth: list[Floats] = field(default_factory=list)
    value: list[Floats] = field(default_factory=list)
    low: list[Floats] = field(default_factory=list)
    high: list[Floats] = field(default_factory=list)
    mean: list[tuple[float, float, float]] = field(default_factory=list)
    """Of the means: value, low, high."""
    true_mean: list[float] = field(default_factory=list)
    bounded: list[bool] = field(default_factory=list)
    """Whether the mean has bounds in place of an interval, where joint bounds are known."""
    holes: list[NDArray[np.bool_]] = field(default_factory=list)

    def add(
        self,
        world: World,
        scores: Scores,
        h: int,
        m: int,
        run: str,
        group: tuple[str, str],
        joint: int | None = None,
    ) -> None:
        """Add a run, if there was something to estimate; *joint* is the place of the joint bounds among the models."""
        r, t = scores.runs.index(run), world.truth.runs.index(run)
        holes = scores.judged[h, m, r] < 1
        if not holes.any():
            return
        self.group.append(group)
        self.holes.append(holes)
        self.truth.append(world.truth.values[0, m, t])
        for column, values in ((self.value, scores.values), (self.low, scores.low), (self.high, scores.high)):
            column.append(values[h, m, r])
        self.mean.append((scores.means[h, m, r], scores.mean_low[h, m, r], scores.mean_high[h, m, r]))
        self.true_mean.append(world.truth.means[0, m, t])
        width = scores.mean_high[:, m, r] - scores.mean_low[:, m, r]
        self.bounded.append(joint is not None and bool(width[h] >= AS_WIDE * width[joint] - TOLERANCE))

    def topics(self) -> tuple[Floats, Floats, float]:
        """Errors of topics with holes, which of them are held, and how wide the intervals are."""
        holes = np.concatenate(self.holes)
        truth, value, low, high = (np.concatenate(one)[holes] for one in (self.truth, self.value, self.low, self.high))
        return value - truth, _inside(truth, low, high), float(np.mean(high - low))

    def means(self) -> tuple[Floats, Floats, float]:
        """The same of means over topics."""
        truth, (value, low, high) = np.array(self.true_mean), np.array(self.mean).T
        return value - truth, _inside(truth, low, high), float(np.mean(high - low))

    def held_by_group(self) -> float:
        """Share of the means that are held, every group with the same weight."""
        held = self.means()[1]
        groups = sorted(set(self.group))
        return float(np.mean([held[[one == group for one in self.group]].mean() for group in groups]))

    def intervals(self) -> tuple[Floats, float]:
        """Which means that have an interval, and not bounds in its place, are held; and how wide intervals are."""
        own = ~np.array(self.bounded)
        _, low, high = np.array(self.mean).T
        return self.means()[1][own], float(np.mean((high - low)[own])) if own.any() else float("nan")


def _inside(truth: Floats, low: Floats, high: Floats) -> Floats:
    return ((truth >= low - TOLERANCE) & (truth <= high + TOLERANCE)).astype(np.float64)


def rms(values: Floats) -> float:
    """Root of the mean square."""
    return float(np.sqrt(np.mean(values**2)))


def alone(
    world: World, models: Sequence[object], cases: Iterable[tuple[str, Qrels, Sequence[Run]]]
) -> list[list[Outcome]]:
    """Score each run by itself, as somebody would who has no other, under each of the models.

    Cases are what was left out, the judgments that are left, and the runs. Returns outcomes by model and measure.
    """
    out = [[Outcome() for _ in world.measures] for _ in models]
    for case, qrels, runs in cases:
        for run in runs:
            scores = uj.score(qrels, [run], world.measures, holes=[*models, "joint"], jobs=1)
            for h, m in np.ndindex(len(models), len(world.measures)):
                group = (case, world.collection.team_of[run.name])
                out[h][m].add(world, scores, h, m, run.name, group, joint=scores.holes.index("joint"))
    return out


def each_team(world: World) -> Iterator[tuple[str, Qrels, list[Run]]]:
    """Every team left out in turn, with the judgments that are left, and its runs."""
    for team in world.collection.teams:
        yield team, world.collection.without(team, world.depth), world.collection.runs_of(team)


def few_teams(
    world: World, number: int, repetitions: int, seed: int, every: int
) -> Iterator[tuple[str, Qrels, list[Run]]]:
    """A pool of so many teams at random; every so manieth run of all others is new."""
    rng = np.random.default_rng(seed)
    teams = world.collection.teams
    for repetition in range(repetitions):
        kept = set(rng.permutation(teams)[:number].tolist())
        new = [run for run in world.collection.runs if world.collection.team_of[run.name] not in kept]
        yield f"{number}, {repetition}", world.pool_of(kept), new[::every]
