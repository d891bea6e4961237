"""How good are the standard errors of xinfAP and infNDCG? Draws stratified samples from collections judged completely.

Every document that some run returns in its first ranks is in stratum 1, all other judged documents in stratum 2. A
draw judges a random sample of each stratum of each topic and leaves the rest pooled but not judged (the degradation
`Stratified`). Over many draws, the estimates vary by as much as their standard errors should say.

    python experiments/sampled_standard_error.py --draws 300  # instead of 100

writes experiments/results/sampled-standard-error.md.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from collections_at_hand import Collection, dl19, markdown_table, trec8
from pages import save_page

import unjudged as uj
from unjudged.arrays import Floats
from unjudged.data.joined import join_runs
from unjudged.simulate import Stratified

RATES = [("100%", "15%"), ("50%", "15%"), ("30%", "30%")]
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


def standard_error_of(measure: str) -> str:
    """The measure that is the standard error of another: xinfAP_se@100."""
    name = next(one for one in ("xinfAP", "infNDCG") if measure.startswith(one))
    return measure.replace(name, f"{name}_se", 1)


def simulate(collection: Collection, runs: list[uj.Run], rates: tuple[str, str], draws: int, seed: int) -> Floats:
    """Estimates and standard errors: (2, draws, measures, runs, topics)."""
    joined = join_runs(collection.qrels, collection.runs, depth=STRATUM_DEPTH)
    how = Stratified(depth=STRATUM_DEPTH, first=rates[0], p=rates[1])
    measures = [*MEASURES, *map(standard_error_of, MEASURES)]
    drawn = []
    for repetition in range(draws):
        sample = how.leave(joined, seed=seed, repetition=repetition).of(collection.qrels)
        drawn.append(uj.score(sample, runs, measures, jobs=1).values[0])
    return np.array(drawn).reshape(draws, 2, len(MEASURES), len(runs), -1).swapaxes(0, 1)


def rows_of(collection: Collection, runs: list[uj.Run], rates: tuple[str, str], drawn: Floats) -> list[list[str]]:
    """One row per measure."""
    truths = uj.score(collection.qrels, runs, list(dict.fromkeys(MEASURES.values())), jobs=1)
    rows = []
    for m, (name, true) in enumerate(MEASURES.items()):
        truth = truths.values[0, truths.measures.index(true)]
        value, error = drawn[:, :, m]
        means, defined = value.mean(axis=2), np.isfinite(error)
        of_mean = np.sqrt(np.nansum(error**2, axis=2)) / defined.sum(axis=2)
        sd = means.std(axis=0, ddof=1)
        topics = np.sqrt(np.nanmean(error**2) / value.var(axis=0, ddof=1).mean())
        held = np.abs(means - truth.mean(axis=1)) <= 1.96 * of_mean
        held_topics = (np.abs(value - truth) <= 1.96 * error + 1e-9)[defined]
        rows.append(
            [
                collection.name,
                " / ".join(rates),
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


PAGE = """# Standard errors of measures estimated from strata

{draws} draws, {runs} runs of each collection. Stratum 1 is what any run returns in its first {depth} ranks, stratum 2
the rest of the judged documents; *rates* are the shares judged of each (`Stratified(p,first=...)`).

*truth* is the measure with all judgments, *bias* the mean estimate minus the truth, *sd* how much the mean score varies
over draws, *se* the mean of its reported standard error, all averaged over runs. *se/sd* compares root mean squares
over runs, *se/sd, topics* over runs and single topics. *covered* is the share of intervals of ±1.96 se that hold the
truth, for the mean score and for single topics.

{table}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--runs", type=int, default=8)
    parser.add_argument("--seed", type=int, default=42)
    given = parser.parse_args()
    warnings.simplefilter("ignore", uj.UnjudgedWarning)
    rows = []
    for collection in (trec8(), dl19()):
        every = sorted(collection.runs, key=lambda run: run.name)
        runs = [every[i] for i in np.linspace(0, len(every) - 1, given.runs).astype(int)]
        for rates in RATES:
            rows += rows_of(collection, runs, rates, simulate(collection, runs, rates, given.draws, given.seed))
            print(collection.name, rates, flush=True)
    table = markdown_table(HEADER, rows, left=3)
    page = PAGE.format(draws=given.draws, runs=given.runs, depth=STRATUM_DEPTH, table=table)
    save_page("sampled-standard-error", page, seeds=f"seed {given.seed}")


if __name__ == "__main__":
    main()
