"""What each kernel does, said twice: examples by hand, and properties against plain Python. Both cores must agree."""

from __future__ import annotations

import importlib
import inspect
import itertools
import os
import shutil
import struct
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from unjudged.kernels import reference

SPACES = b" \t\r\v\f"
MASK = 2**64 - 1


def load_fast() -> ModuleType:
    """The compiled core. It may be missing only where it was left out on purpose or nothing can compile it."""
    try:
        return importlib.import_module("unjudged.kernels.fast")
    except ImportError:
        has_compiler = any(map(shutil.which, ("cc", "gcc", "clang")))
        if os.environ.get("UNJUDGED_NO_COMPILE") == "1" or not has_compiler:
            pytest.skip("the compiled core is not built: no C compiler, or UNJUDGED_NO_COMPILE=1")
        raise


@pytest.fixture(scope="module", params=["reference", "fast"])
def core(request: pytest.FixtureRequest) -> ModuleType:
    return reference if request.param == "reference" else load_fast()


@pytest.fixture(scope="module")
def fast() -> ModuleType:
    return load_fast()


def as_text(data: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(data, dtype=np.uint8)  # read-only, as a memory-mapped file


def as_fields(fields: Sequence[bytes]) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
    """A text with these fields; the positions are columns of one array, so they are not contiguous."""
    ends = list(itertools.accumulate((len(field) + 1 for field in fields), initial=0))
    spans = np.array([(end, end + len(field)) for end, field in zip(ends, fields, strict=False)], dtype=np.int64)
    spans = spans.reshape(-1, 2)
    return as_text(b" ".join(fields)), spans[:, 0], spans[:, 1]


def as_ids(ids: Sequence[bytes]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    return as_text(b"".join(ids)), ints([0, *itertools.accumulate(map(len, ids))])


def ints(values: Sequence[int]) -> NDArray[np.int64]:
    return np.array(values, dtype=np.int64)


def bounds_of(rankings: Sequence[Sequence[Any]]) -> NDArray[np.int64]:
    return ints([0, *itertools.accumulate(map(len, rankings))])


def assert_same(got: NDArray[Any], want: Sequence[Any], dtype: type) -> None:
    assert got.dtype == dtype
    assert got.tolist() == list(want)


# Few different bytes and short ids, so that equal ids, common beginnings and NUL padding all occur often.
ids_of_few_bytes = st.text(alphabet="ab\x00\xff", max_size=10).map(lambda s: s.encode("latin-1"))
columns_of_ids = st.lists(ids_of_few_bytes, max_size=20)


class TestInterface:
    def test_both_cores_have_the_same_names(self, fast: ModuleType) -> None:
        assert fast.__all__ == reference.__all__
        assert all(callable(getattr(fast, name)) for name in fast.__all__)

    @pytest.mark.parametrize("name", reference.__all__)
    def test_both_cores_have_the_same_parameters(self, fast: ModuleType, name: str) -> None:
        def parameters(function: Callable[..., Any]) -> list[tuple[str, Any, Any]]:
            return [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values()]

        assert parameters(getattr(fast, name)) == parameters(getattr(reference, name))


def split_in_python(data: bytes, columns: int) -> tuple[list[list[bytes]], dict[int, int], int]:
    """The rows, the number of skipped lines above rows, and how many fields the line at fault has."""
    rows: list[list[bytes]] = []
    gaps: dict[int, int] = {}
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    for fields in (line.split() for line in lines):
        if not fields or fields[0].startswith(b"#"):
            gaps[len(rows)] = gaps.get(len(rows), 0) + 1
        elif len(fields) == columns:
            rows.append(fields)
        else:
            return rows, gaps, len(fields)
    return rows, gaps, 0


def split(core: ModuleType, data: bytes, columns: int) -> tuple[list[list[bytes]], dict[int, int], int]:
    """The answer of a core, with all columns read as text."""
    parts, rows, gap_rows, gap_lines, found = core.cut_rows(as_text(data), "t" * columns)
    assert gap_rows.dtype == gap_lines.dtype == np.int64
    assert (type(rows), type(found)) == (int, int)
    ids = [strings(*part) for part in parts]
    assert [len(column) for column in ids] == [rows] * columns
    fields = [list(row) for row in zip(*ids, strict=True)] if columns else [[]] * rows
    return fields, dict(zip(gap_rows.tolist(), gap_lines.tolist(), strict=True)), found


def strings(blob: NDArray[np.uint8], offsets: NDArray[np.int64]) -> list[bytes]:
    assert (blob.dtype, offsets.dtype) == (np.uint8, np.int64)
    assert len(blob) == offsets[-1]
    return [blob[start:end].tobytes() for start, end in itertools.pairwise(offsets.tolist())]


def cut_column(core: ModuleType, fields: Sequence[bytes], kind: str) -> tuple[NDArray[Any], ...]:
    """One column of a file; the one beside it lets fields begin with ``#``."""
    data = b"".join(b"x " + field + b"\n" for field in fields)
    parts, rows, *_ = core.cut_rows(as_text(data), "." + kind)
    assert rows == len(fields)
    assert parts[0] == ()
    return parts[1]  # type: ignore[no-any-return]


def is_field(data: bytes) -> bool:
    """Whether the bytes can be a field of a file."""
    return data.split() == [data]


# Among the pieces are bytes that other tools, but not bytes.split, take for spaces.
pieces_of_text = st.sampled_from([*(bytes([c]) for c in SPACES + b"\n\n#\x00\x1c\x85\xa0\xff"), b"a" * 9, b"bc"])


class TestCutRows:
    def test_one_column_of_each_kind(self, core: ModuleType) -> None:
        data = b"# a run\n7 Q0 d1 1 0.5 x\n7\tQ0  d22 2 -3 x\r\n\n\n8 Q0 d1 3 1e2 x"
        parts, rows, gap_rows, gap_lines, found = core.cut_rows(as_text(data), "c.tin.")
        assert (rows, gap_rows.tolist(), gap_lines.tolist(), found) == (3, [0, 2], [1, 2], 0)
        topics, _, docs, ranks, scores, _ = parts
        assert_same(topics[0], [0, 2], np.int64)
        assert [data[start:end] for start, end in zip(*topics[1:], strict=True)] == [b"7", b"8"]
        assert strings(*docs) == [b"d1", b"d22", b"d1"]
        assert_same(ranks[0], [1, 2, 3], np.int64)
        assert_same(scores[0], [0.5, -3.0, 100.0], np.float64)
        assert [data[start : start + 2] for start in scores[1].tolist()] == [b"0.", b"-3", b"1e"]
        assert parts[1] == parts[5] == ()

    def test_empty_lines_and_comments_are_skipped(self, core: ModuleType) -> None:
        assert split(core, b"# head\n\n1 a\n  \t\n  #b\n2 #c\n#\n", 2) == (
            [[b"1", b"a"], [b"2", b"#c"]],
            {0: 2, 1: 2, 2: 1},
            0,
        )

    def test_the_last_line_needs_no_line_feed(self, core: ModuleType) -> None:
        assert split(core, b"1 a\n2 b", 2) == ([[b"1", b"a"], [b"2", b"b"]], {}, 0)

    @pytest.mark.parametrize(("line", "found"), [(b"1", 1), (b"1 b c", 3), (b"1" + b" x" * 99, 100)])
    def test_the_rows_end_at_a_line_with_too_few_or_too_many_fields(
        self, core: ModuleType, line: bytes, found: int
    ) -> None:
        assert split(core, b"1 a\n\n" + line + b"\n1 d\n\n", 2) == ([[b"1", b"a"]], {1: 1}, found)
        topics = core.cut_rows(as_text(b"1 a\n" + line.replace(b"1", b"2") + b"\n"), "c.")[0][0]
        assert topics[0].tolist() == [0]

    def test_a_comment_may_have_any_number_of_fields(self, core: ModuleType) -> None:
        assert split(core, b"#" + b" x" * 99 + b"\n1 a\n", 2) == ([[b"1", b"a"]], {0: 1}, 0)

    @pytest.mark.parametrize("data", [b"", b"\n", b"\n\n", b" ", b"#", b"\x00"])
    def test_hardly_any_text(self, core: ModuleType, data: bytes) -> None:
        assert split(core, data, 1) == split_in_python(data, 1)
        assert core.cut_rows(as_text(data), "")[1] == 0

    @pytest.mark.parametrize("length", [*range(14, 19), *range(60, 69), 127, 128, 129, 5000])
    @pytest.mark.parametrize("end", [b"", b"\n", b" ", b" \n"])
    def test_long_fields(self, core: ModuleType, length: int, end: bytes) -> None:
        data = b"1 " + b"d" * (length - 2) + end
        assert split(core, data, 2) == split_in_python(data, 2)

    @given(pieces=st.lists(pieces_of_text), columns=st.integers(0, 4))
    @settings(max_examples=300)
    def test_as_bytes_split(self, core: ModuleType, pieces: list[bytes], columns: int) -> None:
        text = b"".join(pieces)
        assert split(core, text, columns) == split_in_python(text, columns)

    @given(
        rows=st.lists(st.lists(st.binary(min_size=1, max_size=40).map(bytes.hex), min_size=3, max_size=3)),
        gap=st.text(alphabet=SPACES.decode(), min_size=1, max_size=3),
    )
    def test_as_bytes_split_on_clean_files(self, core: ModuleType, rows: list[list[str]], gap: str) -> None:
        text = "".join(gap.join(row) + "\n" for row in rows).encode()
        assert split(core, text, 3) == split_in_python(text, 3)


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


class TestCodes:
    def test_where_a_new_value_begins(self, core: ModuleType) -> None:
        heads, _, _ = cut_column(core, [b"q1", b"q1", b"q2", b"q10", b"q1"], "c")
        assert_same(heads, [0, 2, 3, 4], np.int64)

    @given(columns_of_ids)
    def test_as_groupby(self, core: ModuleType, fields: list[bytes]) -> None:
        fields = list(filter(is_field, fields))
        sizes = [len(list(group)) for _, group in itertools.groupby(fields)]
        want = list(itertools.accumulate(sizes, initial=0))[:-1]
        heads, starts, ends = cut_column(core, fields, "c")
        assert_same(heads, want, np.int64)
        assert (ends - starts).tolist() == [len(fields[row]) for row in want]


class TestPackFields:
    def test_the_bytes_are_copied_one_after_the_other(self, core: ModuleType) -> None:
        blob, offsets = core.pack_fields(*as_fields([b"d1", b"", b"d22"]))
        assert_same(blob, b"d1d22", np.uint8)
        assert_same(offsets, [0, 2, 2, 5], np.int64)

    @given(st.lists(ids_of_few_bytes | st.binary(max_size=40)))
    @example([b"x" * 5000, b"y"])
    def test_as_join(self, core: ModuleType, fields: list[bytes]) -> None:
        blob, offsets = core.pack_fields(*as_fields(fields))
        assert_same(blob, b"".join(fields), np.uint8)
        assert_same(offsets, as_ids(fields)[1].tolist(), np.int64)


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


Ranking = list[tuple[float, bytes]]


def order(core: ModuleType, rankings: Sequence[Ranking]) -> list[int] | None:
    rows = [row for ranking in rankings for row in ranking]
    scores = np.array([score for score, _ in rows], dtype=np.float64)
    got = core.order_rankings(bounds_of(rankings), scores, *as_ids([data for _, data in rows]))
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
        got = core.find_duplicates(bounds_of(rankings), *as_ids(ids))
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

    @pytest.mark.parametrize("bounds", [[], [0], [1, 2], [0, 1], [0, 3], [0, 3, 2], [1, 3]])
    def test_bounds_beyond_the_rows(self, fast: ModuleType, bounds: list[int]) -> None:
        with pytest.raises(ValueError, match="bounds must ascend from 0 to 2"):
            fast.find_duplicates(ints(bounds), *as_ids([b"a", b"b"]))
        with pytest.raises(ValueError, match="bounds must ascend from 0 to 2"):
            fast.order_rankings(ints(bounds), np.zeros(2), *as_ids([b"a", b"b"]))

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
        with pytest.raises(ValueError, match="17 columns, but at most 16 can be cut"):
            fast.cut_rows(as_text(b"1 a\n"), "t" * 17)


SPLITMIX = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


def draw_in_python(key: int, draws: int, documents: int) -> list[int]:
    copies = [0] * documents
    for draw in range(1, draws + 1):
        x = (key + draw * SPLITMIX[0]) & MASK
        x = (x ^ x >> 30) * SPLITMIX[1] & MASK
        x = (x ^ x >> 27) * SPLITMIX[2] & MASK
        copies[min(int(((x ^ x >> 31) >> 11) * 2.0**-53 * documents), documents - 1)] += 1
    return copies


class TestImages:
    @given(st.lists(st.tuples(st.integers(0, MASK), st.integers(0, 40)), max_size=20), st.integers(1, 30))
    def test_draw_copies(self, core: ModuleType, images: list[tuple[int, int]], documents: int) -> None:
        keys = np.array([key for key, _ in images], dtype=np.uint64)
        copies = core.draw_copies(keys, ints([draws for _, draws in images]), documents)
        assert copies.dtype == np.uint8
        assert copies.shape == (documents, len(images))
        assert copies.T.tolist() == [draw_in_python(key, draws, documents) for key, draws in images]

    @settings(max_examples=200)
    @given(st.data())
    def test_copies_above_and_weigh_copies(self, core: ModuleType, data: st.DataObject) -> None:
        rankings = data.draw(st.lists(st.lists(st.integers(0, 6), max_size=8), max_size=4))
        images = data.draw(st.sampled_from([0, 1, 5, 64, 70]))
        copies = np.random.default_rng(data.draw(st.integers(0, 99))).integers(0, 256, (7, images)).astype(np.uint8)
        docs, bounds = ints([doc for ranking in rankings for doc in ranking]), bounds_of(rankings)
        rows = ints([row for row in range(len(docs)) if data.draw(st.booleans())])

        above = core.copies_above(bounds, docs, rows, copies)
        assert above.dtype == np.int32
        ranking = np.repeat(np.arange(len(rankings)), np.diff(bounds))
        wanted = [copies[docs[bounds[ranking[row]] : row]].sum(axis=0, dtype=np.int64) for row in rows]
        np.testing.assert_array_equal(above, np.array(wanted, dtype=np.int64).reshape(len(rows), images))

        own, starts = copies[docs[rows]], np.searchsorted(rows, bounds).astype(np.int64)
        gains = np.array([data.draw(st.sampled_from([0.0, 1.0, 2.5])) for _ in rows])
        table = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, data.draw(st.integers(1, 900))))])
        for times in (np.zeros((0, images), dtype=np.int32), above // 2):
            sums = core.weigh_copies(starts, above, own, gains, table, times)
            assert sums.shape == (len(rankings), images)
            expected = np.zeros((len(rankings), images))
            for at, row in enumerate(rows.tolist()):
                for image in range(images):
                    ranks = range(above[at, image] + 1, above[at, image] + own[at, image] + 1)
                    weight = sum(1.0 / rank for rank in ranks if rank < len(table))
                    times_here = times[at, image] if len(times) else 1
                    expected[ranking[row], image] += weight * times_here * gains[at]
            np.testing.assert_allclose(sums, expected, atol=1e-9, rtol=1e-9)

    def test_long_rankings_do_not_overflow(self, core: ModuleType) -> None:
        copies = np.full((1, 3), 255, dtype=np.uint8)
        docs = np.zeros(2000, dtype=np.int64)
        above = core.copies_above(ints([0, 2000]), docs, ints([256, 257, 258, 1999]), copies)
        assert above[:, 0].tolist() == [256 * 255, 257 * 255, 258 * 255, 1999 * 255]

    def test_both_cores_sum_in_the_same_order(self, fast: ModuleType) -> None:
        rng = np.random.default_rng(3)
        above = np.sort(rng.integers(0, 900, (500, 64)), axis=0).astype(np.int32)
        own, gains = rng.integers(0, 5, (500, 64)).astype(np.uint8), rng.random(500)
        table = np.cumsum(rng.random(1000))
        for times in (np.zeros((0, 64), dtype=np.int32), above):
            arguments = (ints([0, 100, 100, 500]), above, own, gains, table, times)
            np.testing.assert_array_equal(fast.weigh_copies(*arguments), reference.weigh_copies(*arguments))

    def test_the_compiled_core_refuses_what_would_read_beyond_arrays(self, fast: ModuleType) -> None:
        copies = np.ones((2, 3), dtype=np.uint8)
        for docs, rows in [([0, 2], [1]), ([0, -1], [1]), ([0, 1], [2]), ([0, 1], [1, 0])]:
            with pytest.raises(ValueError, match="must"):
                fast.copies_above(ints([0, 2]), ints(docs), ints(rows), copies)
        none = np.zeros((0, 3), dtype=np.int32)
        with pytest.raises(ValueError, match="do not fit"):
            fast.weigh_copies(ints([0, 2]), np.zeros((2, 3), dtype=np.int32), copies, np.ones(1), np.zeros(2), none)
        with pytest.raises(ValueError, match="numbers of draws"):
            fast.draw_copies(np.zeros(2, dtype=np.uint64), ints([1]), 3)


class TestCountRepeats:
    def test_how_often_an_item_was_there_before(self, core: ModuleType) -> None:
        assert core.count_repeats(ints([0, 0, 0, 1, 1, 3]), ints([2, 0, 2, 2, 2, 2])).tolist() == [0, 0, 1, 0, 1, 0]

    def test_no_rows(self, core: ModuleType) -> None:
        assert core.count_repeats(ints([]), ints([])).tolist() == []

    @given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), max_size=30))
    def test_as_python(self, core: ModuleType, rows: list[tuple[int, int]]) -> None:
        rows.sort(key=lambda row: row[0])
        expected = [rows[:at].count(row) for at, row in enumerate(rows)]
        found = core.count_repeats(ints([group for group, _ in rows]), ints([item for _, item in rows]))
        assert found.dtype == np.int64
        assert found.tolist() == expected

    def test_the_compiled_core_refuses_what_would_write_beyond_arrays(self, fast: ModuleType) -> None:
        with pytest.raises(ValueError, match="do not fit"):
            fast.count_repeats(ints([0, 0]), ints([1]))
        with pytest.raises(ValueError, match="below 0"):
            fast.count_repeats(ints([0]), ints([-1]))
