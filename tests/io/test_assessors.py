"""Who judged what: files and dictionaries, and one line for each mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from unjudged.errors import FileError, InputError
from unjudged.io.assessors import read_assessors


def test_lines_of_topics_and_of_documents(tmp_path: Path) -> None:
    file = tmp_path / "assessors.tsv"
    file.write_text("# who\n401 ann\n\n402\tbob lee\n401 d1 carl\n")
    who = read_assessors(file)
    assert [who.of("401", "d1"), who.of("401", "d2"), who.of("402", "d1"), who.of("9", "d1")] == [
        "carl",
        "ann",
        "bob lee",
        None,
    ]


def test_dictionaries() -> None:
    who = read_assessors({401: "ann", "402": {"d1": "bob"}})
    assert [who.of("401", "x"), who.of("402", "d1"), who.of("402", "x")] == ["ann", "bob", None]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("401\n", "{}:1: expected 2 columns (topic assessor) or 3 (topic doc assessor), got 1: '401'"),
        ("401 a b c\n", "{}:1: expected 2 columns (topic assessor) or 3 (topic doc assessor), got 4: '401 a b c'"),
        ("401 ann\n401 bob\n", "{}:2: '401' has two assessors, 'ann' and 'bob'"),
        ("401 d1 ann\n401 d1 bob\n", "{}:2: '401' 'd1' has two assessors, 'ann' and 'bob'"),
        ("# nobody\n", "{}: the file is empty"),
    ],
)
def test_mistakes_are_one_line(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "assessors.tsv"
    file.write_text(text)
    with pytest.raises(FileError) as caught:
        read_assessors(file)
    assert str(caught.value) == message.format(file)


def test_what_is_neither_a_path_nor_a_dict() -> None:
    with pytest.raises(InputError) as caught:
        read_assessors(7)
    assert str(caught.value) == "cannot read assessors from int; give a path or a dict of assessors by topic"
