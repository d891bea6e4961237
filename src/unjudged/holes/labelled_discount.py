"""What another judge's labels say about holes, beside what the judged documents of the runs that have them say."""

from __future__ import annotations

import sys
from functools import cached_property

import numpy as np

from unjudged.arrays import Flags, Floats, Ints
from unjudged.data.ids import concatenate_ids
from unjudged.data.memo import remembered
from unjudged.data.qrels import Qrels
from unjudged.data.run_occurrences import OccurrencesInRuns
from unjudged.data.view import View
from unjudged.errors import Notice
from unjudged.holes.discount_model import TOP, DiscountModel, of_levels
from unjudged.holes.evidence_model.ordinal import sigmoid
from unjudged.holes.imputation.grade_sampler import GradeProbabilities
from unjudged.holes.labels import OtherGrades, fit_label_model, read_labels

__all__ = ["LabelledDiscountModel", "labelled_discount_model"]


_GRID = np.linspace(-4.0, 4.0, 33)
"""Shifts of a run to be averaged over, in standard deviations from what is expected of it."""


class LabelledDiscountModel(DiscountModel):
    """Grade probabilities of holes by Bayes' rule: those of ``discounted`` times how likely each grade makes the label.

    How likely is learned on judged documents. That they are more often relevant than holes does not matter to it, as it
    would to how often each grade goes with a label. What does matter is that documents which runs put first look
    relevant to a language model, too, whatever they are. So it is learned on those, as far as there are enough.

    The shift of a run is where its expected value and the labels of its holes meet.
    """

    def __init__(self, qrels: Qrels, occurrences: OccurrencesInRuns, labels: OtherGrades) -> None:
        super().__init__(qrels, occurrences)
        self._labels = fit_label_model(qrels, labels, self._weights())
        self._shifts: dict[int, float] = {}

    def _weights(self) -> Floats:
        """How much the judgments count: the less the deeper the best rank that a run has their documents at."""
        weights = np.zeros(len(self._judged))
        for one in self.occurrences.run_occurrences:
            np.maximum.at(weights, one.pairs, np.minimum(1.0, TOP / one.ranks))
        return weights[: len(self.qrels)]

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What the user should know about labels, and about what is said without them."""
        return (*self._labels.notices, *super().notices)

    @cached_property
    def likelihoods(self) -> Floats:
        """How likely each level makes the label of each pair; 1 where nothing is said, as at the end for no pair."""
        docs = concatenate_ids([self.qrels.docs, self.occurrences.unlisted.docs])
        return np.append(self._labels.likelihoods(self._topics, docs), np.ones((1, len(self.scale))), axis=0)

    def pair_probabilities(self, pairs: Ints) -> GradeProbabilities:
        """Those without labels, and what the labels change about them."""
        alone, likelihoods = super().pair_probabilities(pairs), self.likelihoods[pairs]
        return GradeProbabilities(
            alone.informed,
            _posterior(alone.probabilities, likelihoods),
            _posterior(alone.conditional, likelihoods),
            alone.random_effects,
            alone.ranks,
        )

    def shift(self, run: int) -> float:
        """What is expected of the shift of a run, given the labels of its holes; deep ones count less."""
        if run not in self._shifts:
            one, own, usual = self.occurrences.run_occurrences[run], self.own_grades(run), super().shift(run)
            holes = np.flatnonzero(~self._judged[one.pairs] & (one.ranks <= (self.occurrences.depth or sys.maxsize)))
            pairs, ranks = one.pairs[holes].astype(np.int64), one.ranks[holes].astype(np.int64)
            likelihoods, weights = self.likelihoods[pairs], np.minimum(1.0, TOP / ranks)
            shifts, log_posterior = usual + _GRID * self.discount.sd, -(_GRID**2) / 2
            for i, shift in enumerate(shifts.tolist()):
                probabilities = of_levels(sigmoid(self.discounted(own, pairs, ranks, shift)))
                log_posterior[i] += weights @ np.log((probabilities * likelihoods).sum(axis=1))
            self._shifts[run] = float(np.average(shifts, weights=np.exp(log_posterior - log_posterior.max())))
        return self._shifts[run]

    def labelled(self, view: View, rows: Ints) -> Flags:
        """Which rows of a view have a label that says something."""
        said: Flags = (self.likelihoods[self.pairs(view, rows)] != 1).any(axis=1)
        return said


def _posterior(prior: Floats, likelihoods: Floats) -> Floats:
    """Probabilities by Bayes' rule; 0 where there are none."""
    joint = prior * likelihoods
    total = joint.sum(axis=1, keepdims=True)
    out: Floats = np.divide(joint, total, out=np.zeros_like(joint), where=total > 0)
    return out


@remembered
def labelled_discount_model(qrels: Qrels, occurrences: OccurrencesInRuns, source: str | Qrels) -> LabelledDiscountModel:
    """What these judgments, runs and labels say; the same for all who ask."""
    return LabelledDiscountModel(qrels, occurrences, read_labels(source, qrels))
