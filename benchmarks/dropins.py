"""Times the drop-in for pytrec_eval beside pytrec_eval itself, on dicts in memory; writes benchmarks/DROPINS.md.

python -B benchmarks/dropins.py
"""

from __future__ import annotations

import os
import random
import statistics
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytrec_eval as theirs

import unjudged as uj
from unjudged.compat import pytrec_eval as ours

HERE = Path(__file__).parent
REPEAT = 15
OURS = ["AP", "nDCG@10", "P@10", "RR", "Bpref"]
FIVE = {"map", "ndcg_cut_10", "P_10", "recip_rank", "bpref"}

Run = dict[str, dict[str, float]]


def collection(topics: int, depth: int) -> tuple[dict[str, dict[str, int]], Run, Run]:
    """Judgments of 200 documents a topic, and a run in the order of its scores and in no order."""
    rng = random.Random(1)
    ids = [f"clueweb09-en{number:012d}" for number in range(5 * depth)]
    qrels = {str(t): {doc: rng.randrange(3) for doc in rng.sample(ids, min(200, len(ids)))} for t in range(topics)}
    shuffled = {str(t): {doc: rng.random() for doc in rng.sample(ids, depth)} for t in range(topics)}
    # Made as a retrieval system makes it: scores in the order in which they are stored.
    ranked = {
        t: {str(doc): float(score) for doc, score in sorted(docs.items(), key=lambda item: -item[1])}
        for t, docs in shuffled.items()
    }
    return qrels, ranked, shuffled


def medians(*works) -> list[float]:
    """Seconds; whoever is timed takes turns, so that a busy machine is busy for all."""
    times = [[] for _ in works]
    for _ in range(REPEAT):
        for kept, work in zip(times, works, strict=True):
            start = time.perf_counter()
            work()
            kept.append(time.perf_counter() - start)
    return [statistics.median(kept) for kept in times]


def main() -> None:
    rows = []
    for topics, depth in ((5, 10), (50, 100), (200, 1000)):
        qrels, ranked, shuffled = collection(topics, depth)
        cases = (
            ("five measures", FIVE, ranked),
            ("five measures, run in no order", FIVE, shuffled),
            ("all measures", theirs.supported_measures, ranked),
        )
        for name, measures, run in cases:
            evaluators = [who.RelevanceEvaluator(qrels, measures) for who in (theirs, ours)]
            first, second = (one.evaluate(run) for one in evaluators)
            assert all(abs(first[t][m] - second[t][m]) < 1e-9 for t in first for m in first[t]), "values differ"
            there, here = medians(*(partial(one.evaluate, run) for one in evaluators))
            rows.append((f"{topics} x {depth}, {name}", there, here))
        evaluator, peer = uj.Evaluator(qrels, OURS), theirs.RelevanceEvaluator(qrels, FIVE)
        docs, scores = [list(one) for one in ranked.values()], np.array([list(one.values()) for one in ranked.values()])
        codes, places = (
            evaluator.doc_codes([doc for one in docs for doc in one]).reshape(scores.shape),
            np.arange(topics),
        )
        for name, work in (
            ("five measures, Evaluator.score", partial(evaluator.score, ranked)),
            (
                "five measures, Evaluator.score_arrays with codes",
                partial(evaluator.score_arrays, places, codes, scores),
            ),
        ):
            there, here = medians(partial(peer.evaluate, ranked), work)
            rows.append((f"{topics} x {depth}, {name}", there, here))
        there, here = medians(*(partial(who.RelevanceEvaluator, qrels, FIVE) for who in (theirs, ours)))
        rows.append((f"{topics} x {depth}, judgments", there, here))
    lines = [
        "# The drop-in for pytrec_eval, and Evaluator",
        "",
        f"Written by `python -B benchmarks/dropins.py`. Milliseconds, median of {REPEAT}, in one warm process in which"
        f" both take turns ({os.cpu_count()} cores, machine shared); dicts in, dicts out.",
        "",
        "| topics x documents | pytrec_eval | ours | ratio |",
        "| --- | ---: | ---: | ---: |",
        *(f"| {name} | {1000 * a:.3g} | {1000 * b:.3g} | {b / a:.2f} |" for name, a, b in rows),
        "",
    ]
    (HERE / "DROPINS.md").write_text("\n".join(lines), encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
