"""Images of a corpus: the same rankings and judgments where some documents are gone and others are there repeatedly."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

import unjudged.kernels as kernels
from unjudged.arrays import Bytes, Flags, Floats, GradeColumn, Ints, SmallInts
from unjudged.data.memo import Memo, remembered
from unjudged.data.qrels import Qrels
from unjudged.data.spans import offsets_of
from unjudged.data.view import View, ideal_view

__all__ = ["ImageBlock", "Images"]


@dataclass(frozen=True, eq=False)
class ImageBlock(Memo):
    """Some images of a corpus: ``copies[d, i]`` is how often document ``d`` is in image ``i``.

    ``judged`` says which document each row of the judgments is.
    """

    qrels: Qrels
    judged: Ints
    copies: Bytes

    def __len__(self) -> int:
        """Number of images."""
        return int(self.copies.shape[1])

    @remembered
    def total_relevant(self, rel: float) -> Ints:
        """Copies of the documents of at least grade *rel*: (topics, images)."""
        return self._total(self.qrels.judged & (self.qrels.grades >= rel))

    @remembered
    def total_nonrelevant(self, rel: float) -> Ints:
        """Copies of the documents judged lower than *rel*: (topics, images)."""
        return self._total(self.qrels.judged & (self.qrels.grades < rel))

    def _total(self, chosen: Flags) -> Ints:
        """Copies of the chosen rows of the judgments: (topics, images)."""
        out = np.zeros((len(self.qrels.topics), len(self)), dtype=np.int64)
        rows = np.flatnonzero(chosen)
        counts = np.bincount(self.qrels.topic_of_row[rows], minlength=len(out))
        has = np.flatnonzero(counts)
        starts = np.cumsum(counts)[has] - counts[has]
        if len(rows):
            out[has] = np.add.reduceat(self.copies[self.judged[rows]], starts, axis=0, dtype=np.int64)
        return out

    def written_out(self, image: int) -> Qrels:
        """The judgments of one image, each copy a row. Copies keep the document's id."""
        # Only the latest is remembered: rankings are written out image by image.
        latest: tuple[int, Qrels] | None = self._memory.get("written out")
        if latest is None or latest[0] != image:
            latest = self._memory["written out"] = (image, self._write_out(image))
        return latest[1]

    def ideal(self, gain_of_grade: Floats) -> Images:
        """The ideal ranking of every topic in these images: an image of the ideal ranking is ideal for the image."""
        view = _ideal(self.qrels, tuple(gain_of_grade.tolist()))
        rows = self.judged[view.doc_rows]
        return Images(View(view.qrels, view.topics, view.offsets, view.grades, view.states, None, rows), self)

    def _write_out(self, image: int) -> Qrels:
        qrels, copies = self.qrels, self.copies[self.judged, image]
        rows = np.repeat(np.arange(len(copies)), copies)
        counts = np.bincount(qrels.topic_of_row[rows], minlength=len(qrels.topics))
        offsets = offsets_of(counts)
        docs = qrels.docs.take(rows)
        return Qrels(
            qrels.topics,
            offsets,
            docs,
            qrels.grades[rows],
            qrels.states[rows],
            source=qrels.source,
            given_scale=qrels.scale,
        )


@remembered
def _ideal(qrels: Qrels, gain_of_grade: tuple[float, ...]) -> View:
    return ideal_view(qrels, np.array(gain_of_grade))


@dataclass(frozen=True, eq=False)
class Images(Memo):
    """Rankings in several images of the corpus: each document repeated in place, or removed.

    ``view`` has the rankings as they are; its ``doc_rows`` say which document of the block each row is. Arrays about
    documents have shape (rows, images), where rows are those of :attr:`rows`; scores have shape (rankings, images).
    """

    view: View
    block: ImageBlock

    @property
    def rows(self) -> Ints:
        """Rows of the view with a grade above 0. The others count only in that they push these down."""
        return self.view.relevant_rows(self.view.qrels.above_zero)[0]

    @property
    def grades(self) -> GradeColumn:
        """Grade of each of the rows."""
        return self.view.grades[self.rows]

    @property
    def levels(self) -> NDArray[np.integer]:
        """The level of each of these grades on the judgments' scale."""
        return self.view.levels[self.rows]

    @cached_property
    def offsets(self) -> Ints:
        """Where each ranking starts in :attr:`rows`."""
        return np.searchsorted(self.rows, self.view.offsets).astype(np.int64)

    @cached_property
    def own(self) -> Bytes:
        """Copies of each document."""
        return self.block.copies[self._docs[self.rows]]

    @cached_property
    def above(self) -> SmallInts:
        """Copies of all documents ranked above."""
        return kernels.copies_above(self.view.offsets, self._docs, self.rows, self.block.copies)

    @cached_property
    def deepest(self) -> int:
        """The deepest rank of a document with a grade above 0, in any of the images."""
        last = self.offsets[1:][np.diff(self.offsets) > 0] - 1
        return int((self.above[last] + self.own[last]).max(initial=0))

    @property
    def _docs(self) -> Ints:
        if self.view.doc_rows is None:
            raise TypeError("this view does not say which documents of the corpus its rows are")
        return self.view.doc_rows

    @remembered
    def relevant_above(self, rel: float) -> SmallInts:
        """Copies of documents of at least grade *rel* ranked above; 0 for rows that have a lower grade themselves."""
        rows = self.view.relevant_rows(rel)[0]
        offsets = np.searchsorted(rows, self.view.offsets).astype(np.int64)
        every = np.arange(len(rows), dtype=np.int64)
        above = kernels.copies_above(offsets, self._docs[rows], every, self.block.copies)
        if len(rows) == len(self.rows):
            return above
        out = np.zeros((len(self.rows), len(self.block)), dtype=np.int32)
        out[np.searchsorted(self.rows, rows)] = above
        return out

    def relevant_retrieved(self, rel: float) -> Ints:
        """Copies of all retrieved documents of at least grade *rel*: (rankings, images)."""
        at = np.flatnonzero(self.grades >= rel)
        ends = np.searchsorted(at, self.offsets)
        has = np.flatnonzero(np.diff(ends))
        last = at[ends[has + 1] - 1]
        out = np.zeros((len(self.view), len(self.block)), dtype=np.int64)
        out[has] = self.relevant_above(rel)[last] + self.own[last]
        return out

    def total_relevant(self, rel: float) -> Ints:
        """Copies of all documents of at least grade *rel*, retrieved or not: R of each image, (rankings, images)."""
        return self.block.total_relevant(rel)[self.view.topics]

    def total_nonrelevant(self, rel: float) -> Ints:
        """Copies of all documents judged lower than *rel*, retrieved or not: (rankings, images)."""
        return self.block.total_nonrelevant(rel)[self.view.topics]

    def weigh(self, weights: Floats, gains: Floats, times: SmallInts | None = None) -> Floats:
        """Sum of the weights of the ranks that a document's copies have, times its gain (and *times*).

        *weights* has one value for each rank that counts, *gains* one for each row.
        """
        table = np.concatenate([[0.0], np.cumsum(weights)])
        if times is None:
            times = np.zeros((0, len(self.block)), dtype=np.int32)
        return kernels.weigh_copies(self.offsets, self.above, self.own, gains, table, times)

    def total(self, values: Floats, at: Ints | None = None) -> Floats:
        """Sum over the rows of each ranking; with *at*, values are for some of the rows, given by position."""
        offsets = self.offsets if at is None else np.searchsorted(at, self.offsets)
        out = np.zeros((len(self.view), len(self.block)))
        has = np.flatnonzero(np.diff(offsets))
        if len(has):
            out[has] = np.add.reduceat(values, offsets[has], axis=0)
        return out

    def condensed(self) -> Images:
        """Without unjudged documents."""
        return Images(self.view.condensed(), self.block)

    def written_out(self, image: int) -> View:
        """The rankings of one image, each copy a row, with the judgments of that image."""
        view, copies = self.view, self.block.copies[self._docs, image]
        rows = np.repeat(np.arange(len(copies)), copies)
        ends = offsets_of(copies)
        return View(
            self.block.written_out(image),
            view.topics,
            ends[view.offsets],
            view.grades[rows],
            view.states[rows],
            view.docs,
            self._docs[rows],
        )
