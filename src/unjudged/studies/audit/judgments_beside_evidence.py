"""The judgments beside all that is known about each document, in the order in which they should be looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.collection import BaseCollection
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.data.run_info import run_notices
from unjudged.data.texts import Texts, with_texts
from unjudged.data.view import join
from unjudged.engine.numerics.changed_judgments import ChangedJudgments
from unjudged.engine.numerics.evidence_about_judged import GradeEvidence
from unjudged.engine.numerics.scoring import deepest_rank
from unjudged.engine.preparation.document_occurrences import judged_occurrences
from unjudged.errors import InputError, Notice
from unjudged.holes.evidence_model.label_features import label_notices
from unjudged.holes.imputation.binned_scales import bin_notices
from unjudged.io.label_files import LabelFile, read_labels_of
from unjudged.labels.blind_judgments import BlindJudgments, topic_shares
from unjudged.measures.base import Measure

__all__ = ["Compared", "compare_judgments"]


@dataclass(frozen=True, eq=False)
class Compared:
    """What judgments were compared with, by *runs* (their names), texts and labels."""

    collection: BaseCollection
    runs: Sequence[str]
    evidence: GradeEvidence
    texts: Texts | None
    notices: Sequence[Notice]

    @property
    def qrels(self) -> Qrels:
        """The judgments."""
        return self.evidence.qrels

    @cached_property
    def blind(self) -> BlindJudgments:
        """How suspicious each judgment is."""
        levels, number = self.evidence.levels, len(self.evidence.grades)
        shares = topic_shares(self.evidence.topics, levels, number=number)
        return BlindJudgments(levels, self.evidence.chances, shares)

    @cached_property
    def order(self) -> Ints:
        """Judgments (positions among the judged ones) from the most suspicious on; ties by topic and document."""
        topics, rows = self.evidence.topics, self.evidence.rows
        # Rounded, so that the order does not follow from how a machine adds up.
        own = np.round(np.log(np.maximum(self.blind.own, 1e-30)), 6)
        order = np.argsort(own, kind="stable")
        tied = np.flatnonzero(np.diff(own[order], prepend=np.nan) != 0)
        for start, end in zip(tied.tolist(), [*tied[1:].tolist(), len(order)], strict=True):
            if end - start > 1:
                names = [(self.qrels.topics[topics[i]], self.qrels.docs[rows[i]]) for i in order[start:end].tolist()]
                order[start:end] = order[start:end][sorted(range(end - start), key=names.__getitem__)]
        return order

    @cached_property
    def factors(self) -> Floats:
        """How much likelier each grade is from somebody who did not look, as the judgments themselves say."""
        return 1.0 / np.maximum(self.blind.calibrated(self.blind.own), 1.0 / len(self.order))

    @cached_property
    def likely(self) -> Ints:
        """The likeliest level of each document that is not the given one."""
        others = self.evidence.chances.copy()
        others[np.arange(len(others)), self.evidence.levels] = -1.0
        likely: Ints = others.argmax(axis=1)
        return likely

    def mean_scores(self, measure: Measure, rows: Ints, grades: Ints) -> Floats | None:
        """Mean scores of the runs before and after each change of a judgment, shape (runs, 1 + changes)."""
        if not self.runs:
            return None
        changes = ChangedJudgments(self.qrels, rows, grades)
        depth = deepest_rank([measure])

        def score(run: Run) -> Floats:
            return changes.mean_scores(measure, join(run, self.qrels, depth=depth, keep_qrels_rows=True))

        _, scores = self.collection.each_run(score, "changing judgments")
        return np.stack(scores)


def compare_judgments(collection: BaseCollection, measure: Measure, labels: Sequence[LabelFile]) -> Compared:
    """Read what is known beside the judgments; *measure* is refused before the work if it cannot be used."""
    qrels = collection.qrels
    _refuse(collection, measure, labels)
    texts = _texts(collection)
    if texts is not None:
        qrels = with_texts(qrels, texts)
    judges = tuple(read_labels_of(labels, qrels))
    notices = [*qrels.notices, *bin_notices(qrels, learned=True), *label_notices(qrels, judges)]
    collection = collection.rereadable().replaced(qrels=qrels)
    infos, occurrences = judged_occurrences(collection) if collection.runs else ([], None)
    notices += [*run_notices(infos), *([] if texts is None else texts.notices)]
    evidence = GradeEvidence(qrels, occurrences, judges, collection.seed)
    return Compared(collection, [info.name for info in infos], evidence, texts, notices)


def _refuse(collection: BaseCollection, measure: Measure, labels: Sequence[LabelFile]) -> None:
    qrels, where = collection.qrels, collection.qrels.source or "qrels"
    if qrels.subtopics is not None:
        raise InputError(
            f"{where}: audit looks at one grade for each topic and document, and these judgments are for subtopics;"
            " if they are not, say --qrels-format trec"
        )
    if not collection.runs and not labels and collection.texts is None:
        raise InputError(
            "there is nothing to compare the judgments with: give runs, labels of other judges (--labels FILE), or what"
            " documents say (--texts FILE)"
        )
    if len(qrels.grade_counts()) < 2:
        grades = ", ".join(map(str, qrels.grade_counts())) or "none"
        raise InputError(f"{where}: audit needs judgments of at least two different grades; there is {grades}")
    if measure.needs:
        raise InputError(f"{measure} needs {sorted(measure.needs)[0]}; audit takes measures of grades, such as nDCG@10")
    if measure.summary != "mean":
        raise InputError(f"{measure} is not a mean over topics; take one that is, such as nDCG@10")


def _texts(collection: BaseCollection) -> Texts | None:
    """What judged documents say."""
    given, qrels = collection.texts, collection.qrels
    if given is None:
        return None
    texts = given if isinstance(given, Texts) else given.read(set(qrels.docs))
    if not (texts.find(qrels.docs) >= 0).any():
        raise InputError(f"{texts.source or 'texts'}: there is no text of any judged document")
    return texts
