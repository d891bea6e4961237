"""Where a study's runs return documents that nobody judged, and those that somebody did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from unjudged.arrays import Ints, SmallInts
from unjudged.collection import UNUSED_FEATURES, BaseCollection
from unjudged.data.groups import Fingerprint, Groups, fingerprint
from unjudged.data.ids import Ids, concatenate_ids
from unjudged.data.joined import Joined, OriginalRanks
from unjudged.data.run import Run
from unjudged.data.run_info import RunInfo
from unjudged.data.run_occurrences import OccurrencesInRuns, RunOccurrences, Unlisted, order_occurrences
from unjudged.data.view import View, join
from unjudged.engine.preparation.document_features import feature_notices, with_features
from unjudged.errors import Notice
from unjudged.holes.base import HoleModel

__all__ = ["collect_occurrences", "distinct_pairs", "judged_occurrences", "occurrences_of_joined"]


def collect_occurrences(
    collection: BaseCollection, hole_models: Sequence[HoleModel], *, depth: int | None
) -> tuple[BaseCollection, list[Notice]]:
    """The collection with where its runs have documents, if a hole model asks for that; and remarks.

    Runs are read twice: first to see which documents are holes within *depth*, then to see where each run has them, at
    any depth. A collection that knows already is not asked again. Features are read where a model learns from them.
    """
    groups, qrels = collection.groups, collection.qrels
    if not any(model.learns_from_runs for model in hole_models):
        text = "no hole model that was asked for learns from other runs; the groups were not used"
        unused = [Notice("unused-groups", 1, text)] if groups.given else []
        return collection, [*unused, *([UNUSED_FEATURES] if collection.features else [])]
    featured = any(model.learns_from_features for model in hole_models)
    if collection.occurrences is None:
        collection = collection.replaced(occurrences=_read_twice(collection, depth))
    occurrences = collection.occurrences
    assert occurrences is not None  # noqa: S101  # they were just collected
    if not featured:  # they may be there all the same, for a model that was asked before
        return collection, [UNUSED_FEATURES] if collection.features and not occurrences.features else []
    if not occurrences.features:
        occurrences = with_features(occurrences, qrels, collection.features)
    return collection.replaced(occurrences=occurrences), feature_notices(occurrences, qrels)


def _read_twice(collection: BaseCollection, depth: int | None) -> OccurrencesInRuns:
    """Where runs have documents that are judged, or that some run has within *depth*."""
    groups, qrels = collection.groups, collection.qrels
    collection = collection.rereadable()
    _ = qrels.pairs, qrels.topic_of_row  # built once; threads would each build their own

    def see(run: Run) -> tuple[Fingerprint, Unlisted]:
        return fingerprint(run), _unlisted(join(run, qrels, depth=depth, keep_qrels_rows=True))

    runs, seen = collection.each_run(see)
    prints = [one for one, _ in seen]
    unlisted = distinct_pairs([pairs for _, pairs in seen])
    _, run_occurrences = collection.each_run(
        lambda run: _run_occurrences(join(run, qrels, keep_qrels_rows=True), unlisted)
    )
    names = [run.name for run in runs]
    numbers, pool_depth = groups.or_copies(names, prints), collection.pool_depth
    occurrences = order_occurrences(
        unlisted, run_occurrences, prints, numbers, depth=depth, pool_depth=pool_depth, names=names
    )
    return replace(occurrences, groups_given=groups.given)


def judged_occurrences(collection: BaseCollection) -> tuple[list[RunInfo], OccurrencesInRuns]:
    """Where each run has the documents of the judgments, at any rank, and no others. Runs are read once."""
    qrels = collection.qrels
    _ = qrels.pairs, qrels.topic_of_row  # built once; threads would each build their own

    def see(run: Run) -> tuple[Fingerprint, RunOccurrences]:
        view = join(run, qrels, keep_qrels_rows=True)
        return fingerprint(run), _at_rows(view, view.qrels_rows, view.rank)

    infos, seen = collection.each_run(see, "reading runs")
    prints = [one for one, _ in seen]
    groups = collection.groups.or_copies([info.name for info in infos], prints)
    nothing = Unlisted(np.zeros(0, dtype=np.int64), Ids.of(()))
    return infos, order_occurrences(nothing, [one for _, one in seen], prints, groups, depth=None)


def occurrences_of_joined(joined: Joined, prints: Sequence[Fingerprint], *, depth: int | None) -> OccurrencesInRuns:
    """The occurrences in runs that are joined already, at the ranks that they had when they were given.

    Where documents were taken out, what is scored down to *depth* may come from any rank.
    """
    depth = depth if joined.original is None else None
    views = [joined.view(range(run, run + 1)) for run in range(len(joined.runs))]
    unlisted = distinct_pairs([_unlisted(view, depth) for view in views])
    run_occurrences = [_run_occurrences(view, unlisted, joined.original_of(run)) for run, view in enumerate(views)]
    groups = joined.groups or Groups().or_copies(joined.runs, prints)
    occurrences = order_occurrences(unlisted, run_occurrences, prints, groups, depth=depth, names=joined.runs)
    return replace(occurrences, groups_given=joined.groups is not None)


def _unlisted(view: View, depth: int | None = None) -> Unlisted:
    """What the rankings have, down to rank *depth*, that the judgments do not list."""
    rows = np.flatnonzero(view.qrels_rows < 0)
    rows = rows if depth is None else rows[view.rank[rows] <= depth]
    return Unlisted(view.topics[view.ranking[rows]], view.doc_ids().take(rows))


def distinct_pairs(parts: Sequence[Unlisted]) -> Unlisted:
    """Each (topic, document) pair once."""
    every = Unlisted(np.concatenate([one.topics for one in parts]), concatenate_ids([one.docs for one in parts]))
    first = every.index.first_rows()
    return Unlisted(every.topics[first], every.docs.take(first))


def _run_occurrences(view: View, unlisted: Unlisted, original: OriginalRanks | None = None) -> RunOccurrences:
    """Where a run has the documents that have a number."""
    topics = view.topics[view.ranking]
    ranks, lengths = (view.rank, view.lengths) if original is None else (original.ranks, original.lengths)
    pairs = unlisted.index.find_rest(view.qrels_rows, len(view.qrels), topics, view.doc_ids())
    return _at_rows(view, pairs, ranks, lengths)


def _at_rows(view: View, pairs: Ints, ranks: Ints | SmallInts, lengths: Ints | None = None) -> RunOccurrences:
    """Where a run has the documents whose number is in *pairs*; those without one, -1, are left out."""
    kept = np.flatnonzero(pairs >= 0)
    offsets = np.searchsorted(kept, view.offsets)
    lengths = view.lengths if lengths is None else lengths
    return RunOccurrences(offsets, pairs[kept].astype(np.int32), ranks[kept].astype(np.int32), lengths)
