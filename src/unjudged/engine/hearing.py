"""Runs as witnesses: what a study's runs have to say about documents nobody judged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unjudged.collection import BaseCollection
from unjudged.data.copies import Fingerprint, fingerprint
from unjudged.data.groups import Groups
from unjudged.data.ids import Ids, concatenate_ids
from unjudged.data.joined import Joined
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.data.testimony import Statement, Unlisted, gather
from unjudged.data.view import View, join
from unjudged.errors import Notice
from unjudged.holes.base import HoleModel

__all__ = ["add_testimony", "testimony_of"]

Ints = NDArray[np.int64]


class _Glance(NamedTuple):
    """A run as far as it is needed before documents have numbers."""

    print: Fingerprint
    topics: Ints
    docs: Ids


def add_testimony(
    collection: BaseCollection, holes: Sequence[HoleModel], *, depth: int | None
) -> tuple[BaseCollection, list[Notice]]:
    """The collection whose judgments have what runs say, where a hole model asks for that; and remarks.

    Runs are read twice: first to see which documents are holes within *depth*, then to see where each run has them.
    Judgments that bring their testimony along keep it.
    """
    groups, qrels = collection.groups, collection.qrels
    if not any(model.asks_runs for model in holes):
        text = "no hole model that was asked for learns from other runs; the groups were not used"
        return collection, [Notice("unused-groups", 1, text)] if groups.of_run is not None else []
    if qrels.testimony is not None:
        return collection, []
    collection = collection.rereadable()
    _ = qrels.pairs, qrels.topic_of_row  # built once; threads would each build their own

    def glance(run: Run) -> _Glance:
        view = join(run, qrels, depth=depth, keep_found=True)
        rows = np.flatnonzero(view.qrels_rows < 0)
        topics = view.topics[view.ranking[rows]]
        return _Glance(fingerprint(run), topics, view.doc_ids().take(rows))

    runs, seen = collection.each_run(glance)
    unlisted = _distinct([one.topics for one in seen], [one.docs for one in seen])
    _, statements = collection.each_run(lambda run: _statement(join(run, qrels, keep_found=True), unlisted))
    prints = [one.print for one in seen]
    numbers = groups.number([run.name for run in runs], prints)
    testimony = gather(unlisted, statements, prints, numbers, depth=depth, pool_depth=collection.pool_depth)
    return collection.replaced(qrels=qrels.with_testimony(testimony)), []


def testimony_of(joined: Joined, prints: Sequence[Fingerprint], *, depth: int | None) -> Qrels:
    """The judgments of runs that are joined already, with what these say."""
    qrels = joined.qrels
    views = [joined.view(range(run, run + 1)) for run in range(len(joined.runs))]
    scored = [np.flatnonzero((view.qrels_rows < 0) & _within(view, depth)) for view in views]
    unlisted = _distinct(
        [view.topics[view.ranking[rows]] for view, rows in zip(views, scored, strict=True)],
        [view.doc_ids().take(rows) for view, rows in zip(views, scored, strict=True)],
    )
    statements = [_statement(view, unlisted) for view in views]
    groups = joined.groups or Groups().number(joined.runs, prints)
    return qrels.with_testimony(gather(unlisted, statements, prints, groups, depth=depth))


def _within(view: View, depth: int | None) -> NDArray[np.bool_]:
    return np.ones(len(view.grades), dtype=bool) if depth is None else view.rank <= depth


def _distinct(topics: Sequence[Ints], docs: Sequence[Ids]) -> Unlisted:
    """Each (topic, document) pair once."""
    every = Unlisted(np.concatenate([*topics]), concatenate_ids(list(docs)))
    first = every.index.first_rows()
    return Unlisted(every.topics[first], every.docs.take(first))


def _statement(view: View, unlisted: Unlisted) -> Statement:
    """Where a run has the documents that have a number."""
    topics = view.topics[view.ranking]
    pairs = unlisted.index.find_rest(view.qrels_rows, len(view.qrels), topics, view.doc_ids())
    kept = np.flatnonzero(pairs >= 0)
    bounds = np.searchsorted(kept, view.bounds)
    return Statement(bounds, pairs[kept].astype(np.int32), view.rank[kept].astype(np.int32), view.lengths)
