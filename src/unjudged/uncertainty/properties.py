"""Properties of measures: how precisely they measure, as images of the corpus show it.

Every function takes scores on images (:func:`unjudged.resample`) and says something about each measure. They are the
experiments of J. Zobel and L. Rashidi, Corpus bootstrapping for assessment of the properties of effectiveness measures,
CIKM 2020, sections 4 to 6; section 7 is in :mod:`unjudged.uncertainty.shallow_pools`, and what its end asks, whether
images and t tests agree, in :mod:`unjudged.uncertainty.image_intervals`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
from scipy import special

from unjudged.arrays import Floats, Ints
from unjudged.errors import InputError
from unjudged.limits import Real
from unjudged.progress import Progress, watched
from unjudged.results.comparison import LEVEL
from unjudged.results.corpus_image_scores import ImageScores
from unjudged.threads import in_order, worker_count
from unjudged.uncertainty.paired import all_pairs
from unjudged.uncertainty.ranks import SAME_MEAN, ranks_of_means

__all__ = [
    "LEAST_IMAGES",
    "Differences",
    "Prediction",
    "PredictionInterval",
    "RankRange",
    "Spread",
    "differences_on_images",
    "rank_variation",
    "score_deviations",
]


PredictionInterval = Literal["percentile", "t"]
"""Quantiles of the images, or the textbook's interval for one more value: mean and t times sd times sqrt(1 + 1/n)."""

LEAST_IMAGES = 3
"""Two give a deviation, which the third is compared with."""
_CELLS = 1 << 17
"""Differences (pairs x images) worked on together: a megabyte stays in the cache."""


class Prediction(NamedTuple):
    """Shares of the differences on an image that are below, inside and above what all other images let expect.

    Averages over the images, of which each is predicted in turn; ``lowest`` and ``highest`` are the shares inside of
    the image that was predicted worst and best.
    """

    below: float
    inside: float
    above: float
    lowest: float
    highest: float


class Spread(NamedTuple):
    """Mean and standard deviation of standard deviations."""

    mean: float
    sd: float


@dataclass(frozen=True, eq=False)
class Differences:
    """Differences of every two runs on every topic, with one measure."""

    size: float
    """Their mean size on the corpus itself."""
    deviation: Spread
    """Of their standard deviations over images."""
    of_topics: tuple[float, ...]
    """Mean of the standard deviations of each topic; NaN where the measure is undefined on some image for all pairs."""
    predictions: dict[PredictionInterval, Prediction]
    """Whether images predict another one, by the kind of interval."""


class RankRange(NamedTuple):
    """Quartiles of the ranks that a run has on images, and the lowest and the highest of them."""

    best: int
    lower: float
    median: float
    upper: float
    worst: int


def differences_on_images(
    images: ImageScores, *, level: float = LEVEL, jobs: int | None = 1, progress: Progress | None = None
) -> dict[str, Differences]:
    """How precisely the difference of two runs on a topic is measured, by measure (Tables 2 and 3 of the paper).

    For each two runs and topic: the standard deviation over images of the difference of their scores; and whether an
    image is inside of an interval that a share of *level* should be inside of, made of all other images. Runs for which
    the measure is undefined on some image are left out for that topic.

    >>> from unjudged import CorpusBootstrap, resample
    >>> qrels, runs = {"1": {"a": 1, "b": 1}}, {"x": {"1": {"a": 1.0}}, "y": {"1": {"b": 1.0}}}
    >>> images = resample(qrels, runs, "R", CorpusBootstrap(images=200, corpus_size=90), keep=True)
    >>> differences_on_images(images)["R"].predictions["t"].inside
    1.0
    """
    Real(0, 1, "neither").checked("level", level)
    if images.images < LEAST_IMAGES:
        raise InputError(f"this needs at least {LEAST_IMAGES} images, not {images.images}")
    if len(images.runs) < 2:
        raise InputError("differences need at least two runs")
    every, topics = images.every_score(), range(len(images.topics))

    def work(at: tuple[int, int]) -> _Topic:
        m, t = at
        return _Topic.of(images.root[m, :, t], every[m, :, t], level)

    order = [(m, t) for m in range(len(images.measures)) for t in topics]
    stream = in_order(work, order, worker_count(jobs, len(order)))
    done = list(watched(progress, stream, len(order), "comparing runs on images"))
    parts = [done[m * len(topics) : (m + 1) * len(topics)] for m in range(len(images.measures))]
    return {measure: _summed_up(part) for measure, part in zip(images.measures, parts, strict=True)}


@dataclass(frozen=True, eq=False)
class _Topic:
    """Pairs of runs on one topic."""

    sizes: Floats
    deviations: Floats
    outside: Ints
    """Pairs outside of the interval: (kinds of interval, below or above, images)."""

    @classmethod
    def of(cls, root: Floats, scores: Floats, level: float) -> _Topic:
        """Of scores on the corpus itself (runs) and on images (runs, images)."""
        scores = scores[~np.isnan(scores).any(axis=1)]
        # From the first image on: equal differences stay equal, and squares small.
        moves, images = scores - scores[:, :1], scores.shape[1]
        outside = np.zeros((len(get_args(PredictionInterval)), 2, images), dtype=np.int64)
        deviations = []
        for first, second in _pair_blocks(len(scores), max(1, _CELLS // images)):
            differences = moves[first] - moves[second]
            mean = differences.mean(axis=1, keepdims=True)
            differences -= mean
            squares = np.einsum("pi,pi->p", differences, differences)
            deviations.append(np.sqrt(squares / (images - 1)))
            for kind, ends in enumerate((_percentile_ends(differences, level), _t_ends(squares, images, level))):
                outside[kind, 0] += np.count_nonzero(differences < ends[0][:, None], axis=0)
                outside[kind, 1] += np.count_nonzero(differences > ends[1][:, None], axis=0)
        known = root[~np.isnan(root)]
        sizes = [np.abs(known[i] - known[i + 1 :]) for i in range(len(known) - 1)]
        return cls(_joined(sizes), _joined(deviations), outside)


def _joined(parts: Sequence[Floats]) -> Floats:
    return np.concatenate(parts) if parts else np.zeros(0)


def _pair_blocks(runs: int, most: int) -> Iterator[tuple[Ints, Ints]]:
    pairs = all_pairs(runs)
    for start in range(0, len(pairs), most):
        block = pairs[start : start + most]
        yield block[:, 0], block[:, 1]


def _t_ends(squares: Floats, images: int, level: float) -> tuple[Floats, Floats]:
    """How far from the mean of all images a value has to be to be outside of the interval that the others give.

    Mean and variance of the others follow from those of all, and from how far the value is from the mean; solved for
    that, both ends are a multiple of the root of the sum of squares.
    """
    t = special.stdtrit(images - 2, (1 + level) / 2)
    far = np.sqrt(squares * t * t * (images - 1) / (images * (images - 2 + t * t))) + SAME_MEAN
    return -far, far


def _percentile_ends(values: Floats, level: float) -> tuple[Floats, Floats]:
    """Below and above which values are outside of the quantiles (interpolated, type 7) of all others in their row."""
    place = (1 - level) / 2 * (values.shape[1] - 2)
    at, part = int(place), place - int(place)
    ordered = np.sort(values, axis=1)
    return _low_end(ordered[:, at : at + 3], part), -_low_end(-ordered[:, ::-1][:, at : at + 3], part)


def _low_end(neighbours: Floats, part: float) -> Floats:
    """The number below which a value is lower than the quantile of the others, from the three values next to that.

    Without one value, the others above it move down a place. So the quantile is between other values if one of the
    lowest is missing, or the middle one of the three; and only these can be below it.
    """
    lower, middle, upper = neighbours.T
    without_lower = (1 - part) * middle + part * upper
    without_middle = (1 - part) * lower + part * upper
    end = np.minimum(np.nextafter(lower, np.inf), without_lower - SAME_MEAN)
    return np.asarray(np.where(middle < without_middle - SAME_MEAN, np.nextafter(middle, np.inf), end))


def _summed_up(topics: Sequence[_Topic]) -> Differences:
    deviations, sizes = (np.concatenate([getattr(one, name) for one in topics]) for name in ("deviations", "sizes"))
    outside = np.sum([one.outside for one in topics], axis=0)
    return Differences(
        size=_mean(sizes),
        deviation=_spread(deviations),
        of_topics=tuple(_mean(one.deviations) for one in topics),
        predictions={
            kind: _prediction(counts, len(deviations))
            for kind, counts in zip(get_args(PredictionInterval), outside, strict=True)
        },
    )


def _prediction(outside: Ints, number: int) -> Prediction:
    """From the counts below and above on each image, of so many differences."""
    if not number:
        return Prediction(*[math.nan] * 5)
    below, above = (outside / number).mean(axis=1).tolist()
    inside = 1 - outside.sum(axis=0) / number
    return Prediction(below, 1 - below - above, above, float(inside.min()), float(inside.max()))


def score_deviations(images: ImageScores) -> dict[tuple[str, str], Spread]:
    """How precisely the score of a run on a topic is measured, by (run, measure) (Table 4 of the paper).

    The standard deviation over images of the score, for each topic: its mean and standard deviation over topics.
    """
    return {
        (run, measure): _spread(deviations)
        for measure, of_runs in zip(images.measures, images.sd, strict=True)
        for run, deviations in zip(images.runs, of_runs, strict=True)
    }


def rank_variation(images: ImageScores) -> dict[tuple[str, str], RankRange]:
    """Which ranks a run takes among all runs, by (run, measure), when runs are ordered by their means on each image.

    Figure 5 of the paper. Runs with the same mean share the better rank. Scores need not be kept.
    """
    out = {}
    for measure, means in zip(images.measures, images.means, strict=True):
        for run, ranks in zip(images.runs, ranks_of_means(means), strict=True):
            lower, median, upper = np.quantile(ranks, (0.25, 0.5, 0.75)).tolist()
            out[run, measure] = RankRange(int(ranks.min()), lower, median, upper, int(ranks.max()))
    return out


def _spread(values: Iterable[float]) -> Spread:
    """Of those that are known: a measure that is undefined on an image may have no deviation over images."""
    known = np.array([value for value in values if not math.isnan(value)])
    return Spread(_mean(known), float(known.std(ddof=1)) if len(known) > 1 else math.nan)


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else math.nan
