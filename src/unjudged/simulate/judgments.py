"""Fewer judgments: a random part of those that there are."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from unjudged.data.ids import pair_keys
from unjudged.data.provenance import DEFAULT_SEED
from unjudged.data.qrels import Qrels, State
from unjudged.errors import InputError

__all__ = ["keep_percent"]


def keep_percent(
    qrels: Qrels, percent: float | str | Fraction, *, rel: int = 1, seed: int = DEFAULT_SEED, repetition: int = 0
) -> Qrels:
    """Keep *percent* of each topic's judged documents: of the relevant ones, and of the others.

    Both numbers are rounded up, in exact arithmetic (7% of 100 are 7, where floating point would make 8), and at least
    one relevant document stays where there is one. With subtopics, a document is relevant if it is to any of them, and
    keeps all its judgments (paper 5, section 5.2). The others are as if nobody had looked at them; what was pooled but
    not judged stays.

    Which documents stay follows from *seed*, *repetition*, topic and document alone. Those that stay at 5% also stay at
    10% of the same repetition.

    >>> from unjudged.io.tables import qrels_from_table
    >>> qrels = qrels_from_table({"1": {f"d{i}": int(i < 10) for i in range(50)}})
    >>> keep_percent(qrels, 15).grade_counts()
    {0: 6, 1: 2}
    """
    share = _share(percent)
    judged = qrels.states == State.JUDGED
    relevant = judged & (qrels.grades >= rel)
    keys = pair_keys(qrels.topics, qrels.topic_of_row, qrels.docs, seed + (repetition << 32))
    kept = ~judged
    for group, least in ((relevant, 1), (judged & ~relevant, 0)):
        rows = np.flatnonzero(group)
        rows = rows[np.lexsort((keys[rows], qrels.topic_of_row[rows]))]
        counts = qrels.count(group)
        wanted = np.array([max(least, math.ceil(share * count)) for count in counts.tolist()], dtype=np.int64)
        place = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        kept[rows[place < np.repeat(wanted, counts)]] = True
    return qrels.kept(kept)


def _share(percent: float | str | Fraction) -> Fraction:
    """The percentage as it was written: 0.1 is a tenth, not the nearest number that a computer has."""
    try:
        share = Fraction(str(percent)) / 100
    except (ValueError, ZeroDivisionError):
        share = Fraction(-1)
    if not 0 <= share <= 1:
        raise InputError(f"a percentage is a number between 0 and 100, not {percent!r}")
    return share
