"""Small random collections whose runs have no ties."""

from __future__ import annotations

import random

DEPTH = 4
Runs = dict[str, dict[str, dict[str, float]]]
Judged = dict[str, dict[str, int]]


def collection(seed: int, runs: int = 5, topics: int = 6) -> tuple[Judged, Runs]:
    rng = random.Random(seed)
    docs = [f"d{i}" for i in range(12)]
    names = [str(i) for i in range(topics)]
    judged = {topic: {doc: rng.choice([0, 1, 2]) for doc in rng.sample(docs, 8)} for topic in names}
    rankings = {
        f"run{i}": {topic: {doc: float(-place) for place, doc in enumerate(rng.sample(docs, 7))} for topic in names}
        for i in range(runs)
    }
    return judged, rankings


def top(run: dict[str, dict[str, float]], topic: str, depth: int = DEPTH) -> list[str]:
    return sorted(run[topic], key=lambda doc: -run[topic][doc])[:depth]
