"""Which judgments are probably wrong: those that all that is known beside them speaks against, the worst first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from unjudged.collection import BaseCollection
from unjudged.errors import InputError, Notice
from unjudged.io.assessors import read_assessors
from unjudged.io.label_files import LabelFile
from unjudged.io.sources import as_path
from unjudged.limits import Real, Whole
from unjudged.measures.base import Measure
from unjudged.results.audit import AssessorRow, Audit
from unjudged.studies.audit.assessor_tables import assessor_rows, numbered_assessors
from unjudged.studies.audit.judgments_beside_evidence import Compared, compare_judgments
from unjudged.studies.audit.tables import (
    Changes,
    different_duplicates,
    duplicate_rows,
    planted_rows,
    suspect_rows,
    unfound_rows,
)

__all__ = ["audit"]


def audit(
    collection: BaseCollection,
    measure: Measure,
    *,
    labels: Sequence[LabelFile] = (),
    assessors: Any = None,
    error_rate: float | None = None,
    top: int = 100,
) -> Audit:
    """Compare each judgment with all that is known beside it: runs, texts, and *labels* of other judges.

    *measure*: whose change is told if a judgment changes. *assessors*: who judged what. *error_rate*: the share of
    judgments that are taken to be blind; the largest that is possible unless given. *top*: suspects that are listed,
    and duplicates of which the change of scores is told.
    """
    top = Whole(1).checked("top", top)
    if error_rate is not None:
        error_rate = Real(0, 1, "neither").checked("error_rate", error_rate)
    paths = [path for one in labels if (path := as_path(one.source)) is not None]
    provenance = collection.provenance(labels=paths, assessors=assessors)
    who = None if assessors is None else read_assessors(assessors)
    compared = compare_judgments(collection, measure, labels)
    evidence, qrels = compared.evidence, compared.qrels
    listed, duplicates = compared.order[:top], different_duplicates(compared)
    again, beside = duplicates.first[:top], duplicates.second[:top]
    means = compared.mean_scores(
        measure,
        evidence.rows[np.concatenate([listed, again])],
        np.concatenate([evidence.grades[compared.likely[listed]], qrels.grades[evidence.rows[beside]]]),
    )
    changes = Changes(list(compared.runs), means)
    rate = compared.blind.most if error_rate is None else error_rate
    wrong, notices = compared.blind.wrong(rate), list(compared.notices)
    judged_by: list[AssessorRow] = []
    if who is not None:
        names, numbers = numbered_assessors(qrels, evidence.rows, who)
        notices += _unknown(names, numbers, str(as_path(assessors) or "assessors"))
        grades = qrels.grades[evidence.rows].astype(np.float64)
        judged_by = assessor_rows(names, numbers, evidence.topics, grades, evidence.expected_elsewhere, listed)
    return Audit(
        measure=str(measure),
        judgments=len(evidence.rows),
        evidence=_compared_with(compared),
        most_blind=compared.blind.most,
        error_rate=rate,
        tables={
            "suspects": tuple(suspect_rows(compared, wrong, listed, changes)),
            "planted": tuple(planted_rows(compared, wrong)),
            "unfound": tuple(unfound_rows(compared)),
            "duplicates": tuple(duplicate_rows(compared, duplicates, changes, len(listed))),
            "assessors": tuple(judged_by),
        },
        warnings=tuple(notices),
        provenance=provenance,
    )


def _compared_with(compared: Compared) -> tuple[str, ...]:
    kinds = (("runs", bool(compared.runs)), ("texts", compared.texts is not None))
    return (*(name for name, there in kinds if there), *(one.name for one in compared.evidence.labels))


def _unknown(names: Sequence[str], numbers: object, where: str) -> list[Notice]:
    """Judgments of whom nobody knows; an error where that is all of them."""
    without = int((np.asarray(numbers) < 0).sum())
    if not names:
        raise InputError(f"{where}: no judgment has an assessor; topics and documents must be those of the judgments")
    text = f"{where}: {without:,} judgments have no assessor; they are left out of the table of assessors"
    return [Notice("no-assessor", without, text)] if without else []
