"""How likely each grade of a judged document is, by all that is known beside its own judgment.

What is known are the ranks that runs give it, how good these runs are on the topic, how like the topic's relevant texts
it is, and what other judges say. Regressions learn what that says about grades, topic by topic: topics differ in how
much is relevant. Judgments are divided into folds; what a document is expected by, features and regressions, comes from
other folds, so that no judgment is part of what it is compared with.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unjudged.arrays import Flags, Floats, GradeColumn, Ints
from unjudged.data.ids import Ids, pair_keys
from unjudged.data.judge_labels import JudgeLabels
from unjudged.data.qrels import Qrels
from unjudged.data.run_occurrences import OccurrencesInRuns
from unjudged.data.texts import texts_of
from unjudged.engine.numerics.judged_in_runs import JudgedInRuns
from unjudged.holes.evidence_model.label_features import LabelFeatures
from unjudged.holes.imputation.binned_scales import bins_for
from unjudged.labels.calibration import chances_of_reaching, chances_within_topics
from unjudged.labels.folds import FOLDS, folds_of

__all__ = ["GradeEvidence"]

_MARGIN = 0.02
"""Keeps log odds of mean grades finite."""
_LEAST_COSINE = 0.01
"""Cosine that two texts without a common word have."""


@dataclass(frozen=True, eq=False)
class GradeEvidence:
    """The judged documents (*rows* of the judgments), and what is known about each."""

    qrels: Qrels
    occurrences: OccurrencesInRuns | None
    labels: tuple[JudgeLabels, ...]
    seed: int

    @cached_property
    def rows(self) -> Ints:
        """Rows of the judgments that were judged."""
        return np.flatnonzero(self.qrels.judged)

    @cached_property
    def topics(self) -> Ints:
        """The topic of each judged document."""
        return self.qrels.topic_of_row[self.rows]

    @cached_property
    def grades(self) -> GradeColumn:
        """The grades that are told apart: those of the scale, or of bins where there are too many."""
        bins = bins_for(self.qrels, learned=True)
        return (self.qrels.scale if bins is None else bins.scale).grades

    @cached_property
    def levels(self) -> Ints:
        """Where each judgment's grade is among them."""
        bins = bins_for(self.qrels, learned=True)
        levels = self.qrels.levels if bins is None else bins.of_level[self.qrels.levels]
        return levels[self.rows].astype(np.int64)

    @cached_property
    def chances(self) -> Floats:
        """The chance of each grade of each judged document, shape (documents, grades), if assessors look at it."""
        columns = self._of_texts()
        if self.in_runs is not None:
            columns += [*self.in_runs.standing, self._odds(self.in_runs.quality_on_topic(self._folds))]
        features, nothing = self._features(columns), np.full(len(self.rows), np.nan)

        def reached(below: Flags, level: Floats) -> Floats:
            return chances_within_topics(nothing, features, self.topics, below, self._gains, level, self._folds)

        return self._by_steps(reached)

    @cached_property
    def expected_elsewhere(self) -> Floats:
        """The grade that one expects of each document by what was judged on other topics alone."""
        columns = [] if self.in_runs is None else [*self.in_runs.standing, self._odds(self.in_runs.quality_elsewhere())]
        features, nothing = self._features(columns), np.full(len(self.rows), np.nan)

        def reached(below: Flags, level: Floats) -> Floats:
            return chances_of_reaching(nothing, features, folds_of(self.topics, self.seed), below, self._gains, level)

        expected: Floats = self._by_steps(reached) @ self.grades
        return expected

    def _by_steps(self, reached: Callable[[Flags, Floats], Floats]) -> Floats:
        """Chances of all grades, from those of reaching each one once that below it is reached.

        Learned from what *reached* that; so chances of grades cannot cross (continuation ratios).
        """
        at_least = np.ones((len(self.rows), len(self.grades) + 1))
        for level in range(1, len(self.grades)):
            below = self.levels >= level - 1
            step = reached(below, np.array([float(level)]))[:, 0] if below.any() else 0.0
            at_least[:, level] = at_least[:, level - 1] * step
        at_least[:, -1] = 0.0
        chances: Floats = at_least[:, :-1] - at_least[:, 1:]
        return chances

    @property
    def _gains(self) -> Floats:
        return self.levels.astype(np.float64)

    def _features(self, columns: list[Floats]) -> Floats:
        """These with their products, and what labels say; one that says nothing, so that there is any."""
        return np.stack([*_with_products(columns), *self._of_labels(), np.zeros(len(self.rows))], axis=1)

    @cached_property
    def _folds(self) -> Ints:
        """By names, so that the order of the judgments does not matter."""
        keys = pair_keys(self.qrels.topics, self.topics, self.qrels.docs.take(self.rows), self.seed)
        return (keys % np.uint64(FOLDS)).astype(np.int64)

    # ---- what is known

    @cached_property
    def in_runs(self) -> JudgedInRuns | None:
        """Where runs have the judged documents; None without runs."""
        if self.occurrences is None:
            return None
        return JudgedInRuns(self.occurrences, self.qrels, self.rows)

    def _of_texts(self) -> list[Floats]:
        """How like each text is to the topic's relevant ones of other folds; one without is like the average one."""
        texts = texts_of(self.qrels)
        if texts is None:
            return []
        from unjudged.holes.evidence_model.text_similarity import TextSimilarity  # loads SciPy's matrices

        docs, grades = self.qrels.docs.take(self.rows), self.qrels.grades[self.rows]
        similarity = TextSimilarity(texts, self.topics, docs, grades)
        cosines = similarity.to_relevant(np.arange(len(self.rows)), self._folds, self._folds[None, :])
        logs = np.log(cosines + _LEAST_COSINE)
        known = ~np.isnan(logs)
        return [np.where(known, logs, logs[known].mean())] if known.any() else []

    def _of_labels(self) -> list[Floats]:
        """For each judge the mean grade that its label goes with on other topics, against the mean there."""
        if not self.labels:
            return []
        told = LabelFeatures(self.qrels, self.labels, self.qrels.topic_of_row, Ids.of(()))
        gains = np.where(self.qrels.judged, self.qrels.grades, 0).astype(np.float64)
        means = told.mean_grades(self.rows, self.qrels.judged, gains)
        return [self._odds(mean) - self._odds(average) for mean, average in means]

    def _odds(self, grade: Floats) -> Floats:
        """Log odds of mean grades, as shares of the highest."""
        share = grade / self.qrels.max_grade
        out: Floats = np.log((share + _MARGIN) / (1.0 - share + _MARGIN))
        return out


def _with_products(columns: list[Floats]) -> list[Floats]:
    """Standardised columns, their squares and their products: few relevant documents are deep in good runs."""
    centred = [one - one.mean() for one in columns]
    standard = [one / max(float(one.std()), 1e-9) for one in centred]
    return standard + [standard[i] * standard[j] for i in range(len(standard)) for j in range(i, len(standard))]
