"""Degradations that draw judgments at random."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from unjudged.data.ids import Ids
from unjudged.data.qrels import Qrels, State
from unjudged.errors import InputError
from unjudged.simulate.base import Degradation, Flags, document_keys, judgment_keys
from unjudged.spec import Choice, Limit, Whole, param

__all__ = ["Half", "Share", "in_first_half"]


@dataclass(frozen=True)
class Percent(Limit):
    """An exact percentage: 7 percent of 100 is 7, while 0.07 * 100 is 7.000000000000001 in floating point."""

    def read(self, value: object) -> Fraction:
        if isinstance(value, bool):
            raise ValueError
        try:
            # A float is taken as it is written: 0.1 is one tenth.
            number = Fraction(str(value)) if isinstance(value, float) else Fraction(value)  # type: ignore[call-overload]
        except (TypeError, ZeroDivisionError):
            raise ValueError from None
        if not 0 < number <= 100:
            raise ValueError
        return number

    def show(self, value: Any) -> str:
        return str(value.numerator) if value.denominator == 1 else str(value)

    def __str__(self) -> str:
        return "a percentage above 0 and at most 100"


class Share(Degradation):
    """p percent of each topic's judgments, drawn at random: of the relevant and of the other documents alike.

    Of n relevant documents max(1, ceil(p n / 100)) are left, of the others ceil(p n / 100), in exact arithmetic. A
    document keeps all its judgments for subtopics or none; it is relevant if it is relevant to any of them. What is
    left at 5 percent is among what is left at 10 percent of the same seed and repetition.
    """

    name = "share"
    nameless = "percent"
    title = "A share of the judgments of each topic"
    reference = (
        "K. Hui, K. Berberich and I. Mele. Dealing with incomplete judgments in cascade measures. ICTIR 2017,"
        " section 5.2."
    )

    percent: Fraction = param(..., Percent(), "how many of 100 judgments are left")
    rel: int = param(1, Whole(1), "lowest grade that counts as relevant")

    def keep(self, qrels: Qrels, *, seed: int, repetition: int = 0) -> Flags:
        """Which rows of the judgments are left."""
        if qrels.strata is not None:
            raise InputError("judgments with strata are a sample already; taking more away would change their rates")
        judged = qrels.states == State.JUDGED
        relevant = judged & (qrels.grades >= self.rel)
        keys = judgment_keys(qrels, seed, repetition)
        kept = np.zeros(len(qrels), dtype=bool)
        for some, least in ((relevant, 1), (judged & ~relevant, 0)):
            rows = np.flatnonzero(some)
            rows = rows[np.lexsort((keys[rows], qrels.topic_of_row[rows]))]
            counts = qrels.count(some)
            place = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
            sizes = np.array([_size(self.percent, count, least) for count in counts.tolist()], dtype=np.int64)
            kept[rows[place < np.repeat(sizes, counts)]] = True
        return kept


def _size(percent: Fraction, count: int, least: int) -> int:
    """ceil(percent / 100 * count), at least *least*, and no more than there are."""
    exact = percent * count / 100
    return min(count, max(least, -(-exact.numerator // exact.denominator)))


class Half(Degradation):
    """The judgments of half of all documents, drawn at random. The documents of the other half are another collection.

    A document is in the same half for all topics, judged or not.
    """

    name = "half"
    nameless = "which"
    title = "The judgments of half of the documents"
    reference = (
        "K. Hui, K. Berberich and I. Mele. Dealing with incomplete judgments in cascade measures. ICTIR 2017,"
        " section 5.3."
    )

    which: str = param("first", Choice(("first", "second")), "which of the two halves is left")

    def keep(self, qrels: Qrels, *, seed: int, repetition: int = 0) -> Flags:
        """Which rows of the judgments are left."""
        first = in_first_half(qrels.docs, seed=seed, repetition=repetition)
        return first if self.which == "first" else ~first


def in_first_half(docs: Ids, *, seed: int, repetition: int = 0) -> Flags:
    """Which documents belong to the first half of the collection."""
    return document_keys(docs, seed, repetition) < np.uint64(1 << 63)
