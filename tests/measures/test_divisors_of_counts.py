"""What measures are divided by, from numbers of judgments alone, is what it is with the judgments written out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unjudged.data.qrels import judgments_of
from unjudged.data.scale import Scale
from unjudged.measures import measures

SPELLINGS = [
    "nDCG@1",
    "nDCG@3",
    "nDCG@20",
    "nDCG",
    "nDCG(dcg='exp-log2')@5",
    "nDCG(gains={0: 0.5, 1: 7.0})@4",
    "nDCG(gains={1: -1.0, 2: 1.0})@4",
]


@pytest.mark.parametrize("spelling", SPELLINGS)
@given(
    counts=st.lists(st.lists(st.integers(0, 9), min_size=4, max_size=4), min_size=1, max_size=5),
    grades=st.sampled_from([[0, 1, 2, 3], [0, 1, 2, 9], [0.0, 0.25, 1.0, 2.0]]),
)
def test_of_counts(spelling: str, counts: list[list[int]], grades: list[Any]) -> None:
    measure, scale = measures.parse(spelling), Scale(np.array(grades))
    written_out = measure.divisor(judgments_of(np.array(counts), scale))
    counted = measure.divisor_of_counts(np.array(counts), scale)
    assert written_out is not None
    assert counted is not None
    assert counted.tolist() == written_out.tolist()
