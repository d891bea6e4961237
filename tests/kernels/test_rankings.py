"""The tie rule, duplicates and repeats in rankings, against sorted() and dicts."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_arrays import as_ids, columns_of_ids, ids_of_few_bytes, ints, offsets_of

Ranking = list[tuple[float, bytes]]


def order(core: ModuleType, rankings: Sequence[Ranking]) -> list[int] | None:
    rows = [row for ranking in rankings for row in ranking]
    scores = np.array([score for score, _ in rows], dtype=np.float64)
    got = core.order_rankings(offsets_of(rankings), scores, *as_ids([data for _, data in rows]))
    assert got is None or got.dtype == np.int64
    return None if got is None else got.tolist()  # type: ignore[no-any-return]


def order_in_python(rankings: Sequence[Ranking]) -> list[int] | None:
    rows: list[int] = []
    for ranking in rankings:
        best_first = sorted(range(len(ranking)), key=ranking.__getitem__, reverse=True)
        rows += [len(rows) + i for i in best_first]
    return None if rows == list(range(len(rows))) else rows


few_scores = st.sampled_from([0.0, -0.0, 1.0, -1.5, 5e-324, 1e308, -1e308])
rankings_with_ties = st.lists(st.lists(st.tuples(few_scores, ids_of_few_bytes), max_size=30), max_size=5)
finite = st.floats(allow_nan=False, allow_infinity=False)


class TestOrderRankings:
    def test_by_score_then_by_id_both_descending(self, core: ModuleType) -> None:
        assert order(core, [[(1.0, b"a"), (2.0, b"b"), (1.0, b"c")]]) == [1, 2, 0]

    def test_rankings_stay_where_they_are(self, core: ModuleType) -> None:
        assert order(core, [[(1.0, b"a")], [], [(1.0, b"a"), (2.0, b"b")], [(9.0, b"a")]]) == [0, 2, 1, 3]

    def test_none_when_they_are_in_order(self, core: ModuleType) -> None:
        assert order(core, [[(2.0, b"a"), (1.0, b"b"), (1.0, b"a")], [(3.0, b"x")]]) is None

    def test_an_id_comes_before_its_own_beginning(self, core: ModuleType) -> None:
        assert order(core, [[(0.0, b""), (0.0, b"d1"), (0.0, b"d10"), (0.0, b"d1\x00")]]) == [2, 3, 1, 0]

    def test_bytes_are_unsigned(self, core: ModuleType) -> None:
        assert order(core, [[(0.0, b"z"), (0.0, "é".encode())]]) == [1, 0]

    def test_zeros_of_both_signs_are_tied(self, core: ModuleType) -> None:
        assert order(core, [[(0.0, b"a"), (-0.0, b"b")]]) == [1, 0]

    def test_infinite_scores_are_tied_too(self, core: ModuleType) -> None:
        inf = float("inf")
        assert order(core, [[(inf, b"a"), (inf, b"b")], [(-inf, b"a"), (-inf, b"b")]]) == [1, 0, 3, 2]

    def test_equal_rows_keep_their_order(self, core: ModuleType) -> None:
        assert order(core, [[(1.0, b"a"), (1.0, b"a"), (2.0, b"b"), (1.0, b"a")]]) == [2, 0, 1, 3]

    @pytest.mark.parametrize("rankings", [[], [[]], [[], []]])
    def test_no_rows(self, core: ModuleType, rankings: list[Ranking]) -> None:
        assert order(core, rankings) is None

    @pytest.mark.parametrize("n", [2, 3, 8, 9, 100, 1001])
    @pytest.mark.parametrize("values", [1, 5, 10**6])
    def test_long_rankings(self, core: ModuleType, n: int, values: int) -> None:
        rng = np.random.default_rng(n)
        rankings = [[(float(rng.integers(values)), b"d%d" % rng.integers(n)) for _ in range(n)] for _ in range(3)]
        assert order(core, rankings) == order_in_python(rankings)

    @given(rankings_with_ties | st.lists(st.lists(st.tuples(finite, ids_of_few_bytes), max_size=20), max_size=5))
    def test_as_sorted(self, core: ModuleType, rankings: list[Ranking]) -> None:
        assert order(core, rankings) == order_in_python(rankings)
        in_order = [sorted(ranking, reverse=True) for ranking in rankings]
        assert order(core, in_order) is None


class TestFindDuplicates:
    def find(self, core: ModuleType, rankings: Sequence[Sequence[bytes]]) -> list[list[int]]:
        ids = [data for ranking in rankings for data in ranking]
        got = core.find_duplicates(offsets_of(rankings), *as_ids(ids))
        assert got.dtype == np.int64
        assert got.shape == (len(got), 2)
        return got.tolist()  # type: ignore[no-any-return]

    def test_a_row_and_the_first_row_with_its_id(self, core: ModuleType) -> None:
        assert self.find(core, [[b"a", b"b", b"a", b"a"], [b"b", b"c"], [b"c", b"c"]]) == [[2, 0], [3, 0], [7, 6]]

    @pytest.mark.parametrize("rankings", [[], [[]], [[b"a"], [], [b"a", b"b"]]])
    def test_none(self, core: ModuleType, rankings: list[list[bytes]]) -> None:
        assert self.find(core, rankings) == []

    @given(st.lists(columns_of_ids, max_size=5))
    def test_as_dict(self, core: ModuleType, rankings: list[list[bytes]]) -> None:
        want = []
        row = 0
        for ranking in rankings:
            first: dict[bytes, int] = {}
            for data in ranking:
                if first.setdefault(data, row) != row:
                    want.append([row, first[data]])
                row += 1
        assert self.find(core, rankings) == want


class TestCountRepeats:
    def test_how_often_an_item_was_there_before(self, core: ModuleType) -> None:
        assert core.count_repeats(ints([0, 0, 0, 1, 1, 3]), ints([2, 0, 2, 2, 2, 2])).tolist() == [0, 0, 1, 0, 1, 0]

    def test_no_rows(self, core: ModuleType) -> None:
        assert core.count_repeats(ints([]), ints([])).tolist() == []

    @given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), max_size=30))
    def test_as_python(self, core: ModuleType, rows: list[tuple[int, int]]) -> None:
        rows.sort(key=lambda row: row[0])
        expected = [rows[:at].count(row) for at, row in enumerate(rows)]
        counts = core.count_repeats(ints([group for group, _ in rows]), ints([item for _, item in rows]))
        assert counts.dtype == np.int64
        assert counts.tolist() == expected

    def test_the_compiled_core_refuses_what_would_write_beyond_arrays(self, fast: ModuleType) -> None:
        with pytest.raises(ValueError, match="do not fit"):
            fast.count_repeats(ints([0, 0]), ints([1]))
        with pytest.raises(ValueError, match="below 0"):
            fast.count_repeats(ints([0]), ints([-1]))
