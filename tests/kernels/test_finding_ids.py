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


def hash_in_python(data: bytes) -> int:
    value = len(data) * 0x9E3779B97F4A7C15 & MASK
    for at in range(0, len(data), 8):
        value = (value ^ int.from_bytes(data[at : at + 8], "little")) * 0xD6E8FEB86659FD93 & MASK
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
    found: NDArray[np.int64] = core.find_ids(core.index_ids(*column), *column, *others)
    return found


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
