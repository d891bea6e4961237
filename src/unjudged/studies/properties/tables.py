"""The tables of the result, from arrays over runs, topics and images."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from unjudged.arrays import Floats
from unjudged.results.comparison import SIGNIFICANT
from unjudged.results.corpus_image_scores import ImageScores
from unjudged.results.properties import ImageQuantiles, ShallowOnImages
from unjudged.results.properties_rows import (
    IntervalsAgainstTest,
    MeasurePrecision,
    PairOnImages,
    PredictionRow,
    RunOnImages,
    ShallowDepth,
    ShallowPair,
    TopicPrecision,
)
from unjudged.results.scores import mean_known
from unjudged.results.tabular import number_or_none
from unjudged.uncertainty.image_intervals import MeansOnImages, compare_rules
from unjudged.uncertainty.properties import Differences, rank_variation, score_deviations
from unjudged.uncertainty.ranks import ranks_of_means
from unjudged.uncertainty.shallow_pools import ShallowPools
from unjudged.uncertainty.significance import Significance

__all__ = [
    "image_quantiles",
    "interval_rows",
    "pair_rows",
    "precision_rows",
    "prediction_rows",
    "run_rows",
    "shallow_on_images",
    "shallow_pair_rows",
    "shallow_rows",
    "topic_rows",
]

_QUANTILES = (0.025, 0.25, 0.5, 0.75, 0.975)
_HIGH = 95
"""Percentile over runs of the deviations of a topic, as in Figure 1 of the paper."""


def precision_rows(
    images: ImageScores, differences: Mapping[str, Differences], means: Sequence[MeansOnImages]
) -> tuple[MeasurePrecision, ...]:
    """One row per measure."""
    ranks = rank_variation(images)
    rows = []
    for m, measure in enumerate(images.measures):
        moves, of_means = differences[measure], means[m]
        of_runs = [ranks[run, measure] for run in images.runs]
        deviations = images.sd[m].ravel()
        known = deviations[~np.isnan(deviations)]
        numbers = (
            moves.size,
            *moves.deviation,
            known.mean() if len(known) else np.nan,
            known.std(ddof=1) if len(known) > 1 else np.nan,
            of_means.sd.mean(),
            (of_means.high - of_means.low).mean(),
            (of_means.mean - images.root_means[m]).mean(),
        )
        apart = [float(np.mean([one.upper - one.lower for one in of_runs]))]
        apart.append(float(np.mean([one.worst - one.best for one in of_runs])))
        rows.append(MeasurePrecision._make((measure, *map(number_or_none, numbers), *apart)))
    return tuple(rows)


def prediction_rows(differences: Mapping[str, Differences]) -> tuple[PredictionRow, ...]:
    """One row per measure and kind of interval."""
    return tuple(
        PredictionRow(measure, kind, *map(number_or_none, prediction))
        for measure, moves in differences.items()
        for kind, prediction in sorted(moves.predictions.items(), reverse=True)
    )


def interval_rows(
    images: ImageScores, means: Sequence[MeansOnImages], signs: Sequence[Significance]
) -> tuple[IntervalsAgainstTest, ...]:
    """One row per measure and rule."""
    return tuple(
        IntervalsAgainstTest(measure, row.rule, number_or_none(row.factor), len(sign), *row[2:])
        for measure, of_means, sign in zip(images.measures, means, signs, strict=True)
        for row in compare_rules(of_means.pairs, sign.p, sign.corrected)
    )


def run_rows(images: ImageScores, means: Sequence[MeansOnImages]) -> tuple[RunOnImages, ...]:
    """One row per measure and run."""
    ranks, deviations = rank_variation(images), score_deviations(images)
    rows = []
    for m, measure in enumerate(images.measures):
        root, of_means = images.root_means[m], means[m]
        place = ranks_of_means(root[:, None])[:, 0]
        for r, run in enumerate(images.runs):
            numbers = (
                root[r],
                of_means.mean[r],
                of_means.sd[r],
                of_means.low[r],
                of_means.high[r],
                *deviations[run, measure],
            )
            about = [number_or_none(one) for one in numbers]
            rows.append(RunOnImages._make((measure, run, *about, int(place[r]), *ranks[run, measure])))
    return tuple(rows)


def topic_rows(
    images: ImageScores, differences: Mapping[str, Differences], relevant: Sequence[Sequence[int]]
) -> tuple[TopicPrecision, ...]:
    """One row per measure and topic; *relevant* has the number of relevant documents, by measure and topic."""
    rows = []
    for m, measure in enumerate(images.measures):
        average = mean_known(images.sd[m].T)
        for t, topic in enumerate(images.topics):
            known = images.sd[m, :, t][~np.isnan(images.sd[m, :, t])]
            high = np.percentile(known, _HIGH) if len(known) else np.nan
            numbers = (average[t], high, differences[measure].of_topics[t])
            rows.append(TopicPrecision(measure, topic, relevant[m][t], *map(number_or_none, numbers)))
    return tuple(rows)


def pair_rows(
    images: ImageScores, means: Sequence[MeansOnImages], signs: Sequence[Significance]
) -> tuple[PairOnImages, ...]:
    """One row per measure and pair of runs."""
    rows = []
    for measure, of_means, sign in zip(images.measures, means, signs, strict=True):
        pairs, differences = of_means.pairs, sign.effects.mean_difference
        on_images = (pairs.sd, pairs.low, pairs.high, pairs.p_greater, pairs.gap)
        columns = [[number_or_none(one) for one in column.tolist()] for column in on_images]
        columns += [one.tolist() for one in (pairs.disjoint, sign.p, sign.corrected)]
        for (a, b), difference, *about in zip(sign.pairs.tolist(), differences.tolist(), *columns, strict=True):
            rows.append(PairOnImages(measure, images.runs[a], images.runs[b], difference, *about))
    return tuple(rows)


def image_quantiles(images: ImageScores) -> ImageQuantiles:
    """Every run on every topic; run by run, because quantiles are taken of a copy."""
    every = images.every_score()
    quantiles = np.empty((len(_QUANTILES), *images.root.shape))
    for m, r in np.ndindex(every.shape[:2]):
        quantiles[:, m, r] = np.quantile(every[m, r], _QUANTILES, axis=-1)
    return ImageQuantiles(images.runs, images.topics, images.root, images.mean, images.sd, quantiles)


# ---- shallow pools


def shallow_on_images(pools: ShallowPools | None) -> ShallowOnImages:
    """What each image says."""
    if pools is None:
        return ShallowOnImages()
    return ShallowOnImages(pools.pairs, pools.depths, mean_known(pools.differences), pools.p)


def shallow_pair_rows(pools: ShallowPools | None) -> tuple[ShallowPair, ...]:
    """One row per measure, pair of runs and depth of the pool."""
    return () if pools is None else tuple(_shallow_pairs(pools))


def _shallow_pairs(pools: ShallowPools) -> Iterator[ShallowPair]:
    means = mean_known(pools.differences)
    root_means = mean_known(pools.root)
    for m, measure in enumerate(pools.measures):
        for i, pair in enumerate(pools.pairs):
            for d, depth in enumerate(pools.depths):
                at = (i, m, d)
                of_images, p = _known(means[at]), _known(pools.p[at])
                numbers = (
                    root_means[at],
                    pools.root_p[at],
                    _mean(of_images),
                    of_images.std(ddof=1) if len(of_images) > 1 else np.nan,
                    *_quantiles(p, (0.5, 0.025, 0.975)),
                    _mean(_known(_spreads(pools.differences[at]))),
                    *_quantiles(_known(pools.differences[at].ravel()), _QUANTILES),
                )
                yield ShallowPair(measure, *pair, depth, *map(number_or_none, numbers))


def shallow_rows(pools: ShallowPools | None) -> tuple[ShallowDepth, ...]:
    """One row per measure and depth: in how many pairs the pool leads to more than all judgments (the last depth)."""
    if pools is None:
        return ()
    with np.errstate(invalid="ignore"):
        sizes = mean_known(np.abs(mean_known(pools.differences)))
        spreads = np.array([[[_mean(_known(_spreads(d))) for d in ds] for ds in ms] for ms in pools.differences])
        medians = np.median(pools.p, axis=-1)
        significant = medians < SIGNIFICANT
        counted = [
            sizes[..., :-1] > sizes[..., -1:],
            spreads[..., :-1] > spreads[..., -1:],
            medians[..., :-1] < medians[..., -1:],
            significant[..., :-1] & ~significant[..., -1:],
            ~significant[..., :-1] & significant[..., -1:],
        ]
    return tuple(
        ShallowDepth(measure, depth, len(pools.pairs), *(int(flags[:, m, d].sum()) for flags in counted))
        for m, measure in enumerate(pools.measures)
        for d, depth in enumerate(pools.depths)
        if depth is not None
    )


def _spreads(differences: Floats) -> Floats:
    """Standard deviation over topics on each image (images, topics); undefined topics are left out."""
    return np.array([_known(one).std() if len(_known(one)) else np.nan for one in differences])


def _known(values: Floats) -> Floats:
    return values[~np.isnan(values)]


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else float("nan")


def _quantiles(values: Floats, levels: tuple[float, ...]) -> list[float]:
    return np.quantile(values, levels).tolist() if len(values) else [float("nan")] * len(levels)
