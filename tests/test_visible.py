# ruff: noqa: RUF001  (letters of many scripts are the point)
"""Text for people: everything in it can be seen, and every language can be written."""

from __future__ import annotations

import json
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unjudged.wording import json_text, visible

VISIBLE_FORMAT = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD, *range(0x13430, 0x13440)}
"""Signs that are drawn around numbers or letters, although Unicode calls them format characters."""
UNSEEN_LETTERS = {0x115F, 0x1160, 0x3164, 0xFFA0, 0x2800, 0xFFFC, 0x34F, 0x17B4, 0x17B5}
SELECTORS = {0x180B, 0x180C, 0x180D, 0x180F, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)}
NEVER_SEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def escaped(char: str) -> str:
    return char.encode("unicode_escape").decode()


def test_of_all_characters_those_that_cannot_be_seen_are_escaped_and_no_others() -> None:
    wrong = []
    for code in range(sys.maxunicode + 1):
        char = chr(code)
        category = unicodedata.category(char)
        if category in {"Cn", "Co"}:  # another version of Unicode may have letters there
            continue
        hidden = (category in NEVER_SEEN and code not in VISIBLE_FORMAT) or code in UNSEEN_LETTERS | SELECTORS
        if visible(char) != (escaped(char) if hidden else char):
            wrong.append(f"U+{code:04X} {category}")
    assert wrong == []


@pytest.mark.parametrize("code", [0xFDD0, 0xFFFE, 0xFFFF, 0x1FFFE, 0x10FFFF, 0x2065, 0xFFF0, 0xE0000, 0xE0FFF])
def test_codes_that_will_never_be_letters_are_escaped(code: int) -> None:
    assert visible(f"a{chr(code)}b") == f"a{escaped(chr(code))}b"


@pytest.mark.parametrize("code", [0xE000, 0xF8FF, 0x10FFFD])
def test_private_characters_stay_because_fonts_draw_them(code: int) -> None:
    assert visible(chr(code)) == chr(code)


@pytest.mark.parametrize(
    "text",
    [
        "plain-run_1.0",
        "Überlauf naïve façade",
        "Ελληνικά Русский עברית العربية",
        "می\u200cخواهم",  # Persian: the joiner's absence is spelling
        "क्\u200dष श्री\u200dलंका",
        "ශ්\u200dරී ලංකා",
        "ประเทศไทย ភាសាខ្មែរ မြန်မာ",
        "文書 日本語 葛\U000e0100城 한국어",
        "ᠮᠣᠩᠭᠣᠯ\u180b ᠬᠠᠷ\u180eᠠ",
        "👩\u200d🔬 👩🏽\u200d💻 🏳\ufe0f\u200d🌈 ❤\ufe0f 1\ufe0f\u20e3 🇩🇪",
        "no\u00a0break and 全角\u3000空白",
    ],
)
def test_languages_and_emoji_stay_as_they_are(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("run\u200d", "run\\u200d"),
        ("run\u200c1", "run\\u200c1"),
        ("می\u200c\u200cخواهم", "می\u200c\\u200cخواهم"),
        ("\u200dक", "\\u200dक"),
        ("a\ufe0f", "a\\ufe0f"),
        ("1\ufe0f", "1\\ufe0f"),
        ("❤\ufe0f\ufe0f", "❤\ufe0f\\ufe0f"),
        ("🏴\U000e0067\U000e007f", "🏴\\U000e0067\\U000e007f"),  # tags could hide a whole sentence
        ("\u061c\u200b\ufeff\xad\u2060", "\\u061c\\u200b\\ufeff\\xad\\u2060"),
        ("\u202eabc\u2066", "\\u202eabc\\u2066"),
        ("\x1b[2J\x9b31m\r\n\t", "\\x1b[2J\\x9b31m\\r\\n\\t"),
        ("\ud800", "\\ud800"),
    ],
)
def test_what_changes_nothing_but_equality_is_escaped(text: str, shown: str) -> None:
    assert visible(text) == shown


hostile = st.text(
    st.one_of(st.characters(codec=None), st.sampled_from("a1#ب क❤文\u200c\u200d\ufe0f\ufe0e\u20e3\x1b\u2800\u061c"))
)


@given(hostile)
def test_what_is_visible_stays_so(text: str) -> None:
    assert visible(visible(text)) == visible(text)


@given(st.text(st.characters(exclude_categories=["Cs"])), st.sampled_from([None, 1]))
def test_json_is_exact_and_shows_nothing_raw(text: str, indent: int | None) -> None:
    written = json_text({text: [text, 1.5]}, indent=indent)
    assert json.loads(written) == {text: [text, 1.5]}
    assert "".join(map(visible, written.split("\n"))) == written.replace("\n", "")
