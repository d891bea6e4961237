"""Is `evidence` better than the other hole models, are its intervals right, and where does it fail?

    python experiments/evidence.py            # writes experiments/results/evidence.md

Leaves out one team after the other, as `leave_one_team_out.py` does. Where scikit-learn is installed, the ordinal model
is compared with gradient boosting on the same examples.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

import numpy as np
from collections_at_hand import Collection, dl19, judged_part, markdown_table, trec8
from evidence_features import ablation
from evidence_trials import (
    EVIDENCE,
    FEW_MODELS,
    MODELS,
    ONE_MODEL,
    SEED,
    SHORT,
    TWO_MODELS,
    USUAL,
    Case,
    Reliability,
    error_cells,
    held_at_90,
    interval_table,
    occurrences_in,
    one_team_out,
    point_table,
    reliability_table,
    run_cases,
    short_row,
    without,
)
from numpy.typing import NDArray
from pages import save_page
from team_trials import DEPTH, Trial, errors, rms, run_errors

import unjudged as uj
from unjudged.arrays import Floats, Ints
from unjudged.data.qrels import Qrels, State
from unjudged.data.run import Run
from unjudged.data.run_occurrences import OccurrencesInRuns
from unjudged.data.view import join
from unjudged.holes.evidence_model import model as evidence_module
from unjudged.holes.evidence_model.pool_contributions import Contributions, Described

AP_DRAWS = 200
FEW = 4
"""Other runs from which the model does not learn, to see what would happen if it did."""
DRAWN = 0.0005
"""Two errors that differ less may differ by the draws alone."""
TRADITIONAL = ("BASELINE", "TREMA-UNH", "srchvrs")
"""Teams of DL19 that mostly match terms; the others re-rank with neural models."""


# ---- settings


def boosted(collection: Collection, occurrences: OccurrencesInRuns) -> str:
    """The expected grade from gradient boosting instead of the ordinal model, where scikit-learn is there."""
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
    except ImportError:
        return "scikit-learn was not installed, so gradient boosting was not tried."

    original = evidence_module._fit

    @dataclass(frozen=True, eq=False)
    class Boosted(evidence_module.FittedModel):
        classifier: HistGradientBoostingClassifier

        def predicted(self, features: Floats) -> evidence_module.Predicted:
            """Its probabilities, without random effects."""
            probabilities = np.zeros((len(features), self.levels))
            probabilities[:, self.classifier.classes_] = self.classifier.predict_proba(features)
            nothing = np.zeros((3, len(features)))
            return evidence_module.Predicted(probabilities, probabilities, nothing, nothing)

    def learn(contributions: Contributions, examples: Described, counts: Ints) -> evidence_module.FittedModel:
        model = HistGradientBoostingClassifier(
            max_iter=60, learning_rate=0.08, max_leaf_nodes=8, min_samples_leaf=20, random_state=0
        ).fit(examples.features, contributions.levels[examples.pairs])
        fitted = original(contributions, examples, counts)
        return Boosted(**{one.name: getattr(fitted, one.name) for one in fields(fitted)}, classifier=model)

    rows = []
    for name, chosen in (("ordinal logistic", original), ("gradient boosting", learn)):
        evidence_module._fit = chosen
        begin = time.process_time()
        (trial,) = run_cases(collection, one_team_out(collection, occurrences), ["nDCG@10"], ONE_MODEL)
        seconds = time.process_time() - begin
        evidence_module._fit = original
        rows.append([name, *error_cells(trial), f"{seconds:.0f}"])
    return markdown_table(["model", "RMSE per topic", "bias", "RMSE of means", "CPU seconds"], rows)


def other_conventions(
    collection: Collection,
    occurrences: OccurrencesInRuns,
    measures: Sequence[str],
    judged: Collection,
    average_precision: str,
) -> str:
    """With an ideal ranking that is fixed, as in paper 1, and with percentiles."""
    fixed = {
        "follows, nearest": MODELS[EVIDENCE],
        "follows, percentiles": f"bootstrap(prior=evidence,depth={DEPTH},ends=percentiles)",
        "fixed, nearest": f"bootstrap(prior=evidence,depth={DEPTH},ideal=fixed)",
        "fixed, percentiles": f"bootstrap(prior=evidence,depth={DEPTH},ideal=fixed,ends=percentiles)",
    }
    trials = run_cases(collection, one_team_out(collection, occurrences), measures, fixed)
    trials += judged_parts(collection, occurrences, judged, average_precision, fixed)
    rows = [
        [trial.measure, words, *error_cells(trial, words), held_at_90(trial, words)]
        for trial in trials
        for words in fixed
    ]
    head = ["measure", "ideal, ends", "RMSE per topic", "bias", "RMSE of means", "90% holds (topics / means)"]
    return markdown_table(head, rows, left=2)


def judged_parts(
    collection: Collection, occurrences: OccurrencesInRuns, judged: Collection, measure: str, models: dict[str, str]
) -> list[Trial]:
    """AP, for which the truth is known only of the judged part of runs."""
    cases = one_team_out(collection, occurrences, judged.runs_of)
    return run_cases(collection, cases, [measure], models, truth_runs=judged.runs, draws=AP_DRAWS)


def pooled_only(collection: Collection, measures: Sequence[str], average_precision: str) -> str:
    """With the runs that were pooled alone: no document that another run found is missing from the truth."""
    runs = tuple(run for run in collection.runs if is_judged(run, collection.qrels))
    part = Collection(collection.name, collection.qrels, runs, collection.team_of)
    occurrences = occurrences_in(part)
    trials = run_cases(part, one_team_out(part, occurrences), measures, ONE_MODEL)
    parts = tuple(judged_part(run, collection.qrels) for run in runs)
    judged = Collection(collection.name, collection.qrels, parts, collection.team_of)
    trials += judged_parts(part, occurrences, judged, average_precision, ONE_MODEL)
    rows = [[trial.measure, int(trial.holes.sum()), *error_cells(trial), held_at_90(trial)] for trial in trials]
    head = ["measure", "pairs", "RMSE per topic", "bias", "RMSE of means", "90% holds (topics / means)"]
    words = POOLED_ONLY.format(pooled=len(runs), every=len(collection.runs))
    return f"{words}\n\n{markdown_table(head, rows)}"


def is_judged(run: Run, qrels: Qrels) -> bool:
    """Whether its top 10 is judged, apart from a few topics."""
    view = join(run, qrels, depth=DEPTH)
    return float(np.mean(view.count(view.judged) == np.minimum(view.lengths, DEPTH))) >= 0.95


def fewer_runs(collection: Collection, every: Trial) -> tuple[str, list[tuple[str, Trial]]]:
    """Only some of the other runs are at hand; the pool is as before. *every* is the trial with all of them."""
    rng = np.random.default_rng(SEED)
    trials = []
    for number in (2, 4, 8, 16):
        order = rng.permutation(len(collection.runs))

        def cases(number: int = number, order: NDArray[np.int64] = order) -> Iterator[Case]:
            for team in collection.teams:
                others = [r for r in order if collection.team_of[collection.runs[r].name] != team][:number]
                given = [*collection.runs_of(team), *(collection.runs[r] for r in others)]
                occurrences = occurrences_in(collection, given)
                yield Case(team, without(collection, team), occurrences, collection.runs_of(team))

        (trial,) = run_cases(collection, cases(), ["nDCG@10"], TWO_MODELS)
        trials.append((f"{number} other runs", trial))
        if number == FEW:
            limit, evidence_module.LEAST_GROUPS = evidence_module.LEAST_GROUPS, 3
            (trial,) = run_cases(collection, cases(), ["nDCG@10"], TWO_MODELS)
            evidence_module.LEAST_GROUPS = limit
            trials.append((f"{number} other runs, learning from 3 groups on (not what the model does)", trial))
    return markdown_table(SHORT, [short_row(words, trial) for words, trial in [*trials, ("all", every)]]), trials


def shallower_runs(collection: Collection, every: Trial) -> tuple[str, list[tuple[str, Trial]]]:
    """Runs of which only the first documents are at hand. *every* is the trial with whole runs."""
    trials = []
    for depth in (10, 20, 50, 100):
        occurrences = occurrences_in(collection, [run.top(depth) for run in collection.runs])
        (trial,) = run_cases(collection, one_team_out(collection, occurrences), ["nDCG@10"], TWO_MODELS)
        trials.append((f"first {depth:,} documents of each run", trial))
    return markdown_table(SHORT, [short_row(words, trial) for words, trial in [*trials, ("whole runs", every)]]), trials


def other_kind(collection: Collection, occurrences: OccurrencesInRuns) -> tuple[str, list[tuple[str, Trial]]]:
    """Neural runs against a pool of traditional ones, and the other way round."""
    trials = []
    joined = collection._joined
    for words, in_pool in (("neural runs, traditional pool", True), ("traditional runs, neural pool", False)):
        members = [r for r, run in enumerate(joined.runs) if (collection.team_of[run] in TRADITIONAL) == in_pool]
        left = collection.qrels.left((collection.qrels.states == State.JUDGED) & joined.reached(members, DEPTH))
        newcomers = [run for run in collection.runs if (collection.team_of[run.name] in TRADITIONAL) != in_pool]
        (trial,) = run_cases(collection, iter([Case(words, left, occurrences, newcomers)]), ["nDCG@10"], FEW_MODELS)
        trials.append((words, trial))
    return markdown_table(SHORT, [short_row(words, trial) for words, trial in trials]), trials


# ---- the page

PREFACE = """# Evidence from other runs: `evidence`

One team is left out after the other: documents that only its runs have in their top 10 lose their judgments. Its runs
are then scored with what is left and compared with their scores under all judgments. The model sees the other teams'
judgments and all runs, and nothing that only the left-out team brought. Counted are run-topic pairs that get holes this
way and have none with all judgments; for means over topics, the truth stands in on other topics. AP is over the judged
part of the runs (see leave-one-team-out.md). Grades 2 and 3 count as relevant on DL19 for P, RBP and AP. Bootstraps
have 1,000 draws (AP: 200), the value is their mean, and the seed is 42. Pool depth 10 is given.

Intervals are those that each model gives: percentiles for pool+run, and for evidence what is nearest to the promised
share. **own draws** is the share of a model's own draws that its interval holds. Scores with few holes have few
possible values, and percentiles of them hold more than they promise: compare what is held with that share.
"""


def summary(trials: list[tuple[str, Trial]]) -> str:
    """All settings where evidence has a higher RMSE than pool+run, by more than draws explain."""
    lost = []
    for words, trial in trials:
        for what, value in (("per topic", errors), ("of means", run_errors)):
            ours, usual = (rms(value(trial, name)) for name in (EVIDENCE, USUAL))
            if ours > usual + DRAWN:
                lost.append(f"* {words}, {trial.measure}: RMSE {what} {ours:.4f}, pool+run {usual:.4f}")
    total = 2 * len(trials)
    return f"{len(lost)} of {total} comparisons.\n\n" + ("\n".join(lost) if lost else "None.")


def by_team(trials: list[tuple[str, Trial]]) -> str:
    """Teams for whose runs pool+run is nearer to the truth, nDCG@10."""
    rows = []
    for words, trial in trials:
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
        occurrences = occurrences_in(collection)
        measures = ["nDCG@10", f"P{binary}@10", f"RBP{binary}@10"]
        reliability = Reliability([], [])
        trials = run_cases(collection, one_team_out(collection, occurrences), measures, MODELS, reliability=reliability)
        parts = tuple(judged_part(run, collection.qrels) for run in collection.runs)
        judged = Collection(collection.name, collection.qrels, parts, collection.team_of)
        trials += judged_parts(collection, occurrences, judged, f"AP{binary}", MODELS)
        everything += [(collection.name, trial) for trial in trials]
        for trial in trials:
            text += [f"## {collection.name}, {trial.measure}", point_table(trial, MODELS), interval_table(trial)]
        rel = 2 if collection.qrels.max_grade > 1 else 1
        text += [f"## {collection.name}: are the grade probabilities right?", reliability_table(reliability, 1)]
        if rel > 1:
            text.append(reliability_table(reliability, rel))
        say(f"{collection.name}: tables")
        text += [f"## {collection.name}: features, nDCG@10", ablation(collection, occurrences)]
        text += [f"## {collection.name}: which model? nDCG@10", boosted(collection, occurrences)]
        table = other_conventions(collection, occurrences, measures, judged, f"AP{binary}")
        text += [f"## {collection.name}: the ideal ranking, and the ends of intervals", table]
        text += [f"## {collection.name}: {POOLED_TITLE}", pooled_only(collection, measures, f"AP{binary}")]
        say(f"{collection.name}: features and models")
        for title, (table, more_trials) in (
            ("fewer runs at hand", fewer_runs(collection, trials[0])),
            ("shallower runs at hand", shallower_runs(collection, trials[0])),
        ):
            text += [f"## {collection.name}: {title}, nDCG@10", table]
            everything += [(f"{collection.name}, {words}", trial) for words, trial in more_trials]
            say(f"{collection.name}: {title}")
        if collection.name == "DL19":
            table, more_trials = other_kind(collection, occurrences)
            text += [f"## {collection.name}: another kind of system, nDCG@10", OTHER_KIND, table]
            everything += [(f"{collection.name}, {words}", trial) for words, trial in more_trials]
    text += ["## Where it loses to pool+run", summary(everything), "By team, RMSE per topic:", by_team(everything)]
    return "\n\n".join(text)


POOLED_TITLE = "runs that were pooled"
POOLED_ONLY = (
    "{pooled} of {every} runs have their top 10 judged (on 95% of their topics). What the others found is a hole also"
    " under all judgments: evidence expects some of it to be relevant, and counts that in R and the ideal ranking,"
    " while the truth above does not. Here only runs that were pooled take part, so that the truth has judgments for"
    " all of it."
)
OTHER_KIND = (
    "Only the top 10 of one kind's runs is judged, and all runs of the other kind are newcomers at once. By team:"
    f" {', '.join(TRADITIONAL)} count as traditional (one run of srchvrs re-ranks with a neural model), all others as"
    " neural. The newcomers are evidence about each other's documents."
)


def say(words: str) -> None:
    """How far it is."""
    sys.stderr.write(f"{time.strftime('%H:%M:%S')} {words}\n")


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only-dl19", action="store_true", help="leave TREC-8 out")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore", uj.UnjudgedWarning)
    collections = [(dl19(), "(rel=2)")] + ([] if options.only_dl19 else [(trec8(), "")])
    page = write(collections)
    save_page("evidence", page, seeds=f"seed {SEED}")


if __name__ == "__main__":
    main()
