"""The bootstrap over holes: draw grades for the unjudged documents many times, and look at the scores."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from threading import RLock
from typing import ClassVar, cast, get_args

import numpy as np

from unjudged.arrays import Flags, Floats, Ints
from unjudged.data.qrels import Qrels
from unjudged.data.run_occurrences import OccurrencesInRuns
from unjudged.data.view import View
from unjudged.errors import TOO_FEW_GROUPS, InputError, Notice, SpecError
from unjudged.holes.base import DRAWS, Estimate, HoleModel, JointDraws, Settings
from unjudged.holes.bounds import refuse_ideals_of_subtopics
from unjudged.holes.evidence_model.calibrated_intervals import (
    ADDED_UP,
    CalibratedMeasure,
    bounds_as_draws,
    calibrate_measure,
)
from unjudged.holes.evidence_model.explanation import explain_holes
from unjudged.holes.evidence_model.model import EvidenceModel, evidence_model
from unjudged.holes.imputation.binned_scales import bin_notices, bins_for
from unjudged.holes.imputation.filling import Holes, grade_counts, shares
from unjudged.holes.imputation.grade_sampler import KIND, OF_A_KIND, GradeSampler, hole_keys
from unjudged.holes.imputation.grade_source import GradeSource, LearnedFromRuns
from unjudged.holes.imputation.hole_grades import HoleGrades, RankingsWithGrades, levels_of_any_hole
from unjudged.holes.imputation.holes_of_other_runs import depends_on_other_holes
from unjudged.holes.imputation.scores_of_draws import Drawing
from unjudged.holes.interval_calibration import enough_groups
from unjudged.holes.labelled_discount import LabelledDiscountModel, labelled_discount_model
from unjudged.holes.labels import (
    LabelSource,
    label_files,
    read_label_sources,
    refuse_subtopics,
)
from unjudged.limits import JointPrior, RangeOfMeans
from unjudged.measures.base import Measure
from unjudged.results.distributions import Distribution, modes, nearest_intervals, quantiles
from unjudged.results.scores import HoleRow
from unjudged.spec import Choice, Whole, param
from unjudged.wording import counted

__all__ = ["Bootstrap"]


CELLS = 1 << 24
"""Labels (rankings x draws x holes) held in memory at once."""
_ONE_AT_A_TIME = RLock()
"""Threads that score runs all wait for the same calibration, and for what is learned from all runs."""
EXACT_OUTCOMES = 4096
"""Label sequences of one ranking up to which its distribution is computed instead of drawn."""
_ORIGINS = {
    "pool+run": "the pool's and the run's own grades",
    "pool": "the pool's grades",
    "run": "the run's own grades",
    "labels": "the discounted grades of the judged documents of the same run, and another judge's labels",
    "evidence": "an ordinal model of documents that only one other group of runs contributed to the pool",
    "discounted": "the grades of the judged documents of the same run, less likely by a random shift in log odds",
}
_EVEN = 1e-9


class Bootstrap(HoleModel):
    """Grades for unjudged documents are drawn many times.

    A grade is drawn from the ``prior``: the grades in the ``pool``, those of the judged documents in this ``run``'s
    ranking, or the average of both. With ``prior=labels`` it is drawn by Bayes' rule
    from what ``discounted`` says of the run's unjudged documents and from the label that another judge gave: from how
    often judged documents of each grade got it, mostly those that runs put first. With
    ``prior=evidence`` it is drawn from what a model says that has learned from the documents that only one other group
    of runs contributed to the pool (``depth`` documents of each run; found out unless given), and from ``labels``, if
    there are any.

    With a ``fixed`` ideal the pool's number of judgments per grade does not change: if no judgment of a grade is left
    outside the ranking, the highest lower one is taken, and R and the ideal ranking stay as they are. With an ideal
    that ``follows``, grades are new judgments. The value is the ``point`` of the scores. ``low`` and ``high`` are their
    ``percentiles``, or the ends of an interval that has as ``nearly`` the share between these as scores with few values
    allow, and is the shortest of its kind. Evidence and labels go with ``follows`` and ``nearest``, everything else
    with ``fixed`` and ``percentiles``, unless given.

    Where there are few possible outcomes, the distribution is computed exactly and nothing is drawn. Draws belong to
    (topic, document) pairs, so that runs that return the same unjudged document see the same draw. For measures on
    subtopics, what is drawn is the profile of a judged document: all subtopics that it is relevant to.
    """

    name = "bootstrap"
    title = "Draws of grades from the pool's and the run's own grades, or from what is known of a document"
    reference = "M. Fröbe et al. Bootstrapped nDCG estimation in the presence of unjudged documents. ECIR 2023."

    prior: str = param(
        "pool+run", Choice(("pool+run", "pool", "run", "labels", "evidence")), "where grades are drawn from"
    )
    draws: int = param(DRAWS, Whole(1), "number of draws")
    point: str = param("mean", Choice(("mean", "median", "mode")), "which point of the distribution is the value")
    scope: str = param("topic", Choice(("topic", "collection")), "whether the pool is the topic's or all topics'")
    order: str = param("rank", Choice(("rank", "doc")), "which hole is served first when grades run out")
    unseen: str = param("pool", Choice(("pool", "zero")), "what to take where nothing in the ranking is judged")
    method: str = param("auto", Choice(("auto", "draws")), "exact where that is possible (auto), or always draws")
    about_grades: ClassVar[tuple[str, ...]] = ("depth", "labels")
    """Parameters of what is learned from runs, and not of one run's scores."""
    labels: str | Qrels | tuple[str | Qrels, ...] | None = param(
        None,
        LabelSource(several=True),
        "other judges' grades, for prior='labels' (one judge) or 'evidence' (any number)",
    )
    depth: int | None = param(None, Whole(1), "documents of each run that went into the pool, for prior='evidence'")
    ideal: str | None = param(None, Choice(("fixed", "follows")), "whether R and the ideal ranking follow the draws")
    ends: str | None = param(None, Choice(("percentiles", "nearest")), "where the interval of the scores ends")

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.prior == "labels") > (self.labels is not None):
            raise SpecError(f"{self.name}: prior='labels' and labels=FILE go together")
        if self.labels is not None and self.prior not in ("labels", "evidence"):
            raise SpecError(f"{self.name}: labels=FILE goes with prior='labels' or prior='evidence'")
        if self.prior == "labels" and isinstance(self.labels, tuple):
            raise SpecError(f"{self.name}: prior='labels' takes labels of one judge; prior='evidence' of any number")
        if self.depth is not None and self.prior != "evidence":
            raise SpecError(f"{self.name}: depth is for prior='evidence'")

    @property
    def learns_from_runs(self) -> bool:
        """With evidence or labels as the prior."""
        return self.prior in ("evidence", "labels")

    @property
    def learns_from_features(self) -> bool:
        """With evidence as the prior."""
        return self.prior == "evidence"

    @property
    def learns(self) -> bool:
        """Whether probabilities of grades are learned, and not only shares of the judgments."""
        return self.learns_from_runs

    @property
    def range_of_means(self) -> RangeOfMeans:
        """Draws of topics are independent of each other, and real errors are not, unless they share random effects."""
        return "interval" if self.learns_from_runs else "chance alone"

    def described(self) -> str:
        """Where the grades are from, and what follows them."""
        ideal = ", which R and the ideal ranking follow" if self.ideal_follows else ""
        return f"Draws of grades from {self.origin}{ideal}"

    @property
    def origin(self) -> str:
        """Where grades are drawn from, in words."""
        return _ORIGINS[self.prior]

    @property
    def ideal_follows(self) -> bool:
        """Whether grades that are drawn are new judgments; with evidence or labels, unless the user said otherwise."""
        return self.learns_from_runs if self.ideal is None else self.ideal == "follows"

    @property
    def nearest_ends(self) -> bool:
        """Whether intervals have as nearly their share as possible; as where new judgments are drawn, unless given."""
        return self.learns_from_runs if self.ends is None else self.ends == "nearest"

    def interval(self, values: Floats, weights: Floats | None, settings: Settings) -> Floats:
        """Between what the scores of each row lie.

        What is nearest to a share of the scores leaves out what it must, on either side; percentiles that are not to
        leave out the same on both stay percentiles.
        """
        low, high = settings.quantiles
        if self.nearest_ends and abs(low + high - 1) < _EVEN:
            return nearest_intervals(values, weights, high - low)
        return super().interval(values, weights, settings)

    def files(self) -> tuple[str, ...]:
        """The files with labels."""
        return () if self.labels is None else label_files(self.labels)

    def check(self, measure: Measure) -> None:
        """Refuse what cannot be drawn for measures on subtopics."""
        if self.prior == "labels":
            refuse_subtopics(self, measure)
        elif self.learns_from_runs:
            refuse_subtopics(self, measure, "what it learns from runs is")
        if self.ideal_follows:
            refuse_ideals_of_subtopics(self, measure)
        if self.scope == "collection" and "subtopics" in measure.needs:
            raise InputError(f"{self} is not for {measure}: the subtopics of one topic mean nothing for another")

    def joint_draws(self) -> JointDraws | None:
        """Those from priors that several runs can share; other parameters are about one run's scores."""
        own = {one.name for one in self.parameters() if getattr(self, one.name) != one.default}
        shared: dict[str, JointPrior] = {one: one for one in get_args(JointPrior)}
        if self.prior not in shared or own - {"prior", "draws", *self.about_grades}:
            return None
        return JointDraws(shared[self.prior], self.draws, self.learned_from_runs if self.learns_from_runs else None)

    def prepare(self, qrels: Qrels) -> PreparedBootstrap:
        """The grades to draw from, with what labels say."""
        return self.learn(qrels, None)

    def learn(self, qrels: Qrels, occurrences: OccurrencesInRuns | None) -> PreparedBootstrap:
        """The grades to draw from, with what labels or runs say. Judgments without a grade leave nothing to draw."""
        if not grade_counts(qrels).any():
            raise InputError(
                f"{qrels.source or 'qrels'}: no document is judged, so {self.name} has no grades to draw from"
            )
        remarks = bin_notices(qrels, learned=self.learns)
        grade_source: GradeSource | None = None
        if self.learns_from_runs:
            if occurrences is None:
                raise InputError(f"{self} learns from other runs, and nobody said what these return")
            grade_source = self.learned_from_runs(qrels, occurrences)
        return PreparedBootstrap(self, grade_source, remarks)

    def learned_from_runs(self, qrels: Qrels, occurrences: OccurrencesInRuns) -> LearnedFromRuns:
        """What runs say about holes, for a model that learns from them."""
        if self.prior == "labels":
            return labelled_discount_model(qrels, occurrences, cast("str | Qrels", self.labels))
        sources = () if self.labels is None else read_label_sources(qrels, self.labels)
        return evidence_model(qrels, occurrences, self.depth, sources)

    def estimate(self, measure: Measure, view: View, settings: Settings) -> Estimate:
        """Point, interval and distribution of the score of each ranking; studies call :meth:`prepare` first."""
        return self.prepare(view.qrels).estimate(measure, view, settings)

    @property
    def explains(self) -> bool:
        """With evidence or labels as the prior."""
        return self.learns_from_runs


@dataclass(frozen=True, eq=False)
class PreparedBootstrap:
    """A bootstrap for certain judgments, with a source that knows more about some holes than the prior, if any."""

    model: Bootstrap
    grade_source: GradeSource | None
    remarks: tuple[Notice, ...] = ()
    """What the user should know about how grades are drawn from these judgments."""
    _calibrated: dict[tuple[str, Settings], CalibratedMeasure | None] = field(default_factory=dict)
    _bounded: dict[str, Settings] = field(default_factory=dict)
    """Measures of which some run's mean has bounds, because nothing says how wide its interval would have to be."""

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What the user should know about that, and about what is said."""
        said = () if self.grade_source is None else self.grade_source.notices
        calibrated = [one.notice() for one in self._calibrated.values() if one is not None]
        return (*self.remarks, *said, *calibrated, *map(self._bounds_notice, sorted(self._bounded)))

    def _bounds_notice(self, measure: str) -> Notice:
        level = self._bounded[measure].level
        pooled = 0 if self.learned is None else self.learned.missing_kinds.pooled
        text = (
            f"{measure}: a kind of system is missing from a pool of {counted(pooled, 'group')}, and it takes"
            f" {enough_groups(level)} to know how wide {level:.0%} intervals of its means have to be; they are bounds"
            " instead"
        )
        return Notice(TOO_FEW_GROUPS, pooled, text)

    @property
    def learned(self) -> LearnedFromRuns | None:
        """What it has learned from runs, if that is where grades are from."""
        return cast(LearnedFromRuns, self.grade_source) if self.model.learns_from_runs else None

    @property
    def evidence(self) -> EvidenceModel | None:
        """What it has learned from the runs of other groups, with evidence as the prior."""
        return cast(EvidenceModel, self.grade_source) if self.model.prior == "evidence" else None

    def calibration(self, measure: Measure, settings: Settings) -> CalibratedMeasure | None:
        """What left-out groups say about intervals of a measure; None where evidence says nothing of any hole.

        It is computed once, when somebody asks.
        """
        if self.evidence is None or measure.summary not in ADDED_UP:
            return None
        key = (str(measure), settings)
        with _ONE_AT_A_TIME:
            if key not in self._calibrated:
                self._calibrated[key] = calibrate_measure(self.evidence, measure, self.model, settings)
            return self._calibrated[key]

    def estimate(self, measure: Measure, view: View, settings: Settings) -> Estimate:
        """Point, interval and distribution of the score of each ranking."""
        if not measure.has_holes:
            return Estimate(measure.score(view))
        seen = measure.seen(view)
        drawing = self.drawing(measure, seen, settings.seed)
        hole_grades = drawing.hole_grades
        labelled = None
        if self.model.labels is not None:
            rows = hole_grades.holes.rows
            with_label = rows[cast(EvidenceModel | LabelledDiscountModel, self.grade_source).labelled(seen, rows)]
            labelled = seen.share(np.isin(np.arange(len(seen.grades)), with_label))
        plain = measure.compute(seen)
        draws, drawn = drawing.scores(plain), np.flatnonzero(hole_grades.is_open)
        calibrated = None if view.residual is not None else self.calibration(measure, settings)
        of_topics = settings if calibrated is None else calibrated.settings_of_topics
        value, low, high = plain.copy(), plain.copy(), plain.copy()
        distributions = [Distribution(plain[i : i + 1], np.ones(1)) for i in range(len(seen))]
        # What is computed exactly takes holes as independent of each other.
        exact = self._exact(drawing, drawn) if hole_grades.sampler.random_effects is None else []
        for rankings, values, weights in [*exact, *self._not_exact(exact, drawn, draws)]:
            value[rankings] = self._point(values, weights)
            low[rankings], high[rankings] = self.model.interval(values, weights, of_topics).T
            for i, ranking in enumerate(rankings.tolist()):
                distributions[ranking] = Distribution(values[i], None if weights is None else weights[i])
        of_means = draws if calibrated is None else calibrated.draws_of_means(draws, seen)
        if self.learned is not None and view.residual is None and measure.summary in ADDED_UP:
            bounded = self._without_precedent(self.learned, hole_grades.holes)
            if calibrated is None:
                unknown = self._of_unknown_kinds(self.learned, hole_grades, settings.level)
                if unknown.any():
                    self._bounded[str(measure)] = settings
                bounded |= unknown
            if bounded.any():
                of_means = np.where(bounded[:, None], bounds_as_draws(measure, seen, draws), of_means)
        return Estimate(value, low, high, of_means, tuple(distributions), labelled)

    @staticmethod
    def _of_unknown_kinds(learned: LearnedFromRuns, hole_grades: HoleGrades, level: float) -> Flags:
        """Rankings of runs with holes of a kind that is missing from a pool of too few groups to know what that means.

        Whatever other runs are looked at with them.
        """
        holes, effects, kinds = hole_grades.holes, hole_grades.sampler.random_effects, learned.missing_kinds
        runs, of_a_kind = holes.view.runs, np.zeros(0, dtype=np.int64)
        if effects is not None and kinds.are_told and not kinds.are_known(level):
            of_a_kind = np.flatnonzero((effects.deviations[KIND] > 0) & (effects.keys[KIND] == OF_A_KIND))
        return np.isin(runs, runs[holes.view.ranking[holes.rows[of_a_kind]]])

    @staticmethod
    def _without_precedent(learned: LearnedFromRuns, holes: Holes) -> Flags:
        """Rankings most of whose holes are those of runs of which too little is known for an interval."""
        rankings, number = holes.view.ranking[holes.rows], len(holes.counts)
        without = np.bincount(rankings, weights=learned.without_precedent(holes.view, holes.rows), minlength=number)
        bounded: Flags = without > holes.counts / 2
        return bounded

    def explain(self, run: str, measure: Measure, view: View, settings: Settings) -> list[HoleRow]:
        """What is known from evidence about each hole that the measure sees, and what it is worth."""
        drawing = self.drawing(measure, measure.seen(view), settings.seed)
        return explain_holes(run, str(self.model), drawing, cast(LearnedFromRuns, self.grade_source))

    # ---- priors

    def drawing(self, measure: Measure, seen: View, seed: int) -> Drawing:
        """How grades are drawn for the holes of a view, which is what the measure sees."""
        model = self.model
        holes = Holes(seen, bins_for(seen.qrels, learned=model.learns))
        with _ONE_AT_A_TIME:
            hole_grades = self._hole_grades(measure, holes, seed)
            _ = hole_grades.is_open  # which draws the holes of all runs
        return Drawing(
            measure,
            hole_grades,
            model.draws,
            ideal_follows=model.ideal_follows,
            cells=CELLS,
            spends=not model.ideal_follows,
            order=self._serving_order(holes),
        )

    def _hole_grades(self, measure: Measure, holes: Holes, seed: int) -> HoleGrades:
        """The distributions of the grades of a view's holes, and of what is relevant outside its rankings."""
        keys, priors, which = hole_keys(holes, seed), self._priors(holes), holes.view.ranking[holes.rows]
        if self.grade_source is None:
            return HoleGrades(holes, np.zeros(len(keys), dtype=bool), GradeSampler(keys, priors, which, None, seed))
        evidence = self.grade_source.grade_probabilities(holes.view, holes.rows)
        other_holes = None
        if self.model.ideal_follows and depends_on_other_holes(measure, holes.view):
            other_holes = self.grade_source.other_holes(evidence, measure.depth(), self.model.draws, seed)
        return HoleGrades(holes, evidence.informed, evidence.sampler(keys, priors, which, seed), other_holes)

    def _priors(self, holes: Holes) -> Floats:
        """Probability of each grade for the holes of each ranking, before any labels: shape (rankings, levels)."""
        view, model = holes.view, self.model
        counts = grade_counts(view.qrels, holes.bins)
        if model.scope == "collection":
            counts = np.broadcast_to(counts.sum(axis=0), counts.shape)
        pool = counts[view.topics]
        seen = holes.seen_counts
        nothing = seen.sum(axis=1) == 0
        from_pool, from_run = shares(pool), shares(seen)
        if model.prior == "pool":
            out = from_pool
        elif model.prior == "run":
            out = np.where(nothing[:, None], from_pool, from_run)
        else:
            out = np.where(nothing[:, None], from_pool, (from_pool + from_run) / 2)
        if model.unseen == "zero":
            out[nothing] = np.eye(1, out.shape[1])
        return out

    def _serving_order(self, holes: Holes) -> Ints | None:
        """Rows of the holes in the order in which grades are handed out, ranking by ranking; None for by rank."""
        if self.model.order == "rank":
            return None
        ids = list(holes.view.doc_ids().take(holes.rows))
        ranking = holes.view.ranking[holes.rows].tolist()
        by_doc = sorted(range(len(ids)), key=lambda i: (ranking[i], ids[i].encode()))
        return holes.rows[by_doc]

    # ---- distributions

    def _point(self, values: Floats, weights: Floats | None) -> Floats:
        if self.model.point == "mode":
            return modes(values, weights)
        if self.model.point == "median":
            return quantiles(values, weights, [0.5])[:, 0]
        # Row by row in memory, because in which order NumPy adds depends on how an array lies there.
        by_row = None if weights is None else np.ascontiguousarray(weights)
        return np.average(values, axis=1, weights=by_row)

    def _exact(self, drawing: Drawing, drawn: Ints) -> list[tuple[Ints, Floats, Floats | None]]:
        """Rankings with few label sequences: all scores with their probabilities."""
        if self.model.method == "draws":
            return []
        holes, sampler = drawing.hole_grades.holes, drawing.hole_grades.sampler
        possible = levels_of_any_hole(sampler, holes)
        support = possible.sum(axis=1)
        sequences = holes.counts * np.log(np.maximum(support, 1))
        out: list[tuple[Ints, Floats, Floats | None]] = []
        few = drawn[sequences[drawn] <= np.log(EXACT_OUTCOMES) + 1e-9]
        for number, size in sorted({(int(holes.counts[i]), int(support[i])) for i in few.tolist()}):
            same = few[(holes.counts[few] == number) & (support[few] == size)]
            choices = np.array(list(product(range(size), repeat=number)), dtype=np.int64).reshape(-1, number)
            for rankings in drawing.batches(same, len(choices)):
                rows, hole = drawing.rows_of(rankings)
                levels = np.argsort(~possible[rankings], axis=1, kind="stable")[:, :size]
                targets = levels[:, choices].astype(np.int32)
                weights = np.prod(sampler.probabilities[sampler.which[hole][:, None, :], targets], axis=2)
                some = RankingsWithGrades(rankings, rows, drawing.handed_out(targets, rankings), None)
                out.append((rankings, drawing.score(some), weights))
        return out

    @staticmethod
    def _not_exact(
        exact: list[tuple[Ints, Floats, Floats | None]], drawn: Ints, draws: Floats
    ) -> list[tuple[Ints, Floats, Floats | None]]:
        done = np.concatenate([rankings for rankings, _, _ in exact]) if exact else np.zeros(0, dtype=np.int64)
        rest = np.setdiff1d(drawn, done)
        return [(rest, draws[rest], None)] if len(rest) else []
