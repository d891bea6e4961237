"""Do intervals from a few human and many machine judgments hold? Draws topics, and pairs, from DL19.

Topics: a replicate draws 10, 15 or 25 topics that people judged and 150 that only a machine did, with replacement,
from the 43 of DL19; the truth is the mean over the 43. Documents: a replicate judges each pair with probability 5, 10
or 20%; the truth is P@10 (grade 2 or more) with all judgments. Label sources: two language models, and a
constant, an inverted and a random one.

    python experiments/label_intervals.py --data ../shared/data --replicates 2000

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
from scipy.sparse import csr_array
from scipy.stats import kendalltau

import unjudged as uj
from unjudged.arrays import Floats, Ints
from unjudged.data.qrels import Qrels
from unjudged.data.view import join
from unjudged.labels.expected_gains import expected_gains
from unjudged.reports import layout
from unjudged.uncertainty.difference_estimator import difference_estimate
from unjudged.uncertainty.prediction_powered import classical, prediction_powered, published_ppi

MEASURES = ["nDCG@10", "P(rel=2)@10", "AP(rel=2)"]
SIZES = [10, 15, 25]
FURTHER = 150
RATES = [0.05, 0.1, 0.2]
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
        *(f"{np.mean(width[one]) / usual:.3f}" for one in ("published", "ours")),
    ]


def ends(means: object) -> tuple[Floats, Floats]:
    return means.low, means.high  # type: ignore[attr-defined]


def of_documents(world: World, replicates: int) -> list[list[str]]:
    """Coverage, width and errors of P@10 from a sample of pairs."""
    topics, pairs = len(world.qrels.topics), len(world.grades)
    reciprocal, at, ends = np.zeros(pairs), [], [0]
    for run in world.runs:
        view = join(run, world.qrels, depth=1000, keep_qrels_rows=True)
        inside = np.flatnonzero(view.qrels_rows >= 0)
        np.add.at(reciprocal, view.qrels_rows[inside], 1 / (60 + view.rank[inside]))
        at.append(view.qrels_rows[inside][view.rank[inside] <= 10])
        ends.append(ends[-1] + len(at[-1]))
    rows = np.concatenate(at)
    weights = csr_array((np.full(len(rows), 1 / (10 * topics)), rows, np.array(ends)), shape=(len(world.runs), pairs))
    first, second = pairs_of(len(world.runs))
    matrices = {"means": weights, "differences": weights[first] - weights[second]}
    return [
        line
        for source, labels in world.labels.items()
        for rate in RATES
        for line in sampled_lines(world, source, labels, np.log(reciprocal + 1 / 2000), rate, matrices, replicates)
    ]


def sampled_lines(
    world: World,
    source: str,
    labels: Ints,
    retrieved: Floats,
    rate: float,
    matrices: dict[str, csr_array],
    replicates: int,
) -> list[list[str]]:
    relevant, rng = (world.grades >= 2).astype(np.float64), np.random.default_rng(SEED)
    topics = world.qrels.topic_of_row
    by_topic = (np.bincount(topics, labels) / np.bincount(topics))[topics]
    features = np.stack([retrieved, by_topic], axis=1)
    found: dict[str, list[list[float]]] = {of: [] for of in matrices}
    for replicate in range(replicates):
        sampled = rng.random(len(relevant)) < rate
        belief = expected_gains(labels.astype(float), features, topics, sampled, relevant, seed=replicate)
        for of, matrix in matrices.items():
            truth = matrix @ relevant
            with_labels, without = (
                difference_estimate(matrix, relevant, one, sampled, rate) for one in (belief, 0 * belief)
            )
            widths = [float((one.high - one.low).mean()) for one in (with_labels, without)]
            errors = [float(((one - truth) ** 2).mean()) for one in (with_labels.calibrated, with_labels.estimate)]
            orders = [kendalltau(one, truth).statistic for one in (with_labels.calibrated, with_labels.estimate)]
            found[of].append([held(with_labels.low, with_labels.high, truth), *widths, *errors, *orders])
    lines = []
    for of, numbers in found.items():
        inside, width, wide, *rest = np.mean(numbers, axis=0).tolist()
        taus = [f"{one:.3f}" for one in rest[2:]] if of == "means" else ["", ""]
        errors = [f"{one**0.5:.3f}" for one in rest[:2]]
        lines.append([source, f"{rate:.0%}", of, f"{inside:.3f}", f"{width / wide:.3f}", *errors, *taus])
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=2000)
    parser.add_argument("--samples", type=int, default=400, help="replicates of samples of pairs")
    given = parser.parse_args()
    world = load(need(SHARED))
    lead = ["source", "measure", "of", "topics"]
    header = [*lead, "classical", "published", "ours", "labels alone", "width, published", "width, ours"]
    topics = layout.markdown(layout.Table(header, of_topics(world, given.replicates), 3))
    header = [
        "source",
        "judged",
        "of",
        "ours",
        "width",
        "RMSE, calibrated",
        "RMSE, estimate",
        "tau, calibrated",
        "tau, estimate",
    ]
    documents = layout.markdown(layout.Table(header, of_documents(world, given.samples), 1))
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
        " interval.\n\n"
        f"{topics}\n\n## Documents\n\nP@10 (grade 2 or more) from a random sample of pairs. Width: over"
        " that of the same estimate without labels. RMSE of run means or differences; Kendall's tau of the runs' order."
        f" By UMBRELA's labels alone, RMSE of run means is {alone[0]:.3f} and tau {alone[1]:.3f}.\n\n"
        f"{documents}\n",
        seeds="seed 42",
    )


if __name__ == "__main__":
    main()
