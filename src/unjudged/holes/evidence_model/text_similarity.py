"""How alike the texts of documents are to what was judged relevant on their topic."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy import sparse

from unjudged.arrays import Floats, GradeColumn, Ints
from unjudged.data.ids import Ids
from unjudged.data.texts import Texts

__all__ = ["TextSimilarity"]


class TextSimilarity:
    """Cosines between documents and those of them that are relevant to the same topic, with grades above 0."""

    def __init__(self, texts: Texts, topics: Ints, docs: Ids, grades: GradeColumn) -> None:
        self._texts, self._topics, self._grades = texts, topics, grades
        self._row = texts.find(docs)
        self._has_text = self._row >= 0
        self._relevant = np.flatnonzero((grades > 0) & self._has_text)

    @cached_property
    def _vectors(self) -> sparse.csr_array:
        """A vector of length 1 for each text: log counts, weighted by how rare the words are in the collection."""
        texts = self._texts
        rarity = -np.log(np.maximum(texts.share, 1.0 / max(1, texts.tokens)))
        weights = (1.0 + np.log(texts.counts)) * rarity[texts.terms]
        shape = (len(texts), len(texts.words))
        vectors = sparse.csr_array((weights, texts.terms.astype(np.int64), texts.offsets), shape=shape)
        lengths = np.sqrt(vectors.multiply(vectors).sum(axis=1))
        return sparse.csr_array(vectors.multiply(1.0 / np.maximum(lengths, 1e-12)[:, None]))

    @cached_property
    def _by_topic(self) -> dict[int, tuple[Ints, Ints, Floats]]:
        """For each topic the documents with a text, the relevant ones among them, and their cosines."""
        out = {}
        of_relevant = self._topics[self._relevant]
        for topic in np.unique(of_relevant).tolist():
            mine = np.flatnonzero((self._topics == topic) & self._has_text)
            good = self._relevant[of_relevant == topic]
            cosines = (self._vectors[self._row[mine]] @ self._vectors[self._row[good]].T).toarray()
            out[topic] = (mine, good, cosines)
        return out

    def to_relevant(self, places: Ints, brought_by: Ints, excluded_groups: Ints) -> Floats:
        """Mean cosine of documents with the relevant ones of their topic, weighted by grade; NaN where there is none.

        *brought_by* says for all documents who alone brought them, -1 where that was nobody alone. What those in
        *unheard*, shape (people, places), brought alone does not count for a document, and neither does it itself.
        """
        out = np.full(len(places), np.nan)
        topics = self._topics[places]
        for topic in np.unique(topics).tolist():
            here = np.flatnonzero((topics == topic) & self._has_text[places])
            if topic not in self._by_topic or not len(here):
                continue
            mine, good, cosines = self._by_topic[topic]
            excluded = (brought_by[good] == excluded_groups[:, here, None]).any(axis=0) | (
                good == places[here][:, None]
            )
            weights = np.where(excluded, 0, self._grades[good])
            total = weights.sum(axis=1)
            sums = (cosines[np.searchsorted(mine, places[here])] * weights).sum(axis=1)
            out[here] = np.divide(sums, total, out=np.full(len(here), np.nan), where=total > 0)
        return out
