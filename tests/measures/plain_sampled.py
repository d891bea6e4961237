"""xinfAP, infNDCG and their standard errors in plain Python, rank by rank, from the definitions in docs/sampled.md."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable

Ranking = list[str]
Judgments = dict[str, tuple[int, int]]
"""Document to (stratum, grade); a grade below 0 is pooled but not judged."""


def rates(judgments: Judgments) -> tuple[Counter[int], Counter[int]]:
    pooled = Counter(stratum for stratum, _ in judgments.values())
    judged = Counter(stratum for stratum, grade in judgments.values() if grade >= 0)
    return pooled, judged


def xinfap(
    ranking: Ranking,
    judgments: Judgments,
    *,
    cutoff: int | None = None,
    rel: int = 1,
    epsilon: float = 1e-5,
    guess: float = 1 / 3,
) -> float:
    pooled, judged = rates(judgments)
    total = sum(pooled[s] / judged[s] for s, grade in judgments.values() if grade >= rel)
    value = 0.0
    for k, doc in enumerate(ranking[:cutoff], start=1):
        if doc not in judgments or judgments[doc][1] < rel:
            continue
        relevant_above = 0.0
        for stratum in pooled:
            above = [judgments[d][1] for d in ranking[: k - 1] if d in judgments and judgments[d][0] == stratum]
            j, r = sum(grade >= 0 for grade in above), sum(grade >= rel for grade in above)
            relevant_above += len(above) * (r + epsilon) / (j + epsilon / guess)
        value += pooled[judgments[doc][0]] / judged[judgments[doc][0]] * (1 + relevant_above) / k
    return value / total if total else 0.0


def ideal_dcg(counts: dict[float, int], cutoff: int | None, overflows: bool) -> float:
    rank, value = 0, 0.0
    for gain in sorted(counts, reverse=True):
        for i in range(counts[gain]):
            rank += 1
            if cutoff is None or rank <= cutoff or (overflows and i == 0):
                value += gain / math.log2(rank + 1)
    return value


def infndcg(
    ranking: Ranking,
    judgments: Judgments,
    *,
    cutoff: int | None = None,
    gain: Callable[[int], float] = float,
    overflows: bool = True,
) -> float:
    pooled, judged = rates(judgments)
    value = 0.0
    for stratum in pooled:
        ranks = [
            (k, judgments[doc][1])
            for k, doc in enumerate(ranking[:cutoff], start=1)
            if doc in judgments and judgments[doc][0] == stratum
        ]
        seen = [gain(grade) / math.log2(k + 1) for k, grade in ranks if grade >= 0]
        if seen:
            value += len(ranks) * sum(seen) / len(seen)
    estimated: dict[float, float] = {}
    for stratum in sorted(pooled):
        gains = Counter(gain(grade) for s, grade in judgments.values() if s == stratum and grade >= 0)
        for amount, count in gains.items():
            if amount > 0:
                estimated[amount] = estimated.get(amount, 0.0) + count * pooled[stratum] / judged[stratum]
    counts = {amount: math.floor(number + 0.5) for amount, number in estimated.items()}
    ideal = ideal_dcg(counts, cutoff, overflows)
    return value / ideal if ideal else 0.0


def standard_error(
    estimate: Callable[[Ranking, Judgments], float], ranking: Ranking, judgments: Judgments, *, rel: int = 1
) -> float:
    """Leave every judged document out in turn, literally."""
    if not any(doc in judgments for doc in ranking):
        return 0.0
    pooled, judged = rates(judgments)
    if not any(grade >= rel for _, grade in judgments.values()) and judged != pooled:
        return math.nan
    variance = 0.0
    for stratum, n in judged.items():
        if n == pooled[stratum]:
            continue
        if n == 1:
            return math.nan
        values = [
            estimate(ranking, {**judgments, doc: (stratum, -1)})
            for doc, (s, grade) in judgments.items()
            if s == stratum and grade >= 0
        ]
        mean = sum(values) / n
        variance += (1 - n / pooled[stratum]) * (n - 1) / n * sum((value - mean) ** 2 for value in values)
    return math.sqrt(variance)
