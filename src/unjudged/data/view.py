"""A view: rankings joined with judgments. The one thing measures and hole models look at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import unjudged.kernels as kernels
from unjudged.arrays import Bytes, Flags, Floats, GradeColumn, Ints
from unjudged.data.ids import Ids, concatenate_ids
from unjudged.data.memo import Memo, remembered
from unjudged.data.pairs import Residual
from unjudged.data.qrels import Qrels, State
from unjudged.data.run import Run
from unjudged.data.spans import offsets_of, ranking_blocks, rows_of_spans, sums_of, top_rows

__all__ = [
    "Matches",
    "Sparse",
    "View",
    "ideal_view",
    "join",
    "join_matches",
    "join_unranked",
    "match_unranked",
    "stacked",
    "topic_blocks",
]


@dataclass(frozen=True, eq=False)
class Sparse:
    """Ranks and lengths of rankings of which a view holds only some rows: the others are known not to matter."""

    ranks: Ints
    lengths: Ints


@dataclass(frozen=True, eq=False)
class View(Memo):
    """Rankings as columns: for every (ranking, rank) a grade and a state.

    Ranking ``i`` is about topic ``topics[i]`` of ``qrels`` and owns rows ``offsets[i]:offsets[i + 1]``, best document
    first. ``grades`` are 0 where the state is not ``JUDGED``. A topic that the run does not have is a ranking without
    rows. ``docs`` are the ids of the documents (``doc_rows`` says which of them each row is), None where only grades
    matter. A ``sparse`` view leaves out rows without gain and says which ranks the others have. ``residual`` says what
    of each document is left to somebody who read other rankings before; None where there are none.
    ``cached_qrels_rows`` is what :attr:`qrels_rows` gives, where that is known already: through it a row has its
    judgments for subtopics.
    """

    qrels: Qrels
    topics: Ints
    offsets: Ints
    grades: GradeColumn
    states: Bytes
    docs: Ids | None = None
    doc_rows: Ints | None = None
    sparse: Sparse | None = None
    residual: Residual | None = None
    cached_qrels_rows: Ints | None = None

    def __len__(self) -> int:
        """Number of rankings."""
        return len(self.topics)

    # ---- columns that follow from the others, computed on first use

    @cached_property
    def lengths(self) -> Ints:
        """Number of documents in each ranking."""
        return np.diff(self.offsets) if self.sparse is None else self.sparse.lengths

    @cached_property
    def deepest(self) -> int:
        """Documents in the longest ranking."""
        return int(self.lengths.max(initial=0))

    @cached_property
    def runs(self) -> Ints:
        """Which run each ranking is of, from 0: rankings of several come run by run, each with its topics in order."""
        return np.cumsum(np.diff(self.topics, prepend=-1) <= 0)

    @cached_property
    def ranking(self) -> Ints:
        """Ranking of each row."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    @cached_property
    def rank(self) -> Ints:
        """Rank of each row, from 1."""
        if self.sparse is not None:
            return self.sparse.ranks
        return np.arange(1, len(self.grades) + 1) - np.repeat(self.offsets[:-1], self.lengths)

    @cached_property
    def judged(self) -> Flags:
        """Rows whose document was judged."""
        judged: Flags = self.states == State.JUDGED
        return judged

    @cached_property
    def levels(self) -> NDArray[np.integer]:
        """The level of each row's grade on the scale of the judgments."""
        return self.qrels.scale.levels(self.grades)

    @cached_property
    def qrels_rows(self) -> Ints:
        """Row of each document in the judgments, -1 where it is not listed for the topic."""
        if self.cached_qrels_rows is not None:
            return self.cached_qrels_rows
        return self.qrels.pairs.find(self.topics[self.ranking], self.doc_ids())

    @remembered
    def relevant(self, rel: float) -> Flags:
        """Rows whose document was judged and has at least grade *rel*."""
        return (self.grades >= rel) & self.judged

    @remembered
    def nonrelevant(self, rel: float) -> Flags:
        """Rows whose document was judged and has less than grade *rel*."""
        return (self.grades < rel) & self.judged

    @remembered
    def relevant_rows(self, rel: float) -> tuple[Ints, Ints]:
        """The relevant rows, and how many relevant rows their ranking has down to each (1 for the first)."""
        rows = np.flatnonzero(self.relevant(rel))
        before = np.searchsorted(rows, self.offsets[:-1])
        return rows, np.arange(1, len(rows) + 1) - before[self.ranking[rows]]

    # ---- sums

    def total(self, rows: Ints, values: Floats) -> Floats:
        """Sum of *values*, which belong to *rows*, over each ranking."""
        return sums_of(values, self.ranking[rows], len(self))

    def count(self, chosen: Flags) -> Ints:
        """Number of chosen rows in each ranking."""
        return np.diff(np.searchsorted(np.flatnonzero(chosen), self.offsets))

    def counted_above(self, chosen: Flags, rows: Ints) -> Ints:
        """Number of chosen rows ranked above each of *rows* in the same ranking."""
        chosen_rows = np.flatnonzero(chosen)
        start = np.searchsorted(chosen_rows, self.offsets[:-1])
        return np.searchsorted(chosen_rows, rows) - start[self.ranking[rows]]

    def running(self, values: Ints) -> Ints:
        """Cumulative sum of one whole number per row, down each ranking."""
        total = offsets_of(values)
        running: Ints = total[1:] - np.repeat(total[self.offsets[:-1]], np.diff(self.offsets))
        return running

    def share(self, chosen: Flags) -> Floats:
        """Share of the documents of each ranking that are chosen; NaN for a ranking without documents."""
        shares = np.full(len(self), np.nan)
        np.divide(self.count(chosen), self.lengths, out=shares, where=self.lengths > 0)
        return shares

    # ---- the judgments' side, one value per ranking

    def total_relevant(self, rel: float) -> Ints:
        """Judged relevant documents of each ranking's topic, retrieved or not (R)."""
        return self.qrels.total_relevant(rel)[self.topics]

    def total_nonrelevant(self, rel: float) -> Ints:
        """Judged non-relevant documents of each ranking's topic, retrieved or not."""
        return self.qrels.total_nonrelevant(rel)[self.topics]

    # ---- other views

    def top(self, cutoff: int | None) -> View:
        """Only the first *cutoff* ranks (all of them for None)."""
        if cutoff is None or self.deepest <= cutoff:
            return self
        return self._top(cutoff)

    @remembered
    def _top(self, cutoff: int) -> View:
        if self.sparse is not None:
            return self._sparse_rows(np.flatnonzero(self.rank <= cutoff), np.minimum(self.lengths, cutoff))
        return self._rows(*top_rows(self.offsets, cutoff))

    def condensed(self) -> View:
        """Without unjudged documents; what is left moves up."""
        return self if bool(self.judged.all()) else self._condensed()

    @remembered
    def _condensed(self) -> View:
        return self.kept(self.judged)

    def kept(self, chosen: Flags) -> View:
        """Only the chosen rows; what is left moves up."""
        return self._rows(np.flatnonzero(chosen), offsets_of(self.count(chosen)))

    def _rows(self, rows: Ints | slice, offsets: Ints, topics: Ints | None = None) -> View:
        """Some rows, which are rankings with these offsets about the same topics, or other *topics*."""
        if self.doc_rows is not None:
            doc_rows = self.doc_rows[rows]
        else:
            doc_rows = np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows
        return View(
            self.qrels,
            self.topics if topics is None else topics,
            offsets,
            self.grades[rows],
            self.states[rows],
            self.docs,
            None if self.docs is None else doc_rows,
            residual=None if self.residual is None else self.residual.take(rows),
            cached_qrels_rows=None if self.cached_qrels_rows is None else self.cached_qrels_rows[rows],
        )

    def judged_by(self, qrels: Qrels) -> View:
        """The same rankings against other judgments with a single topic, as far as totals and ideals go."""
        topics = np.zeros(len(self), dtype=np.int64)
        return replace(self, qrels=qrels, topics=topics)

    def after(self, residual: Residual) -> View:
        """The same rankings as they are to somebody who read others before."""
        return replace(self, residual=residual)

    def only_grades(self, wanted: Flags) -> View:
        """Only the judged rows of the wanted grades, at the ranks that they have.

        *wanted* has a flag for each grade of the judgments' scale.
        """
        return self._sparse_rows(np.flatnonzero(self.judged & wanted[self.levels]), self.lengths)

    def _sparse_rows(self, rows: Ints, lengths: Ints) -> View:
        view = self._rows(rows, np.searchsorted(rows, self.offsets).astype(np.int64))
        return replace(view, sparse=Sparse(self.rank[rows], lengths))

    @remembered
    def completed(self, qrels: Qrels) -> View:
        """The same rankings against judgments that say the same and more, about the same topics in the same order."""
        holes = np.flatnonzero(~self.judged)
        qrels_rows = qrels.pairs.find(self.topics[self.ranking[holes]], self.doc_ids().take(holes))
        holes, qrels_rows = holes[qrels_rows >= 0], qrels_rows[qrels_rows >= 0]
        grades, states = self.grades.copy(), self.states.copy()
        grades[holes], states[holes] = qrels.grades[qrels_rows], qrels.states[qrels_rows]
        return replace(self, qrels=qrels, grades=grades, states=states, cached_qrels_rows=None)

    def graded_zero(self, chosen: Flags) -> View:
        """The same rankings with grade 0 for the chosen rows."""
        if not chosen.any():
            return self
        grades = np.where(chosen, 0, self.grades).astype(self.grades.dtype)
        return replace(self, grades=grades)

    def all_pooled(self) -> View:
        """The same rankings as if every unjudged document had been in the pool."""
        return replace(self, states=np.where(self.judged, self.states, np.uint8(State.POOLED)))

    def blocks(self, rows: int) -> Iterator[View]:
        """The same view in pieces of whole rankings with about *rows* rows each, to bound memory."""
        if len(self.grades) <= rows:
            yield self
            return
        for rankings in ranking_blocks(self.offsets, rows):
            offsets = self.offsets[rankings.start : rankings.stop + 1]
            here = slice(int(offsets[0]), int(offsets[-1]))
            yield self._rows(here, offsets - here.start, self.topics[rankings.start : rankings.stop])

    def doc_ids(self, rows: Ints | None = None) -> Ids:
        """The id of each row's document, or of those of some rows."""
        if self.docs is None:
            raise TypeError("this view was made without document ids")
        if rows is not None:
            return self.docs.take(rows if self.doc_rows is None else self.doc_rows[rows])
        return self.docs if self.doc_rows is None else self.docs.take(self.doc_rows)


def join(
    run: Run,
    qrels: Qrels,
    topics: range | Ints | None = None,
    *,
    depth: int | None = None,
    keep_qrels_rows: bool = False,
) -> View:
    """Look up every retrieved document in the judgments, for every judged topic (or a range of their positions).

    Topics that only the run has are left out; topics that only the judgments have become empty rankings. Documents
    below rank *depth* are left out, where nobody is going to look at them. With *keep_qrels_rows* the view knows the
    row of each document in the judgments.
    """
    wanted = np.array(range(len(qrels.topics)) if topics is None else topics, dtype=np.int64)
    starts, lengths = _spans(run, qrels)
    starts, lengths = starts[wanted], lengths[wanted]
    if depth is not None:
        lengths = np.minimum(lengths, depth)
    offsets = offsets_of(lengths)
    # Mostly a run has its topics in the order of the judgments; then its rows can be used as they lie.
    in_order = bool(np.all(starts[lengths > 0] == (offsets[:-1] + starts[:1])[lengths > 0]))
    if in_order:
        first = int(starts[0]) if len(starts) else 0
        docs = run.docs.slice(first, first + int(offsets[-1]))
    else:
        docs = run.docs.take(rows_of_spans(starts, lengths))
    qrels_rows = qrels.pairs.find(np.repeat(wanted, lengths), docs)
    return _judged_view(qrels, wanted, offsets, docs, None, qrels_rows, keep_qrels_rows=keep_qrels_rows)


class Matches(NamedTuple):
    """Rankings as they are ranked: which row comes where, None for all as they are, and the row of each in judgments.

    That is -1 for a document that is not listed.
    """

    order: Ints | None
    qrels_rows: Ints


def match_unranked(qrels: Qrels, topics: Ints, offsets: Ints, docs: Ids, scores: Floats) -> Matches | None:
    """Rank and look up documents; None where one is there twice. A topic that is not judged is -1."""
    order, qrels_rows, is_repeated = qrels.pairs.match(offsets, topics, scores, docs)
    return None if is_repeated else Matches(order, qrels_rows)


def join_unranked(
    qrels: Qrels, topics: Ints, offsets: Ints, docs: Ids, scores: Floats, *, depth: int | None = None
) -> View | None:
    """The same for rankings about these *topics* that are still to be ranked; None where a document is there twice.

    What nobody judges (a topic that is -1) is left out.
    """
    matches = match_unranked(qrels, topics, offsets, docs, scores)
    return None if matches is None else join_matches(qrels, topics, offsets, docs, matches, depth=depth)


def join_matches(
    qrels: Qrels, topics: Ints, offsets: Ints, docs: Ids, matches: Matches, *, depth: int | None = None
) -> View:
    """The same for rankings that are looked up already."""
    order, qrels_rows = matches
    rows: Ints | None = None
    if not bool((topics >= 0).all()):
        kept, lengths = topics >= 0, np.diff(offsets)
        rows = rows_of_spans(offsets[:-1][kept], lengths[kept])
        topics, offsets = topics[kept], offsets_of(lengths[kept])
    if depth is not None and int(np.diff(offsets).max(initial=0)) > depth:
        top, offsets = top_rows(offsets, depth)
        rows = top if rows is None else rows[top]
    if rows is not None:
        order, qrels_rows = rows if order is None else order[rows], qrels_rows[rows]
    return _judged_view(qrels, topics, offsets, docs, order, qrels_rows)


def _judged_view(
    qrels: Qrels,
    topics: Ints,
    offsets: Ints,
    docs: Ids,
    doc_rows: Ints | None,
    qrels_rows: Ints,
    *,
    keep_qrels_rows: bool = False,
) -> View:
    """A view of documents whose rows in the judgments are known, -1 for those that are not listed."""
    if qrels.has_fractions:
        columns = _columns_by_found_row(qrels)
        grades, states = (one.take(qrels_rows, mode="wrap") for one in columns)
    else:
        grades, states = kernels.found_grades(qrels_rows, qrels.grades, qrels.states)
    # Most measures look at grades only; of long runs the positions would be the largest column.
    cached = qrels_rows if keep_qrels_rows or qrels.subtopics is not None else None
    return View(qrels, topics, offsets, grades, states, docs, doc_rows, cached_qrels_rows=cached)


def stacked(views: Sequence[View]) -> View:
    """The rankings of several joined runs, one after the other, as one view."""
    offsets = offsets_of(np.concatenate([view.lengths for view in views]))
    cached = [view.cached_qrels_rows for view in views if view.cached_qrels_rows is not None]
    return View(
        views[0].qrels,
        np.concatenate([view.topics for view in views]),
        offsets,
        np.concatenate([view.grades for view in views]),
        np.concatenate([view.states for view in views]),
        concatenate_ids([view.doc_ids() for view in views]),
        cached_qrels_rows=np.concatenate(cached) if len(cached) == len(views) else None,
    )


@remembered
def _columns_by_found_row(qrels: Qrels) -> tuple[GradeColumn, Bytes]:
    """Grades and states, and below them those of what is not listed: -1, which NumPy takes for the last row."""
    nothing = np.zeros(1, dtype=qrels.grades.dtype), np.full(1, State.UNPOOLED, dtype=np.uint8)
    return np.concatenate([qrels.grades, nothing[0]]), np.concatenate([qrels.states, nothing[1]])


def topic_blocks(run: Run, qrels: Qrels, rows: int, rankings: int) -> Iterator[range]:
    """Ranges of judged topics for :func:`join`, with about *rows* rows of the run each, and so many topics at most."""
    lengths = _spans(run, qrels)[1]
    for block in ranking_blocks(offsets_of(lengths), rows):
        for start in block[::rankings]:
            yield range(start, min(start + rankings, block.stop))


def _spans(run: Run, qrels: Qrels) -> tuple[Ints, Ints]:
    """For each judged topic, where its documents start in the run and how many there are."""
    at = np.array([run.topic_rows.get(topic, -1) for topic in qrels.topics], dtype=np.int64)
    padded = np.append(run.offsets, run.offsets[-1])  # position -1: a topic without documents
    return padded[at], np.where(at >= 0, padded[at + 1] - padded[at], 0)


def ideal_view(qrels: Qrels, gain_of_grade: Floats) -> View:
    """Every topic's judged documents with a gain above 0, best gain first: the ranking that nothing beats.

    *gain_of_grade* has a gain for each grade of the judgments' scale (``qrels.scale.grades``).
    """
    # Equal gains of a topic stay in their order.
    _, from_best = np.unique(-gain_of_grade, return_inverse=True)
    rows = np.flatnonzero(qrels.judged & (gain_of_grade > 0)[qrels.levels])
    places = qrels.topic_of_row[rows] * len(from_best) + from_best[qrels.levels[rows]]
    rows = rows[np.argsort(places, kind="stable")]
    counts = np.bincount(qrels.topic_of_row[rows], minlength=len(qrels.topics))
    offsets = offsets_of(counts)
    topics = np.arange(len(qrels.topics), dtype=np.int64)
    return View(qrels, topics, offsets, qrels.grades[rows], qrels.states[rows], qrels.docs, rows)
