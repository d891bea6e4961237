"""Tables of text cells, and numbers as the text of a cell: in one way wherever they are shown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["UNKNOWN", "Rows", "Table", "between", "decimal", "percent", "probability", "signed", "span"]

UNKNOWN = "-"
Rows = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Table:
    """Cells under a header. The first *left* columns are names, the others numbers.

    A *title* is shown on terminals, a *caption* in papers and notebooks. Where there is Python that gives the *whole*
    of it, notebooks cut a long table; *left_out* counts rows that were not even made into cells.
    """

    header: Sequence[str]
    rows: Rows
    left: int = 1
    caption: str = ""
    title: str = ""
    whole: str = ""
    left_out: int = 0


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
