"""Two runs, and only what they return first is judged: what a cheap experiment would have concluded.

Section 7 of J. Zobel and L. Rashidi, Corpus bootstrapping for assessment of the properties of effectiveness measures,
CIKM 2020 (Figures 6 and 7).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.data.corpus_images import Images
from unjudged.data.qrels import Qrels, State
from unjudged.data.run import Run
from unjudged.data.spans import offsets_of, rows_of_spans
from unjudged.data.view import Sparse, View
from unjudged.errors import InputError, Notice
from unjudged.measures.base import Measure
from unjudged.progress import Progress, watched
from unjudged.results.provenance import DEFAULT_SEED
from unjudged.spec import Whole
from unjudged.threads import in_order, worker_count
from unjudged.uncertainty.base import SignificanceTest, significance_tests
from unjudged.uncertainty.corpus import BLOCK_IMAGES, Corpus, CorpusBootstrap, check_images
from unjudged.uncertainty.paired import all_pairs

__all__ = ["ShallowPools", "shallow_pools"]


_PAIR = np.array([[0, 1]])
_IMAGES = 16
"""Images that a thread works on before it takes the next ones: a quarter of those that are drawn together."""


@dataclass(frozen=True, eq=False)
class ShallowPools:
    """Differences of every two runs, first less second, by depth of the pool. None among the depths: all judgments."""

    pairs: tuple[tuple[str, str], ...]
    topics: tuple[str, ...]
    measures: tuple[str, ...]
    depths: tuple[int | None, ...]
    test: str
    root: Floats
    """Difference on each topic of the corpus itself: (pairs, measures, depths, topics)."""
    root_p: Floats
    """P-value over topics on the corpus itself: (pairs, measures, depths)."""
    differences: Floats
    """Difference on each topic of each image: (pairs, measures, depths, images, topics)."""
    p: Floats
    """P-value over topics on each image: (pairs, measures, depths, images); NaN where the measure is undefined."""
    warnings: tuple[Notice, ...] = ()


def shallow_pools(
    runs: Sequence[Run],
    qrels: Qrels,
    measures: Sequence[Measure],
    bootstrap: CorpusBootstrap,
    *,
    depths: Sequence[int | None] = (10, 25, None),
    test: str | SignificanceTest | type[SignificanceTest] = "t",
    seed: int = DEFAULT_SEED,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> ShallowPools:
    """Score every two runs on images of the corpus, with the judgments of the first documents of the two only.

    The pool of an image is made of the first documents (copies) that the two runs return in that image; of these, the
    judged ones stay judged. The numbers depend on the seed, not on *jobs*.
    """
    check_images(measures)
    if len(runs) < 2:
        raise InputError(f"pools of two runs need two runs, not {len(runs)}")
    for depth in depths:
        if depth is not None:
            Whole(1).checked("the depth of a pool", depth)
    how = significance_tests.choose(test)
    corpus = Corpus.of(runs, qrels, bootstrap.corpus_size)
    trial = _Trial([measure.on_scale(qrels.max_grade) for measure in measures], depths, how, len(runs), seed)

    def work(first: int) -> tuple[Floats, Floats]:
        at = first % BLOCK_IMAGES
        block = corpus.draw(seed, first - at)
        number = min(_IMAGES, bootstrap.images - first)
        written = ([Images(view, block).written_out(at + i) for view in corpus.views] for i in range(number))
        done = [trial.tried(views) for views in written]
        return np.stack([one for one, _ in done], axis=3), np.stack([p for _, p in done], axis=3)

    starts = range(0, bootstrap.images, _IMAGES)
    stream = in_order(work, starts, worker_count(jobs, len(starts)))
    parts = list(watched(progress, stream, len(starts), "trying shallow pools"))
    root, root_p = trial.tried(corpus.views)
    return ShallowPools(
        pairs=tuple((corpus.runs[a], corpus.runs[b]) for a, b in all_pairs(len(runs)).tolist()),
        topics=qrels.topics,
        measures=tuple(map(str, measures)),
        depths=tuple(depths),
        test=str(how),
        root=root,
        root_p=root_p,
        differences=np.concatenate([differences for differences, _ in parts], axis=3),
        p=np.concatenate([p for _, p in parts], axis=3),
        warnings=corpus.notices,
    )


@dataclass(frozen=True, eq=False)
class _Trial:
    """What is tried on every image."""

    measures: Sequence[Measure]
    depths: Sequence[int | None]
    test: SignificanceTest
    runs: int
    seed: int

    def tried(self, views: Sequence[View]) -> tuple[Floats, Floats]:
        """Differences (pairs, measures, depths, topics) and p-values over topics (pairs, measures, depths)."""
        scores = np.concatenate([self._scores(view) for view in views], axis=-1)
        p = np.array([self._p(both) for both in scores.reshape(-1, *scores.shape[-2:])])
        return scores[..., 0, :] - scores[..., 1, :], p.reshape(scores.shape[:-2])

    def _scores(self, view: View) -> Floats:
        """Scores of both runs of every pair with a pool of each depth: (pairs, measures, depths, runs, topics).

        In a view the runs lie side by side, topic after topic.
        """
        pairs, topics = all_pairs(self.runs), len(view) // self.runs
        out = np.empty((len(pairs), len(self.measures), len(self.depths), 2, topics))
        judged = _JudgedCopies.of(view, self.runs)
        for d, depth in enumerate(self.depths):
            if depth is None:
                for m, measure in enumerate(self.measures):
                    every = measure.score(view).reshape(topics, self.runs).T
                    out[:, m, d] = every[pairs]
                continue
            for pair, (a, b) in enumerate(pairs.tolist()):
                pool = judged.pool(a, b, depth)
                for m, measure in enumerate(self.measures):
                    seen = pool.with_gain if _looks_at_gain(measure, pool.qrels) else pool.whole
                    out[pair, m, d] = measure.score(seen).reshape(topics, 2).T
        return out

    def _p(self, both: Floats) -> float:
        """P-value of two runs over the topics for which both have a score."""
        known = both[:, ~np.isnan(both).any(axis=0)]
        return float(self.test.p_values(known, _PAIR, seed=self.seed)[0]) if known.size else float("nan")


def _looks_at_gain(measure: Measure, qrels: Qrels) -> bool:
    """Whether a measure looks at nothing but documents with a grade above 0, their ranks, and the judgments."""
    if measure.gains_only or measure.condenses:
        return measure.gains_only and not measure.condenses
    form = measure.static(qrels, 1)
    return form is not None and form.gains[0] == 0


@dataclass(frozen=True, eq=False)
class _JudgedCopies:
    """The judged documents of the rankings of some runs for some topics. A document may be there several times (copies
    in an image); the first copy in one ranking is the first in another."""

    view: View
    runs: int
    rows: Ints
    """Rows of the view."""
    run: Ints
    """Which run's each is."""
    code: Ints
    """Which copy of which document for which topic each is, the same number in all rankings."""
    first: Ints
    """The first of the rows with each such number; numbers go topic by topic."""

    @classmethod
    def of(cls, view: View, runs: int) -> _JudgedCopies:
        """All of them."""
        rows = np.flatnonzero(view.judged)
        docs, ranking = _docs(view)[rows], view.ranking[rows]
        # Copies stand together.
        after = np.flatnonzero(np.append(True, (np.diff(docs) != 0) | (np.diff(ranking) != 0)))[: len(rows)]
        copy = np.arange(len(rows)) - np.repeat(after, np.diff(np.append(after, len(rows))))
        place = ranking // runs * (docs.max(initial=0) + 1) + docs
        _, first, code = np.unique(place * (copy.max(initial=0) + 1) + copy, return_index=True, return_inverse=True)
        return cls(view, runs, rows, ranking % runs, code.reshape(-1), rows[first])

    def pool(self, a: int, b: int, depth: int) -> _Pool:
        """The pool of the first *depth* documents of two runs."""
        mine = np.flatnonzero((self.run == a) | (self.run == b))
        rows, code = self.rows[mine], self.code[mine]
        pooled = np.zeros(len(self.first), dtype=bool)
        pooled[code[self.view.rank[rows] <= depth]] = True
        rankings = (np.arange(0, len(self.view), self.runs)[:, None] + np.array([a, b])).ravel()
        return _Pool(self.view, rankings, rows[pooled[code]], self.first[pooled])


@dataclass(frozen=True, eq=False)
class _Pool:
    """Some rankings of a view with the judgments of a pool alone."""

    view: View
    rankings: Ints
    judged: Ints
    """Rows of the view that stay judged, in the rankings."""
    documents: Ints
    """A row for each document (copy) of the pool, topic by topic."""

    @cached_property
    def qrels(self) -> Qrels:
        """The judgments."""
        view, rows = self.view, self.documents
        counts = np.bincount(view.topics[view.ranking[rows]], minlength=len(view.qrels.topics))
        return Qrels(
            view.qrels.topics,
            offsets_of(counts),
            view.doc_ids(rows),
            view.grades[rows],
            view.states[rows],
            source=view.qrels.source,
            given_scale=view.qrels.scale,
        )

    @cached_property
    def with_gain(self) -> View:
        """Only the judged documents with a grade above 0, at their ranks: a hundredth of a deep ranking."""
        view = self.view
        rows = self.judged[view.grades[self.judged] > 0]
        return View(
            self.qrels,
            view.topics[self.rankings],
            np.append(np.searchsorted(rows, view.offsets[self.rankings]), len(rows)).astype(np.int64),
            view.grades[rows],
            view.states[rows],
            sparse=Sparse(view.rank[rows], view.lengths[self.rankings]),
        )

    @cached_property
    def whole(self) -> View:
        """The rankings, with all documents outside of the pool as not judged."""
        view, lengths = self.view, self.view.lengths[self.rankings]
        shown = rows_of_spans(view.offsets[self.rankings], lengths)
        states = np.full(len(shown), State.UNPOOLED, dtype=np.uint8)
        grades = np.zeros(len(shown), dtype=view.grades.dtype)
        at = np.searchsorted(shown, self.judged)
        states[at], grades[at] = view.states[self.judged], view.grades[self.judged]
        topics, docs = view.topics[self.rankings], _docs(view)[shown]
        return View(self.qrels, topics, offsets_of(lengths), grades, states, view.docs, docs)


def _docs(view: View) -> Ints:
    if view.doc_rows is None or view.docs is None:
        raise TypeError("this view does not say which documents its rows are")
    return view.doc_rows
