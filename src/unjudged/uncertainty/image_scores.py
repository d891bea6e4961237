"""Scores on many images of a corpus: gathered as they come, and what is left of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.errors import InputError, Notice
from unjudged.measures.base import Measure
from unjudged.notebook_repr import NotebookRepr
from unjudged.wording import counted

__all__ = ["Collector", "ImageScores", "Piece", "Summary"]


class Summary(NamedTuple):
    """One run's mean over topics: on the corpus itself (root), and its mean, deviation and quantiles over images."""

    root: float
    mean: float
    sd: float
    low: float
    high: float


@dataclass(frozen=True, eq=False, repr=False)
class ImageScores(NotebookRepr):
    """Scores of runs on images of a corpus. Arrays have the axes (measures, runs, topics, images), or some of them.

    Standard deviations are those of a sample (they divide by one less than the number of images).
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[str, ...]
    corpus_size: int
    images: int
    seed: int
    root: Floats
    """Scores on the corpus itself: (measures, runs, topics)."""
    mean: Floats
    """Mean over images: (measures, runs, topics). Images where a measure is undefined (NaN) are left out."""
    sd: Floats
    """Standard deviation over images: (measures, runs, topics)."""
    root_means: Floats
    """Summary over topics on the corpus itself: (measures, runs)."""
    means: Floats
    """Summary over topics, mostly their mean, on each image: (measures, runs, images)."""
    scores: Floats | None = None
    """Every score: (measures, runs, topics, images); None unless they were to be kept."""
    warnings: tuple[Notice, ...] = ()

    def __repr__(self) -> str:
        on = f"{counted(self.images, 'image')} of a corpus of {counted(self.corpus_size, 'document')}"
        return f"ImageScores of {counted(len(self.runs), 'run')} over {counted(len(self.topics), 'topic')} on {on}"

    def summary(self, interval: tuple[float, float] = (0.05, 0.95)) -> dict[tuple[str, str], Summary]:
        """How each run's mean score varies over images, by (run, measure); *interval* are two quantiles."""
        mean, sd = self.means.mean(axis=-1), self.sd_of_means()
        low, high = np.quantile(self.means, interval, axis=-1)
        columns = (self.root_means, mean, sd, low, high)
        return {
            (run, measure): Summary(*(float(column[m, r]) for column in columns))
            for m, measure in enumerate(self.measures)
            for r, run in enumerate(self.runs)
        }

    def every_score(self) -> Floats:
        """Every score: (measures, runs, topics, images)."""
        if self.scores is None:
            raise InputError("this needs the score on every image: resample(..., keep=True)")
        return self.scores

    def part(self, first: int, last: int) -> ImageScores:
        """Only images *first* to *last* (not included), as if no others had been drawn; needs every score."""
        if not 0 <= first < last <= self.images:
            raise InputError(f"there are images 0 to {self.images}, not {first} to {last}")
        scores = self.every_score()[..., first:last]
        mean, sd = _moments(scores)
        means = self.means[..., first:last]
        return replace(self, images=last - first, mean=mean, sd=sd, means=means, scores=scores)

    def sd_of_means(self) -> Floats:
        """Standard deviation over images of the summary over topics: (measures, runs)."""
        if self.images < 2:
            return np.full(self.means.shape[:-1], np.nan)
        sd: Floats = self.means.std(axis=-1, ddof=1)
        return sd

    def of(self, run: str, measure: str) -> Floats:
        """The run's summary over topics on each image. Images are shared, so runs can be compared image by image."""
        for name, names, kind in ((run, self.runs, "run"), (measure, self.measures, "measure")):
            if name not in names:
                raise InputError(f"there are no images of {kind} {name!r} (there are {', '.join(names)})")
        means: Floats = self.means[self.measures.index(measure), self.runs.index(run)]
        return means


def _moments(scores: Floats) -> tuple[Floats, Floats]:
    """Mean and deviation along the last axis, undefined values left out."""
    defined = ~np.isnan(scores)
    count = defined.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(defined, scores, 0.0).sum(axis=-1) / count
        off = np.where(defined, scores - mean[..., None], 0.0)
        sd = np.sqrt((off * off).sum(axis=-1) / (count - 1))
    sd[count < 2] = np.nan
    return mean, sd


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

    def __init__(self, measures: Sequence[Measure], root: Floats, *, keep: bool) -> None:
        self._measures = measures
        self._root = root
        self._defined = np.zeros(root.shape, dtype=np.int64)
        self._total, self._squares = np.zeros(root.shape), np.zeros(root.shape)
        self._means: list[Floats] = []
        self._scores: list[Floats] | None = [] if keep else None

    def add(self, piece: Piece) -> None:
        """Take the next images in."""
        self._defined += piece.defined
        self._total += piece.total
        self._squares += piece.squares
        self._means.append(piece.means)
        if self._scores is not None and piece.scores is not None:
            self._scores.append(piece.scores)

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
            scores=None if self._scores is None else np.concatenate(self._scores, axis=-1),
            warnings=warnings,
        )
