"""What do intervals of AP hold when most of the ranks that it reads were never pooled? TREC-8, its pool made shallower.

python experiments/shallow_pool_ap.py            # writes experiments/results/shallow-pool-ap.md
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
from collections_at_hand import markdown_table, trec8
from pages import save_page

import unjudged as uj
from unjudged.data.view import join

DEPTHS, TRUE_DEPTH, SEED, DRAWS, EVERY = (10, 30), 100, 42, 100, 3
MEASURES = ("AP@100", "nDCG@100", "R@100")
MODELS = ("nonrelevant", "joint", "bootstrap", "discounted", "evidence")
PREFACE = f"""# AP where most ranks were never pooled

TREC-8, runs whose first {TRUE_DEPTH} documents are all judged (every {EVERY}rd of them), as they were submitted: no
document is taken out. Judgments are left of what these runs have in their first {" or ".join(map(str, DEPTHS))}
documents; measures read {TRUE_DEPTH} ranks, of which up to 90% were not pooled. The truth is the score with all
judgments; R and the ideal ranking are then those of all judgments, too. Intervals promise 90%, models have {DRAWS}
draws.
"""


def main() -> None:
    """Write the page."""
    warnings.simplefilter("ignore", uj.UnjudgedWarning)
    collection, rows = trec8(), []
    whole = [run.top(TRUE_DEPTH) for run in collection.runs]
    runs = [run for run in whole if join(run, collection.qrels).judged.mean() > 0.999][::EVERY]
    truth = uj.score(collection.qrels, runs, MEASURES)
    groups = {run.name: collection.team_of[run.name] for run in runs}
    for depth in DEPTHS:
        near = {(t, d) for run in runs for t in run.topics for d, _ in run.ranking(t)[:depth]}
        left = uj.read_qrels(
            {
                topic: {doc: grade for doc, grade in collection.qrels.judgments(topic).items() if (topic, doc) in near}
                for topic in collection.qrels.topics
            }
        )
        for model in MODELS:
            holes = f"{model}(draws={DRAWS})" if model in MODELS[2:] else model
            found = uj.score(left, runs, MEASURES, holes=holes, groups=groups, pool_depth=depth, seed=SEED)
            for m, measure in enumerate(MEASURES):
                off = found.values[0, m] - truth.values[0, m]
                of_means = found.means[0, m] - truth.means[0, m]
                held = [held_by(found.low[0, m], found.high[0, m], truth.values[0, m])]
                held += [held_by(found.mean_low[0, m], found.mean_high[0, m], truth.means[0, m])]
                width = np.nanmean(found.mean_high[0, m] - found.mean_low[0, m]) if model != "nonrelevant" else np.nan
                shown = ["-", "-", "-"] if np.isnan(width) else [f"{held[0]:.0%}", f"{held[1]:.0%}", f"{width:.3f}"]
                bias = f"{of_means.mean():+.3f}"
                judged = f"{found.judged[0, m].mean():.0%}"
                error = [f"{np.sqrt(np.mean(off**2)):.3f}", f"{np.sqrt(np.mean(of_means**2)):.3f}"]
                rows.append([depth, judged, measure, model, *error, bias, *shown])
                sys.stderr.write(f"{rows[-1]}\n")
    head = [
        "pool",
        "judged",
        "measure",
        "model",
        "RMSE per topic",
        "of means",
        "bias",
        "topics held",
        "means held",
        "width",
    ]
    rows.sort(key=lambda row: (row[0], MEASURES.index(row[2])))
    text = (
        f"{PREFACE}\n{len(runs)} runs of {len(set(groups.values()))} teams.\n\n{markdown_table(head, rows, left=4)}\n"
    )
    save_page("shallow-pool-ap", text, seeds=f"seed {SEED}")


def held_by(low: np.ndarray, high: np.ndarray, truth: np.ndarray) -> float:
    """Share of the truths that intervals hold."""
    return float(np.mean((truth >= low - 1e-9) & (truth <= high + 1e-9)))


if __name__ == "__main__":
    main()
