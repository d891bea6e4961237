"""Words: how text is cut into them, and a column of all distinct ones."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import unjudged.kernels as kernels
from unjudged.arrays import Ints
from unjudged.data.ids import Ids, PairIndex, concatenate_ids
from unjudged.errors import InputError, MissingExtraError

__all__ = ["ENGLISH_STOP_WORDS", "Tokeniser", "Vocabulary", "Words", "split_words"]


ENGLISH_STOP_WORDS = frozenset(
    [
        "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not",
        "of", "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "will",
        "with",
    ]
)  # fmt: skip
"""Lucene's list: short, and what most English indexes of today leave out."""

SEPARATOR = "\0"
"""Between the texts of a batch. It is no part of a word."""

_IS_WORD = np.zeros(256, dtype=bool)
_IS_WORD[list(b"abcdefghijklmnopqrstuvwxyz0123456789_")] = True
_IS_WORD[0x80:] = True  # what is no part of a word beyond ASCII was replaced before

_UNSEEN, _INSIDE, _SEPARATES = 0, 1, 2
_KIND = np.zeros(sys.maxunicode + 1, dtype=np.uint8)
"""Of each character, whether it stands inside words; found out when it is first seen."""
_KIND[:0x80] = _INSIDE  # the bytes of ASCII are looked at later


@dataclass(frozen=True)
class Tokeniser:
    """Which words of a text count, and as what.

    A word is a longest sequence of Unicode letters, digits, marks and ``_``, in lower case. ``stop_words`` are left
    out; what remains is cut to its stem by the Snowball stemmer for the language ``stem``, if there is one. Languages
    written without spaces need to be cut into words before.

    >>> Tokeniser(stop_words=frozenset({"the"})).words("The café's 2 wings")
    ['café', 's', '2', 'wings']
    """

    stem: str | None = None
    stop_words: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if self.stem is not None:
            _stemmer(self.stem)  # a missing package or an unknown language is said before any work starts

    def words(self, text: str) -> list[str]:
        """The words of one text, in order."""
        return [term for term in self.terms(list(split_words([text]).ids)) if term is not None]

    def terms(self, words: Sequence[str]) -> list[str | None]:
        """What each word counts as; None where it does not count."""
        kept = [word not in self.stop_words for word in words]
        # A stemmer of its own for each call: PyStemmer's objects must not be used in two threads.
        stems = words if self.stem is None else _stemmer(self.stem).stemWords(words)
        return [stem if keep else None for stem, keep in zip(stems, kept, strict=True)]


def _stemmer(language: str):  # type: ignore[no-untyped-def]  # PyStemmer has no types
    try:
        import Stemmer
    except ImportError:
        raise MissingExtraError("PyStemmer", "text", "stemming") from None
    if language not in Stemmer.algorithms():
        raise InputError(f"there is no stemmer for {language!r}; there are {', '.join(Stemmer.algorithms())}")
    return Stemmer.Stemmer(language, 0)  # no cache: every distinct word is stemmed once


@dataclass(frozen=True, eq=False)
class Words:
    """The words of a batch of texts, in order, and the positions of words (``starts``) and of ``boundaries``."""

    ids: Ids
    starts: Ints
    boundaries: Ints

    @property
    def texts(self) -> Ints:
        """The text that each word belongs to."""
        return np.searchsorted(self.boundaries, self.starts)


def split_words(texts: Sequence[str]) -> Words:
    """Cut texts into words, all together.

    >>> words = split_words(["One, two", "THREE"])
    >>> list(words.ids), words.texts.tolist()
    (['one', 'two', 'three'], [0, 0, 1])
    """
    joined = SEPARATOR.join(texts)
    if joined.count(SEPARATOR) != max(0, len(texts) - 1):
        joined = SEPARATOR.join(text.replace(SEPARATOR, " ") for text in texts)
    joined = joined.lower()
    if not joined.isascii():
        joined = _separated(unicodedata.normalize("NFC", joined))
    blob = np.frombuffer(joined.encode(), dtype=np.uint8)
    edges = np.flatnonzero(np.diff(_IS_WORD[blob], prepend=False, append=False))
    starts, ends = edges[0::2], edges[1::2]
    boundaries = np.flatnonzero(blob == ord(SEPARATOR))
    return Words(Ids(*kernels.pack_fields(blob, starts, ends)), starts, boundaries)


def _separated(text: str) -> str:
    """The text with a space for every character beyond ASCII that is no part of a word."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4").copy()
    for code in np.unique(codes[_KIND[codes] == _UNSEEN]).tolist():
        character = chr(code)
        # Marks are inside: without its vowel signs, most of a Hindi word is gone.
        inside = character.isalnum() or unicodedata.category(character).startswith("M")
        _KIND[code] = _INSIDE if inside else _SEPARATES
    codes[_KIND[codes] == _SEPARATES] = ord(" ")
    return codes.tobytes().decode("utf-32-le")


class Vocabulary:
    """Distinct words, numbered in the order they are first seen. Grows; looks up a batch at a time.

    Words lie packed in a few parts, each with its index. A new part takes in the parts before it that are not larger,
    so that there are never more than about log2(words) of them, and each word is indexed anew as often at most.
    """

    def __init__(self) -> None:
        self._parts: list[tuple[Ids, PairIndex]] = []

    def __len__(self) -> int:
        return sum(len(words) for words, _ in self._parts)

    def words(self) -> Ids:
        """All words, by number."""
        return concatenate_ids([words for words, _ in self._parts])

    def number(self, words: Ids) -> Ints:
        """The number of each word; unknown ones get the next numbers. A word may be there several times."""
        first = _index(words).find(np.zeros(len(words), dtype=np.int64), words)
        heads = np.flatnonzero(first == np.arange(len(words)))
        numbers = np.empty(len(words), dtype=np.int64)
        numbers[heads] = self._number_distinct(words.take(heads))
        return numbers[first]

    def find(self, words: Ids) -> Ints:
        """The number of each word, -1 where it is unknown."""
        numbers = np.full(len(words), -1, dtype=np.int64)
        before = 0
        for part, index in self._parts:
            left = np.flatnonzero(numbers < 0)
            rows = index.find(np.zeros(len(left), dtype=np.int64), words.take(left))
            numbers[left[rows >= 0]] = rows[rows >= 0] + before
            before += len(part)
        return numbers

    def _number_distinct(self, words: Ids) -> Ints:
        numbers = self.find(words)
        new = np.flatnonzero(numbers < 0)
        if len(new):
            numbers[new] = np.arange(len(self), len(self) + len(new))
            part = words.take(new)
            while self._parts and len(self._parts[-1][0]) <= len(part):
                part = concatenate_ids([self._parts.pop()[0], part])
            self._parts.append((part, _index(part)))
        return numbers


def _index(words: Ids) -> PairIndex:
    return PairIndex(np.zeros(len(words), dtype=np.int64), words)
