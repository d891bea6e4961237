"""Files that say which segment a topic belongs to."""

from __future__ import annotations

from pathlib import Path

import pytest

from unjudged.errors import InputError
from unjudged.io.segments import read_segments

WANTED = {"q1": "head", "q2": "tail"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("s.tsv", "q1 head\nq2 tail\n"),
        ("s.tsv", "topic\tsegment\nq1\thead\nq2\ttail\n"),
        ("s.csv", "query,clicks,language\nq1,9,head\nq2,1,tail\n"),
        ("s.csv", '"query","language"\n"q1", "head"\nq2,"tail"\n'),
        ("s.json", '{"q1": "head",\n "q2": "tail"}\n'),
    ],
)
def test_segments_are_read_from_columns_and_json(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert read_segments(tmp_path / name).of_topic == WANTED


def test_a_topic_may_be_called_topic(tmp_path: Path) -> None:
    (tmp_path / "s").write_text("topic head\nq2 tail\n")
    assert read_segments(tmp_path / "s").of_topic == {"topic": "head", "q2": "tail"}


def test_quoted_fields_may_have_commas_and_quotes(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text('q1,"a, ""b"" | <i>"\nq2,=1+1\n')
    assert read_segments(tmp_path / "s.csv").of_topic == {"q1": 'a, "b" | <i>', "q2": "=1+1"}


def test_queries_with_spaces_need_tabs(tmp_path: Path) -> None:
    (tmp_path / "s").write_text("red shoes\ten\n")
    assert read_segments(tmp_path / "s").of_topic == {"red shoes": "en"}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("s.tsv", "q1 head\nq2\n", "{path}:2: expected 2 columns (topic segment), got 1: 'q2'"),
        ("s.tsv", "q1 head\nq1 tail\n", "{path}:2: 'q1' is listed twice"),
        ("s.tsv", "", "{path}: the file is empty"),
        ("s.csv", 'q1,"head\n', "{path}:1: a quoted field is wrong (unexpected end of data): 'q1,\"head'"),
        ("s.json", "[1]", '{path}: expected an object such as {{"topic": "segment"}}'),
        ("s.json", '{"q1": 3}', "{path}: the segment of topic 'q1' is 3, which is no text"),
        ("s.json", '{"q1": ', "{path}: is not JSON: Expecting value: line 1 column 7 (char 6)"),
    ],
)
def test_mistakes_say_where_they_are(tmp_path: Path, name: str, text: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(InputError) as found:
        read_segments(path)
    assert str(found.value) == message.format(path=path)
