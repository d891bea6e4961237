"""Which runs a chart shows, and under which names: whatever their number, labels do not overlap."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from unjudged.reports.layout import shorten
from unjudged.wording import visible

__all__ = ["TOP", "names_axis", "rest", "run_axis", "short_names"]

TOP = 40
"""Runs that a chart with one line for each shows; more do not fit on a page."""
_LONGEST = 36
_PIXELS = 260
"""That names beside an axis may have; the longest that :func:`short_names` leaves fit."""


def short_names(names: Sequence[str]) -> list[str]:
    """Names as they are shown, with the middle of long ones left out; still different from each other."""
    out: list[str] = []
    taken: set[str] = set()
    for name in map(visible, names):
        short, number = shorten(name, _LONGEST), 1
        while short in taken:
            number += 1
            short = f"{shorten(name, _LONGEST - 4)} ({number})"
        taken.add(short)
        out.append(short)
    return out


def run_axis(alt: Any, runs: Sequence[str], *, field: str = "run", **axis: Any) -> Any:
    """A line for each run, in this order, with its name beside it."""
    return alt.Y(f"{field}:N", title=None, scale=alt.Scale(domain=runs), axis=names_axis(alt, **axis))


def names_axis(alt: Any, **axis: Any) -> Any:
    """An axis that has names."""
    return alt.Axis(labelLimit=_PIXELS, **axis)


def rest(
    what: str, shown: int, total: int, hidden: Sequence[float] = (), *, of: str = "runs", form: str = ".3f"
) -> tuple[str, ...]:
    """What a chart leaves out, in words; nothing where it leaves nothing out.

    *what* are those that it shows ("best"); *hidden* are values of the others, NaN where they are undefined.
    """
    if shown >= total:
        return ()
    text = f"The {what} {shown} of {total} {of}"
    defined = [value for value in hidden if not math.isnan(value)]
    if not defined:
        return (text + ".",)
    low, high = min(defined), max(defined)
    others = "the other has" if total - shown == 1 else f"the other {total - shown} have"
    return (f"{text}; {others} {low:{form}}" + ("." if high == low else f" to {high:{form}}."),)
