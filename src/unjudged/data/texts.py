"""Texts as term counts: how often each term occurs in each document, and in the whole collection.

Documents stream through `io/documents.py` (one reader for each format) into a `TermCounter` (`data/term_counting.py`),
which cuts a few megabytes at a time into words, numbers them in a growing `Vocabulary`, and keeps counts for wanted
documents only. A study reads its runs twice: first to see which documents they return
(`engine/preparation/document_texts.py`), because only those and the judged ones are wanted. What is left is a `Texts`
(`data/texts.py`): term counts in rows (CSR), with the terms in the order of their bytes, so that what else was
wanted, or was in the cache, cannot change the order of a sum. It lies beside the judgments (`Qrels.texts`), because
that is where every view can find it.

Language models are never written out over the vocabulary. With Dirichlet smoothing, terms that do not occur in a
ranking add nothing to the difference of two divergences but a closed form (`measures/language_models.py`), and from
one rank to the next only the terms of one document change.

The cache (`io/text_cache.py`) holds NumPy arrays under a checksum, in a file whose name is a hash of the texts'
content and of how they are read. It is written beside and renamed. Anybody can compute a checksum, so
`io/array_files.py` reads arrays of numbers or nothing, for the cache and for the store alike, and offsets must fit
what they point into: the compiled core would read wherever they say.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from unjudged.arrays import Flags, Floats, Ints, SmallInts
from unjudged.data.ids import Ids, PairIndex
from unjudged.data.qrels import Qrels
from unjudged.data.spans import offsets_of, rows_of_spans
from unjudged.errors import Notice
from unjudged.notebook_repr import NotebookRepr
from unjudged.wording import counted

__all__ = ["ModelSize", "Texts"]


class ModelSize(NamedTuple):
    """What the language model of one subtopic rests on."""

    topic: str
    subtopic: str
    rel: float
    """Lowest grade at which a document counts as relevant here."""
    relevant: int
    """Relevant documents."""
    documents: int
    """Those of them that have a text."""
    tokens: int
    """Words of these texts."""


@dataclass(frozen=True, eq=False)
class Texts(NotebookRepr):
    """Term counts of some documents, in rows (CSR), and the collection they come from.

    Document ``i`` has terms ``terms[offsets[i]:offsets[i + 1]]``, ascending, each ``counts`` times. Term ``t`` is the
    word ``words[t]`` and occurs ``collection[t]`` times in the collection, which has ``tokens`` words that count in
    all. Words that occur in no document kept here are part of ``tokens`` only.
    """

    docs: Ids
    offsets: Ints
    terms: SmallInts
    counts: SmallInts
    words: Ids
    collection: Ints
    tokens: int
    documents: int
    """Documents of the collection; 0 where it is known by its term counts only."""
    source: str = ""
    notices: tuple[Notice, ...] = ()

    def __len__(self) -> int:
        return len(self.docs)

    def __repr__(self) -> str:
        what = f"{counted(len(self), 'document')}, {counted(len(self.words), 'term')}"
        return f"Texts({what}, {counted(self.tokens, 'token')} in the collection)"

    def paths(self) -> list[str]:
        """The inputs behind it, as of texts that are still to be read: none, they were read before."""
        return []

    def files(self) -> tuple[str, ...]:
        """The file that it was read from, where that is known."""
        return (self.source,) if os.path.isfile(self.source) else ()  # noqa: PTH113  # a path, or a name for it

    @cached_property
    def lengths(self) -> Ints:
        """Words that count in each document."""
        total = offsets_of(self.counts)
        lengths: Ints = total[self.offsets[1:]] - total[self.offsets[:-1]]
        return lengths

    @cached_property
    def share(self) -> Floats:
        """The collection model: which share of the collection's words each term is."""
        return self.collection / max(1, self.tokens)

    @cached_property
    def _rows(self) -> PairIndex:
        return PairIndex(np.zeros(len(self), dtype=np.int64), self.docs)

    def find(self, docs: Ids) -> Ints:
        """The row of each document, -1 where there is no text of it."""
        return self._rows.find(np.zeros(len(docs), dtype=np.int64), docs)

    def entries(self, rows: Ints) -> tuple[Ints, Ints]:
        """Where the terms of some documents lie in ``terms`` and ``counts``: positions, and whose they are.

        The second says for each position which of *rows* it belongs to. Documents may be there more than once.
        """
        sizes = self.offsets[rows + 1] - self.offsets[rows]
        return rows_of_spans(self.offsets[rows], sizes), np.repeat(np.arange(len(rows)), sizes)

    def counts_of(self, doc: str) -> dict[str, int]:
        """The words of one document with their counts; empty where there is no text of it.

        >>> from unjudged.io.texts import read_texts
        >>> read_texts({"d1": "One two, two"}).counts_of("d1")
        {'one': 1, 'two': 2}
        """
        row = int(self.find(Ids.of([doc]))[0])
        if row < 0:
            return {}
        here = slice(self.offsets[row], self.offsets[row + 1])
        words = self.words.take(self.terms[here].astype(np.int64))
        return dict(zip(words, self.counts[here].tolist(), strict=True))

    def only(self, wanted: Flags) -> Texts:
        """The chosen documents, and the terms that occur in them. The collection stays."""
        rows = np.flatnonzero(wanted)
        positions, owners = self.entries(rows)
        offsets = np.searchsorted(owners, np.arange(len(rows) + 1)).astype(np.int64)
        some = replace(
            self, docs=self.docs.take(rows), offsets=offsets, terms=self.terms[positions], counts=self.counts[positions]
        )
        used = np.zeros(len(self.words), dtype=bool)
        used[some.terms] = True
        return some.with_terms(used)

    def with_terms(self, kept: Flags) -> Texts:
        """The same documents without the terms that are not kept. The collection's ``tokens`` stay."""
        entries = kept[self.terms]
        return replace(
            self,
            offsets=offsets_of(entries)[self.offsets],
            terms=(np.cumsum(kept) - 1)[self.terms[entries]].astype(np.int32),
            counts=self.counts[entries],
            words=self.words.take(np.flatnonzero(kept)),
            collection=self.collection[kept],
        )


@dataclass(frozen=True, eq=False, repr=False)
class QrelsWithTexts(Qrels):
    """Judgments beside what documents say, judged or only retrieved, for those who compare documents by their text."""

    texts: Texts = field(kw_only=True)


def with_texts(qrels: Qrels, texts: Texts) -> QrelsWithTexts:
    """The same judgments, with what documents say."""
    own = {one.name: getattr(qrels, one.name) for one in fields(qrels) if one.init}
    return QrelsWithTexts(**{**own, "texts": texts})


def texts_of(qrels: Qrels) -> Texts | None:
    """What the documents of these judgments say, where that is known."""
    return qrels.texts if isinstance(qrels, QrelsWithTexts) else None
