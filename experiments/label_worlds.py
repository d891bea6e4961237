"""Judgments, runs and what every label source at hand says about the same pairs: where intervals with labels are tried.

DL19 has runs, and labels of two language models; a constant, an inverted and a random source are made up. The 33 judges
of the LLMJudge challenge (DL23) have no runs: the order of passages by each judge's labels is one, so that every
judge also labels a run that is its own.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from collections_at_hand import need

import unjudged as uj
from unjudged.arrays import Floats, Ints
from unjudged.data.qrels import Qrels

__all__ = ["MEASURES", "PAIRS", "World", "dl19_world", "dl23_world", "held", "pairs_of", "scores"]

MEASURES = ["nDCG@10", "P(rel=2)@10", "AP(rel=2)"]
PAIRS = 150
SEED = 3
MADE_UP = ["constant", "inverted", "random"]


class World(NamedTuple):
    """Judgments, runs, and every source's labels for the judged pairs."""

    qrels: Qrels
    runs: list[uj.Run]
    grades: Ints
    labels: dict[str, Ints]


def dl19_world(data: Path) -> World:
    folder = need(data / "dl19")
    qrels = uj.read_qrels(folder / "2019qrels-pass.txt")
    grades = qrels.grades.astype(np.int64)
    files = {"UMBRELA": "umbrella_gpt-4_zeroshot_dl19.txt.gz", "Sun": "TREMA_Sun.qrel.gz"}
    labels = {name: labels_of(qrels, folder / "llm_labels" / file) for name, file in files.items()}
    labels["Sun"] = 2 * labels["Sun"]  # yes is grade 2
    labels |= made_up(labels["UMBRELA"])
    return World(qrels, list(uj.read_runs(folder / "runs")), grades, labels)


def dl23_world(data: Path) -> World:
    folder = need(data / "judges" / "llmjudge-dl23")
    qrels = uj.read_qrels(folder / "human.qrels.gz")
    files = sorted((folder / "labels").iterdir())
    labels = {path.name.split(".")[0]: labels_of(qrels, path) for path in files}
    topics, docs = qrels.topic_of_row.tolist(), list(qrels.docs)
    runs = []
    for name, values in labels.items():
        rows: dict[str, dict[str, float]] = {}
        for topic, doc, value in zip(topics, docs, values.tolist(), strict=True):
            rows.setdefault(qrels.topics[topic], {})[doc] = float(value)
        runs.append(uj.read_run(rows, name=name))
    return World(qrels, runs, qrels.grades.astype(np.int64), labels)


def made_up(labels: Ints) -> dict[str, Ints]:
    """Labels that say nothing, and those that say the opposite."""
    rng = np.random.default_rng(SEED)
    return dict(zip(MADE_UP, (np.full(len(labels), 1), 3 - labels, rng.integers(0, 4, len(labels))), strict=True))


def labels_of(qrels: Qrels, path: Path) -> Ints:
    """The label of each judged pair."""
    given = uj.read_qrels(path)
    position = np.array([given.topic_rows.get(topic, -1) for topic in qrels.topics])
    rows = given.pairs.find(position[qrels.topic_of_row], qrels.docs)
    return np.where(rows >= 0, given.grades[rows], 0).astype(np.int64)


def scores(world: World, grades: Ints) -> Floats:
    """Scores (measures, runs, topics)."""
    result = uj.score(with_grades(world, grades), world.runs, MEASURES, jobs=1)
    return result.values[0][:, :, [result.topics.index(topic) for topic in world.qrels.topics]]


def with_grades(world: World, grades: Ints) -> Qrels:
    return uj.read_qrels(
        [
            (world.qrels.topics[t], doc, grade)
            for t, doc, grade in zip(world.qrels.topic_of_row.tolist(), world.qrels.docs, grades.tolist(), strict=True)
        ]
    )


def held(low: Floats, high: Floats, truth: Floats) -> Floats:
    """Which intervals hold the truth."""
    return (low <= truth + 1e-12) & (truth <= high + 1e-12)


def pairs_of(runs: int) -> tuple[Ints, Ints]:
    """Some pairs of runs, always the same ones."""
    first, second = np.triu_indices(runs, 1)
    chosen = np.random.default_rng(0).choice(len(first), PAIRS, replace=False)
    return first[chosen], second[chosen]
