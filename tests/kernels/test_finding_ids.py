"""Hashes of ids, and looking up pairs of a group and an id, against dicts."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from kernel_arrays import MASK, as_ids, assert_same, ids_of_few_bytes, ints
from numpy.typing import NDArray

LENGTH, WORD = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93


def hash_in_python(data: bytes) -> int:
    value = len(data) * LENGTH & MASK
    for at in range(0, len(data), 8):
        value = (value ^ int.from_bytes(data[at : at + 8], "little")) * WORD & MASK
        value ^= value >> 29
    value = value * 0xFF51AFD7ED558CCD & MASK
    return value ^ value >> 32


class TestHashIds:
    def test_zeros_at_the_end_count(self, core: ModuleType) -> None:
        assert len(set(core.hash_ids(*as_ids([b"", b"\x00", b"\x00\x00", b"a", b"a\x00"])).tolist())) == 5

    @given(st.lists(ids_of_few_bytes | st.binary(max_size=40)))
    @example([b"x" * 5000, b"", b"y"])
    def test_as_python(self, core: ModuleType, ids: list[bytes]) -> None:
        assert_same(core.hash_ids(*as_ids(ids)), [hash_in_python(data) for data in ids], np.uint64)

    def test_a_part_of_a_column(self, core: ModuleType) -> None:
        blob, offsets = as_ids([b"d1", b"document-two", b"d3", b"d4"])
        assert_same(core.hash_ids(blob, offsets[1:4]), map(hash_in_python, [b"document-two", b"d3"]), np.uint64)


def find(
    core: ModuleType, pairs: Sequence[tuple[int, bytes]], wanted: Sequence[tuple[int, bytes]]
) -> NDArray[np.int64]:
    column = (ints([group for group, _ in pairs]), *as_ids([data for _, data in pairs]))
    others = (ints([group for group, _ in wanted]), *as_ids([data for _, data in wanted]))
    rows: NDArray[np.int64] = core.find_ids(core.index_ids(*column), *column, *others)
    return rows


groups = st.integers(-1, 2) | st.integers(-(2**63), 2**63 - 1)
pairs_of_group_and_id = st.lists(st.tuples(groups, ids_of_few_bytes), max_size=30)


class TestFindIds:
    def test_the_row_of_a_pair(self, core: ModuleType) -> None:
        pairs = [(0, b"d1"), (0, b"d2"), (1, b"d1")]
        assert_same(find(core, pairs, [(1, b"d1"), (1, b"d2"), (0, b"d1"), (0, b"d")]), [2, -1, 0, -1], np.int64)

    def test_the_first_row_of_a_repeated_pair(self, core: ModuleType) -> None:
        assert_same(find(core, [(0, b"d2"), *[(0, b"d1")] * 1000], [(0, b"d1")]), [1], np.int64)

    @pytest.mark.parametrize("n", [0, 1])
    def test_empty_columns(self, core: ModuleType, n: int) -> None:
        assert_same(find(core, [], [(0, b"d1")] * n), [-1] * n, np.int64)
        assert_same(find(core, [(0, b"d1")] * n, []), [], np.int64)

    def test_many_rows(self, core: ModuleType) -> None:
        pairs = [(i % 7, b"d%d" % (i % 5003)) for i in range(20_000)]
        rows: dict[tuple[int, bytes], int] = {}
        for row, pair in enumerate(pairs):
            rows.setdefault(pair, row)
        wanted = [*pairs, (9, b"d1"), (0, b"d99999")]
        assert_same(find(core, pairs, wanted), [rows.get(pair, -1) for pair in wanted], np.int64)

    @given(pairs_of_group_and_id, pairs_of_group_and_id)
    def test_as_dict(self, core: ModuleType, pairs: list[tuple[int, bytes]], more: list[tuple[int, bytes]]) -> None:
        rows = {pair: row for row, pair in reversed(list(enumerate(pairs)))}
        wanted = more + pairs
        assert_same(find(core, pairs, wanted), [rows.get(pair, -1) for pair in wanted], np.int64)


def ids_of_one_hash(count: int) -> list[bytes]:
    """Different ids with the same hash: the second word takes back whatever the first one changed."""
    ids = []
    for number in range(count):
        value = (16 * LENGTH ^ number) * WORD & MASK
        value ^= value >> 29
        ids.append(number.to_bytes(8, "little") + (value ^ 0x0123456789ABCDEF).to_bytes(8, "little"))
    return ids


def ids_of_one_place(count: int) -> list[bytes]:
    """Different ids of one word that a table of this hash and of group 0 would put in one place."""
    group, final, word = (pow(factor, -1, 2**64) for factor in (0xC4CEB9FE1A85EC53, 0xFF51AFD7ED558CCD, WORD))
    ids = []
    for lower in range(count):
        value = (0x01234567 << 32 | lower) * group & MASK
        value = (value ^ value >> 32) * final & MASK
        value = (value ^ value >> 29 ^ value >> 58) * word & MASK
        ids.append((value ^ 8 * LENGTH & MASK).to_bytes(8, "little"))
    return ids


CHOSEN = {"hash": ids_of_one_hash, "place": ids_of_one_place}


def most_steps(core: ModuleType, index: NDArray[np.int64], rows: int) -> int:
    """The most rows that a look-up may have to go through."""
    if core.__name__.endswith("reference"):
        return int(np.unique(index[-rows:], return_counts=True)[1].max())  # rows with the same key
    shelves = (
        index[-10 * (rows // 8) :].reshape(-1, 10)[:, :2].copy().view(np.uint8)
    )  # 16 places, of which half are used
    full = (shelves > 0).all(axis=1)
    has_room = np.flatnonzero(~np.concatenate([full, full]))  # twice, because the end leads to the beginning
    return 16 * int(np.diff(has_room).max())


class TestChosenIds:
    """Ids that somebody chose so that they collide."""

    @pytest.mark.parametrize("alike", CHOSEN)
    def test_they_are_what_they_should_be(self, core: ModuleType, alike: str) -> None:
        ids = CHOSEN[alike](1000)
        hashes = core.hash_ids(*as_ids(ids))
        places = hashes * np.uint64(0xC4CEB9FE1A85EC53) >> np.uint64(32)
        assert len(set(ids)) == 1000
        assert len(set((hashes if alike == "hash" else places).tolist())) == 1

    @pytest.mark.parametrize("alike", CHOSEN)
    @pytest.mark.parametrize("ordered", [True, False])
    def test_look_ups_stay_short(self, core: ModuleType, alike: str, ordered: bool) -> None:
        ids = CHOSEN[alike](4000)
        groups = ints([0] * 4000 if ordered else [-1, *[0] * 3999])
        steps = most_steps(core, core.index_ids(groups, *as_ids(ids)), 4000)
        assert steps <= 200  # some 30 by chance; 4,000 where all collide

    @pytest.mark.parametrize("alike", CHOSEN)
    def test_they_are_found(self, core: ModuleType, alike: str) -> None:
        ids = CHOSEN[alike](300)
        pairs = [(0, data) for data in ids]
        wanted = [*reversed(pairs), (1, ids[0])]
        assert_same(find(core, pairs[:200], wanted), [-1] * 100 + [*reversed(range(200)), -1], np.int64)
        repeated = core.find_duplicates(ints([0, 301]), *as_ids([*ids, ids[7]]))
        assert repeated.tolist() == [[300, 7]]

    def test_an_index_is_good_in_another_process(self, core: ModuleType) -> None:
        """Each has a secret of its own, and carries it."""
        column = (ints([0, 0]), *as_ids([b"d1", b"a-long-document-id"]))
        indexes = [core.index_ids(*column) for _ in range(3)]
        assert len({int(index[0]) for index in indexes}) == 3
        for index in indexes:
            assert_same(core.find_ids(index, *column, *column), [0, 1], np.int64)
