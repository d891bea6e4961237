"""What labels of other judges say about documents: the grades that each label turned out to mean on other topics."""

from __future__ import annotations

import numpy as np

from unjudged.arrays import Flags, Floats, Ints
from unjudged.data.ids import Ids, concatenate_ids
from unjudged.data.judge_labels import JudgeLabels
from unjudged.data.qrels import Qrels
from unjudged.errors import Notice
from unjudged.labels.folds import FOLDS
from unjudged.labels.scales import label_bins

__all__ = ["LEAST_PAIRS", "LabelFeatures", "label_notices"]

LEAST_PAIRS = 30
"""Judged documents that must have a label before a judge says anything about others."""

_SHRINKAGE = 5.0
"""The documents with a label are joined by so many of the collection's average: labels may be rare."""


class LabelFeatures:
    """Labels of each source for numbered pairs: the rows of the judgments, and what is not listed there."""

    def __init__(self, qrels: Qrels, sources: tuple[JudgeLabels, ...], topics: Ints, unlisted: Ids) -> None:
        docs = concatenate_ids([qrels.docs, unlisted])
        self._bins = [label_bins(source.of(topics, docs)) for source in sources]
        # By names, so that the order of the judgments does not matter.
        folds = (Ids.of(qrels.topics).hashes() % np.uint64(FOLDS)).astype(np.int64)
        self._folds = folds[topics]

    def mean_grades(self, pairs: Ints, known: Flags, grades: Floats) -> list[tuple[Floats, Floats]]:
        """For each source the mean grade that the labels of *pairs* go with, and that of all documents.

        Both among the *known* on the topics of other folds. A document without a label is like the others without one.
        So labels may have any scale, and may be inverted.
        """
        rows = np.flatnonzero(known)
        out = []
        for bins in self._bins:
            number = int(bins.max(initial=0)) + 1
            cells = self._folds[rows] * number + bins[rows]
            counts, sums = (
                np.bincount(cells, weights, minlength=FOLDS * number).reshape(FOLDS, number)
                for weights in (None, grades[rows])
            )
            counts, sums = (one.sum(axis=0) - one for one in (counts, sums))  # those of all other folds
            average = sums.sum(axis=1) / np.maximum(counts.sum(axis=1), 1)
            means = (sums + _SHRINKAGE * average[:, None]) / (counts + _SHRINKAGE)
            fold = self._folds[pairs]
            out.append((means[fold, bins[pairs]], average[fold]))
        return out


def label_notices(qrels: Qrels, sources: tuple[JudgeLabels, ...]) -> list[Notice]:
    """What the user should know about labels as evidence."""
    notices = [notice for source in sources for notice in source.notices]
    for source in sources:
        both = len(source) - source.beyond(qrels)
        if both < LEAST_PAIRS:
            text = (
                f"{source.origin.source}: {source.name} labels {both:,} judged documents, fewer than {LEAST_PAIRS},"
                " so that little is learned about what its labels mean; let it label these, too"
            )
            notices.append(Notice("few-labels", both, text))
    return notices
