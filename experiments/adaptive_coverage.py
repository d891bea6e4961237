"""Do intervals of `score --holes` hold after judgments that were chosen, document by document?

    python experiments/adaptive_coverage.py            # writes experiments/results/adaptive-coverage.md

Each strategy judges a collection again until a share of its judgments is spent; then runs are scored from these. The
truth is the score with all judgments.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator

import numpy as np
from collections_at_hand import Collection, dl19, markdown_table, trec8
from deciding import covid
from pages import save_page

import unjudged as uj
from unjudged.data.joined import join_runs
from unjudged.data.qrels import Qrels
from unjudged.strategies import candidates_of, replay, strategies

SEED, DEPTH = 42, 100
ORDERS = ("sample(10%,depth=1)", "depth", "decide", "mtf", "evidence")
MODELS = ("evidence", "discounted")
SHARES = (0.05, 0.1, 0.2)
PREFACE = """# Intervals of scores after an adaptive order

Each order judges the first {depth} documents of the runs again until a share of the judgments is spent, and runs are
scored from these by a hole model, whose 90% intervals should hold the score with all judgments. *Topics*: pairs of a
run and a topic with unjudged documents within the cut-off; *means*: of all runs. *Bias*: estimated minus true mean
score, over all runs; *RMSE* and *width* are of means, too. `sample(10%,depth=1)` is drawn at random below the first
rank: what was found before chooses nothing there. It is there to compare.
"""


def left_by(name: str, collection: Collection, share: float) -> Qrels:
    """The judgments that an order has asked for by then."""
    joined = join_runs(collection.qrels, collection.runs, depth=DEPTH)
    most = round(share * int(collection.qrels.judged.sum()))
    batch = max(1, most // 50)
    asked = replay(
        strategies.choose(name), candidates_of(joined, depth=DEPTH), collection.qrels, seed=SEED, batch=batch, most=most
    )
    kept = np.zeros(len(collection.qrels), dtype=bool)
    kept[asked.rows] = True
    return collection.qrels.left(kept)


def rows_of(collection: Collection, measure: str) -> Iterator[list[object]]:
    """One for each order, share and model."""
    truth = uj.score(collection.qrels, list(collection.runs), measure).values[0, 0]
    for name in ORDERS:
        for share in SHARES if "sample" not in name else (0.1,):
            qrels = left_by(name, collection, share)
            for model in MODELS:
                scores = uj.score(qrels, list(collection.runs), measure, holes=model, groups=collection.team_of)
                yield [collection.name, measure, name, f"{share:.0%}", model, *_row(scores, truth)]


def _row(scores: uj.Scores, truth: np.ndarray) -> list[str]:
    values, low, high = (one[0, 0] for one in (scores.values, scores.low, scores.high))
    open_topics = high > low
    held = ((low <= truth + 1e-9) & (truth <= high + 1e-9))[open_topics]
    mean = truth.mean(axis=1)
    mean_low, mean_high = scores.mean_low[0, 0], scores.mean_high[0, 0]
    means_held = (mean_low <= mean + 1e-9) & (mean <= mean_high + 1e-9)
    error = values.mean(axis=1) - mean
    numbers = [f"{held.size:,}", f"{held.mean():.0%}" if held.size else "-", f"{means_held.mean():.0%}"]
    rest = error.mean(), np.sqrt((error**2).mean()), (mean_high - mean_low).mean()
    return [*numbers, *(f"{float(one):.4f}" for one in rest)]


def main() -> None:
    """Write the page."""
    warnings.simplefilter("ignore", uj.UnjudgedWarning)
    wanted = sys.argv[1:] or ["dl19", "covid", "trec8"]
    rows = []
    for name, given, measure in (("dl19", dl19, "nDCG@10"), ("covid", covid, "nDCG@5"), ("trec8", trec8, "nDCG@10")):
        for row in rows_of(given(), measure) if name in wanted else ():
            rows.append(row)
            print(*row, flush=True)
    head = [
        "collection",
        "measure",
        "order",
        "judged",
        "model",
        "topics",
        "held",
        "means held",
        "bias",
        "RMSE",
        "width",
    ]
    table = markdown_table(head, rows, left=5)
    save_page("adaptive-coverage", f"{PREFACE.format(depth=DEPTH)}\n{table}\n", seeds=f"seed {SEED}")


if __name__ == "__main__":
    main()
