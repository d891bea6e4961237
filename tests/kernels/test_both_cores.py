"""The two cores have the same functions; the compiled one trusts nobody."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from kernel_arrays import as_ids, as_text, ints

from unjudged.kernels import reference


class TestInterface:
    def test_both_cores_have_the_same_names(self, fast: ModuleType) -> None:
        assert fast.__all__ == reference.__all__
        assert all(callable(getattr(fast, name)) for name in fast.__all__)

    @pytest.mark.parametrize("name", reference.__all__)
    def test_both_cores_have_the_same_parameters(self, fast: ModuleType, name: str) -> None:
        def parameters(function: Callable[..., Any]) -> list[tuple[str, Any, Any]]:
            return [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values()]

        assert parameters(getattr(fast, name)) == parameters(getattr(reference, name))


class TestTheCompiledCoreTrustsNobody:
    """Wrong positions would read foreign memory, so they are errors."""

    @pytest.mark.parametrize(("starts", "ends"), [([-1], [1]), ([0], [4]), ([2], [1]), ([0, 1], [1]), ([], [1])])
    def test_fields_outside_the_text(self, fast: ModuleType, starts: list[int], ends: list[int]) -> None:
        with pytest.raises(ValueError, match="positions in a text of 3 bytes"):
            fast.pack_fields(as_text(b"123"), ints(starts), ints(ends))

    @pytest.mark.parametrize("offsets", [[], [-1, 1], [0, 4], [0, 2, 1]])
    def test_ids_outside_the_blob(self, fast: ModuleType, offsets: list[int]) -> None:
        with pytest.raises(ValueError, match="offsets must ascend from 0 to at most 3"):
            fast.hash_ids(as_text(b"123"), ints(offsets))

    @pytest.mark.parametrize("row_offsets", [[], [0], [1, 2], [0, 1], [0, 3], [0, 3, 2], [1, 3]])
    def test_row_offsets_beyond_the_rows(self, fast: ModuleType, row_offsets: list[int]) -> None:
        with pytest.raises(ValueError, match="row_offsets must ascend from 0 to 2"):
            fast.find_duplicates(ints(row_offsets), *as_ids([b"a", b"b"]))
        with pytest.raises(ValueError, match="row_offsets must ascend from 0 to 2"):
            fast.order_rankings(ints(row_offsets), np.zeros(2), *as_ids([b"a", b"b"]))

    def test_columns_of_different_lengths(self, fast: ModuleType) -> None:
        with pytest.raises(ValueError, match="3 scores, but 2 ids"):
            fast.order_rankings(ints([0, 2]), np.zeros(3), *as_ids([b"a", b"b"]))
        with pytest.raises(ValueError, match="1 groups, but 2 ids"):
            fast.index_ids(ints([0]), *as_ids([b"a", b"b"]))

    def test_an_index_of_another_core(self, fast: ModuleType) -> None:
        column = (ints([0, 0]), *as_ids([b"a", b"b"]))
        with pytest.raises(ValueError, match="no index of 2 ids made by the compiled core"):
            fast.find_ids(reference.index_ids(*column), *column, *column)

    def test_kinds_of_columns_that_do_not_exist(self, fast: ModuleType) -> None:
        with pytest.raises(ValueError, match=r"a column is t, c, n, i or ., not 'x'"):
            fast.cut_rows(as_text(b"1 a\n"), "tx")
        with pytest.raises(ValueError, match="65 columns, but at most 64 can be cut"):
            fast.cut_rows(as_text(b"1 a\n"), "t" * 65)
