"""Degradations that draw at random: judgments, documents or topics."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from unjudged.arrays import Flags, Hashes, Ints
from unjudged.data.ids import Ids
from unjudged.data.joined import Joined
from unjudged.data.qrels import Qrels
from unjudged.errors import InputError
from unjudged.kernels.splitmix import GOLDEN, mixed
from unjudged.simulate.base import Degradation, Left, document_keys, judgment_keys, lowest_keys, topic_keys
from unjudged.spec import Choice, Limit, Threshold, Whole, param

__all__ = ["KeepFraction", "KeepHalf", "KeepTopics", "OneRelevant", "in_first_half"]


@dataclass(frozen=True)
class Share(Limit):
    """An exact fraction: 7% of 100 is 7, while 0.07 * 100 is 7.000000000000001 in floating point."""

    def read(self, value: object) -> Fraction:
        if isinstance(value, bool) or not isinstance(value, str | float | int | Fraction):
            raise ValueError
        text = str(value)  # a float is taken as it is written: 0.1 is one tenth
        digits, whole = text.removesuffix("%"), 100 if text.endswith("%") else 1
        if "/" not in digits and not 0 < float(digits) <= whole:
            raise ValueError  # here, because a fraction would write all digits of 1e999999999 out
        try:
            number = Fraction(digits) / whole
        except ZeroDivisionError:
            raise ValueError from None
        if not 0 < number <= 1:
            raise ValueError
        return number

    def show(self, value: Any) -> str:
        decimal = f"{float(value):g}"
        return decimal if Fraction(decimal) == value else str(value)

    def __str__(self) -> str:
        return "a share above 0 and at most 1, such as 0.1 or 10%"


class KeepFraction(Degradation):
    """A share p of each topic's judgments, drawn at random. Their documents stay in the pool.

    ``draw='any'``: so many of all judgments, rounded half up and at least one, drawn again until a relevant document is
    among them (paper 2); a topic without any is drawn once. ``draw='alike'``: of n relevant documents
    max(1, ceil(p n)), of the others ceil(p n) (paper 5); a document keeps all its judgments for subtopics or none, and
    what is left with p = 0.05 is among what is left with p = 0.1 of the same seed and repetition. Sizes are exact.
    """

    name = "KeepFraction"
    nameless = "p"
    title = "A random share of the judgments of each topic"
    reference = (
        "E. Yilmaz, J. Aslam. Estimating average precision when judgments are incomplete. KAIS 16, 2008. K. Hui,"
        " K. Berberich and I. Mele. Dealing with incomplete judgments in cascade measures. ICTIR 2017, section 5.2."
    )
    random = True

    p: Fraction = param(..., Share(), "share of the judgments that is left")
    draw: str = param("any", Choice(("any", "alike")), "from all judgments, or from relevant and others alike")
    rel: float = param(1, Threshold(), "lowest grade that counts as relevant")

    @property
    def is_random(self) -> bool:
        """All judgments can be drawn in one way only."""
        return self.p < 1

    def leave(self, joined: Joined, *, seed: int, repetition: int = 0, case: str = "") -> Left:
        """What is left of the judgments."""
        qrels = joined.qrels
        if qrels.strata is not None:
            raise InputError("judgments with strata are a sample already; taking more away would change their rates")
        relevant = qrels.judged & (qrels.grades >= self.rel)
        keys = judgment_keys(qrels, seed, repetition)
        if self.draw == "any":
            kept = self._any(qrels, relevant, keys)
        else:
            sizes = [self._ceiling(qrels, some) for some in (relevant, qrels.judged & ~relevant)]
            kept = lowest_keys(qrels, relevant, keys, np.maximum(1, sizes[0]))
            kept |= lowest_keys(qrels, qrels.judged & ~relevant, keys, sizes[1])
        return Left(kept, np.ones(len(qrels), dtype=bool))

    def _any(self, qrels: Qrels, relevant: Flags, keys: Hashes) -> Flags:
        halves = [self.p * count + Fraction(1, 2) for count in qrels.count(qrels.judged).tolist()]
        sizes = np.array([max(1, one.numerator // one.denominator) for one in halves], dtype=np.int64)
        can_have_one = qrels.count(relevant) > 0
        kept = lowest_keys(qrels, qrels.judged, keys, sizes)
        while True:
            # Redrawing topic by topic is the same as choosing uniformly among the samples that qualify.
            again = can_have_one & (qrels.count(kept & relevant) == 0)
            if not again.any():
                return kept
            mine = again[qrels.topic_of_row]
            keys = np.where(mine, mixed(keys + GOLDEN), keys)
            kept = np.where(mine, lowest_keys(qrels, qrels.judged & mine, keys, sizes), kept)

    def _ceiling(self, qrels: Qrels, some: Flags) -> Ints:
        exact = [self.p * count for count in qrels.count(some).tolist()]
        return np.array([-(-one.numerator // one.denominator) for one in exact], dtype=np.int64)


class KeepHalf(Degradation):
    """The judgments of half of all documents, drawn at random. The documents of the other half are another collection.

    A document is in the same half for all topics, judged or not.
    """

    name = "KeepHalf"
    nameless = "which"
    title = "The judgments of half of the documents"
    reference = (
        "K. Hui, K. Berberich and I. Mele. Dealing with incomplete judgments in cascade measures. ICTIR 2017,"
        " section 5.3."
    )
    random = True

    which: str = param("first", Choice(("first", "second")), "which of the two halves is left")

    def leave(self, joined: Joined, *, seed: int, repetition: int = 0, case: str = "") -> Left:
        """What is left of the judgments."""
        first = in_first_half(joined.qrels.docs, seed=seed, repetition=repetition)
        kept = first if self.which == "first" else ~first
        return Left(kept & joined.qrels.judged, kept)


def in_first_half(docs: Ids, *, seed: int, repetition: int = 0) -> Flags:
    """Which documents belong to the first half of the collection."""
    return document_keys(docs, seed, repetition) < np.uint64(1 << 63)


class OneRelevant(Degradation):
    """One relevant document of each topic, drawn at random, and nothing else: judgments as those of MS MARCO.

    Nothing is known about other documents, not even whether somebody looked at them.
    """

    name = "OneRelevant"
    nameless = "rel"
    title = "One relevant document of each topic"
    reference = "P. Bajaj et al. MS MARCO: a human generated machine reading comprehension dataset. 2016."
    random = True

    rel: float = param(1, Threshold(), "lowest grade that counts as relevant")

    def leave(self, joined: Joined, *, seed: int, repetition: int = 0, case: str = "") -> Left:
        """What is left of the judgments."""
        qrels = joined.qrels
        relevant = qrels.judged & (qrels.grades >= self.rel)
        one = np.ones(len(qrels.topics), dtype=np.int64)
        kept = lowest_keys(qrels, relevant, judgment_keys(qrels, seed, repetition), one)
        return Left(kept, kept)


class KeepTopics(Degradation):
    """The judgments of some topics, drawn at random; the others no longer count.

    What is left with 10 topics is among what is left with 20 of the same seed and repetition.
    """

    name = "KeepTopics"
    nameless = "topics"
    title = "Some of the topics"
    random = True

    topics: int = param(..., Whole(1), "how many topics are left")

    def check(self, joined: Joined) -> None:
        """Refuse more topics than there are."""
        there = len(joined.qrels.topics)
        if self.topics > there:
            raise InputError(f"{self}: only {there} topics are judged")

    def leave(self, joined: Joined, *, seed: int, repetition: int = 0, case: str = "") -> Left:
        """What is left of the judgments."""
        self.check(joined)
        order = np.argsort(topic_keys(joined.qrels, seed, repetition), kind="stable")
        topics = np.zeros(len(order), dtype=bool)
        topics[order[: self.topics]] = True
        mine = topics[joined.qrels.topic_of_row]
        return Left(joined.qrels.judged & mine, mine, topics=topics)
