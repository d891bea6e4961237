"""Which method does the evidence speak for, and what does it say about new systems?"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from unjudged.results.reuse import AgreementRow, LeftOutRow, MethodRow

__all__ = ["RULE", "method_rows", "verdict"]

_MOST = 0.95
"""Share of the left-out runs that the verdict is about."""
_GOOD_TAU = 0.9
_GOOD_LOSS = 0.05
"""A loss of ranks up to this share of the number of runs is small."""

_KNOWN_ENOUGH = 0.5
"""Share of topics for which the truth must be known, for a run's rank to say something."""

RULE = (
    "Recommended is the method by which left-out runs are wrong by the fewest ranks, of equals, or where no run is left"
    " out, that with the highest mean tau-b, then the lowest RMSE. A collection can judge new systems if tau-b is at"
    f" least {_GOOD_TAU} and {_MOST:.0%} of the left-out runs lose at most {_GOOD_LOSS:.0%} of the ranks (at least"
    " one); it can with care if one of the two holds."
)


def method_rows(correlations: Sequence[AgreementRow], leaveout: Sequence[LeftOutRow]) -> tuple[MethodRow, ...]:
    """All methods, grouped by what they estimate, best first."""
    leaving = {row.degradation for row in leaveout}
    deciding = [row for row in correlations if row.degradation in leaving] or list(correlations)
    rows: list[MethodRow] = []
    for truth in dict.fromkeys(row.truth for row in correlations):
        methods = dict.fromkeys((row.measure, row.holes) for row in correlations if row.truth == truth)
        candidates = []
        for measure, holes in methods:
            mine = [row for row in deciding if (row.truth, row.measure, row.holes) == (truth, measure, holes)]
            losses = [
                row.change
                for row in leaveout
                if (row.measure, row.holes) == (measure, holes) and row.known >= _KNOWN_ENOUGH
            ]
            tau, rmse = (_mean([getattr(row, name) for row in mine]) for name in ("tau_b", "rmse"))
            wrong = float(np.mean(np.abs(losses))) if losses else None
            candidates.append(MethodRow(truth, measure, holes, False, tau, rmse, wrong, _loss(losses)))
        candidates.sort(key=_badness)
        rows += [candidates[0]._replace(recommended=True), *candidates[1:]]
    return tuple(rows)


def verdict(methods: Sequence[MethodRow], runs: int, what: str) -> str:
    """One sentence about the first recommended method; *what* was left out, such as ``group``, or nothing."""
    best = methods[0]
    named = f"{best.measure}, {best.holes}"
    if best.loss is None or not what:
        return (
            f"Trust {named}: tau-b {_shown(best.tau_b)} with the truth. Nothing is said about new systems, because no"
            " degradation leaves runs out (LeaveOutGroup, LeaveOutRun)."
        )
    small = best.loss <= max(1.0, _GOOD_LOSS * runs)
    close = best.tau_b is not None and best.tau_b >= _GOOD_TAU
    can = "can judge" if small and close else "can judge, with care," if small or close else "cannot judge"
    most = "no rank" if best.loss == 0 else f"at most {best.loss:g} {'rank' if best.loss == 1 else 'ranks'}"
    return (
        f"This collection {can} new systems: a new {what}'s run loses {most} of {runs} in {_MOST:.0%} of"
        f" cases, and tau-b with the truth is {_shown(best.tau_b)} ({named})."
    )


def _badness(row: MethodRow) -> tuple[float, ...]:
    """What the rule looks at, in its order; what is not known counts as worst."""
    better_if_low = (row.rank_error, None if row.tau_b is None else -row.tau_b, row.rmse)
    return tuple(math.inf if value is None else value for value in better_if_low)


def _loss(changes: Sequence[float]) -> float | None:
    """The fewest ranks that at least 95% of the runs lose at most; 0 where they lose none."""
    if not changes:
        return None
    ordered = np.sort(changes)
    return max(0.0, float(ordered[math.ceil(_MOST * len(ordered)) - 1]))


def _mean(values: Sequence[float | None]) -> float | None:
    given = [value for value in values if value is not None]
    return float(np.mean(given)) if given else None


def _shown(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"
