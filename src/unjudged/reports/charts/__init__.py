"""Charts of results, one module each: a function that says what is shown, and a class that draws it.

Nothing here loads Altair until something is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from unjudged.errors import InputError
from unjudged.reports.charts.added import plot_relative
from unjudged.reports.charts.agreement_curves import plot_curves
from unjudged.reports.charts.base import Chart
from unjudged.reports.charts.budget import plot_budget
from unjudged.reports.charts.differences import plot_differences
from unjudged.reports.charts.hole_map import plot_holes
from unjudged.reports.charts.intervals import plot_scores
from unjudged.reports.charts.left_out import plot_left_out
from unjudged.reports.charts.pairs import plot_pairs
from unjudged.reports.charts.ranks import plot_ranks
from unjudged.reports.charts.topic_distributions import plot_topics
from unjudged.reports.charts.writing import check_file
from unjudged.results.comparison import Comparison
from unjudged.results.reuse import Reuse

__all__ = [
    "CHARTS",
    "Chart",
    "check_file",
    "choose",
    "default_name",
    "plot_budget",
    "plot_curves",
    "plot_differences",
    "plot_holes",
    "plot_left_out",
    "plot_pairs",
    "plot_ranks",
    "plot_relative",
    "plot_scores",
    "plot_topics",
]

CHARTS: Mapping[str, Mapping[str, Callable[[Any], Chart]]] = {
    "doctor": {"holes": plot_holes},
    "score": {"intervals": plot_scores, "topics": plot_topics},
    "compare": {"pairs": plot_pairs, "differences": plot_differences, "ranks": plot_ranks, "budget": plot_budget},
    "relative": {"added": plot_relative},
    "reuse": {"curves": plot_curves, "left-out": plot_left_out},
}
"""The charts of each command's result, by the names that ``--chart`` takes."""


def choose(command: str, name: str) -> Callable[[Any], Chart]:
    """The chart of a command with this name."""
    there = CHARTS[command]
    if name not in there:
        raise InputError(f"unjudged {command} has no chart {name!r}; there is {', '.join(there)}")
    return there[name]


def default_name(command: str, result: Any) -> str:
    """The chart that says most about this result: the first of its command, where that one can be drawn."""
    if isinstance(result, Comparison) and result.baseline is not None:
        return "differences"
    if isinstance(result, Reuse) and not result.curves():
        return "left-out"
    return next(iter(CHARTS[command]))
