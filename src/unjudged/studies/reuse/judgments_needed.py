"""How many judgments are enough: curves of statistics against judgments, and the first point that reaches a target."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from unjudged.engine.numerics.reuse_tallies import STATISTICS
from unjudged.errors import InputError
from unjudged.limits import Real
from unjudged.results.reuse_rows import CurveRow, TargetRow
from unjudged.studies.reuse.outcomes import Findings

__all__ = ["Target", "parse_target", "target_rows"]

_CURVES = (*STATISTICS, *Findings._fields)
_MORE_IS_BETTER = {"tau_b", "tau_a", "tau_ap", "pearson", "recall", "significant_kept"}
_LIMITS = dict.fromkeys(_MORE_IS_BETTER, Real(-1, 1)) | dict.fromkeys(Findings._fields, Real(0, 1))
_LIMITS |= {"rmse": Real(0, closed="left"), "bias": Real(closed="neither")}
_ALIASES = {"tau": "tau_b"}


@dataclass(frozen=True)
class Target:
    """A statistic that should reach a value."""

    statistic: str
    value: float

    def reached(self, value: float) -> bool:
        """Whether a value is as good as the target; bias is the better the nearer it is to 0."""
        if self.statistic == "bias":
            return abs(value) <= abs(self.value)
        return value >= self.value if self.statistic in _MORE_IS_BETTER else value <= self.value


def parse_target(text: str) -> Target:
    """``tau=0.9``, ``rmse=0.02``.

    >>> parse_target("tau=0.9")
    Target(statistic='tau_b', value=0.9)
    """
    name, equals, number = (part.strip() for part in text.partition("="))
    statistic = _ALIASES.get(name, name)
    if statistic not in _CURVES or not equals:
        raise InputError(f"cannot read target {text!r}; write a statistic ({', '.join(_CURVES)}) as in tau=0.9")
    try:
        value = float(number)
    except ValueError:
        raise InputError(f"target {text!r}: {number!r} is not a number") from None
    return Target(statistic, _LIMITS[statistic].checked(f"target {text!r}: {statistic}", value))


def target_rows(curves: Sequence[CurveRow], targets: Iterable[Target]) -> tuple[TargetRow, ...]:
    """For each curve, the fewest judgments from which on the target is reached, at all numbers that were tried."""
    rows = []
    for target in targets:
        by_curve: dict[tuple[str, str, str, str], list[CurveRow]] = {}
        for point in curves:
            if point.statistic == target.statistic:
                by_curve.setdefault((point.family, point.measure, point.holes, point.truth), []).append(point)
        for curve, points in by_curve.items():
            reached = None
            for point in sorted(points, key=lambda point: -point.judgments):
                if not target.reached(point.value):
                    break
                reached = point
            at = (
                (None,) * 4
                if reached is None
                else (reached.degradation, reached.judgments, reached.share, reached.value)
            )
            rows.append(TargetRow(*curve, target.statistic, target.value, *at))
    return tuple(rows)
