"""Two runs, and only what they return first is judged: what a cheap experiment would have concluded.

Section 7 of J. Zobel and L. Rashidi, Corpus bootstrapping for assessment of the properties of effectiveness measures,
CIKM 2020 (Figures 6 and 7).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unjudged.arrays import Floats
from unjudged.data.corpus_images import Images
from unjudged.data.qrels import Qrels, State
from unjudged.data.run import Run
from unjudged.data.spans import offsets_of
from unjudged.data.view import View
from unjudged.errors import InputError, Notice
from unjudged.measures.base import Measure
from unjudged.progress import Progress, watched
from unjudged.results.provenance import DEFAULT_SEED
from unjudged.spec import Whole
from unjudged.threads import in_order, worker_count
from unjudged.uncertainty.base import SignificanceTest, significance_tests
from unjudged.uncertainty.corpus import BLOCK_IMAGES, Corpus, CorpusBootstrap, check_images

__all__ = ["ShallowPools", "pooled_only", "shallow_pools"]


_PAIR = np.array([[0, 1]])


@dataclass(frozen=True, eq=False)
class ShallowPools:
    """Differences of two runs, first less second, by depth of the pool. None among the depths: all judgments."""

    runs: tuple[str, str]
    topics: tuple[str, ...]
    measures: tuple[str, ...]
    depths: tuple[int | None, ...]
    test: str
    root: Floats
    """Difference on each topic of the corpus itself: (measures, depths, topics)."""
    root_p: Floats
    """P-value over topics on the corpus itself: (measures, depths)."""
    differences: Floats
    """Difference on each topic of each image: (measures, depths, images, topics)."""
    p: Floats
    """P-value over topics on each image: (measures, depths, images)."""
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
    """Score two runs on images of the corpus, with the judgments of the first documents of the two runs only.

    The pool of an image is made of the first documents (copies) that the two runs return in that image; of these, the
    judged ones stay judged. The numbers depend on the seed, not on *jobs*.
    """
    check_images(measures)
    if len(runs) != 2:
        raise InputError(f"a pool of two runs needs two runs, not {len(runs)}")
    for depth in depths:
        if depth is not None:
            Whole(1).checked("the depth of a pool", depth)
    how = significance_tests.choose(test)
    corpus = Corpus.of(runs, qrels, bootstrap.corpus_size)
    on_scale = [measure.on_scale(qrels.max_grade) for measure in measures]

    def work(first: int) -> Floats:
        block = corpus.draw(seed, first)
        number = min(BLOCK_IMAGES, bootstrap.images - first)
        written = ([Images(view, block).written_out(i) for view in corpus.views] for i in range(number))
        return np.stack([_scores(views, on_scale, depths) for views in written])

    starts = range(0, bootstrap.images, BLOCK_IMAGES)
    stream = in_order(work, starts, worker_count(jobs, len(starts)))
    images = np.concatenate(list(watched(progress, stream, len(starts), "scoring images")))
    root = _scores(corpus.views, on_scale, depths)
    first, second = corpus.runs
    return ShallowPools(
        runs=(first, second),
        topics=qrels.topics,
        measures=tuple(map(str, measures)),
        depths=tuple(depths),
        test=str(how),
        root=root[..., 0, :] - root[..., 1, :],
        root_p=_p_values(root, how, seed),
        differences=np.moveaxis(images[..., 0, :] - images[..., 1, :], 0, 2),
        p=np.moveaxis(_p_values(images, how, seed), 0, 2),
        warnings=corpus.notices,
    )


def _scores(views: Sequence[View], measures: Sequence[Measure], depths: Sequence[int | None]) -> Floats:
    """Scores of both runs with a pool of each depth: (measures, depths, runs, topics)."""
    rankings = sum(map(len, views))
    out = np.empty((len(measures), len(depths), rankings))
    for d, depth in enumerate(depths):
        judged = [pooled_only(view, depth) for view in views]
        for m, measure in enumerate(measures):
            out[m, d] = np.concatenate([measure.score(view) for view in judged])
    # In the views the two runs lie side by side, topic after topic.
    return out.reshape(len(measures), len(depths), rankings // 2, 2).swapaxes(2, 3)


def _p_values(scores: Floats, test: SignificanceTest, seed: int) -> Floats:
    """One p-value over topics for each pair of runs; *scores* has runs and topics last."""
    flat = scores.reshape(-1, *scores.shape[-2:])
    p = [test.p_values(pair, _PAIR, seed=seed)[0] for pair in flat]
    return np.array(p).reshape(scores.shape[:-2])


def pooled_only(view: View, depth: int | None) -> View:
    """The same rankings, judged only as far as documents are among the first *depth* of some ranking of their topic.

    A document may be there several times (copies in an image); the first copy in one ranking is the first in another.
    """
    if depth is None:
        return view
    if view.doc_rows is None:
        raise TypeError("this view does not say which documents its rows are")
    # One number for each copy of a document, the same in all rankings of the topic.
    after = np.concatenate([[0], np.flatnonzero(np.diff(view.doc_rows) | np.diff(view.ranking)) + 1])
    first_copy = np.repeat(after, np.diff(np.append(after, len(view.doc_rows))))
    copy = np.arange(len(view.doc_rows)) - first_copy
    topic = view.topics[view.ranking]
    key = (topic * (view.doc_rows.max(initial=0) + 1) + view.doc_rows) * (copy.max(initial=0) + 1) + copy
    _, at, code = np.unique(key, return_index=True, return_inverse=True)
    pooled = np.zeros(len(at), dtype=bool)
    pooled[code[view.rank <= depth]] = True
    judged = pooled[code] & view.judged
    rows = at[pooled & view.judged[at]]
    rows = rows[np.argsort(topic[rows], kind="stable")]
    counts = np.bincount(topic[rows], minlength=len(view.qrels.topics))
    offsets = offsets_of(counts)
    docs = view.doc_ids().take(rows)
    qrels = Qrels(view.qrels.topics, offsets, docs, view.grades[rows], view.states[rows], source=view.qrels.source)
    states = np.where(judged, view.states, np.uint8(State.UNPOOLED))
    grades = np.where(judged, view.grades, 0).astype(np.int32)
    return View(qrels, view.topics, view.offsets, grades, states, view.docs, view.doc_rows)
