"""TaSC against the score of runs, as in Figure 5 of the normalized residual gain paper."""

from __future__ import annotations

from unjudged.reports.charts.base import chart
from unjudged.reports.charts.relative_added import AddedEffectiveness, against_absolute
from unjudged.results.relative import Relative

__all__ = ["tasc"]


@chart()
def tasc(result: Relative) -> AddedEffectiveness:
    """What runs score against TaSC: their score on each topic times what the best prior run leaves open there."""
    own = result.settings["tasc"] == "group"
    priors = "the best run of the run's own group (released code)" if own else result.priors
    words = f"(1 - the highest score of a prior run) times the run's own, by topic. Prior runs: {priors}."
    return against_absolute(result, "tasc", f"TaSC of {result.absolute}", "what prior runs leave open", (words,))
