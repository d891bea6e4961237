"""What topics ask for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from unjudged.errors import InputError
from unjudged.io.texts import text_source
from unjudged.io.topics import read_titles

TREC = """
<top>
<num> Number: 401
<title> foreign minorities,
 Germany

<desc> Description:
What language and cultural differences
</top>

<TOP><NUM>402</NUM><TITLE></TITLE><DESC>Description: genes</DESC></TOP>
<top><num> Number: 403 <title> Topic: bones <desc> more about them <title> not this </top>
"""


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        (TREC, {"401": "foreign minorities, Germany", "402": "genes", "403": "bones"}),
        ("7\tdo  goldfish grow\n\n8\t\n9\ta\tb\n", {"7": "do goldfish grow", "8": "", "9": "a b"}),
        ('{"_id": "7", "text": "goldfish"}\n{"id": 8, "title": "wifi"}\n', {"7": "goldfish", "8": "wifi"}),
    ],
)
def test_formats(tmp_path: Path, text: str, titles: dict[str, str]) -> None:
    file = tmp_path / "topics"
    file.write_text(text)
    assert read_titles(file) == titles


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("7\tfine\n8 no tab\n", ":2: expected a topic, a tab and a text: '8 no tab'"),
        ("<top><num> Number: 1 <title> x </top><top> <title> y </top>", ": the 2. <top> has no <num>"),
        ("\n\n", ": the file is empty"),
        ('{"text": "no id"}\n', ":1: the document has no id"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "topics"
    file.write_text(text)
    with pytest.raises(InputError, match=f"^{re.escape(str(file) + message)}"):
        read_titles(file)


@pytest.mark.shared
def test_the_topics_of_real_collections(shared_data: Path) -> None:
    trec8 = read_titles(shared_data / "trec8" / "topics.adhoc.401-450.txt")
    assert (len(trec8), trec8["450"]) == (50, "King Hussein, peace")
    assert read_titles(shared_data / "dl19" / "topics.filtered.dl19.txt")["156493"] == "do goldfish grow"


def test_excerpts_are_one_line_of_the_wanted_documents() -> None:
    texts = text_source([{"a": "one\n two\tthree", "b": "x" * 50, "c": "not wanted"}, {"d": "ten chars "}])
    excerpts = texts.excerpts({"a", "b", "d", "nowhere"}, 10)
    assert excerpts == {"a": "one two t…", "b": "x" * 9 + "…", "d": "ten chars"}
