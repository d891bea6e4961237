"""The tie rule, duplicates and repeats in rankings, against sorted() and dicts."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_arrays import as_ids, columns_of_ids, ids_of_few_bytes, ints, offsets_of

from unjudged.kernels import reference

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


class TestMatchRankings:
    """Everything at once is what the other kernels give one by one."""

    @given(rankings_with_ties, st.lists(st.tuples(st.integers(0, 2), ids_of_few_bytes), max_size=30), st.booleans())
    def test_as_in_python(
        self, core: ModuleType, rankings: list[Ranking], judged: list[tuple[int, bytes]], in_order: bool
    ) -> None:
        judged = sorted(judged, key=lambda pair: pair[0]) if in_order else judged
        own = (ints([group for group, _ in judged]), *as_ids([data for _, data in judged]))
        groups = [i % 4 - 1 for i in range(len(rankings))]  # -1 and others that nobody judged among them
        rows = [row for ranking in rankings for row in ranking]
        ids = as_ids([data for _, data in rows])
        scores = np.array([score for score, _ in rows], dtype=np.float64)
        got, found, is_repeated = core.match_rankings(
            offsets_of(rankings), ints(groups), scores, *ids, core.index_ids(*own), *own
        )
        want = order_in_python(rankings)
        of_pair = {pair: row for row, pair in reversed(list(enumerate(judged)))}
        pairs = [(group, data) for group, ranking in zip(groups, rankings, strict=True) for _, data in ranking]
        assert (got is None, [] if got is None else got.tolist()) == (want is None, want or [])
        assert found.tolist() == [of_pair.get(pairs[row], -1) for row in want or range(len(rows))]
        assert is_repeated == any(len({data for _, data in one}) < len(one) for one in rankings)

    def test_many_documents(self, core: ModuleType) -> None:
        own = (ints(np.repeat([0, 1], 3000).tolist()), *as_ids([b"doc%d" % (2 * i) for i in range(6000)]))
        ids = as_ids([b"doc%d" % i for i in range(10_000)])
        offsets, scores = ints([0, 5000, 10_000]), np.arange(10_000.0)
        order, found, is_repeated = core.match_rankings(offsets, ints([0, 1]), scores, *ids, core.index_ids(*own), *own)
        assert order.tolist() == [*range(4999, -1, -1), *range(9999, 4999, -1)]
        rows = {(i >= 3000, b"doc%d" % (2 * i)): i for i in range(6000)}
        assert found.tolist() == [rows.get((row >= 5000, b"doc%d" % row), -1) for row in order.tolist()]
        assert is_repeated is False

    def test_columns_that_do_not_fit(self, fast: ModuleType) -> None:
        own = (ints([0]), *as_ids([b"a"]))
        with pytest.raises(ValueError, match="1 scores for 1 ids, 2 groups for 1 rankings"):
            fast.match_rankings(ints([0, 1]), ints([0, 0]), np.zeros(1), *as_ids([b"a"]), fast.index_ids(*own), *own)


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


odd_ids = st.sampled_from(["", " d", "d ", "é", "dé1", "\ud800d", "d\x1f", 7, ("d",)])
odd_scores = st.sampled_from([float("nan"), float("inf"), "1", True, 10**400, None, np.float32(1), np.float64(2)])


class TestPackRankings:
    @given(
        st.lists(
            st.dictionaries(
                st.text("abc1", min_size=1, max_size=40) | odd_ids, st.floats() | st.integers() | odd_scores, max_size=4
            )
            | st.just([("a", 1.0)]),
            max_size=4,
        )
    )
    def test_both_cores_take_the_same(self, fast: ModuleType, rankings: list[object]) -> None:
        got, want = fast.pack_rankings(rankings), reference.pack_rankings(rankings)
        assert (got is None) == (want is None)
        for one, other in zip(got or (), want or (), strict=True):
            assert one.dtype == other.dtype
            assert one.tolist() == other.tolist()

    def test_columns(self, core: ModuleType) -> None:
        blob, offsets, scores, row_offsets = core.pack_rankings([{"a": 1.5, "bcd" * 50: 2}, {}, {"a": -3.0}])
        assert blob.tobytes() == b"a" + b"bcd" * 50 + b"a"
        assert (offsets.tolist(), scores.tolist(), row_offsets.tolist()) == (
            [0, 1, 151, 152],
            [1.5, 2, -3],
            [0, 2, 2, 3],
        )
