"""(topic, document) pairs numbered once for several runs, and what is left of them after other rankings were read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from unjudged.arrays import Flags, Floats, Ints
from unjudged.data.ids import PairIndex, concatenate_ids
from unjudged.data.memo import Memo, remembered
from unjudged.data.qrels import Qrels

if TYPE_CHECKING:
    from unjudged.data.view import View

__all__ = ["Pairs", "Residual", "number_pairs"]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Numbers for (topic, document) pairs: first the rows of the judgments, then what only runs have."""

    qrels: Qrels
    others: PairIndex | None
    """Finds pairs that the judgments do not list; None where nobody is going to ask for them."""
    size: int

    def of_judgments(self, qrels: Qrels) -> Ints:
        """Numbers of the rows of these judgments, -1 for pairs that have none."""
        return np.arange(len(qrels), dtype=np.int64) if qrels is self.qrels else _numbers(qrels, self)


@remembered
def _numbers(qrels: Qrels, pairs: Pairs) -> Ints:
    # Other judgments are about the same topics in the same order, or nobody's: then no pair of theirs is known.
    rows = pairs.qrels.pairs.find(qrels.topic_of_row, qrels.docs)
    if pairs.others is None:
        return rows
    return pairs.others.find_rest(rows, len(pairs.qrels), qrels.topic_of_row, qrels.docs)


def number_pairs(qrels: Qrels, views: Sequence[View], *, holes: bool) -> tuple[Pairs, list[Ints]]:
    """Numbers for all pairs of these views, and the number of each row of each view.

    Without *holes*, views must hold no rows but those of documents that the judgments list.
    """
    rows = [view.qrels_rows for view in views]
    if not holes:
        return Pairs(qrels, None, len(qrels)), rows
    unlisted = [np.flatnonzero(view_rows < 0) for view_rows in rows]
    topics = np.concatenate([view.topics[view.ranking[at]] for view, at in zip(views, unlisted, strict=True)])
    docs = concatenate_ids([view.doc_ids().take(at) for view, at in zip(views, unlisted, strict=True)])
    index = PairIndex(topics, docs)
    numbers = index.find(topics, docs) + len(qrels)
    out, start = [], 0
    for view_rows, at in zip(rows, unlisted, strict=True):
        column = view_rows.copy()
        column[at] = numbers[start : start + len(at)]
        start += len(at)
        out.append(column)
    return Pairs(qrels, index, len(qrels) + len(docs)), out


@dataclass(frozen=True, eq=False)
class Residual(Memo):
    """What somebody who read other rankings has left of each document: 1 is everything, 0 nothing.

    ``left`` has a value for each of the ``pairs``, ``rows`` the pair of each row of the view that this belongs to.
    """

    pairs: Pairs
    left: Floats
    rows: Ints

    def of_rows(self) -> Floats:
        """What is left of the document of each row."""
        return self.left[self.rows]

    @remembered
    def of_judgments(self, qrels: Qrels) -> Floats:
        """What is left of each judged document, retrieved or not."""
        numbers = self.pairs.of_judgments(qrels)
        return np.where(numbers >= 0, self.left[numbers], 1.0)

    def is_new(self, qrels: Qrels) -> Flags:
        """For each row, whether its document is not judged in *qrels*; a view may know a label that they do not."""
        return self._new_pairs(qrels)[self.rows]

    @remembered
    def _new_pairs(self, qrels: Qrels) -> Flags:
        new = np.ones(self.pairs.size, dtype=bool)
        numbers = self.pairs.of_judgments(qrels)
        new[numbers[qrels.judged & (numbers >= 0)]] = False
        return new

    def take(self, rows: Ints | slice) -> Residual:
        """The same for some rows of the view, in the given order."""
        # What is remembered depends on what is left, and not on the rows.
        return Residual(self.pairs, self.left, self.rows[rows]).sharing(self)
