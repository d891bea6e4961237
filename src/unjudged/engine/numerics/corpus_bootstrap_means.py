"""Other corpora: how far images of the corpus move the mean scores of runs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.collection import BaseCollection
from unjudged.errors import Notice
from unjudged.measures.base import Measure
from unjudged.threads import in_order, worker_count
from unjudged.uncertainty.corpus import Corpus, CorpusBootstrap, image_blocks

__all__ = ["OnImages", "draw_images"]


@dataclass(frozen=True, eq=False)
class OnImages:
    """Runs on images of the corpus."""

    moves: Floats
    """How far each image moves a run's mean over topics: (runs, images)."""
    size: int
    """Number of documents in the corpus."""
    notices: tuple[Notice, ...]


def draw_images(
    collection: BaseCollection, measure: Measure, bootstrap: CorpusBootstrap, *, observed: Floats, kept: Ints
) -> OnImages:
    """Score runs on images, over the topics *kept*, for which their scores are *observed* (runs, topics).

    Runs are read again. Where the measure is undefined on an image, it is taken not to move.
    """
    sources, seed, jobs, progress = collection.runs, collection.seed, collection.jobs, collection.progress
    runs = list(in_order(lambda source: source.read(), sources, worker_count(jobs, len(sources))))
    corpus = Corpus.of(runs, collection.qrels, bootstrap.corpus_size)
    moves = np.zeros((len(runs), bootstrap.images))
    done = 0
    for block in image_blocks(corpus, [measure], bootstrap.images, seed=seed, jobs=jobs, progress=progress):
        scores = block[0][:, kept]
        here = slice(done, done + scores.shape[-1])
        done = here.stop
        moved = np.nan_to_num(scores - observed[..., None])
        for topic in range(len(kept)):  # one by one: NumPy sums long rows in an order of its own
            moves[:, here] += moved[:, topic]
    return OnImages(moves / len(kept), corpus.size, corpus.notices)
