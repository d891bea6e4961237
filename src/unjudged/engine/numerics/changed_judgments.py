"""What scores become if single judgments change: every change by itself."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.data.qrels import Qrels, nameless_judgments
from unjudged.data.spans import offsets_of, rows_of_spans
from unjudged.data.view import View
from unjudged.measures.base import Measure

__all__ = ["ChangedJudgments"]

_AT_ONCE = 256
"""Changes that are scored together."""


@dataclass(frozen=True, eq=False)
class ChangedJudgments:
    """Judgments of which some (*rows*) get other *grades*, which are on their scale."""

    qrels: Qrels
    rows: Ints
    grades: Ints

    def mean_scores(self, measure: Measure, view: View) -> Floats:
        """Mean scores of one run: as it is, and after each change. Its *view* is of all topics and has their documents.

        Topics for which the measure is undefined are no part of means.
        """
        before = np.asarray(measure.score(view), dtype=np.float64)
        after = np.concatenate([np.zeros(0), *(part.scores(measure, view) for part in self._parts)])
        old = before[self._topics]
        totals = np.nansum(before) + np.nan_to_num(after) - np.nan_to_num(old)
        numbers = (~np.isnan(before)).sum() + np.isnan(old).astype(np.int64) - np.isnan(after)
        means = totals / np.maximum(numbers, 1)
        return np.concatenate([[np.nansum(before) / max(1, (~np.isnan(before)).sum())], means])

    @cached_property
    def _topics(self) -> Ints:
        return self.qrels.topic_of_row[self.rows]

    @cached_property
    def _parts(self) -> list[_Copies]:
        starts = range(0, len(self.rows), _AT_ONCE)
        return [
            _Copies(self.qrels, self.rows[start : start + _AT_ONCE], self.grades[start : start + _AT_ONCE])
            for start in starts
        ]


class _Copies:
    """A copy of the topic of each changed judgment, with this change alone."""

    def __init__(self, qrels: Qrels, rows: Ints, grades: Ints) -> None:
        self.rows, self.grades = rows, grades
        self.topics = qrels.topic_of_row[rows]
        lengths = np.diff(qrels.offsets)[self.topics]
        self.first = qrels.offsets[self.topics]
        copied = rows_of_spans(self.first, lengths)
        changed, offsets = qrels.grades[copied], offsets_of(lengths)
        changed[offsets[:-1] + rows - self.first] = grades
        self.qrels = replace(nameless_judgments(changed, offsets, qrels.scale), states=qrels.states[copied])
        # What a measure takes for the top of the scale is that of all topics.
        vars(self.qrels)["max_grade"] = qrels.max_grade

    def scores(self, measure: Measure, view: View) -> Floats:
        """What one run scores on each copy."""
        lengths = np.diff(view.offsets)[self.topics]
        ranked = rows_of_spans(view.offsets[self.topics], lengths)
        change = np.repeat(np.arange(len(self.rows)), lengths)
        listed, grades = view.qrels_rows[ranked], view.grades[ranked]
        hit = listed == self.rows[change]
        grades[hit] = self.grades[change[hit]]
        there = np.where(listed >= 0, listed - self.first[change] + self.qrels.offsets[change], -1)
        numbers = np.arange(len(self.rows))
        copies = View(self.qrels, numbers, offsets_of(lengths), grades, view.states[ranked], cached_qrels_rows=there)
        scores: Floats = np.asarray(measure.score(copies), dtype=np.float64)
        return scores
