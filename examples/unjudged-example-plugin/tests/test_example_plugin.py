"""The classes give the numbers that they should, and hold what holds for all measures and hole models."""

from __future__ import annotations

import pytest
from unjudged_example_plugin import Hurwicz, SlidingRatio

import unjudged as uj
from unjudged.testing import check_hole_model, check_measure

QRELS = {"1": {"a": 3, "b": 1, "c": 1, "d": 0}, "2": {"a": 0}}
RUN = {"1": {"d": 9.0, "b": 8.0, "x": 7.0, "a": 6.0}, "2": {"x": 1.0}}


@pytest.mark.parametrize("measure", [SlidingRatio, SlidingRatio @ 5, SlidingRatio @ 1], ids=str)
def test_the_measure_is_sound(measure: SlidingRatio) -> None:
    check_measure(measure)


@pytest.mark.parametrize("model", ["hurwicz", Hurwicz(optimism=0.0), Hurwicz(optimism=1.0)], ids=str)
def test_the_hole_model_is_sound(model: Hurwicz) -> None:
    check_hole_model(model, "nDCG@10", "AP", "SlidingRatio@5")


@pytest.mark.parametrize(
    ("name", "expected"),
    [("SlidingRatio@1", 0 / 3), ("SlidingRatio@2", 1 / 4), ("SlidingRatio@4", 4 / 5), ("SlidingRatio", 4 / 5)],
)
def test_the_measure_is_found_over_possible_gain(name: str, expected: float) -> None:
    scores = uj.score(QRELS, RUN, name).per_topic()
    assert [row.value for row in scores] == pytest.approx([expected, 0.0])


def test_the_hole_model_is_as_far_up_as_one_is_optimistic() -> None:
    scores = uj.score(QRELS, {"mine": RUN}, "SlidingRatio@4", holes=["bounds", "hurwicz(optimism=0.25)"])
    known = next(row for row in scores.per_topic() if row.topic == "1" and row.holes == "bounds")
    # The hole at rank 3 could have the grade of c, which was not retrieved.
    assert (known.low, known.high) == pytest.approx((4 / 5, 5 / 5))
    estimate = next(row for row in scores.per_topic() if row.topic == "1" and row.holes != "bounds")
    assert estimate.value == pytest.approx(4 / 5 + 0.25 * 1 / 5)
