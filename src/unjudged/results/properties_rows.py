"""Rows of the tables of ``properties``."""

from __future__ import annotations

from typing import NamedTuple

__all__ = [
    "IntervalsAgainstTest",
    "MeasurePrecision",
    "PairOnImages",
    "PredictionRow",
    "RunOnImages",
    "ScoreOnImages",
    "ShallowDepth",
    "ShallowImage",
    "ShallowPair",
    "TopicPrecision",
]


class MeasurePrecision(NamedTuple):
    """One measure. An ``sd`` is a standard deviation over images, and a ``spread`` how unequal such deviations are.

    ``difference`` is the mean size of the difference of two runs on a topic, on the corpus itself, ``difference_sd``
    the mean deviation of these, and ``score_sd`` that of a run's score on a topic. What starts with ``mean`` is about
    means over topics, on average over runs: their deviation, the width of the 95% of images in the middle, and by how
    much their mean over images is above the score on the corpus itself. The last two are about ranks: how far the
    quartiles of a run's are apart, and its best and worst one.
    """

    measure: str
    difference: float | None
    difference_sd: float | None
    difference_spread: float | None
    score_sd: float | None
    score_spread: float | None
    mean_sd: float | None
    mean_width: float | None
    mean_shift: float | None
    quartiles_apart: float
    ranks_apart: float


class PredictionRow(NamedTuple):
    """Whether an image is inside of the interval that all others give, for the difference of two runs on a topic.

    ``interval`` is ``t`` or ``percentile``. Shares are averages over the images; ``lowest`` and ``highest`` are the
    shares inside of the image that was predicted worst and best.
    """

    measure: str
    interval: str
    below: float | None
    inside: float | None
    above: float | None
    lowest: float | None
    highest: float | None


class IntervalsAgainstTest(NamedTuple):
    """How many ``pairs`` of runs a rule about intervals takes for different (``apart``), how many a test, and ``both``.

    ``corrected`` and ``both_corrected`` count with the corrected p-value. The rules are ``outside`` (each mean is
    outside of the other's interval), ``disjoint`` (the intervals have nothing in common), ``difference`` (the interval
    of the difference does not hold 0) and ``scaled`` (outside of intervals ``factor`` times as wide, the least with
    which 95% of the pairs apart are significant).
    """

    measure: str
    rule: str
    factor: float | None
    pairs: int
    apart: int
    significant: int
    both: int
    corrected: int
    both_corrected: int


class RunOnImages(NamedTuple):
    """One run with one measure: its ``mean`` over topics on the corpus itself, and what becomes of it on images.

    ``low`` and ``high`` hold 95% of the means on images, ``score_sd`` is the mean deviation of its scores on a topic.
    ``rank`` is that on the corpus itself, the others are the best, the quartiles and the worst over images.
    """

    measure: str
    run: str
    mean: float | None
    images_mean: float | None
    sd: float | None
    low: float | None
    high: float | None
    score_sd: float | None
    score_spread: float | None
    rank: int
    best: int
    lower: float
    median: float
    upper: float
    worst: int


class TopicPrecision(NamedTuple):
    """One topic with one measure, and its number of relevant documents.

    ``score_sd`` is the mean over runs of the deviation of a score, ``score_sd_high`` the 95th percentile over runs,
    ``difference_sd`` the mean over pairs of runs.
    """

    measure: str
    topic: str
    relevant: int
    score_sd: float | None
    score_sd_high: float | None
    difference_sd: float | None


class PairOnImages(NamedTuple):
    """Two runs with one measure; differences are run less other.

    ``sd``, ``low``, ``high`` and ``p_greater`` are over images, ``p`` and ``corrected_p`` of a paired test over topics.
    ``gap`` is how far the two means are apart in units of the half of an interval, the longer one: above 1, each is
    outside of the other's interval. It is None where it is infinite.
    """

    measure: str
    run: str
    other: str
    difference: float
    sd: float | None
    low: float | None
    high: float | None
    p_greater: float | None
    gap: float | None
    disjoint: bool
    p: float
    corrected_p: float


class ScoreOnImages(NamedTuple):
    """A run on a topic with one measure: its score, and mean, deviation and quantiles (2.5% to 97.5%) over images."""

    measure: str
    run: str
    topic: str
    score: float | None
    mean: float | None
    sd: float | None
    low: float | None
    lower: float | None
    median: float | None
    upper: float | None
    high: float | None


class ShallowDepth(NamedTuple):
    """What a pool of so many documents of two runs alone does, compared with all judgments: in how many of the pairs.

    ``larger``: a larger difference (mean size over images); ``wider``: differences that spread wider over topics;
    ``smaller_p``: a smaller p-value (median over images). The last two count pairs that are significant, by that
    median, only with the pool or only with all judgments.
    """

    measure: str
    depth: int
    pairs: int
    larger: int
    wider: int
    smaller_p: int
    only_shallow: int
    only_all: int


class ShallowPair(NamedTuple):
    """Two runs of which only the first ``depth`` documents are judged; None: with all judgments.

    ``difference`` and ``p`` are on the corpus itself. ``images_mean`` and ``images_sd`` are those of the difference
    over images, ``p_median``, ``p_low`` and ``p_high`` are over images, too (the latter hold 95%). ``spread`` is the
    standard deviation over topics of the difference, on average over images; the rest are quantiles (2.5% to 97.5%) of
    the difference on single topics of all images.
    """

    measure: str
    run: str
    other: str
    depth: int | None
    difference: float | None
    p: float | None
    images_mean: float | None
    images_sd: float | None
    p_median: float | None
    p_low: float | None
    p_high: float | None
    spread: float | None
    low: float | None
    lower: float | None
    median: float | None
    upper: float | None
    high: float | None


class ShallowImage(NamedTuple):
    """One image: the difference of two runs, and its p-value; see :class:`ShallowPair`."""

    measure: str
    run: str
    other: str
    depth: int | None
    image: int
    difference: float | None
    p: float | None
