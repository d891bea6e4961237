"""Text with separators: both cores against Python's csv module, and against each other on anything."""

from __future__ import annotations

import csv
import io
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unjudged.kernels import reference
from unjudged.kernels import reference_separated as marks

pytest.importorskip("unjudged.kernels.fast", reason="the compiled core is not installed")
from unjudged.kernels import fast

CORES = pytest.mark.parametrize("core", [reference, fast], ids=["reference", "fast"])
BACK = bytes.maketrans(marks.SPACE + marks.TAB + marks.COMMENT + marks.LINE_BREAK, b" \t#\n")

fields = st.text('ab #\t\n",;é\u3000', max_size=20)


def rows_of(text: bytes) -> list[list[str]]:
    """The fields of columns, as they stood in the file."""
    lines = [line.split(b"\t") for line in text.split(b"\n") if line]
    return [[field.translate(BACK, marks.EMPTY).decode() for field in line] for line in lines]


@CORES
@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
@given(rows=st.lists(st.lists(fields, min_size=2, max_size=4), max_size=12), end=st.sampled_from(["\n", "\r\n"]))
def test_what_csv_writes_comes_back(
    core: ModuleType, separator: str, quoting: int, rows: list[list[str]], end: str
) -> None:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=separator, quoting=quoting, lineterminator=end).writerows(rows)
    text = out.getvalue().encode()
    columns, used, lines, problem = core.separated_columns(text, ord(separator))
    assert (used, lines, problem) == (len(text), text.count(b"\n"), 0)
    assert columns.count(b"\n") == lines, "line numbers stay what they were"
    assert rows_of(columns) == [[field.strip(" ") for field in row] for row in rows]


@given(
    text=st.text(st.sampled_from('ab,,;\t\n\r""  #\x0b\x1b\x1e\x02é'), max_size=80).map(str.encode),
    separator=st.sampled_from(b",;\t"),
)
def test_both_cores_do_the_same_with_anything(text: bytes, separator: int) -> None:
    assert fast.separated_columns(text, separator) == reference.separated_columns(text, separator)


PROBLEMS = {
    "unfinished": (b'a,b\n"c,d\n', (b"a\tb\n", 4, 1, marks.UNFINISHED)),
    "text after a quote": (b'a,"b\nc"\nd,"e"f\n', (b"a\tb\x1ac\n\n", 8, 2, marks.TEXT_AFTER_QUOTE)),
    "a control character": (b"a,b\nc,d\x1be\n", (b"a\tb\n", 7, 1, marks.BAD_CHARACTER)),
    "one in quotes": (b'a,b\n"c\n\x0b",d\n', (b"a\tb\n", 7, 2, marks.BAD_CHARACTER)),
    "none": (b'a,,"x ""y"" "\n,\nalone\n# b,c', (b'a\t\x1b\tx\x1f"y"\n\x1b\t\x1b\n\n\x1c\x1fb\tc', 27, 3, 0)),
    "nothing": (b"", (b"", 0, 0, 0)),
}


@CORES
@pytest.mark.parametrize("name", PROBLEMS)
def test_examples(core: ModuleType, name: str) -> None:
    text, expected = PROBLEMS[name]
    assert core.separated_columns(text, ord(",")) == expected
