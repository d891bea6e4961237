"""Is a candidate worse than a baseline, and which judgments would tell where nobody can say?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from unjudged.arrays import Floats
from unjudged.collection import BaseCollection
from unjudged.data.segments import Segments
from unjudged.errors import InputError
from unjudged.holes import HoleModel
from unjudged.io.sources import as_path
from unjudged.measures.base import Measure
from unjudged.measures.requested import check_needs
from unjudged.results.gate import Answer, Gate, GateRow, JudgmentToMake, SegmentGuardRow
from unjudged.results.scores import mean_known
from unjudged.results.tabular import number_or_none
from unjudged.spec import Real
from unjudged.studies.gate.decision import Difference, corrected, decide, difference_of, overall
from unjudged.studies.gate.judgments import OpenDocuments, open_documents, rows_to_judge
from unjudged.studies.runs_to_compare import ComparedRuns, joint_draws_of, model_for, read_runs_to_compare

__all__ = ["gate"]


def gate(
    collection: BaseCollection,
    measures: Sequence[Measure],
    *,
    margin: float = 0.01,
    confidence: float = 0.95,
    draws: int | None = None,
    holes: HoleModel | None = None,
    segments: Segments | None = None,
    segment_margin: float | None = None,
) -> Gate:
    """Decide whether the second run of a collection is worse than the first; further runs are evidence only.

    No segment may be worse by more than its margin, which is that of the whole unless given.
    """
    provenance = collection.provenance(segments=None if segments is None else as_path(segments.source))
    if segment_margin is not None and segments is None:
        raise InputError("--segment-margin is about segments: give --segments FILE (segments= in Python), too")
    margin = Real(0, 1).checked("the margin", margin)
    limit = margin if segment_margin is None else Real(0, 1).checked("the segment margin", segment_margin)
    confidence = Real(0.5, 1, "neither").checked("the confidence", confidence)
    if not measures:
        raise InputError("a gate needs a measure, such as nDCG@10")
    if len(collection.runs) < 2:
        raise InputError(f"a gate needs a baseline and a candidate, not {len(collection.runs)} run")
    for measure in measures:
        if measure.summary != "mean":
            raise InputError(f"{measure} is not a mean over topics; use a measure that is, such as nDCG@10")
    check_needs(collection.qrels, measures, texts=collection.texts is not None)
    if len(measures) > 1:
        collection = collection.rereadable()
    looked = [_look(collection, measure, holes, draws, confidence) for measure in measures]
    guards = [] if segments is None else [part for one in looked for part in _parts(one, segments, confidence)]
    p = corrected([*(one.drawn.p_below(0.0) for one in looked), *(part.difference.p_below(-limit) for part in guards)])
    rows = tuple(
        _row(one, adjusted, margin=margin, confidence=confidence)
        for one, adjusted in zip(looked, p[: len(looked)], strict=True)
    )
    guard_rows = tuple(
        part.row(adjusted, limit=limit, confidence=confidence)
        for part, adjusted in zip(guards, p[len(looked) :], strict=True)
    )
    answer = overall([row.answer for row in rows], [row.failed for row in guard_rows])
    first = looked[0]
    notices = dict.fromkeys(notice for one in looked for notice in one.compared.notices)
    if segments is not None:
        notices |= dict.fromkeys(segments.notices(first.compared.topics))
    what = _what_to_judge(collection, looked, rows, answer, margin, confidence)
    return Gate(
        answer=answer,
        baseline=first.compared.names[0],
        candidate=first.compared.names[1],
        margin=margin,
        segment_margin=limit,
        confidence=confidence,
        draws=first.draws,
        holes=str(first.model),
        unjudged=what.unjudged,
        needed=what.needed,
        chance=what.chance,
        tables={"measures": rows, "segments": guard_rows, "judgments": what.rows},
        warnings=tuple(notices),
        provenance=provenance,
    )


class _Looked(NamedTuple):
    """What one measure says about the two runs."""

    measure: Measure
    model: HoleModel
    draws: int
    compared: ComparedRuns
    drawn: Difference
    plain: Difference
    scores: Floats
    """Scores of each topic in each world, candidate less baseline: shape (draws, topics)."""


def _look(
    collection: BaseCollection, measure: Measure, holes: HoleModel | None, draws: int | None, confidence: float
) -> _Looked:
    model = model_for(holes, None, measure, collection.groups)
    model.check(measure)
    joint = joint_draws_of(model, draws)
    compared = read_runs_to_compare(collection, measure, model, joint)
    baseline, candidate = compared.chosen([0, 1]).scores_in_worlds(measure, joint.draws)
    scores = np.ascontiguousarray((candidate - baseline).T)
    kept = compared.kept
    plain = (compared.scored_runs[1].scores - compared.scored_runs[0].scores)[kept]
    return _Looked(
        measure,
        model,
        joint.draws,
        compared,
        difference_of(scores, confidence),
        difference_of(plain[None], confidence),
        scores,
    )


def _row(looked: _Looked, p: float, *, margin: float, confidence: float) -> GateRow:
    drawn, plain, kept = looked.drawn, looked.plain, looked.compared.kept
    runs = looked.compared.scored_runs[:2]
    judged = mean_known(np.stack([one.judged[kept] for one in runs]))
    variance = drawn.topics + drawn.holes
    return GateRow(
        measure=str(looked.measure),
        answer=decide(drawn, p, margin=margin, confidence=confidence),
        difference=drawn.mean,
        low=number_or_none(drawn.low),
        high=number_or_none(drawn.high),
        p=p,
        plain=plain.mean,
        plain_low=number_or_none(plain.low),
        plain_high=number_or_none(plain.high),
        plain_answer=decide(plain, plain.p_below(0.0), margin=margin, confidence=confidence),
        baseline=float(runs[0].scores[kept].mean()),
        candidate=float(runs[1].scores[kept].mean()),
        judged_baseline=number_or_none(judged[0]),
        judged_candidate=number_or_none(judged[1]),
        holes=drawn.holes / variance if variance > 0 else 0.0,
        topics=len(kept),
    )


class _Part(NamedTuple):
    """What one measure says on one segment."""

    segment: str
    measure: str
    difference: Difference
    topics: int

    def row(self, p: float, *, limit: float, confidence: float) -> SegmentGuardRow:
        """The row, with the corrected p-value of a loss beyond the limit."""
        low, high = number_or_none(self.difference.low), number_or_none(self.difference.high)
        failed = p < (1 - confidence) / 2
        return SegmentGuardRow(
            self.segment, self.measure, failed, self.difference.mean, low, high, p, limit, self.topics
        )


def _parts(looked: _Looked, segments: Segments, confidence: float) -> list[_Part]:
    """The segments that have topics with scores."""
    return [
        _Part(name, str(looked.measure), difference_of(looked.scores[:, places], confidence), len(places))
        for name, places in segments.positions(looked.compared.topics).items()
    ]


class _ToJudge(NamedTuple):
    """What would decide, for the first measure that is undecided."""

    unjudged: int
    needed: int | None = None
    chance: float | None = None
    rows: tuple[JudgmentToMake, ...] = ()


def _what_to_judge(
    collection: BaseCollection,
    looked: Sequence[_Looked],
    rows: Sequence[GateRow],
    answer: Answer,
    margin: float,
    confidence: float,
) -> _ToJudge:
    open_ = next((one for one, row in zip(looked, rows, strict=True) if row.answer == "undecided"), looked[0])
    if not open_.measure.has_holes:
        return _ToJudge(0, chance=0.0 if answer == "undecided" else None)
    documents: OpenDocuments = open_documents(open_.measure, open_.compared)
    if answer != "undecided":
        return _ToJudge(len(documents.holes))
    if not len(documents.holes):
        return _ToJudge(0, chance=0.0)
    needed, chance = documents.outlook(open_.drawn, margin=margin, confidence=confidence)
    number = len(documents.holes) if needed is None else needed
    return _ToJudge(
        len(documents.holes), needed, chance, rows_to_judge(open_.compared.collection, open_.measure, documents, number)
    )
