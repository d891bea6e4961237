"""Counting the words of documents that stream by. Only the wanted ones keep their counts."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from unjudged.data.ids import Ids
from unjudged.data.texts import Texts
from unjudged.data.words import Tokeniser, Vocabulary, Words, split_words
from unjudged.errors import FileError

__all__ = ["TermCounter"]

Ints = NDArray[np.int64]

BATCH_LENGTH = 1 << 22
"""Characters whose words are counted together: enough that NumPy's overhead vanishes, little beside the vocabulary."""
WORDS_AT_ONCE = 1 << 16
"""Words that are Python strings at the same time."""


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
        self._batch: list[str] = []
        self._batch_of_kept: list[str] = []
        self._batch_length = 0

    def add(self, doc: str, text: str, path: str, line: int) -> None:
        """Count one document, found in *path* at *line* (0: there are no lines).

        A wanted document that comes again with the same text is counted once; with another text it is an error.
        """
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
        numbers, known = self._number(words), max(1, len(self._vocabulary))
        rows = words.texts + len(self._kept) - len(self._batch_of_kept)
        pairs, counts = np.unique(rows * known + numbers, return_counts=True)
        self._entries.append((pairs // known, pairs % known, counts.astype(np.int64)))
        self._batch, self._batch_of_kept, self._batch_length = [], [], 0

    def _number(self, words: Words) -> Ints:
        """The number of each word, which is also counted for the collection."""
        numbers = self._vocabulary.number(words.ids)
        known = len(self._vocabulary)
        if known > len(self._collection):
            self._collection = np.concatenate([self._collection, np.zeros(known, dtype=np.int64)])
        self._collection[:known] += np.bincount(numbers, minlength=known)
        return numbers

    def texts(self) -> Texts:
        """What was counted: terms are words as the tokeniser takes them, in the order of their bytes."""
        self._count()
        rows, words, counts = (np.concatenate(columns) for columns in zip(*self._entries, strict=True))
        spelling = self._vocabulary.words()
        used = np.unique(words)
        taken_as = self._tokeniser.terms(list(spelling.take(used)))
        names = sorted({term for term in taken_as if term is not None})
        codes = {name: code for code, name in enumerate(names)}
        term_of_word = np.full(len(spelling), -1, dtype=np.int64)
        term_of_word[used] = [-1 if term is None else codes[term] for term in taken_as]
        terms = term_of_word[words]
        counted = terms >= 0
        # Two words may be one term, so counts are added up again.
        pairs, place = np.unique(rows[counted] * max(1, len(names)) + terms[counted], return_inverse=True)
        totals = np.bincount(place.reshape(-1), weights=counts[counted], minlength=len(pairs))
        owners = pairs // max(1, len(names))
        collection, tokens = self._count_collection(spelling, codes)
        return Texts(
            docs=Ids.of(self._kept),
            bounds=np.searchsorted(owners, np.arange(len(self._kept) + 1)).astype(np.int64),
            terms=(pairs % max(1, len(names))).astype(np.int32),
            counts=totals.astype(np.int32),
            words=Ids.of(names),
            collection=collection,
            tokens=tokens,
            documents=self._documents,
        )

    def _count_collection(self, spelling: Ids, codes: dict[str, int]) -> tuple[Ints, int]:
        """How often each term occurs in everything that was read, and how many words count in all."""
        collection, tokens = np.zeros(len(codes), dtype=np.int64), 0
        for start in range(0, len(spelling), WORDS_AT_ONCE):
            some = list(spelling.slice(start, min(start + WORDS_AT_ONCE, len(spelling))))
            counts = self._collection[start : start + len(some)].tolist()
            for term, count in zip(self._tokeniser.terms(some), counts, strict=True):
                if term is not None:
                    tokens += count
                    if term in codes:
                        collection[codes[term]] += count
        return collection, tokens
