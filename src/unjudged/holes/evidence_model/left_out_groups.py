"""What evidence would have said about each group, had it not taken part; and how wrong that would have been.

A group's model never sees a judgment that the group alone brought. So it is also the model of a world in which that
group left nothing in the pool, and what it contributed alone are holes whose grades are known. Rankings are those of
judged documents only, as in `reuse`, because only their scores are known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from unjudged.arrays import Flags, Floats, Ints
from unjudged.data.ids import pair_keys
from unjudged.data.qrels import Qrels
from unjudged.data.spans import offsets_of
from unjudged.data.view import View
from unjudged.holes.evidence_model.model import EvidenceModel, GroupFit
from unjudged.holes.imputation.binned_scales import bins_for
from unjudged.holes.imputation.filling import Holes
from unjudged.holes.imputation.grade_sampler import GradeSampler, RandomEffects
from unjudged.holes.imputation.hole_grades import HoleGrades
from unjudged.holes.imputation.holes_of_other_runs import AllHoles, OtherHoles, depends_on_other_holes
from unjudged.holes.imputation.scores_of_draws import Drawing
from unjudged.holes.interval_calibration import LEVELS, Misses
from unjudged.measures.base import Measure

__all__ = ["LeftOutRun", "left_out_misses", "left_out_runs"]


CELLS = 1 << 22
"""Labels (rankings x draws x holes) held in memory at once."""
DRAWS = 200
"""Draws for each left-out run: enough for one interval, of which there are many."""
_POINT = 1e-12

Intervals = Callable[[Floats, float], Floats]
"""Intervals of rows of draws that hold a share of them: shape (rows, 2)."""


class LeftOutRun(NamedTuple):
    """A run of a group that was left out."""

    group: int
    run: int
    """Its number in the occurrences."""
    draws: Floats
    """Scores of the topics that it answers, shape (topics, draws)."""
    truth: Floats
    """The same under all judgments."""
    has_holes: Flags
    """Topics on which there is something to estimate."""


def left_out_runs(
    evidence: EvidenceModel, measure: Measure, *, ideal_follows: bool, draws: int = DRAWS, seed: int = 42
) -> Iterator[LeftOutRun]:
    """Each contributing run with something to estimate, where its group brought nothing."""
    contributions = evidence.contributions
    if contributions is None:
        return
    groups = evidence.occurrences.group_of_run
    for group in np.unique(groups[contributions.contributing_runs]).tolist():
        group_fit = evidence.group_fit(group)
        if group_fit.model is None or not len(group_fit.contributed.pairs):
            continue
        runs = np.flatnonzero((groups == group) & contributions.contributing_runs)
        world = _World.of(evidence, group_fit, runs)
        view = measure.seen(world.view)
        holes = Holes(view, bins_for(evidence.qrels, learned=True))
        scored = world.drawing(evidence, group, group_fit, measure, holes, ideal_follows, draws, seed)
        drawn = scored.scores(measure.compute(view)).reshape(len(runs), -1, draws)
        truth = measure.score(world.truth).reshape(len(runs), -1)
        has_holes = (holes.counts > 0).reshape(len(runs), -1)
        answered = (world.view.lengths > 0).reshape(len(runs), -1) & np.isfinite(truth) & np.isfinite(drawn).all(axis=2)
        for i, run in enumerate(runs.tolist()):
            kept = answered[i]
            if has_holes[i, kept].any():
                yield LeftOutRun(group, run, drawn[i, kept], truth[i, kept], has_holes[i, kept])


def left_out_misses(left_out: Iterator[LeftOutRun], intervals: Intervals, level: float) -> Misses:
    """How far off these runs were."""
    levels = np.array([level, *(one for one in LEVELS if one > level)])
    groups, means, truths = [], [], []
    draws, truth = [], []
    for one in left_out:
        groups.append(one.group)
        means.append(one.draws.mean(axis=0))
        truths.append(float(one.truth.mean()))
        draws.append(one.draws[one.has_holes])
        truth.append(one.truth[one.has_holes])
    number = len(groups)
    held = np.ones((number, len(levels)))
    if number:
        topics = np.concatenate(draws)  # of all runs, which is quicker than one after the other
        starts, every = offsets_of(np.array(list(map(len, draws))))[:-1], np.concatenate(truth)
        for place, share in enumerate(levels.tolist()):
            low, high = intervals(topics, share).T
            inside = (low <= every + _POINT) & (every <= high + _POINT)
            held[:, place] = np.add.reduceat(inside, starts, dtype=np.int64) / list(map(len, draws))
    return Misses(
        np.array(groups, dtype=np.int64),
        np.array(means).reshape(number, -1 if number else DRAWS),
        np.array(truths),
        levels,
        held,
    )


class _World(NamedTuple):
    """Rankings of some runs of a group, against judgments without what the group alone brought, and against all."""

    view: View
    truth: View

    @classmethod
    def of(cls, evidence: EvidenceModel, group_fit: GroupFit, runs: Ints) -> _World:
        qrels = evidence.qrels
        kept = qrels.judged.copy()
        kept[group_fit.contributed.pairs] = False
        left = replace(qrels.left(kept), given_scale=qrels.scale)
        parts = [evidence.occurrences.run_occurrences[run] for run in runs.tolist()]
        pairs: list[Ints] = []
        lengths: list[Ints] = []
        for one in parts:
            judged = np.flatnonzero(np.append(qrels.judged, False)[np.minimum(one.pairs, len(qrels))])
            lengths.append(np.diff(np.searchsorted(judged, one.offsets)))
            pairs.append(one.pairs[judged].astype(np.int64))
        rows, offsets = np.concatenate(pairs), offsets_of(np.concatenate(lengths))
        topics = np.tile(np.arange(len(qrels.topics), dtype=np.int64), len(runs))
        return cls(_view(left, topics, offsets, rows), _view(qrels, topics, offsets, rows))

    def drawing(
        self,
        evidence: EvidenceModel,
        group: int,
        group_fit: GroupFit,
        measure: Measure,
        holes: Holes,
        ideal_follows: bool,
        draws: int,
        seed: int,
    ) -> Drawing:
        """How grades are drawn for what the group contributed alone."""
        documents, qrels = group_fit.contributed, evidence.qrels
        sampler = _sampler(evidence, group, group_fit, seed)
        number = np.searchsorted(documents.pairs, holes.view.qrels_rows[holes.rows])
        other_holes = None
        if ideal_follows and depends_on_other_holes(measure, holes.view):
            counted = documents.ranks <= evidence.reach(measure.depth())
            within = np.flatnonzero(counted)
            everyones = AllHoles(
                sampler.take(within), documents.topics[within], draws, number_of_topics=len(qrels.topics)
            )
            other_holes = OtherHoles(everyones, counted[number])
        hole_grades = HoleGrades(holes, np.ones(len(number), dtype=bool), sampler.take(number), other_holes)
        return Drawing(measure, hole_grades, draws, ideal_follows=ideal_follows, cells=CELLS, spends=not ideal_follows)


def _view(qrels: Qrels, topics: Ints, offsets: Ints, rows: Ints) -> View:
    return View(
        qrels, topics, offsets, qrels.grades[rows], qrels.states[rows], qrels.docs, rows, cached_qrels_rows=rows
    )


def _sampler(evidence: EvidenceModel, group: int, group_fit: GroupFit, seed: int) -> GradeSampler:
    """What the grades of a group's own contributions are drawn with."""
    if group_fit.model is None:
        raise TypeError("there was too little to learn from")
    documents, qrels = group_fit.contributed, evidence.qrels
    predicted = group_fit.model.predicted(documents.features, evidence.new_kinds.of_contributed(group))
    keys = pair_keys(qrels.topics, documents.topics, qrels.docs.take(documents.pairs), seed)
    effects = RandomEffects(evidence.effect_keys(documents), predicted.deviations, predicted.spreads)
    return GradeSampler(keys, predicted.conditional, np.arange(len(keys)), effects, seed)
