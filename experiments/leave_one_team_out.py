"""How good is each hole model? Take one team's judgments away, estimate its scores, compare with the truth.

    python experiments/leave_one_team_out.py            # writes experiments/results/leave-one-team-out.md

A team's judgments are those of documents that only its runs have in their top 10: what would have stayed unjudged
had the team not taken part. The truth are the scores under all judgments.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence

import numpy as np
from collections_at_hand import Collection, dl19, markdown_table, trec8
from pages import save_page
from team_tables import (
    by_share_table,
    by_team_table,
    compared,
    interval_table,
    outside_own_interval,
    point_table,
    prior_summary,
    short,
    summary,
)
from team_trials import (
    CHOSEN,
    DEFAULT,
    DEPTH,
    HOLES,
    POINTS,
    Trial,
    best_runs,
    covered,
    covered_means,
    errors,
    methods,
    rankings,
    rms,
    shares_of_removed,
    trials_of,
)

import unjudged as uj


def deep_table(collection: Collection, draws: int) -> str:
    """Measures that read whole runs, scored as they are: most documents are then holes, with all judgments too."""
    measures = ["AP(rel=2)", "RBP(rel=2)"]
    models = ["nonrelevant", "condensed", f"bootstrap(draws={draws})", f"bootstrap(prior=pool,draws={draws})"]
    truth = uj.score(collection.qrels, collection.runs, measures)
    means = np.full((len(models), *truth.means.shape[1:]), np.nan)
    for team in collection.teams:
        scores = uj.score(collection.without(team, DEPTH), collection.runs_of(team), measures, holes=models)
        means[:, :, [truth.runs.index(name) for name in scores.runs]] = scores.means
    rows = []
    for m, measure in enumerate(measures):
        for h, model in enumerate(models):
            off = means[h, m] - truth.means[0, m]
            rows.append([measure, model, f"{truth.means[0, m].mean():.3f}", f"{off.mean():+.3f}", f"{rms(off):.3f}"])
    holes = 1 - float(np.nanmean(truth.judged[0, 0]))
    table = markdown_table(["measure", "model", "mean truth", "bias", "RMSE of means"], rows, left=2)
    return f"{100 * holes:.0f}% of the documents in these runs are unjudged with all judgments.\n\n{table}"


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


PREFACE = """# Leaving one team out

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
    parser.add_argument("--draws", type=int, default=100, help="draws for whole runs (the last table)")
    parser.add_argument("--only-dl19", action="store_true", help="leave TREC-8 out")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore", uj.UnjudgedWarning)
    collections = [(dl19(), "(rel=2)")] + ([] if options.only_dl19 else [(trec8(), "")])
    page = write(collections, options.draws)
    save_page("leave-one-team-out", page, seeds="seed 42")


if __name__ == "__main__":
    main()
