"""Which method does the evidence speak for, and what does it say about new systems?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from unjudged.errors import some_of
from unjudged.results.reuse_rows import AgreementRow, MethodRow, RunRow
from unjudged.wording import counted

__all__ = ["RULE", "RULE_OF_AGREEMENT", "method_rows", "verdict"]

_MOST = 0.95
"""Share of the left-out runs that the verdict is about."""
_GOOD_TAU = 0.9
_GOOD_LOSS = 0.05
"""A loss of ranks up to this share of the number of runs is small."""

_KNOWN_ENOUGH = 0.5
"""A run of whose documents more than this share was never judged says little about methods."""
_LEAST_TRIED = 5
"""From fewer left-out runs with holes, 95% of them are no number."""
_OPEN = 0.05
"""A run with more documents than this share that nobody ever judged is a reason for doubt, unless most left-out runs
lost as many."""
_COARSE = 0.05
"""If one pair of runs the other way round changes tau-b by more, there are too few runs to know methods by."""

RULE_OF_AGREEMENT = (
    "Recommended is the method with the highest mean tau-b, then the lowest RMSE; it is to be trusted where its tau-b"
    f" is at least {_GOOD_TAU}."
)
RULE = (
    "Recommended is the method by which left-out runs that had holes are wrong by the fewest ranks, of equals that with"
    " the highest mean tau-b, then the lowest RMSE. A collection can judge new systems if"
    f" tau-b is at least {_GOOD_TAU}, {_MOST:.0%} of the left-out runs lose at most {_GOOD_LOSS:.0%} of the ranks (at"
    " least one), and no run at hand has more documents that were never judged than half of them lost (above"
    f" {_OPEN:.0%}); it can with care if one of the first two holds. It takes at least {_LEAST_TRIED} left-out runs"
    " that had holes to know."
)


def method_rows(correlations: Sequence[AgreementRow], leaveout: Sequence[RunRow]) -> tuple[MethodRow, ...]:
    """All methods, grouped by what they estimate, best first."""
    leaving = {row.degradation for row in leaveout}
    deciding = [row for row in correlations if row.degradation in leaving] or list(correlations)
    rows: list[MethodRow] = []
    for truth in dict.fromkeys(row.truth for row in correlations):
        candidates = []
        # A method that gives all runs one score orders none; it must not win by the degradations where it orders some.
        orders = {row.degradation for row in deciding if row.truth == truth and row.tau_b is not None}
        for measure, holes in dict.fromkeys((row.measure, row.holes) for row in correlations if row.truth == truth):
            method = (truth, measure, holes)
            mine = [row for row in deciding if _method(row) == method]
            changes = [row.change for row in leaveout if _method(row) == method and _counts(row)]
            ordered = [row for row in mine if row.degradation in orders]
            tau = None if any(row.tau_b is None for row in ordered) else _mean([row.tau_b for row in ordered])
            rmse = _mean([row.rmse for row in mine])
            wrong = float(np.mean(np.abs(changes))) if changes else None
            tried = len(changes) if leaveout else None
            candidates.append(MethodRow(*method, False, tau, rmse, wrong, _loss(changes), tried))
        candidates.sort(key=_badness)
        best = candidates[0]
        rows += [best._replace(recommended=best.tau_b is not None), *candidates[1:]]
    return tuple(rows)


def verdict(
    methods: Sequence[MethodRow],
    correlations: Sequence[AgreementRow],
    leaveout: Sequence[RunRow],
    runs: int,
    what: str,
    later: str | None = None,
) -> str:
    """What the first recommended method says about new systems; *what* was left out, such as ``group``, or nothing.

    *later* are the judgments that are the truth, where there are any.
    """
    best = methods[0]
    named = f"{best.measure}, {best.holes}"
    if not what:
        taus = {row.degradation: row.tau_b for row in correlations if _method(row) == _method(best)}
        truth = "the truth" if later is None else f"the scores under {later}"
        no_new = (
            " Nothing is said about new systems, because no degradation leaves runs out (LeaveOutGroup, LeaveOutRun)."
        )
        return f"{_trust(named, taus, truth, best.rmse, runs)}{_few(runs)}{no_new if later is None else ''}"
    mine = [row for row in leaveout if _method(row) == _method(best)]
    if best.loss is None or not best.tried:
        return (
            f"Nothing is known about new systems: without any {what}, all that {best.measure} reads of its runs is"
            f" still judged, so no method was tried.{_doubt(mine, runs)}"
        )
    doubt = _doubt(mine, runs)
    small = best.loss <= max(1.0, _GOOD_LOSS * runs)
    close = best.tau_b is not None and best.tau_b >= _GOOD_TAU
    can = "can" if small and close and not doubt else "can, with care," if small or close else "cannot"
    most = "no rank" if best.loss == 0 else f"at most {best.loss:g} {'rank' if best.loss == 1 else 'ranks'}"
    tried = (
        f"a new {what}'s run with holes loses {most} of {runs} in {_MOST:.0%} of cases, and tau-b with the truth is"
        f" {_shown(best.tau_b)} ({named}; tried on {counted(best.tried, 'run')})"
    )
    if best.tried < _LEAST_TRIED:
        return (
            f"Little is known about new systems, because only {counted(best.tried, 'left-out run')} had holes to try"
            f" methods on, and it takes {_LEAST_TRIED}: {tried}.{doubt}"
        )
    return f"This collection {can} judge new systems: {tried}.{doubt}"


def _trust(named: str, taus: Mapping[str, float | None], truth: str, rmse: float | None, runs: int) -> str:
    """Whether the best method puts runs in nearly the true order, with each of the degradations."""
    known = [tau for tau in taus.values() if tau is not None]
    if not known:
        return f"Trust none of the methods that were tried: they put the runs in no order to compare with {truth}."
    good = [name for name, tau in taus.items() if tau is not None and tau >= _GOOD_TAU]
    bad = [name for name in taus if name not in good]
    if not good:
        return (
            f"Trust none of the methods that were tried: the tau-b of the best, {named}, with {truth} is"
            f" {'' if len(known) == 1 else 'at most '}{max(known):.3f}."
        )
    if bad:
        taus_there = [tau for name in bad if (tau := taus[name]) is not None]
        lowest = f"tau-b down to {min(taus_there):.3f}" if taus_there else "tau-b undefined"
        return (
            f"Trust {named} after {some_of(good, 3)}, where its tau-b with {truth} is at least {_GOOD_TAU}; not after"
            f" {some_of(bad, 3)} ({lowest})."
        )
    least = "" if len(known) == 1 else "at least "
    return (
        f"Trust {named}: of the methods that were tried it comes closest to {truth}, with tau-b {least}"
        f"{min(known):.3f} and an RMSE of {_shown(rmse)} over {counted(runs, 'run')}."
    )


def _few(runs: int) -> str:
    """What one pair of runs means to tau-b, where that is much."""
    step = 4 / (runs * (runs - 1))
    if step <= _COARSE:
        return ""
    return f" But {runs} runs are few to know it by: one pair the other way round changes tau-b by {step:.2f}."


def _doubt(rows: Sequence[RunRow], runs: int) -> str:
    """The runs with more holes than was tried on most runs: nobody knows how wrong their scores are."""
    lost = [row.lost for row in rows if row.lost]
    usual = float(np.median(lost)) if lost else 0.0
    open_share = {row.run: row.never_judged for row in rows if row.never_judged > max(_OPEN, usual)}
    if not open_share:
        return ""
    names = [f"{share:.0%} ({run})" for run, share in sorted(open_share.items(), key=lambda one: (-one[1], one[0]))]
    tried = f"half of the left-out runs lost {usual:.0%} at most" if lost else "nothing like it was tried"
    return (
        f" But that says little of runs with as many holes as {len(open_share)} of these {runs}, whose true scores"
        f" nobody knows: of what is read of them, {some_of(names, 3)} was never judged; {tried}."
    )


def _method(row: AgreementRow | RunRow | MethodRow) -> tuple[str, str, str]:
    return row.truth, row.measure, row.holes


def _counts(row: RunRow) -> bool:
    """Whether a left-out run says something about methods."""
    return row.lost > 0 and row.never_judged <= _KNOWN_ENOUGH


def _badness(row: MethodRow) -> tuple[float, ...]:
    """What the rule looks at, in its order; what is not known counts as worst."""
    better_if_low = (row.rank_error, None if row.tau_b is None else -row.tau_b, row.rmse)
    return tuple(math.inf if value is None else value for value in better_if_low)


def _loss(changes: Sequence[float]) -> float | None:
    """The fewest ranks that at least 95% of the runs lose at most; 0 where they lose none."""
    return max(0.0, _at_most(changes)) if changes else None


def _at_most(values: Sequence[float]) -> float:
    """The least number that at least 95% of the values do not exceed."""
    ordered = np.sort(values)
    return float(ordered[math.ceil(_MOST * len(ordered)) - 1])


def _mean(values: Sequence[float | None]) -> float | None:
    given = [value for value in values if value is not None]
    return float(np.mean(given)) if given else None


def _shown(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"
