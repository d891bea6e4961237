"""The grade scale: levels of grades, and bins of scales that are long."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unjudged as uj
from unjudged.data.scale import ORDINARY_TOP, Scale, binned, scale_of, whole_scale

GRADES = st.lists(st.integers(0, 100_000), min_size=1, max_size=80)


@pytest.mark.parametrize(
    ("grades", "scale"),
    [
        ([0, 0], [0, 1]),
        ([1, 3], [0, 1, 2, 3]),  # a judge could have given a 2
        ([ORDINARY_TOP], list(range(ORDINARY_TOP + 1))),
        ([3, ORDINARY_TOP + 1, 3], [0, 3, ORDINARY_TOP + 1]),
        ([1, 100_000], [0, 1, 100_000]),
    ],
)
def test_ordinary_scales_have_all_whole_numbers_and_long_ones_the_grades_that_occur(
    grades: list[int], scale: list[int]
) -> None:
    assert scale_of(np.array(grades, dtype=np.int32)).grades.tolist() == scale
    assert uj.read_qrels({"1": {f"d{i}": grade for i, grade in enumerate(grades)}}).scale.grades.tolist() == scale


@given(GRADES)
def test_levels_lead_back_to_grades(values: list[int]) -> None:
    grades = np.array(values, dtype=np.int32)
    scale = scale_of(grades)
    levels = scale.levels(grades)
    assert scale.grades[levels].tolist() == scale.grades_at(levels).tolist() == values
    assert scale.top == max(1, *values)
    assert len(scale) <= max(ORDINARY_TOP, len(set(values))) + 1
    assert scale.has(scale)


def test_a_grade_that_is_not_on_the_scale_has_no_level() -> None:
    with pytest.raises(TypeError, match="these grades are not on the scale of the judgments"):
        Scale(np.array([0, 5, 100], dtype=np.int32)).levels(np.array([5, 101], dtype=np.int32))


def test_a_top_that_somebody_gives_makes_a_scale_of_whole_numbers() -> None:
    scale = scale_of(np.array([2, 40], dtype=np.int32))
    assert scale.up_to(40) is scale
    assert scale.up_to(50).grades.tolist() == list(range(51))
    assert not scale.has(whole_scale(3))
    assert scale.has(Scale(np.array([0, 2, 90], dtype=np.int32)))  # what is above the top does not count


@given(GRADES, st.integers(3, 12))
def test_bins(values: list[int], most: int) -> None:
    """Few, in order, grade 0 alone in the first; each stands for the grade in it that is nearest to the mean."""
    grades = np.array([0, *values], dtype=np.int32)
    scale = Scale(np.unique(grades))
    counts = np.bincount(scale.levels(grades), minlength=len(scale))
    bins = binned(scale, counts, most)
    assert len(bins.scale) <= max(most, 1)
    assert (np.diff(bins.of_level) >= 0).all()
    assert (np.diff(bins.scale.grades) > 0).all()
    assert bins.of_level.tolist().count(0) == 1
    for number, grade in enumerate(bins.scale.grades.tolist()):
        inside = [one for one in grades.tolist() if bins.of_level[np.searchsorted(scale.grades, one)] == number]
        mean = sum(inside) / len(inside)
        assert abs(grade - mean) == min(abs(one - mean) for one in inside)


def test_bins_have_about_equally_many_judgments() -> None:
    scale = Scale(np.arange(1001, dtype=np.int32))
    counts = np.ones(1001, dtype=np.int64)
    counts[0] = 5000
    bins = binned(scale, counts, 11)
    assert np.bincount(bins.of_level).tolist() == [1] + [100] * 10
    assert bins.scale.grades.tolist() == [0, *range(50, 1000, 100)]
