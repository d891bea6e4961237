"""Rareness-based precision against the score of runs, as in Figure 4 of the normalized residual gain paper."""

from __future__ import annotations

from unjudged.reports.charts.base import chart
from unjudged.reports.charts.relative_added import AddedEffectiveness, against_absolute
from unjudged.results.relative import Relative

__all__ = ["rareness"]

_RANKINGS = {"topic": "for the topic", "collection": "for any topic (released code)"}


@chart()
def rareness(result: Relative) -> AddedEffectiveness:
    """What runs score against rareness-based precision, in which documents count more that few of all runs return."""
    alpha, which = result.settings["alpha"], _RANKINGS[str(result.settings["rareness"])]
    words = (
        f"A relevant document counts 1, and {alpha:g} times the share of all runs that do not have it {which} on top."
    )
    title = f"rareness-based precision at {result.pool_depth}"
    return against_absolute(result, "rareness", title, "how rare their documents are", (words,))
