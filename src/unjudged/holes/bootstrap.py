"""The bootstrap over holes: draw grades for the unjudged documents many times, and look at the scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import get_args

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.data.qrels import Qrels
from unjudged.data.scale import Bins
from unjudged.data.view import View
from unjudged.errors import InputError, Notice, SpecError
from unjudged.holes.base import DRAWS, Belief, Estimate, HoleModel, JointDraws, JointPrior, Settings
from unjudged.holes.bounds import refuse_ideals_of_subtopics
from unjudged.holes.evidence_model.model import EvidenceModel, evidence_model
from unjudged.holes.imputation.binning import bin_notices, bins_for
from unjudged.holes.imputation.filling import DrawnGrades, Holes, grade_counts, score_labels, shares, spend
from unjudged.holes.imputation.grade_sampler import GradeSampler, hole_keys
from unjudged.holes.imputation.labelling import HoleGrades, Labelled, groups_that_fit, levels_of_any_hole
from unjudged.holes.imputation.other_holes import depends_on_other_holes
from unjudged.holes.imputation.reestimated_ideal import NewJudgments
from unjudged.holes.labels import LabelModel, LabelSource, fit_label_model, read_labels, refuse_subtopics
from unjudged.measures.base import Measure
from unjudged.results.distributions import Distribution, modes, nearest_intervals, quantiles
from unjudged.spec import Choice, Whole, param

__all__ = ["Bootstrap"]


EXACT_OUTCOMES = 4096
"""Label sequences of one ranking up to which its distribution is computed instead of drawn."""
Scorer = Callable[[Ints, Ints, DrawnGrades, Ints | None], Floats]
GradeSource = LabelModel | EvidenceModel
_ORIGINS = {
    "pool+run": "the pool's and the run's own grades",
    "pool": "the pool's grades",
    "run": "the run's own grades",
    "labels": "the grades of judged documents with the same label of another judge",
    "evidence": "an ordinal model of documents that only one other group of runs contributed to the pool",
}
_EVEN = 1e-9


class Bootstrap(HoleModel):
    """Grades for unjudged documents are drawn many times.

    A grade is drawn from the ``prior``: the grades in the ``pool``, those of the judged documents in this ``run``'s
    ranking, or the average of both. With ``prior=labels`` it is drawn from the grades that judged documents with the
    same label of another judge got, anywhere in the collection, and from the pool for documents without a label. With
    ``prior=evidence`` it is drawn from what a model says that has learned from the documents that only one other group
    of runs contributed to the pool (``depth`` documents of each run; found out unless given).

    With a ``fixed`` ideal the pool's number of judgments per grade does not change: if no judgment of a grade is left
    outside the ranking, the highest lower one is taken, and R and the ideal ranking stay as they are. With an ideal
    that ``follows``, grades are new judgments. The value is the ``point`` of the scores. ``low`` and ``high`` are their
    ``percentiles``, or the ends of an interval that has as ``nearly`` the share between these as scores with few values
    allow, and is the shortest of its kind. Evidence goes with ``follows`` and ``nearest``, everything else with
    ``fixed`` and ``percentiles``, unless given.

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
    labels: str | Qrels | None = param(None, LabelSource(), "another judge's grades, for prior='labels'")
    depth: int | None = param(None, Whole(1), "documents of each run that went into the pool, for prior='evidence'")
    ideal: str | None = param(None, Choice(("fixed", "follows")), "whether R and the ideal ranking follow the draws")
    ends: str | None = param(None, Choice(("percentiles", "nearest")), "where the interval of the scores ends")

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.prior == "labels") != (self.labels is not None):
            raise SpecError(f"{self.name}: prior='labels' and labels=FILE go together")
        if self.depth is not None and not self.learns_from_runs:
            raise SpecError(f"{self.name}: depth is for prior='evidence'")

    @property
    def learns_from_runs(self) -> bool:
        """With evidence as the prior."""
        return self.prior == "evidence"

    @property
    def learns(self) -> bool:
        """Whether probabilities of grades are learned, and not only shares of the judgments."""
        return self.learns_from_runs or self.labels is not None

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
        """Whether grades that are drawn are new judgments; with evidence, unless the user said otherwise."""
        return self.learns_from_runs if self.ideal is None else self.ideal == "follows"

    @property
    def nearest_ends(self) -> bool:
        """Whether intervals have as nearly their share as possible; with evidence, unless the user said otherwise."""
        return self.learns_from_runs if self.ends is None else self.ends == "nearest"

    def interval(self, values: Floats, weights: Floats | None, settings: Settings) -> Floats:
        """Between what the scores of each row lie.

        What is nearest to a share of the scores leaves out what it must, on either side; percentiles that are not to
        leave out the same on both stay percentiles.
        """
        low, high = settings.interval
        if self.nearest_ends and abs(low + high - 1) < _EVEN:
            return nearest_intervals(values, weights, high - low)
        return super().interval(values, weights, settings)

    def files(self) -> tuple[str, ...]:
        """The file with the labels, if there is one."""
        return (self.labels,) if isinstance(self.labels, str) else ()

    def check(self, measure: Measure) -> None:
        """Refuse what cannot be drawn for measures on subtopics."""
        if self.learns:
            refuse_subtopics(self, measure)
        if self.ideal_follows:
            refuse_ideals_of_subtopics(self, measure)
        if self.scope == "collection" and "subtopics" in measure.needs:
            raise InputError(f"{self} is not for {measure}: the subtopics of one topic mean nothing for another")

    def joint_draws(self) -> JointDraws | None:
        """Those from priors that several runs can share; other parameters are about one run's scores."""
        own = {one.name for one in self.parameters() if getattr(self, one.name) != one.default}
        shared: dict[str, JointPrior] = {one: one for one in get_args(JointPrior)}
        if self.prior not in shared or own - {"prior", "draws", "depth"}:
            return None
        return JointDraws(shared[self.prior], self.draws, self.depth)

    def prepare(self, qrels: Qrels) -> Belief:
        """Itself, or for a prior from labels what they say. Judgments without a grade leave nothing to draw from."""
        if not grade_counts(qrels).any():
            raise InputError(
                f"{qrels.source or 'qrels'}: no document is judged, so {self.name} has no grades to draw from"
            )
        remarks = bin_notices(qrels, learned=self.learns)
        if self.learns_from_runs:
            if qrels.occurrences is None:
                raise InputError(f"{self} learns from other runs, and nobody said what these return")
            return InformedBootstrap(self, evidence_model(qrels, self.depth), remarks)
        if self.labels is not None:
            return InformedBootstrap(self, fit_label_model(qrels, read_labels(self.labels, qrels)), remarks)
        return InformedBootstrap(self, None, remarks) if remarks else self

    def estimate(self, measure: Measure, view: View, settings: Settings) -> Estimate:
        """Point, interval and distribution of the score of each ranking."""
        if self.learns:
            return self.prepare(view.qrels).estimate(measure, view, settings)
        return self.informed(measure, view, settings, None)

    def informed(self, measure: Measure, view: View, settings: Settings, grade_source: GradeSource | None) -> Estimate:
        """The same, with what somebody says about some of the holes."""
        if not measure.has_holes:
            return Estimate(measure.score(view))
        seen = measure.seen(view)
        holes = Holes(seen, self.bins(seen.qrels))
        hole_grades = self.hole_grades(measure, holes, grade_source, settings.seed)
        labelled = None
        if self.labels is not None:
            labelled = seen.share(np.isin(np.arange(len(seen.grades)), holes.rows[hole_grades.informed]))
        plain = measure.compute(seen)
        draws = np.repeat(plain[:, None], self.draws, axis=1)
        drawn = np.flatnonzero(hole_grades.is_open)
        score = self.scorer(measure, holes)
        for some in self.label(hole_grades, drawn):
            draws[some.rankings] = score(*some)
        value, low, high = plain.copy(), plain.copy(), plain.copy()
        distributions = [Distribution(plain[i : i + 1], np.ones(1)) for i in range(len(seen))]
        # What is computed exactly takes holes as independent of each other.
        exact = self._exact(score, hole_grades, drawn) if hole_grades.sampler.random_effects is None else []
        for rankings, values, weights in [*exact, *self._not_exact(exact, drawn, draws)]:
            value[rankings] = self._point(values, weights)
            low[rankings], high[rankings] = self.interval(values, weights, settings).T
            for i, ranking in enumerate(rankings.tolist()):
                distributions[ranking] = Distribution(values[i], None if weights is None else weights[i])
        return Estimate(value, low, high, draws, tuple(distributions), labelled)

    # ---- priors

    def bins(self, qrels: Qrels) -> Bins | None:
        """The bins that grades are drawn from, where there are too many grades."""
        return bins_for(qrels, learned=self.learns)

    def hole_grades(self, measure: Measure, holes: Holes, grade_source: GradeSource | None, seed: int) -> HoleGrades:
        """The distributions of the grades of a view's holes, and of what is relevant outside its rankings."""
        keys, priors, which = hole_keys(holes, seed), self.priors(holes), holes.view.ranking[holes.rows]
        if grade_source is None:
            return HoleGrades(holes, np.zeros(len(keys), dtype=bool), GradeSampler(keys, priors, which, None, seed))
        evidence = grade_source.grade_probabilities(holes.view, holes.rows)
        other_holes = None
        if self.ideal_follows and depends_on_other_holes(measure, holes.view):
            other_holes = grade_source.other_holes(evidence, measure.depth(), self.draws, seed)
        return HoleGrades(holes, evidence.informed, evidence.sampler(keys, priors, which, seed), other_holes)

    def priors(self, holes: Holes) -> Floats:
        """Probability of each grade for the holes of each ranking, before any labels: shape (rankings, levels)."""
        view = holes.view
        counts = grade_counts(view.qrels, holes.bins)
        if self.scope == "collection":
            counts = np.broadcast_to(counts.sum(axis=0), counts.shape)
        pool = counts[view.topics]
        seen = holes.seen_counts
        nothing = seen.sum(axis=1) == 0
        from_pool, from_run = shares(pool), shares(seen)
        if self.prior in {"pool", "labels"}:
            out = from_pool
        elif self.prior == "run":
            out = np.where(nothing[:, None], from_pool, from_run)
        else:
            out = np.where(nothing[:, None], from_pool, (from_pool + from_run) / 2)
        if self.unseen == "zero":
            out[nothing] = np.eye(1, out.shape[1])
        return out

    def _point(self, values: Floats, weights: Floats | None) -> Floats:
        if self.point == "mode":
            return modes(values, weights)
        if self.point == "median":
            return quantiles(values, weights, [0.5])[:, 0]
        # Row by row in memory, because in which order NumPy adds depends on how an array lies there.
        by_row = None if weights is None else np.ascontiguousarray(weights)
        return np.average(values, axis=1, weights=by_row)

    # ---- distributions

    def _serving_order(self, holes: Holes) -> Ints | None:
        """Rows of the holes in the order in which grades are handed out, ranking by ranking; None for by rank."""
        if self.order == "rank":
            return None
        ids = list(holes.view.doc_ids().take(holes.rows))
        ranking = holes.view.ranking[holes.rows].tolist()
        by_doc = sorted(range(len(ids)), key=lambda i: (ranking[i], ids[i].encode()))
        return holes.rows[by_doc]

    def label(self, hole_grades: HoleGrades, drawn: Ints) -> Iterator[Labelled]:
        """Drawn labels for the holes of some rankings, as many rankings at once as fit."""
        holes = hole_grades.holes
        order = self._serving_order(holes)
        counted = len(holes.scale) if self.ideal_follows else 0
        for rankings in groups_that_fit(holes.counts, drawn, self.draws, counted=counted):
            rows = holes.of(rankings, order)
            hole = np.searchsorted(holes.rows, rows)
            labels = self._handed_out(hole_grades.sampler.draw(hole, self.draws), holes.left[rankings])
            other_holes = None
            if hole_grades.other_holes is not None:
                other_holes = hole_grades.other_holes.beside(holes.view.topics[rankings], hole, labels)
            yield Labelled(rankings, rows, labels, other_holes)

    def _handed_out(self, targets: DrawnGrades, left: Ints) -> DrawnGrades:
        """The grades that holes get, of those that were drawn for them."""
        return targets if self.ideal_follows else spend(targets, left)

    def scorer(self, measure: Measure, holes: Holes) -> Scorer:
        """How labels of holes become scores, of shape (rankings, draws)."""
        if self.ideal_follows:
            return NewJudgments(measure, holes.view, holes.scale).score

        def keeping(rankings: Ints, rows: Ints, labels: DrawnGrades, other_holes: Ints | None) -> Floats:
            return score_labels(measure, holes.view, rankings, rows, labels, holes.scale)

        return keeping

    def _exact(self, score: Scorer, hole_grades: HoleGrades, drawn: Ints) -> list[tuple[Ints, Floats, Floats | None]]:
        """Rankings with few label sequences: all scores with their probabilities."""
        if self.method == "draws":
            return []
        holes, sampler = hole_grades.holes, hole_grades.sampler
        order, counted = self._serving_order(holes), len(holes.scale) if self.ideal_follows else 0
        possible = levels_of_any_hole(sampler, holes)
        support = possible.sum(axis=1)
        sequences = holes.counts * np.log(np.maximum(support, 1))
        out: list[tuple[Ints, Floats, Floats | None]] = []
        few = drawn[sequences[drawn] <= np.log(EXACT_OUTCOMES) + 1e-9]
        for number, size in sorted({(int(holes.counts[i]), int(support[i])) for i in few.tolist()}):
            same = few[(holes.counts[few] == number) & (support[few] == size)]
            choices = np.array(list(product(range(size), repeat=number)), dtype=np.int64).reshape(-1, number)
            for rankings in groups_that_fit(holes.counts, same, len(choices), counted=counted):
                rows = holes.of(rankings, order)
                levels = np.argsort(~possible[rankings], axis=1, kind="stable")[:, :size]
                targets = levels[:, choices].astype(np.int32)
                which = sampler.which[np.searchsorted(holes.rows, rows)]
                weights = np.prod(sampler.probabilities[which[:, None, :], targets], axis=2)
                labels = self._handed_out(targets, holes.left[rankings])
                out.append((rankings, score(rankings, rows, labels, None), weights))
        return out

    @staticmethod
    def _not_exact(
        exact: list[tuple[Ints, Floats, Floats | None]], drawn: Ints, draws: Floats
    ) -> list[tuple[Ints, Floats, Floats | None]]:
        done = np.concatenate([rankings for rankings, _, _ in exact]) if exact else np.zeros(0, dtype=np.int64)
        rest = np.setdiff1d(drawn, done)
        return [(rest, draws[rest], None)] if len(rest) else []


@dataclass(frozen=True, eq=False)
class InformedBootstrap:
    """A bootstrap together with somebody who knows more about the holes, if there is anybody."""

    model: Bootstrap
    grade_source: GradeSource | None
    remarks: tuple[Notice, ...] = ()
    """What the user should know about how grades are drawn from these judgments."""

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What the user should know about that, and about what is said."""
        return self.remarks if self.grade_source is None else (*self.remarks, *self.grade_source.notices)

    def estimate(self, measure: Measure, view: View, settings: Settings) -> Estimate:
        """Point, interval and distribution of the score of each ranking."""
        return self.model.informed(measure, view, settings, self.grade_source)
