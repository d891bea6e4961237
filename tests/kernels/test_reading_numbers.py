"""Numbers in files, against Python's float and int, to the last bit."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_arrays import assert_same, cut_column, is_field


def parse_in_python(fields: Sequence[bytes], number: Callable[[bytes], Any], fits: Callable[[Any], bool]) -> list[Any]:
    """The numbers up to the first field that is none."""
    values: list[Any] = []
    for field in fields:
        try:
            value = number(field)
        except ValueError:
            return values
        if b"_" in field or not fits(value):
            return values
        values.append(value)
    return values


def bits(values: Sequence[float]) -> list[bytes]:
    return [struct.pack("<d", value) for value in values]  # so that NaN equals NaN, and -0.0 does not equal 0.0


def assert_numbers_as_python(core: ModuleType, fields: Sequence[bytes]) -> None:
    got, starts = cut_column(core, fields, "n")
    assert len(starts) == len(fields)
    assert got.dtype == np.float64
    assert bits(got.tolist()) == bits(parse_in_python(fields, float, lambda value: True))


NO_NUMBERS = [
    *(b".", b"-", b"+", b"e5", b"1e", b"1e+", b"1e5.0", b"--1", b"+-1", b"1.2.3", b"nanx", b"0x10"),
    *(b"1_0", b"1,5", b"1\x00", b"\x001", b"\xff", b"1" * 5000 + b"x"),
]
PLAIN = rb"[+-]?[0-9]{1,19}(\.[0-9]{0,6})?([eE][+-]?[0-9]{1,2})?"
ANYTHING_LIKE = rb"[+-]?[0-9]{0,30}(\.[0-9]{0,30})?([eE][+-]?[0-9]{0,5})?"


class TestNumbers:
    def test_numbers(self, core: ModuleType) -> None:
        fields = [b"1", b"-2.5", b"+.5", b"3.", b"1e3", b"-1E-2", b"007.10", b"inf", b"-Infinity"]
        assert_same(
            cut_column(core, fields, "n")[0],
            [1.0, -2.5, 0.5, 3.0, 1000.0, -0.01, 7.1, float("inf"), float("-inf")],
            np.float64,
        )

    @pytest.mark.parametrize("field", NO_NUMBERS, ids=lambda field: repr(field[:8]))
    def test_the_first_field_that_is_no_number(self, core: ModuleType, field: bytes) -> None:
        got, starts = cut_column(core, [b"1.5", b"2", field, b"3", b"not"], "n")
        assert_same(got, [1.5, 2.0], np.float64)
        assert len(starts) == 5

    @pytest.mark.parametrize("field", [b"nan", b"-nan", b"NaN", b"-0", b"-0.0", b"0e99999", b"1e-400", b"1e400"])
    def test_rare_forms(self, core: ModuleType, field: bytes) -> None:
        assert_numbers_as_python(core, [field])

    @pytest.mark.parametrize(
        "field",
        [
            b"9007199254740993",  # 2**53 + 1: halfway between two doubles
            b"9007199254740993.0000000000000000001",
            b"9223372036854775808",
            b"9999999999999999999",
            b"18446744073709551615",
            b"18446744073709551616",
            b"0.1000000000000000055511151231257827021181583404541015625",
            b"2.2250738585072011e-308",
            b"4.9406564584124654e-324",
            b"1.7976931348623157e308",
            b"12.345678329467773",
            b"1" + b"0" * 5000,
            b"0." + b"0" * 5000 + b"1",
        ],
        ids=lambda field: field[:24].decode(),
    )
    def test_hard_roundings(self, core: ModuleType, field: bytes) -> None:
        assert_numbers_as_python(core, [field, b"-" + field])

    @given(st.lists(st.floats() | st.floats(width=32)))
    def test_what_python_prints(self, core: ModuleType, values: list[float]) -> None:
        assert_numbers_as_python(core, [repr(value).encode() for value in values])

    @given(st.lists(st.tuples(st.integers(-(10**19), 10**19), st.integers(-30, 30) | st.integers(-400, 400))))
    def test_long_mantissas(self, core: ModuleType, parts: list[tuple[int, int]]) -> None:
        assert_numbers_as_python(core, [f"{mantissa}e{power}".encode() for mantissa, power in parts])

    @given(st.integers(2**52, 2**53 - 1), st.integers(-60, 11), st.sampled_from([b"", b"0", b"1"]))
    def test_halfway_between_two_doubles(self, core: ModuleType, mantissa: int, shift: int, tail: bytes) -> None:
        halfway = 2 * mantissa + 1
        digits = halfway << shift if shift >= 0 else halfway * 5**-shift
        assert_numbers_as_python(core, [str(digits).encode() + b"e%d" % min(shift, 0), b"%d.%s" % (halfway, tail)])

    @given(
        st.lists(
            st.from_regex(PLAIN, fullmatch=True) | st.from_regex(ANYTHING_LIKE, fullmatch=True) | st.binary(max_size=5)
        )
    )
    def test_as_python_float(self, core: ModuleType, fields: list[bytes]) -> None:
        assert_numbers_as_python(core, list(filter(is_field, fields)))


class TestIntegers:
    def test_integers(self, core: ModuleType) -> None:
        fields = [b"0", b"-1", b"+2", b"007", b"9223372036854775807", b"-9223372036854775808"]
        assert_same(cut_column(core, fields, "i")[0], [0, -1, 2, 7, 2**63 - 1, -(2**63)], np.int64)

    @pytest.mark.parametrize(
        "field", [b"-", b"1.0", b"1e3", b"1_0", b"x", b"1x", b"1\x00", b"9223372036854775808", b"1" * 5000]
    )
    def test_the_first_field_that_is_no_integer(self, core: ModuleType, field: bytes) -> None:
        assert_same(cut_column(core, [b"1", b"-2", field, b"3", b"x"], "i")[0], [1, -2], np.int64)

    @given(
        st.lists(
            st.integers(-(2**64), 2**64).map(lambda i: b"%d" % i) | st.from_regex(rb"[+-]?[0-9]{0,22}", fullmatch=True)
        )
    )
    def test_as_python_int(self, core: ModuleType, fields: list[bytes]) -> None:
        fields = list(filter(is_field, fields))
        want = parse_in_python(fields, int, lambda value: -(2**63) <= value < 2**63)
        assert_same(cut_column(core, fields, "i")[0], want, np.int64)
