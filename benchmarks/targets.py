"""The promises of the project about speed and memory, held against what was measured."""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING

from generate import COLLECTIONS

if TYPE_CHECKING:
    from results import Results

MISSED = "**missed**"
LINEAR_UP_TO = 1.1  # exponent of the growth: 1 is linear, the rest is noise


def rows(measured: Results) -> list[list[str]]:
    """Target, measured value, verdict; a target that was not measured says so."""
    checks = [
        at_least(
            f"({case}) cold, {times} times as fast as pytrec_eval",
            ratio(measured, case, "pytrec_eval", "unjudged"),
            times,
            "x",
        )
        for case, times in (("a", 4), ("b", 10), ("c", 10))
    ]
    checks.append(at_most("(c) memory, at most 150 MB", measured.memory("c", "unjudged"), 150, "MB"))
    for case in ("a", "b", "c"):
        value = ratio(measured, case, "unjudged-reference", "ir_measures")
        checks.append(at_most(f"({case}) NumPy core, no slower than ir_measures", value, 1, "x its time"))
    more = start(measured, "import unjudged") - start(measured, "import numpy")
    checks.append(at_most("`import unjudged`, at most 0.1 s more than NumPy", more, 0.1, "s more"))
    checks.append(at_most("`unjudged --help`, at most 0.2 s", start(measured, "unjudged --help"), 0.2, "s"))
    for name in ("unjudged", "unjudged-reference"):
        label = f"{name}: cost grows linearly with rows (exponent at most {LINEAR_UP_TO})"
        checks.append(at_most(label, exponent(measured, name), LINEAR_UP_TO, ""))
    label = "`import unjudged` loads no pandas, scipy.stats, rich, altair"
    if measured.forbidden is None:
        return [*checks, [label, "not measured", ""]]
    return [*checks, [label, f"loaded: {', '.join(measured.forbidden) or 'none'}", verdict(not measured.forbidden)]]


def exponent(measured: Results, tool: str) -> float:
    """Least-squares slope of log seconds (start and import left out) over log rows."""
    points = []
    for factor, outcomes in measured.linear.items():
        outcome = outcomes.get(tool)
        if outcome and outcome.cold:
            joint = outcome.phase("parse and score")
            seconds = outcome.phase("parse") + outcome.phase("score") if math.isnan(joint) else joint
            points.append((math.log(COLLECTIONS[f"linear-{factor}"].rows), math.log(seconds)))
    if len(points) < 2:
        return math.nan
    x0, y0 = (sum(column) / len(points) for column in zip(*points, strict=True))
    return sum((x - x0) * (y - y0) for x, y in points) / sum((x - x0) ** 2 for x, _ in points)


def ratio(measured: Results, case: str, tool: str, other: str) -> float:
    return measured.cold(case, tool) / measured.cold(case, other)


def start(measured: Results, label: str) -> float:
    return median(measured.imports.get(label, [math.nan]))


def at_most(label: str, value: float, limit: float, unit: str) -> list[str]:
    return judge(label, value, value <= limit, unit)


def at_least(label: str, value: float, limit: float, unit: str) -> list[str]:
    return judge(label, value, value >= limit, unit)


def judge(label: str, value: float, met: bool, unit: str) -> list[str]:
    if math.isnan(value):
        return [label, "not measured", ""]
    return [label, f"{value:.2f} {unit}".strip(), verdict(met)]


def verdict(met: bool) -> str:
    return "met" if met else MISSED
