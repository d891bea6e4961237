"""Charts of results: ``uj.plots.scores(uj.score(...))``. Each function gives a chart to look at, to save or to change.

All functions that are declared in ``reports/charts`` are here. Those that are imported below are for editors and type
checkers, which then know their parameters, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from unjudged.reports.charts import all_charts

if TYPE_CHECKING:
    from unjudged.reports.charts.audit_planted import planted as planted
    from unjudged.reports.charts.base import Chart
    from unjudged.reports.charts.compare_budget import budget as budget
    from unjudged.reports.charts.compare_differences import differences as differences
    from unjudged.reports.charts.compare_pairs import pairs as pairs
    from unjudged.reports.charts.compare_ranks import ranks as ranks
    from unjudged.reports.charts.compare_segments import segment_differences as segment_differences
    from unjudged.reports.charts.doctor_holes import holes as holes
    from unjudged.reports.charts.gate_decision import decision as decision
    from unjudged.reports.charts.history_changes import changes as changes
    from unjudged.reports.charts.history_releases import releases as releases
    from unjudged.reports.charts.judges_agreement import judges_agreement as judges_agreement
    from unjudged.reports.charts.judges_confusion import confusion as confusion
    from unjudged.reports.charts.judges_scores import machine_scores as machine_scores
    from unjudged.reports.charts.properties_deviations import deviations as deviations
    from unjudged.reports.charts.properties_means import means_on_images as means_on_images
    from unjudged.reports.charts.properties_prediction import prediction as prediction
    from unjudged.reports.charts.properties_ranks import ranks_on_images as ranks_on_images
    from unjudged.reports.charts.properties_shallow import shallow_pools as shallow_pools
    from unjudged.reports.charts.properties_spread import shallow_spread as shallow_spread
    from unjudged.reports.charts.properties_tests import intervals_against_test as intervals_against_test
    from unjudged.reports.charts.properties_topics import topics_on_images as topics_on_images
    from unjudged.reports.charts.relative_added import relative as relative
    from unjudged.reports.charts.relative_rareness import rareness as rareness
    from unjudged.reports.charts.relative_tasc import tasc as tasc
    from unjudged.reports.charts.relative_unique import unique as unique
    from unjudged.reports.charts.reuse_curves import curves as curves
    from unjudged.reports.charts.reuse_estimates import estimates as estimates
    from unjudged.reports.charts.reuse_left_out import left_out as left_out
    from unjudged.reports.charts.score_intervals import scores as scores
    from unjudged.reports.charts.score_segments import segments as segments
    from unjudged.reports.charts.score_topics import topics as topics


def __getattr__(name: str) -> Callable[..., Chart]:
    """Charts by the names of their functions."""
    if not name.startswith("_"):
        for one in all_charts():
            if one.function.__name__ == name:
                return one.function
    raise AttributeError(f"module 'unjudged.plots' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(one.function.__name__ for one in all_charts())
