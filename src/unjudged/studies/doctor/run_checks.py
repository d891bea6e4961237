"""Checks of one run: its rows, and its topics and documents beside the judgments."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from unjudged.arrays import Ints
from unjudged.data.ids import Ids
from unjudged.data.qrels import State
from unjudged.errors import some_of
from unjudged.limits import FEW_JUDGED
from unjudged.studies.doctor.check import Hit, run_check
from unjudged.studies.doctor.checked_inputs import (
    BLOCK_ROWS,
    DEFINITIONS,
    JUDGED_CUTOFFS,
    Joined,
    RunEvidence,
    document_at,
    first_row,
    plain_ids,
)
from unjudged.wording import counted


@run_check(
    "duplicate-documents",
    "error",
    "documents ranked more than once in a topic",
    next_step="Keep one line for each document of a topic; `unjudged score` refuses the file unless --duplicates says"
    " which line counts, and other tools differ.",
)
def duplicate_documents(evidence: RunEvidence) -> Iterator[Hit]:
    """A topic returns the same document again."""
    pairs = evidence.repeated
    if not len(pairs):
        return
    ordered = np.sort(pairs, axis=1)
    first, again = (int(row) for row in ordered[np.argmin(ordered[:, 1])])
    line = evidence.raw.line(first)
    before = "" if line is None else f", first in line {line}"
    message = f"{counted(len(pairs), 'line ranks', 'lines rank')} a document again"
    yield Hit(len(pairs), message, f"{document_at(evidence.raw, again)}{before}", again, rows=ordered[:, 1])


@run_check(
    "non-finite-scores",
    "error",
    "scores that are NaN or infinite",
    next_step="Find out why the system gave no number; `unjudged score` refuses the file, others rank it anywhere.",
)
def non_finite_scores(evidence: RunEvidence) -> Iterator[Hit]:
    """Such scores cannot be ranked, or only by accident."""
    scores = evidence.raw.scores
    rows = np.flatnonzero(~np.isfinite(scores))
    if len(rows):
        row = int(rows[0])
        message = f"{counted(len(rows), 'score is', 'scores are')} not a finite number"
        yield Hit(len(rows), message, f"{document_at(evidence.raw, row)} has score {scores[row]}", row)


@run_check(
    "no-common-topics",
    "error",
    "runs without any judged topic",
    next_step="See that these judgments belong to this run, and how topics are written on both sides.",
)
def no_common_topics(evidence: RunEvidence) -> Iterator[Hit]:
    """Judgments and run have no topic in common."""
    if evidence.judgments is not None and not evidence.common_topics:
        topic, judged = evidence.run.topics[0], evidence.judgments.qrels.topics[0]
        message = f"none of the run's {counted(len(evidence.run.topics), 'topic')} is judged"
        yield Hit(len(evidence.run.topics), message, f"the run has topic {topic!r}, the judgments {judged!r}", 0)


@run_check(
    "no-common-documents",
    "error",
    "runs without any judged document",
    next_step="See that these judgments belong to this run, and how documents are written on both sides.",
)
def no_common_documents(evidence: RunEvidence) -> Iterator[Hit]:
    """Topics match, but no document of the run is in the judgments of its topic."""
    joined = evidence.joined
    if joined is None or not _is_foreign(joined):
        return
    row = int(joined.rows[0])
    message = f"none of the {counted(len(joined.rows), 'document')} for judged topics is judged"
    judged = list(joined.view.qrels.judgments(joined.view.qrels.topics[int(joined.view.ranking[0])]))
    beside = f", the judgments have {judged[0]!r}" if judged else ""
    yield Hit(len(joined.rows), message, document_at(evidence.raw, row) + beside, row)


def _is_foreign(joined: Joined) -> bool:
    return not (joined.view.states != State.UNPOOLED).any()


@run_check(
    "topics-missing-in-run",
    "warning",
    "judged topics that a run lacks",
    next_step="See that the run is complete. `unjudged score` counts these topics as 0 and says so.",
)
def topics_missing_in_run(evidence: RunEvidence) -> Iterator[Hit]:
    """Topics only in the judgments."""
    if evidence.joined is None:
        return
    topics = evidence.joined.view.qrels.topics
    missing = [topic for topic in topics if topic not in evidence.run.topic_rows]
    if missing:
        message = f"{len(missing):,} of {counted(len(topics), 'judged topic')} {_is(missing)} not in the run"
        yield Hit(len(missing), message, _topics(missing))


@run_check(
    "topics-without-judgments",
    "note",
    "topics of a run that nobody judged",
    next_step="Nothing, if you know that only some topics were judged: the others play no part.",
)
def topics_without_judgments(evidence: RunEvidence) -> Iterator[Hit]:
    """Topics only in the run."""
    if evidence.joined is None:
        return
    raw, judged = evidence.raw, evidence.joined.view.qrels.topic_rows
    extra = [topic for topic in raw.topics.names if topic not in judged]
    if extra:
        message = f"{len(extra):,} of {counted(len(raw.topics.names), 'topic')} {_is(extra)} not judged"
        yield Hit(len(extra), message, _topics(extra), first_row(raw, extra[0]))


@run_check(
    "ids-of-another-type",
    "error",
    "ids that match only without case, leading zeros or a final .0",
    next_step="Write ids the same way on both sides; spreadsheets and data frames turn 07 into 7 and 7 into 7.0.",
)
def ids_of_another_type(evidence: RunEvidence) -> Iterator[Hit]:
    """'07' beside '7': such topics and documents are lost without a word."""
    if evidence.judgments is None:
        return
    qrels, judged = evidence.judgments.qrels, evidence.judgments.plain_topics
    unmatched = [topic for topic in evidence.raw.topics.names if topic not in qrels.topic_rows]
    near = [
        (topic, judged[plain])
        for topic, plain in zip(unmatched, plain_ids(Ids.of(unmatched)), strict=True)
        if plain in judged and judged[plain] not in evidence.run.topic_rows
    ]
    if near:
        topic, other = near[0]
        message = f"{counted(len(near), 'topic')} would match if ids were written alike"
        example = f"the run has topic {topic!r}, the judgments {other!r}"
        yield Hit(len(near), message, example, first_row(evidence.raw, topic))
    if evidence.joined is None:
        return
    rows, judged_rows = _near_documents(evidence.joined)
    if len(rows):
        row = int(evidence.joined.rows[rows[0]])
        other = qrels.docs[int(judged_rows[0])]
        message = f"{counted(len(rows), 'document')} would match if ids were written alike"
        yield Hit(len(rows), message, f"{document_at(evidence.raw, row)}, the judgments have {other!r}", row)


def _near_documents(joined: Joined) -> tuple[Ints, Ints]:
    """Rows of the view that are not in the judgments but nearly, and the rows of the judgments they are near to."""
    rows, judged_rows = [], []
    start = 0
    for block in joined.view.blocks(BLOCK_ROWS):
        topics, ids = block.topics[block.ranking], block.doc_ids()
        holes = np.flatnonzero(block.states == State.UNPOOLED)
        matches = joined.judgments.plain_pairs.find(topics[holes], plain_ids(ids.take(holes)))
        near = np.flatnonzero(matches >= 0)
        if len(near):
            # Where the run has the judged document as well, the two are different documents.
            exact = block.qrels.pairs.find(topics, ids)
            near = near[~np.isin(matches[near], exact)]
        rows.append(start + holes[near])
        judged_rows.append(matches[near])
        start += len(ids)
    return np.concatenate(rows), np.concatenate(judged_rows)


@run_check(
    "mixed-run-names",
    "warning",
    "files with more than one run name in the last column",
    next_step="See that the file is not several runs one after the other; the name in the first line is used.",
)
def mixed_run_names(evidence: RunEvidence) -> Iterator[Hit]:
    """The sixth column changes inside a file."""
    tags = evidence.raw.tags
    if tags is not None and len(tags.names) > 1:
        row = int(np.flatnonzero(tags.codes != tags.codes[0])[0])
        first, second = (tags.names[int(tags.codes[at])] for at in (0, row))
        message = f"the run has {len(tags.names):,} names"
        yield Hit(len(tags.names), message, f"{second!r} follows {first!r}", row)


@run_check(
    "all-scores-equal",
    "warning",
    "topics in which all documents have one score",
    next_step="Write scores that descend with the rank; document ids decide the order now.",
)
def all_scores_equal(evidence: RunEvidence) -> Iterator[Hit]:
    """Ties from first to last: the order is the tie rule's, not the system's."""
    run = evidence.run
    lengths = np.diff(run.offsets)
    topics = np.flatnonzero(lengths > 1)
    topics = topics[run.scores[run.offsets[topics]] == run.scores[run.offsets[topics + 1] - 1]]
    if len(topics):
        topic = int(topics[0])
        start = int(run.offsets[topic])
        message = f"in {len(topics):,} of {counted(len(run.topics), 'topic')} all documents have the same score"
        example = f"topic {run.topics[topic]!r}, {counted(int(lengths[topic]), 'document')} with score"
        yield Hit(len(topics), message, f"{example} {run.scores[start]:g}", int(evidence.rows[start]))


@run_check(
    "few-judged",
    "warning",
    "runs with too little of their top 10 judged",
    next_step="Do not read a low score as a bad run; `unjudged score` shows what it could be and what is likely.",
)
def few_judged(evidence: RunEvidence) -> Iterator[Hit]:
    """Scores of such a run say as much about the pool as about the run."""
    if evidence.joined is None or _is_foreign(evidence.joined):
        return
    share = evidence.judged[DEFINITIONS[0]][JUDGED_CUTOFFS.index(10)]
    if share < evidence.min_judged:
        top = evidence.joined.view.top(10)
        holes = top.count(~top.judged)
        worst = int(np.argmax(holes))
        example = f"topic {top.qrels.topics[worst]!r}, {int(holes[worst])} unjudged"
        message = f"{share:.1%} of the documents in the top 10 are judged, less than {evidence.min_judged:.0%}"
        yield Hit(int(holes.sum()), message, example)


@run_check(
    "deeper-than-judged",
    "note",
    "runs of which most documents were never judged",
    next_step="Choose measures with a cut-off no deeper than the pool. Without one (AP, R-precision, nDCG) a score says"
    " how early the known relevant documents come, among all that are known, and takes the others as not relevant.",
)
def deeper_than_judged(evidence: RunEvidence) -> Iterator[Hit]:
    """The top is judged, and what is below was never pooled."""
    if evidence.joined is None or _is_foreign(evidence.joined):
        return
    view = evidence.joined.view
    holes, top = int((~view.judged).sum()), evidence.judged[DEFINITIONS[0]][JUDGED_CUTOFFS.index(10)]
    if top >= FEW_JUDGED and holes > len(view.judged) / 2:
        share = holes / len(view.judged)
        yield Hit(holes, f"{share:.0%} of {counted(len(view.judged), 'document')} for judged topics were never judged")


def _topics(topics: list[str]) -> str:
    return f"{'topic' if len(topics) == 1 else 'topics'} {some_of(list(map(repr, topics)), 3)}"


def _is(things: list[str]) -> str:
    return "is" if len(things) == 1 else "are"
