"""Scores on many images of a corpus: what ``resample`` returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from unjudged.arrays import Floats
from unjudged.errors import InputError, Notice
from unjudged.notebook_repr import NotebookRepr
from unjudged.registry import name_among
from unjudged.wording import counted

__all__ = ["ImageScores", "Summary"]


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

    def sd_of_means(self) -> Floats:
        """Standard deviation over images of the summary over topics: (measures, runs)."""
        if self.images < 2:
            return np.full(self.means.shape[:-1], np.nan)
        sd: Floats = self.means.std(axis=-1, ddof=1)
        return sd

    def of(self, run: str, measure: str) -> Floats:
        """The run's summary over topics on each image. Images are shared, so runs can be compared image by image."""
        measure = name_among(self.measures, measure)
        for name, names, kind in ((run, self.runs, "run"), (measure, self.measures, "measure")):
            if name not in names:
                raise InputError(f"there are no images of {kind} {name!r} (there are {', '.join(names)})")
        means: Floats = self.means[self.measures.index(measure), self.runs.index(run)]
        return means
