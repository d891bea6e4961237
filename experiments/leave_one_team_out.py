"""How good is each hole model? Take one team's judgments away, estimate its scores, compare with the truth.

    python experiments/leave_one_team_out.py            # writes experiments/results/leave-one-team-out.md

A team's judgments are those of documents that only its runs have in their top 10: what would have stayed unjudged
had the team not taken part. The truth are the scores under all judgments.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from collections_at_hand import RESULTS, Collection, dl19, judged_part, markdown_table, trec8
from numpy.typing import NDArray
from scipy.stats import kendalltau, rankdata

import unjudged as uj
from unjudged.data.outcomes import Distribution
from unjudged.data.qrels import State
from unjudged.data.scores import Scores

Floats = NDArray[np.float64]

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


# ---- writing


def methods(trial: Trial) -> list[str]:
    """Methods in the order of the tables."""
    fixed = ["nonrelevant", "condensed", "bounds, middle", "bounds, high", "joint, low", "joint, middle", "joint, high"]
    return [*fixed, *(name for name in trial.points if name.startswith("bootstrap"))]


def short(name: str) -> str:
    """A method's name as the tables print it."""
    for scope in SCOPES:
        for prior in PRIORS:
            name = name.replace(bootstrap(prior, scope), f"bootstrap {prior}" + (", all topics" * (scope != "topic")))
    return name.replace(" mean", ", mean").replace(" median", ", median").replace(" mode", ", mode")


def point_table(trial: Trial) -> str:
    """RMSE and its variants, bias, ranking: one row per method; the best of a column in bold."""
    head = ["method", "RMSE", "lower", "upper", "MAE", "bias", "RMSE of means", "tau", "worst tau", "tau, same pool"]
    head += ["rank error", "worst"]
    cells: list[list[float]] = []
    for method in methods(trial):
        off = errors(trial, method)
        taus, same_pool, wrong = rankings(trial, method)
        cells.append(
            [
                rms(off),
                rms(np.maximum(off, 0)),
                rms(np.minimum(off, 0)),
                float(np.abs(off).mean()),
                float(off.mean()),
                rms(run_errors(trial, method)),
                float(np.mean(taus)),
                min(taus),
                float(np.mean(same_pool)),
                float(wrong.mean()),
                float(wrong.max()),
            ]
        )
    best: dict[int, Callable[..., float]] = {0: min, 3: min, 5: min, 6: max, 7: max, 8: max, 9: min, 10: min}
    winners = {column: choose(row[column] for row in cells) for column, choose in best.items()}
    rows = []
    for method, row in zip(methods(trial), cells, strict=True):
        shown = [f"{value:+.3f}" if i == 4 else f"{value:.3f}" for i, value in enumerate(row)]
        shown[9], shown[10] = f"{row[9]:.2f}", f"{row[10]:g}"
        rows.append([short(method), *(mark(text, winners.get(i) == row[i]) for i, text in enumerate(shown))])
    return markdown_table(head, rows)


def mark(text: str, best: bool) -> str:
    """Bold for the best."""
    return f"**{text}**" if best else text


def interval_table(trial: Trial) -> str:
    """Coverage and width of the intervals."""
    head = ["interval", "nominal", "observed", "truth below", "truth above", "width", "means: observed", "means: width"]
    rows = []
    for hole in INTERVALS:
        inside, below, above, width = covered(trial, hole)
        of_means, mean_width = covered_means(trial, hole)
        nominal = "90%" if hole.startswith("bootstrap") else "all"
        shares = [f"{100 * share:.0f}%" for share in (inside, below, above)]
        rows.append([short(hole), nominal, *shares, f"{width:.3f}", f"{100 * of_means:.0f}%", f"{mean_width:.3f}"])
    return markdown_table(head, rows)


def summary(trials: list[tuple[str, Trial]]) -> str:
    """Which method wins where, and how far the default is from it."""
    head = ["collection, measure", "pairs", "lowest RMSE", "nonrelevant", "condensed", "bootstrap mean"]
    head += ["median", "mode", "mean beats mode", "mean beats condensed"]
    rows = []
    for where, trial in trials:
        names = [f"{bootstrap('pool+run', 'topic')} {point}" for point in POINTS]
        found = {method: rms(errors(trial, method)) for method in methods(trial)}
        winner = min(found, key=lambda method: found[method])
        cells = [f"{found[method]:.3f}" for method in ("nonrelevant", "condensed", *names)]
        beats = [f"{100 * wins(trial, names[0], other):.0f}%" for other in (names[2], "condensed")]
        rows.append(
            [
                f"{where}, {trial.measure}",
                int(trial.holes.sum()),
                f"{short(winner)} {found[winner]:.3f}",
                *cells,
                *beats,
            ]
        )
    return markdown_table(head, rows)


def compared(trials: list[tuple[str, Trial]], names: dict[str, str]) -> str:
    """Several methods by six criteria, each relative to the best of them and averaged over collections and measures.

    100% is a method that is best everywhere; 110% is 10% more error than the best on average.
    """
    criteria: dict[str, Callable[[Trial, str], float]] = {
        "RMSE per topic": lambda trial, name: rms(errors(trial, name)),
        "MAE per topic": lambda trial, name: float(np.abs(errors(trial, name)).mean()),
        "RMSE of means": lambda trial, name: rms(run_errors(trial, name)),
        "1 - tau": lambda trial, name: 1 - float(np.mean(rankings(trial, name)[0])),
        "rank error": lambda trial, name: float(rankings(trial, name)[2].mean()),
    }
    rows = {label: [label] for label in names}
    for value in criteria.values():
        found = np.array([[value(trial, name) for name in names.values()] for _, trial in trials])
        relative = (found / found.min(axis=1, keepdims=True)).mean(axis=0)
        for label, one in zip(names, relative, strict=True):
            rows[label].append(mark(f"{100 * one:.0f}%", one == relative.min()))
    for label, name in names.items():
        biases = [float(errors(trial, name).mean()) for _, trial in trials]
        rows[label].append(f"{min(biases):+.3f} to {max(biases):+.3f}")
    return markdown_table(["method", *criteria, "bias per topic"], rows.values())


def outside_own_interval(trials: list[tuple[str, Trial]]) -> str:
    """How often the mean of the points of a run lies outside the 90% interval of its mean score."""
    shares = []
    for point in POINTS:
        out = []
        for _, trial in trials:
            rows = trial.holes.any(axis=1)
            value = trial.points[f"{DEFAULT} {point}"].mean(axis=1)[rows]
            low, high = trial.mean_low[DEFAULT][rows], trial.mean_high[DEFAULT][rows]
            out += ((value < low - TOLERANCE) | (value > high + TOLERANCE)).tolist()
        shares.append(f"{point} {100 * np.mean(out):.0f}%")
    return (
        f"A run's mean of points lies outside the 90% interval of its mean score: {', '.join(shares)} of the runs. (The"
        " mean of means is the middle of that interval; the mean of medians is not the median of the mean.)"
    )


def conclusion(trials: list[tuple[str, Trial]], better: list[tuple[str, Trial]]) -> str:
    """What the tables say, in words; the numbers are those of the tables."""

    def winners(some: list[tuple[str, Trial]]) -> str:
        counts: dict[str, int] = {}
        for _, trial in some:
            family = min(methods(trial), key=lambda name: rms(errors(trial, name))).split("(")[0].split(",")[0]
            counts[family] = counts.get(family, 0) + 1
        return ", ".join(f"{name} in {number}" for name, number in sorted(counts.items(), key=lambda one: -one[1]))

    def span(values: list[float], form: str) -> str:
        ends = [format(end, form) for end in (min(values), max(values))]
        return ends[0] if ends[0] == ends[1] else " to ".join(ends)

    inside = [covered(trial, DEFAULT)[0] for _, trial in trials]
    of_means = [covered_means(trial, DEFAULT)[0] for _, trial in trials]
    naive = [covered(trial, "bounds")[0] for _, trial in trials]
    sure = [covered(trial, "guaranteed")[0] for _, trial in trials]
    exact = [covered(trial, "joint")[0] for _, trial in trials]
    ndcg = trials[0][1]
    ranks = {name: float(rankings(ndcg, name)[2].mean()) for name in CHOSEN}
    return "\n".join(
        [
            f"* **Single topics.** Lowest RMSE: {winners(trials)} of {len(trials)} cases with all runs;"
            f" {winners(better)} without the worst quarter. Taking holes as not relevant is best for a run that is bad,"
            " and worst for one that finds what others did not (see the tables by team).",
            f"* **Ranking.** On {trials[0][0]}, {ndcg.measure}, a left-out run is wrong by {ranks['nonrelevant']:.2f}"
            f" places with nonrelevant, {ranks['condensed']:.2f} condensed, {ranks[f'{DEFAULT} mean']:.2f} bootstrap"
            f" mean, {ranks[f'{DEFAULT} median']:.2f} median, {ranks[f'{DEFAULT} mode']:.2f} mode.",
            f"* **Intervals of single topics** are about as wide as they should be for pool+run: {span(inside, '.0%')}"
            " of the truths are inside, 90% promised. (With the real holes of TREC-COVID it is less: see table7.md.)",
            f"* **Intervals of means are too narrow**: {span(of_means, '.0%')} inside, 90% promised. Errors of topics"
            " do not cancel as independent draws do: a prior that is too high for a run is too high on all topics.",
            f"* **Bounds.** The truth is inside `bounds` for {span(naive, '.1%')} of the pairs, `joint`"
            f" {span(exact, '.1%')}, `guaranteed` {span(sure, '.1%')}. `joint` misses some because the judgments of the"
            " team's other documents went too, and with them a part of the ideal ranking and of R.",
        ]
    )


DEFAULT = bootstrap("pool+run", "topic")
CHOSEN = ("nonrelevant", "condensed", *(f"{DEFAULT} {point}" for point in POINTS))
"""The methods of the short tables."""


def best_runs(trial: Trial, part: float = 0.75) -> Trial:
    """The same without the worst runs, as in paper 1: a failed run is not what one wants to estimate."""
    truth = trial.truth.mean(axis=1)
    kept = truth >= np.quantile(truth, 1 - part)
    return replace(trial, holes=trial.holes & kept[:, None])


def by_share_table(trial: Trial) -> str:
    """RMSE and bias by how much of the top 10 is unjudged."""
    head = ["unjudged", "pairs", "mean truth", *(f"{short(method)}" for method in CHOSEN)]
    rows = []
    for low, high in ((0, 0.1), (0.1, 0.3), (0.3, 0.5), (0.5, 1)):
        inside = trial.holes & (trial.unjudged > low + TOLERANCE) & (trial.unjudged <= high + TOLERANCE)
        off = [(trial.points[method] - trial.truth)[inside] for method in CHOSEN]
        cells = [f"{rms(one):.3f} ({one.mean():+.3f})" for one in off]
        name = f"{100 * low:.0f}% < U <= {100 * high:.0f}%"
        rows.append([name, int(inside.sum()), f"{trial.truth[inside].mean():.3f}", *cells])
    return markdown_table(head, rows)


def by_team_table(trial: Trial) -> str:
    """Bias of the mean score of each team's runs."""
    head = ["team", "runs", "unjudged", "mean truth", *(f"{short(method)}" for method in CHOSEN)]
    rows = []
    for team in trial.teams():
        mine = trial.of(team)
        off = [float((trial.points[method] - trial.truth)[mine].mean()) for method in CHOSEN]
        unjudged = f"{100 * trial.unjudged[mine].mean():.0f}%"
        rows.append([team, int(mine.sum()), unjudged, f"{trial.truth[mine].mean():.3f}", *(f"{x:+.3f}" for x in off)])
    rows.sort(key=lambda row: float(row[2].rstrip("%")), reverse=True)
    return markdown_table(head, rows)


def prior_summary(trials: list[tuple[str, Trial]]) -> str:
    """RMSE and coverage of each prior, at the mean."""
    keys = [(prior, scope) for scope in SCOPES for prior in PRIORS]
    names = [short(bootstrap(prior, scope)).removeprefix("bootstrap ") for prior, scope in keys]
    rows = []
    for where, trial in trials:
        cells = []
        for prior, scope in keys:
            hole = bootstrap(prior, scope)
            cells.append(f"{rms(errors(trial, f'{hole} mean')):.3f} ({100 * covered(trial, hole)[0]:.0f}%)")
        rows.append([f"{where}, {trial.measure}", *cells])
    return markdown_table(["collection, measure", *names], rows)


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


def deep_table(collection: Collection, draws: int) -> str:
    """Measures that read whole runs, scored as they are: most documents are then holes, with all judgments too."""
    measures = ["AP(rel=2)", "RBP(rel=2)"]
    models = ["nonrelevant", "condensed", f"bootstrap(draws={draws})", f"bootstrap(prior=pool,draws={draws})"]
    truth = uj.score(collection.qrels, collection.runs, measures)
    found = np.full((len(models), *truth.means.shape[1:]), np.nan)
    for team in collection.teams:
        scores = uj.score(collection.without(team, DEPTH), collection.runs_of(team), measures, holes=models)
        found[:, :, [truth.runs.index(name) for name in scores.runs]] = scores.means
    rows = []
    for m, measure in enumerate(measures):
        for h, model in enumerate(models):
            off = found[h, m] - truth.means[0, m]
            rows.append([measure, model, f"{truth.means[0, m].mean():.3f}", f"{off.mean():+.3f}", f"{rms(off):.3f}"])
    holes = 1 - float(np.nanmean(truth.judged[0, 0]))
    table = markdown_table(["measure", "model", "mean truth", "bias", "RMSE of means"], rows, left=2)
    return f"{100 * holes:.0f}% of the documents in these runs are unjudged with all judgments.\n\n{table}"


# ---- the whole


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


PREFACE = """# Leaving one team out

Made by `experiments/leave_one_team_out.py`; do not edit.

For each team, the judgments of documents that only its runs have in their top 10 are removed, as if it had not taken
part. Its runs are then scored with what is left, under every hole model, and compared with their scores under all
judgments. Only run-topic pairs that get holes this way, and have none with all judgments, are counted.

* **nDCG@10, P@10, RBP@10**: the truth is complete. RBP has persistence 0.8 and is cut at 10; the ranks below hold 11%
  of its weight.
* **AP**: judgments are not complete below rank 10, so the true AP of these runs is not known. Here documents that
  nobody ever judged are taken out of the runs first. What remains is judged completely, and the holes are those of the
  left-out team only. The last table shows AP as it comes, where the "truth" itself takes unjudged documents as not
  relevant.
* Grades 2 and 3 count as relevant on DL19 for P, RBP and AP, as in the track. TREC-8 is binary.

Columns: **RMSE** of the estimates of single topics; **lower** counts only overestimates and **upper** only
underestimates (lower² + upper² = RMSE²); **MAE** mean absolute error; **bias** mean of estimate minus truth; **RMSE of
means** the same for a run's mean over all topics. **tau**: Kendall's tau-b of the ranking of all runs, the left-out
team's with their estimates and the others with their full scores, averaged over teams, and the worst team; **same
pool** scores the others with the reduced judgments too, as one would in practice. **rank error**: by how many places a
left-out run is wrong, mean and worst. *all topics*: the pool prior counts the judgments of all topics (the code
released with paper 1), not those of the topic (its text).
"""


def write(collections: list[tuple[Collection, str]], draws: int) -> str:
    """The page."""
    everything = []
    sections = []
    for collection, binary in collections:
        trials = trials_of(collection, binary)
        everything += [(collection.name, trial) for trial in trials]
        gone, relevant, in_pool = shares_of_removed(collection)
        text = [
            f"## {collection.name}: {len(collection.runs)} runs, {len(collection.teams)} teams",
            f"{gone:,} judgments removed over all teams; {100 * relevant:.0f}% of them are relevant (in the whole pool:"
            f" {100 * in_pool:.0f}%). Left out, a team's runs lack judgments for"
            f" {100 * np.mean(trials[0].holes):.0f}% of their run-topic pairs.",
        ]
        text += [
            "nDCG@10 by how much of the top 10 is unjudged: RMSE (bias).",
            by_share_table(trials[0]),
            "nDCG@10 by team: bias of the mean score.",
            by_team_table(trials[0]),
        ]
        for trial in trials:
            text += [f"### {collection.name}, {trial.measure}", point_table(trial), interval_table(trial)]
        sections += text
    better = [(where, best_runs(trial)) for where, trial in everything]
    points = {point: f"{DEFAULT} {point}" for point in POINTS}
    priors = {"nonrelevant": "nonrelevant", "condensed": "condensed"}
    priors |= {short(hole): f"{hole} mean" for hole in HOLES if hole.startswith("bootstrap")}
    deep = ["## Whole runs as they come: DL19, AP and RBP at depth 1000", deep_table(collections[0][0], draws)]
    return "\n\n".join(
        [
            PREFACE,
            "## In words",
            conclusion(everything, better),
            "## Summary\n\nRMSE per topic. The bootstrap columns are the default, `bootstrap` (prior pool+run of the"
            " topic), at its three points. *mean beats*: share of 5,000 resamples of the teams in which the mean has"
            " the lower RMSE.",
            summary(everything),
            "The same without the worst quarter of the runs (by true score), as in paper 1:",
            summary(better),
            "## Which point?\n\nThe default prior (pool+run of the topic). Errors relative to the best of the three,"
            " averaged over the eight collections and measures; first all runs, then without the worst quarter.",
            compared(everything, points),
            compared(better, points),
            outside_own_interval(everything),
            "## Which prior?\n\nAt the mean, and beside the two usual ways; all runs, then without the worst quarter.",
            compared(everything, priors),
            compared(better, priors),
            "RMSE of the mean under each prior and, in brackets, how often the 90% interval holds the truth:",
            prior_summary(everything),
            *sections,
            *deep,
        ]
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=RESULTS / "leave-one-team-out.md")
    parser.add_argument("--draws", type=int, default=100, help="draws for whole runs (the last table)")
    parser.add_argument("--only-dl19", action="store_true", help="leave TREC-8 out")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore", uj.UnjudgedWarning)
    begin = time.perf_counter()
    collections = [(dl19(), "(rel=2)")] + ([] if options.only_dl19 else [(trec8(), "")])
    page = write(collections, options.draws)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(page + "\n", encoding="utf-8")
    sys.stderr.write(f"{options.out} in {time.perf_counter() - begin:.0f} s\n")


if __name__ == "__main__":
    main()
