"""Runs as witnesses: what a study's runs have to say about documents nobody judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unjudged.data.copies import Fingerprint, fingerprint, without_copies
from unjudged.data.ids import Ids, concatenate_ids
from unjudged.data.joined import Joined, of_each_run
from unjudged.data.qrels import Qrels
from unjudged.data.run import ScoreType
from unjudged.data.testimony import Statement, Unlisted, gather
from unjudged.data.view import View, check_topics, join
from unjudged.errors import Notice
from unjudged.holes.base import HoleModel
from unjudged.io.names import unique_names
from unjudged.io.reading import RunSource
from unjudged.threads import in_order, worker_count

__all__ = ["Groups", "add_testimony", "testimony_of"]

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Groups:
    """The group of each run, by name, and where that is written; without, near copies are taken for one group."""

    of_run: Mapping[str, str] | None = None
    source: str = "groups"

    def number(self, names: Sequence[str], prints: Sequence[Fingerprint]) -> Sequence[object]:
        """What runs of one group have in common."""
        if self.of_run is None:
            return [int(first) for first in without_copies(prints)]
        return of_each_run(names, self.of_run, self.source)


@dataclass(frozen=True, eq=False)
class _Glance:
    """A run as far as it is needed before documents have numbers."""

    name: str
    source: str
    print: Fingerprint
    topics: Ints
    docs: Ids


def add_testimony(
    qrels: Qrels,
    runs: Sequence[RunSource],
    holes: Sequence[HoleModel],
    groups: Groups,
    *,
    depth: int | None,
    pool_depth: int | None = None,
    score_type: ScoreType = "float64",
    jobs: int | None = None,
) -> tuple[Qrels, Sequence[RunSource], list[Notice]]:
    """The judgments with what runs say, where a hole model asks for that, the runs (still to be read), and remarks.

    Runs are read twice: first to see which documents are holes within *depth*, then to see where each run has them.
    Judgments that bring their testimony along keep it.
    """
    if not any(model.asks_runs for model in holes):
        text = "no hole model that was asked for learns from other runs; the groups were not used"
        return qrels, runs, [Notice("unused-groups", 1, text)] if groups.of_run is not None else []
    if qrels.testimony is not None:
        return qrels, runs, []
    again = [source.rereadable(score_type=score_type) for source in runs]
    workers = worker_count(jobs, len(again))
    _ = qrels.pairs, qrels.topic_of_row  # built once; threads would each build their own

    def glance(source: RunSource) -> _Glance:
        run = source.read(score_type=score_type)
        check_topics(run, qrels)
        view = join(run, qrels, depth=depth, keep_found=True)
        rows = np.flatnonzero(view.qrels_rows < 0)
        topics = view.topics[view.ranking[rows]]
        return _Glance(run.name, run.source, fingerprint(run), topics, view.doc_ids().take(rows))

    seen = list(in_order(glance, again, workers))
    unlisted = _distinct([one.topics for one in seen], [one.docs for one in seen])

    def listen(source: RunSource) -> Statement:
        return _statement(join(source.read(score_type=score_type), qrels, keep_found=True), unlisted)

    statements = list(in_order(listen, again, workers))
    names = unique_names([(one.name, one.source) for one in seen])
    prints = [one.print for one in seen]
    testimony = gather(unlisted, statements, prints, groups.number(names, prints), depth=depth, pool_depth=pool_depth)
    return qrels.with_testimony(testimony), again, []


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
