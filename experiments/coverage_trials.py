"""Trials of everything that the tool says with an interval or a probability, where judgments are left out.

Used by `coverage.py`. All goes through `score` and `compare`, as users call them, calibration included.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from collections_at_hand import SHARED, lines
from left_out_teams import TOLERANCE, Outcome, World, alone

import unjudged as uj
from unjudged.api import read_measures
from unjudged.arrays import Floats
from unjudged.data.qrels import Qrels
from unjudged.engine.numerics.scoring import deepest_rank
from unjudged.engine.preparation.document_occurrences import collect_occurrences
from unjudged.holes import Evidence, HoleModel
from unjudged.results.comparison import Comparison

TRADITIONAL = ("BASELINE", "TREMA-UNH", "srchvrs")
"""Teams of DL19 that mostly match terms (as in evidence.py); the others re-rank with neural models."""
EDGES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0 + 1e-9)
DRAWS, SEED = 300, 42


@dataclass(frozen=True)
class Case:
    """What was left out, the judgments that are left, and the runs that were left out."""

    name: str
    qrels: Qrels
    runs: tuple[str, ...]


def teams_left_out(world: World, chosen: slice = slice(None)) -> Iterator[Case]:
    """Every team in turn, or those that are chosen in alphabetical order."""
    collection = world.collection
    for team in collection.teams[chosen]:
        runs = tuple(run.name for run in collection.runs_of(team))
        yield Case(team, collection.without(team, world.depth), runs)


def types_left_out(world: World) -> Iterator[Case]:
    """All runs of a type at once: what only they have within the depth of the pool loses its judgments."""
    type_of = types(world)
    for kind in sorted(set(type_of.values())):
        mine = tuple(run.name for run in world.collection.runs if type_of[run.name] == kind)
        yield Case(kind, world.without_runs(mine), mine)


def types(world: World) -> dict[str, str]:
    """The type of each run."""
    names = [run.name for run in world.collection.runs]
    if world.origin == "dl19":
        team_of = world.collection.team_of
        return {name: "traditional" if team_of[name] in TRADITIONAL else "neural" for name in names}
    if world.origin == "trec8":
        rows = (line.split("\t") for line in lines(SHARED / "trec8" / "runs_meta.tsv")[1:])
        return {row[0]: row[3] for row in rows}
    rows = (line.split(",") for line in lines(SHARED / "trec-covid-round1" / "leaderboard.csv")[1:])
    return {row[0]: row[2] for row in rows}


def seen_by_all(world: World, case: Case, measures: Sequence[str]) -> uj.Collection:
    """The judgments that are left and all runs, and where these have documents: what evidence learns from.

    Where runs have documents is the same whatever is left of the judgments, and is looked up once.
    """
    depth = deepest_rank(read_measures(measures))
    every: dict[int | None, uj.Collection] = world.__dict__.setdefault("_seen_by_all", {})
    if depth not in every:
        collection = world.collection
        how = {"groups": collection.team_of, "pool_depth": world.depth, "jobs": 1}
        given = uj.Collection(collection.qrels, list(collection.runs), **how)
        every[depth] = collect_occurrences(given, [Evidence()], depth=depth)[0]
    return every[depth].replaced(qrels=case.qrels)


def only(informed: uj.Collection, names: Collection[str]) -> uj.Collection:
    """The same, but other runs are not asked about."""
    return informed.replaced(runs=[source for source in informed.runs if source.read().name in names])


# ---- scores


def together(world: World, models: Sequence[HoleModel], cases: Iterable[Case]) -> list[list[Outcome]]:
    """Score the runs that were left out, where all others and their groups are known: by model and measure."""
    out = [[Outcome() for _ in world.measures] for _ in models]
    for case in cases:
        score_together(world, models, case, seen_by_all(world, case, world.measures), out)
    return out


def score_together(
    world: World, models: Sequence[HoleModel], case: Case, informed: uj.Collection, out: list[list[Outcome]]
) -> None:
    """Add what becomes of one case."""
    scores = only(informed, case.runs).score(world.measures, holes=[*models, "joint"])
    for run in case.runs:
        for h, m in np.ndindex(len(models), len(world.measures)):
            group = (case.name, world.collection.team_of[run])
            out[h][m].add(world, scores, h, m, run, group, joint=scores.holes.index("joint"))


# ---- comparisons


@dataclass
class Said:
    """What comparisons said of runs that were left out, beside the truth."""

    chance: list[float] = field(default_factory=list)
    """That the run is better which is said to be, of each pair ..."""
    right: list[bool] = field(default_factory=list)
    """... and whether it is."""
    pair_groups: list[tuple[str, str]] = field(default_factory=list)
    bounds_held: list[bool] = field(default_factory=list)
    """Whether the difference is between what compare calls the worst and the best that there can be."""
    certain: list[bool] = field(default_factory=list)
    """Whether certain pairs, and ..."""
    likely: list[bool] = field(default_factory=list)
    """... likely ones are in the right order."""
    rank_held: list[bool] = field(default_factory=list)
    rank_width: list[int] = field(default_factory=list)

    def add(self, comparison: Comparison, truth: dict[str, float], case: Case, holes: set[str], world: World) -> None:
        """Pairs with a run that was left out and has holes, and the ranks of these runs."""
        team_of = world.collection.team_of
        for pair in comparison.pairs():
            mine = [run for run in (pair.run, pair.other) if run in holes]
            difference = truth[pair.run] - truth[pair.other]
            if not mine or pair.p_greater is None or abs(difference) <= TOLERANCE:
                continue
            is_right = (pair.p_greater > 0.5) == (difference > 0)
            self.chance.append(max(pair.p_greater, 1 - pair.p_greater))
            self.right.append(is_right)
            self.pair_groups.append((case.name, team_of[mine[0]]))
            if pair.worst is not None and pair.best is not None:
                self.bounds_held.append(pair.worst - TOLERANCE <= difference <= pair.best + TOLERANCE)
            if pair.verdict == "certain":
                self.certain.append((pair.difference > 0) == (difference > 0))
            elif pair.verdict == "likely":
                self.likely.append(is_right)
        means = np.array(list(truth.values()))
        for row in comparison.rows():
            if row.run in holes:
                best = 1 + int((means > truth[row.run] + TOLERANCE).sum())
                worst = int((means >= truth[row.run] - TOLERANCE).sum())
                self.rank_held.append(row.rank_low <= worst and row.rank_high >= best)
                self.rank_width.append(row.rank_high - row.rank_low)

    def curve(self) -> list[str]:
        """For each tenth of P(A>B), the share of the pairs that are right, of how many."""
        chance, right = np.array(self.chance), np.array(self.right)
        cells = []
        for low, high in pairwise(EDGES):
            here = (chance >= low) & (chance < high)
            cells.append(f"{right[here].mean():.0%} of {here.sum():,}" if here.any() else "-")
        return cells


def compare_together(
    world: World, measure: str, model: HoleModel, case: Case, informed: uj.Collection, others: int, said: Said
) -> None:
    """Compare the runs that were left out with each other, and with others that seem to be as good.

    Those are the nearest ones by what is judged; which pairs are hard is not decided by the truth.
    """
    truth = dict(zip(world.truth.runs, world.truth.means[0, world.measures.index(measure)].tolist(), strict=True))
    scores = only(informed, case.runs).score(measure, holes=model)
    estimates = dict(zip(scores.runs, scores.means[0, 0].tolist(), strict=True))
    holes = {run for run, shares in zip(scores.runs, scores.judged[0, 0], strict=True) if (shares < 1).any()}
    rest = [run for run in world.collection.runs if run.name not in case.runs]
    plain = uj.score(case.qrels, rest, measure, jobs=1)
    seen = dict(zip(plain.runs, plain.means[0, 0].tolist(), strict=True))
    near = {
        one for run in holes for one in sorted(seen, key=lambda one, run=run: abs(seen[one] - estimates[run]))[:others]
    }
    chosen = {*holes, *near}
    if holes and len(chosen) > 1:
        comparison = only(informed, chosen).compare(measure, holes=model, test="t", draws=DRAWS)
        said.add(comparison, {run: truth[run] for run in chosen}, case, holes, world)


# ---- all of a case


@dataclass
class Tried:
    """What became of cases: by model an outcome for each measure, and what comparisons said."""

    outcomes: dict[str, list[Outcome]] = field(default_factory=dict)
    said: dict[str, Said] = field(default_factory=dict)

    def add(self, other: Tried) -> None:
        """Add other cases."""
        for name, of_model in other.outcomes.items():
            for mine, more in zip(self.outcomes.setdefault(name, [Outcome() for _ in of_model]), of_model, strict=True):
                extend(mine, more)
        for name, one in other.said.items():
            extend(self.said.setdefault(name, Said()), one)


def extend(one: Outcome | Said, other: Outcome | Said) -> None:
    """Add the columns of another."""
    for name, column in vars(other).items():
        getattr(one, name).extend(column)


def try_case(
    world: World,
    case: Case,
    models: dict[str, HoleModel],
    single: dict[str, HoleModel],
    compared: tuple[str, int] | None,
) -> Tried:
    """Score and compare, with *models* that know all runs, and score with others that know a *single* one.

    *compared* are the measure and the number of other runs. What evidence learns serves both.
    """
    tried, informed = Tried(), seen_by_all(world, case, world.measures)
    outcomes = [[Outcome() for _ in world.measures] for _ in models]
    score_together(world, list(models.values()), case, informed, outcomes)
    tried.outcomes |= zip(models, outcomes, strict=True)
    by_name = {run.name: run for run in world.collection.runs}
    runs = [(case.name, case.qrels, [by_name[run] for run in case.runs])]
    tried.outcomes |= zip(single, alone(world, list(single.values()), runs), strict=True)
    if compared is not None:
        for name, model in (models | {name: one for name, one in single.items() if name == "discounted"}).items():
            tried.said[name] = Said()
            compare_together(world, compared[0], model, case, informed, compared[1], tried.said[name])
    return tried


def share(held: Sequence[bool] | Floats) -> str:
    """In percent."""
    return f"{np.mean(held):.0%}" if len(held) else "-"
