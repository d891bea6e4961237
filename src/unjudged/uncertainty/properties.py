"""Properties of measures: how precisely they measure, as images of the corpus show it.

Every function takes scores on images (:func:`unjudged.resample` with ``keep=True``) and says something about each
measure. They are the experiments of J. Zobel and L. Rashidi, Corpus bootstrapping for assessment of the properties of
effectiveness measures, CIKM 2020, sections 4 to 6; section 7 is in :mod:`unjudged.uncertainty.shallow_pools`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Literal, NamedTuple, get_args

import numpy as np
from scipy import special

from unjudged.arrays import Floats
from unjudged.errors import InputError
from unjudged.limits import Choice, Real
from unjudged.results.corpus_image_scores import ImageScores
from unjudged.uncertainty.ranks import ranks_of_means

__all__ = [
    "Prediction",
    "PredictionInterval",
    "RankRange",
    "Spread",
    "difference_deviations",
    "predictive_check",
    "rank_variation",
    "score_deviations",
]


PredictionInterval = Literal["percentile", "t"]
"""Quantiles of the images, or the textbook's interval for one more value: mean and t times sd times sqrt(1 + 1/n)."""


class Prediction(NamedTuple):
    """Shares of the differences on the last image that are below, inside and above what the others let expect."""

    below: float
    inside: float
    above: float


class Spread(NamedTuple):
    """Mean and standard deviation of standard deviations."""

    mean: float
    sd: float


class RankRange(NamedTuple):
    """Quartiles of the ranks that a run has on images, and the lowest and the highest of them."""

    best: int
    lower: float
    median: float
    upper: float
    worst: int


def predictive_check(
    images: ImageScores, *, level: float = 0.95, interval: PredictionInterval = "percentile"
) -> dict[str, Prediction]:
    """Whether images predict another image, by measure (Table 2 of the paper).

    For each two runs and topic, all images but the last give an interval for the difference of the runs' scores; a
    share of *level* should hold that of the last image; NaN where the measure is undefined on some image for all of
    them. All differences share that one image, so the shares of a
    single call vary much; average over several parts (:meth:`ImageScores.part`).

    >>> from unjudged import CorpusBootstrap, resample
    >>> qrels, runs = {"1": {"a": 1, "b": 1}}, {"x": {"1": {"a": 1.0}}, "y": {"1": {"b": 1.0}}}
    >>> predictive_check(resample(qrels, runs, "R", CorpusBootstrap(images=200, corpus_size=90), keep=True))
    {'R': Prediction(below=0.0, inside=1.0, above=0.0)}
    """
    Choice(get_args(PredictionInterval)).checked("interval", interval)
    Real(0, 1, "neither").checked("level", level)
    out = {}
    for measure, scores in _kept(images, least=3):
        below, above, number = 0, 0, 0
        for differences in _differences(scores):
            seen, last = differences[..., :-1], differences[..., -1]
            low, high = _prediction_interval(seen, level, interval)
            # The same score from the same documents may differ by rounding.
            slack = 1e-12 * np.maximum(1.0, np.abs(last))
            below += int((last < low - slack).sum())
            above += int((last > high + slack).sum())
            number += int((~np.isnan(last + low)).sum())
        shares = (below / number, above / number) if number else (math.nan, math.nan)
        out[measure] = Prediction(shares[0], 1 - sum(shares), shares[1])
    return out


def _prediction_interval(values: Floats, level: float, how: PredictionInterval) -> tuple[Floats, Floats]:
    if how == "percentile":
        low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2], axis=-1)
        return low, high
    mean, number = values.mean(axis=-1), values.shape[-1]
    times = special.stdtrit(number - 1, (1 + level) / 2) * np.sqrt(1 + 1 / number)
    half = times * values.std(axis=-1, ddof=1)
    return mean - half, mean + half


def difference_deviations(images: ImageScores, *, ddof: int = 1) -> dict[str, Spread]:
    """How precisely the difference of two runs on a topic is measured, by measure (Table 3 of the paper).

    The standard deviation over images of the difference, for each two runs and topic: its mean and standard deviation
    over all of them. *ddof*: what is taken off the number of images (and of differences) that squares are divided by.
    """
    out = {}
    for measure, scores in _kept(images, least=2):
        parts = [differences.std(axis=-1, ddof=ddof).ravel() for differences in _differences(scores)]
        out[measure] = _spread(np.concatenate(parts), ddof)
    return out


def score_deviations(images: ImageScores, *, ddof: int = 1) -> dict[tuple[str, str], Spread]:
    """How precisely the score of a run on a topic is measured, by (run, measure) (Table 4 of the paper).

    The standard deviation over images of the score, for each topic: its mean and standard deviation over topics.
    """
    out = {}
    for measure, scores in _kept(images, least=2):
        deviations = scores.std(axis=-1, ddof=ddof)
        for run, values in zip(images.runs, deviations, strict=True):
            out[run, measure] = _spread(values, ddof)
    return out


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


def _kept(images: ImageScores, *, least: int) -> Iterator[tuple[str, Floats]]:
    """Each measure with its scores (runs, topics, images)."""
    if images.images < least:
        raise InputError(f"this needs at least {least} images, not {images.images}")
    yield from zip(images.measures, images.every_score(), strict=True)


def _differences(scores: Floats) -> Iterator[Floats]:
    """Differences of each run and those after it: (pairs, topics, images)."""
    if len(scores) < 2:
        raise InputError("differences need at least two runs")
    for i in range(len(scores) - 1):
        yield scores[i] - scores[i + 1 :]


def _spread(values: Floats, ddof: int) -> Spread:
    """Of those that are known: a measure that is undefined on an image has no deviation over images."""
    defined = values[~np.isnan(values)]
    if len(defined) <= ddof:
        return Spread(float(defined.mean()) if len(defined) else math.nan, math.nan)
    return Spread(float(defined.mean()), float(defined.std(ddof=ddof)))
