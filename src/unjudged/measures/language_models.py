"""Language models of subtopics and of rankings, and how close a ranking comes to a subtopic (Hui et al., ICTIR 2017).

A model is a text's term counts, smoothed with the collection model p and the parameter mu (Dirichlet smoothing):
P(v) = (tf(v) + mu p(v)) / (length + mu). Its divergence from another needs no sum over the whole vocabulary. With
L(v) = log(1 + tf_R(v) / (mu p(v))), which is 0 for terms that do not occur in R,

    KLD(q || D) - KLD(q || R) = (sum of tf_q(v) L(v) + mu * sum of p(v) L(v)) / (length_q + mu) - log(1 + length_R / mu)

and both sums are over the terms of R alone. From one rank to the next, only the terms of one document change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.data.memo import remembered
from unjudged.data.qrels import Qrels
from unjudged.data.spans import ranking_blocks, sums_of
from unjudged.data.subtopics import Subtopics
from unjudged.data.texts import ModelSize, Texts, texts_of

__all__ = [
    "SubtopicModels",
    "divergences",
    "model_sizes",
    "models_with_divergences",
    "ranking_gains",
    "subtopic_models",
    "texts_and_subtopics",
]


SAME = 1e-12
"""A divergence from the collection up to this is none at all: the subtopic's text reads like the collection's."""

_ROWS_AT_ONCE = 1 << 12
"""Documents whose terms are looked at together, to bound memory."""


@dataclass(frozen=True, eq=False)
class SubtopicModels:
    """The relevant text of a topic's subtopics. Subtopics without any have no row."""

    terms: Ints
    """Terms that occur in it, ascending."""
    counts: Floats
    """How often each occurs for each subtopic (subtopics, terms)."""

    @cached_property
    def lengths(self) -> Floats:
        """Words of each subtopic's text."""
        lengths: Floats = self.counts.sum(axis=1)
        return lengths


@remembered
def subtopic_models(qrels: Qrels, rel: float) -> tuple[SubtopicModels | None, ...]:
    """For each topic, the models of its subtopics, from all text judged *rel* or higher; None where there is none."""
    texts, subtopics = texts_and_subtopics(qrels)
    chosen, rows = _relevant_with_text(qrels, rel)
    positions, owners = texts.entries(rows)
    numbers = subtopics.numbers[chosen][owners]
    # Judgments are in the order of documents, and so of topics.
    offsets = np.searchsorted(subtopics.topics[numbers], np.arange(len(qrels.topics) + 1)).tolist()
    return tuple(_models_of_topic(texts, positions[start:end], numbers[start:end]) for start, end in pairwise(offsets))


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


def texts_and_subtopics(qrels: Qrels) -> tuple[Texts, Subtopics]:
    """What documents say and are relevant to, of judgments that have both."""
    texts = texts_of(qrels)
    if texts is None or qrels.subtopics is None:
        raise TypeError("these judgments have no subtopics or no texts")
    return texts, qrels.subtopics


@remembered
def _relevant_with_text(qrels: Qrels, rel: float) -> tuple[Ints, Ints]:
    """Judgments of at least grade *rel* whose document has a text, and the rows of these texts."""
    texts, subtopics = texts_and_subtopics(qrels)
    rows = texts.find(qrels.docs)[subtopics.docs]
    chosen = np.flatnonzero(subtopics.relevant(rel) & (rows >= 0))
    return chosen, rows[chosen]


def model_sizes(qrels: Qrels, rel: float) -> tuple[ModelSize, ...]:
    """What the model of each subtopic with relevant documents rests on."""
    texts, subtopics = texts_and_subtopics(qrels)
    chosen, rows = _relevant_with_text(qrels, rel)
    numbers, lengths = subtopics.numbers[chosen], texts.lengths[rows]
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


@dataclass(frozen=True, eq=False)
class _Steps:
    """What each term of each document adds to L(term), rank by rank: entries sorted by ranking, term and rank."""

    offsets: Ints
    """Where each ranking's entries start, and the end."""
    terms: Ints
    rows: Ints
    """Row (ranking and rank) of each entry."""
    steps: Floats
    shared: Floats
    """For each row, mu times the sum of p(v) times what L(v) grows there."""
    lengths: Floats
    """Words down to each row."""


def ranking_gains(
    texts: Texts, rows: Ints, offsets: Ints, models: Sequence[tuple[SubtopicModels, Floats] | None], mu: float
) -> list[Floats | None]:
    """g(i, j) of the paper for each ranking (subtopics, ranks): how close ranks 1 to j come to each subtopic.

    0: no closer than the collection; 1: the same model. *rows* are the texts of the rankings, -1 where a document has
    none; it adds nothing. *models* are those of each ranking's topic, with their :func:`divergences`; None for None.
    """
    gains: list[Floats | None] = []
    for some in ranking_blocks(offsets, _ROWS_AT_ONCE):
        start, end = int(offsets[some.start]), int(offsets[some.stop])
        inside = offsets[some.start : some.stop + 1] - start
        steps = _steps(texts, rows[start:end], inside, mu)
        for i, one in enumerate(models[some.start : some.stop]):
            gains.append(None if one is None else _gains(steps, i, slice(*inside[i : i + 2]), *one, mu))
    return gains


def _steps(texts: Texts, rows: Ints, offsets: Ints, mu: float) -> _Steps:
    ranking = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    there = np.flatnonzero(rows >= 0)
    positions, owners = texts.entries(rows[there])
    # All entries of a term together, from the first rank to the last; then what was counted above each of them.
    width = max(1, len(texts.words))
    key = ranking[there][owners] * width + texts.terms[positions]
    order = np.argsort(key, kind="stable")
    key, of_row, counts = key[order], there[owners[order]], texts.counts[positions[order]].astype(np.int64)
    running = np.cumsum(counts) - counts
    first = np.ones(len(key), dtype=bool)
    np.not_equal(key[1:], key[:-1], out=first[1:])
    above = running - running[first][np.cumsum(first) - 1]
    terms = key % width
    share = texts.share[terms]
    steps = np.log1p(counts / (mu * share + above))
    lengths = np.zeros(len(rows))
    lengths[there] = texts.lengths[rows[there]]
    total = np.concatenate([[0.0], np.cumsum(lengths)])  # whole numbers: exact
    return _Steps(
        offsets=np.searchsorted(key, np.arange(len(offsets)) * width),
        terms=terms,
        rows=of_row,
        steps=steps,
        shared=mu * sums_of(share * steps, of_row, len(rows)),
        lengths=total[1:] - np.repeat(total[offsets[:-1]], np.diff(offsets)),
    )


def _gains(steps: _Steps, ranking: int, rows: slice, models: SubtopicModels, apart: Floats, mu: float) -> Floats:
    """The gains of one ranking, which has the given rows; *apart* are the divergences from the collection."""
    here = slice(*steps.offsets[ranking : ranking + 2])
    terms = steps.terms[here]
    column = np.searchsorted(models.terms, terms)
    column[column == len(models.terms)] = 0
    common = np.flatnonzero(models.terms[column] == terms)
    weights = models.counts[:, column[common]] * steps.steps[here][common]
    subtopics, ranks = len(apart), rows.stop - rows.start
    cell = np.arange(subtopics)[:, None] * ranks + (steps.rows[here][common] - rows.start)
    own = np.bincount(cell.ravel(), weights=weights.ravel(), minlength=subtopics * ranks).reshape(subtopics, ranks)
    grown = np.cumsum(own + steps.shared[rows], axis=1)
    closer = grown / (models.lengths[:, None] + mu) - np.log1p(steps.lengths[rows] / mu)
    gains = np.zeros((subtopics, ranks))
    np.divide(closer, apart[:, None], out=gains, where=apart[:, None] > SAME)
    return np.clip(gains, 0.0, 1.0)


@remembered
def models_with_divergences(qrels: Qrels, rel: float, mu: float) -> list[tuple[SubtopicModels, Floats] | None]:
    """The models of each topic's subtopics, with how far they are from the collection's."""
    texts, _ = texts_and_subtopics(qrels)
    return [None if one is None else (one, divergences(texts, one, mu)) for one in subtopic_models(qrels, rel)]


def divergences(texts: Texts, models: SubtopicModels, mu: float) -> Floats:
    """KLD(q || D) of every subtopic: how far its model is from the collection's."""
    share = texts.share[models.terms]
    grown = np.log1p(models.counts / (mu * share))
    sums: Floats = ((models.counts + mu * share) * grown).sum(axis=1)
    return sums / (models.lengths + mu) - np.log1p(models.lengths / mu)
