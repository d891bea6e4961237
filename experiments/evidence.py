"""Is `bootstrap(prior=evidence)` better than the other hole models, are its intervals right, and where does it fail?

    python experiments/evidence.py            # writes experiments/results/evidence.md

Leaves out one team after the other, as `leave_one_team_out.py` does. Where scikit-learn is installed, the ordinal model
is compared with gradient boosting on the same examples.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from collections_at_hand import RESULTS, Collection, dl19, judged_part, markdown_table, trec8
from leave_one_team_out import (
    DEPTH,
    TOLERANCE,
    Floats,
    Trial,
    covered,
    covered_means,
    errors,
    mark,
    rankings,
    rms,
    run_errors,
)
from numpy.typing import NDArray

import unjudged as uj
from unjudged.api import expand_runs, read_holes, read_measures
from unjudged.data.qrels import Qrels, State
from unjudged.data.run import Run
from unjudged.data.view import join
from unjudged.engine.hearing import Groups, add_testimony
from unjudged.engine.scoring import deepest_rank
from unjudged.holes import Bootstrap, HoleModel, Settings, bootstrap
from unjudged.holes import evidence as evidence_module
from unjudged.holes.base import Belief
from unjudged.holes.contributions import FEATURES, Contributions, Described
from unjudged.holes.evidence import Verdicts
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
LEVELS = (0.5, 0.8, 0.9, 0.95)
AP_DRAWS = 200
SEED = 42
FEW = 4
"""Other runs from which the model does not learn, to see what would happen if it did."""
DRAWN = 0.0005
"""Two errors that differ less may differ by the draws alone."""
TRADITIONAL = ("BASELINE", "TREMA-UNH", "srchvrs")
"""Teams of DL19 that mostly match terms; the others re-rank with neural models."""


@dataclass
class Reliability:
    """Chances that were given to holes, and the grades that they have."""

    chances: list[Floats]
    grades: list[NDArray[np.int32]]


# ---- leaving out


def heard(collection: Collection, runs: Sequence[Run] | None = None) -> Qrels:
    """The judgments with the testimony of runs, all of them unless given."""
    sources = expand_runs(list(collection.runs if runs is None else runs))
    groups = Groups(collection.team_of)
    return add_testimony(collection.qrels, sources, read_holes(MODELS[EVIDENCE]), groups, depth=DEPTH)[0]


def without(collection: Collection, qrels: Qrels, team: str) -> Qrels:
    """These judgments, without those that only the team has in its top 10."""
    kept = collection.without(team, DEPTH).states == State.JUDGED
    return qrels.left(kept & (qrels.states == State.JUDGED))


@dataclass(frozen=True)
class Case:
    """Judgments with something taken away, and the runs to be scored with what is left."""

    name: str
    qrels: Qrels
    runs: list[Run]


def one_team_out(collection: Collection, told: Qrels, runs: Callable[[str], list[Run]] | None = None) -> Iterator[Case]:
    """Every team in turn."""
    for team in collection.teams:
        yield Case(team, without(collection, told, team), (runs or collection.runs_of)(team))


def run_cases(
    collection: Collection,
    cases: Iterator[Case],
    measures: Sequence[str],
    models: dict[str, str],
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
        beliefs = {name: model.prepare(case.qrels) for name, model in specs.items()}
        for run in case.runs:
            at = names.index(run.name)
            for m, (trial, measure) in enumerate(zip(trials, chosen, strict=True)):
                fill(trial, at, known[m, at], run, case.qrels, measure, specs, beliefs)
        for trial in trials:
            trial.reduced[case.name] = trial.truth.mean(axis=1)  # others keep their scores, so nobody asks
        if reliability is not None and isinstance(beliefs[EVIDENCE], bootstrap.InformedBootstrap):
            remember(reliability, collection.qrels, case, beliefs[EVIDENCE].evidence)
    return trials


def fill(
    trial: Trial,
    at: int,
    known: NDArray[np.bool_],
    run: Run,
    qrels: Qrels,
    measure: Measure,
    specs: dict[str, HoleModel],
    beliefs: dict[str, Belief],
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
            ends = ((1 - level) / 2, (1 + level) / 2)
            low, high = np.quantile(drawn, ends, axis=1, method="inverted_cdf")
            mean_low, mean_high = np.quantile(drawn.mean(axis=0), ends)
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


def remember(reliability: Reliability, truth: Qrels, case: Case, verdicts: object) -> None:
    """Keep chances and grades of the holes of one case, each hole once."""
    assert isinstance(verdicts, Verdicts)
    seen: set[int] = set()
    for run in case.runs:
        view = join(run, case.qrels, depth=DEPTH)
        rows = np.flatnonzero(~view.judged)
        verdict = verdicts.about(view, rows)
        found = truth.pairs.find(view.topics[view.ranking[rows]], view.doc_ids().take(rows))
        new = []
        for row, known in zip(found.tolist(), verdict.known.tolist(), strict=True):
            new.append(known and row >= 0 and truth.states[row] == State.JUDGED and row not in seen)
            seen.add(row)
        keep = np.array(new, dtype=bool)
        reliability.chances.append(verdict.chances[keep])
        reliability.grades.append(truth.grades[found[keep]])


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


def interval_table(trial: Trial) -> str:
    """How often intervals hold the truth, how wide they are, and what they should hold by their own draws."""
    head = ["prior", "promised", "topics: held", "own draws", "width", "means: held", "width of means"]
    rows = []
    for name in (USUAL, EVIDENCE):
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
    chances = np.concatenate(reliability.chances)[:, rel:].sum(axis=1)
    relevant = np.concatenate(reliability.grades) >= rel
    rows = []
    edges = [0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.01]
    for low, high in pairwise(edges):
        here = (chances >= low) & (chances < high)
        if here.any():
            given, observed = chances[here].mean(), relevant[here].mean()
            rows.append([f"{low:g} to {min(high, 1):g}", int(here.sum()), f"{given:.3f}", f"{observed:.3f}"])
    rows.append(["all", len(chances), f"{chances.mean():.3f}", f"{relevant.mean():.3f}"])
    return markdown_table(["chance", "holes", "mean chance", f"share of grade {rel} or more"], rows)


def short_row(name: str, trial: Trial, models: Sequence[str] = (USUAL, EVIDENCE)) -> list[str]:
    """One setting: errors of two models and coverage."""
    out = [name, str(int(trial.holes.sum()))]
    for model in models:
        off, of_means = errors(trial, model), run_errors(trial, model)
        out += [f"{rms(off):.4f}", f"{off.mean():+.4f}", f"{rms(of_means):.4f}"]
    for model in models:
        key = interval(model, 0.9)
        out.append(f"{100 * covered(trial, key)[0]:.0f}% / {100 * covered_means(trial, key)[0]:.0f}%")
    return out


SHORT = ["setting", "pairs", "pool+run: RMSE", "bias", "means", "evidence: RMSE", "bias", "means"]
SHORT += ["pool+run 90% holds (topics / means)", "evidence 90% holds"]


# ---- settings


@contextlib.contextmanager
def described_by(change: Callable[[Described], Described]) -> Iterator[None]:
    """With other features: what *change* makes of them."""
    original = Contributions.around

    def around(self: Contributions, group: int) -> tuple[Described, Described]:
        holes, examples = original(self, group)
        return change(holes), change(examples)

    Contributions.around = around  # type: ignore[method-assign]
    try:
        yield
    finally:
        Contributions.around = original  # type: ignore[method-assign]


def without_features(names: Sequence[str]) -> Callable[[Described], Described]:
    """Features that say the same about every document."""
    columns = [FEATURES.index(name) for name in names]

    def change(one: Described) -> Described:
        features = one.features.copy()
        features[:, columns] = 0.0
        return replace(one, features=features)

    return change


def ablation(collection: Collection, told: Qrels) -> str:
    """nDCG@10 without each of the features, and with some alone."""
    settings = {"all features": (), **{f"without *{name}*": (name,) for name in FEATURES}}
    settings["without the runs' own quality (*run on topic*, *run*, *judged*)"] = ("run on topic", "run", "judged")
    settings["*support* and *rank* only"] = ("run on topic", "run", "judged", "pool")
    settings["no feature: the rate of unique contributions"] = FEATURES
    rows = []
    for words, names in settings.items():
        with described_by(without_features(names)):
            (trial,) = run_cases(collection, one_team_out(collection, told), ["nDCG@10"], {EVIDENCE: MODELS[EVIDENCE]})
        off = errors(trial, EVIDENCE)
        key = interval(EVIDENCE, 0.9)
        cells = [f"{rms(off):.4f}", f"{off.mean():+.4f}", f"{rms(run_errors(trial, EVIDENCE)):.4f}"]
        rows.append([words, *cells, f"{100 * covered(trial, key)[0]:.0f}% / {100 * covered_means(trial, key)[0]:.0f}%"])
    return markdown_table(["features", "RMSE per topic", "bias", "RMSE of means", "90% holds (topics / means)"], rows)


def boosted(collection: Collection, told: Qrels) -> str:
    """The expected grade from gradient boosting instead of the ordinal model, where scikit-learn is there."""
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
    except ImportError:
        return "scikit-learn was not installed, so gradient boosting was not tried."

    original = evidence_module._learn

    def learn(
        qrels: Qrels, holes: Described, examples: Described, counts: NDArray[np.int64]
    ) -> evidence_module.Opinion:
        opinion = original(qrels, holes, examples, counts)
        if opinion.model is None:
            return opinion
        model = HistGradientBoostingClassifier(
            max_iter=60, learning_rate=0.08, max_leaf_nodes=8, min_samples_leaf=20, random_state=0
        ).fit(examples.features, qrels.grades[examples.pairs])
        chances = np.zeros_like(opinion.chances)
        chances[:, model.classes_] = model.predict_proba(holes.features)
        return replace(opinion, chances=chances, centred=chances, spread=replace(opinion.spread, group=0.0, cell=0.0))

    rows = []
    for name, chosen in (("ordinal logistic", original), ("gradient boosting", learn)):
        evidence_module._learn = chosen
        begin = time.process_time()
        (trial,) = run_cases(collection, one_team_out(collection, told), ["nDCG@10"], {EVIDENCE: MODELS[EVIDENCE]})
        seconds = time.process_time() - begin
        evidence_module._learn = original
        off = errors(trial, EVIDENCE)
        cells = [f"{rms(off):.4f}", f"{off.mean():+.4f}", f"{rms(run_errors(trial, EVIDENCE)):.4f}", f"{seconds:.0f}"]
        rows.append([name, *cells])
    return markdown_table(["model", "RMSE per topic", "bias", "RMSE of means", "CPU seconds"], rows)


def spent(collection: Collection, told: Qrels) -> str:
    """With the pool's number of judgments per grade kept, as in paper 1, and without."""
    rows = []
    measures = ["nDCG@10", "P(rel=2)@10" if collection.qrels.max_grade > 1 else "P@10"]
    for words in ("kept", "not kept"):
        original = bootstrap.spend
        if words == "not kept":
            bootstrap.spend = lambda targets, left: targets
        trials = run_cases(collection, one_team_out(collection, told), measures, {EVIDENCE: MODELS[EVIDENCE]})
        bootstrap.spend = original
        for trial in trials:
            off = errors(trial, EVIDENCE)
            cells = [f"{rms(off):.4f}", f"{off.mean():+.4f}", f"{rms(run_errors(trial, EVIDENCE)):.4f}"]
            rows.append([f"{collection.name}, {trial.measure}, {words}", *cells])
    return markdown_table(["numbers per grade", "RMSE per topic", "bias", "RMSE of means"], rows)


def fewer_runs(collection: Collection, every: Trial) -> tuple[str, list[tuple[str, Trial]]]:
    """Only some of the other runs are at hand; the pool is as before. *every* is the trial with all of them."""
    rng = np.random.default_rng(SEED)
    found = []
    for number in (2, 4, 8, 16):
        order = rng.permutation(len(collection.runs))

        def cases(number: int = number, order: NDArray[np.int64] = order) -> Iterator[Case]:
            for team in collection.teams:
                others = [r for r in order if collection.team_of[collection.runs[r].name] != team][:number]
                given = [*collection.runs_of(team), *(collection.runs[r] for r in others)]
                yield Case(team, without(collection, heard(collection, given), team), collection.runs_of(team))

        models = {USUAL: MODELS[USUAL], EVIDENCE: MODELS[EVIDENCE]}
        (trial,) = run_cases(collection, cases(), ["nDCG@10"], models)
        found.append((f"{number} other runs", trial))
        if number == FEW:
            limit, evidence_module.LEAST_GROUPS = evidence_module.LEAST_GROUPS, 3
            (trial,) = run_cases(collection, cases(), ["nDCG@10"], models)
            evidence_module.LEAST_GROUPS = limit
            found.append((f"{number} other runs, learning from 3 groups on (not what the model does)", trial))
    return markdown_table(SHORT, [short_row(words, trial) for words, trial in [*found, ("all", every)]]), found


def shallower_runs(collection: Collection, every: Trial) -> tuple[str, list[tuple[str, Trial]]]:
    """Runs of which only the first documents are at hand. *every* is the trial with whole runs."""
    found = []
    for depth in (10, 20, 50, 100):
        told = heard(collection, [run.top(depth) for run in collection.runs])
        models = {USUAL: MODELS[USUAL], EVIDENCE: MODELS[EVIDENCE]}
        (trial,) = run_cases(collection, one_team_out(collection, told), ["nDCG@10"], models)
        found.append((f"first {depth:,} documents of each run", trial))
    return markdown_table(SHORT, [short_row(words, trial) for words, trial in [*found, ("whole runs", every)]]), found


def other_kind(collection: Collection, told: Qrels) -> tuple[str, list[tuple[str, Trial]]]:
    """Neural runs against a pool of traditional ones, and the other way round."""
    found = []
    joined = collection._joined
    for words, in_pool in (("neural runs, traditional pool", True), ("traditional runs, neural pool", False)):
        members = [r for r, run in enumerate(joined.runs) if (collection.team_of[run] in TRADITIONAL) == in_pool]
        left = told.left((told.states == State.JUDGED) & joined.reached(members, DEPTH))
        newcomers = [run for run in collection.runs if (collection.team_of[run.name] in TRADITIONAL) != in_pool]
        (trial,) = run_cases(collection, iter([Case(words, left, newcomers)]), ["nDCG@10"], FEW_MODELS)
        found.append((words, trial))
    return markdown_table(SHORT, [short_row(words, trial) for words, trial in found]), found


# ---- the page

PREFACE = """# Letting the other runs testify: `bootstrap(prior=evidence)`

Made by `experiments/evidence.py`; do not edit.

One team is left out after the other: documents that only its runs have in their top 10 lose their judgments. Its runs
are then scored with what is left and compared with their scores under all judgments. The model sees the other teams'
judgments and all runs, and nothing that only the left-out team brought. Counted are run-topic pairs that get holes this
way and have none with all judgments; for means over topics, the truth stands in on other topics. AP is over the judged
part of the runs (see leave-one-team-out.md). Grades 2 and 3 count as relevant on DL19 for P, RBP and AP. Bootstraps
have 1,000 draws (AP: 200), the value is their mean, and the seed is 42. Pool depth 10 is given.

**own draws** is the share of a model's own draws that its interval holds. Scores with few holes have few possible
values, and an interval between two of them holds more than it promises: compare what is held with that share.
"""


def summary(found: list[tuple[str, Trial]]) -> str:
    """All settings where evidence has a higher RMSE than pool+run, by more than draws explain."""
    lost = []
    for words, trial in found:
        for what, value in (("per topic", errors), ("of means", run_errors)):
            ours, usual = (rms(value(trial, name)) for name in (EVIDENCE, USUAL))
            if ours > usual + DRAWN:
                lost.append(f"* {words}, {trial.measure}: RMSE {what} {ours:.4f}, pool+run {usual:.4f}")
    total = 2 * len(found)
    return f"{len(lost)} of {total} comparisons.\n\n" + ("\n".join(lost) if lost else "None.")


def by_team(found: list[tuple[str, Trial]]) -> str:
    """Teams for whose runs pool+run is nearer to the truth, nDCG@10."""
    rows = []
    for words, trial in found:
        if trial.measure != "nDCG@10":
            continue
        lost = []
        for team in trial.teams():
            mine = trial.of(team)[:, None] & trial.holes
            ours, usual = (rms((trial.points[name] - trial.truth)[mine]) for name in (EVIDENCE, USUAL))
            if ours > usual + DRAWN:
                lost.append((ours - usual, f"{team} {ours:.3f} ({usual:.3f})"))
        worst = ", ".join(text for _, text in sorted(lost, reverse=True)[:3])
        rows.append([words, f"{len(lost)} of {len(trial.teams())}", worst or "-"])
    return markdown_table(["setting", "teams", "the three that lose most: evidence (pool+run)"], rows, left=3)


def write(collections: list[tuple[Collection, str]]) -> str:
    """The page."""
    text, everything = [PREFACE], []
    for collection, binary in collections:
        told = heard(collection)
        measures = ["nDCG@10", f"P{binary}@10", f"RBP{binary}@10"]
        reliability = Reliability([], [])
        trials = run_cases(collection, one_team_out(collection, told), measures, MODELS, reliability=reliability)
        parts = tuple(judged_part(run, collection.qrels) for run in collection.runs)
        judged = Collection(collection.name, collection.qrels, parts, collection.team_of)
        cases = one_team_out(collection, told, judged.runs_of)
        trials += run_cases(collection, cases, [f"AP{binary}"], MODELS, truth_runs=parts, draws=AP_DRAWS)
        everything += [(collection.name, trial) for trial in trials]
        for trial in trials:
            text += [f"## {collection.name}, {trial.measure}", point_table(trial, MODELS), interval_table(trial)]
        rel = 2 if collection.qrels.max_grade > 1 else 1
        text += [f"## {collection.name}: are the chances right?", reliability_table(reliability, 1)]
        if rel > 1:
            text.append(reliability_table(reliability, rel))
        say(f"{collection.name}: tables")
        text += [f"## {collection.name}: features, nDCG@10", ablation(collection, told)]
        text += [f"## {collection.name}: which model? nDCG@10", boosted(collection, told)]
        text += [f"## {collection.name}: the pool's numbers per grade", spent(collection, told)]
        say(f"{collection.name}: features and models")
        for title, (table, found) in (
            ("fewer runs at hand", fewer_runs(collection, trials[0])),
            ("shallower runs at hand", shallower_runs(collection, trials[0])),
        ):
            text += [f"## {collection.name}: {title}, nDCG@10", table]
            everything += [(f"{collection.name}, {words}", trial) for words, trial in found]
            say(f"{collection.name}: {title}")
        if collection.name == "DL19":
            table, found = other_kind(collection, told)
            text += [f"## {collection.name}: another kind of system, nDCG@10", OTHER_KIND, table]
            everything += [(f"{collection.name}, {words}", trial) for words, trial in found]
    text += ["## Where it loses to pool+run", summary(everything), "By team, RMSE per topic:", by_team(everything)]
    return "\n\n".join(text)


OTHER_KIND = (
    "Only the top 10 of one kind's runs is judged, and all runs of the other kind are newcomers at once. By team:"
    f" {', '.join(TRADITIONAL)} count as traditional (one run of srchvrs re-ranks with a neural model), all others as"
    " neural. The newcomers testify about each other's documents."
)


def say(words: str) -> None:
    """How far it is."""
    sys.stderr.write(f"{time.strftime('%H:%M:%S')} {words}\n")


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=RESULTS / "evidence.md")
    parser.add_argument("--only-dl19", action="store_true", help="leave TREC-8 out")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore", uj.UnjudgedWarning)
    collections = [(dl19(), "(rel=2)")] + ([] if options.only_dl19 else [(trec8(), "")])
    page = write(collections)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(page + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
