"""Another judge's grades: taken for the documents that nobody else judged, or as evidence about them."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from unjudged.arrays import Floats, GradeColumn, Ints
from unjudged.data.ids import Ids, PairIndex, concatenate_ids
from unjudged.data.judge_labels import JudgeLabels
from unjudged.data.memo import remembered
from unjudged.data.qrels import Qrels, State
from unjudged.data.scale import as_grades
from unjudged.data.view import View
from unjudged.errors import InputError, Notice, some_of
from unjudged.holes.base import Estimate, HoleModel, PreparedHoleModel, Settings
from unjudged.holes.evidence_model.label_features import LEAST_PAIRS
from unjudged.holes.imputation.binned_scales import bins_for
from unjudged.holes.subtopic_labels import scores_without, with_subtopics
from unjudged.io.label_files import LabelFile, expand_labels, is_json_lines, label_paths, read_labels_of
from unjudged.io.reading import read_qrels, refuse_unknown
from unjudged.io.sources import as_path
from unjudged.io.tables import qrels_from_table
from unjudged.measures.base import Measure
from unjudged.spec import Grades, Limit, param

__all__ = [
    "LabelModel",
    "LabelSource",
    "Labels",
    "OtherGrades",
    "complete",
    "fit_label_model",
    "label_files",
    "read_label_sources",
    "read_labels",
    "refuse_subtopics",
]


@dataclass(frozen=True)
class LabelSource(Limit):
    """A path, or labels that have been read: then they are shown under the name of their source."""

    several: bool = False
    """Whether there may be a list of them."""

    def read(self, value: object) -> str | Qrels | tuple[str | Qrels, ...]:
        """A path as text, or judgments as they are; of several, a tuple."""
        if self.several and isinstance(value, str) and value[:1] == "[" and value[-1:] == "]":
            value = [one.strip() for one in value[1:-1].split(",")]
        if self.several and isinstance(value, list | tuple):
            if not value:
                raise ValueError
            return tuple(self._one(one) for one in value)
        return self._one(value)

    def _one(self, value: object) -> str | Qrels:
        if isinstance(value, Qrels):
            return value
        if not isinstance(value, str | os.PathLike):
            raise ValueError
        path = os.fsdecode(value)
        if not path or "\0" in path:
            raise ValueError
        return path

    def show(self, value: Any) -> str:
        """The path, or the name of the source."""
        if isinstance(value, tuple):
            return f"[{','.join(map(self.show, value))}]"
        return repr(value.source if isinstance(value, Qrels) else value)

    def __str__(self) -> str:
        return "a file or judgments" + (", or a list of them" if self.several else "")


class Labels(HoleModel):
    """What nobody judged has the grade that another judge gave, for instance a language model.

    Scores are those against judgments completed by the labels: a document has the grade of the judgments where they
    have one, else its label, else it is not relevant. R and the ideal ranking follow from the completed judgments, so
    labelled documents that no run returned count too. A label never overrides a judgment, and one below 0 is none.
    This holds for every measure, also for ``Judged``; the column of that name is about the judgments alone.

    Rows say which share of the documents that the measure looks at has its grade from a label (``labelled``), and
    which share of the score would be lost if those documents had grade 0 (``rests_on_labels``).
    """

    name = "labels"
    nameless = "file"
    title = "Another judge's grades for what nobody judged"
    reference = "S. MacAvaney and L. Soldaini. One-shot labeling for automatic relevance estimation. SIGIR 2023."

    file: str | Qrels = param(..., LabelSource(), "the other judge's grades, in any form that judgments may have")
    grades: tuple[tuple[float, float], ...] | None = param(
        None, Grades(), "what a label is worth; the same grade unless given"
    )

    @classmethod
    def of(cls, labels: Any, *, name: str = "labels", grades: Mapping[float, float] | None = None) -> Labels:
        """Labels that are in memory: a dict of dicts, tuples, a frame or ``Qrels``. They are shown as *name*.

        >>> Labels.of({"q1": {"d9": 2}}, name="gpt-4")
        labels('gpt-4')
        """
        worth = None if grades is None else tuple(grades.items())
        if isinstance(labels, Qrels):
            return cls(file=dataclasses.replace(labels, source=name), grades=worth)
        if as_path(labels) is not None:
            return cls(file=labels, grades=worth)
        refuse_unknown(labels, "labels")
        return cls(file=qrels_from_table(labels, negative="pooled", label=name), grades=worth)

    def files(self) -> tuple[str, ...]:
        """The file with the labels."""
        return () if isinstance(self.file, Qrels) else (self.file,)

    def check(self, measure: Measure) -> None:
        """Nothing: whether labels are for subtopics is seen when they are read."""

    def prepare(self, qrels: Qrels) -> PreparedHoleModel:
        """Read the labels and complete the judgments by them."""
        worth = dict(self.grades or {})
        labels = read_labels(self.file, qrels).translated(worth)
        labels.check_scale(qrels, self)
        completed, added = complete(qrels, labels)
        completed, notices = with_subtopics(qrels, labels.given, completed, worth)
        notices = [*labels.notices, *notices]
        top = int(labels.grades.max(initial=0))
        if not added:
            text = f"{labels.source}: all {len(labels.grades):,} labels are for judged documents; none is used"
            notices.append(Notice("unused-labels", len(labels.grades), text))
        elif not self.grades and top < qrels.max_grade:
            text = (
                f"{labels.source}: labels go up to {top}, the judgments up to {qrels.max_grade}; a label counts as the"
                f" same grade unless you say what it is worth, as in {self.replace(grades={1: qrels.max_grade})}"
            )
            notices.append(Notice("label-scale", added, text))
        return Completed(self, completed, tuple(notices))

    def estimate(self, measure: Measure, view: View, settings: Settings) -> Estimate:
        """Score of each ranking; reads the labels, so studies call :meth:`prepare` first."""
        return self.prepare(view.qrels).estimate(measure, view, settings)


@dataclass(frozen=True, eq=False)
class Completed:
    """Scores against completed judgments, and what they owe to what was added."""

    model: Labels
    qrels: Qrels
    notices: tuple[Notice, ...] = ()

    def estimate(self, measure: Measure, view: View, settings: Settings) -> Estimate:
        """Score of each ranking, with the share of labelled documents and the score without them."""
        on_subtopics = "subtopics" in measure.needs
        if on_subtopics and self.qrels.subtopics is None:
            refuse_subtopics(self.model, measure)
        completed = view.completed(self.qrels)
        value = measure.score(completed)
        top, completed_top = view.top(measure.depth()), completed.top(measure.depth())
        labelled = completed_top.share(completed_top.judged & ~top.judged)
        if on_subtopics:
            without = scores_without(measure, view, completed)
        else:
            without = measure.score(completed.graded_zero(completed.judged & ~view.judged))
        # Where it takes the labels for the score to be defined, all of it rests on them.
        without[np.isnan(without) & ~np.isnan(value)] = 0.0
        return Estimate(value, labelled=labelled, without_labels=without)


def refuse_subtopics(model: HoleModel, measure: Measure, what: str = "labels give") -> None:
    """Raise an error for measures that ask for more than the labels, or whatever the model goes by, say."""
    if "subtopics" in measure.needs:
        raise InputError(
            f"{model} is not for {measure}: {what} one grade for the whole topic, not one for each subtopic"
        )


# ---- what the other judge said


@dataclass(frozen=True, eq=False)
class OtherGrades:
    """Another judge's grades as columns, grouped by topic; ``topics`` are positions in the judgments they go with."""

    source: str
    topics: Ints
    docs: Ids
    grades: GradeColumn
    given: Qrels
    """All that was read."""
    notices: tuple[Notice, ...] = ()

    @cached_property
    def pairs(self) -> PairIndex:
        """Finds (topic position, doc)."""
        return PairIndex(self.topics, self.docs)

    def translated(self, worth: Mapping[float, float]) -> OtherGrades:
        """With other grades where *worth* has one."""
        grades = self.grades.astype(np.float64)
        for label, grade in worth.items():
            grades[self.grades == label] = grade
        return dataclasses.replace(self, grades=as_grades(grades))

    def check_scale(self, qrels: Qrels, model: Labels) -> None:
        """Refuse grades that the judgments do not have, unless the user says that they exist."""
        top = self.grades.max(initial=0).item()
        allowed = max([qrels.max_grade, *(grade for _, grade in model.grades or ())])
        if top > allowed:
            raise InputError(
                f"{self.source}: labels go up to {top}, the judgments up to {qrels.max_grade};"
                f" say what they are worth, as in {model.replace(grades={top: qrels.max_grade})}"
            )


def read_labels(source: str | Qrels, qrels: Qrels) -> OtherGrades:
    """Another judge's grades for the topics of *qrels*."""
    if isinstance(source, str) and is_json_lines(source):
        return _from_lines(source, qrels)
    labels = read_qrels(source, negative="pooled")
    where = labels.source or "labels"
    position = np.array([qrels.topic_rows.get(topic, -1) for topic in labels.topics], dtype=np.int64)
    unknown = int((position < 0).sum())
    if unknown == len(position):
        raise InputError(
            f"{where}: no topic of these labels is judged"
            f" (the labels have {labels.topics[0]!r}, the judgments have {qrels.topics[0]!r})"
        )
    topics = position[labels.topic_of_row]
    rows = np.flatnonzero((topics >= 0) & labels.judged)
    if not len(rows):
        raise InputError(f"{where}: all labels of judged topics are below 0, so there is none to use")
    rows = rows[np.argsort(topics[rows], kind="stable")]
    notices = []
    if unknown:
        text = f"{where}: {unknown} of {len(position)} topics of these labels are not judged; they are left out"
        notices.append(Notice("unknown-label-topics", unknown, text))
    return OtherGrades(where, topics[rows], labels.docs.take(rows), labels.grades[rows], labels, tuple(notices))


def _from_lines(path: str, qrels: Qrels) -> OtherGrades:
    """The same from JSON lines, of one judge who gave grades."""
    judges = read_labels_of([LabelFile(path)], qrels)
    instead = f"evidence(labels={path!r}) takes them as evidence"
    if len(judges) > 1:
        names = some_of([one.name for one in judges])
        raise InputError(f"{path}: {len(judges)} judges have labels here: {names}; grades are those of one; {instead}")
    labels = judges[0].by_topic()
    if (labels.values != np.rint(labels.values)).any():
        raise InputError(f"{path}: labels have fractions, so they are no grades; {instead}")
    given = labels.as_qrels(qrels.topics, labels.values)
    return OtherGrades(path, labels.topics, labels.docs, given.grades, given, labels.notices)


def label_files(source: str | Qrels | tuple[str | Qrels, ...]) -> tuple[str, ...]:
    """The files behind labels of one or several judges."""
    return tuple(label_paths(list(source) if isinstance(source, tuple) else source))


@remembered
def read_label_sources(qrels: Qrels, source: str | Qrels | tuple[str | Qrels, ...]) -> tuple[JudgeLabels, ...]:
    """Labels of every judge, on any scale, for the topics of *qrels*; files, folders, globs, or what was read."""
    return tuple(read_labels_of(expand_labels(list(source) if isinstance(source, tuple) else source), qrels))


def complete(qrels: Qrels, labels: OtherGrades) -> tuple[Qrels, int]:
    """The judgments, with labels for what they do not judge; and how many labels that are."""
    listed = qrels.pairs.find(labels.topics, labels.docs)
    new = np.flatnonzero((listed < 0) | ~qrels.judged[listed])
    # A document that was pooled but not judged is listed already; its label takes the place of that row.
    kept = np.setdiff1d(np.arange(len(qrels)), listed[new])
    topics = np.concatenate([qrels.topic_of_row[kept], labels.topics[new]])
    order = np.argsort(topics, kind="stable")
    states = np.concatenate([qrels.states[kept], np.full(len(new), State.JUDGED, dtype=np.uint8)])
    completed = Qrels(
        qrels.topics,
        np.searchsorted(topics[order], np.arange(len(qrels.topics) + 1)).astype(np.int64),
        concatenate_ids([qrels.docs.take(kept), labels.docs.take(new)]).take(order),
        np.concatenate([qrels.grades[kept], labels.grades[new]])[order],
        states[order],
        source=qrels.source,
    )
    # Built here, once: threads would each build their own.
    _ = completed.pairs, completed.topic_of_row
    return completed, len(new)


# ---- what it means that the other judge said so


@dataclass(frozen=True, eq=False)
class LabelModel:
    """What another judge's labels say about documents: how likely each grade makes the label that they have."""

    labels: OtherGrades
    of_label: Ints
    """Which of the different labels each label is."""
    of_grade: Floats
    """Probability of one of them given each grade: shape (different labels, levels); NaN where too little is known."""
    notices: tuple[Notice, ...] = ()

    def likelihoods(self, topics: Ints, docs: Ids) -> Floats:
        """How likely each level makes the label of each document, 1 where there is none: shape (documents, levels)."""
        rows = self.labels.pairs.find(topics, docs)
        given = np.where(rows[:, None] >= 0, self.of_grade[self.of_label[rows]], np.nan)
        likelihoods: Floats = np.where(np.isnan(given), 1.0, given)
        return likelihoods


def fit_label_model(qrels: Qrels, labels: OtherGrades, weights: Floats) -> LabelModel:
    """How often documents of each grade got each label, from all documents of the collection that both judges saw.

    *weights* of the judgments say which of them are like the documents that one wants to know about. To these,
    ``LEAST_PAIRS`` more are added for each grade that are as all judged documents. Every count of the latter is one
    higher than it was (add-one smoothing), so that nothing is impossible. A label that fewer than ``LEAST_PAIRS``
    judged documents have says nothing.
    """
    listed = qrels.pairs.find(labels.topics, labels.docs)
    both = (listed >= 0) & qrels.judged[listed]
    bins = bins_for(qrels, learned=True)
    level, width = (qrels.levels, len(qrels.scale)) if bins is None else (bins.of_level[qrels.levels], len(bins.scale))
    distinct, of_label = np.unique(labels.grades, return_inverse=True)
    cells = of_label[both] * width + level[listed[both]]
    counts, weighted = (
        np.bincount(cells, one, minlength=len(distinct) * width).reshape(len(distinct), width)
        for one in (None, weights[listed[both]])
    )
    enough = counts.sum(axis=1) >= LEAST_PAIRS
    usual = (counts + 1) / (counts + 1).sum(axis=0)
    of_grade = (weighted + LEAST_PAIRS * usual) / (weighted.sum(axis=0) + LEAST_PAIRS)
    of_grade[~enough] = np.nan
    silent = ~enough[of_label] & ~both
    if not enough.any():
        raise InputError(
            f"{labels.source}: no label is given to at least {LEAST_PAIRS} judged documents,"
            " so nothing can be learned about what the labels mean"
        )
    notices = list(labels.notices)
    if silent.any():
        which = some_of(list(map(str, np.unique(labels.grades[silent]).tolist())))
        text = (
            f"{labels.source}: fewer than {LEAST_PAIRS} judged documents have label {which};"
            " documents with it are treated as if they had none"
        )
        notices.append(Notice("few-labels", int(silent.sum()), text))
    _ = labels.pairs  # built here, once: threads would each build their own
    return LabelModel(labels, of_label, of_grade, tuple(notices))
