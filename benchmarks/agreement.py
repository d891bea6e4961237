"""Do the tools agree on the numbers? A fast wrong answer is not a result."""

from __future__ import annotations

import math

TOLERANCE = 1e-4
Means = dict[str, dict[str, list[float]]]


def lines(means: Means) -> list[str]:
    """One line when all agree; otherwise one line per tool and measure that differs."""
    differing = []
    for measure in dict.fromkeys(measure for values in means.values() for measure in values):
        holders = [name for name in means if measure in means[name]]
        judge = "pytrec_eval" if "pytrec_eval" in holders else holders[0]
        for name in holders:
            worst = largest_difference(means[name][measure], means[judge][measure])
            if not worst <= TOLERANCE:
                gap = "has no number" if math.isnan(worst) else f"differs by up to {worst:.2g} in a run's mean"
                differing.append(f"* **{name}, {measure}**: {gap} (beside {judge}).")
    if differing:
        return differing
    return [f"* All tools agree on every run's means to {TOLERANCE:g}."] if len(means) > 1 else []


def largest_difference(ours: list[float], theirs: list[float]) -> float:
    """The largest over the runs; nan when one side has no number where the other has one."""
    gaps = [abs(x - y) for x, y in zip(ours, theirs, strict=True) if not (math.isnan(x) and math.isnan(y))]
    return math.nan if any(math.isnan(gap) for gap in gaps) else max(gaps, default=0.0)
