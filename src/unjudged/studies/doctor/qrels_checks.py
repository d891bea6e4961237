"""Checks of the judgments alone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from unjudged.data.qrels import GRADE_LIMIT
from unjudged.errors import some_of
from unjudged.studies.doctor.check import Hit, qrels_check
from unjudged.studies.doctor.checked_inputs import QrelsEvidence, document_at, first_row
from unjudged.wording import counted


@qrels_check(
    "duplicate-judgments",
    "error",
    "documents judged more than once for a topic, with the same grade",
    next_step="Remove the repeated lines; `unjudged score` refuses the file.",
)
def duplicate_judgments(evidence: QrelsEvidence) -> Iterator[Hit]:
    """The same judgment twice."""
    yield from _repeated(evidence, conflicting=False)


@qrels_check(
    "conflicting-judgments",
    "error",
    "documents judged more than once for a topic, with different grades",
    next_step="Decide on one grade for each document of a topic; `unjudged score` refuses the file.",
)
def conflicting_judgments(evidence: QrelsEvidence) -> Iterator[Hit]:
    """Two judgments that contradict each other."""
    yield from _repeated(evidence, conflicting=True)


def _repeated(evidence: QrelsEvidence, *, conflicting: bool) -> Iterator[Hit]:
    raw = evidence.raw
    rows = evidence.repeated
    kinds: dict[float | str, int] = {}
    kind = np.array([kinds.setdefault(_meant(text), len(kinds)) for text in raw.grades.names])[raw.grades.codes]
    differs = kind[rows[:, 0]] != kind[rows[:, 1]]
    pairs = rows[differs == conflicting]
    if not len(pairs):
        return
    row, first = min((int(later), int(earlier)) for later, earlier in pairs)
    grade, other = (raw.grades.names[int(raw.grades.codes[at])] for at in (row, first))
    line = raw.line(first)
    before = f"in line {line}" if line is not None else "before"
    example = f"{document_at(raw, row)} has grade {grade}, {f'but {other}' if conflicting else 'as'} {before}"
    how = ("line contradicts", "lines contradict") if conflicting else ("line repeats", "lines repeat")
    yield Hit(len(pairs), f"{counted(len(pairs), *how)} an earlier judgment", example, row, rows=pairs[:, 0])


def _meant(grade: str) -> float | str:
    """The same for 1, 01 and +1, which do not contradict each other."""
    try:
        return float(grade)
    except ValueError:
        return grade


@qrels_check(
    "grades-that-are-no-numbers",
    "error",
    "grades that are not numbers",
    next_step="Write grades as numbers; `unjudged score` refuses the file.",
)
def grades_that_are_no_numbers(evidence: QrelsEvidence) -> Iterator[Hit]:
    """Grades such as 'relevant'."""
    if not evidence.odd_grades:
        return
    rows = evidence.rows_with(evidence.odd_grades)
    kinds = some_of(evidence.odd_grades)
    message = f"{counted(len(rows), 'grade is', 'grades are')} not a number: {kinds}"
    yield Hit(len(rows), message, _judgment(evidence, int(rows[0])), int(rows[0]))


@qrels_check(
    "fractional-grades",
    "note",
    "grades that are not whole numbers",
    next_step="Nothing here: gains are these grades, and `rel` may be one, as in P(rel=0.5)@10."
    " trec_eval and pytrec_eval read the whole part, or refuse them.",
)
def fractional_grades(evidence: QrelsEvidence) -> Iterator[Hit]:
    """Grades such as 0.5."""
    names = [text for text in evidence.raw.grades.names if text not in evidence.odd_grades]
    fractional = tuple(text for text in names if not float(text).is_integer())
    if fractional:
        rows = evidence.rows_with(fractional)
        message = f"{counted(len(rows), 'grade is', 'grades are')} not a whole number: {some_of(fractional)}"
        yield Hit(len(rows), message, _judgment(evidence, int(rows[0])), int(rows[0]))


@qrels_check(
    "huge-grades",
    "error",
    f"grades beyond {GRADE_LIMIT:,}",
    next_step="See that no other column (a score, a document number) stands where the grade belongs;"
    " `unjudged score` refuses the file.",
)
def huge_grades(evidence: QrelsEvidence) -> Iterator[Hit]:
    """Numbers that cannot be grades."""
    whole = [text for text in evidence.raw.grades.names if text not in evidence.odd_grades]
    huge = tuple(text for text in whole if abs(float(text)) > GRADE_LIMIT)
    if huge:
        rows = evidence.rows_with(huge)
        message = f"{counted(len(rows), 'grade')} beyond {GRADE_LIMIT:,}"
        yield Hit(len(rows), message, _judgment(evidence, int(rows[0])), int(rows[0]))


@qrels_check(
    "negative-grades",
    "note",
    "grades below 0",
    next_step="See that this is what they mean: where nobody says, -1 beside 0 on half of the topics or more, or in"
    " five columns, is a sample of a pool, and all else is a judgment. If not, say so with --negative: pooled (but not"
    " judged, as trec_eval reads them), judged (with grade 0, right for the Web track's -2, spam), or drop.",
)
def negative_grades(evidence: QrelsEvidence) -> Iterator[Hit]:
    """-1 may mean pooled but not judged; anything below is usually a judgment."""
    if not evidence.negative_grades:
        return
    taken = {"pooled": "taken as pooled but not judged", "judged": "taken as judged, with grade 0", "drop": "dropped"}
    rows = evidence.rows_with(evidence.negative_grades)
    kinds = sorted(evidence.negative_grades, key=float, reverse=True)
    shown = some_of([f"{kind} ({counted(len(evidence.rows_with((kind,))), 'time')})" for kind in kinds])
    unusual = [kind for kind in kinds if float(kind) != -1]
    row = int(evidence.rows_with(tuple(unusual))[0] if unusual else rows[0])
    yield Hit(
        len(rows),
        f"{counted(len(rows), 'grade')} below 0: {shown}; {taken[evidence.negative]}",
        _judgment(evidence, row),
        row,
        severity="warning" if unusual and evidence.negative == "pooled" else "note",
    )


@qrels_check(
    "topics-without-relevant",
    "note",
    "judged topics without a relevant document",
    next_step="Know that every run scores 0 there, or is undefined; leave such topics out if you do not want that.",
)
def topics_without_relevant(evidence: QrelsEvidence) -> Iterator[Hit]:
    """No document of the topic has a grade of 1 or more."""
    qrels = evidence.qrels
    relevant = qrels.count(qrels.judged & (qrels.grades >= qrels.above_zero))
    topics = np.flatnonzero(relevant == 0)
    if not len(topics):
        return
    topic = qrels.topics[int(topics[0])]
    has = "has" if len(topics) == 1 else "have"
    least = "above 0" if qrels.has_fractions else "1 or more"
    message = f"{len(topics):,} of {counted(len(qrels.topics), 'judged topic')} {has} no document with grade {least}"
    yield Hit(len(topics), message, f"topic {topic!r}", first_row(evidence.raw, topic))


@qrels_check(
    "grades-below-rel",
    "warning",
    "no grade of 1 or more",
    next_step="Say which grades count as relevant, as in P(rel=0.5)@10; without it nothing does, but for nDCG and other"
    " measures whose gains are the grades.",
)
def grades_below_rel(evidence: QrelsEvidence) -> Iterator[Hit]:
    """The scale ends below what measures count as relevant unless they are told."""
    qrels = evidence.qrels
    top = qrels.grades[qrels.judged].max(initial=0)
    if 0 < top < 1:
        yield Hit(int(qrels.judged.sum()), f"the highest grade is {top:g}")


def _judgment(evidence: QrelsEvidence, row: int) -> str:
    grades = evidence.raw.grades
    return f"{document_at(evidence.raw, row)} has grade {grades.names[int(grades.codes[row])]}"
