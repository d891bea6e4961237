"""Counting the words of documents that stream by. Only the wanted ones keep their counts."""

from __future__ import annotations

import hashlib

import numpy as np

from unjudged.arrays import Ints
from unjudged.data.ids import Ids, is_writable
from unjudged.data.texts import Texts
from unjudged.data.words import Tokeniser, Vocabulary, Words, split_words
from unjudged.errors import FileError

__all__ = ["TermCounter"]


BATCH_LENGTH = 1 << 22
"""Characters whose words are counted together: enough that NumPy's overhead vanishes, little beside the vocabulary."""
WORDS_AT_ONCE = 1 << 16
"""Words that are Python strings at the same time."""

_NO_TERM, _LEFT_OUT = -1, -2
"""A word that only counts for the collection, and one that does not count at all."""


class TermCounter:
    """Counts words batch by batch. Memory holds one batch of text, the distinct words, and the counts that are kept.

    *wanted*: the documents that keep their counts (None: all). *whole*: whether the words of the others count for the
    collection; else they are not looked at.
    """

    def __init__(self, tokeniser: Tokeniser, wanted: frozenset[str] | None = None, *, whole: bool = True) -> None:
        self._tokeniser = tokeniser
        self._wanted = wanted
        self._whole = whole
        self._vocabulary = Vocabulary()
        self._collection = np.zeros(0, dtype=np.int64)  # may be longer than the vocabulary
        self._kept: dict[str, tuple[bytes, str, int]] = {}
        self._entries: list[tuple[Ints, Ints, Ints]] = []  # document, word, count
        self._documents = 0
        self.first_doc = ""
        """The first document that came by, wanted or not, for messages."""
        self._batch: list[str] = []
        self._batch_of_kept: list[str] = []
        self._batch_length = 0

    def add(self, doc: str, text: str, path: str, line: int) -> None:
        """Count one document, found in *path* at *line* (0: there are no lines).

        A wanted document that comes again with the same text is counted once; with another text it is an error.
        """
        self.first_doc = self.first_doc or doc
        if self._wanted is None or doc in self._wanted:
            if self._has(doc, text, path, line):
                return
            self._batch_of_kept.append(text)
        elif self._whole:
            self._batch.append(text)
        else:
            return
        self._documents += 1
        self._batch_length += len(text)
        if self._batch_length >= BATCH_LENGTH:
            self._count()

    def _has(self, doc: str, text: str, path: str, line: int) -> bool:
        """Whether the document was there before; from now on it was."""
        content = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        before = self._kept.get(doc)
        if before is None:
            if not is_writable(doc):
                raise FileError(path, f"a document id cannot be written as UTF-8: {doc!r}", line=line or None)
            self._kept[doc] = content, path, line
            return False
        if before[0] != content:
            first = f"{before[1]}:{before[2]}" if before[2] else before[1]
            message = f"document {doc!r} is there twice, with different texts (first in {first})"
            raise FileError(path, message, line=line or None)
        return True

    def _count(self) -> None:
        """Count what is waiting. Kept documents go apart: only for them it matters which word is whose."""
        self._number(split_words(self._batch))
        words = split_words(self._batch_of_kept)
        numbers, size = self._number(words), max(1, len(self._vocabulary))
        rows = words.texts + len(self._kept) - len(self._batch_of_kept)
        pairs, counts = np.unique(rows * size + numbers, return_counts=True)
        self._entries.append((pairs // size, pairs % size, counts.astype(np.int64)))
        self._batch, self._batch_of_kept, self._batch_length = [], [], 0

    def _number(self, words: Words) -> Ints:
        """The number of each word, which is also counted for the collection."""
        numbers = self._vocabulary.number(words.ids)
        size = len(self._vocabulary)
        if size > len(self._collection):
            self._collection = np.concatenate([self._collection, np.zeros(size, dtype=np.int64)])
        self._collection[:size] += np.bincount(numbers, minlength=size)
        return numbers

    def texts(self) -> Texts:
        """What was counted: terms are words as the tokeniser takes them, in the order of their bytes."""
        self._count()
        rows, words, counts = (np.concatenate(columns) for columns in zip(*self._entries, strict=True))
        names, term_of_word = self._terms(np.unique(words))
        collection = self._collection[: len(term_of_word)]
        of_term = term_of_word >= 0
        # Two words may be one term, so counts are added up again. Floats are exact up to 2**53.
        terms, width = term_of_word[words], max(1, len(names))
        counted = terms >= 0
        pairs, place = np.unique(rows[counted] * width + terms[counted], return_inverse=True)
        totals = np.bincount(place.reshape(-1), weights=counts[counted], minlength=len(pairs))
        in_all = np.bincount(term_of_word[of_term], weights=collection[of_term], minlength=len(names))
        return Texts(
            docs=Ids.of(self._kept),
            offsets=np.searchsorted(pairs // width, np.arange(len(self._kept) + 1)).astype(np.int64),
            terms=(pairs % width).astype(np.int32),
            counts=totals.astype(np.int32),
            words=Ids.of(names),
            collection=in_all.astype(np.int64),
            tokens=int(collection[term_of_word != _LEFT_OUT].sum()),
            documents=self._documents,
        )

    def _terms(self, used: Ints) -> tuple[list[str], Ints]:
        """The terms of the *used* words, and for every word which of them it is, or that it only counts, or not even.

        A term's count in the collection is that of all words with its stem, also of those that no kept document has.
        """
        spelling, tokeniser = self._vocabulary.words(), self._tokeniser
        taken_as = tokeniser.terms(list(spelling.take(used)))
        names = sorted({term for term in taken_as if term is not None})
        codes: dict[str | None, int] = {name: code for code, name in enumerate(names)}
        codes[None] = _LEFT_OUT
        term_of_word = np.full(len(spelling), _NO_TERM, dtype=np.int64)
        if tokeniser.stem is None:
            stop = self._vocabulary.find(Ids.of(sorted(tokeniser.stop_words)))
            term_of_word[used] = [codes[term] for term in taken_as]
            term_of_word[stop[stop >= 0]] = _LEFT_OUT
            return names, term_of_word
        for start in range(0, len(spelling), WORDS_AT_ONCE):
            some = list(spelling.slice(start, min(start + WORDS_AT_ONCE, len(spelling))))
            term_codes = [codes.get(term, _NO_TERM) for term in tokeniser.terms(some)]
            term_of_word[start : start + len(some)] = term_codes
        return names, term_of_word
