"""How well do labels of language models agree with assessors, and what do they do to scores? DL19.

    python experiments/machine_labels.py            # writes experiments/results/machine-labels.md

The tables of docs/machine-labels.md.
"""

from __future__ import annotations

import warnings

import numpy as np
from collections_at_hand import SHARED, dl19, markdown_table, need
from evidence_trials import occurrences_in, one_team_out, run_cases
from pages import save_page
from team_trials import DEPTH, errors, rms, run_errors

import unjudged as uj
from unjudged.holes import Bootstrap, Evidence, Labels
from unjudged.results.judges import ConfusionRow

FILES = {"UMBRELA": "umbrella_gpt-4_zeroshot_dl19.txt.gz", "Sun": "TREMA_Sun.qrel.gz"}
RELEVANT = 2
"""From this grade on, passages are relevant to the track."""
REPEAT = 10
SEED = 42

PAGE = """# Labels of language models, and what they do to scores: DL19

## The same passages, judged and labelled

{agreement}

## Scores

nDCG@10 of the 37 submitted runs, each compared with its score under all judgments; documents that nobody ever judged
are taken out of the runs. *new team*: the documents that only the run's team has in its top 10 lose their judgment;
absolute errors of the {runs} runs that lost one. *70% removed*: at random, {repeat} times; the absolute error of the
mean estimate, over all runs, and the mean of Kendall's tau-b.

{scores}

## With what other runs say

The same teams left out, but with the labels as part of `evidence`: *topics* is the RMSE of single topics with a hole
({topics:,} of them), *means* that of the run means. Labels alone: `labels` takes them as grades (Sun's yes as 2), the
prior draws from what they turned out to mean.

{together}
"""


def sides(grades: uj.Qrels, relevant: int) -> dict[str, dict[str, int]]:
    """1 for grades of at least *relevant*, 0 for the others."""
    by_topic = {topic: grades.judgments(topic) for topic in grades.topics}
    return {topic: {doc: int(grade >= relevant) for doc, grade in docs.items()} for topic, docs in by_topic.items()}


def agreement(judgments: uj.Qrels, labels: dict[str, uj.Qrels]) -> str:
    """Of the passages with each label, how many have each grade; and how often both say the same."""
    graded = uj.judges(judgments, None, labels)
    binary = {name: one.scale.top == 1 for name, one in labels.items()}
    halves = {name: sides(one, 1 if binary[name] else RELEVANT) for name, one in labels.items()}
    of_sides = uj.judges(sides(judgments, RELEVANT), None, halves)
    parts = []
    for name in labels:
        row, side = graded.judge(name), of_sides.judge(name)
        text = f"{name}: {row.pairs:,} passages. "
        if not binary[name]:
            text += f"The same grade: {row.exact:.0%} (kappa {row.kappa:.2f}). "
        text += f'The same side of "grade 2 or more": {side.exact:.0%} (kappa {side.kappa:.2f}).'
        shares: dict[int, dict[int, ConfusionRow]] = {}
        for one in graded.table("confusion"):
            if one.judge == name:
                shares.setdefault(int(one.label), {})[int(one.grade)] = one
        grades = sorted({grade for row in shares.values() for grade in row})
        rows = [
            [label, f"{sum(one.pairs for one in row.values()):,}", *(f"{row[g].share:.0%}" for g in grades)]
            for label, row in sorted(shares.items())
        ]
        parts += [text, markdown_table(["label", "passages", *(f"grade {g}" for g in grades)], rows)]
    return "\n\n".join(parts)


def scores(judgments: uj.Qrels, labels: dict[str, uj.Qrels]) -> tuple[str, int]:
    """Errors under each hole model, and how many runs lose a judgment with their team."""
    shown = {
        "nonrelevant": "nonrelevant",
        "condensed": "condensed",
        "bootstrap": "bootstrap",
        "labels(UMBRELA)": Labels(file=labels["UMBRELA"]),
        "bootstrap(prior=labels,labels=UMBRELA)": Bootstrap(prior="labels", labels=labels["UMBRELA"]),
        "labels(Sun,grades={1: 2})": Labels(file=labels["Sun"], grades={1: 2}),
        "bootstrap(prior=labels,labels=Sun)": Bootstrap(prior="labels", labels=labels["Sun"]),
    }
    collection = dl19()
    rows, runs = [], 0
    for name, model in shown.items():
        result = uj.reuse(
            judgments,
            collection.runs,
            "nDCG@10",
            groups=collection.team_of,
            degrade=["LeaveOutGroup(10)", "KeepFraction(30%)"],
            holes=model,
            repeat=REPEAT,
            seed=SEED,
            jobs=1,
        )
        errors = [abs(row.estimate - row.true_score) for row in result.leaveout() if row.lost]
        few = [row for row in result.tables.runs if not row.left_out]
        off = float(np.mean([abs(row.estimate - row.true_score) for row in few]))
        tau = next(row.tau_b for row in result.correlations() if row.degradation.startswith("KeepFraction"))
        rows.append([f"`{name}`", *(f"{x:.3f}".removeprefix("0") for x in (np.mean(errors), max(errors), off))])
        rows[-1].append(f"{tau:.2f}".removeprefix("0"))
        runs = len(errors)
        print(name, flush=True)
    head = ["model", "new team: mean", "largest", "70% removed: mean", "tau"]
    return markdown_table(head, rows), runs


def together(labels: dict[str, uj.Qrels]) -> tuple[str, int]:
    """Evidence with and without labels, and labels alone: a row for each model, and how many topics have holes."""
    both = tuple(labels.values())
    models = {"nonrelevant": "nonrelevant", "evidence": f"evidence(depth={DEPTH})"}
    for name, one in labels.items():
        models |= {
            f"labels({name})": Labels(file=one, grades={1: 2} if one.scale.top == 1 else None),
            f"bootstrap(prior=labels,labels={name})": Bootstrap(prior="labels", labels=one),
            f"evidence(labels={name})": Evidence(labels=one, depth=DEPTH),
        }
    models[f"evidence(labels=[{','.join(labels)}])"] = Evidence(labels=both, depth=DEPTH)
    collection = dl19()
    measures = ["nDCG@10", f"P(rel={RELEVANT})@10"]
    trials = run_cases(collection, one_team_out(collection, occurrences_in(collection)), measures, models)
    rows = [
        [
            f"`{name}`",
            *(f"{rms(of(trial, name)):.4f}".removeprefix("0") for trial in trials for of in (errors, run_errors)),
        ]
        for name in models
    ]
    head = ["model", *(f"{measure}, {of}" for measure in measures for of in ("topics", "means"))]
    return markdown_table(head, rows), len(errors(trials[0], "evidence"))


def main() -> None:
    warnings.simplefilter("ignore", uj.UnjudgedWarning)
    folder = need(SHARED / "dl19")
    judgments = dl19().qrels
    labels = {name: uj.read_qrels(folder / "llm_labels" / file) for name, file in FILES.items()}
    table, runs = scores(judgments, labels)
    beside, topics = together(labels)
    text = PAGE.format(
        agreement=agreement(judgments, labels),
        scores=table,
        runs=runs,
        repeat=REPEAT,
        together=beside,
        topics=topics,
    )
    save_page("machine-labels", text, seeds=f"seed {SEED}")


if __name__ == "__main__":
    main()
