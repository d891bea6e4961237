"""Grades drawn for holes, holes that runs share, and sums of precisions in each draw."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate, pairwise
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_arrays import MASK, ints, offsets_of

from unjudged.kernels.splitmix import GOLDEN, mixed, to_unit


def numbers_of(keys: np.ndarray, draws: int) -> np.ndarray:
    return to_unit(mixed(keys + np.arange(1, draws + 1, dtype=np.uint64)[:, None] * GOLDEN))


class TestDraws:
    @given(st.lists(st.integers(0, MASK), max_size=12), st.integers(1, 20), st.integers(1, 12))
    def test_a_hole_has_the_levels_whose_thresholds_its_number_has_reached(
        self, core: ModuleType, keys: list[int], draws: int, levels: int
    ) -> None:
        rng = np.random.default_rng(levels)
        thresholds = np.sort(rng.random((3, levels)))
        thresholds[0, -1], thresholds[1, 0] = 1.0, 0.0  # never reached, and always
        odds = np.divide(thresholds, 1 - thresholds, out=np.full((3, levels), np.inf), where=thresholds < 1)
        holes, which = np.array(keys, dtype=np.uint64), rng.integers(3, size=len(keys))
        drawn = core.draw_levels(holes, odds, which, np.ones((1, draws)), np.zeros(len(keys), dtype=np.int64))
        assert drawn.dtype == np.int32
        reached = numbers_of(holes, draws)[:, :, None] >= thresholds[which]
        assert drawn.tolist() == reached.sum(axis=2).T.tolist()

    def test_factors_move_the_log_odds_of_numbers(self, core: ModuleType) -> None:
        rng = np.random.default_rng(0)
        keys, moved = rng.integers(2**64, size=40, dtype=np.uint64), rng.integers(3, size=40)
        shifts = rng.normal(size=(50, 3))
        thresholds = np.sort(rng.random((40, 2)))
        which = rng.permutation(40)
        drawn = core.draw_levels(keys, thresholds / (1 - thresholds), which, np.exp(-shifts).T.copy(), moved)
        uniform = numbers_of(keys, 50)
        log_odds = np.log(uniform) - np.log1p(-uniform) + shifts[:, moved]
        limits = np.log(thresholds) - np.log1p(-thresholds)
        assert drawn.tolist() == (log_odds[:, :, None] >= limits[which]).sum(axis=2).T.tolist()

    @pytest.mark.parametrize("draws", [1, 8, 21])
    def test_bits_say_in_which_draws_a_level_is_reached(self, core: ModuleType, draws: int) -> None:
        rng = np.random.default_rng(draws)
        keys, moved = rng.integers(2**64, size=30, dtype=np.uint64), rng.integers(3, size=30)
        odds, factors, which = rng.random((5, 2)).cumsum(axis=1), rng.random((3, draws)), rng.integers(5, size=30)
        counted = rng.integers(2, size=30).astype(np.uint8)
        drawn = core.draw_levels(keys, odds, which, factors, moved)
        for level in (1, 2):
            bits, counts = core.draw_reached(keys, odds[:, level - 1].copy(), which, factors, moved, counted)
            assert bits.shape == (30, -(-draws // 8))
            reached = np.unpackbits(bits, axis=1, count=draws, bitorder="little")
            assert reached.tolist() == (drawn >= level).astype(int).tolist()
            assert counts.tolist() == reached[counted == 1].sum(axis=0).tolist()

    @given(
        st.lists(st.lists(st.integers(0, 5), max_size=6), max_size=4), st.lists(st.booleans(), min_size=6, max_size=6)
    )
    def test_marked_items_are_counted(self, core: ModuleType, rankings: list[list[int]], marks: list[bool]) -> None:
        items = ints([item for ranking in rankings for item in ranking])
        counts = core.count_marked(offsets_of(rankings), items, np.array(marks, dtype=np.uint8))
        assert counts.dtype == np.int64
        assert counts.tolist() == [sum(marks[item] for item in ranking) for ranking in rankings]

    @given(st.data())
    def test_sums_of_precisions(self, core: ModuleType, data: st.DataObject) -> None:
        draws, known = data.draw(st.sampled_from([0, 1, 8, 13])), 4
        flags = np.random.default_rng(data.draw(st.integers(0, 99))).random((known, draws)) < 0.4
        rankings = data.draw(st.lists(st.lists(st.integers(-1, known - 1), max_size=6), max_size=4))
        holes = [hole for ranking in rankings for hole in ranking]
        gaps = [data.draw(st.integers(1, 3)) for _ in holes]
        apart = np.array([data.draw(st.integers(0, 1)) for _ in holes], dtype=np.uint8)
        row_offsets = offsets_of(rankings)
        ranks = ints([rank for start, end in pairwise(row_offsets) for rank in accumulate(gaps[start:end])])
        bits = np.packbits(flags, axis=1, bitorder="little").reshape(known, -1)
        sums, counts = core.sum_precisions(row_offsets, ranks, ints(holes), apart, bits, draws)
        assert sums.shape == counts.shape == (len(rankings), draws)
        for ranking, draw in np.ndindex(sums.shape):
            rows = range(row_offsets[ranking], row_offsets[ranking + 1])
            relevant = [row for row in rows if holes[row] < 0 or flags[holes[row], draw]]
            exact = sum((Fraction(n, int(ranks[row])) for n, row in enumerate(relevant, 1)), Fraction(0))
            assert sums[ranking, draw] == pytest.approx(float(exact), rel=1e-14)
            assert counts[ranking, draw] == sum(int(apart[row]) for row in relevant)


class TestWhatTheCompiledCoreChecks:
    def test_distributions_and_factors_that_do_not_exist(self, fast: ModuleType) -> None:
        keys, one = np.zeros(1, dtype=np.uint64), np.ones((1, 1))
        with pytest.raises(ValueError, match="which must be rows of odds, which has 1"):
            fast.draw_levels(keys, one, ints([1]), one, ints([0]))
        with pytest.raises(ValueError, match="moved must be rows of factors, which has 1"):
            fast.draw_levels(keys, one, ints([0]), one, ints([-1]))
        with pytest.raises(ValueError, match="1 keys, 2 distributions and 1 factors do not fit together"):
            fast.draw_levels(keys, one, ints([0, 0]), one, ints([0]))

    @pytest.mark.parametrize("item", [-1, 2])
    def test_items_that_do_not_exist(self, fast: ModuleType, item: int) -> None:
        with pytest.raises(ValueError, match="items must be rows of marks, which has 2"):
            fast.count_marked(ints([0, 1]), ints([item]), np.zeros(2, dtype=np.uint8))

    def test_holes_and_bits_that_do_not_exist(self, fast: ModuleType) -> None:
        bits, apart = np.zeros((1, 1), dtype=np.uint8), np.zeros(1, dtype=np.uint8)
        with pytest.raises(ValueError, match="holes must be rows of relevant, which has 1, or -1"):
            fast.sum_precisions(ints([0, 1]), ints([1]), ints([1]), apart, bits, 8)
        with pytest.raises(ValueError, match="do not fit together"):
            fast.sum_precisions(ints([0, 1]), ints([1]), ints([0]), apart, bits, 9)
