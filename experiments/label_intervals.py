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

import unjudged as uj
from unjudged.arrays import Floats, Ints
from unjudged.data.qrels import Qrels
from unjudged.data.view import join
from unjudged.labels.calibration import FOLDS, Calibration
from unjudged.reports import layout
from unjudged.uncertainty.difference_estimator import difference_estimate
from unjudged.uncertainty.prediction_powered import classical, prediction_powered, published_ppi

RESULTS = Path(__file__).parent / "results" / "label-intervals.md"
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
    weights = np.zeros((len(world.runs), len(world.grades)))
    topics = len(world.qrels.topics)
    for r, run in enumerate(world.runs):
        view = join(run, world.qrels, depth=10, keep_qrels_rows=True)
        at = view.qrels_rows[view.qrels_rows >= 0]
        weights[r, at] = 1 / (10 * topics)
    relevant = (world.grades >= 2).astype(np.float64)
    first, second = pairs_of(len(weights))
    rows = []
    for source, labels in world.labels.items():
        for rate in RATES:
            for of, matrix in (("means", weights), ("differences", weights[first] - weights[second])):
                rows.append(sampled_line(world, source, labels, rate, of, matrix, relevant, replicates))
    return rows


def sampled_line(
    world: World, source: str, labels: Ints, rate: float, of: str, matrix: Floats, relevant: Floats, replicates: int
) -> list[str]:
    truth, rng = matrix @ relevant, np.random.default_rng(SEED)
    inside, width, wide, errors, calibrated = [], [], [], [], []
    scale = np.array([0.0, 1.0])
    for _ in range(replicates):
        sampled = rng.random(len(relevant)) < rate
        folds = rng.integers(0, FOLDS, len(world.qrels.topics))[world.qrels.topic_of_row]
        expected = np.zeros(len(relevant))
        for fold in range(FOLDS):
            learn = sampled & (folds != fold)
            here = folds == fold
            table = Calibration(labels[learn].astype(float), relevant[learn], scale)
            expected[here] = table.chances(labels[here].astype(float))[:, 1]
        found = difference_estimate(matrix, relevant, expected, sampled, rate)
        plain = difference_estimate(matrix, relevant, np.zeros(len(relevant)), sampled, rate)
        inside.append(held(found.low, found.high, truth))
        width.append(float((found.high - found.low).mean()))
        wide.append(float((plain.high - plain.low).mean()))
        errors.append(((found.estimate - truth) ** 2).mean())
        calibrated.append(((found.calibrated - truth) ** 2).mean())
    rmse = [f"{np.sqrt(np.mean(one)):.3f}" for one in (calibrated, errors)]
    return [source, f"{rate:.0%}", of, f"{np.mean(inside):.3f}", f"{np.mean(width) / np.mean(wide):.3f}", *rmse]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--replicates", type=int, default=2000)
    given = parser.parse_args()
    world = load(given.data)
    lead = ["source", "measure", "of", "topics"]
    header = [*lead, "classical", "published", "ours", "labels alone", "width, published", "width, ours"]
    topics = layout.markdown(layout.Table(header, of_topics(world, given.replicates), 3))
    header = ["source", "judged", "of", "ours", "width", "RMSE, calibrated", "RMSE, estimate"]
    documents = layout.markdown(layout.Table(header, of_documents(world, given.replicates), 1))
    RESULTS.write_text(
        "# Do intervals with labels hold?\n\n"
        f"`python experiments/label_intervals.py --replicates {given.replicates}`\n\n"
        "DL19, 37 runs, 43 topics. Share of the 95% intervals that hold the truth, over runs (means) or"
        f" {PAIRS} pairs of runs (differences).\n\n"
        f"## Topics\n\nSo many topics judged by people, {FURTHER} by the machine alone, drawn with replacement."
        " Published: PPI++ as in its paper; ours: lambda out of fold, t quantiles. Width: over that of the classical"
        " interval.\n\n"
        f"{topics}\n\n## Documents\n\nP@10 (grade 2 or more) from a random sample of pairs. Width: over"
        " that of the same estimate without labels. RMSE of run means or differences.\n\n"
        f"{documents}\n"
    )


if __name__ == "__main__":
    main()
