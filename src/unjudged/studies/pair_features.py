"""What is known of pairs of topic and document beside labels: where runs have them, and the topic's mean label."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.collection import BaseCollection
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.data.run_info import RunInfo
from unjudged.data.view import join

__all__ = ["DEPTH", "features_of_pairs", "pair_features", "pair_occurrences"]

DEPTH = 1000
"""Ranks at which a run still says something about a document."""
_RRF = 60


def pair_features(collection: BaseCollection, pairs: Qrels, topics: Ints, labels: Floats) -> Floats:
    """What is known about each of the *pairs* beside its label: where runs have it, and the mean label of its topic."""

    return features_of_pairs(pair_occurrences(collection, pairs, DEPTH)[1], topics, labels, len(pairs.topics))


def pair_occurrences(
    collection: BaseCollection, pairs: Qrels, depth: int
) -> tuple[list[RunInfo], list[tuple[Ints, Ints]]]:
    """Which of the *pairs* each run has, and at which rank."""

    def look(run: Run) -> tuple[Ints, Ints]:
        view = join(run, pairs, depth=depth, keep_qrels_rows=True)
        inside = np.flatnonzero(view.qrels_rows >= 0)
        return view.qrels_rows[inside], view.rank[inside]

    return collection.each_run(look, "looking for labels")


def features_of_pairs(found: Sequence[tuple[Ints, Ints]], topics: Ints, labels: Floats, size: int) -> Floats:
    """The log of the sum of reciprocal ranks, and how much the judge finds for the topic."""
    reciprocal = np.zeros(len(topics))
    for rows, ranks in found:
        np.add.at(reciprocal, rows, 1 / (_RRF + ranks))
    known = ~np.isnan(labels)
    totals = np.bincount(topics[known], labels[known], minlength=size)
    counts = np.bincount(topics[known], minlength=size)
    means: Floats = np.divide(totals, counts, out=np.zeros(size), where=counts > 0)[topics]
    return np.stack([np.log(reciprocal + 1 / 2000), means], axis=1)
