"""Algorithm 1: a hole gets its target grade, or the highest lower one that is left."""

from __future__ import annotations

import numpy as np
import pytest
from hole_oracles import algorithm_1
from hypothesis import given, settings
from hypothesis import strategies as st

from unjudged.holes.imputation.filling import FEW_GRADES, spend


@st.composite
def targets_and_budgets(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    rankings, draws = draw(st.integers(1, 3)), draw(st.integers(1, 4))
    # Above FEW_GRADES another way is taken, which must give the same.
    holes, top = draw(st.integers(0, 6)), draw(st.sampled_from([1, 2, 4, FEW_GRADES, FEW_GRADES + 1]))
    cells = rankings * draws * holes
    targets = draw(st.lists(st.integers(0, top), min_size=cells, max_size=cells))
    left = draw(st.lists(st.integers(0, 3), min_size=rankings * (top + 1), max_size=rankings * (top + 1)))
    return (
        np.array(targets, dtype=np.int32).reshape(rankings, draws, holes),
        np.array(left, dtype=np.int64).reshape(rankings, top + 1),
    )


@settings(deadline=None, max_examples=300)
@given(targets_and_budgets())
def test_grade_after_grade_gives_what_hole_after_hole_gives(case: tuple[np.ndarray, np.ndarray]) -> None:
    targets, left = case
    expected = [[algorithm_1(draw, left[i].tolist()) for draw in targets[i].tolist()] for i in range(len(targets))]
    assert spend(targets, left).tolist() == expected


@settings(deadline=None)
@given(targets_and_budgets())
def test_no_label_is_above_its_target_and_no_grade_is_given_more_often_than_it_is_left(
    case: tuple[np.ndarray, np.ndarray],
) -> None:
    targets, left = case
    before = targets.copy()
    labels = spend(targets, left)
    assert (labels <= targets).all()
    for grade in range(1, left.shape[1]):
        assert ((labels == grade).sum(axis=2) <= left[:, grade, None]).all()
    np.testing.assert_array_equal(targets, before)


@pytest.mark.parametrize(
    ("targets", "left", "labels"),
    [
        ([2, 2, 2], [9, 1, 1], [2, 1, 0]),  # served in order; each the best that is left
        ([1, 2, 2], [9, 1, 1], [1, 2, 0]),  # who asks first for a 1 gets it before who is turned away above
        ([3, 0, 3], [0, 0, 1], [2, 0, 0]),  # a grade that no judgment has; nothing left at all is grade 0
        ([2, 1], [0, 5, 5], [2, 1]),
        ([], [0, 0], []),
    ],
)
def test_examples(targets: list[int], left: list[int], labels: list[int]) -> None:
    budget = np.array([left + [0] * (4 - len(left))])
    assert spend(np.array([[targets]], dtype=np.int32), budget).tolist() == [[labels]]
    assert algorithm_1(targets, left) == labels
