"""Strata: the parts of a topic's pool that were sampled for judging, each at its own rate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.data.memo import remembered
from unjudged.data.qrels import Qrels, State

__all__ = ["Strata", "strata_of"]


@dataclass(frozen=True, eq=False)
class Strata:
    """How much of each stratum was judged. A *cell* is one stratum of one topic, however large or small.

    Cells are sorted by topic, then by the stratum's number; topic ``i`` owns cells ``offsets[i]:offsets[i + 1]``. What
    a stratum is called means nothing beyond its topic: stratum 2 of two topics are two cells with two rates.
    """

    of_row: Ints
    """Cell of each row of the judgments; -1 where the document is no longer listed."""
    offsets: Ints
    topics: Ints
    """Topic position of each cell."""
    numbers: Ints
    """The stratum's number in the file."""
    pooled: Ints
    """Documents listed in the cell, judged or not."""
    judged: Ints

    def __len__(self) -> int:
        return len(self.pooled)

    @property
    def rates(self) -> Floats:
        """Inclusion probability of the documents of each cell: judged / pooled; 0 where none was judged."""
        return self.judged / self.pooled

    @property
    def weights(self) -> Floats:
        """How many pooled documents each judged one stands for: pooled / judged, and 0 where none was judged."""
        out = np.zeros(len(self))
        return np.divide(self.pooled, self.judged, out=out, where=self.judged > 0)


@remembered
def strata_of(qrels: Qrels) -> Strata:
    """The strata of judgments that have them; made once for all runs.

    >>> import unjudged as uj
    >>> table = [("1", "a", 1, 1), ("1", "b", 2, 0), ("1", "c", 2, -1)]
    >>> import pandas as pd
    >>> qrels = uj.read_qrels(pd.DataFrame(table, columns=["query_id", "doc_id", "stratum", "relevance"]))
    >>> strata_of(qrels).rates.tolist()
    [1.0, 0.5]
    """
    if qrels.strata is None:
        raise TypeError("these judgments have no strata")
    rows = np.flatnonzero(qrels.states != State.UNPOOLED)
    numbers = qrels.strata[rows].astype(np.int64)
    span = int(numbers.max(initial=0)) + 1
    keys, cells = np.unique(qrels.topic_of_row[rows] * span + numbers, return_inverse=True)
    of_row = np.full(len(qrels), -1, dtype=np.int64)
    of_row[rows] = cells.reshape(-1)
    topics = keys // span
    return Strata(
        of_row=of_row,
        offsets=np.searchsorted(topics, np.arange(len(qrels.topics) + 1)).astype(np.int64),
        topics=topics,
        numbers=keys % span,
        pooled=np.bincount(of_row[rows], minlength=len(keys)).astype(np.int64),
        judged=np.bincount(of_row[qrels.judged], minlength=len(keys)).astype(np.int64),
    )
