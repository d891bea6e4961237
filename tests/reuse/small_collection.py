"""A small random collection for studies of reuse: as dicts, so that oracles need nothing of the package."""

from __future__ import annotations

import random

GROUPS = {"a1": "a", "a2": "a", "b1": "b", "c1": "c", "c2": "c", "d1": "d"}
TOPICS = [str(i) for i in range(1, 9)]


def collection(
    seed: int = 5, depth: int = 30
) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """Judgments of all that runs return, and runs whose order follows the grades more or less."""
    rng = random.Random(seed)
    qrels: dict[str, dict[str, int]] = {}
    runs: dict[str, dict[str, dict[str, float]]] = {name: {} for name in GROUPS}
    for topic in TOPICS:
        grades = {f"d{topic}-{i}": rng.choice([0, 0, 0, 0, 1, 1, 2]) for i in range(60)}
        for place, (name, run) in enumerate(runs.items()):
            scored = {doc: grade + rng.gauss(0, 1 + place / 3) for doc, grade in grades.items()}
            best = sorted(scored, key=lambda doc: -scored[doc])[:depth]
            run[topic] = {doc: scored[doc] for doc in best}
            assert name in GROUPS
        returned = {doc for run in runs.values() for doc in run[topic]}
        qrels[topic] = {doc: grades[doc] for doc in sorted(returned)}
    return qrels, runs
