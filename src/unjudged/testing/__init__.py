"""What holds for every measure, hole model and strategy, for tests of packages that add some; and tests of releases.

>>> from unjudged.testing import check_hole_model, check_measure, check_strategy
>>> check_measure("nDCG@10")
>>> check_hole_model("condensed")
>>> check_strategy("mtf")

A search team asks in its own tests whether the new ranking is worse: :func:`assert_not_worse`.

What does not hold raises ``AssertionError`` with a message. Whether the numbers are right is for tests of your own.
"""

from __future__ import annotations

from unjudged.api import read_holes, read_measure
from unjudged.api.reading import HoleLike, MeasureLike, StrategyLike, read_strategies
from unjudged.testing.checks import HOLE_MODEL_CHECKS, MEASURE_CHECKS
from unjudged.testing.collections import random_collection, view_for
from unjudged.testing.releases import assert_not_worse
from unjudged.testing.strategy_checks import STRATEGY_CHECKS

__all__ = [
    "HOLE_MODEL_CHECKS",
    "MEASURE_CHECKS",
    "STRATEGY_CHECKS",
    "assert_not_worse",
    "check_hole_model",
    "check_measure",
    "check_strategy",
    "random_collection",
    "view_for",
]


def check_measure(measure: MeasureLike) -> None:
    """Check what holds for every measure, on small collections with holes, ties, gaps and empty topics."""
    one = read_measure(measure)
    for check in MEASURE_CHECKS:
        check(one)


def check_hole_model(model: HoleLike, *measures: MeasureLike) -> None:
    """Check what holds for every hole model, with nDCG@10, AP and P@5 unless other *measures* are given."""
    chosen = [read_measure(one) for one in measures or ("nDCG@10", "AP", "P@5")]
    for one in read_holes(model):
        for check in HOLE_MODEL_CHECKS:
            check(one, chosen)


def check_strategy(strategy: StrategyLike) -> None:
    """Check what holds for every strategy, on small collections with holes, gaps and documents that nobody judged."""
    for one in read_strategies(strategy):
        for check in STRATEGY_CHECKS:
            check(one)
