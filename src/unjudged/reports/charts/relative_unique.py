"""Relevant documents that no prior run has, against the score, as in Figure 3 of the normalized residual gain paper."""

from __future__ import annotations

from unjudged.reports.charts.base import chart
from unjudged.reports.charts.relative_added import AddedEffectiveness, against_absolute
from unjudged.results.relative import Relative

__all__ = ["unique"]


@chart()
def unique(result: Relative) -> AddedEffectiveness:
    """What runs score against the relevant documents per topic that no prior run has within the pool depth."""
    words = f"Documents of grade {result.rel} or higher that no prior run has. Prior runs: {result.priors}."
    title = f"unique relevant documents per topic in the top {result.pool_depth}"
    return against_absolute(result, "unique", title, "what they alone find", (words,))
