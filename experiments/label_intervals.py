"""Do intervals from a few human and many machine judgments hold? Draws topics, and pairs, from DL19.

Topics: a replicate draws 10, 15 or 25 topics that people judged and 150 that only a machine did, with replacement,
from the 43 of DL19; the truth is the mean over the 43. Documents: a replicate judges each pair with probability 5, 10
or 20%; the truth are P@10 (grade 2 or more) and nDCG@10 with all judgments. Label sources: two language models, and a
constant, an inverted and a random one.

    python experiments/label_intervals.py --replicates 2000 --samples 2000

writes experiments/results/label-intervals.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from collections_at_hand import SHARED, need
from pages import save_page
from scipy.stats import kendalltau

import unjudged as uj
from unjudged.api import read_measures
from unjudged.arrays import Flags, Floats, Ints
from unjudged.data.judge_labels import JudgeLabels, LabelOrigin
from unjudged.data.qrels import Qrels
from unjudged.reports import layout
from unjudged.studies.sums_over_sampled_documents import SampledPairs, SampledScores, score_inputs
from unjudged.uncertainty.prediction_powered import classical, prediction_powered, published_ppi

Sampling = Callable[[Flags, float, int], SampledScores]
"""Estimates from those pairs that were drawn, with their chance to be drawn and a seed."""
MEASURES = ["nDCG@10", "P(rel=2)@10", "AP(rel=2)"]
SIZES = [10, 15, 25]
FURTHER = 150
RATES = [0.05, 0.1, 0.2]
SAMPLED = ["P(rel=2)@10", "nDCG@10"]
PAIRS_OF_DL19 = 9260
Z = 1.96
PAIRS = 150
SEED = 3


class World(NamedTuple):
    """DL19, and every source's labels for its judged pairs."""

    qrels: Qrels
    runs: list[uj.Run]
    grades: Ints
    labels: dict[str, Ints]


def load(data: Path) -> World:
    folder = data / "dl19"
    qrels = uj.read_qrels(folder / "2019qrels-pass.txt")
    grades, rng = qrels.grades.astype(np.int64), np.random.default_rng(SEED)
    files = {"UMBRELA": "umbrella_gpt-4_zeroshot_dl19.txt.gz", "Sun": "TREMA_Sun.qrel.gz"}
    labels = {name: labels_of(qrels, folder / "llm_labels" / file) for name, file in files.items()}
    labels["Sun"] = 2 * labels["Sun"]  # yes is grade 2
    labels["constant"] = np.full(len(grades), 1)
    labels["inverted"] = 3 - labels["UMBRELA"]
    labels["random"] = rng.integers(0, 4, len(grades))
    return World(qrels, uj.read_runs(folder / "runs"), grades, labels)


def labels_of(qrels: Qrels, path: Path) -> Ints:
    """The label of each judged pair."""
    given = uj.read_qrels(path)
    position = np.array([given.topic_rows[topic] for topic in qrels.topics])
    rows = given.pairs.find(position[qrels.topic_of_row], qrels.docs)
    return np.where(rows >= 0, given.grades[rows], 0).astype(np.int64)


def with_grades(world: World, grades: Ints) -> Qrels:
    return uj.read_qrels(
        [
            (world.qrels.topics[t], doc, grade)
            for t, doc, grade in zip(world.qrels.topic_of_row.tolist(), world.qrels.docs, grades.tolist(), strict=True)
        ]
    )


def scores(world: World, grades: Ints) -> Floats:
    """Scores (measures, runs, topics)."""
    result = uj.score(with_grades(world, grades), world.runs, MEASURES, jobs=1)
    return result.values[0][:, :, [result.topics.index(topic) for topic in world.qrels.topics]]


def held(low: Floats, high: Floats, truth: Floats) -> float:
    return float(((low <= truth + 1e-12) & (truth <= high + 1e-12)).mean())


def of_topics(world: World, replicates: int) -> list[list[str]]:
    """Coverage and width for means and differences, by measure, number of topics and source."""
    human = scores(world, world.grades)
    rows = []
    first, second = pairs_of(human.shape[1])
    for source, labels in world.labels.items():
        machine = scores(world, labels)
        for m, measure in enumerate(MEASURES):
            for of in ("means", "differences"):
                y, f = human[m], machine[m]
                if of == "differences":
                    y, f = (one[first] - one[second] for one in (y, f))
                rows += [line(source, measure, of, n, replicates, y, f) for n in SIZES]
    return rows


def pairs_of(runs: int) -> tuple[Ints, Ints]:
    """Some pairs of runs, always the same ones."""
    first, second = np.triu_indices(runs, 1)
    chosen = np.random.default_rng(0).choice(len(first), PAIRS, replace=False)
    return first[chosen], second[chosen]


def line(source: str, measure: str, of: str, n: int, replicates: int, y: Floats, f: Floats) -> list[str]:
    truth, topics = y.mean(axis=1), y.shape[1]
    ways: dict[str, Callable[[Ints, Ints], tuple[Floats, Floats]]] = {
        "classical": lambda a, _: ends(classical(y[:, a])),
        "published": lambda a, b: ends(published_ppi(y[:, a], f[:, a], f[:, b])),
        "ours": lambda a, b: ends(prediction_powered(y[:, a], f[:, a], f[:, b], skewed=of == "means")),
        "widened": lambda a, b: widened(y[:, a], f[:, a], f[:, b], skewed=of == "means"),
        "labels alone": lambda _, b: ends(classical(f[:, b])),
    }
    rng = np.random.default_rng(SEED + n)
    covered: dict[str, list[float]] = {name: [] for name in ways}
    width: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(replicates):
        drawn, further = rng.integers(0, topics, n), rng.integers(0, topics, FURTHER)
        for name, way in ways.items():
            low, high = way(drawn, further)
            covered[name].append(held(low, high, truth))
            width[name].append(float((high - low).mean()))
    usual = np.mean(width["classical"])
    shares = [f"{np.mean(covered[name]):.3f}" for name in ways]
    return [
        source,
        measure,
        of,
        str(n),
        *shares,
        f"{np.std(covered['ours']) / replicates**0.5:.4f}",
        *(f"{np.mean(width[one]) / usual:.3f}" for one in ("published", "ours", "widened")),
    ]


def widened(y: Floats, f: Floats, rest: Floats, *, skewed: bool) -> tuple[Floats, Floats]:
    """Ours, wider by what the skewness of residuals costs Student's interval: the mean square over all rows."""
    found = prediction_powered(y, f, rest, skewed=skewed)
    off = y - found.weight * f
    off = off - off.mean(axis=1, keepdims=True)
    square = (off**2).mean(axis=1)
    varies = square > 1e-14
    skewness = (off[varies] ** 3).mean(axis=1) / square[varies] ** 1.5
    n = y.shape[1]
    by_chance = 6 * (n - 2) / ((n + 1) * (n + 3))
    more = max(0.0, float((skewness**2).mean()) - by_chance) if varies.any() else 0.0
    half = (found.high - found.low) / 2 * (1 + more * (Z**4 + 2 * Z**2 - 3) / (18 * n))
    return found.estimate - half, found.estimate + half


def ends(means: object) -> tuple[Floats, Floats]:
    return means.low, means.high  # type: ignore[attr-defined]


def of_documents(world: World, replicates: int) -> list[list[str]]:
    """Coverage, width and errors of P@10 and nDCG@10 from a sample of pairs."""
    collection = uj.Collection(world.qrels, world.runs, jobs=1)
    names = [run.name for run in world.runs]
    rows = []
    for source, labels in world.labels.items():
        every = JudgeLabels(
            source, LabelOrigin(source), world.qrels.topic_of_row, world.qrels.docs, labels.astype(np.float64)
        )
        for measure in SAMPLED:
            truth = uj.score(world.qrels, world.runs, measure, jobs=1).means[0, 0]
            score = sampling(collection, every, measure, names)
            for rate in RATES:
                rows += sampled_lines(source, measure, rate, score, truth, replicates)
    return rows


def sampling(collection: uj.Collection, labels: JudgeLabels, measure: str, names: list[str]) -> Sampling:
    """Estimates from samples of the judgments, as the studies make them; runs are read once."""
    known = SampledPairs.of(collection.qrels, labels, 1.0)
    inputs = score_inputs(collection, known, read_measures([measure])[0], names)

    def scored(chosen: Flags, rate: float, seed: int) -> SampledScores:
        pairs = known._replace(sampled=chosen, inclusion=np.full(len(chosen), rate))
        return inputs.scores(pairs, seed)

    return scored


def sampled_lines(
    source: str, measure: str, rate: float, scored: Sampling, truth: Floats, replicates: int
) -> list[list[str]]:
    rng = np.random.default_rng(SEED)
    pairs = pairs_of(len(truth))
    every = np.arange(len(truth))
    chosen: dict[str, tuple[tuple[Ints, ...], Floats]] = {
        "means": ((every,), truth),
        "differences": (pairs, truth[pairs[0]] - truth[pairs[1]]),
    }
    found: dict[str, list[list[float]]] = {of: [] for of in chosen}
    for replicate in range(replicates):
        scores = scored(rng.random(PAIRS_OF_DL19) < rate, rate, replicate)
        for of, (rows, true) in chosen.items():
            with_labels, without, _ = scores.estimates(*rows)
            widths = [float((one.high - one.low).mean()) for one in (with_labels, without)]
            errors = [float(((one - true) ** 2).mean()) for one in (with_labels.calibrated, with_labels.estimate)]
            orders = [kendalltau(one, true).statistic for one in (with_labels.calibrated, with_labels.estimate)]
            inside = [held(one.low, one.high, true) for one in (with_labels, without)]
            found[of].append([*inside, *widths, *errors, *orders])
    lines = []
    for of, numbers in found.items():
        inside, plain, width, wide, *rest = np.mean(numbers, axis=0).tolist()
        # Runs of a replicate go together, so that replicates are what varies.
        noise = float(np.std(numbers, axis=0)[0]) / replicates**0.5
        taus = [f"{one:.3f}" for one in rest[2:]] if of == "means" else ["", ""]
        errors = [f"{one**0.5:.3f}" for one in rest[:2]]
        shown = [f"{one:.3f}" for one in (plain, inside, noise, width / wide)]
        lines.append([source, measure, f"{rate:.0%}", of, *shown, *errors, *taus])
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=2000)
    parser.add_argument("--samples", type=int, default=400, help="replicates of samples of pairs")
    given = parser.parse_args()
    world = load(need(SHARED))
    lead = ["source", "measure", "of", "topics"]
    ways = ["classical", "published", "ours", "widened", "labels alone"]
    header = [*lead, *ways, "s.e.", *(f"width, {name}" for name in ways[1:4])]
    topics = layout.markdown(layout.Table(header, of_topics(world, given.replicates), 3))
    header = [
        "source",
        "measure",
        "judged",
        "of",
        "without labels",
        "ours",
        "s.e.",
        "width",
        "RMSE, calibrated",
        "RMSE, estimate",
        "tau, calibrated",
        "tau, estimate",
    ]
    documents = layout.markdown(layout.Table(header, of_documents(world, given.samples), 2))
    truth, machine = (scores(world, one)[1].mean(axis=1) for one in (world.grades, world.labels["UMBRELA"]))
    alone = float(np.sqrt(((machine - truth) ** 2).mean())), kendalltau(machine, truth).statistic
    save_page(
        "label-intervals",
        "# Do intervals with labels hold?\n\n"
        f"`python experiments/label_intervals.py --replicates {given.replicates} --samples {given.samples}`\n\n"
        "DL19, 37 runs, 43 topics. Share of the 95% intervals that hold the truth, over runs (means) or"
        f" {PAIRS} pairs of runs (differences).\n\n"
        f"## Topics\n\nSo many topics judged by people, {FURTHER} by the machine alone, drawn with replacement."
        " Published: PPI++ as in its paper; ours: lambda out of fold, t quantiles. Width: over that of the classical"
        " interval. *s.e.*: Monte Carlo error of the share of ours. Widened: ours, wider for the skewness of residuals"
        " by the first term of its Edgeworth series (Hall, 1992), pooled over runs or pairs.\n\n"
        f"{topics}\n\n## Documents\n\nP@10 (grade 2 or more) and nDCG@10 from a random sample of pairs. Width: over"
        " that of the same estimate without labels. RMSE of run means or differences; Kendall's tau of the runs' order."
        f" By UMBRELA's labels alone, RMSE of run means of P@10 is {alone[0]:.3f} and tau {alone[1]:.3f}.\n\n"
        f"{documents}\n",
        seeds="seed 42",
    )


if __name__ == "__main__":
    main()
