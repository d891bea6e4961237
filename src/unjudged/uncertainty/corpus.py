"""The corpus bootstrap: would these scores be the same on another corpus from the same source?

The corpus bootstrap (`uncertainty/corpus.py`) codes all documents of the runs and judgments once, and lays the
rankings of all runs for a topic side by side. Then, for 64 images at a time, `data/corpus_images.py` knows for each
document how many copies there are in each image (one line of the cache) and, for documents with a grade above 0, how
many copies of anything rank above. A measure says how it scores that:

* `static` gives the weights of ranks, for measures that are a sum of weight times gain. c copies below a others bring
  gain times the weight of ranks a+1 to a+c, one subtraction in a table. `linear`, which hole models use, follows from
  it.
* `compute_images` is the measure's own way, where there is a closed form for copies (AP, RR, Rprec, Bpref, ERR).
* Neither: the image is written out as a view, and `compute` scores it. That is also what tests compare the others
  with.

The ideal ranking of an image is the image of the ideal ranking, so normalisers need no code of their own. Image i is
made from the seed and i alone, and always worked on with the same 63 others, so threads cannot change a number.

`properties.py`, `image_intervals.py` and `shallow_pools.py` beside this ask what such scores say about measures, for
the study `studies/properties`. Shallow pools change the judgments from image to image, so images are written out there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import unjudged.kernels as kernels
from unjudged.arrays import Floats, Ints
from unjudged.data.corpus_images import ImageBlock, Images
from unjudged.data.ids import Ids, concatenate_ids
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.data.spans import offsets_of, ranking_blocks, rows_of_spans
from unjudged.data.view import View, join
from unjudged.errors import InputError, Notice, SpecError
from unjudged.measures.base import Measure
from unjudged.progress import Progress, watched
from unjudged.results.corpus_image_scores import ImageScores
from unjudged.results.provenance import DEFAULT_SEED
from unjudged.spec import Spec, Whole, param
from unjudged.threads import in_order, worker_count
from unjudged.uncertainty.collect_corpus_images import Collector, Piece

__all__ = ["Corpus", "CorpusBootstrap", "bootstrap_corpus", "check_images", "image_blocks", "score_block"]


BLOCK_IMAGES = 64
"""Images worked on together, always the same 64: what they give cannot depend on how many are asked for, or on threads.

The copies of a document in 64 images fill one line of the cache."""
_BLOCK_ROWS = 1 << 16
"""Rows of rankings worked on together: what is known about their documents in 64 images should stay in the cache."""


class CorpusBootstrap(Spec):
    """Scores on images of the corpus: as many documents, drawn from it with replacement.

    One image is shared by all topics and runs, and drawn without regard to pools and judgments. In an image, a document
    that was drawn c times is c times in its place in every ranking, and counts c times among the relevant documents;
    one that was not drawn is gone. R and the ideal ranking are those of the image, cut-offs are ranks in the image, and
    a topic without relevant documents scores 0. Only documents that are in some ranking or judgment are looked at: how
    often they are drawn together is binomial, so that the others need not be drawn.
    """

    name = "corpus"
    title: ClassVar[str] = "Other corpora from the same source"
    reference: ClassVar[str] = (
        "J. Zobel and L. Rashidi. Corpus bootstrapping for assessment of the properties of effectiveness measures."
        " CIKM 2020."
    )

    images: int = param(1000, Whole(1), "number of images")
    corpus_size: int | None = param(
        None, Whole(1), "number of documents in the corpus; that of the documents seen unless given"
    )


@dataclass(frozen=True, eq=False)
class Corpus:
    """Runs and judgments with their documents coded: all that is the same in every image (the root).

    The rankings of all runs for a topic lie together, in ``views`` of one or more topics, run after run within a topic.
    """

    runs: tuple[str, ...]
    qrels: Qrels
    documents: Ids
    """The distinct documents of all rankings and judgments."""
    judged: Ints
    """Which document each row of the judgments is."""
    views: tuple[View, ...]
    size: int
    """Number of documents in the whole corpus."""
    notices: tuple[Notice, ...] = ()

    @classmethod
    def of(cls, runs: Sequence[Run], qrels: Qrels, size: int | None = None) -> Corpus:
        """Join runs with judgments, and code the documents."""
        if not runs:
            raise InputError("no run was given")
        views = [join(run, qrels) for run in runs]
        documents, codes = _code(
            [(qrels.topic_of_row, qrels.docs), *((v.topics[v.ranking], v.doc_ids()) for v in views)]
        )
        notices = []
        if size is None:
            size = len(documents)
            text = (
                f"the size of the corpus was not given; {size:,} is taken, the number of distinct documents in the runs"
                " and judgments (corpus_size, or --corpus-size, sets it)"
            )
            notices.append(Notice("guessed-corpus-size", size, text))
        if size < len(documents):
            raise SpecError(
                f"a corpus of {size:,} documents cannot hold the {len(documents):,} distinct documents in the runs and"
                " judgments; give its true size"
            )
        stacked = tuple(_stack(views, codes[len(qrels) :], documents))
        names = tuple(run.name for run in runs)
        return cls(names, qrels, documents, codes[: len(qrels)], stacked, size, tuple(notices))

    def draw(self, seed: int, first: int) -> ImageBlock:
        """Images *first*, *first* + 1, ..., as many as make a block; each depends on the seed and its number alone."""
        seen = len(self.documents)
        draws, keys = np.zeros(BLOCK_IMAGES, dtype=np.int64), np.zeros(BLOCK_IMAGES, dtype=np.uint64)
        for i in range(BLOCK_IMAGES):
            rng = np.random.default_rng([seed, first + i])
            draws[i] = rng.binomial(self.size, seen / self.size)
            keys[i] = rng.integers(2**64, dtype=np.uint64)
        return ImageBlock(self.qrels, self.judged, kernels.draw_copies(keys, draws, seen))


def _code(columns: Sequence[tuple[Ints, Ids]]) -> tuple[Ids, Ints]:
    """Distinct documents in columns of (topic, document), and which of them each row is.

    Documents of a topic lie together, which keeps what is known about them in the cache. Within it they lie in the
    order of their hashes, so that the images do not depend on the order of the runs.
    """
    ids = concatenate_ids([column for _, column in columns])
    topics = np.concatenate([topics for topics, _ in columns])
    first = np.arange(len(ids), dtype=np.int64)
    again = kernels.find_duplicates(np.array([0, len(ids)], dtype=np.int64), ids.blob, ids.offsets)
    first[again[:, 0]] = again[:, 1]
    home = np.full(len(ids), len(ids), dtype=np.int64)
    np.minimum.at(home, first, topics)
    rows = np.flatnonzero(first == np.arange(len(ids)))
    distinct = ids.take(rows)
    order = np.lexsort((distinct.hashes(), home[rows]))
    code = np.empty(len(ids), dtype=np.int64)
    code[rows[order]] = np.arange(len(rows))
    return distinct.take(order), code[first]


def _stack(views: Sequence[View], codes: Ints, documents: Ids) -> Iterator[View]:
    """The rankings of all runs, topic after topic, in views of whole topics; *codes* are their documents."""
    offsets = np.cumsum([0, *(len(view.grades) for view in views[:-1])])
    starts = np.stack([view.offsets[:-1] + offset for view, offset in zip(views, offsets, strict=True)], axis=1).ravel()
    lengths = np.stack([view.lengths for view in views], axis=1).ravel()
    rows, row_offsets = rows_of_spans(starts, lengths), offsets_of(lengths)
    grades, states = (np.concatenate([getattr(view, name) for view in views])[rows] for name in ("grades", "states"))
    codes = codes[rows]
    for part in ranking_blocks(row_offsets[:: len(views)], _BLOCK_ROWS):
        inside = row_offsets[part.start * len(views) : part.stop * len(views) + 1]
        here = slice(int(inside[0]), int(inside[-1]))
        topic = np.repeat(np.arange(part.start, part.stop), len(views))
        yield View(views[0].qrels, topic, inside - inside[0], grades[here], states[here], documents, codes[here])


def score_block(
    views: Sequence[View], block: ImageBlock, measures: Sequence[Measure], wanted: int | None = None
) -> Floats:
    """Score of each ranking in the first *wanted* images of a block (all unless given): (measures, rankings, images).

    Measures that have no quicker way are scored on images that are written out, one by one. They keep the grade scale
    of the root, even where no document of the highest grade is left.
    """
    wanted = len(block) if wanted is None else wanted
    ends = np.cumsum([0, *map(len, views)]).tolist()
    out = np.empty((len(measures), ends[-1], wanted))
    slow: dict[int, Measure] = {}
    for view, start, end in zip(views, ends[:-1], ends[1:], strict=True):
        images = Images(view, block)
        for m, measure in enumerate(measures):
            values = measure.score_images(images)
            if values is None:
                slow[m] = measure.on_scale(block.qrels.max_grade)
            else:
                out[m, start:end] = values[:, :wanted]
    for image in range(wanted) if slow else ():
        for view, start, end in zip(views, ends[:-1], ends[1:], strict=True):
            written = Images(view, block).written_out(image)
            for m, measure in slow.items():
                out[m, start:end, image] = measure.score(written)
    topics = np.concatenate([view.topics for view in views])
    for m, measure in enumerate(measures):
        if measure.has_holes and not measure.is_count:
            # Most measures are 0 there anyway. Counts, and shares of judged documents, are not about what was found.
            relevant = block.total_relevant(measure.rel or 1)
            out[m, relevant[topics, :wanted] == 0] = 0.0
    return out


def image_blocks(
    corpus: Corpus,
    measures: Sequence[Measure],
    images: int,
    *,
    seed: int = DEFAULT_SEED,
    jobs: int | None = 1,
    progress: Progress | None = None,
) -> Iterable[Floats]:
    """Scores on one block of images after the other: (measures, runs, topics, images of the block)."""
    shape = (len(measures), len(corpus.qrels.topics), len(corpus.runs), -1)

    def work(first: int) -> Floats:
        wanted = min(BLOCK_IMAGES, images - first)
        scores = score_block(corpus.views, corpus.draw(seed, first), measures, wanted)
        return scores.reshape(shape).swapaxes(1, 2)

    starts = range(0, images, BLOCK_IMAGES)
    return watched(progress, in_order(work, starts, worker_count(jobs, len(starts))), len(starts), "scoring images")


def bootstrap_corpus(
    runs: Sequence[Run],
    qrels: Qrels,
    measures: Sequence[Measure],
    bootstrap: CorpusBootstrap,
    *,
    seed: int = DEFAULT_SEED,
    keep: bool = False,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> ImageScores:
    """Score runs on images of the corpus.

    Means and standard deviations are gathered as images come; with *keep* the score of every run and topic on every
    image is kept, 8 bytes each. The numbers do not depend on *jobs*.
    """
    check_images(measures)
    corpus = Corpus.of(runs, qrels, bootstrap.corpus_size)
    root = np.empty((len(measures), len(corpus.runs), len(qrels.topics)))
    for view in corpus.views:
        topics = slice(int(view.topics[0]), int(view.topics[-1]) + 1)
        for m, measure in enumerate(measures):
            root[m, :, topics] = measure.score(view).reshape(-1, len(corpus.runs)).T
    collector = Collector(measures, root, bootstrap.images, keep=keep)
    for scores in image_blocks(corpus, measures, bootstrap.images, seed=seed, jobs=jobs, progress=progress):
        collector.add(Piece.of(scores, measures, root, keep=keep))
    return collector.result(
        runs=corpus.runs, topics=qrels.topics, corpus_size=corpus.size, seed=seed, warnings=corpus.notices
    )


def check_images(measures: Sequence[Measure]) -> None:
    """Refuse what cannot be scored on images, before anything is read."""
    if not measures:
        raise InputError("no measure was given; for example nDCG@10")
    for measure in measures:
        for need in sorted(measure.needs):
            raise InputError(f"{measure} needs {need}, which the corpus bootstrap does not have")
