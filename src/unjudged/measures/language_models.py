"""Language models of subtopics and of rankings, and how close a ranking comes to a subtopic (Hui et al., ICTIR 2017).

A model is a text's term counts, smoothed with the collection model p and the parameter mu (Dirichlet smoothing):
P(v) = (tf(v) + mu p(v)) / (length + mu). Its divergence from another needs no sum over the whole vocabulary. With
L(v) = log(1 + tf_R(v) / (mu p(v))), which is 0 for terms that do not occur in R,

    KLD(q || D) - KLD(q || R) = (sum of tf_q(v) L(v) + mu * sum of p(v) L(v)) / (length_q + mu) - log(1 + length_R / mu)

and both sums are over the terms of R alone. From one rank to the next, only the terms of one document change.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from unjudged.data.qrels import Qrels
from unjudged.data.subtopics import Subtopics
from unjudged.data.texts import ModelSize, Texts

__all__ = ["SubtopicModels", "divergences", "gains_down", "model_sizes", "subtopic_models"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

SAME = 1e-12
"""A divergence from the collection up to this is none at all: the subtopic's text reads like the collection's."""


@dataclass(frozen=True, eq=False)
class SubtopicModels:
    """The relevant text of a topic's subtopics. Subtopics without any have no row."""

    terms: Ints
    """Terms that occur in it, ascending."""
    counts: Floats
    """How often each occurs for each subtopic (subtopics, terms)."""

    @property
    def lengths(self) -> Floats:
        """Words of each subtopic's text."""
        lengths: Floats = self.counts.sum(axis=1)
        return lengths


def subtopic_models(qrels: Qrels, rel: int) -> tuple[SubtopicModels | None, ...]:
    """For each topic, the models of its subtopics, from all text judged *rel* or higher; None where there is none."""

    def compute() -> tuple[SubtopicModels | None, ...]:
        texts, subtopics = _both(qrels)
        chosen = _relevant_with_text(qrels, rel)
        positions, owners = texts.entries(qrels.text_rows[subtopics.docs[chosen]])
        numbers = subtopics.numbers[chosen][owners]
        # Judgments are in the order of documents, and so of topics.
        bounds = np.searchsorted(subtopics.topics[numbers], np.arange(len(qrels.topics) + 1)).tolist()
        return tuple(
            _models_of_topic(texts, positions[start:end], numbers[start:end]) for start, end in pairwise(bounds)
        )

    return qrels.remember(("subtopic models", rel), compute)


def _models_of_topic(texts: Texts, positions: Ints, numbers: Ints) -> SubtopicModels | None:
    if not len(positions):
        return None
    terms, columns = np.unique(texts.terms[positions], return_inverse=True)
    present, rows = np.unique(numbers, return_inverse=True)
    shape = len(present), len(terms)
    cells = np.bincount(
        rows.reshape(-1) * len(terms) + columns.reshape(-1),
        weights=texts.counts[positions],
        minlength=shape[0] * shape[1],
    )
    return SubtopicModels(terms.astype(np.int64), cells.reshape(shape).astype(np.float64, copy=False))


def _both(qrels: Qrels) -> tuple[Texts, Subtopics]:
    if qrels.texts is None or qrels.subtopics is None:
        raise TypeError("these judgments have no subtopics or no texts")
    return qrels.texts, qrels.subtopics


def _relevant_with_text(qrels: Qrels, rel: int) -> Ints:
    """Judgments of at least grade *rel* whose document has a text."""
    _, subtopics = _both(qrels)
    return np.flatnonzero(subtopics.relevant(rel) & (qrels.text_rows[subtopics.docs] >= 0))


def model_sizes(qrels: Qrels, rel: int) -> tuple[ModelSize, ...]:
    """What the model of each subtopic with relevant documents rests on."""
    texts, subtopics = _both(qrels)
    chosen = _relevant_with_text(qrels, rel)
    numbers, lengths = subtopics.numbers[chosen], texts.lengths[qrels.text_rows[subtopics.docs[chosen]]]
    count = len(subtopics.names)
    relevant = np.bincount(subtopics.numbers[subtopics.relevant(rel)], minlength=count)
    documents = np.bincount(numbers, minlength=count)
    tokens = np.bincount(numbers, weights=lengths, minlength=count)
    return tuple(
        ModelSize(
            topic=qrels.topics[int(subtopics.topics[i])],
            subtopic=subtopics.names[i],
            rel=rel,
            relevant=int(relevant[i]),
            documents=int(documents[i]),
            tokens=int(tokens[i]),
        )
        for i in np.flatnonzero(relevant).tolist()
    )


def gains_down(texts: Texts, rows: Ints, models: SubtopicModels, own: Floats, mu: float) -> Floats:
    """g(i, j) of the paper, shape (subtopics, ranks): how close the texts of ranks 1 to j come to each subtopic.

    0: no closer than the collection; 1: the same model. *rows* are the texts of the ranking, -1 where a document has
    none; it adds nothing. *own* are the subtopics' :func:`divergences`, the same for all rankings.
    """
    there = np.flatnonzero(rows >= 0)
    positions, owners = texts.entries(rows[there])
    rank = there[owners]
    lengths = np.zeros(len(rows))
    lengths[there] = texts.lengths[rows[there]]
    closer = _closer(texts, positions, rank, np.cumsum(lengths), models, mu)
    gains = np.zeros(closer.shape)
    np.divide(closer, own[:, None], out=gains, where=own[:, None] > SAME)
    return np.clip(gains, 0.0, 1.0)


def _closer(texts: Texts, positions: Ints, rank: Ints, lengths: Floats, models: SubtopicModels, mu: float) -> Floats:
    """KLD(q || D) - KLD(q || R), for every subtopic q and the texts R down to every rank (subtopics, ranks).

    *positions* are entries of the term counts in the order of ranks, *lengths* the words down to each rank.
    """
    # All entries of a term together, from the first rank to the last; then what was counted above each entry.
    order = np.argsort(texts.terms[positions], kind="stable")
    terms, counts = texts.terms[positions[order]].astype(np.int64), texts.counts[positions[order]].astype(np.int64)
    rank = rank[order]
    running = np.cumsum(counts) - counts
    first = np.ones(len(terms), dtype=bool)
    np.not_equal(terms[1:], terms[:-1], out=first[1:])
    above = running - running[first][np.cumsum(first) - 1]
    step = np.log1p(counts / (mu * texts.share[terms] + above))  # by which L(term) grows at this rank
    ranks = len(lengths)
    shared = mu * np.bincount(rank, weights=texts.share[terms] * step, minlength=ranks)
    column = np.searchsorted(models.terms, terms)
    column[column == len(models.terms)] = 0
    common = np.flatnonzero(models.terms[column] == terms)
    weights = models.counts[:, column[common]] * step[common]
    own = np.stack([np.bincount(rank[common], weights=one, minlength=ranks) for one in weights])
    grown: Floats = np.cumsum(own + shared, axis=1)
    return grown / (models.lengths[:, None] + mu) - np.log1p(lengths / mu)


def divergences(texts: Texts, models: SubtopicModels, mu: float) -> Floats:
    """KLD(q || D) of every subtopic: how far its model is from the collection's."""
    share = texts.share[models.terms]
    grown = np.log1p(models.counts / (mu * share))
    sums: Floats = ((models.counts + mu * share) * grown).sum(axis=1)
    return sums / (models.lengths + mu) - np.log1p(models.lengths / mu)
