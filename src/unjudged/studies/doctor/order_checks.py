"""Checks of a run's order: ties, and the rank column beside the scores."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.data.run import group_rows
from unjudged.data.view import View
from unjudged.io.raw import RawRun
from unjudged.measures import P, nDCG
from unjudged.studies.doctor.check import Hit, run_check
from unjudged.studies.doctor.checked_inputs import RunEvidence
from unjudged.wording import counted

__all__ = ["blocks_of_ties", "extreme_orders", "tied_at"]

NOTABLE_RANGE = 0.01
"""From this range of a mean on, ties are a warning: differences of this size get published."""


@run_check(
    "ties-at-cutoff",
    "note",
    "ties across a cut-off, so that document ids decide what is inside",
    next_step="Write scores with more digits. A warning means that the order of ties moves a mean by 0.01 or more.",
)
def ties_at_cutoff(evidence: RunEvidence) -> Iterator[Hit]:
    """Documents at ranks k and k + 1 have the same score; what P@k and nDCG@k can be in any order of the tied."""
    if evidence.joined is None:
        return
    view, scores = evidence.joined.view, evidence.joined.scores
    blocks = blocks_of_ties(view, scores)
    for cutoff in evidence.cutoffs:
        topics = tied_at(view, blocks, cutoff)
        if not len(topics):
            continue
        worst, best = extreme_orders(view, blocks, cutoff)
        shown: list[str] = []
        width = 0.0
        for measure in (P @ cutoff, nDCG @ cutoff):
            low, here, high = (measure.summarise(measure.score(one)) for one in (worst, view, best))
            shown.append(_range(str(measure), low, here, high))
            width = max(width, high - low)
        row = int(view.offsets[topics[0]]) + cutoff
        tied = int((blocks == blocks[row]).sum())
        yield Hit(
            len(topics),
            f"{counted(len(topics), 'topic')} with a tie across rank {cutoff}: {', '.join(shown)}",
            f"topic {view.qrels.topics[int(topics[0])]!r}, {tied:,} documents with score {scores[row]:.10g}",
            int(evidence.joined.rows[row]),
            severity="warning" if width >= NOTABLE_RANGE else "note",
        )


def _range(measure: str, low: float, here: float, high: float) -> str:
    if f"{low:.4f}" == f"{high:.4f}":
        return f"{measure} stays {here:.4f}"
    return f"{measure} is {here:.4f} ({low:.4f} to {high:.4f} in other orders)"


@run_check(
    "single-precision-ties",
    "note",
    "scores that are different, but not for tools with single precision",
    next_step="To get the numbers of trec_eval 9 or pytrec_eval, use `unjudged score --scores float32`.",
)
def single_precision_ties(evidence: RunEvidence) -> Iterator[Hit]:
    """trec_eval 9 and pytrec_eval keep scores in 32 bits: they rank such documents by id."""
    run = evidence.run
    with np.errstate(over="ignore"):
        short = run.scores.astype(np.float32)
    tied = np.flatnonzero((short[1:] == short[:-1]) & (run.scores[1:] != run.scores[:-1]))
    tied = tied[np.isin(tied + 1, run.offsets, invert=True)]
    ids = zip(run.docs.take(tied), run.docs.take(tied + 1), strict=True)
    tied = tied[np.array([upper.encode() < lower.encode() for upper, lower in ids], dtype=bool)]
    if not len(tied):
        return
    topics = np.unique(np.searchsorted(run.offsets, tied, side="right") - 1)
    row = int(tied[0])
    message = f"in {len(topics):,} of {counted(len(run.topics), 'topic')} single precision changes the order"
    upper, lower = (float(score) for score in run.scores[row : row + 2])
    example = f"topic {run.topics[int(topics[0])]!r}, scores {upper} and {lower}"
    yield Hit(len(topics), message, example, int(evidence.rows[row + 1]))


@run_check(
    "rank-column-disagrees",
    "warning",
    "rank columns that order documents otherwise than the scores",
    next_step="Find out which is meant. Here and in trec_eval scores decide; a tool that reads ranks differs.",
)
def rank_column_disagrees(evidence: RunEvidence) -> Iterator[Hit]:
    """Going down by score, the rank goes up at least once. Ties in score may have any order."""
    ranks = evidence.raw.ranks
    if ranks is None:
        return
    run = evidence.run
    topic = _topic_of_row(run.offsets)
    rank = ranks[evidence.rows]
    if not ((rank[1:] < rank[:-1]) & (topic[1:] == topic[:-1])).any():
        return
    order = np.lexsort((rank, -run.scores, topic))
    rank, topic = rank[order], topic[order]
    wrong = np.flatnonzero((rank[1:] < rank[:-1]) & (topic[1:] == topic[:-1]))
    if not len(wrong):
        return
    topics = np.unique(topic[wrong])
    upper, lower = (int(order[wrong[0] + step]) for step in (0, 1))
    message = f"in {len(topics):,} of {counted(len(run.topics), 'topic')} ranks and scores order documents differently"
    example = (
        f"topic {run.topics[int(topics[0])]!r}: rank {rank[wrong[0]]:g} has score {run.scores[upper]:g},"
        f" rank {rank[wrong[0] + 1]:g} only {run.scores[lower]:g}"
    )
    yield Hit(len(topics), message, example, int(evidence.rows[lower]))


@run_check(
    "rank-column-unusual",
    "note",
    "rank columns that do not count 1, 2, 3, ...",
    next_step="Nothing for this tool, which ignores the column; tools that read ranks may skip or merge documents.",
)
def rank_column_unusual(evidence: RunEvidence) -> Iterator[Hit]:
    """Ranks that are no whole numbers, start elsewhere, repeat or leave gaps."""
    raw = evidence.raw
    if raw.ranks is None:
        return
    odd = np.flatnonzero(np.isnan(raw.ranks) | (raw.ranks != np.floor(raw.ranks)))
    if len(odd):
        row = int(odd[0])
        message = f"{counted(len(odd), 'rank is', 'ranks are')} not a whole number"
        yield Hit(len(odd), message, f"document {raw.docs[row]!r}", row)
        return
    rows, offsets = _by_topic(raw)
    ranks, topic = raw.ranks[rows], _topic_of_row(offsets)
    if bool((np.diff(ranks) < 0)[topic[1:] == topic[:-1]].any()):
        by_rank = np.lexsort((ranks, topic))
        ranks, rows = ranks[by_rank], rows[by_rank]
    starts = ranks[offsets[:-1]]
    expected = np.arange(len(ranks)) - np.repeat(offsets[:-1] - starts, np.diff(offsets))
    broken = np.flatnonzero(ranks != expected)
    total = counted(len(raw.topics.names), "topic")
    if len(broken):
        topics = np.unique(topic[broken])
        name, at = raw.topics.names[int(topics[0])], int(broken[0])
        example = f"topic {name!r}, rank {ranks[at]:g} after {ranks[at - 1]:g}"
        message = f"in {len(topics):,} of {total} ranks repeat or leave gaps"
        yield Hit(len(topics), message, example, int(rows[at]))
    elif (starts != 1).any():
        topics = np.flatnonzero(starts != 1)
        values = ", ".join(f"{value:g}" for value in np.unique(starts[topics])[:3])
        name = raw.topics.names[int(topics[0])]
        message = f"in {len(topics):,} of {total} ranks start at {values}"
        yield Hit(len(topics), message, f"topic {name!r}", int(rows[offsets[topics[0]]]))


@run_check(
    "unsorted-lines",
    "note",
    "files whose lines are not in the order of the scores",
    next_step="Nothing for this tool, which sorts by score; a script that takes lines as they come differs.",
)
def unsorted_lines(evidence: RunEvidence) -> Iterator[Hit]:
    """Going down the lines of a topic, the score rises at least once."""
    raw = evidence.raw
    if raw.line_of is None:
        return
    rows, offsets = _by_topic(raw)
    scores, topic = raw.scores[rows], _topic_of_row(offsets)
    rises = np.flatnonzero((scores[1:] > scores[:-1]) & (topic[1:] == topic[:-1])) + 1
    if not len(rises):
        return
    topics = np.unique(topic[rises])
    at = int(rises[0])
    message = (
        f"in {len(topics):,} of {counted(len(raw.topics.names), 'topic')} a score is higher than the one before it"
    )
    example = f"topic {raw.topics.names[int(topics[0])]!r}, {scores[at]:g} after {scores[at - 1]:g}"
    yield Hit(len(topics), message, example, int(rows[at]))


def _by_topic(raw: RawRun) -> tuple[Ints, Ints]:
    """The input rows topic by topic, and where each topic begins and ends."""
    rows, offsets = group_rows(raw.topics)
    return np.arange(offsets[-1]) if rows is None else rows, offsets


def _topic_of_row(offsets: Ints) -> Ints:
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def blocks_of_ties(view: View, scores: Floats) -> Ints:
    """The block of each row: rows of one ranking with equal scores share a block. Blocks ascend with the rows."""
    begins = np.ones(len(scores), dtype=bool)
    begins[1:] = scores[1:] != scores[:-1]
    begins[view.offsets[:-1][view.lengths > 0]] = True
    return np.cumsum(begins) - 1


def tied_at(view: View, blocks: Ints, cutoff: int) -> Ints:
    """Rankings in which the documents at ranks *cutoff* and *cutoff* + 1 are tied."""
    long_enough = np.flatnonzero(view.lengths > cutoff)
    below = view.offsets[long_enough] + cutoff
    tied: Ints = long_enough[blocks[below] == blocks[below - 1]]
    return tied


def extreme_orders(view: View, blocks: Ints, cutoff: int) -> tuple[View, View]:
    """Worst and best order of tied documents, for every measure that a better document higher up cannot lower.

    In each block of ties the grades ascend (worst) or descend (best). Only what can reach the first *cutoff* ranks
    is kept: the blocks that begin there.
    """
    first_row = np.searchsorted(blocks, np.arange(int(blocks[-1]) + 1)) if len(blocks) else blocks
    reaches = view.rank[first_row][blocks] <= cutoff
    part, kept = view.kept(reaches), blocks[reaches]
    worst = np.lexsort((part.grades, kept))
    best = np.lexsort((-part.grades, kept))
    return _reordered(part, worst), _reordered(part, best)


def _reordered(view: View, rows: Ints) -> View:
    return View(view.qrels, view.topics, view.offsets, view.grades[rows], view.states[rows])
