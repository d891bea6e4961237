"""Probabilities of grades for holes, learned from what other groups contributed alone."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from unjudged.arrays import Flags, Floats, Hashes, Ints
from unjudged.data.ids import Ids, pair_keys
from unjudged.data.judge_labels import JudgeLabels
from unjudged.data.memo import Memo, remembered
from unjudged.data.pool_depth import SHALLOWEST, inferred_depth
from unjudged.data.qrels import Qrels
from unjudged.data.run_occurrences import OccurrencesInRuns
from unjudged.data.scale import Scale
from unjudged.data.view import View
from unjudged.errors import Notice
from unjudged.holes.discount_model import DISCOUNT, discount_model
from unjudged.holes.evidence_model.label_features import label_notices
from unjudged.holes.evidence_model.new_kinds import NewKinds
from unjudged.holes.evidence_model.ordinal import Ordinal, fit_ordinal
from unjudged.holes.evidence_model.pool_contributions import Contributions, Described
from unjudged.holes.evidence_model.variance_components import (
    T4_VARIANCE,
    VarianceComponents,
    estimate_variance_components,
)
from unjudged.holes.imputation.binned_scales import bins_for
from unjudged.holes.imputation.grade_sampler import KINDS, OF_A_KIND, GradeProbabilities, RandomEffects
from unjudged.holes.imputation.grade_source import Facts
from unjudged.holes.imputation.holes_of_other_runs import AllHoles, OtherHoles, all_holes_of
from unjudged.holes.missing_kinds import MissingKinds
from unjudged.kernels.splitmix import mixed

__all__ = ["LEAST_GROUPS", "NO_EVIDENCE", "EvidenceModel", "GroupFit", "evidence_model"]


NO_EVIDENCE = "no-evidence"
"""The code of the notice that says where nothing could be learned."""
LEAST_EXAMPLES = 100
"""Documents that only one other group contributed, and of ..."""
LEAST_GROUPS = 5
"""... how many other groups, below which nothing is learned: from 4 on TREC-8 it was worse than pool+run
(experiments/results/evidence.md), and how far groups stray is not to be seen from fewer."""
_POOL = 5.0
"""So many examples' worth of the pool's own grades join the others: they decide where examples are few."""
_FLAT = 1e-9


@dataclass(frozen=True, eq=False)
class Predicted:
    """What a fit says about described documents: probability of each grade, by level, and how far they stray."""

    probabilities: Floats
    conditional: Floats
    """The same at random effects of 0."""
    deviations: Floats
    spreads: Floats
    """Of the kinds of random effects, shape (kinds, documents)."""


@dataclass(frozen=True, eq=False)
class FittedModel:
    """A fitted model, and the mean and the standard deviation of the examples' features, in which it thinks."""

    ordinal: Ordinal
    middle: Floats
    width: Floats
    given: Ints
    """The levels of grades that somebody ever gave; others have probability 0."""
    levels: int
    variance_components: VarianceComponents

    def probabilities(self, features: Floats, stretch: float | Floats = 1.0) -> Floats:
        """Probability of each grade, by level, for documents with these features."""
        out = np.zeros((len(features), self.levels))
        out[:, self.given] = self.ordinal.probabilities((features - self.middle) / self.width, stretch)
        return out

    def predicted(self, features: Floats, towards: float = 0.0, *, kind: float = 0.0) -> Predicted:
        """All that is said about documents with these features.

        Where all log odds are moved by *towards*, they are as uncertain as those of discounted. *kind* is the scale of
        what they share with holes of other groups.
        """
        if towards:
            return self.moved(towards)._strayed(features, DISCOUNT.sd, kind)
        return self._strayed(features, 0.0, kind)

    def moved(self, towards: float) -> FittedModel:
        """The model with log odds that are higher by as much."""
        return replace(self, ordinal=replace(self.ordinal, thresholds=self.ordinal.thresholds + towards))

    def _strayed(self, features: Floats, beyond: float, kind: float) -> Predicted:
        """With log odds that may be off by *beyond* for all documents, too, and by *kind* for those of other groups."""
        components, number = self.variance_components, len(features)
        of_fit = np.hypot(components.fit_deviations((features - self.middle) / self.width), beyond)
        conditional = self.probabilities(
            features, components.stretch(np.hypot(of_fit, np.sqrt(T4_VARIANCE) * kind))[:, None]
        )
        deviations = np.stack(
            [np.full(number, components.run), np.full(number, components.cell), of_fit, np.full(number, kind)]
        )
        spreads = np.array([components.run_spread, components.cell_spread, 0.0, 0.0])[:, None].repeat(number, axis=1)
        return Predicted(self.probabilities(features), conditional, deviations, spreads)


@dataclass(frozen=True, eq=False)
class GroupFit:
    """One group's fit, applied to its holes; without a model there was too little to learn from."""

    holes: Described
    contributed: Described
    """What the group contributed alone, as if it had not taken part."""
    examples: int
    """Documents that it has learned from, and of how many groups."""
    groups: int
    model: FittedModel | None


class EvidenceModel(Memo):
    """Learns from other runs about a study's holes. A group's model is fitted when somebody asks about its holes."""

    def __init__(
        self,
        qrels: Qrels,
        occurrences: OccurrencesInRuns,
        pool_depth: int | None = None,
        labels: tuple[JudgeLabels, ...] = (),
    ) -> None:
        super().__init__()
        self.qrels, self.occurrences, self._labels = qrels, occurrences, labels
        self.pool_depth = pool_depth or occurrences.pool_depth or inferred_depth(qrels, occurrences)
        self.discounted = discount_model(qrels, occurrences)
        """What is said about holes of groups for which there is too little to learn from."""
        # Without a pool depth there is no evidence either.
        self.contributions = (
            None if self.pool_depth is None else Contributions(qrels, occurrences, self.pool_depth, labels)
        )
        self.new_kinds = NewKinds(self)
        self._group_fits: dict[int, GroupFit] = {}
        self._of_holes: dict[int, Predicted] = {}
        self._all_holes: dict[tuple[int, int, int], AllHoles] = {}
        self._little_judged: set[int] = set()
        """Runs that somebody has asked about, of which too little is judged."""

    @property
    def scale(self) -> Scale:
        """The grades that holes can have: those of the judgments, or of bins where there are too many."""
        bins = bins_for(self.qrels, learned=True)
        return self.qrels.scale if bins is None else bins.scale

    def group_fit(self, group: int) -> GroupFit:
        """What the model of a group says about its holes, from what other groups contributed alone."""
        if group not in self._group_fits:
            contributions = self._required_contributions()
            holes, examples, contributed = contributions.around(group)
            ordered, counts = _in_order_of_names(self.qrels, examples), contributions.grade_counts_without(group)
            there = (len(examples.pairs), len(np.unique(examples.groups)))
            fitted = (
                None if there[0] < LEAST_EXAMPLES or there[1] < LEAST_GROUPS else _fit(contributions, ordered, counts)
            )
            self._group_fits[group] = GroupFit(holes, contributed, *there, fitted)
        return self._group_fits[group]

    def of_holes(self, group: int) -> Predicted:
        """What is said about a group's holes."""
        if group not in self._of_holes:
            group_fit = self.group_fit(group)
            if group_fit.model is None:
                raise TypeError("there was too little to learn from")
            towards = self.new_kinds.of_holes(group)
            kind = DISCOUNT.sd if self.missing_kinds.groups[group] else 0.0
            self._of_holes[group] = group_fit.model.predicted(group_fit.holes.features, towards, kind=kind)
        return self._of_holes[group]

    def _required_contributions(self) -> Contributions:
        if self.contributions is None:
            raise TypeError("nothing is known about the pool, so there is no model")
        return self.contributions

    @property
    def missing_kinds(self) -> MissingKinds:
        """Which groups are of a kind that is missing from the pool."""
        return self.discounted.missing_kinds

    @property
    def speaks(self) -> bool:
        """Whether there is enough to learn from for some hole."""
        if self.contributions is None:
            return False
        groups = np.unique(self.contributions.group_of_holes[self.contributions.group_of_holes >= 0])
        return any(self.group_fit(group).model is not None for group in groups.tolist())

    def group_fits(self) -> tuple[GroupFit, ...]:
        """Those of the groups that somebody has asked about."""
        return tuple(self._group_fits.values())

    def grade_probabilities(self, view: View, rows: Ints) -> GradeProbabilities:
        """Grade probabilities of some rows of a view."""
        return self.pair_probabilities(self.pairs(view, rows))

    def pairs(self, view: View, rows: Ints) -> Ints:
        """Numbers of some rows of a view among the occurrences."""
        return self.occurrences.find_rows(self.qrels, view, rows)

    def pair_probabilities(self, pairs: Ints) -> GradeProbabilities:
        """The same of pairs; the pair -1 stands for what nobody was asked about."""
        number, levels = len(pairs), len(self.scale)
        informed = np.zeros(number, dtype=bool)
        probabilities, conditional = np.zeros((2, number, levels))
        keys = np.zeros((len(KINDS), number), dtype=np.uint64)
        deviations, spreads = np.zeros((2, len(KINDS), number))
        ranks = np.zeros(number, dtype=np.int64)
        if self.contributions is not None and number:
            group = self.contributions.group_of_holes[
                pairs
            ]  # the last one, for pairs that nobody returned, is no group
            for one in np.unique(group[group >= 0]).tolist():
                group_fit, here = self.group_fit(one), np.flatnonzero(group == one)
                if group_fit.model is None:
                    continue
                place, predicted = np.searchsorted(group_fit.holes.pairs, pairs[here]), self.of_holes(one)
                informed[here] = True
                probabilities[here], conditional[here] = predicted.probabilities[place], predicted.conditional[place]
                keys[:, here] = self.effect_keys(group_fit.holes.rows(place))
                deviations[:, here], spreads[:, here] = predicted.deviations[:, place], predicted.spreads[:, place]
            ranks[informed] = self.contributions.rank_of_holes[pairs[informed]]
        effects = RandomEffects(keys, deviations, spreads)
        learned = GradeProbabilities(informed, probabilities, conditional, effects, ranks)
        rest = np.flatnonzero(~informed)
        return learned.with_others(rest, self.discounted.pair_probabilities(pairs[rest])) if len(rest) else learned

    def effect_keys(self, described: Described) -> Hashes:
        """Keys of the random effects that documents share: by run, by run and topic's name, by group, and by kind."""
        of_run = self.occurrences.run_keys[described.runs]
        return np.stack(
            [
                of_run,
                mixed(of_run ^ self._topic_keys[described.topics]),
                self.occurrences.keys[described.groups],
                np.full(len(of_run), OF_A_KIND),
            ]
        )

    # ---- all holes of a topic

    def other_holes(self, own: GradeProbabilities, depth: int | None, draws: int, seed: int) -> OtherHoles:
        """What all runs' holes add to R and the ideal rankings of rankings with their *own* holes."""
        if self.contributions is None:
            return self.discounted.other_holes(own, depth, draws, seed)
        reach = self.reach(depth)
        return OtherHoles(self.all_holes(reach, draws, seed), own.informed & (own.ranks <= reach))

    def reach(self, depth: int | None) -> int:
        """Down to which rank documents count that only other runs have: as far as a measure reads.

        Where it reads all, as far as the pool goes: further down runs have too many documents to draw them all.
        """
        return next((one for one in (depth, self.pool_depth) if one is not None), sys.maxsize)

    def all_holes(self, reach: int, draws: int, seed: int) -> AllHoles:
        """Those with evidence that some run has down to rank *reach*."""
        key = (reach, draws, seed)
        if key not in self._all_holes:
            contributions = self._required_contributions()
            ranks = contributions.rank_of_holes[:-1]
            pairs = np.flatnonzero((ranks > 0) & (ranks <= reach))
            topics, docs = contributions.topics[pairs], self.occurrences.docs(self.qrels, pairs)
            evidence = self.pair_probabilities(pairs)
            self._all_holes[key] = all_holes_of(self.qrels, topics, docs, evidence, draws, seed)
        return self._all_holes[key]

    def facts(self, view: View, rows: Ints) -> list[Facts | None]:
        """What is known about some rows of a view; None where there is no evidence."""
        if self.contributions is None:
            return [None] * len(rows)
        pairs = self.pairs(view, rows)
        out: list[Facts | None] = []
        for pair, group in zip(pairs.tolist(), self.contributions.group_of_holes[pairs].tolist(), strict=True):
            group_fit = self.group_fit(group) if group >= 0 else None
            if group_fit is None or group_fit.model is None:
                out.append(None)
            else:
                place = int(np.searchsorted(group_fit.holes.pairs, pair))
                out.append(self.contributions.facts(pair, group_fit.holes.features[place]))
        return out

    def without_precedent(self, view: View, rows: Ints) -> Flags:
        """Which rows of a view are holes of runs that nothing is a precedent for.

        Where it is known who made which run, left-out groups say how far off evidence is about holes of such runs,
        too, unless their level is that of the runs' own judged documents.
        """
        pairs = self.pairs(view, rows)
        run = self.discounted.runs_without_precedent(pairs)
        if self.contributions is not None and self.occurrences.groups_given:
            groups = np.where(run >= 0, self.contributions.group_of_holes[pairs], -1)
            for one in np.unique(groups[groups >= 0]).tolist():
                if self.group_fit(one).model is not None and not self.new_kinds.follow_their_own(one):
                    run[groups == one] = -1
        self._little_judged |= set(filter(self.discounted.is_little_judged, np.unique(run[run >= 0]).tolist()))
        return run >= 0

    def labelled(self, view: View, rows: Ints) -> Flags:
        """Which rows of a view some judge has labelled."""
        topics, docs = view.topics[view.ranking[rows]], view.doc_ids().take(rows)
        labels = [~np.isnan(source.of(topics, docs)) for source in self._labels]
        return np.any(labels, axis=0) if labels else np.zeros(len(rows), dtype=bool)

    @cached_property
    def _topic_keys(self) -> Hashes:
        """A number for each topic, by its name."""
        return Ids.of(self.qrels.topics).hashes()

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Where nothing could be learned, as far as anybody has asked; and about labels."""
        of_kinds = self.discounted.notices_of_kinds
        if self.contributions is not None:
            of_kinds = *self.missing_kinds.notices(), *self.missing_kinds.little_judged(sorted(self._little_judged))
        of_labels = [*label_notices(self.qrels, self._labels), *self.new_kinds.notices(), *of_kinds]
        others = ["labels"] * bool(self._labels) + ["features"] * bool(self.occurrences.features)
        unused = f", and {' and '.join(others)} are not used" if others else ""
        if self.contributions is None:
            text = (
                f"prior=evidence: no run is judged down to rank {SHALLOWEST}, so no run seems to have been in the pool;"
                f" grades are those of discounted instead{unused}"
            )
            return (Notice(NO_EVIDENCE, 1, text), *of_labels)
        without = [one for one in self.group_fits() if one.model is None and len(one.holes.pairs)]
        if not without:
            return tuple(of_labels)
        holes = sum(len(one.holes.pairs) for one in without)
        most = max(without, key=lambda one: (one.examples, one.groups))
        text = (
            f"prior=evidence: grades of {holes:,} holes are those of discounted{unused}: {most.examples:,} judged"
            f" documents of {most.groups:,} other groups are in the top {self.pool_depth} of one group only;"
            f" it takes {LEAST_EXAMPLES} of {LEAST_GROUPS} groups"
        )
        return (Notice(NO_EVIDENCE, holes, text), *of_labels)


def _in_order_of_names(qrels: Qrels, examples: Described) -> Described:
    """The same examples in an order, and with numbers of topics, that do not depend on the order of the judgments.

    Sums over examples are then the same to the last bit.
    """
    by_name = np.argsort(np.argsort(np.array(qrels.topics)))
    keys = pair_keys(qrels.topics, examples.topics, qrels.docs.take(examples.pairs), 0)
    ordered = examples.rows(np.argsort(keys, kind="stable"))
    return replace(ordered, topics=by_name[ordered.topics])


@remembered
def evidence_model(
    qrels: Qrels,
    occurrences: OccurrencesInRuns,
    pool_depth: int | None = None,
    labels: tuple[JudgeLabels, ...] = (),
) -> EvidenceModel:
    """What is learned from these occurrences, and from labels; the same for all who ask."""
    return EvidenceModel(qrels, occurrences, pool_depth, labels)


def _fit(contributions: Contributions, examples: Described, counts: Ints) -> FittedModel:
    """Fit the model of one group; *counts* are the pool's judgments at each level."""
    # Grades that nobody ever gave have probability 0; the model knows the others by their place.
    given = np.flatnonzero(counts)
    levels = np.searchsorted(given, contributions.levels[examples.pairs])
    middle, width = examples.features.mean(axis=0), examples.features.std(axis=0)
    width[width < _FLAT] = 1.0
    features = (examples.features - middle) / width
    # The pool's own grades join in as a few more examples that are average in every respect.
    model, information = fit_ordinal(
        np.concatenate([features, np.zeros((len(given), features.shape[1]))]),
        np.concatenate([levels, np.arange(len(given))]),
        np.concatenate([np.ones(len(levels)), _POOL * counts[given] / counts.sum()]),
        number=len(given),
        rising=contributions.rising,
    )
    variance_components = estimate_variance_components(
        model, information, features, levels, examples.groups, examples.runs, examples.topics
    )
    return FittedModel(model, middle, width, given, len(counts), variance_components)
