"""Another judge's grades for subtopics, joined with the judgments of a diversity collection."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np

from unjudged.arrays import Floats, GradeColumn
from unjudged.data.qrels import Qrels
from unjudged.data.scale import as_grades
from unjudged.data.subtopics import Subtopics, numbers_by_name
from unjudged.data.texts import texts_of, with_texts
from unjudged.data.view import View
from unjudged.errors import Notice
from unjudged.measures.base import Measure
from unjudged.wording import counted

__all__ = ["scores_without", "with_subtopics"]


def with_subtopics(
    qrels: Qrels, labels: Qrels, completed: Qrels, worth: Mapping[float, float]
) -> tuple[Qrels, list[Notice]]:
    """The *completed* judgments with subtopics: those of the judgments, and of labels for what these do not judge.

    A subtopic is known by its topic and name. One that the judgments do not have is left out, and counted. *worth*: the
    grade that labels are worth where that is another one.
    """
    own, theirs = qrels.subtopics, labels.subtopics
    if own is None or theirs is None:
        return completed, []
    number_of = numbers_by_name(theirs, labels.topics, own, qrels.topics)
    position = np.array([qrels.topic_rows.get(topic, -1) for topic in labels.topics], dtype=np.int64)
    topics, docs = position[labels.topic_of_row], labels.docs
    inside = np.flatnonzero((topics >= 0) & labels.judged)
    to = np.full(len(labels), -1)
    found = qrels.pairs.find(topics[inside], docs.take(inside))
    new = inside[(found < 0) | ~qrels.judged[found]]
    to[new] = completed.pairs.find(topics[new], docs.take(new))
    wanted = (to[theirs.docs] >= 0) & theirs.judged
    unknown = wanted & (number_of[theirs.numbers] < 0)
    added = np.flatnonzero(wanted & ~unknown)
    # What was listed for a document without a judgment is replaced by its labels.
    old_to = completed.pairs.find(qrels.topic_of_row, qrels.docs)
    kept = np.flatnonzero(own.judged & (old_to[own.docs] >= 0))
    doc_rows = np.concatenate([old_to[own.docs[kept]], to[theirs.docs[added]]])
    number = np.concatenate([own.numbers[kept], number_of[theirs.numbers[added]]])
    grades = np.concatenate([own.grades[kept], _worth(theirs.grades[added], worth)])
    order = np.lexsort((number, doc_rows))
    judged = np.ones(len(order), dtype=bool)
    subtopics = Subtopics(
        own.offsets, own.names, own.weights, doc_rows[order], number[order], as_grades(grades[order]), judged
    )
    count = int(unknown.sum())
    text = (
        f"{labels.source or 'labels'}: {counted(count, 'label')} of subtopics that the judgments do not have; left out"
    )
    completed = dataclasses.replace(completed, subtopics=subtopics)
    texts = texts_of(qrels)
    completed = completed if texts is None else with_texts(completed, texts)
    return completed, [Notice("unknown-label-subtopics", count, text)] if count else []


def _worth(grades: GradeColumn, worth: Mapping[float, float]) -> GradeColumn:
    out = grades.astype(np.float64)
    for label, grade in worth.items():
        out[grades == label] = grade
    return out


def scores_without(measure: Measure, view: View, completed: View) -> Floats:
    """Scores if what labels add were relevant to no subtopic, the ideal ranking staying as it is."""
    seen = measure.seen(completed)
    return np.asarray(measure.compute(seen.graded_zero(seen.judged & ~measure.seen(view).judged)), dtype=np.float64)
