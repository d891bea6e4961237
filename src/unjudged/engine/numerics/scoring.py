"""The inner loop of every study: one run, all hole models, all measures, in blocks that bound memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from unjudged.arrays import Flags, Floats, Ints
from unjudged.data.pool_depth import without_end
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run, topics_alone
from unjudged.data.view import Matches, View, join, join_matches, match_unranked, stacked, topic_blocks
from unjudged.engine.preparation.pooling import MissingPool
from unjudged.holes.base import Estimate, HoleModel, PreparedHoleModel, Settings
from unjudged.io.run_parts import NotInParts, RunPart, RunParts
from unjudged.measures.base import Measure
from unjudged.measures.walks import walked
from unjudged.threads import in_order

if TYPE_CHECKING:
    from unjudged.engine.preparation.run_tops import RunTop, TopBuilder
    from unjudged.results.distributions import Distribution

__all__ = [
    "MOST_RANKINGS",
    "RunScores",
    "deepest_rank",
    "score_run",
    "score_run_in_parts",
    "score_small_runs",
    "share_judged",
]


BLOCK_ROWS = 1 << 18
"""Rows looked at together. Small enough for the cache, large enough that NumPy's overhead vanishes."""


MOST_RANKINGS = 256
"""The same where each has a thousand draws."""


class DrawnSums:
    """For each draw, the sum over topics of the scores (of what the measure's summary adds up), and of how many.

    Twice: over all topics, and over those that the run has. Topics for which the measure is undefined are left out.
    They are added one by one, so that rounding does not depend on the blocks.
    """

    def __init__(self, draws: int) -> None:
        self.all, self.answered = np.zeros((2, draws)), np.zeros((2, draws))

    def add(self, measure: Measure, draws: Floats, answered: Flags) -> None:
        """Add topics: their draws (topics, draws), and whether the run has them."""
        defined = ~np.isnan(draws)
        terms = np.stack([np.where(defined, measure.to_add_up(draws), 0.0), defined])
        for of_topic, has in zip(terms.swapaxes(0, 1), answered.tolist(), strict=True):
            self.all += of_topic
            if has:
                self.answered += of_topic


_BY_TOPIC = ("values", "low", "high", "judged", "judged_down_to", "lengths", "labelled", "without_labels")


@dataclass(frozen=True, eq=False)
class RunScores:
    """Scores of one run: ``values``, ``low`` and ``high`` (holes, measures, topics), ``judged`` (measures, topics)."""

    values: Floats
    low: Floats
    high: Floats
    judged: Floats
    judged_down_to: Ints
    """The rank down to which each topic is judged, as deep as anybody looks; and how many documents there are."""
    lengths: Ints
    bounded: Flags
    """Whether a hole model gives bounds for a measure (holes, measures); they may still be unknown for some topics."""
    distributions: dict[tuple[int, int], tuple[Distribution, ...]]
    """By position of the hole model and the measure, one for each topic."""
    drawn: dict[tuple[int, int], DrawnSums]
    """What the means of each draw follow from."""
    labelled: Floats
    """Share of the documents with another judge's label (holes, measures, topics), NaN where none are used."""
    without_labels: Floats
    """What the values would be if documents with such a label had grade 0; NaN where none are used."""
    top: RunTop | None = None
    """What is kept of the run for those who ask about holes near its top, where that was asked for."""

    def add_draws(self, cell: tuple[int, ...], measure: Measure, draws: Floats, answered: Flags) -> None:
        """Add what a hole model drew for a measure, some topics at a time; *cell* has the positions of the two."""
        self.drawn.setdefault((cell[0], cell[1]), DrawnSums(draws.shape[1])).add(measure, draws, answered)


def score_run(
    run: Run,
    qrels: Qrels,
    measures: Sequence[Measure],
    hole_models: Sequence[PreparedHoleModel],
    settings: Settings,
    *,
    depth: int | None = None,
    missing_pool: MissingPool | None = None,
    threads: int = 1,
    kept: int | None = None,
) -> RunScores:
    """Join one run with the judgments, down to rank *depth*, and compute everything, some topics at a time.

    *kept*: how many documents of each topic are kept for later questions; None for nothing.
    """
    out = _without_scores((len(hole_models), len(measures), len(qrels.topics)))
    answered = run.answered(qrels.topics)
    cells = [(h, m) for h in range(len(hole_models)) for m in range(len(measures))]

    def work(topics: range) -> list[Estimate]:
        view = join(run, qrels, topics, depth=depth)
        return _score_view(out, slice(topics.start, topics.stop), view, measures, hole_models, settings, missing_pool)

    done = 0
    for estimates in in_order(work, topic_blocks(run, qrels, BLOCK_ROWS, MOST_RANKINGS), threads):
        for (h, m), estimate in zip(cells, estimates, strict=True):
            if estimate.distributions is not None:
                out.distributions[h, m] = out.distributions.get((h, m), ()) + estimate.distributions
            if estimate.draws is not None:
                out.add_draws((h, m), measures[m], estimate.draws, answered[done : done + len(estimate.draws)])
        done += len(estimates[0].value)
    if kept is None:
        return out
    from unjudged.engine.preparation.run_tops import top_of  # which few ask for

    return replace(out, top=top_of(run, qrels, kept))


def score_small_runs(
    runs: Sequence[Run],
    qrels: Qrels,
    measures: Sequence[Measure],
    hole_models: Sequence[PreparedHoleModel],
    settings: Settings,
    *,
    depth: int | None = None,
    missing_pool: MissingPool | None = None,
) -> list[RunScores]:
    """The same for some runs at once, all topics together, so that NumPy has enough to do."""
    number, shape = len(qrels.topics), (len(hole_models), len(measures))
    out = _without_scores((*shape, len(runs) * number))
    view = stacked([join(run, qrels, depth=depth) for run in runs])
    estimates = _score_view(out, slice(None), view, measures, hole_models, settings, missing_pool)
    of_runs = []
    for r, run in enumerate(runs):
        mine = slice(r * number, (r + 1) * number)
        arrays = {name: getattr(out, name)[..., mine] for name in _BY_TOPIC}
        one = replace(out, **arrays, distributions={}, drawn={})
        for cell, estimate in zip(np.ndindex(shape), estimates, strict=True):
            if estimate.distributions is not None:
                one.distributions[cell] = estimate.distributions[mine]
            if estimate.draws is not None:
                one.add_draws(cell, measures[cell[1]], estimate.draws[mine], run.answered(qrels.topics))
        of_runs.append(one)
    return of_runs


def score_run_in_parts(
    run: RunParts,
    qrels: Qrels,
    measures: Sequence[Measure],
    hole_models: Sequence[PreparedHoleModel],
    settings: Settings,
    *,
    depth: int | None = None,
    missing_pool: MissingPool,
    threads: int = 1,
    kept: int | None = None,
) -> tuple[list[str], RunScores]:
    """The same for a run that is read some topics at a time, and its topics. Hole models must not have draws.

    What is computed is computed as by :func:`score_run`, topic by topic, so that the numbers are the same.
    """
    out = _without_scores((len(hole_models), len(measures), len(qrels.topics)))
    seen = missing_pool.so_far()
    builder = None if kept is None else _builder(qrels, kept)

    def work(lines: bytes) -> tuple[RunPart, Ints, Matches]:
        part = run.cut(lines)
        topics = np.array([qrels.topic_rows.get(topic, -1) for topic in part.topics], dtype=np.int64)
        matches = match_unranked(qrels, topics, part.offsets, part.docs, part.scores)
        if matches is None:
            raise NotInParts
        view = join_matches(qrels, topics, part.offsets, part.docs, matches, depth=depth)
        if len(view):
            _score_view(out, view.topics, view, measures, hole_models, settings, seen)
        return part, topics, matches

    topics: dict[str, None] = {}
    for part, places, matches in in_order(work, run.blocks, threads):
        if not topics.keys().isdisjoint(part.topics):
            raise NotInParts
        topics.update(dict.fromkeys(part.topics))
        if builder and not builder.add(part.topics, places, part.offsets, part.docs, part.scores, matches):
            raise NotInParts
    if not topics:
        raise NotInParts
    absent = np.flatnonzero([topic not in topics for topic in qrels.topics])
    if len(absent):
        view = join(topics_alone("", (), ""), qrels, absent)
        _score_view(out, absent, view, measures, hole_models, settings, seen)
    missing_pool.add(seen)
    return list(topics), out if builder is None else replace(out, top=builder.built(run.name, run.source))


def _builder(qrels: Qrels, kept: int) -> TopBuilder:
    from unjudged.engine.preparation.run_tops import TopBuilder  # which few ask for

    return TopBuilder(qrels, kept)


def _score_view(
    out: RunScores,
    here: slice | Ints,
    view: View,
    measures: Sequence[Measure],
    hole_models: Sequence[PreparedHoleModel],
    settings: Settings,
    missing_pool: MissingPool | None,
) -> list[Estimate]:
    """Score the rankings of some topics, whose places in the tables are *here*."""
    estimates = []
    as_they_are = walked(measures, view, scored=any(_fills(model, view) is view for model in hole_models))
    for h, model in enumerate(hole_models):
        filled = _fills(model, view)
        if filled is not None:
            values = (as_they_are if filled is view else walked(measures, filled)).values
            mine = list(map(Estimate, values))
        else:
            mine = [model.estimate(measure, view, settings) for measure in measures]
        for m, estimate in enumerate(mine):
            _put(out, (h, m), here, estimate)
        estimates += mine
    out.judged[:, here] = as_they_are.shares_judged
    out.judged_down_to[here], out.lengths[here] = without_end(as_they_are.judged_first, view.lengths), view.lengths
    if missing_pool is not None:
        missing_pool.see(view)
    return estimates


def _fills(model: PreparedHoleModel, view: View) -> View | None:
    """The view that a model makes of another one, where that is all that it does."""
    return model.fill(view) if isinstance(model, HoleModel) and model.only_fills else None


def _without_scores(shape: tuple[int, int, int]) -> RunScores:
    """Room for the scores of a run, which are still to come."""
    return RunScores(
        values=np.empty(shape),
        low=np.full(shape, np.nan),
        high=np.full(shape, np.nan),
        judged=np.empty(shape[1:]),
        judged_down_to=np.zeros(shape[2], dtype=np.int64),
        lengths=np.zeros(shape[2], dtype=np.int64),
        bounded=np.zeros(shape[:2], dtype=bool),
        distributions={},
        drawn={},
        labelled=np.full(shape, np.nan),
        without_labels=np.full(shape, np.nan),
    )


def _put(out: RunScores, cell: tuple[int, int], topics: slice | Ints, estimate: Estimate) -> None:
    """Put what a hole model says about some topics in its place."""
    out.values[*cell, topics] = estimate.value
    if estimate.low is not None and estimate.high is not None:
        out.low[*cell, topics], out.high[*cell, topics] = estimate.low, estimate.high
        out.bounded[cell] = True
    if estimate.labelled is not None:
        out.labelled[*cell, topics] = estimate.labelled
    if estimate.without_labels is not None:
        out.without_labels[*cell, topics] = estimate.without_labels


def deepest_rank(measures: Sequence[Measure], hole_models: Sequence[HoleModel] = ()) -> int | None:
    """The deepest rank that anybody looks at; None where it may be any."""
    if any(model.looks_below for model in hole_models):
        return None
    depths = [None if measure.condenses else measure.depth() for measure in measures]
    return max((depth for depth in depths if depth is not None), default=None) if None not in depths else None


def share_judged(view: View, depth: int | None) -> Floats:
    """Share of the documents within *depth* that were judged; NaN for a ranking without documents."""
    top = view.top(depth)
    return top.share(top.judged)
