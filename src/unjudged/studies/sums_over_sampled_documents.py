"""How scores come from a random sample of judged pairs: as plain sums, as sums over an ideal (linearised), or as
products of what documents are (to the second order).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from scipy.sparse import csr_array

from unjudged.arrays import Flags, Floats, GradeColumn, Ints
from unjudged.collection import BaseCollection
from unjudged.data.ids import concatenate_ids, pair_keys
from unjudged.data.judge_labels import JudgeLabels
from unjudged.data.qrels import Qrels
from unjudged.data.scale import as_grades
from unjudged.errors import InputError, Notice
from unjudged.labels.calibration import chances_within_topics, expected_gains
from unjudged.labels.folds import FOLDS, folds_of
from unjudged.labels.recognition import INVERTED, RELATED, association, oddities
from unjudged.labels.scales import is_another_scale, off_scale, on_scale_of
from unjudged.limits import Real
from unjudged.measures.base import Measure
from unjudged.measures.capabilities import Browsing
from unjudged.studies.pair_features import DEPTH, features_of_pairs, pair_occurrences
from unjudged.uncertainty.difference_estimator import SampledSums, difference_estimate
from unjudged.uncertainty.sampled_cutoffs import exact_cutoffs, sampled_cutoffs
from unjudged.uncertainty.sampled_products import (
    Product,
    Rankings,
    SampledProducts,
    product_scores,
    sampled_products,
)
from unjudged.uncertainty.sampled_ratios import SampledRatios, exact_ratios, expected_ratios, sampled_ratios

__all__ = ["Approximated", "SampledPairs", "SampledScores", "ScoreInputs", "score_inputs"]

_LEAST = 30
"""Sampled pairs that it takes to learn what labels mean."""


class SampledPairs(NamedTuple):
    """All pairs with a label or a judgment, topic by topic."""

    qrels: Qrels
    as_qrels: Qrels
    """The pairs as judgments, to be found in runs."""
    topics: Ints
    labels: Floats
    """NaN where people judged what the judge did not label."""
    on_scale: Floats
    """Labels as grades."""
    grades: GradeColumn
    """Of what people judged; 0 elsewhere."""
    sampled: Flags
    inclusion: Floats
    source: str
    notices: tuple[Notice, ...] = ()

    @classmethod
    def of(cls, qrels: Qrels, labels: JudgeLabels, rate: float | None) -> SampledPairs:
        """All pairs of these labels and judgments; *rate* is the chance of being judged, where the user says it."""
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
        grades = np.where(sampled, qrels.grades[rows], 0).astype(qrels.grades.dtype)
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
        notices = (*labels.notices, *off_scale(where, values, qrels.scale.grades, turned=on_scale is not values))
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
            notices,
        )

    def gains(self, form: Browsing) -> tuple[Floats, Floats]:
        """The gain of each pair by people, where they judged it, and by labels, where there is one; 0 elsewhere."""
        scale, graded = self.qrels.scale, as_grades(np.where(np.isnan(self.on_scale), 0, self.on_scale))
        by_labels = np.where(np.isnan(self.on_scale), 0.0, form.gains[scale.levels(graded)])
        return np.where(self.sampled, form.gains[scale.levels(self.grades)], 0.0), by_labels

    def assumptions(self, trusted: bool) -> tuple[str, ...]:
        """What intervals rest on; an error where it is clearly not so, unless the user says it is."""
        total, drawn = len(self.sampled), int(self.sampled.sum())
        about = "Intervals are about these topics, as if people had judged all these pairs; any other counts as 0."
        biased = "Labels alone and calibrated are biased; they order runs, no more."
        if drawn == total:
            return (f"People judged all {total:,} pairs that have a label, so that labels add nothing.", about, biased)
        sample = f"the {drawn:,} judged pairs are a random sample of all {total:,} with a label or a judgment"
        z = association(self.labels, self.sampled.astype(np.float64), self.topics)
        seen = "labels do not vary" if np.isnan(z) else f"within topics, labels of judged pairs differ by z = {z:+.1f}"
        if (z <= INVERTED or z >= RELATED) and not trusted:
            raise InputError(
                f"{self.source}: intervals assume that {sample}, and {seen}; pooled or hand-picked documents are none."
                " If they were drawn at random all the same, say --random-sample"
            )
        how = "You say that they are" if trusted else "Looked at"
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


class SampledScores(Protocol):
    """Estimates of the scores of runs."""

    def estimates(self, first: Ints, second: Ints | None = None) -> tuple[SampledSums, SampledSums, Floats]:
        """Of these runs, or of their differences from the *second*: with labels, without them, and by labels alone."""


@dataclass(frozen=True, eq=False)
class ScoreInputs:
    """What estimates of a measure for certain runs follow from, beside the sample."""

    form: Browsing
    weights: csr_array
    """What each run (row) sees of each pair."""
    features: Floats
    product: Product | None
    """How the measure multiplies what documents are, if it does."""
    found: Sequence[tuple[Ints, Ints]]
    """Which pairs each run has, and at which ranks."""
    topics: Ints
    number: int
    to_total: bool = False
    """Whether as many ranks are read as a topic has relevant documents."""

    @property
    def linearised(self) -> bool:
        """Whether the measure is divided by what depends on all documents of a topic, and multiplies nothing."""
        return self.product is None and self.form.divisor != "fixed"

    @property
    def needs_top(self) -> bool:
        """Whether what is expected has to know which documents runs have at their top."""
        return self.product is not None or self.to_total

    @cached_property
    def rankings(self) -> Rankings:
        """The runs by topic and rank."""
        return Rankings.of(self.found, self.form.seen, self.topics, self.number)

    @cached_property
    def top(self) -> Floats:
        """The log of the sum of reciprocal ranks, and its square: first ranks make most of a product."""
        total = np.full(len(self.topics), 0.01)
        for rows, ranks in self.found:
            np.add.at(total, rows, 1 / ranks)
        logs: Floats = np.log(total)[:, None]
        return np.concatenate([logs, logs**2], axis=1)

    def scores(self, pairs: SampledPairs, seed: int) -> SampledScores:
        """Estimates from one sample."""
        if self.product is None and not self.linearised:
            return _Sums.of(pairs, self, seed)
        return Approximated(pairs, self, seed)


def score_inputs(
    collection: BaseCollection, pairs: SampledPairs, measure: Measure, names: Sequence[str]
) -> ScoreInputs:
    """Read the runs with these names; an error for measures that a sample of documents gives no interval of."""
    qrels = pairs.qrels
    form, product = _form(measure, qrels)
    to_total = form is not None and measure.gains_to_total(qrels) is not None
    if form is None:
        raise InputError(
            f"{measure} is no sum over documents or pairs of them, and none over its ideal, so a sample of them gives"
            " no interval here; take P@10, RBP, nDCG@10, AP, ERR or the like, or labels of further topics"
        )
    infos, found = pair_occurrences(collection, pairs.as_qrels, max(DEPTH, len(form.seen)))
    place = {info.name: i for i, info in enumerate(infos)}
    found = [found[place[name]] for name in names]
    features = features_of_pairs(found, pairs.topics, pairs.labels, len(qrels.topics))
    weights = _weights(form, found, len(pairs.sampled))
    return ScoreInputs(form, weights, features, product, found, pairs.topics, len(qrels.topics), to_total)


def _form(measure: Measure, qrels: Qrels) -> tuple[Browsing | None, Product | None]:
    """What is added up, and how it is multiplied; no form where a sample says nothing about the measure."""
    if measure.needs or measure.condenses or measure.summary != "mean":
        return None, None
    ranks = measure.depth() or DEPTH
    if (static := measure.pairs(qrels, ranks)) is not None:
        return Browsing(static.weights, static.gains, "total"), "pairs"
    if (gains := measure.gains_to_total(qrels)) is not None:
        return Browsing(np.ones(ranks), gains, "total"), None
    form = measure.browsing(qrels, ranks)
    if form is None or not (form.divisor == "fixed" or _rises(form)):
        return None, None
    if form.stops:
        return (form, "stops") if form.divisor == "fixed" and _rises(form) and form.gains[-1] <= 1 else (None, None)
    return form, None


def _rises(form: Browsing) -> bool:
    """Whether the lowest grade brings nothing, and higher grades no less than lower ones."""
    return float(form.gains[0]) == 0 and bool((np.diff(form.gains) >= 0).all())


def _weights(form: Browsing, found: Sequence[tuple[Ints, Ints]], number: int) -> csr_array:
    """What each run (row) sees of each pair."""
    indices, values, ends = [], [], [0]
    for rows, ranks in found:
        within = ranks <= len(form.seen)
        indices.append(rows[within])
        values.append(form.seen[ranks[within] - 1])
        ends.append(ends[-1] + int(within.sum()))
    return csr_array((np.concatenate(values), np.concatenate(indices), np.array(ends)), shape=(len(found), number))


class _Sums(NamedTuple):
    """A measure as a sum over pairs, for each run."""

    weights: csr_array
    """Weights (runs, pairs), with the number of topics in them."""
    expected: Floats
    gains: Floats
    by_labels: Floats
    pairs: SampledPairs

    @classmethod
    def of(cls, pairs: SampledPairs, inputs: ScoreInputs, seed: int) -> _Sums:
        gains, by_labels = pairs.gains(inputs.form)
        expected = expected_gains(pairs.labels, inputs.features, folds_of(pairs.topics, seed), pairs.sampled, gains)
        weights = inputs.weights / (inputs.form.whole * len(pairs.qrels.topics))
        return cls(weights, expected, gains, by_labels, pairs)

    def estimates(self, first: Ints, second: Ints | None = None) -> tuple[SampledSums, SampledSums, Floats]:
        weights = self.weights[first] if second is None else self.weights[first] - self.weights[second]
        sample = self.gains, self.pairs.sampled, self.pairs.inclusion
        with_labels, without = (
            difference_estimate(weights, sample[0], belief, *sample[1:])
            for belief in (self.expected, np.zeros(len(self.gains)))
        )
        alone: Floats = weights @ self.by_labels
        return with_labels, without, alone


class Approximated:
    """A measure that is no plain sum over pairs, for each run; each part is worked out when it is asked for.

    Calibrated scores are for the order of runs. Those of ratios are the scores that expected gains give, with the best
    ranking *of these*: what the best documents would give if all were known is too much beside what is expected of
    runs. And they do not follow closely where runs have a document, which favours runs that are like the others.
    Those of products multiply chances as if documents were relevant independently of each other; labels go together
    as documents do. So they are halfway to the scores of labels as they are, beside what is known, if these agree with
    people by more than chance.
    """

    def __init__(self, pairs: SampledPairs, inputs: ScoreInputs, seed: int) -> None:
        self._pairs, self._inputs = pairs, inputs
        self._gains, self._by_labels = pairs.gains(inputs.form)
        self._steps = np.diff(np.unique(inputs.form.gains))
        self._levels = np.cumsum(self._steps) - 1e-12
        self._folds = _folds(pairs, seed)

    @property
    def needs_top(self) -> bool:
        """Whether what is expected knows where runs have documents, also without labels."""
        return self._inputs.needs_top

    @cached_property
    def with_labels(self) -> SampledRatios | SampledProducts:
        """With what labels, and where runs have documents, make one expect."""
        features = self._inputs.features
        top = self._inputs.top if self._inputs.needs_top else np.zeros((len(features), 0))
        return self._expanded(self._pairs.labels, np.concatenate([features, features[:, :1] ** 2, top], axis=1))

    @cached_property
    def without(self) -> SampledRatios | SampledProducts:
        """With what the sample of each topic makes one expect, and for products where runs have documents."""
        known = np.zeros((len(self._gains), 1))
        if self._inputs.needs_top:
            # Else documents at the top of runs are expected to be as others are, and a series does not mend that.
            ranks = self._inputs.features[:, :1]
            known = np.concatenate([ranks, ranks**2, self._inputs.top], axis=1)
        return self._expanded(np.zeros(len(self._gains)), known)

    @cached_property
    def calibrated(self) -> Floats:
        """Scores of what is known, and expected of other documents."""
        inputs, pairs, topics = self._inputs, self._pairs, self._inputs.topics
        if inputs.product is not None:
            expected, drawn = self.with_labels.calibrated, np.flatnonzero(pairs.sampled)
            agreement = association(self._by_labels[drawn], self._gains[drawn], topics[drawn])
            if not agreement >= RELATED:
                return expected
            known = np.where(pairs.sampled, self._gains, self._by_labels)
            return (expected + product_scores(inputs.product, inputs.rankings, known, topics)) / 2
        chances = self._chances(pairs.labels, inputs.features)
        known = np.where(pairs.sampled[:, None], self._gains[:, None] >= self._levels, chances)
        if inputs.to_total:
            return exact_cutoffs(inputs.found, known[:, 0], topics)
        return expected_ratios(inputs.weights, known @ self._steps, ideal=_ideal(inputs.form), topics=topics)

    @cached_property
    def alone(self) -> Floats:
        """Scores by labels alone."""
        form, topics = self._inputs.form, self._pairs.topics
        if self._inputs.product is not None:
            return product_scores(self._inputs.product, self._inputs.rankings, self._by_labels, topics)
        reached = self._by_labels[:, None] >= self._levels
        if self._inputs.to_total:
            return exact_cutoffs(self._inputs.found, reached[:, 0], topics)
        return exact_ratios(self._inputs.weights, reached, self._steps, ideal=_ideal(form), topics=topics)

    def estimates(self, first: Ints, second: Ints | None = None) -> tuple[SampledSums, SampledSums, Floats]:
        """Of these runs, or of their differences from the *second*: with labels, without them, and by labels alone."""
        alone = self.alone[first] - (0.0 if second is None else self.alone[second])
        return self.estimate(first, second), self.without.estimate(first, second), alone

    def estimate(self, first: Ints, second: Ints | None = None) -> SampledSums:
        """Of these runs, or of their differences from the *second*, with labels."""
        calibrated = self.calibrated[first] - (0.0 if second is None else self.calibrated[second])
        return replace(self.with_labels.estimate(first, second), calibrated=calibrated)

    def _chances(self, labels: Floats, known: Floats) -> Floats:
        """The chance of each pair to reach each gain, by its label, what else is known, and its topic."""
        sample = self._pairs.topics, self._pairs.sampled
        return chances_within_topics(labels, known, *sample, self._gains, self._levels, self._folds)

    def _expanded(self, labels: Floats, known: Floats) -> SampledRatios | SampledProducts:
        pairs, inputs, gains = self._pairs, self._inputs, self._gains
        chances = self._chances(labels, known)
        if inputs.product is not None:
            return sampled_products(
                *(inputs.product, inputs.rankings, gains, chances @ self._steps),
                sampled=pairs.sampled,
                inclusion=pairs.inclusion,
                topics=pairs.topics,
            )
        if inputs.to_total:
            return sampled_cutoffs(
                *(inputs.found, (gains >= self._levels[0]).astype(np.float64), chances[:, 0]),
                sampled=pairs.sampled,
                inclusion=pairs.inclusion,
                topics=pairs.topics,
            )
        return sampled_ratios(
            *(inputs.weights, (gains[:, None] >= self._levels).astype(np.float64), chances, self._steps),
            ideal=_ideal(inputs.form),
            sampled=pairs.sampled,
            inclusion=pairs.inclusion,
            topics=pairs.topics,
        )


def _ideal(form: Browsing) -> Floats | None:
    """Weights of the ranks of the best ranking, where the measure is divided by its sum."""
    return form.seen if form.divisor == "ideal" else None


def _folds(pairs: SampledPairs, seed: int) -> Ints:
    """Pairs that are left out together, so that none is part of what itself is expected by."""
    keys = pair_keys(pairs.qrels.topics, pairs.topics, pairs.as_qrels.docs, seed)
    return (keys % np.uint64(FOLDS)).astype(np.int64)
