"""How many topics must people judge, beside labels of many more, before an interval is as narrow as somebody wants?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy import special

from unjudged.arrays import Floats
from unjudged.errors import InputError
from unjudged.limits import Real
from unjudged.results.comparison import LEVEL
from unjudged.results.judges import TargetRow
from unjudged.uncertainty.paired import all_pairs
from unjudged.uncertainty.prediction_powered import LEAST_TOPICS

__all__ = ["parse_width", "target_rows"]

_MOST = 1_000_000
"""Topics beyond which nobody judges."""


def parse_width(text: str) -> float:
    """The width of an interval, from ``width=0.02``."""
    name, _, value = text.partition("=")
    try:
        width = float(value)
    except ValueError:
        width = float("nan")
    if name.strip() != "width" or width != width:
        raise InputError(f"a target is the width of an interval, such as width=0.02, not {text!r}")
    return float(Real(0, 2, "neither").checked("the width", width))


def target_rows(
    judge: str, human: Floats, machine: Floats, widths: Sequence[float], per_topic: float
) -> Iterator[TargetRow]:
    """The fewest topics for each width, of a mean and of a difference; *per_topic* is how many judgments a topic has.

    What is seen now are scores (runs, topics) by people and by labels. Residuals are as in
    :func:`unjudged.uncertainty.prediction_powered.prediction_powered`, with so many topics that have labels alone that
    these add nothing to the width. It is the width on average over runs, or pairs of runs.
    """
    first, second = all_pairs(len(human)).T
    seen = {
        "means": (human, machine, 2),
        "differences": (human[first] - human[second], machine[first] - machine[second], 1),
    }
    for of, (y, f, lost) in seen.items():
        if y.shape[1] < LEAST_TOPICS:
            continue
        weight = _weight(y, f)
        with_labels, without = (_deviation(one, lost) for one in (y - weight * f, y))
        for width in widths:
            topics, alone = (_topics(one, width, lost) for one in (with_labels, without))
            judgments = None if topics is None else round(topics * per_topic)
            yield TargetRow(judge, of, width, topics, judgments, alone, weight)


def _weight(y: Floats, f: Floats) -> float:
    """Lambda where labels of all topics there are cost nothing."""
    deviations = f - f.mean(axis=1, keepdims=True)
    square = float((deviations**2).sum())
    return float(np.clip((deviations * y).sum() / square, 0, 1)) if square > 1e-12 else 0.0


def _deviation(residuals: Floats, lost: int) -> float:
    """Mean standard deviation over rows."""
    return float(np.sqrt(residuals.var(axis=1) * residuals.shape[1] / (residuals.shape[1] - lost)).mean())


def _topics(deviation: float, width: float, lost: int) -> int | None:
    """The fewest topics with an interval this narrow; None where there are not so many in the world."""

    def wide(topics: int) -> bool:
        half = float(special.stdtrit(topics - lost, (1 + LEVEL) / 2)) * deviation / topics**0.5
        return bool(2 * half > width)

    low, high = LEAST_TOPICS, _MOST
    if wide(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if wide(middle) else (low, middle)
    return low
