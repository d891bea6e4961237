"""What may a label source be used for?"""

from __future__ import annotations

import math
from collections.abc import Set
from typing import NamedTuple

from unjudged.labels.recognition import RELATED
from unjudged.results.judges import OrderRow

__all__ = ["RULE", "Verdict", "verdict"]

_GOOD_TAU = 0.9
_GOOD_FALSE = 0.05
"""Share of the pairs of runs that may be significant under labels only."""

RULE = (
    "Not to be used: labels that are all the same or inverted, or that go with grades within topics no more than"
    f" shuffled ones (z below {RELATED:g}). Good for order: tau-b of the runs by labels alone and by judgments is at"
    f" least {_GOOD_TAU}, at most {_GOOD_FALSE:.0%} of the pairs of runs are significant by labels only, and no group"
    " (run, where there are no groups) is favoured. Good with correction: all others, and all where no runs are given."
)


class Verdict(NamedTuple):
    """What labels may be used for, and what of the rule says so."""

    words: str
    reason: str | None
    """None where nothing but the rule itself does."""


def verdict(association: float, odd: Set[str], order: OrderRow | None) -> Verdict:
    """The verdict about a judge: how far its labels go with grades, what is *odd* about them, and the order of runs."""
    for kind in ("constant", "inverted"):
        if kind in odd:
            return Verdict("not to be used", kind)
    if not association >= RELATED:  # also where nothing varies (NaN)
        return Verdict("not to be used", None if math.isnan(association) else f"z = {association:.1f}")
    if order is None or order.tau_b is None:
        return Verdict("good with correction", None)
    against = []
    if order.tau_b < _GOOD_TAU:
        against.append(f"tau-b {order.tau_b:.3f}")
    if order.false > _GOOD_FALSE * order.run_pairs:
        against.append(f"{order.false / order.run_pairs:.1%} of the pairs of runs by labels only")
    if order.favoured:
        against.append(f"{order.favoured:,} favoured")
    if against:
        return Verdict("good with correction", ", ".join(against))
    return Verdict("good for order", f"tau-b {order.tau_b:.3f}")
