"""A small collection with groups of runs, a pool and a newcomer, for tests of what other runs say about holes."""

from __future__ import annotations

import math
import random

Judgments = dict[str, dict[str, int]]
Ranked = dict[str, list[str]]
"""A run: documents of each topic, best first."""

DEPTH = 6


def as_runs(rankings: dict[str, Ranked]) -> dict[str, dict[str, dict[str, float]]]:
    """Runs as dictionaries of scores."""
    return {
        name: {topic: {doc: float(-place) for place, doc in enumerate(docs)} for topic, docs in ranked.items()}
        for name, ranked in rankings.items()
    }


def collection(
    seed: int = 1, *, groups: int = 6, runs: int = 2, topics: int = 20, docs: int = 120, grades: int = 3
) -> tuple[Judgments, dict[str, Ranked], dict[str, str]]:
    """All grades, rankings by run, and the group of each run. Groups differ in how good they are."""
    rng = random.Random(seed)
    truth: Judgments = {}
    for t in range(topics):
        rate = rng.uniform(0.05, 0.3)
        truth[f"t{t}"] = {f"d{i}": rng.randrange(1, grades) if rng.random() < rate else 0 for i in range(docs)}
    rankings: dict[str, Ranked] = {}
    group_of: dict[str, str] = {}
    for g in range(groups):
        skill = 0.4 + 1.2 * g / groups
        # Runs of a group share a taste, so that they find the same wrong and the same unusual documents.
        taste = {topic: {doc: rng.gauss(0, 1) for doc in grades_} for topic, grades_ in truth.items()}
        for r in range(runs):
            name = f"g{g}r{r}"
            group_of[name] = f"g{g}"
            rankings[name] = {
                topic: sorted(
                    grades_,
                    key=lambda doc, topic=topic, taste=taste: (
                        -skill * truth[topic][doc] - taste[topic][doc] - rng.gauss(0, 0.5)
                    ),
                )[:60]
                for topic, grades_ in truth.items()
            }
    return truth, rankings, group_of


def pooled(truth: Judgments, rankings: dict[str, Ranked], contributing: list[str], depth: int = DEPTH) -> Judgments:
    """The judgments of what contributing runs have within the depth."""
    return {
        topic: {
            doc: grade
            for doc, grade in grades.items()
            if any(doc in rankings[run][topic][:depth] for run in contributing)
        }
        for topic, grades in truth.items()
    }


def log_odds(grade: float, top: int) -> float:
    """As the features have it."""
    share = grade / top
    return math.log((share + 0.02) / (1 - share + 0.02))
