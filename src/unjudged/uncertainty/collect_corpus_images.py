"""Scores on many images of a corpus, gathered as they come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.errors import Notice
from unjudged.measures.base import Measure
from unjudged.results.corpus_image_scores import ImageScores

__all__ = ["Collector", "Piece"]


@dataclass(frozen=True, eq=False)
class Piece:
    """What some images add to the statistics; deviations are from the root, so that squares stay small."""

    defined: Ints
    total: Floats
    squares: Floats
    means: Floats
    scores: Floats | None

    @classmethod
    def of(cls, scores: Floats, measures: Sequence[Measure], root: Floats, *, keep: bool) -> Piece:
        """Of scores on some images: (measures, runs, topics, images)."""
        # Image after image: NumPy sums long rows in an order of its own, which depends on how many there are.
        defined = np.zeros(root.shape, dtype=np.int64)
        total, squares = np.zeros(root.shape), np.zeros(root.shape)
        centre = np.nan_to_num(root)
        for image in range(scores.shape[-1]):
            off = scores[..., image] - centre
            is_number = ~np.isnan(off)
            off[~is_number] = 0.0
            defined += is_number
            total += off
            squares += off * off
        means = np.stack([summaries(measure, scores[m]) for m, measure in enumerate(measures)])
        return cls(defined, total, squares, means, scores if keep else None)


def summaries(measure: Measure, scores: Floats) -> Floats:
    """Summary over topics, the second axis, as :meth:`Measure.summarise` gives it; undefined topics are left out."""
    defined = ~np.isnan(scores)
    added = np.where(defined, measure.to_add_up(scores), 0.0)
    total = np.zeros((scores.shape[0], *scores.shape[2:]))
    for topic in range(scores.shape[1]):
        total += added[:, topic]
    with np.errstate(invalid="ignore"):
        return measure.from_sum(total, defined.sum(axis=1))


class Collector:
    """Adds up pieces, in the order of their images."""

    def __init__(self, measures: Sequence[Measure], root: Floats, images: int, *, keep: bool) -> None:
        self._measures = measures
        self._root = root
        self._defined = np.zeros(root.shape, dtype=np.int64)
        self._total, self._squares = np.zeros(root.shape), np.zeros(root.shape)
        self._means: list[Floats] = []
        # At once: pieces that are put together at the end would need the room twice.
        self._scores = np.empty((*root.shape, images)) if keep else None
        self._done = 0

    def add(self, piece: Piece) -> None:
        """Take the next images in."""
        self._defined += piece.defined
        self._total += piece.total
        self._squares += piece.squares
        self._means.append(piece.means)
        if self._scores is not None and piece.scores is not None:
            here = slice(self._done, self._done + piece.scores.shape[-1])
            self._scores[..., here] = piece.scores
            self._done = here.stop

    def result(
        self,
        *,
        runs: tuple[str, ...],
        topics: tuple[str, ...],
        corpus_size: int,
        seed: int,
        warnings: tuple[Notice, ...] = (),
    ) -> ImageScores:
        """All that was gathered."""
        with np.errstate(invalid="ignore", divide="ignore"):
            off = self._total / self._defined
            variance = (self._squares - self._total * off) / (self._defined - 1)
        variance[self._defined < 2] = np.nan
        means = np.concatenate(self._means, axis=-1)
        return ImageScores(
            runs=runs,
            topics=topics,
            measures=tuple(map(str, self._measures)),
            corpus_size=corpus_size,
            images=means.shape[-1],
            seed=seed,
            root=self._root,
            mean=np.nan_to_num(self._root) + off,
            sd=np.sqrt(np.maximum(variance, 0.0)),
            root_means=np.stack(
                [summaries(m, root[..., None])[:, 0] for m, root in zip(self._measures, self._root, strict=True)]
            ),
            means=means,
            scores=self._scores,
            warnings=warnings,
        )
