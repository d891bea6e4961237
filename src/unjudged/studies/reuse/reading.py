"""What a study of reuse reads: runs joined with the judgments, what they say of holes, and how deep the pool is."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from unjudged.collection import UNUSED_FEATURES, BaseCollection
from unjudged.data.groups import Fingerprint, fingerprint
from unjudged.data.joined import Joined, JoinedRun, join_run, together
from unjudged.data.pool_depth import PoolDepth, joined_judged_depths
from unjudged.data.run import Run
from unjudged.data.run_info import run_notices
from unjudged.data.run_occurrences import OccurrencesInRuns
from unjudged.engine.numerics.scoring import deepest_rank
from unjudged.engine.preparation.document_features import feature_notices, with_features
from unjudged.engine.preparation.document_occurrences import occurrences_of_joined
from unjudged.engine.preparation.pooling import pool_of
from unjudged.errors import InputError, Notice
from unjudged.holes.base import HoleModel
from unjudged.measures.base import Measure
from unjudged.measures.requested import check_needs
from unjudged.simulate import Degradation, Then
from unjudged.simulate.earlier import earlier_judgments
from unjudged.simulate.leave_out import USUAL_DEPTH
from unjudged.studies.prepare_collection import prepare
from unjudged.studies.reuse.protocol import Protocol

__all__ = ["ReadRuns", "read_runs"]


@dataclass(frozen=True)
class ReadRuns:
    """The runs of a study, and what is known beside them."""

    joined: Joined
    occurrences: OccurrencesInRuns | None
    """Where runs have documents, for hole models that learn from it."""
    pool: PoolDepth | None
    degradations: tuple[Degradation, ...]
    notices: tuple[Notice, ...]


def read_runs(
    collection: BaseCollection,
    measures: Sequence[Measure],
    degradations: Sequence[Degradation],
    holes: Sequence[HoleModel],
    protocol: Protocol,
    truths: Collection[Measure],
    *,
    whole_runs: bool = False,
) -> ReadRuns:
    """Read all runs once, as deep as anybody looks, and decide what degradations leave open.

    *truths* are those of the *measures* that all judgments are scored with. *whole_runs*: whether somebody looks at
    them who is none of these.
    """
    removed = protocol.what_was_never_judged == "removed"
    earlier: Degradation | None = None
    about_judgments: list[Notice] = []
    if protocol.truth_qrels is not None:
        later = collection.judgments(protocol.truth_qrels).only(collection.qrels.topics)
        # What is left of the later judgments has the strata of the earlier ones.
        check_needs(
            later,
            [one for one in measures if one in truths or "strata" not in one.needs],
            texts=collection.texts is not None,
        )
        earlier, about_judgments = earlier_judgments(collection.qrels, later)
        about_judgments += collection.qrels.notices  # those of the later ones come with them
        collection = collection.replaced(qrels=later)
    whole_runs = whole_runs or any(how.depth_read() is None for how in degradations)
    prepared = prepare(collection, measures, holes, evidence=False, whole_runs=whole_runs)
    collection, groups, asked = prepared.collection, collection.groups, any(model.learns_from_runs for model in holes)
    if collection.pool_depth is not None:
        degradations = [how.in_pool(collection.pool_depth) for how in degradations]
    featured = any(model.learns_from_features for model in holes)
    depth = None if asked or whole_runs else _depth(measures, degradations, holes)
    joined, prints, notices = _read(collection, depth, removed=removed, prints=asked)
    if groups.given:
        joined = joined.in_groups(groups)
    occurrences, about_features = None, [UNUSED_FEATURES] if collection.features and not featured else []
    if asked:
        occurrences = occurrences_of_joined(joined, prints, depth=deepest_rank(measures))
        if featured:
            occurrences = with_features(occurrences, joined.qrels, collection.features)
            about_features = feature_notices(occurrences, joined.qrels)
        if collection.pool_depth is not None:
            occurrences = occurrences.with_pool_depth(collection.pool_depth)
        joined = joined.against(replace(joined.qrels))  # without the index that this took
    before = joined if earlier is None else joined.against(earlier.leave(joined, seed=collection.seed).of(joined.qrels))
    pool = pool_of(collection, joined.runs, joined_judged_depths(before, depth))
    decided = [how.in_pool(_left_out_depth(collection.pool_depth, joined, pool)) for how in degradations]
    if earlier is not None:
        decided = [Then(first=earlier, second=how) for how in decided] or [earlier]
    for how in decided:
        if protocol.bands and (how.is_random or how.leaves_runs_out):
            raise InputError(f"{how} leaves other topics unjudged each time; ask for --bands without it")
        how.check(joined)
        about_judgments += how.remarks(joined)
    return ReadRuns(
        joined, occurrences, pool, tuple(decided), (*about_judgments, *prepared.notices, *about_features, *notices)
    )


def _depth(measures: Sequence[Measure], degradations: Sequence[Degradation], holes: Sequence[HoleModel]) -> int | None:
    """How deep runs are read."""
    depths = [deepest_rank(measures, holes), *(how.depth_read() for how in degradations)]
    return None if None in depths else max(depth for depth in depths if depth is not None)


def _read(
    collection: BaseCollection, depth: int | None, *, removed: bool, prints: bool
) -> tuple[Joined, list[Fingerprint], list[Notice]]:
    """The runs, joined; and their fingerprints, where somebody wants to know who is a copy of whom."""
    qrels = collection.qrels

    def read(run: Run) -> tuple[JoinedRun, Fingerprint | None]:
        return join_run(run, qrels, depth=depth, judged_only=removed), fingerprint(run) if prints else None

    runs, parts = collection.each_run(read, "reading runs")
    joined = together(qrels, [part for part, _ in parts], runs)
    return joined, [one for _, one in parts if one is not None], run_notices(runs)


def _left_out_depth(given: int | None, joined: Joined, pool: PoolDepth | None) -> int:
    """As the user says; else the usual one, but no deeper than the pool."""
    if given is not None:
        return given
    return max(1, min(USUAL_DEPTH, joined.deepest, *([] if pool is None else [pool.depth])))
