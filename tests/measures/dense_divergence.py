"""The divergence measures as the paper defines them: dense models over the whole vocabulary, one loop per formula."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

Model = dict[str, float]


def smoothed(words: Sequence[str], collection: Model, mu: float) -> Model:
    """Dirichlet smoothing (Zhai): (tf + mu P(v|D)) / (length + mu)."""
    counts = Counter(words)
    return {v: (counts[v] + mu * p) / (len(words) + mu) for v, p in collection.items()}


def divergence(one: Model, other: Model) -> float:
    return math.fsum(p * math.log(p / other[v]) for v, p in one.items())


def gains(ranking: Sequence[Sequence[str]], subtopics: Sequence[Sequence[str]], collection: Model, mu: float):
    """g(i, j), a list for each subtopic with text."""
    rows = []
    for words in filter(None, subtopics):
        model = smoothed(words, collection, mu)
        apart = divergence(model, collection)
        seen: list[str] = []
        row = []
        for document in ranking:
            seen += document
            close = 1 - divergence(model, smoothed(seen, collection, mu)) / apart if apart > 1e-12 else 0.0
            row.append(max(0.0, close))
        rows.append(row)
    return rows


def score(name: str, gains: list[list[float]], cutoff: int, theta: float = 0.8) -> float:
    """ABSNB, ABSRB, DELTANB or DELTARB, from the gains."""
    total = 0.0
    for j in range(min(cutoff, len(gains[0]))):
        if name.startswith("ABS"):
            gain = max(row[j] for row in gains)
        else:
            gain = max(0.0, max(row[j] - (row[j - 1] if j else 0.0) for row in gains))
        total += gain * (theta**j if name.endswith("RB") else 1.0)
    return total * (1 - theta if name.endswith("RB") else 1.0)
