"""An audit of real judgments: DL19 with its runs, its texts, and errors that are planted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import unjudged as uj

pytestmark = [pytest.mark.shared, pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")]


def test_errors_planted_in_dl19_are_found_at_the_rate_that_is_said(shared_data: Path) -> None:
    folder = shared_data / "dl19"
    qrels, rng = uj.read_qrels(folder / "2019qrels-pass.txt"), np.random.default_rng(7)
    grades = qrels.grades.copy()
    for start, end in zip(qrels.offsets[:-1].tolist(), qrels.offsets[1:].tolist(), strict=True):
        blind = start + np.flatnonzero(rng.random(end - start) < 0.05)
        grades[blind] = rng.choice(qrels.grades[start:end], size=len(blind))
    wrong = {
        (qrels.topics[qrels.topic_of_row[row]], qrels.docs[row])
        for row in np.flatnonzero(grades != qrels.grades).tolist()
    }
    result = uj.audit(replace(qrels, grades=grades), folder / "runs", "P@5", groups=folder / "runs_teams.tsv", top=463)
    said = next(row for row in result.planted() if row.checked == 463)
    found = sum((row.topic, row.doc) in wrong for row in result.suspects()) / len(wrong)
    assert abs(found - said.found) < 0.06
    assert result.most_blind > 0.05


def test_the_worst_judgment_of_dl19_has_copies_with_another_grade(shared_data: Path) -> None:
    """Its two near-duplicates, which the audit does not need to know it, are judged to be relevant."""
    folder = shared_data / "dl19"
    result = uj.audit(
        folder / "2019qrels-pass.txt",
        folder / "runs",
        groups=folder / "runs_teams.tsv",
        texts=folder / "qrels_text.dl19.gz",
        labels=folder / "llm_labels" / "TREMA_Sun.qrel.gz",
        top=1,
    )
    (worst,) = result.suspects()
    assert (worst.topic, worst.doc, worst.grade, worst.likely) == ("1106007", "4173712", 0, 2)
    copies = [(row.other, row.other_grade) for row in result.duplicates() if row.doc == worst.doc]
    assert copies == [("2960563", 2), ("8521673", 2)]
