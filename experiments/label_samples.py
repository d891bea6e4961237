"""Do intervals from a random sample of judged pairs, and labels of all, hold? Draws pairs from DL19.

A replicate judges each pair with probability 5, 10 or 20%; the truth are P@10, AP and R-precision (grade 2 or more) and
nDCG@10 with all judgments. Label sources: two language models, and a constant and a random one.

    python experiments/label_samples.py --replicates 2000 2000 2000 500

writes experiments/results/label-samples.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

import numpy as np
from collections_at_hand import SHARED
from label_worlds import MEASURES, PAIRS, dl19_world, held, pairs_of, scores
from pages import save_page
from scipy.stats import kendalltau

import unjudged as uj
from unjudged.api import read_measures
from unjudged.arrays import Flags, Floats
from unjudged.data.judge_labels import JudgeLabels, LabelOrigin
from unjudged.reports import layout
from unjudged.studies.sums_over_sampled_documents import Approximated, SampledPairs, SampledScores, score_inputs
from unjudged.uncertainty.difference_estimator import SampledSums

Sampling = Callable[[Flags, float, int], SampledScores]
"""Estimates from those pairs that were drawn, with their chance to be drawn and a seed."""
RATES = [0.05, 0.1, 0.2]
PAIRS_OF_DL19 = 9260
SAMPLED = [*MEASURES, "Rprec(rel=2)"]
CONSTANT = "constant"
SOURCES = ["UMBRELA", "Sun", CONSTANT, "random"]
ORDERED = 200
"""Replicates in which calibrated scores and orders are looked at, too."""
SEED = 3
HEADER = [
    *("source", "measure", "judged", "of", "without labels", "ours", "s.e.", "width"),
    *("RMSE, calibrated", "RMSE, estimate", "tau, calibrated", "tau, estimate"),
]
PAGE = """# Do intervals with labels hold? Samples of documents

`python experiments/label_samples.py --replicates {replicates}`

DL19, 37 runs, 43 topics, 9,260 pairs, of which so many are judged, drawn at random: {times}.
Share of the 95% intervals that hold the score with all judgments, over runs (means) or {pairs} pairs of
runs (differences), with labels and without. Inverted labels give the same numbers as those that they invert, since it
is learned what each label means. *s.e.*: Monte Carlo error of the share with labels. Width: over that of the same
estimate without labels (AP and Rprec without labels are those with constant ones: both know where runs have documents).
RMSE of run means or differences; Kendall's tau of the runs' order; both over {ordered} replicates. By UMBRELA's labels
alone, RMSE of run means of P@10 (grade 2 or more) is {alone:.3f} and tau {tau:.3f}. {lowest}

{table}
"""


def sampling(collection: uj.Collection, labels: JudgeLabels, measure: str, names: list[str]) -> Sampling:
    """Estimates from samples of the judgments, as the studies make them; runs are read once."""
    known = SampledPairs.of(collection.qrels, labels, 1.0)
    inputs = score_inputs(collection, known, read_measures([measure])[0], names)

    def scored(chosen: Flags, rate: float, seed: int) -> SampledScores:
        pairs = known._replace(sampled=chosen, inclusion=np.full(len(chosen), rate))
        return inputs.scores(pairs, seed)

    return scored


def lines_of(measure: str, times: int) -> list[list[str]]:
    """The lines of a measure, for all sources; estimates without labels are those beside the first one."""
    world = dl19_world(SHARED)
    collection, names = uj.Collection(world.qrels, world.runs, jobs=1), [run.name for run in world.runs]
    truth = uj.score(world.qrels, world.runs, measure, jobs=1).means[0, 0]
    where = world.qrels.topic_of_row, world.qrels.docs
    found: dict[str, dict[tuple[float, str], Found]] = {}
    for source in SOURCES:
        labels = JudgeLabels(source, LabelOrigin(source), *where, world.labels[source].astype(np.float64))
        scored = sampling(collection, labels, measure, names)
        found[source] = {}
        for rate in RATES:
            for of, one in tried(rate, scored, truth, times, without=source == SOURCES[0]).items():
                found[source][rate, of] = one
    # Estimates of products without labels are those with constant ones: where runs have documents counts in both.
    bare = {key: one.without for key, one in found[SOURCES[0]].items()}
    if not next(iter(bare.values())).size:
        bare = {key: one.held for key, one in found[CONSTANT].items()}
    return [
        [source, measure, f"{rate:.0%}", of, *one.shown(bare[rate, of].mean(axis=0), of)]
        for source, lines in found.items()
        for (rate, of), one in lines.items()
    ]


class Found(NamedTuple):
    """Of means or of differences, a row for each replicate."""

    held: Floats
    """The share of intervals that hold the truth, and their width ..."""
    without: Floats
    """... and the same without labels, where it was wanted."""
    off: Floats
    """Mean squares and tau of what is calibrated, and of estimates; of the first replicates only."""

    def shown(self, usual: Floats, of: str) -> list[str]:
        """The cells of a line; *usual* is the share that held without labels, and the width."""
        inside, width = self.held.mean(axis=0).tolist()
        # Runs of a replicate go together, so that replicates are what varies.
        noise = float(self.held[:, 0].std()) / len(self.held) ** 0.5
        rest = self.off.mean(axis=0).tolist()
        taus = [f"{one:.3f}" for one in rest[2:]] if of == "means" else ["", ""]
        errors = [f"{one**0.5:.3f}" for one in rest[:2]]
        return [
            *(f"{one:.3f}" for one in (usual[0], inside)),
            f"{noise:.4f}",
            f"{width / usual[1]:.3f}",
            *errors,
            *taus,
        ]


def tried(rate: float, scored: Sampling, truth: Floats, replicates: int, *, without: bool) -> dict[str, Found]:
    """With labels, and without them if wanted, in each replicate."""
    rng = np.random.default_rng(SEED)
    first, second = pairs_of(len(truth))
    chosen = {
        "means": ((np.arange(len(truth)),), truth),
        "differences": ((first, second), truth[first] - truth[second]),
    }
    rows: dict[str, tuple[list[list[float]], ...]] = {of: ([], [], []) for of in chosen}
    for replicate in range(replicates):
        scores = scored(rng.random(PAIRS_OF_DL19) < rate, rate, replicate)
        for of, (which, true) in chosen.items():
            with_labels, bare, off = rows[of]
            if isinstance(scores, Approximated):
                # What is calibrated is another fit.
                one = scores.estimate(*which) if replicate < ORDERED else scores.with_labels.estimate(*which)
                plain = scores.without.estimate(*which) if without and not scores.needs_top else None
            else:
                one, plain, _ = scores.estimates(*which)
            with_labels.append(holding(one, true))
            if plain is not None:
                bare.append(holding(plain, true))
            if replicate < ORDERED:
                squares = [float(((way - true) ** 2).mean()) for way in (one.calibrated, one.estimate)]
                off.append([*squares, *(kendalltau(way, true).statistic for way in (one.calibrated, one.estimate))])
    return {of: Found(*(np.array(one) for one in lists)) for of, lists in rows.items()}


def holding(sums: SampledSums, true: Floats) -> list[float]:
    """The share of intervals that hold the truth, and their mean width."""
    return [float(held(sums.low, sums.high, true).mean()), float((sums.high - sums.low).mean())]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--replicates", type=int, nargs=4, default=[2000, 2000, 2000, 500], help=f"of {', '.join(SAMPLED)}"
    )
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    world = dl19_world(SHARED)
    with ProcessPoolExecutor(given.jobs) as pool:
        lines = [line for one in pool.map(lines_of, SAMPLED, given.replicates) for line in one]
    shares = [float(line[5]) for line in lines]
    below = sum(one < 0.94 for one in shares)
    low = {line[1] for line in lines if float(line[5]) < 0.94}
    whose = f", of {', '.join(sorted(low))}" if low else ""
    truth, machine = (scores(world, one)[1].mean(axis=1) for one in (world.grades, world.labels["UMBRELA"]))
    text = PAGE.format(
        replicates=" ".join(str(one) for one in given.replicates),
        times=", ".join(f"{one:,} times for {name}" for name, one in zip(SAMPLED, given.replicates, strict=True)),
        pairs=PAIRS,
        ordered=ORDERED,
        alone=float(np.sqrt(((machine - truth) ** 2).mean())),
        tau=kendalltau(machine, truth).statistic,
        lowest=f"Of {len(lines)} lines, {below} are below .94 with labels{whose}; the lowest is {min(shares):.3f}.",
        table=layout.markdown(layout.Table(HEADER, lines, 2)),
    )
    save_page("label-samples", text, seeds=f"seed {SEED}")


if __name__ == "__main__":
    main()
