"""How good are the standard errors of xinfAP and infNDCG? Draws stratified samples from collections judged completely.

Every document that some run returns in its first ranks is in stratum 1, all other judged documents in stratum 2. A
draw judges a simple random sample of each stratum of each topic and leaves the rest pooled but not judged. Over many
draws, the estimates vary by as much as their standard errors should say.

    python experiments/sampled_standard_error.py --data ../shared/data --draws 300

writes experiments/results/sampled_standard_error.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import unjudged as uj
from unjudged.arrays import Floats
from unjudged.data.qrels import Qrels, State
from unjudged.data.run import Run
from unjudged.data.view import join
from unjudged.measures import measures
from unjudged.measures.sampled import Estimated
from unjudged.reports import layout

RESULTS = Path(__file__).parent / "results" / "sampled_standard_error.md"
COLLECTIONS = {"TREC-8": ("trec8/trec8.qrels", "trec8/runs"), "DL19": ("dl19/2019qrels-pass.txt", "dl19/runs")}
RATES = [(1.0, 0.15), (0.5, 0.15), (0.3, 0.3)]
MEASURES = {
    "xinfAP": "AP",
    "xinfAP@100": "AP@100",
    "infNDCG": "nDCG",
    "infNDCG@100": "nDCG@100",
    "infNDCG@10": "nDCG@10",
    "infNDCG(ideal='cutoff')@10": "nDCG@10",
}
STRATUM_DEPTH = 10
HEADER = [
    "collection", "rates", "measure", "truth", "bias",
    "sd", "se", "se/sd", "se/sd, topics", "covered", "covered, topics",
]  # fmt: skip


@dataclass(frozen=True)
class Collection:
    """Complete judgments with two strata, and some runs."""

    name: str
    qrels: Qrels
    runs: list[Run]


def load(name: str, data: Path, count: int) -> Collection:
    """The collection with *count* of its runs, taken evenly from the list of names."""
    qrels_file, folder = COLLECTIONS[name]
    qrels = uj.read_qrels(data / qrels_file)
    runs = [uj.read_run(path) for path in sorted((data / folder).iterdir())]
    strata = np.full(len(qrels), 2, dtype=np.int32)
    for run in runs:
        rows = join(run, qrels).top(STRATUM_DEPTH).qrels_rows
        strata[rows[rows >= 0]] = 1
    chosen = np.linspace(0, len(runs) - 1, count).astype(int)
    return Collection(name, replace(qrels, strata=strata, _memory={}), [runs[i] for i in chosen])


def draw(qrels: Qrels, rates: Sequence[float], rng: np.random.Generator) -> Qrels:
    """Judge a share of each stratum of each topic, at least two documents."""
    assert qrels.strata is not None
    states = np.full(len(qrels), State.POOLED, dtype=np.uint8)
    for first, last in zip(qrels.offsets[:-1], qrels.offsets[1:], strict=True):
        for number, rate in enumerate(rates, start=1):
            rows = first + np.flatnonzero(qrels.strata[first:last] == number)
            size = min(max(2, int(np.floor(rate * len(rows) + 0.5))), len(rows))
            states[rng.choice(rows, size=size, replace=False)] = State.JUDGED
    grades = np.where(states == State.JUDGED, qrels.grades, 0).astype(np.int32)
    return replace(qrels, states=states, grades=grades, _memory={})


def simulate(
    collection: Collection, rates: Sequence[float], draws: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Estimates and standard errors: (draws, measures, runs, topics)."""
    estimators = [measures.parse(name) for name in MEASURES]
    shape = (draws, len(estimators), len(collection.runs), len(collection.qrels.topics))
    values, errors = np.empty(shape), np.empty(shape)
    for d in range(draws):
        sample = draw(collection.qrels, rates, rng)
        for r, run in enumerate(collection.runs):
            view = join(run, sample)
            for m, measure in enumerate(estimators):
                assert isinstance(measure, Estimated)
                values[d, m, r], errors[d, m, r] = measure.score(view), measure.standard_error(view)
    return values, errors


def rows_of(collection: Collection, rates: Sequence[float], values: Floats, errors: Floats) -> list[list[str]]:
    """One row per measure."""
    rows = []
    for m, (name, true) in enumerate(MEASURES.items()):
        truth = np.array([measures.parse(true).score(join(run, collection.qrels)) for run in collection.runs])
        value, error = values[:, m], errors[:, m]
        means = value.mean(axis=2)
        defined = np.isfinite(error)
        of_mean = np.sqrt(np.nansum(error**2, axis=2)) / defined.sum(axis=2)
        sd = means.std(axis=0, ddof=1)
        topics = np.sqrt(np.nanmean(error**2) / value.var(axis=0, ddof=1).mean())
        held = np.abs(means - truth.mean(axis=1)) <= 1.96 * of_mean
        held_topics = (np.abs(value - truth) <= 1.96 * error + 1e-9)[defined]
        rows.append(
            [
                collection.name,
                " / ".join(f"{rate:.0%}" for rate in rates),
                name,
                f"{truth.mean():.4f}",
                f"{(means.mean(axis=0) - truth.mean(axis=1)).mean():+.4f}",
                f"{sd.mean():.4f}",
                f"{of_mean.mean():.4f}",
                f"{np.sqrt((of_mean**2).mean() / (sd**2).mean()):.2f}",
                f"{topics:.2f}",
                f"{held.mean():.1%}",
                f"{held_topics.mean():.1%}",
            ]
        )
    return rows


def page(rows: list[list[str]], draws: int, runs: int, seed: int) -> str:
    """The results as Markdown."""
    return "\n".join(
        [
            "# Standard errors of measures estimated from strata",
            "",
            f"Written by `experiments/sampled_standard_error.py`; {draws} draws, {runs} runs of each collection, seed"
            f" {seed}. Stratum 1 is what any run returns in its first {STRATUM_DEPTH} ranks, stratum 2 the rest of the"
            " judged documents; *rates* are the shares judged of each.",
            "",
            "*truth* is the measure with all judgments, *bias* the mean estimate minus the truth, *sd* how much the"
            " mean score varies over draws, *se* the mean of its reported standard error, all averaged over runs."
            " *se/sd* compares root mean squares over runs, *se/sd, topics* over runs and single topics."
            " *covered* is the share of intervals of ±1.96 se that hold the truth, for the mean score and for single"
            " topics.",
            "",
            layout.markdown(HEADER, rows, left=3),
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[2] / "shared" / "data")
    parser.add_argument("--draws", type=int, default=300)
    parser.add_argument("--runs", type=int, default=8)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("-o", "--output", type=Path, default=RESULTS)
    given = parser.parse_args()
    rows = []
    for name in COLLECTIONS:
        collection = load(name, given.data, given.runs)
        for rates in RATES:
            rng = np.random.default_rng([given.seed, len(rows)])
            rows += rows_of(collection, rates, *simulate(collection, rates, given.draws, rng))
            print(name, rates, flush=True)
    given.output.parent.mkdir(exist_ok=True)
    given.output.write_text(page(rows, given.draws, given.runs, given.seed), encoding="utf-8")


if __name__ == "__main__":
    main()
