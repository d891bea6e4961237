"""Older ways to say what a run adds: unique documents, rareness-based precision, and TaSC."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unjudged.arrays import Flags, Floats, Ints
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.engine.numerics.normalized_residual_gain import Readings
from unjudged.errors import InputError
from unjudged.limits import Rareness, TascPriors

__all__ = [
    "Counting",
    "docs_in_top",
    "document_rarity",
    "judged_in_top",
    "rare_precision",
    "relevant_found",
    "tasc",
    "unique",
    "unique_to",
    "unjudged_in_top",
]


@dataclass(frozen=True)
class Counting:
    """What is counted: documents of at least grade *rel* within *depth*."""

    depth: int
    rel: float
    alpha: float
    """How much a rare document counts beside what it counts anyway."""
    rareness: Rareness
    tasc: TascPriors

    def __post_init__(self) -> None:
        if self.rel < 1:
            raise InputError(f"rel must be a whole number of at least 1, not {self.rel}")
        if not self.alpha >= 0:
            raise InputError(f"alpha must be a number of at least 0, not {self.alpha:g}")
        if self.rareness not in ("topic", "collection"):
            raise InputError(f"rareness must be 'topic' or 'collection', not {self.rareness!r}")
        if self.tasc not in ("priors", "group"):
            raise InputError(f"tasc must be 'priors' or 'group', not {self.tasc!r}")


def relevant_in_top(readings: Readings, run: int, counting: Counting) -> tuple[Ints, Ints]:
    """The relevant documents that a run has within the depth: rows of its view, and the numbers of the pairs."""
    view = readings.views[run]
    rows = np.flatnonzero(view.relevant(counting.rel) & (view.rank <= counting.depth))
    return rows, readings.numbers[run][rows]


def judged_in_top(readings: Readings, run: int, counting: Counting) -> Ints:
    """The judged documents, relevant or not, that a run has within the depth: numbers of pairs."""
    view = readings.views[run]
    return readings.numbers[run][view.judged & (view.rank <= counting.depth)]


def unjudged_in_top(readings: Readings, run: int, counting: Counting) -> Ints:
    """Those that nobody judged: numbers of pairs."""
    view = readings.views[run]
    return readings.numbers[run][~view.judged & (view.rank <= counting.depth)]


def unique(readings: Readings, run: int, counts: Ints, counting: Counting) -> Ints:
    """Relevant documents of each topic that none of the runs in *counts* has within the depth."""
    rows, numbers = relevant_in_top(readings, run, counting)
    view = readings.views[run]
    return np.bincount(view.ranking[rows[counts[numbers] == 0]], minlength=len(view)).astype(np.int64)


def rare_precision(readings: Readings, run: int, rarity: Floats, counting: Counting) -> Floats:
    """Rareness-based precision of each topic: a relevant document counts 1 + alpha * rarity."""
    rows, numbers = relevant_in_top(readings, run, counting)
    return readings.views[run].total(rows, 1 + counting.alpha * rarity[numbers]) / counting.depth


def document_rarity(readings: Readings, counting: Counting, docs: Sequence[Ints]) -> Floats:
    """Share of all runs that do not have a document within the depth, for each pair.

    *docs* are what :func:`docs_in_top` says about each run. A document that a run returns for several topics then
    counts several times, so that rarity can be negative: that is what the released code does.
    """
    runs = range(len(readings.views))
    if counting.rareness == "topic":
        return 1 - readings.found_by(runs, counting.depth) / len(runs)
    qrels = readings.qrels
    counts = np.sum(docs, axis=0)[qrels.listed_docs.find(np.zeros(len(qrels), dtype=np.int64), qrels.docs)]
    rarity = np.ones(readings.pairs.size)
    rarity[: len(qrels)] = 1 - counts / len(runs)
    return rarity


def docs_in_top(run: Run, qrels: Qrels, depth: int) -> Ints:
    """For the first row of each judged document, in how many rankings of the run it is within the depth.

    Over all topics of the run, judged or not.
    """
    docs = run.top(depth).docs
    rows = qrels.listed_docs.find(np.zeros(len(docs), dtype=np.int64), docs)
    return np.bincount(rows[rows >= 0], minlength=len(qrels)).astype(np.int64)


def tasc(absolute: Floats, run: int, prior_runs: Sequence[int]) -> Floats:
    """What a run has of each topic that the best prior run leaves open: (1 - max of these) * its score.

    *absolute* (runs, topics) are scores between 0 and 1. Without prior runs it is the score.
    """
    best = absolute[list(prior_runs)].max(axis=0, initial=0.0)
    scores: Floats = (1 - best) * absolute[run]
    return scores


def unique_to(readings: Readings, runs: Sequence[int], counting: Counting) -> int:
    """How many relevant documents these runs have within the depth, and no others."""
    every, mine = (readings.found_by(some, counting.depth) for some in (range(len(readings.views)), runs))
    only = np.flatnonzero((mine > 0) & (mine == every))
    return int(_is_relevant(readings.qrels, counting)[only[only < len(readings.qrels)]].sum())


def relevant_found(readings: Readings, runs: Sequence[int], counting: Counting) -> float:
    """Share of all relevant documents that some of these runs have within the depth."""
    relevant = _is_relevant(readings.qrels, counting)
    returned = readings.found_by(runs, counting.depth)[: len(relevant)] > 0
    total = int(relevant.sum())
    return float((relevant & returned).sum() / total) if total else 0.0


def _is_relevant(qrels: Qrels, counting: Counting) -> Flags:
    """Rows of the judgments that count."""
    relevant: Flags = qrels.judged & (qrels.grades >= counting.rel)
    return relevant
