"""The inner loop of every study: one run, all hole models, all measures, in blocks that bound memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.data.view import View, join, topic_blocks
from unjudged.holes.base import HoleModel
from unjudged.measures.base import Measure, share
from unjudged.threads import in_order

__all__ = ["RunScores", "score_run"]

BLOCK_ROWS = 1 << 18
"""Rows looked at together. Small enough for the cache, large enough that NumPy's overhead vanishes."""


@dataclass(frozen=True)
class RunScores:
    """Scores of one run: ``values`` (holes, measures, topics), ``judged`` (measures, topics), topics it answers."""

    name: str
    source: str
    values: NDArray[np.float64]
    judged: NDArray[np.float64]
    answered: NDArray[np.bool_]
    """For each judged topic, whether the run has it."""
    extra_topics: int
    """Topics of the run that have no judgments."""


def score_run(
    run: Run, qrels: Qrels, measures: Sequence[Measure], holes: Sequence[HoleModel], *, threads: int = 1
) -> RunScores:
    """Join one run with the judgments and compute everything, some topics at a time."""
    values = np.empty((len(holes), len(measures), len(qrels.topics)))
    judged = np.empty((len(measures), len(qrels.topics)))

    def work(topics: range) -> None:
        here = slice(topics.start, topics.stop)
        view = join(run, qrels, topics)
        for h, model in enumerate(holes):
            completed = model.fill(view)
            for m, measure in enumerate(measures):
                values[h, m, here] = measure.score(completed)
        shares = {depth: share_judged(view, depth) for depth in {measure.depth() for measure in measures}}
        for m, measure in enumerate(measures):
            judged[m, here] = shares[measure.depth()]

    for _ in in_order(work, topic_blocks(run, qrels, BLOCK_ROWS), threads):
        pass
    answered = np.array([topic in run.topic_rows for topic in qrels.topics], dtype=bool)
    extra = len(run.topics) - int(answered.sum())
    return RunScores(run.name, run.source, values, judged, answered, extra)


def share_judged(view: View, depth: int | None) -> NDArray[np.float64]:
    """Share of the documents within *depth* that were judged; NaN for a ranking without documents."""
    top = view.top(depth)
    shares = share(top.count(top.judged), top.lengths)
    shares[top.lengths == 0] = np.nan
    return shares
