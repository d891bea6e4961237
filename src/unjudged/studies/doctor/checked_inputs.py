"""What the checks look at: raw rows, and the judgments or the run that can still be made of them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.data.ids import Ids, PairIndex
from unjudged.data.qrels import (
    GRADE_LIMIT,
    Qrels,
    build_qrels,
    has_several_subtopics,
    meaning_of_negative_grades,
    repeated_judgments,
)
from unjudged.data.run import Run, TopicColumn, build_run, keep_one_of_each, repeated_docs
from unjudged.data.spans import offsets_of
from unjudged.data.view import View, join
from unjudged.errors import FileError
from unjudged.io.raw import RawQrels, RawRun
from unjudged.limits import NegativeGrades, QrelsFormat, ScoreType
from unjudged.measures import Judged

__all__ = [
    "BLOCK_ROWS",
    "DEFINITIONS",
    "JUDGED_CUTOFFS",
    "JUDGED_RANKS",
    "Joined",
    "QrelsEvidence",
    "RunEvidence",
    "document_at",
    "examine_qrels",
    "examine_run",
    "first_row",
    "plain_ids",
]


JUDGED_CUTOFFS = (5, 10, 20, 100, 1000)
JUDGED_RANKS = 100
"""Ranks for which it is known one by one how much is judged there."""

DEFINITIONS = ("unjudged", "ir_measures", "trec_eval", "beir")
"""Whose idea of "share judged at k"; ours first. :class:`unjudged.measures.Judged` explains them."""

BLOCK_ROWS = 1 << 18
"""Rows looked at together, to bound memory."""

_WHOLE = re.compile(r"[+-]?[0-9]+")


@dataclass(frozen=True, eq=False)
class QrelsEvidence:
    """Judgments, with what is wrong about them.

    ``qrels`` is what the runs are compared with: of repeated judgments the first, 0 for a grade that is no number.
    """

    raw: RawQrels
    qrels: Qrels
    repeated: Ints
    """(input row, input row of the first) of judgments that are there more than once."""
    odd_grades: tuple[str, ...]
    """Grades that are no numbers, as written."""
    negative_grades: tuple[str, ...]
    negative: NegativeGrades
    """What these were taken for."""

    @cached_property
    def plain_topics(self) -> dict[str, str]:
        """Topics by their plain form (see :func:`plain_ids`)."""
        return dict(zip(plain_ids(Ids.of(self.qrels.topics)), self.qrels.topics, strict=True))

    @cached_property
    def plain_pairs(self) -> PairIndex:
        """Finds (topic position, plain form of a document)."""
        return PairIndex(self.qrels.topic_of_row, plain_ids(self.qrels.docs))

    def rows_with(self, grades: tuple[str, ...]) -> Ints:
        """Input rows with one of these grades."""
        column = self.raw.grades
        wanted = np.array([name in grades for name in column.names], dtype=bool)
        return np.flatnonzero(wanted[column.codes])


@dataclass(frozen=True, eq=False)
class Joined:
    """A run joined with the judgments; ``scores`` and ``rows`` (input rows) belong to the rows of ``view``."""

    judgments: QrelsEvidence
    view: View
    scores: Floats
    rows: Ints


@dataclass(frozen=True, eq=False)
class RunEvidence:
    """A run, with what is wrong about it. ``run`` has every document once; scores that are NaN rank last."""

    raw: RawRun
    run: Run
    rows: Ints
    """Input row of each row of ``run``."""
    repeated: Ints
    """(input row, input row of the better ranked one) of documents that a topic has more than once."""
    judgments: QrelsEvidence | None
    cutoffs: tuple[int, ...]
    """Where to look for ties."""
    min_judged: float
    """The share judged of the top 10 that is enough."""

    @cached_property
    def common_topics(self) -> tuple[str, ...]:
        """Judged topics that the run has."""
        judged = () if self.judgments is None else self.judgments.qrels.topics
        return tuple(topic for topic in judged if topic in self.run.topic_rows)

    @cached_property
    def joined(self) -> Joined | None:
        """The run joined with the judgments; None where they have nothing in common."""
        if self.judgments is None or not self.common_topics:
            return None
        qrels, run = self.judgments.qrels, self.run
        view = join(run, qrels)
        position = np.array([run.topic_rows.get(topic, 0) for topic in qrels.topics], dtype=np.int64)
        shift = np.repeat(run.offsets[position] - view.offsets[:-1], view.lengths)
        rows = np.arange(len(shift)) + shift
        return Joined(self.judgments, view, run.scores[rows], self.rows[rows])

    @cached_property
    def judged(self) -> dict[str, list[float]]:
        """Share judged at each of ``JUDGED_CUTOFFS``, for each definition; empty without common topics.

        The mean is over the judged topics that the run has: a topic that it lacks says nothing about its documents.
        """
        if self.joined is None:
            return {}
        answered = self.joined.view.lengths > 0
        blocks = list(self.joined.view.blocks(BLOCK_ROWS))
        shares: dict[str, list[float]] = {}
        for definition in DEFINITIONS:
            shares[definition] = []
            for cutoff in JUDGED_CUTOFFS:
                measure = Judged(as_in=definition, cutoff=cutoff)
                values = np.concatenate([measure.score(block) for block in blocks])
                shares[definition].append(measure.summarise(values[answered]))
        return shares

    @cached_property
    def judged_at(self) -> tuple[float, ...]:
        """Share judged of the documents at each of the first ``JUDGED_RANKS`` ranks; empty without common topics."""
        if self.joined is None:
            return ()
        view = self.joined.view.top(JUDGED_RANKS)
        place = view.rank - 1
        judged = np.bincount(place, weights=view.judged)
        return tuple((judged / np.bincount(place)).tolist())


def examine_qrels(raw: RawQrels, *, kind: QrelsFormat = "auto", negative: NegativeGrades = "auto") -> QrelsEvidence:
    """Make judgments of raw rows, whatever is wrong with them."""
    numbers = [_grade(text) for text in raw.grades.names]
    values = np.array([number for number, _ in numbers])
    grades = values[raw.grades.codes]

    second = raw.second if kind in {"auto", "diversity"} and raw.strata is None else None
    is_sure = kind == "diversity" or not raw.is_file
    if second is not None and not is_sure and not has_several_subtopics(raw.topics, raw.docs, second):
        second = None

    def build(chosen: Ints) -> tuple[Qrels, Ints]:
        qrels, rows = build_qrels(
            _some(raw.topics, chosen),
            raw.docs.take(chosen),
            grades[chosen],
            strata=None if raw.strata is None else raw.strata[chosen],
            subtopics=None if second is None else _some(second, chosen),
            negative=negative,
            source=raw.source,
        )
        return qrels, chosen[rows]

    if negative == "auto":
        negative = meaning_of_negative_grades(raw.topics, grades, raw.strata)
    every = np.arange(len(grades), dtype=np.int64)
    qrels, rows = build(every)
    if not len(qrels):
        raise FileError(raw.source, "all grades are below 0, so dropping them leaves no judgment")
    repeated = rows[repeated_judgments(qrels)]
    if len(repeated):
        qrels, _ = build(np.setdiff1d(every, repeated[:, 0]))
    return QrelsEvidence(
        raw,
        qrels,
        repeated,
        odd_grades=tuple(text for text, (_, good) in zip(raw.grades.names, numbers, strict=True) if not good),
        negative_grades=tuple(text for text, (number, _) in zip(raw.grades.names, numbers, strict=True) if number < 0),
        negative=negative,
    )


def _some(column: TopicColumn, rows: Ints) -> TopicColumn:
    return TopicColumn(column.names, column.codes[rows])


def examine_run(
    raw: RawRun,
    judgments: QrelsEvidence | None,
    *,
    cutoffs: tuple[int, ...],
    min_judged: float,
    score_type: ScoreType = "float64",
) -> RunEvidence:
    """Make a run of raw rows, whatever is wrong with them."""
    scores = np.where(np.isnan(raw.scores), -np.inf, raw.scores)
    run, origins = build_run(raw.name, raw.topics, raw.docs, scores, source=raw.source, score_type=score_type)
    rows = origins.all()
    pairs = repeated_docs(run)
    repeated = rows[pairs]
    if len(pairs):
        run, gone = keep_one_of_each(run, pairs, "best", origins)
        rows = np.delete(rows, gone)
    return RunEvidence(raw, run, rows, repeated, judgments, cutoffs, min_judged)


def document_at(raw: RawQrels | RawRun, row: int) -> str:
    """The document of an input row, in words."""
    return f"document {raw.docs[row]!r} of topic {raw.topics.names[int(raw.topics.codes[row])]!r}"


def first_row(raw: RawQrels | RawRun, topic: str) -> int:
    """The first input row of a topic."""
    return int(raw.topics.rows_of([topic])[0])


def _grade(text: str) -> tuple[float, bool]:
    """The grade to go on with, and whether it is a number as it should be."""
    try:
        number = float(text)  # not int(), which refuses thousands of digits
    except ValueError:
        return 0, False
    if not math.isfinite(number) and not _WHOLE.fullmatch(text):
        return 0, False
    number = max(-GRADE_LIMIT, min(GRADE_LIMIT, number))
    return int(number) if number == int(number) else number, "_" not in text


def plain_ids(ids: Ids) -> Ids:
    """Ids without what gets lost when an id passes through another type: case, leading zeros, a final ``.0``.

    ``07``, ``7`` and ``7.0`` have one plain form, and so have ``FBIS3-0001`` and ``fbis3-1``. Two different ids with
    one plain form are a sign of a mistake, not a proof.
    """
    blob, offsets = ids.blob, ids.offsets
    if not len(blob):
        return ids
    upper = (blob >= ord("A")) & (blob <= ord("Z"))
    text = np.where(upper, blob + 32, blob).astype(np.uint8)
    digit = (text >= ord("0")) & (text <= ord("9"))
    lengths = np.diff(offsets)
    starts, ends = offsets[:-1], offsets[1:]
    drop = np.zeros(len(text), dtype=bool)
    long = np.flatnonzero(lengths >= 3)
    dotted = long[(text[ends[long] - 2] == ord(".")) & (text[ends[long] - 1] == ord("0")) & digit[ends[long] - 3]]
    drop[ends[dotted] - 2] = drop[ends[dotted] - 1] = True
    # A zero is dropped where a number begins with it and goes on after it: leading zeros, one more at each turn.
    begins = np.ones(len(text), dtype=bool)
    begins[1:] = ~digit[:-1]
    begins[starts[lengths > 0]] = True
    goes_on = np.zeros(len(text), dtype=bool)
    goes_on[:-1] = digit[1:]
    goes_on[ends[lengths > 0] - 1] = False
    zeros = np.flatnonzero(begins & goes_on & (text == ord("0")))
    while len(zeros):
        drop[zeros] = True
        following = zeros + 1
        zeros = following[goes_on[following] & (text[following] == ord("0"))]
    return Ids(text[~drop], offsets_of(~drop)[offsets])
