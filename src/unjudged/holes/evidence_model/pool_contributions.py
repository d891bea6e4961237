"""What other runs know about a hole, and examples to learn from: documents that only one other group contributed.

A hole is a document that no other group returned within the pool depth. The judged documents that only one group
returned within that depth were holes, had the group not taken part. So both are described in the same way: as they
look in a world in which the group that returns them, and the group whose holes are asked about, brought no judgment.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unjudged.arrays import Flags, Floats, GradeColumn, Ints
from unjudged.data.document_features import ranked_in_topics
from unjudged.data.judge_labels import JudgeLabels
from unjudged.data.pool_depth import judged_depths
from unjudged.data.qrels import Qrels
from unjudged.data.run_occurrences import OccurrencesInRuns
from unjudged.data.texts import texts_of
from unjudged.holes.evidence_model.label_features import LabelFeatures
from unjudged.holes.imputation.binned_scales import bins_for
from unjudged.holes.imputation.grade_source import Facts

if TYPE_CHECKING:
    from unjudged.holes.evidence_model.text_similarity import TextSimilarity

__all__ = ["FEATURES", "RISING", "Contributions", "Described"]


FEATURES = ("support", "rank", "run on topic", "run", "judged", "pool", "elsewhere")
"""What a document is described by; see :meth:`Contributions._describe`."""
RISING = (True, True, True, True, True, True, True)
"""Whether more of it must not lower the expected grade."""

FUSION = 60.0
"""Reciprocal rank fusion's constant (Cormack, Clarke and Büttcher, 2009)."""
_LEAST_SUPPORT = 1e-3
"""Support that a document without any has: as much as one group brings that has it at rank 940."""
_MARGIN = 0.02
"""Keeps log odds of mean grades finite: those of a run that never failed count as 50 to 1."""
_RUN_SHRINKAGE = 2.0
"""A run's documents on one topic are joined by so many of its average ..."""
_POOL_SHRINKAGE = 5.0
"""... and a topic's judgments by so many of the collection's."""
_ELSEWHERE = 5
"""Ranks within which a document is counted on other topics: as deep as any pool is, so that it is known of all runs."""
_LEAST_COSINE = 0.01
"""Cosine that two texts without a common word have."""


@dataclass(frozen=True, eq=False)
class Described:
    """Documents as seen from one group: features (rows, features), and where each document is from."""

    features: Floats
    pairs: Ints
    topics: Ints
    groups: Ints
    """The group that returns it, from which it is seen."""
    runs: Ints
    """The run of that group that has it at the best rank."""
    ranks: Ints
    """The rank it has there."""

    def rows(self, which: slice | Ints) -> Described:
        """Some of the documents."""
        return Described(*(getattr(self, column.name)[which] for column in fields(self)))


class Contributions:
    """Who has which document within the pool *depth*, given what is judged."""

    def __init__(
        self, qrels: Qrels, occurrences: OccurrencesInRuns, depth: int, labels: tuple[JudgeLabels, ...] = ()
    ) -> None:
        self.qrels, self.occurrences, self.depth = qrels, occurrences, depth
        unlisted = occurrences.unlisted.topics
        self.judged = np.concatenate([qrels.judged, np.zeros(len(unlisted), dtype=bool)])
        self.grades = np.concatenate([qrels.grades, np.zeros(len(unlisted), dtype=qrels.grades.dtype)])
        bins = bins_for(qrels, learned=True)
        self.scale = qrels.scale if bins is None else bins.scale
        """The grades that holes can have."""
        self.levels: NDArray[np.integer] = qrels.levels if bins is None else bins.of_level[qrels.levels]
        """Where each judgment's grade is among them."""
        self.topics = np.concatenate([qrels.topic_of_row, unlisted])
        self._number_of_groups = len(occurrences.keys)
        self._index_occurrences()
        self._texts = texts_of(qrels)
        self._labels = LabelFeatures(qrels, labels, self.topics, occurrences.unlisted.docs)
        self._given_features = _given_features(occurrences, self.topics, self.judged)
        text = [] if self._texts is None else [True]
        self.rising = np.array([*RISING, *text, *(True for _ in labels), *(False for _ in self._given_features)])
        """Of all features; after these six what texts say, then labels, then features that were given, if any."""

    def _index_occurrences(self) -> None:
        """Find the pairs that matter, and where each group has them."""
        occurrences = self.occurrences.columns
        judged = self.judged[occurrences.pairs]
        deepest = np.where(judged, self.depth, self.occurrences.depth or sys.maxsize)
        near = np.zeros(len(self.judged), dtype=bool)
        near[occurrences.pairs[occurrences.ranks <= deepest]] = True
        self.pairs = np.flatnonzero(near)
        kept = near[occurrences.pairs]
        pairs, groups, self._ranks, self._runs = (column[kept].astype(np.int64) for column in occurrences)
        self._places = (np.cumsum(near) - 1)[pairs]
        # Best rank of each group for each pair: the first of each.
        key = self._places * self._number_of_groups + groups
        first = np.flatnonzero(np.diff(key, prepend=-1))
        self._key, self._best_run, self._best_rank = key[first], self._runs[first], self._ranks[first]
        self._best_place, self._best_group = self._places[first], groups[first]
        self._within = self._best_rank <= self.depth
        number = len(self.pairs)
        inside = self._best_place[self._within]
        # How many groups have each noted pair within the pool depth; and the sum of their numbers: that of the group
        # itself, where there is but one.
        self.found_by = np.bincount(inside, minlength=number)
        self._sum_of_groups = np.bincount(inside, weights=self._best_group[self._within], minlength=number)

    # ---- who is seen from whom

    @cached_property
    def contributing_runs(self) -> Flags:
        """Runs whose documents within the pool depth are judged, apart from a few topics."""
        return judged_depths(self.qrels, self.occurrences) >= self.depth

    @cached_property
    def owners(self) -> tuple[Ints, Ints]:
        """Holes, as places in :attr:`pairs`, and for each the entry of the group that has it at the best rank."""
        holes = np.flatnonzero(~self.judged[self.pairs])
        # Of runs that have it at the same rank, the first; a run is in one group, so there is one entry for each pair.
        standing = self._best_rank * len(self.occurrences.run_occurrences) + self._best_run
        starts = np.flatnonzero(np.diff(self._best_place, prepend=-1))
        least = np.minimum.reduceat(standing, starts) if len(starts) else standing
        return holes, np.flatnonzero(standing == least[self._best_place])[holes]

    @cached_property
    def group_of_holes(self) -> Ints:
        """For each pair the group that it is seen from if it is a hole, else -1; and a -1 more, for no pair."""
        out = np.full(len(self.judged) + 1, -1, dtype=np.int64)
        holes, entries = self.owners
        out[self.pairs[holes]] = self._best_group[entries]
        return out

    @cached_property
    def rank_of_holes(self) -> Ints:
        """For each pair the best rank that any run has it at if it is a hole, else 0; and a 0 more, for no pair."""
        out = np.zeros(len(self.judged) + 1, dtype=np.int64)
        holes, entries = self.owners
        out[self.pairs[holes]] = self._best_rank[entries]
        return out

    def around(self, group: int) -> tuple[Described, Described, Described]:
        """The holes that are seen from a group, the examples to learn from for them, and what it contributed alone.

        Examples are judged documents that one contributing run's group has within the pool depth, and nobody else
        apart from the given group. What the group contributed alone are judged documents that would be holes had it
        not taken part, and is described as such.
        """
        has = self._has(group)
        holes, of_holes = self.owners
        mine = self._best_group[of_holes] == group
        alone, owner = self._alone(group, has)
        of_alone = self._entries(alone, owner)
        kept = self.contributing_runs[self._best_run[of_alone]]
        own = np.flatnonzero((has == 1) & (self.found_by == 1) & self.judged[self.pairs])
        places = [holes[mine], alone[kept], own]
        entries = [of_holes[mine], of_alone[kept], self._entries(own, np.full_like(own, group))]
        every = self._describe(group, has, np.concatenate(places), np.concatenate(entries))
        first, second = np.cumsum([len(one) for one in places[:2]]).tolist()
        return every.rows(slice(None, first)), every.rows(slice(first, second)), every.rows(slice(second, None))

    def _entries(self, places: Ints, groups: Ints) -> Ints:
        """Where groups have noted pairs."""
        return np.searchsorted(self._key, places * self._number_of_groups + groups)

    def facts(self, pair: int, features: Floats) -> Facts:
        """What a hole's features stand for."""
        place = int(np.searchsorted(self.pairs, pair))
        here = slice(*np.searchsorted(self._best_place, [place, place + 1]).tolist())
        other_ranks = np.sort(self._best_rank[here])[1:]  # the best is that of the group it is seen from
        run_mean, pool_mean = (self._grade(features[FEATURES.index(name)]) for name in ("run on topic", "pool"))
        return Facts(len(other_ranks), int(other_ranks[0]) if len(other_ranks) else None, run_mean, pool_mean)

    def _has(self, group: int) -> Ints:
        """1 for pairs that a group has within the pool depth, else 0."""
        out = np.zeros(len(self.pairs), dtype=np.int64)
        out[self._best_place[self._within & (self._best_group == group)]] = 1
        return out

    def grade_counts_without(self, group: int) -> Ints:
        """Judgments at each level, without those that a group alone brought."""
        left = self._left_without(self._has(group))[: len(self.levels)]
        return np.bincount(self.levels[left], minlength=len(self.scale)).astype(np.int64)

    def _left_without(self, has: Ints) -> Flags:
        """Pairs that are judged, apart from those that only the group has that *has* some."""
        left = self.judged.copy()
        left[self.pairs[(has == 1) & (self.found_by == 1)]] = False
        return left

    def _alone(self, group: int, has: Ints) -> tuple[Ints, Ints]:
        """Places of judged documents that one group has, and nobody else apart from the given group; and whose."""
        alone = np.flatnonzero((self.found_by - has == 1) & self.judged[self.pairs])
        return alone, (self._sum_of_groups[alone] - group * has[alone]).astype(np.int64)

    # ---- features

    def _describe(self, group: int, has: Ints, places: Ints, entries: Ints) -> Described:
        """Features of noted pairs, each seen from the group of its entry, without what *group* brought.

        * support: log of the fused reciprocal ranks over groups other than these two, at any depth, each weighted by
          what *run on topic* is for the run that has the document at the group's best rank, against the pool's average;
        * rank: minus the log of the rank in the run it is seen from;
        * run on topic, run: mean grade of that run's documents within the pool depth that others brought too, on the
          topic and over all, as log odds of the highest grade;
        * judged: share of that run's documents that others brought too, over all topics;
        * pool: mean grade of the topic's judged documents, without what these two groups alone brought;
        * elsewhere: minus the log of the number of topics for which some run has the document near the top: what is
          returned for everything answers nothing;
        * text, where there are texts: log of the mean cosine with the topic's relevant documents, without the same;
        * labels, one for each source: mean grade of documents of other topics with the same label, against all there,
          without the same;
        * features that were given: where the value is among those of the topic's judged documents, as log odds; and
          whether there is a value, where some have none.
        """
        topics, owner = self.topics[self.pairs[places]], self._best_group[entries]
        run, rank = self._best_run[entries], self._best_rank[entries]
        documents, seen, total = self._quality(group, has)
        collection, pool = self._pool(group, has, owner, topics)
        of_run = (total.sum(axis=1) + collection) / (seen.sum(axis=1) + 1.0)
        on_topic = (total + _RUN_SHRINKAGE * of_run[:, None]) / (seen + _RUN_SHRINKAGE)
        share = seen.sum(axis=1) / np.maximum(documents.sum(axis=1), 1)
        rest = self._support(group, on_topic / collection if collection else np.ones_like(on_topic), places, entries)
        columns = [
            np.log(rest + _LEAST_SUPPORT),
            -np.log(rank),
            self._odds(on_topic[run, topics]),
            self._odds(of_run[run]),
            share[run],
            self._odds(pool),
            -np.log(self._topics_with[places]),
        ]
        if self._text_similarity is not None:
            columns.append(self._text(self._text_similarity, group, has, places, owner))
        left = self._left_without(has)
        # Beside the average of the same topics, which says nothing about a document.
        told = self._labels.mean_grades(self.pairs[places], left, self.grades)
        columns += [self._odds(mean) - self._odds(average) for mean, average in told]
        columns += [one[self.pairs[places]] for one in self._given_features]
        return Described(np.stack(columns, axis=1), self.pairs[places], topics, owner, run, rank)

    def _support(self, group: int, weights: Floats, places: Ints, entries: Ints) -> Floats:
        """Fused reciprocal ranks of noted pairs over groups other than *group* and those of the entries.

        *weights* are those of runs on topics.
        """
        fused = _fused(self._best_rank) * weights[self._best_run, self.topics[self.pairs[self._best_place]]]
        apart = self._best_group == group
        fused_by_others = np.where(apart, 0.0, fused)
        support = np.bincount(self._best_place, weights=fused_by_others, minlength=len(self.pairs))
        out: Floats = np.maximum(support[places] - fused_by_others[entries], 0.0)
        return out

    @cached_property
    def _topics_with(self) -> Ints:
        """For each noted pair, the number of topics for which some run has the document near the top; at least 1."""
        _, doc = np.unique(self.occurrences.docs(self.qrels, np.arange(len(self.judged))).hashes(), return_inverse=True)
        near = np.zeros(len(self.judged), dtype=bool)
        near[self.occurrences.columns.pairs[self.occurrences.columns.ranks <= _ELSEWHERE]] = True
        return np.maximum(np.bincount(doc, weights=near)[doc[self.pairs]], 1.0).astype(np.int64)

    @cached_property
    def _text_similarity(self) -> TextSimilarity | None:
        if self._texts is None:
            return None
        from unjudged.holes.evidence_model.text_similarity import (
            TextSimilarity,  # loads SciPy, which scoring must not wait for
        )

        gains = np.where(self.judged[self.pairs], self.grades[self.pairs], 0)
        return TextSimilarity(
            self._texts, self.topics[self.pairs], self.occurrences.docs(self.qrels, self.pairs), gains
        )

    def _text(self, similarity: TextSimilarity, group: int, has: Ints, places: Ints, owner: Ints) -> Floats:
        """The feature of that name; a document without a text is like the average one."""
        brought_by = np.full(len(self.pairs), -1, dtype=np.int64)
        alone, whose = self._alone(group, has)
        brought_by[alone] = whose
        brought_by[(has == 1) & (self.found_by == 1)] = group
        log_cosines = np.log(
            similarity.to_relevant(places, brought_by, excluded_groups=np.stack([owner, np.full_like(owner, group)]))
            + _LEAST_COSINE
        )
        has_text = ~np.isnan(log_cosines)
        return np.where(has_text, log_cosines, log_cosines[has_text].mean() if has_text.any() else 0.0)

    def _odds(self, grade: Floats) -> Floats:
        """Log odds of mean grades, as shares of the highest."""
        share = grade / self.qrels.max_grade
        out: Floats = np.log((share + _MARGIN) / (1.0 - share + _MARGIN))
        return out

    def _grade(self, odds: float) -> float:
        """The mean grade that has these log odds."""
        ratio = np.exp(odds)
        return float(self.qrels.max_grade * (ratio * (1.0 + _MARGIN) - _MARGIN) / (1.0 + ratio))

    @cached_property
    def _near(self) -> tuple[Ints, Ints]:
        """Runs, and places of the pairs that they have within the pool depth."""
        near = self._ranks <= self.depth
        return self._runs[near], self._places[near]

    def _quality(self, group: int, has: Ints) -> tuple[Ints, Floats, Floats]:
        """For each run and topic: documents within the depth, how many of them others brought too, sum of grades."""
        topics, runs = len(self.qrels.topics), len(self.occurrences.run_occurrences)
        run, place = self._near
        not_its_own = self.occurrences.group_of_run[run] != group
        others = self.found_by[place] - has[place] - not_its_own
        seen = (others > 0) & self.judged[self.pairs[place]]
        run, pair = run[seen], self.pairs[place[seen]]
        ranking = run * topics + self.topics[pair]
        shape, size = (runs, topics), runs * topics
        documents = np.minimum(np.stack([one.lengths for one in self.occurrences.run_occurrences]), self.depth)
        counts, sums = _counts_and_sums(ranking, self.grades[pair], size)
        return documents, counts.reshape(shape), sums.reshape(shape)

    def _pool(self, group: int, has: Ints, owner: Ints, topics: Ints) -> tuple[float, Floats]:
        """Mean grade of all judgments, and of those of each topic as seen from an owner; without what *group* brought.

        A topic's mean leaves out what only the owner has within the depth, too: those judgments are what is asked for.
        """
        number = len(self.qrels.topics)
        left = self._left_without(has)
        counts, sums = _counts_and_sums(self.topics[left], self.grades[left], number)
        alone, whose = self._alone(group, has)
        cell = whose * number + self.topics[self.pairs[alone]]
        size = number * self._number_of_groups
        own, own_sum = _counts_and_sums(cell, self.grades[self.pairs[alone]], size)
        average = float(sums.sum()) / max(1.0, float(counts.sum()))
        here = owner * number + topics
        above = sums[topics] - own_sum[here] + _POOL_SHRINKAGE * average
        return average, above / (counts[topics] - own[here] + _POOL_SHRINKAGE)


def _given_features(occurrences: OccurrencesInRuns, topics: Ints, judged: Flags) -> list[Floats]:
    """Columns of all pairs for the features that the user gave: what varies of them, the values first."""
    columns = []
    for feature in occurrences.features:
        ranked = ranked_in_topics(feature.values, topics, judged)
        there = ~np.isnan(ranked)
        columns += [np.where(there, ranked, 0.0), there.astype(np.float64)]
    return [one for one in columns if len(one) and np.ptp(one) > 0]


def _counts_and_sums(places: Ints, grades: GradeColumn, size: int) -> tuple[Floats, Floats]:
    """How many grades there are at each place, and their sum."""
    counts, sums = np.bincount(places, minlength=size), np.bincount(places, weights=grades, minlength=size)
    return counts.astype(np.float64), sums.astype(np.float64)


def _fused(rank: Ints) -> Floats:
    """What a group that has a document at this rank adds to its support."""
    return 1.0 / (FUSION + rank.astype(np.float64))
