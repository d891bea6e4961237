"""What holds for every measure and every hole model, for the tests of packages that add some; ours use it, too.

>>> from unjudged.testing import check_hole_model, check_measure
>>> check_measure("nDCG@10")
>>> check_hole_model("condensed")

What does not hold raises ``AssertionError`` with a message. Whether the numbers are right is for tests of your own.
"""

from __future__ import annotations

from unjudged.api import read_holes, read_measure
from unjudged.api.reading import HoleLike, MeasureLike
from unjudged.testing.checks import HOLE_MODEL_CHECKS, MEASURE_CHECKS
from unjudged.testing.collections import random_collection, view_for

__all__ = ["HOLE_MODEL_CHECKS", "MEASURE_CHECKS", "check_hole_model", "check_measure", "random_collection", "view_for"]


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
