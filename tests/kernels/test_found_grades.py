"""Grades of the rows that a look-up found."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest


def test_grades_and_states_of_what_was_found(core: ModuleType) -> None:
    grades, states = np.array([3, 0, 1], dtype=np.int32), np.array([2, 1, 2], dtype=np.uint8)
    found, known = core.found_grades(np.array([2, -1, 0, 1]), grades, states)
    assert (found.tolist(), known.tolist()) == ([1, 0, 3, 0], [2, 0, 2, 1])
    assert (found.dtype, known.dtype) == (np.int32, np.uint8)


def test_nothing_to_look_at(core: ModuleType) -> None:
    nothing = np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.uint8)
    found, known = core.found_grades(np.array([-1, -1]), *nothing)
    assert (found.tolist(), known.tolist()) == ([0, 0], [0, 0])


def test_rows_that_are_not_there(fast: ModuleType) -> None:
    with pytest.raises(ValueError, match="below 1"):
        fast.found_grades(np.array([0, 1]), np.zeros(1, dtype=np.int32), np.zeros(1, dtype=np.uint8))
