"""Packed columns of ids beside plain Python lists."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unjudged.data.ids import Ids, PairIndex, concatenate_ids

strings = st.lists(
    st.text(st.characters(exclude_categories=("Cs",)), max_size=20) | st.sampled_from(["a", "ab", "é"]), max_size=20
)


def ints(values: list[int]) -> np.ndarray:
    return np.array(values, dtype=np.int64)


@given(strings)
def test_a_column_is_a_list_of_strings(values: list[str]) -> None:
    ids = Ids.of(values)
    assert len(ids) == len(values)
    assert list(ids) == values
    assert [ids[i] for i in range(len(values))] == values
    assert [ids[i - len(values)] for i in range(len(values))] == values


@given(strings, st.data())
def test_take_and_slice(values: list[str], data: st.DataObject) -> None:
    ids = Ids.of(values)
    if values:
        rows = data.draw(st.lists(st.integers(0, len(values) - 1), max_size=30))
        assert list(ids.take(ints(rows))) == [values[row] for row in rows]
    first = data.draw(st.integers(0, len(values)))
    last = data.draw(st.integers(first, len(values)))
    part = ids.slice(first, last)
    assert list(part) == values[first:last]
    assert part == Ids.of(values[first:last])
    assert list(part.take(np.arange(len(part)))) == values[first:last]


@given(st.lists(strings, max_size=5))
def test_concatenate(parts: list[list[str]]) -> None:
    assert concatenate_ids([Ids.of(part) for part in parts]) == Ids.of([one for part in parts for one in part])


def test_positions_outside_are_an_index_error() -> None:
    for row in (2, -3):
        with pytest.raises(IndexError):
            Ids.of(["a", "b"])[row]


def test_equality_and_hash() -> None:
    assert Ids.of(["ab", "c"]) == Ids.of(["ab", "c"]) != Ids.of(["a", "bc"])
    assert Ids.of(["a"]) != ["a"]
    with pytest.raises(TypeError):
        hash(Ids.of(["a"]))


def test_repr() -> None:
    assert repr(Ids.of([])) == "Ids(0: )"
    assert repr(Ids.of(["a", "b"])) == "Ids(2: 'a', 'b')"
    assert repr(Ids.of("abcd")) == "Ids(4: 'a', 'b', 'c', ...)"


def test_copies_are_independent() -> None:
    ids = Ids.of(["ab", "c"])
    other = ids.copy()
    other.reorder(0, ints([1, 0]))
    assert list(other) == ["c", "ab"] and list(ids) == ["ab", "c"]


@given(st.lists(st.text(max_size=3)), st.data())
def test_some_rows_in_another_order(strings: list[str], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(strings)))
    last = data.draw(st.integers(first, len(strings)))
    order = data.draw(st.permutations(range(last - first)))
    ids = Ids.of(strings).copy()
    ids.reorder(first, ints(order))
    assert list(ids) == strings[:first] + [strings[first + row] for row in order] + strings[last:]


pairs = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from(["a", "b", "ab", "", "a longer id than 8 bytes", "é"])), max_size=30
)


Pairs = list[tuple[int, str]]


def columns_of(rows: Pairs) -> tuple[np.ndarray, Ids]:
    return ints([group for group, _ in rows]), Ids.of([one for _, one in rows])


@given(pairs, pairs)
def test_pair_index_finds_the_first_row(column: Pairs, wanted: Pairs) -> None:
    rows = PairIndex(*columns_of(column)).find(*columns_of(wanted))
    assert rows.tolist() == [column.index(pair) if pair in column else -1 for pair in wanted]


@given(pairs, pairs, pairs)
def test_what_one_column_lacks_is_looked_up_in_the_next(first: Pairs, second: Pairs, wanted: Pairs) -> None:
    rows = PairIndex(*columns_of(first)).find(*columns_of(wanted))
    result = PairIndex(*columns_of(second)).find_rest(rows, len(first), *columns_of(wanted))
    both = first + second
    assert result.tolist() == [both.index(pair) if pair in both else -1 for pair in wanted]
