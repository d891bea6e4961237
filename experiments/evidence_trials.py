"""Trials of `evidence`: judgments with something taken away, estimates beside the truth, and tables.

Used by `evidence.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from collections_at_hand import Collection, markdown_table
from numpy.typing import NDArray
from team_tables import mark
from team_trials import (
    DEPTH,
    TOLERANCE,
    Floats,
    Trial,
    covered,
    covered_means,
    errors,
    rankings,
    rms,
    run_errors,
)

import unjudged as uj
from unjudged.api import read_holes, read_measures
from unjudged.data.qrels import Qrels, State
from unjudged.data.run import Run
from unjudged.data.run_occurrences import OccurrencesInRuns
from unjudged.data.view import join
from unjudged.engine.numerics.scoring import deepest_rank
from unjudged.engine.preparation.document_occurrences import collect_occurrences
from unjudged.holes import Bootstrap, HoleModel, Settings, bootstrap
from unjudged.holes.base import PreparedHoleModel
from unjudged.holes.evidence_model.model import EvidenceModel
from unjudged.measures import Measure

EVIDENCE, USUAL = "evidence", "pool+run"
MODELS = {
    "nonrelevant": "nonrelevant",
    "condensed": "condensed",
    "pool": "bootstrap(prior=pool)",
    "run": "bootstrap(prior=run)",
    USUAL: "bootstrap",
    EVIDENCE: f"bootstrap(prior=evidence,depth={DEPTH})",
}
FEW_MODELS = {name: MODELS[name] for name in ("nonrelevant", "condensed", USUAL, EVIDENCE)}
TWO_MODELS = {name: MODELS[name] for name in (USUAL, EVIDENCE)}
ONE_MODEL = {EVIDENCE: MODELS[EVIDENCE]}
LEVELS = (0.5, 0.8, 0.9, 0.95)
SEED = 42


@dataclass
class Reliability:
    """Chances that were given to holes, and the grades that they have."""

    probabilities: list[Floats]
    grades: list[NDArray[np.int32]]


# ---- leaving out


def occurrences_in(collection: Collection, runs: Sequence[Run] | None = None) -> OccurrencesInRuns:
    """Where runs have documents, all runs unless given."""
    used = list(collection.runs if runs is None else runs)
    given = uj.Collection(collection.qrels, used, groups=collection.team_of)
    occurrences = collect_occurrences(given, read_holes(MODELS[EVIDENCE]), depth=DEPTH)[0].occurrences
    assert occurrences is not None
    return occurrences


def without(collection: Collection, team: str) -> Qrels:
    """The judgments, without those that only the team has in its top 10."""
    qrels = collection.qrels
    kept = collection.without(team, DEPTH).states == State.JUDGED
    return qrels.left(kept & (qrels.states == State.JUDGED))


@dataclass(frozen=True)
class Case:
    """Judgments with something taken away, and the runs to be scored with what is left."""

    name: str
    qrels: Qrels
    occurrences: OccurrencesInRuns
    runs: list[Run]


def one_team_out(
    collection: Collection, occurrences: OccurrencesInRuns, runs: Callable[[str], list[Run]] | None = None
) -> Iterator[Case]:
    """Every team in turn."""
    for team in collection.teams:
        yield Case(team, without(collection, team), occurrences, (runs or collection.runs_of)(team))


def run_cases(
    collection: Collection,
    cases: Iterator[Case],
    measures: Sequence[str],
    models: Mapping[str, str | HoleModel],
    *,
    truth_runs: Sequence[Run] | None = None,
    draws: int = 1000,
    reliability: Reliability | None = None,
) -> list[Trial]:
    """Estimates of all models for all cases, beside the truth under all judgments.

    Where the truth is not known, because a document that the measure reads was never judged, it stands in for the
    estimates too.
    """
    full = uj.score(collection.qrels, list(truth_runs or collection.runs), measures)
    names, shape = full.runs, full.values.shape[2:]
    trials = [
        Trial(measure, names, collection.team_of, full.values[0, m], np.zeros(shape, dtype=bool), np.zeros(shape))
        for m, measure in enumerate(measures)
    ]
    known = full.judged[0] == 1
    chosen = read_measures(measures)
    specs = {name: read_holes(model)[0] for name, model in models.items()}
    specs = {name: one.replace(draws=draws) if isinstance(one, Bootstrap) else one for name, one in specs.items()}
    for case in cases:
        beliefs = {name: model.learn(case.qrels, case.occurrences) for name, model in specs.items()}
        for run in case.runs:
            at = names.index(run.name)
            for m, (trial, measure) in enumerate(zip(trials, chosen, strict=True)):
                fill(trial, at, known[m, at], run, case.qrels, measure, specs, beliefs)
        for trial in trials:
            trial.reduced[case.name] = trial.truth.mean(axis=1)  # others keep their scores, so nobody asks
        if reliability is not None and isinstance(beliefs[EVIDENCE], bootstrap.PreparedBootstrap):
            remember(reliability, collection.qrels, case, beliefs[EVIDENCE].grade_source)
    return trials


def fill(
    trial: Trial,
    at: int,
    known: NDArray[np.bool_],
    run: Run,
    qrels: Qrels,
    measure: Measure,
    specs: dict[str, HoleModel],
    beliefs: dict[str, PreparedHoleModel],
) -> None:
    """Put the estimates of one run into the columns of a trial."""
    truth = trial.truth[at]

    def put(columns: dict[str, Floats], name: str, values: Floats | float) -> None:
        columns.setdefault(name, np.full((len(trial.runs), *np.shape(values)), np.nan))[at] = values

    for name, belief in beliefs.items():
        view = join(run, qrels, depth=deepest_rank([measure], [specs[name]]))
        top = view.top(measure.depth())
        share = top.share(top.judged)
        trial.holes[at], trial.unjudged[at] = (share < 1) & known, 1 - share
        estimate = belief.estimate(measure, view, Settings(SEED))
        put(trial.points, name, np.where(known, estimate.value, truth))
        if estimate.draws is None:
            continue
        drawn = np.where(known[:, None], estimate.draws, truth[:, None])
        for level in LEVELS:
            settings = Settings(SEED, ((1 - level) / 2, (1 + level) / 2))
            low, high = specs[name].interval(drawn, None, settings).T
            mean_low, mean_high = specs[name].interval(drawn.mean(axis=0)[None], None, settings)[0]
            for columns, values in (
                (trial.low, low),
                (trial.high, high),
                (trial.mean_low, mean_low),
                (trial.mean_high, mean_high),
            ):
                put(columns, interval(name, level), values)
            held = (drawn >= low[:, None] - TOLERANCE) & (drawn <= high[:, None] + TOLERANCE)
            put(trial.points, f"mass {interval(name, level)}", held.mean(axis=1))


def interval(name: str, level: float) -> str:
    """What an interval of a model is called."""
    return f"{name} {level:.0%}"


def remember(reliability: Reliability, truth: Qrels, case: Case, others: object) -> None:
    """Keep grade probabilities and grades of the holes of one case, each hole once."""
    assert isinstance(others, EvidenceModel)
    seen: set[int] = set()
    for run in case.runs:
        view = join(run, case.qrels, depth=DEPTH)
        rows = np.flatnonzero(~view.judged)
        evidence = others.grade_probabilities(view, rows)
        qrels_rows = truth.pairs.find(view.topics[view.ranking[rows]], view.doc_ids().take(rows))
        new = []
        for row, known in zip(qrels_rows.tolist(), evidence.informed.tolist(), strict=True):
            new.append(known and row >= 0 and truth.states[row] == State.JUDGED and row not in seen)
            seen.add(row)
        keep = np.array(new, dtype=bool)
        reliability.probabilities.append(evidence.probabilities[keep])
        reliability.grades.append(truth.grades[qrels_rows[keep]])


# ---- tables


def point_table(trial: Trial, models: dict[str, str]) -> str:
    """Errors and ranking, a row for each model; the best of a column in bold."""
    head = ["method", "RMSE per topic", "MAE", "bias", "RMSE of means", "bias of means", "tau", "rank error", "worst"]
    cells = []
    for name in models:
        off, of_means = errors(trial, name), run_errors(trial, name)
        taus, _, wrong = rankings(trial, name)
        line = [rms(off), float(np.abs(off).mean()), float(off.mean()), rms(of_means), float(of_means.mean())]
        cells.append([*line, float(np.mean(taus)), float(wrong.mean()), float(wrong.max())])
    keys = [lambda x: x, lambda x: x, abs, lambda x: x, abs, lambda x: -x, lambda x: x, lambda x: x]
    best = [min(key(row[i]) for row in cells) for i, key in enumerate(keys)]
    rows = []
    for name, row in zip(models, cells, strict=True):
        shown = [f"{x:+.4f}" if i in (2, 4) else f"{x:.2f}" if i >= 6 else f"{x:.4f}" for i, x in enumerate(row)]
        wins = [key(x) == least for x, key, least in zip(row, keys, best, strict=True)]
        rows.append([name, *(mark(text, win) for text, win in zip(shown, wins, strict=True))])
    return markdown_table(head, rows)


def interval_table(trial: Trial, models: Sequence[str] = (USUAL, EVIDENCE)) -> str:
    """How often intervals hold the truth, how wide they are, and what they should hold by their own draws."""
    head = ["prior", "promised", "topics: held", "own draws", "width", "means: held", "width of means"]
    rows = []
    for name in models:
        for level in LEVELS:
            key = interval(name, level)
            inside, _, _, width = covered(trial, key)
            of_means, mean_width = covered_means(trial, key)
            own = float(trial.points[f"mass {key}"][trial.holes].mean())
            shares = [f"{100 * x:.1f}%" for x in (inside, own)]
            rows.append([name, f"{level:.0%}", *shares, f"{width:.3f}", f"{100 * of_means:.1f}%", f"{mean_width:.4f}"])
    return markdown_table(head, rows)


def reliability_table(reliability: Reliability, rel: int) -> str:
    """Holes by the chance that they were given to have at least grade *rel*, and how many have it."""
    probabilities = np.concatenate(reliability.probabilities)[:, rel:].sum(axis=1)
    relevant = np.concatenate(reliability.grades) >= rel
    rows = []
    edges = [0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.01]
    for low, high in pairwise(edges):
        here = (probabilities >= low) & (probabilities < high)
        if here.any():
            given, observed = probabilities[here].mean(), relevant[here].mean()
            rows.append([f"{low:g} to {min(high, 1):g}", int(here.sum()), f"{given:.3f}", f"{observed:.3f}"])
    rows.append(["all", len(probabilities), f"{probabilities.mean():.3f}", f"{relevant.mean():.3f}"])
    return markdown_table(["chance", "holes", "mean chance", f"share of grade {rel} or more"], rows)


def error_cells(trial: Trial, name: str = EVIDENCE) -> list[str]:
    """RMSE per topic, bias, RMSE of means."""
    off = errors(trial, name)
    return [f"{rms(off):.4f}", f"{off.mean():+.4f}", f"{rms(run_errors(trial, name)):.4f}"]


def held_at_90(trial: Trial, name: str = EVIDENCE) -> str:
    """Share of topics and of means that 90% intervals hold."""
    key = interval(name, 0.9)
    return f"{100 * covered(trial, key)[0]:.0f}% / {100 * covered_means(trial, key)[0]:.0f}%"


def short_row(name: str, trial: Trial, models: Sequence[str] = (USUAL, EVIDENCE)) -> list[str]:
    """One setting: errors of two models and coverage."""
    out = [name, str(int(trial.holes.sum()))]
    for model in models:
        out += error_cells(trial, model)
    return out + [held_at_90(trial, model) for model in models]


SHORT = ["setting", "pairs", "pool+run: RMSE", "bias", "means", "evidence: RMSE", "bias", "means"]
SHORT += ["pool+run 90% holds (topics / means)", "evidence 90% holds"]
