"""Scores and differences from a random sample of documents that people judged, and labels of all.

What people judged must be a random sample of the pairs of topic and document, with known or equal chances. Then the
difference estimate is unbiased for measures that are plain sums over documents, whatever the labels are worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import special
from scipy.sparse import csr_array

from unjudged.arrays import Flags, Floats, Ints, SmallInts
from unjudged.collection import BaseCollection
from unjudged.data.ids import concatenate_ids
from unjudged.data.judge_labels import JudgeLabels
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.data.run_info import RunInfo
from unjudged.data.view import join
from unjudged.errors import InputError, Notice
from unjudged.labels.expected_gains import expected_gains
from unjudged.labels.recognition import INVERTED, RELATED, association, oddities
from unjudged.labels.scales import is_another_scale, on_scale_of
from unjudged.limits import Real
from unjudged.measures.base import Measure
from unjudged.results.assisted import Assisted, AssistedPairRow, AssistedRow
from unjudged.uncertainty.base import Correction
from unjudged.uncertainty.difference_estimator import SampledSums, difference_estimate

__all__ = ["pair_features", "sampled_differences", "sampled_means"]

_DEPTH = 1000
"""Ranks at which a run still says something about a document."""
_RRF = 60
_LEAST = 30
"""Sampled pairs that it takes to learn what labels mean."""


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
    pairs = _Pairs.of(collection.qrels, labels, rate)
    rows: list[AssistedRow] = []
    topics = len(pairs.qrels.topics)
    for measure in measures:
        sums = _Sums.of(collection, pairs, measure, names)
        found, plain, alone = sums.estimates(sums.weights)
        for r, name in enumerate(names):
            numbers = (*_interval(plain, r), float(alone[r]), float(found.calibrated[r]), *_interval(found, r))
            rows.append(AssistedRow(name, str(measure), topics, topics, *numbers, 1.0))
    return Assisted(labels.name, rows=tuple(rows), assumptions=pairs.assumptions(trusted)), list(labels.notices)


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
    pairs = _Pairs.of(collection.qrels, labels, rate)
    names = list(dict.fromkeys(name for pair in chosen for name in pair))
    sums = _Sums.of(collection, pairs, measure, names)
    place = {name: i for i, name in enumerate(names)}
    first, second = (np.array([place[pair[i]] for pair in chosen]) for i in (0, 1))
    found, plain, alone = sums.estimates(sums.weights[first] - sums.weights[second])
    t = np.divide(np.abs(found.estimate), found.error, out=np.zeros_like(found.error), where=found.error > 0)
    p = np.where(found.error > 0, 2 * special.stdtr(found.freedom, -t), np.where(found.estimate == 0, 1.0, 0.0))
    corrected = correction.adjust(p)
    rows = []
    for i, pair in enumerate(chosen):
        numbers = (*_interval(plain, i), float(alone[i]), float(found.calibrated[i]), *_interval(found, i))
        rows.append(AssistedPairRow(*pair, *numbers, float(p[i]), float(corrected[i]), 1.0))
    words = f"p-values with labels are Student's, of the difference estimate ({correction})."
    return Assisted(labels.name, pairs=tuple(rows), assumptions=(*pairs.assumptions(trusted), words)), list(
        labels.notices
    )


def _interval(sums: SampledSums, row: int) -> tuple[float, float, float]:
    return float(sums.estimate[row]), float(sums.low[row]), float(sums.high[row])


class _Pairs(NamedTuple):
    """All pairs with a label or a judgment, topic by topic."""

    qrels: Qrels
    as_qrels: Qrels
    """The pairs as judgments, to be found in runs."""
    topics: Ints
    labels: Floats
    """NaN where people judged what the judge did not label."""
    on_scale: Floats
    """Labels as grades."""
    grades: SmallInts
    """Of what people judged; 0 elsewhere."""
    sampled: Flags
    inclusion: Floats
    source: str

    @classmethod
    def of(cls, qrels: Qrels, labels: JudgeLabels, rate: float | None) -> _Pairs:
        judged = np.flatnonzero(qrels.judged)
        unlabelled = judged[np.isnan(labels.of(qrels.topic_of_row[judged], qrels.docs.take(judged)))]
        inside = np.flatnonzero(labels.topics < len(qrels.topics))
        topics = np.concatenate([labels.topics[inside], qrels.topic_of_row[unlabelled]])
        order = np.argsort(topics, kind="stable")
        docs = concatenate_ids([labels.docs.take(inside), qrels.docs.take(unlabelled)]).take(order)
        values = np.concatenate([labels.values[inside], np.full(len(unlabelled), np.nan)])[order]
        topics = topics[order]
        rows = qrels.pairs.find(topics, docs)
        sampled = (rows >= 0) & qrels.judged[rows]
        grades = np.where(sampled, qrels.grades[rows], 0).astype(np.int32)
        where = labels.origin.source
        if sampled.sum() < _LEAST:
            raise InputError(
                f"{where}: estimates with labels need at least {_LEAST} judged pairs, not {int(sampled.sum())}"
            )
        every = JudgeLabels(labels.name, labels.origin, topics, docs, np.zeros(len(topics)))
        known = sampled & ~np.isnan(values)
        on_scale = values
        odd = oddities(values, np.where(sampled, grades, np.nan), topics)
        if known.any() and is_another_scale(values[known], grades[known].astype(float), odd):
            on_scale = on_scale_of(values[known], grades[known].astype(float), of=values)
        return cls(
            qrels,
            every.as_qrels(qrels.topics, every.values, qrels.scale),
            topics,
            values,
            on_scale,
            grades,
            sampled,
            _inclusion(qrels, rows, topics, sampled, rate),
            where,
        )

    def assumptions(self, trusted: bool) -> tuple[str, ...]:
        """What intervals rest on; an error where it is clearly not so, unless the user says it is."""
        total, drawn = len(self.sampled), int(self.sampled.sum())
        sample = f"the {drawn:,} judged pairs are a random sample of all {total:,} with a label or a judgment"
        z = association(self.labels, self.sampled.astype(np.float64), self.topics)
        seen = "labels do not vary" if np.isnan(z) else f"within topics, labels of judged pairs differ by z = {z:+.1f}"
        if (z <= INVERTED or z >= RELATED) and not trusted:
            raise InputError(
                f"{self.source}: intervals assume that {sample}, and {seen}; pooled or hand-picked documents are none."
                " If they were drawn at random all the same, say --random-sample"
            )
        how = "You say that they are" if trusted else "Looked at"
        about = "Intervals are about these topics, as if people had judged all these pairs; any other counts as 0."
        biased = "Labels alone and calibrated are biased; they order runs, no more."
        return (f"Assumed: {sample}. {how}: {seen}.", about, biased)


def _inclusion(qrels: Qrels, rows: Ints, topics: Ints, sampled: Flags, rate: float | None) -> Floats:
    """The chance of being judged: as the user says, by the strata of the judgments, or the same for all pairs."""
    if rate is not None:
        return np.full(len(rows), Real(0, 1, "right").checked("the sample rate", rate))
    share = np.full(len(rows), sampled.mean())
    if qrels.strata is None:
        return share
    listed = rows >= 0
    cells = topics * (int(qrels.strata.max()) + 1) + np.where(listed, qrels.strata[rows], 0)
    _, cell = np.unique(np.where(listed, cells, -1), return_inverse=True)
    by_stratum: Floats = (np.bincount(cell, sampled) / np.bincount(cell))[cell]
    return np.where(listed & (by_stratum > 0), by_stratum, share)


class _Sums(NamedTuple):
    """A measure as a sum over pairs, for each run."""

    weights: csr_array
    """Weights (runs, pairs), with the number of topics in them."""
    expected: Floats
    gains: Floats
    by_labels: Floats
    pairs: _Pairs

    @classmethod
    def of(cls, collection: BaseCollection, pairs: _Pairs, measure: Measure, names: Sequence[str]) -> _Sums:
        qrels = pairs.qrels
        form = None if measure.needs or measure.condenses else measure.browsing(qrels, measure.depth() or _DEPTH)
        if form is None or form.divisor != "fixed" or form.stops:
            raise InputError(
                f"{measure} is no plain sum over documents, so a sample of them gives no interval here;"
                " take P@10, RBP, DCG@10 or the like, or labels of further topics"
            )
        seen = form.seen / form.whole
        topics = len(qrels.topics)

        infos, found = _occurrences(collection, pairs.as_qrels, max(_DEPTH, len(seen)))
        place = {info.name: i for i, info in enumerate(infos)}
        indices, values, ends = [], [], [0]
        for name in names:
            rows, ranks = found[place[name]]
            within = ranks <= len(seen)
            indices.append(rows[within])
            values.append(seen[ranks[within] - 1] / topics)
            ends.append(ends[-1] + int(within.sum()))
        shape = (len(names), len(pairs.sampled))
        weights = csr_array((np.concatenate(values), np.concatenate(indices), np.array(ends)), shape=shape)
        gains = form.gains[qrels.scale.levels(pairs.grades)]
        graded = np.where(np.isnan(pairs.on_scale), 0, pairs.on_scale).astype(np.int32)
        by_labels = form.gains[qrels.scale.levels(graded)]
        features = _features(found, pairs.topics, pairs.labels, topics)
        expected = expected_gains(pairs.labels, features, pairs.topics, pairs.sampled, gains, seed=collection.seed)
        return cls(weights, expected, gains, np.where(np.isnan(pairs.on_scale), 0.0, by_labels), pairs)

    def estimates(self, weights: csr_array) -> tuple[SampledSums, SampledSums, Floats]:
        """With labels, without them, and by labels alone."""
        sample = self.gains, self.pairs.sampled, self.pairs.inclusion
        with_labels, without = (
            difference_estimate(weights, sample[0], belief, *sample[1:])
            for belief in (self.expected, np.zeros(len(self.gains)))
        )
        alone: Floats = weights @ self.by_labels
        return with_labels, without, alone


def pair_features(collection: BaseCollection, pairs: Qrels, topics: Ints, labels: Floats) -> Floats:
    """What is known about each of the *pairs* beside its label: where runs have it, and the mean label of its topic."""

    return _features(_occurrences(collection, pairs, _DEPTH)[1], topics, labels, len(pairs.topics))


def _occurrences(collection: BaseCollection, pairs: Qrels, depth: int) -> tuple[list[RunInfo], list[tuple[Ints, Ints]]]:
    """Which of the *pairs* each run has, and at which rank."""

    def look(run: Run) -> tuple[Ints, Ints]:
        view = join(run, pairs, depth=depth, keep_qrels_rows=True)
        inside = np.flatnonzero(view.qrels_rows >= 0)
        return view.qrels_rows[inside], view.rank[inside]

    return collection.each_run(look, "looking for labels")


def _features(found: Sequence[tuple[Ints, Ints]], topics: Ints, labels: Floats, size: int) -> Floats:
    """The log of the sum of reciprocal ranks, and how much the judge finds for the topic."""
    reciprocal = np.zeros(len(topics))
    for rows, ranks in found:
        np.add.at(reciprocal, rows, 1 / (_RRF + ranks))
    known = ~np.isnan(labels)
    totals = np.bincount(topics[known], labels[known], minlength=size)
    counts = np.bincount(topics[known], minlength=size)
    means: Floats = np.divide(totals, counts, out=np.zeros(size), where=counts > 0)[topics]
    return np.stack([np.log(reciprocal + 1 / 2000), means], axis=1)
