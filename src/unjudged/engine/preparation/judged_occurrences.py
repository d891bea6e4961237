"""Where runs have the judged documents, for whoever does not ask about others."""

from __future__ import annotations

import numpy as np

from unjudged.collection import BaseCollection
from unjudged.data.groups import fingerprint
from unjudged.data.ids import Ids
from unjudged.data.run import Run
from unjudged.data.run_info import RunInfo
from unjudged.data.run_occurrences import OccurrencesInRuns, RunOccurrences, Unlisted, order_occurrences
from unjudged.data.view import join

__all__ = ["judged_occurrences"]


def judged_occurrences(collection: BaseCollection) -> tuple[list[RunInfo], OccurrencesInRuns]:
    """Where each run has the documents of the judgments, at any rank. Runs are read once."""
    qrels = collection.qrels
    _ = qrels.pairs, qrels.topic_of_row  # built once; threads would each build their own

    def see(run: Run) -> RunOccurrences:
        view = join(run, qrels, keep_qrels_rows=True)
        rows = np.flatnonzero(view.qrels_rows >= 0)
        pairs, ranks = view.qrels_rows[rows].astype(np.int32), view.rank[rows].astype(np.int32)
        return RunOccurrences(np.searchsorted(rows, view.offsets), pairs, ranks, view.lengths)

    infos, seen = collection.each_run(lambda run: (fingerprint(run), see(run)), "reading runs")
    prints = [one for one, _ in seen]
    groups = collection.groups.or_copies([info.name for info in infos], prints)
    nothing = Unlisted(np.zeros(0, dtype=np.int64), Ids.of(()))
    return infos, order_occurrences(nothing, [one for _, one in seen], prints, groups, depth=None)
