"""Where a study's runs return documents that nobody judged, and those that somebody did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from unjudged.arrays import Flags, Ints
from unjudged.collection import BaseCollection
from unjudged.data.groups import Fingerprint, Groups, fingerprint
from unjudged.data.ids import Ids, concatenate_ids
from unjudged.data.joined import Joined
from unjudged.data.run import Run
from unjudged.data.run_occurrences import OccurrencesInRuns, RunOccurrences, Unlisted, order_occurrences
from unjudged.data.view import View, join
from unjudged.errors import Notice
from unjudged.holes.base import HoleModel

__all__ = ["collect_occurrences", "occurrences_of_joined"]


class _FirstReading(NamedTuple):
    """A run as far as it is needed before documents have numbers."""

    print: Fingerprint
    topics: Ints
    docs: Ids


def collect_occurrences(
    collection: BaseCollection, holes: Sequence[HoleModel], *, depth: int | None
) -> tuple[BaseCollection, list[Notice]]:
    """The collection with where its runs have documents, if a hole model asks for that; and remarks.

    Runs are read twice: first to see which documents are holes within *depth*, then to see where each run has them.
    A collection that knows already is not asked again.
    """
    groups, qrels = collection.groups, collection.qrels
    if not any(model.learns_from_runs for model in holes):
        text = "no hole model that was asked for learns from other runs; the groups were not used"
        return collection, [Notice("unused-groups", 1, text)] if groups.of_run is not None else []
    if collection.occurrences is not None:
        return collection, []
    collection = collection.rereadable()
    _ = qrels.pairs, qrels.topic_of_row  # built once; threads would each build their own

    def first_reading(run: Run) -> _FirstReading:
        view = join(run, qrels, depth=depth, keep_qrels_rows=True)
        rows = np.flatnonzero(view.qrels_rows < 0)
        topics = view.topics[view.ranking[rows]]
        return _FirstReading(fingerprint(run), topics, view.doc_ids().take(rows))

    runs, seen = collection.each_run(first_reading)
    unlisted = _distinct([one.topics for one in seen], [one.docs for one in seen])
    _, run_occurrences = collection.each_run(
        lambda run: _run_occurrences(join(run, qrels, keep_qrels_rows=True), unlisted)
    )
    prints = [one.print for one in seen]
    numbers = groups.number([run.name for run in runs], prints)
    occurrences = order_occurrences(
        unlisted, run_occurrences, prints, numbers, depth=depth, pool_depth=collection.pool_depth
    )
    return collection.replaced(occurrences=occurrences), []


def occurrences_of_joined(joined: Joined, prints: Sequence[Fingerprint], *, depth: int | None) -> OccurrencesInRuns:
    """The occurrences in runs that are joined already."""
    views = [joined.view(range(run, run + 1)) for run in range(len(joined.runs))]
    scored = [np.flatnonzero((view.qrels_rows < 0) & _within(view, depth)) for view in views]
    unlisted = _distinct(
        [view.topics[view.ranking[rows]] for view, rows in zip(views, scored, strict=True)],
        [view.doc_ids().take(rows) for view, rows in zip(views, scored, strict=True)],
    )
    run_occurrences = [_run_occurrences(view, unlisted) for view in views]
    groups = joined.groups or Groups().number(joined.runs, prints)
    return order_occurrences(unlisted, run_occurrences, prints, groups, depth=depth)


def _within(view: View, depth: int | None) -> Flags:
    return np.ones(len(view.grades), dtype=bool) if depth is None else view.rank <= depth


def _distinct(topics: Sequence[Ints], docs: Sequence[Ids]) -> Unlisted:
    """Each (topic, document) pair once."""
    every = Unlisted(np.concatenate([*topics]), concatenate_ids(list(docs)))
    first = every.index.first_rows()
    return Unlisted(every.topics[first], every.docs.take(first))


def _run_occurrences(view: View, unlisted: Unlisted) -> RunOccurrences:
    """Where a run has the documents that have a number."""
    topics = view.topics[view.ranking]
    pairs = unlisted.index.find_rest(view.qrels_rows, len(view.qrels), topics, view.doc_ids())
    kept = np.flatnonzero(pairs >= 0)
    offsets = np.searchsorted(kept, view.offsets)
    return RunOccurrences(offsets, pairs[kept].astype(np.int32), view.rank[kept].astype(np.int32), view.lengths)
