"""Measures on subtopics: what all of them share, and those that look at each subtopic apart.

All are a sum, over what a ranking finds, of a term for each document and subtopic. Those that look at what was said
above are in ``cascades.py``.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from unjudged.arrays import Floats, Ints, SmallInts
from unjudged.data.qrels import Qrels, judgments_of
from unjudged.data.relevance_profiles import Hits, hits_of, hits_with, profiled, profiled_qrels, profiles_of
from unjudged.data.scale import Scale, whole_scale
from unjudged.data.spans import offsets_of, rows_of_spans, sums_of
from unjudged.data.view import View
from unjudged.measures.base import Measure, Normaliser, cutoff_param, judged_only_param, rel_param, share
from unjudged.measures.precision import AP

__all__ = ["AP_IA", "P_IA", "OnSubtopics", "StRecall"]


AGRAWAL = "R. Agrawal, S. Gollapudi, A. Halverson, S. Ieong. Diversifying search results. WSDM 2009."


class OnSubtopics(Measure):
    """A measure that asks what each document is relevant to. Subtopics without a relevant document do not count.

    It looks at a view in which profiles (see :mod:`unjudged.data.relevance_profiles`) stand where grades are.
    """

    needs = frozenset({"subtopics"})
    unjudged = "Are relevant to no subtopic, like documents that were judged so."
    gains_only = True
    normalised_by: ClassVar[Normaliser] = "none"

    def scale(self) -> float | None:
        """The lowest grade that is relevant; None where each grade counts."""
        return self.rel or 1

    def prepare(self, qrels: Qrels) -> None:
        self.divisor(profiled_qrels(qrels, self.scale()))

    def seen(self, view: View) -> View:
        return profiled(super().seen(view), self.scale())

    def first_relevant(self, scale: Scale) -> float:
        return 1  # the lowest profile that is relevant to anything

    def terms(self, view: View, hits: Hits) -> Floats:
        """What each relevant (document, subtopic) pair brings, for users who mean that subtopic."""
        raise TypeError(f"{type(self).__name__} does not say what a document brings")

    def divisor(self, qrels: Qrels) -> Floats:
        """What the sum is divided by, for each topic."""
        return np.ones(len(qrels.topics))

    def gained(self, view: View, hits: Hits) -> Floats:
        """The sum of what each ranking brings, averaged over what users may mean."""
        shares = profiles_of(view.qrels).shares[hits.numbers]
        return view.total(hits.rows, shares * self.terms(view, hits))

    def compute(self, view: View) -> Floats:
        return self._score(view, hits_of(view))

    def _score(self, view: View, hits: Hits) -> Floats:
        return share(self.gained(view, hits), self.divisor(view.qrels)[view.topics])

    # ---- what holes could bring

    def fixed_extremes(self, view: View) -> tuple[Floats, Floats]:
        """For the upper bound each subtopic's relevant documents outside the ranking go to the highest holes.

        That is the most these judgments allow: what one subtopic brings does not depend on the others, and it only
        grows when a document is relevant to it, the more the higher it stands.
        """
        return self.compute(view), self._score(view, hits_with(view, *_left_over(view)))

    def joint_extremes(self, view: View, top: float) -> tuple[Floats, Floats]:
        """With a divisor that does not follow the labels: no hole relevant to anything, all relevant to everything."""
        rows = np.flatnonzero(~view.judged)
        everything = np.full(len(rows), view.qrels.max_grade, dtype=np.int32)
        at, numbers, grades = profiles_of(view.qrels).entries(view.topics[view.ranking[rows]], everything)
        return self.compute(view), self._score(view, hits_with(view, rows[at], numbers, np.full_like(grades, top)))

    def lowest(self, view: View, added: Ints) -> Floats:
        return self.compute(view)


def _left_over(view: View) -> tuple[Ints, Ints, SmallInts]:
    """Rows, subtopics and grades of what the highest holes get: the judgments of each subtopic not in the ranking."""
    covered, profiles, qrels = hits_of(view), profiles_of(view.qrels), view.qrels
    judged = np.flatnonzero(qrels.grades > 0)
    _, numbers, grades = profiles.entries(qrels.topic_of_row[judged], qrels.grades[judged])
    scale, level = np.unique(grades, return_inverse=True)
    shape = (len(profiles.relevant), len(scale))
    total = np.bincount(numbers * shape[1] + level, minlength=shape[0] * shape[1]).reshape(shape)
    found_level = np.searchsorted(scale, covered.grades)
    holes = np.flatnonzero(~view.judged)
    starts = np.searchsorted(holes, view.offsets)
    hit_starts = np.searchsorted(covered.rows, view.offsets)
    out: list[tuple[Ints, Ints, SmallInts]] = []
    for ranking in np.flatnonzero(np.diff(starts)).tolist():
        own = holes[starts[ranking] : starts[ranking + 1]]
        hits = slice(hit_starts[ranking], hit_starts[ranking + 1])
        first, end = profiles.subtopics.offsets[view.topics[ranking] :][:2].tolist()
        left = total[first:end].copy()
        np.subtract.at(left, (covered.numbers[hits] - first, found_level[hits]), 1)
        for subtopic in np.flatnonzero(left.any(axis=1)).tolist():
            best = np.repeat(scale[::-1], left[subtopic][::-1])[: len(own)]
            out.append((own[: len(best)], np.full(len(best), first + subtopic), best))
    if not out:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)
    rows, numbers, grades = (np.concatenate(column) for column in zip(*out, strict=True))
    return rows, numbers, grades


def _by_subtopic(view: View) -> tuple[View, Ints, Floats]:
    """Each ranking once for each subtopic of its topic, with grade 1 for what is relevant to that.

    Also the ranking that each of them comes from, and the share of the users who mean its subtopic.
    """
    profiles, hits = profiles_of(view.qrels), hits_of(view)
    counted = np.flatnonzero(profiles.relevant > 0)
    topics = profiles.subtopics.topics[counted]
    starts = np.searchsorted(topics, view.topics)
    counts = np.searchsorted(topics, view.topics, side="right") - starts
    origin = np.repeat(np.arange(len(view)), counts)
    first = np.cumsum(counts) - counts
    numbers = counted[np.arange(len(origin)) + (starts - first)[origin]]
    offsets = offsets_of(view.lengths[origin])
    rows = rows_of_spans(view.offsets[:-1][origin], view.lengths[origin])
    grades = np.zeros(len(rows), dtype=np.int32)
    of_hit = view.ranking[hits.rows]
    copy = first[of_hit] + np.searchsorted(counted, hits.numbers) - starts[of_hit]
    grades[offsets[copy] + hits.rows - view.offsets[of_hit]] = 1
    counts = np.stack([np.zeros_like(profiles.relevant), profiles.relevant], axis=1)
    judgments = judgments_of(counts, whole_scale(1))
    return View(judgments, numbers, offsets, grades, view.states[rows]), origin, profiles.shares[numbers]


# ---- how many are covered, and how well, on average


class AP_IA(OnSubtopics):
    """Average precision for each subtopic, averaged over the subtopics."""

    name = "AP_IA"
    aliases = ("MAP-IA", "MAP_IA", "AP-IA")
    title = "Intent-aware average precision"
    formula = "AP_IA = sum over subtopics i of p_i * AP with the documents relevant to i"
    reference = AGRAWAL
    normalised_by = "count"

    rel: float = rel_param()
    judged_only: bool = judged_only_param()

    def terms(self, view: View, hits: Hits) -> Floats:
        relevant = profiles_of(view.qrels).relevant[hits.numbers]
        return np.asarray((hits.before + 1) / view.rank[hits.rows] / relevant, dtype=np.float64)

    def joint_extremes(self, view: View, top: float) -> tuple[Floats, Floats]:
        apart, ranking, shares = _by_subtopic(view)
        low, high = (sums_of(shares * ends, ranking, len(view)) for ends in AP().joint_extremes(apart, 1))
        return low, high

    def lowest(self, view: View, added: Ints) -> Floats:
        hits, profiles = hits_of(view), profiles_of(view.qrels)
        relevant = profiles.relevant[hits.numbers]
        shrink = relevant / (relevant + added[view.ranking[hits.rows]])
        return view.total(hits.rows, profiles.shares[hits.numbers] * self.terms(view, hits) * shrink)


class P_IA(OnSubtopics):
    """Precision for each subtopic, averaged over the subtopics."""

    name = "P_IA"
    aliases = ("P-IA",)
    at = "cutoff"
    title = "Intent-aware precision"
    formula = "P_IA@k = sum over subtopics i of p_i * P@k with the documents relevant to i"
    reference = AGRAWAL

    rel: float = rel_param()
    judged_only: bool = judged_only_param()
    cutoff: int = cutoff_param(required=True)

    def terms(self, view: View, hits: Hits) -> Floats:
        return np.full(len(hits.rows), 1.0 / self.cutoff)


class StRecall(OnSubtopics):
    """Share of the subtopics that some document is relevant to."""

    name = "StRecall"
    aliases = ("strec", "S-recall")
    at = "cutoff"
    title = "Subtopic recall"
    formula = "StRecall@k = sum of p_i over subtopics i that one of the first k documents is relevant to"
    reference = (
        "C. Zhai, W. Cohen, J. Lafferty. Beyond independent relevance: methods and evaluation metrics for subtopic"
        " retrieval. SIGIR 2003."
    )

    rel: float = rel_param()
    judged_only: bool = judged_only_param()
    cutoff: int = cutoff_param(required=True)

    def terms(self, view: View, hits: Hits) -> Floats:
        return np.asarray(hits.before == 0, dtype=np.float64)
