"""Lines into rows, fields, codes and packed columns, against bytes.split and plain Python."""

from __future__ import annotations

import itertools
from types import ModuleType

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from kernel_arrays import (
    as_fields,
    as_ids,
    as_text,
    assert_same,
    columns_of_ids,
    cut_column,
    ids_of_few_bytes,
    is_field,
    strings,
)

SPACES = b" \t\r\v\f"


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
    parts, rows, gap_rows, gap_lines, width = core.cut_rows(as_text(data), "t" * columns)
    assert gap_rows.dtype == gap_lines.dtype == np.int64
    assert (type(rows), type(width)) == (int, int)
    ids = [strings(*part) for part in parts]
    assert [len(column) for column in ids] == [rows] * columns
    fields = [list(row) for row in zip(*ids, strict=True)] if columns else [[]] * rows
    return fields, dict(zip(gap_rows.tolist(), gap_lines.tolist(), strict=True)), width


# Among the pieces are bytes that other tools, but not bytes.split, take for spaces.
pieces_of_text = st.sampled_from([*(bytes([c]) for c in SPACES + b"\n\n#\x00\x1c\x85\xa0\xff"), b"a" * 9, b"bc"])


class TestCutRows:
    def test_one_column_of_each_kind(self, core: ModuleType) -> None:
        data = b"# a run\n7 Q0 d1 1 0.5 x\n7\tQ0  d22 2 -3 x\r\n\n\n8 Q0 d1 3 1e2 x"
        parts, rows, gap_rows, gap_lines, width = core.cut_rows(as_text(data), "c.tin.")
        assert (rows, gap_rows.tolist(), gap_lines.tolist(), width) == (3, [0, 2], [1, 2], 0)
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

    @pytest.mark.parametrize(("line", "width"), [(b"1", 1), (b"1 b c", 3), (b"1" + b" x" * 99, 100)])
    def test_the_rows_end_at_a_line_with_too_few_or_too_many_fields(
        self, core: ModuleType, line: bytes, width: int
    ) -> None:
        assert split(core, b"1 a\n\n" + line + b"\n1 d\n\n", 2) == ([[b"1", b"a"]], {1: 1}, width)
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
