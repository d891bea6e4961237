"""What may a label source be used for?"""

from __future__ import annotations

from collections.abc import Set

from unjudged.labels.recognition import RELATED
from unjudged.results.judges import OrderRow

__all__ = ["RULE", "verdict"]

_GOOD_TAU = 0.9
_GOOD_FALSE = 0.05
"""Share of the pairs of runs that may be significant under labels only."""

RULE = (
    "Not to be used: labels that are all the same or inverted, or that go with grades within topics no more than"
    f" shuffled ones (z below {RELATED:g}). Good for order: tau-b of the runs by labels alone and by judgments is at"
    f" least {_GOOD_TAU}, at most {_GOOD_FALSE:.0%} of the pairs of runs are significant by labels only, and no group"
    " (run, where there are no groups) is favoured. Good with correction: all others, and all where no runs are given."
)


def verdict(association: float, odd: Set[str], order: OrderRow | None) -> str:
    """The verdict about a judge: how far its labels go with grades, what is *odd* about them, and the order of runs."""
    if odd & {"constant", "inverted"} or not association >= RELATED:  # also where nothing varies (NaN)
        return "not to be used"
    if order is None or order.tau_b is None:
        return "good with correction"
    few = order.false <= _GOOD_FALSE * order.run_pairs
    return "good for order" if order.tau_b >= _GOOD_TAU and few and not order.favoured else "good with correction"
