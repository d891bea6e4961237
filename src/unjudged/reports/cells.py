"""Numbers as the text of a cell, in one way wherever they are shown."""

from __future__ import annotations

import math

__all__ = ["UNKNOWN", "between", "decimal", "percent", "probability", "signed", "span"]

UNKNOWN = "-"


def decimal(value: float | None, places: int = 4) -> str:
    """A number with so many decimals."""
    return UNKNOWN if _missing(value) else f"{value:.{places}f}"


def signed(value: float | None) -> str:
    """A difference, with its sign; without one where it would be 0."""
    if value is None or math.isnan(value):
        return UNKNOWN
    return f"{value:+.3f}" if abs(value) >= 0.0005 else "0.000"


def percent(value: float | None) -> str:
    """A share."""
    return UNKNOWN if _missing(value) else f"{value:.1%}"


def probability(value: float) -> str:
    """A p-value."""
    return "<.0001" if value < 0.0001 else f"{value:.4f}"


def between(low: float | None, high: float | None) -> str:
    """What a number lies between; empty where that leaves one number only."""
    if _missing(low) or _missing(high):
        return UNKNOWN
    return "" if low == high else f"{low:.4f}-{high:.4f}"


def span(low: float | None, high: float | None, *, with_sign: bool = False) -> str:
    """Two ends of an interval beside each other."""
    if low is None or high is None:
        return UNKNOWN
    return f"{signed(low)} {signed(high)}" if with_sign else f"{low:.4f} {high:.4f}"


def _missing(value: float | None) -> bool:
    return value is None or math.isnan(value)
