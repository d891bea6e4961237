"""Degradations that draw judgments at random."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from unjudged.data.ids import Ids, pair_keys
from unjudged.data.provenance import DEFAULT_SEED
from unjudged.data.qrels import Qrels, State
from unjudged.errors import InputError
from unjudged.simulate.base import Degradation, Flags, stream
from unjudged.spec import Choice, Limit, Whole, param

__all__ = ["Half", "Share", "in_first_half", "keep_percent"]


@dataclass(frozen=True)
class Percent(Limit):
    """A percentage as it is written: 7% of 100 is 7, where floating point would make more; 0.1 is one tenth."""

    def read(self, value: object) -> Fraction:
        if isinstance(value, bool):
            raise ValueError
        try:
            number = Fraction(str(value))
        except ZeroDivisionError:
            raise ValueError from None
        if not 0 <= number <= 100:
            raise ValueError
        return number

    def show(self, value: Any) -> str:
        return str(value.numerator) if value.denominator == 1 else str(value)

    def __str__(self) -> str:
        return "a percentage between 0 and 100"


class Share(Degradation):
    """p percent of each topic's judgments, drawn at random: of the relevant and of the other documents alike.

    Of n relevant documents max(1, ceil(p n / 100)) are left, of the others ceil(p n / 100), in exact arithmetic. A
    document keeps all its judgments for subtopics or none; it is relevant if it is relevant to any of them. What is
    left at 5 percent is among what is left at 10 percent of the same seed and repetition. What was pooled but not
    judged stays.
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
        keys = pair_keys(qrels.topics, qrels.topic_of_row, qrels.docs, stream(seed, repetition))
        kept: Flags = ~judged
        for some, least in ((relevant, 1), (judged & ~relevant, 0)):
            rows = np.flatnonzero(some)
            rows = rows[np.lexsort((keys[rows], qrels.topic_of_row[rows]))]
            counts = qrels.count(some)
            place = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
            sizes = np.array([_size(self.percent, count, least) for count in counts.tolist()], dtype=np.int64)
            kept[rows[place < np.repeat(sizes, counts)]] = True
        return kept


def keep_percent(
    qrels: Qrels, percent: float | str | Fraction, *, rel: int = 1, seed: int = DEFAULT_SEED, repetition: int = 0
) -> Qrels:
    """What :class:`Share` leaves of the judgments. The others are as if nobody had looked at them.

    >>> from unjudged.io.tables import qrels_from_table
    >>> qrels = qrels_from_table({"1": {f"d{i}": int(i < 10) for i in range(50)}})
    >>> keep_percent(qrels, 15).grade_counts()
    {0: 6, 1: 2}
    """
    share = Share(percent=percent, rel=rel)  # type: ignore[arg-type]  # read as it is written
    return qrels.kept(share.keep(qrels, seed=seed, repetition=repetition))


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
    no_topic = np.zeros(len(docs), dtype=np.int64)  # the same half for all of them
    return pair_keys([""], no_topic, docs, stream(seed, repetition)) < np.uint64(1 << 63)
