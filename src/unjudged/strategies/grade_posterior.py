"""What judgments so far say about the grades of all other documents: one posterior, with its uncertainty.

The model is ordinal logistic regression (`holes/evidence_model/ordinal.py`): a document reaches grade level k with log
odds ``threshold[k] + support + labels + effect of its topic + effect of who returned it``. All of these have a normal
prior, and the posterior is the usual normal approximation around its mode (Laplace's). So there is an answer before the
first judgment, and what one judgment says about other documents follows: those of its topic, and of the runs that have
it. A posterior probability may be looked at after every judgment: that changes nothing about how often it is right, as
long as the model is (`experiments/results/deciding.md` says how often it was).

The prior is weak, so that ten judgments outweigh it: about a fifth of a pool is relevant, documents that more runs have
are more often so, and a label goes up with relevance; these numbers are near those that all judgments of DL19, TREC-8
and TREC-COVID give. How far runs are apart decides how soon verdicts come: with a deviation of 0.4, 5% of them were
wrong on TREC-8, since errors of differences were twice what was expected; with 0.7 they were as large as expected.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from unjudged.arrays import Flags, Floats, Ints
from unjudged.data.spans import offsets_of, rows_of_spans
from unjudged.holes.evidence_model.ordinal import sigmoid
from unjudged.strategies.candidates import Candidates

__all__ = ["GradeDescriptions", "GradePosterior", "Predicted"]

_FUSION = 60.0
"""Reciprocal rank fusion's constant (Cormack, Clarke and Büttcher, 2009)."""
_SHARE_RELEVANT = 0.2
"""Of the documents of a pool, before anybody has looked."""
_THRESHOLD_SD = 1.5
_SUPPORT, _SUPPORT_SD = 1.4, 0.5
"""Log odds for each standard deviation of the support, as a prior; the same for labels."""
_TOPIC_SD = 1.0
_RUNS_SD = 0.7
"""How far apart topics are, and documents that different runs return, in log odds: see above."""
_MOST_TOPICS = 1000
"""Topics have effects of their own up to so many: beyond, few would have judgments enough to show any."""
_LEVELS = 10
"""Grades are taken together on longer scales: few of them would have a judgment."""
_LEAST_VARIANCE = 1e-12
_WRITTEN = 1 << 22
"""Features, of eight bytes, that are kept at most."""


class GradeDescriptions:
    """What candidates are described by, and the prior of what that means."""

    def __init__(self, candidates: Candidates, depth: int) -> None:
        self.candidates = candidates
        ranked = candidates.ranked
        runs = candidates.run_of_ranked.astype(np.int64)
        support = np.bincount(ranked.pairs, 1.0 / (_FUSION + ranked.ranks), minlength=len(candidates))
        columns = [_standardised(np.log(support + 1e-4)), *map(_standardised, candidates.labels)]
        self.columns = np.stack(columns, axis=1)
        near = np.flatnonzero(ranked.ranks <= depth)
        near = near[np.argsort(ranked.pairs[near], kind="stable")]
        counts = np.bincount(ranked.pairs[near], minlength=len(candidates))
        self._found, self._found_by = offsets_of(counts), runs[near]
        self._shares = 1.0 / np.sqrt(np.maximum(counts, 1))
        grades = len(candidates.scale)
        level_of = np.arange(grades) if grades <= _LEVELS else 1 + np.arange(-1, grades - 1) * (_LEVELS - 1) // grades
        self.level_of_grade: Ints = np.maximum(level_of, 0)
        """The level of the model for each grade of the scale; grade 0 has its own."""
        self.levels = int(self.level_of_grade[-1]) + 1
        thresholds = self.levels - 1
        reached = _SHARE_RELEVANT * (self.levels - np.arange(1, self.levels)) / max(thresholds, 1)
        described = self.columns.shape[1]
        self.topics = len(candidates.topics) if len(candidates.topics) <= _MOST_TOPICS else 0
        sizes = [thresholds, described, self.topics, len(candidates.runs)]
        means = [np.log(reached / (1 - reached)), np.full(described, _SUPPORT), np.zeros(sum(sizes[2:]))]
        self.prior_mean: Floats = np.concatenate(means)
        deviations = np.repeat([_THRESHOLD_SD, _SUPPORT_SD, _TOPIC_SD, _RUNS_SD], sizes)
        self.prior_precision: Floats = deviations**-2.0

    def design(self, pairs: Ints, *, runs: bool = True) -> Floats:
        """The features of some pairs: columns, then topics, then *runs*, which may be left out."""
        if runs and self._written is not None:
            return self._written[pairs]
        return self._design(pairs, runs=runs)

    @cached_property
    def _written(self) -> Floats | None:
        """The features of all pairs, where they need little room: those of most pairs are asked for at every look."""
        cells = len(self.candidates) * (self.columns.shape[1] + self.topics + len(self.candidates.runs))
        return self._design(np.arange(len(self.candidates)), runs=True) if cells <= _WRITTEN else None

    def _design(self, pairs: Ints, *, runs: bool) -> Floats:
        described, topics = self.columns.shape[1], self.topics
        out = np.zeros((len(pairs), described + topics + runs * len(self.candidates.runs)))
        out[:, :described] = self.columns[pairs]
        rows = np.arange(len(pairs))
        if topics:
            out[rows, described + self.candidates.topic_of[pairs]] = 1.0
        if not runs:
            return out
        counts = self._found[pairs + 1] - self._found[pairs]
        which = rows_of_spans(self._found[pairs], counts)
        # Documents of many runs have the average of what each does, at the same variance.
        out[np.repeat(rows, counts), described + topics + self._found_by[which]] = np.repeat(
            self._shares[pairs], counts
        )
        return out

    def log_odds(self, pairs: Ints, weights: Floats) -> Floats:
        """The features of some pairs times one weight for each of them, without writing the features down."""
        described, topics = self.columns.shape[1], self.topics
        out: Floats = self.columns[pairs] @ weights[:described]
        if topics:
            out += weights[described + self.candidates.topic_of[pairs]]
        counts = self._found[pairs + 1] - self._found[pairs]
        of_runs = weights[described + topics + self._found_by[rows_of_spans(self._found[pairs], counts)]]
        out += self._shares[pairs] * np.bincount(np.repeat(np.arange(len(pairs)), counts), of_runs, len(pairs))
        return out

    def summed(self, pairs: Ints, values: Floats) -> Floats:
        """The features of some pairs, each times its value, summed up."""
        counts = self._found[pairs + 1] - self._found[pairs]
        found_by = self._found_by[rows_of_spans(self._found[pairs], counts)]
        of_runs = np.bincount(found_by, np.repeat(values * self._shares[pairs], counts), len(self.candidates.runs))
        of_topics = np.bincount(self.candidates.topic_of[pairs], values, len(self.candidates.topics))
        return np.concatenate([values @ self.columns[pairs], of_topics if self.topics else [], of_runs])

    def is_near(self, pairs: Ints) -> Flags:
        """Which pairs some run has among the first documents, so that runs' effects are among their features."""
        out: Flags = self._found[pairs + 1] > self._found[pairs]
        return out

    def levels_of(self, grades: Ints) -> Ints:
        """The levels of some grades of the scale."""
        return self.level_of_grade[np.searchsorted(self.candidates.scale, grades)]

    def of_levels(self, values: Floats) -> Floats:
        """What each level of the model is worth, where *values* has a number for each grade: their mean."""
        sizes = np.bincount(self.level_of_grade)
        return np.bincount(self.level_of_grade, values) / sizes


def _standardised(values: Floats) -> Floats:
    """With mean 0 and standard deviation 1; what is not known is average."""
    known = values[~np.isnan(values)]
    spread = known.std() if len(known) else 0.0
    if spread < 1e-9:
        return np.zeros(len(values))
    out: Floats = np.where(np.isnan(values), 0.0, (values - known.mean()) / spread)
    return out


class Predicted(NamedTuple):
    """What is expected of a value that follows from the grade, of some pairs."""

    expected: Floats
    variance: Floats
    """Of the grade's draw, with the parameters known."""
    by_thresholds: Floats
    """Derivative of the expected value by each threshold, shape (pairs, thresholds)."""
    by_log_odds: Floats
    """The same by what moves all thresholds together."""

    def take(self, which: slice | Ints | Flags) -> Predicted:
        """Those of some pairs."""
        return Predicted(*(column[which] for column in self))


@dataclass(frozen=True, eq=False)
class GradePosterior:
    """A normal approximation: where the parameters are, thresholds first, and their covariance."""

    descriptions: GradeDescriptions
    mode: Floats
    covariance: Floats

    def probabilities(self, pairs: Ints) -> Floats:
        """Probability of each level, shape (pairs, levels)."""
        thresholds = self.descriptions.levels - 1
        odds = self.descriptions.log_odds(pairs, self.mode[thresholds:])
        return _levels(sigmoid(self.mode[:thresholds] + odds[:, None]))

    def of_grades(self, probabilities: Floats) -> Floats:
        """Probability of each grade of the scale; grades that are one level here share its probability evenly."""
        level = self.descriptions.level_of_grade
        out: Floats = probabilities[:, level] / np.bincount(level)[level]
        return out

    def predict(self, probabilities: Floats, values: Floats) -> Predicted:
        """What is expected of *values*, of which each level has one, with these probabilities of levels."""
        expected = probabilities @ values
        reached = np.cumsum(probabilities[:, ::-1], axis=1)[:, ::-1][:, 1:]
        by_thresholds = np.diff(values) * reached * (1 - reached)
        variance = np.maximum(probabilities @ values**2 - expected**2, 0.0)
        return Predicted(expected, variance, by_thresholds, by_thresholds.sum(axis=1))

    def slopes(self, pairs: Ints, predicted: Predicted) -> Floats:
        """Derivative of each expected value by each parameter, shape (pairs, parameters)."""
        moved = self.descriptions.design(pairs) * predicted.by_log_odds[:, None]
        return np.concatenate([predicted.by_thresholds, moved], axis=1)

    def variance_of_sum(self, pairs: Ints, predicted: Predicted) -> float:
        """Of the sum of what is predicted for some pairs."""
        moved = self.descriptions.summed(pairs, predicted.by_log_odds)
        slope = np.concatenate([predicted.by_thresholds.sum(axis=0), moved])
        return float(predicted.variance.sum() + slope @ self.covariance @ slope)

    def narrowed(self, slopes: Floats, variance: Floats) -> GradePosterior:
        """The covariance once values with these *slopes* and variances are known, as far as that is known before."""
        if not len(slopes):
            return self
        variance = np.maximum(variance, _LEAST_VARIANCE)
        if len(slopes) > len(self.mode):  # the shorter way for many values
            information = np.linalg.inv(self.covariance) + (slopes / variance[:, None]).T @ slopes
            covariance = np.asarray(np.linalg.inv(information), dtype=np.float64)
            return replace(self, covariance=covariance)
        moved = slopes @ self.covariance
        gain = np.linalg.solve(moved @ slopes.T + np.diag(variance), moved)
        return replace(self, covariance=self.covariance - moved.T @ gain)


def _levels(reached: Floats) -> Floats:
    """The probability of each level, from those to reach the levels above the lowest."""
    rows = len(reached)
    padded = np.concatenate([np.ones((rows, 1)), reached, np.zeros((rows, 1))], axis=1)
    out: Floats = np.maximum(padded[:, :-1] - padded[:, 1:], 1e-12)
    return out
