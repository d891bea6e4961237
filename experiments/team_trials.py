"""One team left out after the other: what hole models estimate for its runs, and how wrong that is.

A team's judgments are those of documents that only its runs have in their top 10. The truth are the scores under all
judgments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from collections_at_hand import Collection, judged_part
from numpy.typing import NDArray
from scipy.stats import kendalltau, rankdata

import unjudged as uj
from unjudged.arrays import Floats
from unjudged.data.qrels import State
from unjudged.results.distributions import Distribution
from unjudged.results.scores import Scores

DEPTH = 10
PRIORS = ("pool", "run", "pool+run")
SCOPES = ("topic", "collection")
POINTS = ("mean", "median", "mode")
TOLERANCE = 1e-9
AP_DRAWS = 200
"""AP is no weighted sum, so that its draws take longer. They only matter where a ranking has many holes."""


def bootstrap(prior: str, scope: str) -> str:
    """The hole model of a prior and a scope; points are taken from its distributions."""
    return f"bootstrap(prior={prior},scope={scope})"


INTERVALS = ("bounds", "joint", "guaranteed", *(bootstrap(prior, scope) for scope in SCOPES for prior in PRIORS))
HOLES = ("nonrelevant", "condensed", *INTERVALS)
DEFAULT = bootstrap("pool+run", "topic")
CHOSEN = ("nonrelevant", "condensed", *(f"{DEFAULT} {point}" for point in POINTS))
"""The methods of the short tables."""


@dataclass
class Trial:
    """One measure on one collection: the truth, and for each method an estimate, per run and topic."""

    measure: str
    runs: tuple[str, ...]
    team_of: dict[str, str]
    truth: Floats
    holes: NDArray[np.bool_]
    """Run-topic pairs that have a hole once the team is out, and have none with all judgments."""
    unjudged: Floats
    """Share of the top 10 that is unjudged once the team is out."""
    reduced: dict[str, Floats] = field(default_factory=dict)
    """For each team, means of all runs under the judgments without it (their unjudged documents not relevant)."""
    points: dict[str, Floats] = field(default_factory=dict)
    low: dict[str, Floats] = field(default_factory=dict)
    high: dict[str, Floats] = field(default_factory=dict)
    mean_low: dict[str, Floats] = field(default_factory=dict)
    mean_high: dict[str, Floats] = field(default_factory=dict)

    def teams(self) -> list[str]:
        """Teams whose runs have holes without them."""
        with_holes = self.holes.any(axis=1)
        return sorted({self.team_of[run] for run, some in zip(self.runs, with_holes, strict=True) if some})

    def of(self, team: str) -> NDArray[np.bool_]:
        """Which runs belong to the team."""
        return np.array([self.team_of[run] == team for run in self.runs])


# ---- running


def run_trials(
    collection: Collection, measures: Sequence[str], full: Scores, complete: NDArray[np.bool_], draws: int = 1000
) -> list[Trial]:
    """Every team out in turn, all hole models, all measures."""
    names = full.runs
    shape = full.values.shape[2:]
    trials = [
        Trial(measure, names, collection.team_of, full.values[0, m], np.zeros(shape, dtype=bool), np.zeros(shape))
        for m, measure in enumerate(measures)
    ]
    for team in collection.teams:
        qrels = collection.without(team, DEPTH)
        models = [hole.replace(")", f",draws={draws})") for hole in HOLES]
        scores = uj.score(qrels, collection.runs_of(team), measures, holes=models)
        others = uj.score(qrels, collection.runs, measures)
        at = [names.index(name) for name in scores.runs]
        for m, trial in enumerate(trials):
            trial.holes[at] = (scores.judged[0, m] < 1) & complete[at]
            trial.unjudged[at] = 1 - scores.judged[0, m]
            trial.reduced[team] = others.means[0, m]
            fill(trial, scores, m, at)
    return trials


def fill(trial: Trial, scores: Scores, m: int, at: list[int]) -> None:
    """Put one team's estimates into the arrays of all runs."""

    def put(columns: dict[str, Floats], name: str, values: Floats) -> None:
        columns.setdefault(name, np.full((len(trial.runs), *values.shape[1:]), np.nan))[at] = values

    for h, hole in enumerate(HOLES):
        values, low, high = scores.values[h, m], scores.low[h, m], scores.high[h, m]
        if hole in INTERVALS:
            put(trial.low, hole, low)
            put(trial.high, hole, high)
            put(trial.mean_low, hole, scores.mean_low[h, m])
            put(trial.mean_high, hole, scores.mean_high[h, m])
        if hole in ("nonrelevant", "condensed"):
            put(trial.points, hole, values)
        elif hole in ("bounds", "joint"):
            if hole == "joint":
                put(trial.points, "joint, low", low)
            put(trial.points, f"{hole}, high", high)
            put(trial.points, f"{hole}, middle", (low + high) / 2)
        elif hole.startswith("bootstrap"):
            # The three points of the same distributions, instead of three times the same work.
            by_run = [scores.distributions[h, m, r] for r in range(len(scores.runs))]
            put(trial.points, f"{hole} mean", values)
            put(trial.points, f"{hole} median", pointed(values, by_run, lambda one: one.quantile(0.5)))
            put(trial.points, f"{hole} mode", pointed(values, by_run, lambda one: one.mode()))


def pointed(values: Floats, by_run: list[tuple[Distribution, ...]], point: Callable[[Distribution], float]) -> Floats:
    """A point of each distribution; where a ranking has no hole, its only value."""
    out = values.copy()
    for r, distributions in enumerate(by_run):
        for t, one in enumerate(distributions):
            if len(one) > 1:
                out[r, t] = point(one)
    return out


def trials_of(collection: Collection, binary: str) -> list[Trial]:
    """Measures at depth 10, where the judgments are complete, and AP over the judged part of the runs."""
    measures = ["nDCG@10", f"P{binary}@10", f"RBP{binary}@10"]
    full = uj.score(collection.qrels, collection.runs, measures)
    trials = run_trials(collection, measures, full, full.judged[0, 0] == 1)
    parts = tuple(judged_part(run, collection.qrels) for run in collection.runs)
    judged = Collection(collection.name, collection.qrels, parts, collection.team_of)
    # Which judgments go is decided by the runs as they were submitted.
    judged.__dict__["_joined"] = collection._joined
    full = uj.score(judged.qrels, judged.runs, [f"AP{binary}"])
    return trials + run_trials(judged, [f"AP{binary}"], full, full.judged[0, 0] == 1, AP_DRAWS)


def best_runs(trial: Trial, part: float = 0.75) -> Trial:
    """The same without the worst runs, as in paper 1: a failed run is not what one wants to estimate."""
    truth = trial.truth.mean(axis=1)
    kept = truth >= np.quantile(truth, 1 - part)
    return replace(trial, holes=trial.holes & kept[:, None])


def shares_of_removed(collection: Collection) -> tuple[int, float, float]:
    """Judgments removed over all teams, the share of them that is relevant, and that share in the whole pool."""
    qrels = collection.qrels
    judged = qrels.states == State.JUDGED
    relevant = judged & (qrels.grades >= (2 if qrels.max_grade > 1 else 1))
    gone = gone_relevant = 0
    for team in collection.teams:
        # What is left keeps its rows; those that are gone are not judged any more.
        removed = judged & (collection.without(team, DEPTH).states != State.JUDGED)
        gone += int(removed.sum())
        gone_relevant += int((removed & relevant).sum())
    return gone, gone_relevant / gone, int(relevant.sum()) / int(judged.sum())


# ---- measuring


def errors(trial: Trial, method: str) -> Floats:
    """Estimate minus truth, of the run-topic pairs with holes."""
    return (trial.points[method] - trial.truth)[trial.holes]


def rms(values: Floats) -> float:
    """Root of the mean square."""
    return float(np.sqrt(np.mean(values**2)))


def run_errors(trial: Trial, method: str) -> Floats:
    """Estimate minus truth of the mean over topics, of each run with holes."""
    rows = trial.holes.any(axis=1)
    return (trial.points[method] - trial.truth).mean(axis=1)[rows]


def rankings(trial: Trial, method: str) -> tuple[list[float], list[float], Floats]:
    """Kendall's tau-b for each team left out (others with full scores, or with reduced judgments too); rank errors."""
    truth = trial.truth.mean(axis=1)
    true_ranks = rankdata(-truth, method="average")
    taus, same_pool, wrong = [], [], []
    for team in trial.teams():
        mine = trial.of(team)
        estimate = trial.points[method].mean(axis=1)
        seen = np.where(mine, estimate, truth)
        taus.append(float(kendalltau(seen, truth).statistic))
        same_pool.append(float(kendalltau(np.where(mine, estimate, trial.reduced[team]), truth).statistic))
        counted = mine & trial.holes.any(axis=1)
        wrong += np.abs(rankdata(-seen, method="average") - true_ranks)[counted].tolist()
    return taus, same_pool, np.array(wrong)


def covered(trial: Trial, hole: str) -> tuple[float, float, float, float]:
    """Share of run-topic pairs whose truth is inside; below; above; and the mean width."""
    low, high, truth = (one[trial.holes] for one in (trial.low[hole], trial.high[hole], trial.truth))
    below, above = truth < low - TOLERANCE, truth > high + TOLERANCE
    return float(np.mean(~below & ~above)), float(below.mean()), float(above.mean()), float(np.mean(high - low))


def covered_means(trial: Trial, hole: str) -> tuple[float, float]:
    """Share of runs whose true mean is inside the interval of the mean, and the mean width."""
    rows = trial.holes.any(axis=1)
    low, high, truth = trial.mean_low[hole][rows], trial.mean_high[hole][rows], trial.truth.mean(axis=1)[rows]
    inside = (truth >= low - TOLERANCE) & (truth <= high + TOLERANCE)
    return float(inside.mean()), float(np.mean(high - low))


def wins(trial: Trial, first: str, second: str, images: int = 5000) -> float:
    """Share of resampled sets of teams in which *first* has the lower RMSE per topic."""
    teams = trial.teams()
    squares = []
    for method in (first, second):
        off = np.where(trial.holes, (trial.points[method] - trial.truth) ** 2, 0.0)
        squares.append([off[trial.of(team)].sum() for team in teams])
    drawn = np.random.default_rng(1).integers(len(teams), size=(images, len(teams)))
    gap = (np.array(squares[0]) - np.array(squares[1]))[drawn].sum(axis=1)
    return float(np.mean(gap < 0))


def methods(trial: Trial) -> list[str]:
    """Methods in the order of the tables."""
    fixed = ["nonrelevant", "condensed", "bounds, middle", "bounds, high", "joint, low", "joint, middle", "joint, high"]
    return [*fixed, *(name for name in trial.points if name.startswith("bootstrap"))]
