"""Runs that are compared: read, scored with one measure, and with what is believed about their holes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple, get_args

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.collection import BaseCollection
from unjudged.data.groups import Groups
from unjudged.data.pool_depth import JudgedDepths, judged_down_to
from unjudged.data.run_info import RunInfo, run_notices
from unjudged.data.texts import ModelSize
from unjudged.engine.numerics.joint_imputations import (
    FIRST,
    Drawn,
    ScoredRun,
    as_scored,
    draw_worlds,
    drawn_scores,
    shared_prior,
    with_shared_holes,
)
from unjudged.engine.preparation.pooling import MissingPool, deeper_than_pool, pool_of, reads_mostly_unjudged
from unjudged.errors import InputError, Notice, some_of
from unjudged.holes import HoleModel, hole_models
from unjudged.holes.base import DRAWS, JointDraws, Settings, usual_model
from unjudged.holes.bootstrap import Bootstrap
from unjudged.holes.evidence_model.calibrated_intervals import CalibratedMeasure, calibrate_measure
from unjudged.holes.evidence_model.model import EvidenceModel
from unjudged.holes.imputation.binned_scales import bin_notices
from unjudged.holes.imputation.grade_source import LearnedFromRuns
from unjudged.holes.interval_calibration import widened
from unjudged.limits import Choice, JointPrior, Whole
from unjudged.measures.base import Measure
from unjudged.measures.requested import ignored_subtopics, nothing_relevant
from unjudged.progress import watched
from unjudged.studies.prepare_collection import prepare
from unjudged.threads import in_order, worker_count

__all__ = ["ComparedRuns", "joint_draws_of", "model_for", "read_runs_to_compare"]


def model_for(holes: HoleModel | None, prior: JointPrior | None, measure: Measure, groups: Groups) -> HoleModel:
    """The hole model or prior that was asked for; else the usual one, which is evidence where groups are known."""
    if holes is not None:
        if prior is not None:
            raise InputError(
                f"both --holes {holes} and --prior {prior} say what grades are drawn from; give one of them"
            )
        return holes
    if prior is not None:
        prior = Choice(get_args(JointPrior)).checked("prior", prior)
        return hole_models.parse("discounted" if prior == "discounted" else f"bootstrap(prior={prior})")
    return usual_model([measure], evidence=groups.given)


def joint_draws_of(model: HoleModel, draws: int | None) -> JointDraws:
    """How a model draws one grade for each hole of all runs, so many times."""
    joint = model.joint_draws()
    if joint is None:
        raise InputError(
            f"a comparison draws one grade for each hole of all runs, which {model} does not; --holes takes bootstrap,"
            " discounted or evidence, also with a number of draws and with what they say about grades, as in"
            " evidence(draws=500,depth=10) or discounted(shift=-1.5)"
        )
    if draws is None:
        return joint
    draws = Whole(1).checked("draws", draws)
    if joint.draws not in (draws, DRAWS):
        raise InputError(f"both --draws {draws} and --holes {model} say how many draws there are; give one of them")
    return joint._replace(draws=draws)


class ComparedRuns(NamedTuple):
    """Runs in the order in which they were given, or *chosen* in another."""

    collection: BaseCollection
    """With these runs, and all that was prepared."""
    infos: Sequence[RunInfo]
    scored_runs: Sequence[ScoredRun]
    kept: Ints
    """Positions of the topics for which every run has a score."""
    prior: Floats
    """Of the grades of holes, from all runs that were read, so that leaving some out changes no draw."""
    learned: bool
    """Whether there are holes, and grades for them that share the errors of what was learned from runs."""
    scale: float | None
    """Of errors of drawn means, by what left-out groups say; None where they say nothing."""
    subtopic_models: Sequence[ModelSize]
    about_all: Sequence[Notice]
    undefined: Sequence[Notice]

    @property
    def names(self) -> list[str]:
        """A name of its own for each run."""
        return [info.name for info in self.infos]

    @property
    def topics(self) -> list[str]:
        """The topics for which every run has a score."""
        names = self.collection.qrels.topics
        return [names[i] for i in self.kept.tolist()]

    @property
    def notices(self) -> list[Notice]:
        """What the user is told about these runs, and about all that were read."""
        return [*self.about_all, *run_notices(self.infos), *self.undefined]

    def chosen(self, order: Sequence[int]) -> ComparedRuns:
        """Some of the runs, by their positions; what was learned from all of them stays."""
        return self._replace(
            collection=self.collection.replaced(runs=[self.collection.runs[i] for i in order]),
            infos=[self.infos[i] for i in order],
            scored_runs=[self.scored_runs[i] for i in order],
        )

    def best_first(self, baseline: str | None, top: int | None) -> ComparedRuns:
        """The *top* runs, best first; the baseline is always among them."""
        names = self.names
        if baseline is not None and baseline not in names:
            raise InputError(f"no run is named {baseline!r}, which --baseline asks for; there is {some_of(names)}")
        return self.chosen(_order(self.scored_runs, self.kept, names, baseline, top))

    def worlds(self, measure: Measure, draws: int, parts: Sequence[Ints] = ()) -> list[Drawn]:
        """Scores of each run in all worlds, also over *parts* of the topics kept."""
        collection = self.collection
        draw = partial(
            draw_worlds,
            measure,
            prior=self.prior,
            kept=self.kept,
            draws=draws,
            seed=collection.seed,
            scale=self.scale,
            whole=FIRST if self.learned else 0,
            parts=parts,
        )
        drawn = in_order(draw, self.scored_runs, worker_count(collection.jobs, len(self.scored_runs)))
        return list(watched(collection.progress, drawn, len(self.scored_runs), "drawing grades"))

    def scores_in_worlds(self, measure: Measure, draws: int) -> list[Floats]:
        """The same with the scores of each topic, which is all there is: shape (topics, draws) for each run."""
        return [
            widened(drawn_scores(measure, one, self.prior, draws, self.collection.seed)[self.kept], self.scale)
            for one in self.scored_runs
        ]


def read_runs_to_compare(
    collection: BaseCollection, measure: Measure, model: HoleModel, joint: JointDraws
) -> ComparedRuns:
    """Read and score all runs."""
    if model.learns_from_runs and collection.occurrences is None:
        collection = collection.remembering()  # read to see what they return, where, and to be scored
    prepared = prepare(collection, [measure], [model])
    collection, qrels, seed = prepared.collection, prepared.collection.qrels, collection.seed
    measure.prepare(qrels)
    missing_pool = MissingPool(qrels, [measure], given=collection.has_pool)
    occurrences = collection.occurrences
    others = None if occurrences is None or joint.learn is None else joint.learn(qrels, occurrences)
    infos, scored_runs = collection.each_run(
        lambda run: as_scored(run, qrels, measure, seed, missing_pool, others), "reading runs"
    )
    names = [info.name for info in infos]
    pool = pool_of(
        collection, names, JudgedDepths.of((judged_down_to(one.view), one.view.lengths) for one in scored_runs)
    )
    kept, undefined = _defined_topics(measure, scored_runs)
    prior = shared_prior(scored_runs)
    reach = None if others is None else others.reach(measure.depth())
    scored_runs = with_shared_holes(
        measure, scored_runs, prior, reach=reach, others=others, draws=joint.draws, seed=seed, jobs=collection.jobs
    )
    calibrated = _calibrated(others, measure, model, scored_runs, seed)
    drawn = model.range_of_means == "interval"
    notices = [
        *ignored_subtopics(qrels, [measure]),
        *nothing_relevant(qrels, [measure]),
        *prepared.notices,
        *bin_notices(scored_runs[0].view.qrels, learned=others is not None),
        *(() if others is None else others.notices),
        *(() if calibrated is None else [calibrated.notice()]),
        *missing_pool.notices,
        *deeper_than_pool([measure], pool, len(names), drawn=drawn),
        *reads_mostly_unjudged([measure], np.stack([one.judged for one in scored_runs])[None], drawn=drawn),
    ]
    return ComparedRuns(
        collection,
        infos,
        scored_runs,
        kept,
        prior,
        others is not None and any(len(one.keys) for one in scored_runs),
        None if calibrated is None else calibrated.calibration.scale,
        prepared.subtopic_models,
        notices,
        undefined,
    )


def _calibrated(
    others: LearnedFromRuns | None, measure: Measure, model: HoleModel, scored_runs: Sequence[ScoredRun], seed: int
) -> CalibratedMeasure | None:
    """What left-out groups say about what evidence says of the runs' holes; None where there is none of either."""
    if not isinstance(others, EvidenceModel) or not isinstance(model, Bootstrap):
        return None
    if not any(len(one.keys) for one in scored_runs):
        return None
    return calibrate_measure(others, measure, model, Settings(seed))


def _defined_topics(measure: Measure, scored_runs: Sequence[ScoredRun]) -> tuple[Ints, list[Notice]]:
    """Positions of the topics for which every run has a score; a paired comparison needs the same ones for all."""
    missing = np.zeros(len(scored_runs[0].scores), dtype=bool)
    for one in scored_runs:
        missing |= np.isnan(one.scores)
    count = int(missing.sum())
    if count == len(missing):
        raise InputError(f"on every topic {measure} is undefined for some run: there is nothing to compare")
    text = f"{measure} is undefined for some run on {count} of {len(missing)} topics; they are left out for all runs"
    return np.flatnonzero(~missing), [Notice("undefined", count, text)] if count else []


def _order(
    scored_runs: Sequence[ScoredRun], kept: Ints, names: Sequence[str], baseline: str | None, top: int | None
) -> list[int]:
    """Positions of the runs to compare, best first; the baseline is always among them."""
    means = np.array([one.scores[kept].mean() for one in scored_runs])
    order: list[int] = np.argsort(-means, kind="stable").tolist()
    best = set(order[:top])
    return [i for i in order if i in best or names[i] == baseline]
