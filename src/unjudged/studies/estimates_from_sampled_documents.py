"""Scores and differences from a random sample of documents that people judged, and labels of all.

What people judged must be a random sample of the pairs of topic and document, with known or equal chances. Then the
difference estimate is unbiased for measures that are plain sums over documents, whatever the labels are worth; for
sums over an ideal, such as nDCG, it is linearised, and for products, such as AP and ERR, it is of second order.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import special

from unjudged.collection import BaseCollection
from unjudged.data.judge_labels import JudgeLabels
from unjudged.errors import Notice
from unjudged.measures.base import Measure
from unjudged.results.assisted import Assisted, AssistedPairRow, AssistedRow
from unjudged.studies.sums_over_sampled_documents import SampledPairs, ScoreInputs, score_inputs
from unjudged.uncertainty.base import Correction
from unjudged.uncertainty.difference_estimator import SampledSums

__all__ = ["sampled_differences", "sampled_means"]


def sampled_means(
    collection: BaseCollection,
    labels: JudgeLabels,
    measures: Sequence[Measure],
    names: Sequence[str],
    *,
    rate: float | None,
    trusted: bool,
) -> tuple[Assisted, list[Notice]]:
    """Means of all runs, in the order of *names*; *rate* is the chance of being judged, where the user says it."""
    pairs = SampledPairs.of(collection.qrels, labels, rate)
    rows: list[AssistedRow] = []
    topics = len(pairs.qrels.topics)
    used = []
    for measure in measures:
        inputs = score_inputs(collection, pairs, measure, names)
        used.append((str(measure), inputs))
        found, plain, alone = inputs.scores(pairs, collection.seed).estimates(np.arange(len(names)))
        for r, name in enumerate(names):
            numbers = (*_interval(plain, r), float(alone[r]), float(found.calibrated[r]), *_interval(found, r))
            rows.append(AssistedRow(name, str(measure), topics, topics, *numbers, 1.0))
    assumed = pairs.assumptions(trusted)
    return _assisted(labels, assumed, used, rows=tuple(rows)), list(pairs.notices)


def sampled_differences(
    collection: BaseCollection,
    labels: JudgeLabels,
    measure: Measure,
    chosen: Sequence[tuple[str, str]],
    *,
    correction: Correction,
    rate: float | None,
    trusted: bool,
) -> tuple[Assisted, list[Notice]]:
    """Differences of pairs of runs, with p-values by Student's t."""
    pairs = SampledPairs.of(collection.qrels, labels, rate)
    names = list(dict.fromkeys(name for pair in chosen for name in pair))
    inputs = score_inputs(collection, pairs, measure, names)
    place = {name: i for i, name in enumerate(names)}
    first, second = (np.array([place[pair[i]] for pair in chosen]) for i in (0, 1))
    found, plain, alone = inputs.scores(pairs, collection.seed).estimates(first, second)
    t = np.divide(np.abs(found.estimate), found.error, out=np.zeros_like(found.error), where=found.error > 0)
    p = np.where(found.error > 0, 2 * special.stdtr(found.freedom, -t), np.where(found.estimate == 0, 1.0, 0.0))
    corrected = correction.adjust(p)
    rows = []
    for i, pair in enumerate(chosen):
        numbers = (*_interval(plain, i), float(alone[i]), float(found.calibrated[i]), *_interval(found, i))
        rows.append(AssistedPairRow(*pair, *numbers, float(p[i]), float(corrected[i]), 1.0))
    words = f"p-values with labels are Student's, of the difference estimate ({correction})."
    assumed = (*pairs.assumptions(trusted), words)
    return _assisted(labels, assumed, [(str(measure), inputs)], pairs=tuple(rows)), list(pairs.notices)


def _assisted(
    labels: JudgeLabels,
    assumed: tuple[str, ...],
    used: Sequence[tuple[str, ScoreInputs]],
    *,
    rows: tuple[AssistedRow, ...] = (),
    pairs: tuple[AssistedPairRow, ...] = (),
) -> Assisted:
    ratios = tuple(name for name, inputs in used if inputs.linearised)
    products = tuple(name for name, inputs in used if inputs.product is not None)
    if ratios:
        assumed += (
            f"{', '.join(ratios)}: divided by what a sample does not show; linearised at what labels make one expect.",
        )
    if products:
        assumed += (
            f"{', '.join(products)}: multiplies what documents are; by a series of second order at what labels make one"
            " expect.",
        )
    return Assisted(labels.name, rows, pairs, assumed, "documents", ratios, products)


def _interval(sums: SampledSums, row: int) -> tuple[float, float, float]:
    return float(sums.estimate[row]), float(sums.low[row]), float(sums.high[row])
