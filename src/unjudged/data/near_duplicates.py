"""Pairs of documents of a topic that say nearly the same.

Two documents are compared by the words that they share, as often as they have them, over the mean of their lengths
(Dice). Order does not count, because texts are kept as term counts. All pairs from :data:`NEARLY_SAME` on are found,
and no others, without comparing each with each: documents that share so much must share one of their rarest words
(prefix filtering; Chaudhuri, Ganti and Kaushik, ICDE 2006), and cannot differ in more than a few.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from unjudged.arrays import Flags, Floats, Ints
from unjudged.data.spans import offsets_of, rows_of_spans
from unjudged.data.texts import Texts

__all__ = ["NEARLY_SAME", "NearDuplicates", "near_duplicates"]

NEARLY_SAME = Fraction(9, 10)
"""From this share of common words on, documents are called near-duplicates."""

_AT_ONCE = 1 << 20
"""Words or bits of pairs that are compared at once."""
_BITS = 512
_BITS_SET = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).sum(axis=1).astype(np.uint8)
"""How many bits each byte has."""


class NearDuplicates(NamedTuple):
    """Pairs of positions, the first below the second, and the share of words that they have in common."""

    first: Ints
    second: Ints
    share: Floats

    def among(self, chosen: Flags) -> NearDuplicates:
        """Some of the pairs."""
        return NearDuplicates(self.first[chosen], self.second[chosen], self.share[chosen])


def near_duplicates(texts: Texts, rows: Ints) -> NearDuplicates:
    """Of some documents (*rows* of the texts, all different). A document without words is like no other."""
    words, offsets = _words(texts, rows)
    lengths = np.diff(offsets)
    first, second = _candidates(words, offsets)
    kept = _surely_different(words, offsets, first, second) * NEARLY_SAME.denominator <= (
        (lengths[first] + lengths[second]) * (1 - NEARLY_SAME).numerator
    )
    first, second = first[kept], second[kept]
    total = lengths[first] + lengths[second]
    shared = _shared(words, offsets, first, second)
    near = 2 * shared * NEARLY_SAME.denominator >= total * NEARLY_SAME.numerator
    return NearDuplicates(first[near], second[near], 2 * shared[near] / total[near])


def _words(texts: Texts, rows: Ints) -> tuple[Ints, Ints]:
    """The words of each document, the rarest first, numbered so; a word's second occurrence is another word."""
    positions, owners = texts.entries(rows)
    counts = texts.counts[positions].astype(np.int64)
    occurrence = rows_of_spans(np.zeros(len(counts), dtype=np.int64), counts)
    keys = np.repeat(texts.terms[positions].astype(np.int64), counts) * (int(counts.max(initial=0)) + 1) + occurrence
    owner = np.repeat(owners, counts)
    _, word, documents = np.unique(keys, return_inverse=True, return_counts=True)
    number = np.empty(len(documents), dtype=np.int64)
    number[np.argsort(documents, kind="stable")] = np.arange(len(documents))
    order = np.lexsort((number[word], owner))
    return number[word[order]], offsets_of(np.bincount(owner, minlength=len(rows)))


def _candidates(words: Ints, offsets: Ints) -> tuple[Ints, Ints]:
    """Pairs of documents that have one of their rarest words in common, each once."""
    lengths = np.diff(offsets)
    least = -(-lengths * NEARLY_SAME.numerator // (2 - NEARLY_SAME).numerator)  # that a near-duplicate has of them
    some = np.where(lengths > 0, lengths - least + 1, 0)
    rows = rows_of_spans(offsets[:-1], some)
    owner = np.repeat(np.arange(len(lengths)), some)
    order = np.lexsort((owner, words[rows]))
    word, owner = words[rows][order], owner[order]
    begins = np.flatnonzero(np.diff(word, prepend=-1))
    before = np.arange(len(word)) - np.repeat(begins, np.diff(np.append(begins, len(word))))  # others with this word
    first = owner[rows_of_spans(np.arange(len(word)) - before, before)]
    pairs = np.unique(first * len(lengths) + np.repeat(owner, before))
    return np.divmod(pairs, max(1, len(lengths)))


def _surely_different(words: Ints, offsets: Ints, first: Ints, second: Ints) -> Ints:
    """At least so many words are in one document of each pair only.

    Each word turns one of a few bits of its document round: where the bits differ, so do the words.
    """
    lengths = np.diff(offsets)
    turned = np.repeat(np.arange(len(lengths)), lengths) * _BITS + words % _BITS
    bits = np.packbits(np.bincount(turned, minlength=len(lengths) * _BITS).reshape(-1, _BITS) % 2 == 1, axis=1)
    out = np.empty(len(first), dtype=np.int64)
    for start in range(0, len(first), _AT_ONCE // _BITS):
        piece = slice(start, start + _AT_ONCE // _BITS)
        differ = bits[first[piece]] ^ bits[second[piece]]
        out[piece] = _BITS_SET[differ].sum(axis=1, dtype=np.int64)
    return out


def _shared(words: Ints, offsets: Ints, first: Ints, second: Ints) -> Ints:
    """How many words both documents of each pair have."""
    lengths = np.diff(offsets)
    size = int(words.max(initial=0)) + 1
    table = np.repeat(np.arange(len(lengths)), lengths) * size + words  # ascending
    out = np.zeros(len(first), dtype=np.int64)
    ends = np.cumsum(lengths[first])
    pieces = max(1, math.ceil(int(ends[-1]) / _AT_ONCE)) if len(ends) else 0
    for piece in np.array_split(np.arange(len(first)), pieces) if pieces else ():
        asked = lengths[first[piece]]
        keys = np.repeat(second[piece], asked) * size + words[rows_of_spans(offsets[first[piece]], asked)]
        place = np.minimum(np.searchsorted(table, keys), len(table) - 1)
        pair = np.repeat(np.arange(len(piece)), asked)
        out[piece] = np.bincount(pair[table[place] == keys], minlength=len(piece))
    return out
