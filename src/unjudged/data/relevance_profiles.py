"""Profiles: what a document can be for a measure on subtopics, as numbers that stand where grades stand.

A hole model asks what grades a document can have, how many judgments of each there are, and what the score is if a hole
has this or that grade. With subtopics the answer is not a grade but a *profile*: the subtopics that a document is
relevant to. Numbering the profiles of each topic makes the same questions, and the same code, work for both.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from unjudged import kernels
from unjudged.arrays import Floats, Ints, SmallInts
from unjudged.data.memo import remembered
from unjudged.data.qrels import Qrels
from unjudged.data.scale import Scale, whole_scale
from unjudged.data.spans import offsets_of, rows_of_spans
from unjudged.data.subtopics import Subtopics
from unjudged.data.view import View

__all__ = ["Hits", "ProfiledQrels", "Profiles", "hits_of", "hits_with", "profiled", "profiled_qrels", "profiles_of"]

Profile = tuple[tuple[int, float], ...]


@dataclass(frozen=True, eq=False)
class Profiles:
    """The profiles of each topic, numbered from 0 (relevant to no subtopic) to ``width - 1`` (to all of them).

    In between are those that judged documents have, from the least to the most that a document is relevant to; topics
    with fewer profiles than others leave numbers unused. Row ``topic * width + profile`` of the table owns entries
    ``offsets[row]:offsets[row + 1]``.
    """

    subtopics: Subtopics
    width: int
    offsets: Ints
    numbers: Ints
    """Number of the subtopic that each entry is about."""
    grades: SmallInts
    relevant: Ints
    """How many documents are relevant to each subtopic. Those without any do not count."""
    shares: Floats
    """How likely a user of the topic means each subtopic: sums to 1 over the topic's subtopics that count."""
    top: float
    """Highest grade in the judgments; 1 where grades do not count."""

    def entries(self, topics: Ints, profiles: SmallInts) -> tuple[Ints, Ints, SmallInts]:
        """What documents with these profiles are relevant to: position of the document, subtopic and grade."""
        row = topics * self.width + profiles
        counts = self.offsets[row + 1] - self.offsets[row]
        at = np.repeat(np.arange(len(row)), counts)
        entry = rows_of_spans(self.offsets[row], counts)
        return at, self.numbers[entry], self.grades[entry]


@dataclass(frozen=True, eq=False)
class ProfiledQrels(Qrels):
    """Judgments whose grades are numbers of profiles."""

    profiles: Profiles = field(kw_only=True)

    @cached_property
    def max_grade(self) -> int:
        """The profile that is relevant to everything, whether or not a document has it."""
        return self.profiles.width - 1

    @cached_property
    def scale(self) -> Scale:
        """All numbers of profiles: there are no more than the topic with the most different documents has."""
        return whole_scale(self.max_grade)


def profiles_of(qrels: Qrels) -> Profiles:
    """The profiles behind the grades of judgments that have them."""
    if not isinstance(qrels, ProfiledQrels):
        raise TypeError("the grades of these judgments are not profiles")
    return qrels.profiles


@remembered
def profiled(view: View, rel: float | None) -> View:
    """The view with profiles for grades: relevant means a grade of at least *rel*; each grade counts for None."""
    qrels, qrels_rows = profiled_qrels(view.qrels, rel), view.qrels_rows
    grades = np.where(qrels_rows >= 0, qrels.grades[qrels_rows], 0).astype(np.int32)
    return dataclasses.replace(view, qrels=qrels, grades=grades, cached_qrels_rows=qrels_rows)


@remembered
def profiled_qrels(qrels: Qrels, rel: float | None) -> ProfiledQrels:
    """The judgments with profiles for grades; made once for all runs."""
    subtopics = qrels.subtopics
    if subtopics is None:
        raise TypeError("these judgments have no subtopics")
    chosen = subtopics.relevant(qrels.above_zero if rel is None else rel)
    numbers = subtopics.numbers[chosen]
    grades = subtopics.grades[chosen] if rel is None else np.ones(len(numbers), dtype=np.int32)
    relevant = np.bincount(numbers, minlength=len(subtopics.names)).astype(np.int64)
    weights = np.where(relevant > 0, subtopics.weights, 0.0)
    total = np.bincount(subtopics.topics, weights=weights, minlength=len(qrels.topics))[subtopics.topics]
    shares = np.divide(weights, total, out=np.zeros(len(weights)), where=total > 0)

    of_doc: dict[int, Profile] = {}
    for doc, number, grade in zip(subtopics.docs[chosen].tolist(), numbers.tolist(), grades.tolist(), strict=True):
        of_doc[doc] = (*of_doc.get(doc, ()), (number, grade))
    by_topic = _in_order(qrels, of_doc, shares)
    numbered = [{profile: i + 1 for i, profile in enumerate(profiles)} for profiles in by_topic]
    column = np.zeros(len(qrels), dtype=np.int32)
    for doc, profile in of_doc.items():
        column[doc] = numbered[qrels.topic_of_row[doc]][profile]

    top = 1 if rel is not None else qrels.max_grade
    width = max(map(len, by_topic), default=0) + 2
    table: list[Profile] = []
    for topic, profiles in enumerate(by_topic):
        inside = range(int(subtopics.offsets[topic]), int(subtopics.offsets[topic + 1]))
        everything = tuple((number, top) for number in inside if relevant[number])
        unused: list[Profile] = [()] * (width - 2 - len(profiles))
        table += [(), *profiles, *unused, everything]
    pairs = np.array([pair for profile in table for pair in profile], dtype=np.int64).reshape(-1, 2)
    return ProfiledQrels(
        qrels.topics,
        qrels.offsets,
        qrels.docs,
        column,
        qrels.states,
        subtopics=subtopics,
        source=qrels.source,
        profiles=Profiles(
            subtopics=subtopics,
            width=width,
            offsets=offsets_of(np.array([len(profile) for profile in table], dtype=np.int64)),
            numbers=pairs[:, 0].copy(),
            grades=pairs[:, 1].astype(np.int32),
            relevant=relevant,
            shares=shares,
            top=top,
        ),
    )


def _in_order(qrels: Qrels, of_doc: dict[int, Profile], shares: Floats) -> list[list[Profile]]:
    """The profiles that documents of each topic have, from the least to the most that one is relevant to."""

    def worth(profile: Profile) -> tuple[float, Profile]:
        return sum(float(shares[number]) * grade for number, grade in profile), profile

    by_topic: list[set[Profile]] = [set() for _ in qrels.topics]
    for doc, profile in of_doc.items():
        by_topic[qrels.topic_of_row[doc]].add(profile)
    return [sorted(profiles, key=worth) for profiles in by_topic]


# ---- what a ranking finds


@dataclass(frozen=True, eq=False)
class Hits:
    """Relevant (document, subtopic) pairs of rankings, sorted by row of the view."""

    rows: Ints
    numbers: Ints
    grades: SmallInts
    before: Ints
    """How many documents ranked above are relevant to the subtopic."""


@remembered
def hits_of(view: View) -> Hits:
    """What the rankings of a view with profiles find; made once for all measures."""
    rows = np.flatnonzero(view.grades > 0)
    topics = view.topics[view.ranking[rows]]
    at, numbers, grades = profiles_of(view.qrels).entries(topics, view.grades[rows])
    return _hits(view, rows[at], numbers, grades)


def hits_with(view: View, rows: Ints, numbers: Ints, grades: SmallInts) -> Hits:
    """What they would find if documents at *rows* were relevant to subtopics *numbers* too."""
    hits = hits_of(view)
    rows, numbers = np.concatenate([hits.rows, rows]), np.concatenate([hits.numbers, numbers])
    order = np.argsort(rows, kind="stable")
    return _hits(view, rows[order], numbers[order], np.concatenate([hits.grades, grades])[order])


def _hits(view: View, rows: Ints, numbers: Ints, grades: SmallInts) -> Hits:
    return Hits(rows, numbers, grades, kernels.count_repeats(view.ranking[rows], numbers))
