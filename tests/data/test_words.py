"""Words against definitions in plain Python: one character at a time, one dictionary."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unjudged.data.ids import Ids
from unjudged.data.words import ENGLISH_STOP_WORDS, Tokeniser, Vocabulary, split_words
from unjudged.errors import InputError, MissingExtraError

TEXTS = st.lists(st.text(max_size=30), max_size=6)


def plain_words(text: str) -> list[str]:
    """Longest sequences of letters, digits, marks and underscores, one character at a time."""
    words, word = [], ""
    for character in [*unicodedata.normalize("NFC", text.lower()), " "]:
        inside = character.isalnum() or character == "_" or unicodedata.category(character)[0] == "M"
        if inside:
            word += character
        elif word:
            words, word = [*words, word], ""
    return words


@given(TEXTS)
def test_words_are_what_a_loop_over_characters_finds(texts: list[str]) -> None:
    words = split_words(texts)
    expected = [(word, i) for i, text in enumerate(texts) for word in plain_words(text)]
    assert list(zip(words.ids, words.texts.tolist(), strict=True)) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The U.S. don't, state-of-the-art", ["the", "u", "s", "don", "t", "state", "of", "the", "art"]),
        ("“Café” \u2013 naïve… ÉCOLE", ["café", "naïve", "école"]),
        ("Cafe\u0301", ["café"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("a\0b", ["a", "b"]),
        ("x_1 2.5", ["x_1", "2", "5"]),
        ("", []),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert Tokeniser().words(text) == words


@given(st.lists(st.lists(st.text("abc", min_size=1, max_size=3), max_size=30), max_size=8))
def test_a_vocabulary_numbers_words_in_the_order_of_sight(batches: list[list[str]]) -> None:
    vocabulary, known = Vocabulary(), {}
    for batch in batches:
        expected = [known.setdefault(word, len(known)) for word in batch]
        assert vocabulary.number(Ids.of(batch)).tolist() == expected
        assert len(vocabulary) == len(known)
    assert list(vocabulary.words()) == list(known)
    asked = [*known, "zzz"]
    assert vocabulary.find(Ids.of(asked)).tolist() == [*known.values(), -1]


def test_a_vocabulary_has_few_parts_however_it_grew() -> None:
    vocabulary = Vocabulary()
    for i in range(1000):
        vocabulary.number(Ids.of([f"w{i}"]))
    assert len(vocabulary._parts) <= 10


def test_stop_words_are_looked_up_before_stemming() -> None:
    pytest.importorskip("Stemmer")
    tokeniser = Tokeniser("english", frozenset({"the", "wings"}))
    assert tokeniser.words("The wings of winged birds") == ["of", "wing", "bird"]
    assert Tokeniser(stop_words=ENGLISH_STOP_WORDS).words("this is the test") == ["test"]


def test_an_unknown_language_is_said_at_once() -> None:
    pytest.importorskip("Stemmer")
    with pytest.raises(InputError, match=r"^there is no stemmer for 'klingon'; there are arabic, armenian, "):
        Tokeniser("klingon")


def test_a_missing_stemmer_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "Stemmer", None)
    with pytest.raises(MissingExtraError) as caught:
        Tokeniser("english")
    assert str(caught.value) == "stemming needs PyStemmer: pip install 'unjudged[text]'"
