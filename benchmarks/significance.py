"""Times the significance tests, and measures what the docs say about them; writes benchmarks/SIGNIFICANCE.md.

    python -B benchmarks/significance.py [--shared ../shared/data]

The timing needs no data. With the real collections it also counts false alarms and significant pairs on TREC-8.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from pathlib import Path

import numpy as np
from scipy import optimize, special

import unjudged as uj
from unjudged.uncertainty import mean_interval
from unjudged.uncertainty.paired import all_pairs
from unjudged.uncertainty.significance import significance

HERE = Path(__file__).parent
TESTS = ["t", "wilcoxon", "sign", "randomisation", "bootstrap", "tukey_hsd"]
TARGET_S = 30
REPEAT = 3
LEVEL = 0.05
TRIALS = 2000


def table(header: list[str], rows: list[list[str]]) -> list[str]:
    marks = ["---", *["---:"] * (len(header) - 1)]
    return ["| " + " | ".join(cells) + " |" for cells in (header, marks, *rows)] + [""]


def median_time(work) -> tuple[float, float, float]:
    times = []
    for _ in range(REPEAT):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times), min(times), max(times)


def timing() -> list[str]:
    rng = np.random.default_rng(1)
    scores = np.clip(rng.beta(1, 2, (129, 50)) + rng.normal(0, 0.05, (129, 1)), 0, 1)
    rows = []
    for test in TESTS:
        median, low, high = median_time(lambda test=test: significance(scores, test=test))
        if test == "randomisation":
            verdict = "met" if median <= TARGET_S else "MISSED"
            promise = f"All-pairs randomisation: **{median:.2f} s** (at most {TARGET_S} s: {verdict}).\n"
        rows.append([test, f"{median:.2f}", f"{low:.2f} to {high:.2f}"])
    large = "randomisation(draws=165200)"
    median, low, high = median_time(lambda: significance(scores, test=large))
    rows.append([large, f"{median:.2f}", f"{low:.2f} to {high:.2f}"])
    for method in ("percentile", "basic", "bca"):
        median, low, high = median_time(lambda method=method: mean_interval(scores, method))
        rows.append([f"interval: {method}", f"{median:.2f}", f"{low:.2f} to {high:.2f}"])
    head = [
        "## Time",
        "",
        "129 runs x 50 topics of generated scores, all 8,256 pairs, 10,000 draws where a test draws, with Holm's",
        f"correction and effect sizes. Seconds, median of {REPEAT}, in a warm process, one Python thread"
        f" ({os.cpu_count()} cores for BLAS, machine shared).",
        "",
        promise,
    ]
    return head + table(["", "median", "range"], rows)


def detectable(topics: int, comparisons: int = 1, power: float = 0.8) -> float:
    """The mean difference, in standard deviations of the differences, that a t test finds with this power."""
    free = topics - 1
    critical = special.stdtrit(free, 1 - LEVEL / comparisons / 2)
    return optimize.brentq(
        lambda d: 1 - special.nctdtr(free, d * topics**0.5, critical) - power, 1e-6, critical + 20 / topics**0.5
    )


def size_tables() -> list[str]:
    sizes = [5, 10, 25, 50, 100, 250, 1000, 6980]
    rows = [[f"{n:,}", *(f"{detectable(n, m):.3f}" for m in (1, 10, 100))] for n in sizes]
    text = "## Detectable difference\n\nIn standard deviations of the differences; power 80%, level 5%, t test."
    return [text, "", *table(["topics", "1 comparison", "10 (Bonferroni)", "100 (Bonferroni)"], rows)]


def trec8(shared: Path) -> list[str]:
    scores = uj.score(shared / "trec8" / "trec8.qrels", shared / "trec8" / "runs", ["AP", "nDCG@10", "P@10"])
    values = scores.values[0]
    return [*spreads(scores.measures, values), *false_alarms(values[0]), *coverage(values[0]), *conclusions(values[0])]


def best(values: np.ndarray) -> np.ndarray:
    """The best three quarters of the runs, as is usual in such studies."""
    return values[np.argsort(-values.mean(axis=1))[: len(values) * 3 // 4]]


def spreads(names, values: np.ndarray) -> list[str]:
    rows = []
    for name, scores in zip(names, values, strict=True):
        kept = best(scores)
        pairs = all_pairs(len(kept))
        spread = (kept[pairs[:, 0]] - kept[pairs[:, 1]]).std(axis=1, ddof=1)
        rows.append([name, *(f"{q:.3f}" for q in np.quantile(spread, [0.1, 0.5, 0.9]))])
    text = "TREC-8, best 96 of 129 runs, all 4,560 pairs: 10%, 50%, 90% quantile."
    return ["## Standard deviation of differences", "", text, "", *table(["measure", "10%", "50%", "90%"], rows)]


def false_alarms(scores: np.ndarray) -> list[str]:
    """Differences of real pairs with random signs: no run is better, and the null hypothesis is true."""
    kept = best(scores)
    pairs = all_pairs(len(kept))
    rng = np.random.default_rng(1)
    rows = []
    for topics in (5, 10, 15, 25, 50):
        differences = np.empty((TRIALS, topics))
        for row in differences:
            first, second = pairs[rng.integers(len(pairs))]
            which = rng.choice(50, topics, replace=False)
            row[:] = (kept[first, which] - kept[second, which]) * rng.choice([-1, 1], topics)
        # Each difference against a run of zeros is a pair.
        matrix = np.concatenate([differences, np.zeros((1, topics))])
        cells = []
        for test in TESTS[:-1]:
            name = f"{test}(draws=2000)" if test in {"randomisation", "bootstrap"} else test
            cells.append(f"{(significance(matrix, test=name, baseline=TRIALS).p <= LEVEL).mean():.1%}")
        rows.append([str(topics), *cells])
    text = f"AP differences of TREC-8 pairs with random signs, {TRIALS:,} samples each: share with p <= 5%."
    more = "Standard error 0.5%. Tests that draw use 2,000 draws."
    return ["## False alarms", "", text, more, "", *table(["topics", *TESTS[:-1]], rows)]


def coverage(scores: np.ndarray) -> list[str]:
    """The topics of a run stand for all topics there are: how often does an interval from a few hold its mean?"""
    kept = best(scores)
    rng = np.random.default_rng(2)
    rows = []
    for topics in (5, 10, 25, 50):
        runs = rng.integers(len(kept), size=TRIALS)
        samples = kept[runs[:, None], rng.integers(kept.shape[1], size=(TRIALS, topics))]
        truth = kept[runs].mean(axis=1)
        cells = []
        for method in ("percentile(draws=2000)", "basic(draws=2000)", "bca(draws=2000)", "t"):
            interval = mean_interval(samples, method)
            cells.append(f"{((interval.low <= truth) & (truth <= interval.high)).mean():.1%}")
        rows.append([str(topics), *cells])
    text = f"AP of TREC-8 runs on topics drawn with replacement, {TRIALS:,} samples each: share of 95% intervals that"
    more = "hold the run's mean over all 50 topics. Standard error 0.5%. 2,000 draws."
    return ["## Coverage of intervals", "", text, more, "", *table(["topics", "percentile", "basic", "bca", "t"], rows)]


def conclusions(scores: np.ndarray) -> list[str]:
    rows = []
    for test in ("t", "wilcoxon", "sign", "randomisation(draws=165200)"):
        cells = [
            f"{(significance(scores, test=test, correction=correction).corrected <= LEVEL).sum():,}"
            for correction in ("none", "bh", "holm", "bonferroni")
        ]
        rows.append([test, *cells])
    tukey = f"{(significance(scores, test='tukey_hsd').corrected <= LEVEL).sum():,}"
    rows.append(["tukey_hsd", "", "", tukey, ""])
    text = "Of the 8,256 pairs of the 129 TREC-8 runs, AP, level 5%. tukey_hsd stands under holm:"
    more = "both limit the chance of any false alarm."
    header = ["", "none", "bh", "holm", "bonferroni"]
    return ["## Significant pairs", "", text, more, "", *table(header, rows)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=HERE.parents[1] / "shared" / "data")
    shared = parser.parse_args().shared
    lines = ["# Significance tests: time and behaviour", "", "Written by `python -B benchmarks/significance.py`.", ""]
    lines += [*timing(), *size_tables(), *(trec8(shared) if shared.is_dir() else [])]
    text = "\n".join(lines).rstrip() + "\n"
    (HERE / "SIGNIFICANCE.md").write_text(text, encoding="utf-8")
    print(text)
