"""Chances of grades for holes, learned from what other groups contributed alone."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from unjudged.data.ids import Ids, pair_keys
from unjudged.data.qrels import Qrels
from unjudged.data.scale import Scale
from unjudged.data.testimony import Testimony
from unjudged.data.view import View
from unjudged.errors import Notice
from unjudged.holes.binning import bins_for
from unjudged.holes.contributions import Contributions, Described, Facts
from unjudged.holes.drawing import GradeChances, Lots, Shifts
from unjudged.holes.elsewhere import AllHoles, Elsewhere
from unjudged.holes.ordinal import Ordinal, Spread, fit_ordinal, spread_of_groups
from unjudged.holes.pool_depth import SHALLOWEST, inferred_depth
from unjudged.kernels.splitmix import mixed

__all__ = ["LEAST_GROUPS", "NO_EVIDENCE", "Opinion", "OtherRuns", "other_runs"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Hashes = NDArray[np.uint64]
Flags = NDArray[np.bool_]

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
class Opinion:
    """What the model of one group says about its holes; without a ``spread`` there was too little to learn from."""

    holes: Described
    examples: int
    """Documents that it has learned from, and of how many groups."""
    groups: int
    chances: Floats
    centred: Floats
    spread: Spread | None
    model: Learned | None


@dataclass(frozen=True, eq=False)
class Learned:
    """A fitted model, and the mean and the standard deviation of the examples' features, in which it thinks."""

    ordinal: Ordinal
    middle: Floats
    width: Floats
    given: Ints
    """The levels of grades that somebody ever gave; others have no chance."""
    levels: int

    def chances(self, features: Floats, scale: float = 1.0) -> Floats:
        """Chance of each grade, by level, for documents with these features."""
        out = np.zeros((len(features), self.levels))
        out[:, self.given] = self.ordinal.chances((features - self.middle) / self.width, scale)
        return out


class OtherRuns:
    """What other runs say about the holes of a study. A group's model is fitted when somebody asks about its holes."""

    def __init__(self, qrels: Qrels, testimony: Testimony, pool_depth: int | None = None) -> None:
        self.qrels, self.testimony = qrels, testimony
        self.pool_depth = pool_depth or testimony.pool_depth or inferred_depth(qrels, testimony)
        # Without a pool depth there is no evidence either.
        self.scene = None if self.pool_depth is None else Contributions(qrels, testimony, self.pool_depth)
        self._opinions: dict[int, Opinion] = {}
        self._all_holes: dict[tuple[int, int, int], AllHoles] = {}

    @property
    def scale(self) -> Scale:
        """The grades that holes can have: those of the judgments, or of bins where there are too many."""
        bins = bins_for(self.qrels, learned=True)
        return self.qrels.scale if bins is None else bins.scale

    def opinion(self, group: int) -> Opinion:
        """What the model of a group says about its holes, from what other groups contributed alone."""
        if group not in self._opinions:
            scene = self._known_scene()
            holes, examples = scene.around(group)
            ordered, counts = _in_order_of_names(self.qrels, examples), scene.grade_counts_without(group)
            self._opinions[group] = _learn(scene, holes, ordered, counts)
        return self._opinions[group]

    def _known_scene(self) -> Contributions:
        if self.scene is None:
            raise TypeError("nothing is known about the pool, so there is no model")
        return self.scene

    def opinions(self) -> tuple[Opinion, ...]:
        """Those of the groups that somebody has asked about."""
        return tuple(self._opinions.values())

    def about(self, view: View, rows: Ints) -> GradeChances:
        """What they say about some rows of a view."""
        if self.scene is None:
            return self._about_pairs(np.full(len(rows), -1), np.zeros(len(rows), dtype=np.int64))
        topics = view.topics[view.ranking[rows]]
        return self._about_pairs(self.testimony.find(self.qrels, topics, view.doc_ids().take(rows)), topics)

    def _about_pairs(self, pairs: Ints, topics: Ints) -> GradeChances:
        """What they say about pairs of these topics; the pair -1 stands for what nobody was asked about."""
        number, levels = len(pairs), len(self.scale)
        known = np.zeros(number, dtype=bool)
        chances, centred = np.zeros((2, number, levels))
        key, cell = np.zeros((2, number), dtype=np.uint64)
        of_group, of_cell = np.zeros((2, number))
        ranks = np.zeros(number, dtype=np.int64)
        if self.scene is not None and number:
            group = self.scene.group_of_holes[pairs]  # the last one, for pairs that nobody returned, is no group
            for one in np.unique(group[group >= 0]).tolist():
                opinion, here = self.opinion(one), np.flatnonzero(group == one)
                if opinion.spread is None:
                    continue
                place = np.searchsorted(opinion.holes.pairs, pairs[here])
                known[here] = True
                chances[here], centred[here] = opinion.chances[place], opinion.centred[place]
                key[here], cell[here] = self.testimony.keys[one], self._cell_keys(one)[topics[here]]
                of_group[here], of_cell[here] = opinion.spread.group, opinion.spread.cell
            ranks[known] = self.scene.rank_of_holes[pairs[known]]
        return GradeChances(known, chances, centred, Shifts(key, cell, of_group, of_cell), ranks)

    # ---- all holes of a topic

    def elsewhere(self, own: GradeChances, depth: int | None, draws: int, seed: int) -> Elsewhere | None:
        """What all runs' holes add to R and the ideal rankings of rankings with their *own* holes."""
        if self.scene is None:
            return None
        reach = self.reach(depth)
        return Elsewhere(self.all_holes(reach, draws, seed), own.known & (own.ranks <= reach))

    def reach(self, depth: int | None) -> int:
        """Down to which rank documents count that only other runs have: as far as the pool and a measure reach.

        The measure's *depth* alone where nothing is known about the pool.
        """
        return min((one for one in (self.pool_depth, depth) if one is not None), default=sys.maxsize)

    def all_holes(self, reach: int, draws: int, seed: int) -> AllHoles:
        """Those with evidence that some run has down to rank *reach*."""
        key = (reach, draws, seed)
        if key not in self._all_holes:
            scene = self._known_scene()
            ranks = scene.rank_of_holes[:-1]
            pairs = np.flatnonzero((ranks > 0) & (ranks <= reach))
            said = self._about_pairs(pairs, scene.topics[pairs])
            pairs, said = pairs[said.known], said.take(said.known)
            topics = scene.topics[pairs]
            keys = pair_keys(self.qrels.topics, topics, scene.docs(pairs), seed)
            lots = Lots(keys, said.centred, np.arange(len(pairs)), said.shifts, seed)
            self._all_holes[key] = AllHoles(lots, topics, draws, number_of_topics=len(self.qrels.topics))
        return self._all_holes[key]

    def facts(self, view: View, rows: Ints) -> list[Facts | None]:
        """What is known about some rows of a view; None where there is no evidence."""
        if self.scene is None:
            return [None] * len(rows)
        pairs = self.testimony.find(self.qrels, view.topics[view.ranking[rows]], view.doc_ids().take(rows))
        out: list[Facts | None] = []
        for pair, group in zip(pairs.tolist(), self.scene.group_of_holes[pairs].tolist(), strict=True):
            opinion = self.opinion(group) if group >= 0 else None
            if opinion is None or opinion.spread is None:
                out.append(None)
            else:
                place = int(np.searchsorted(opinion.holes.pairs, pair))
                out.append(self.scene.facts(pair, opinion.holes.features[place]))
        return out

    def _cell_keys(self, group: int) -> Hashes:
        """A number for a group on each topic, by its name."""
        return mixed(self.testimony.keys[group] ^ Ids.of(self.qrels.topics).hashes())

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Where nothing could be learned, as far as anybody has asked."""
        if self.scene is None:
            text = (
                f"prior=evidence: no run is judged down to rank {SHALLOWEST}, so no run seems to have been in the pool;"
                " pool+run is the prior instead"
            )
            return (Notice(NO_EVIDENCE, 1, text),)
        without = [one for one in self.opinions() if one.spread is None]
        if not without:
            return ()
        holes = sum(len(one.holes.pairs) for one in without)
        most = max(without, key=lambda one: (one.examples, one.groups))
        text = (
            f"prior=evidence: pool+run is the prior of {holes:,} holes instead: {most.examples:,} judged documents of"
            f" {most.groups:,} other groups are in the top {self.pool_depth} of one group only;"
            f" it takes {LEAST_EXAMPLES} of {LEAST_GROUPS} groups"
        )
        return (Notice(NO_EVIDENCE, holes, text),)


def _in_order_of_names(qrels: Qrels, examples: Described) -> Described:
    """The same examples in an order, and with numbers of topics, that do not depend on the order of the judgments.

    Sums over examples are then the same to the last bit.
    """
    by_name = np.argsort(np.argsort(np.array(qrels.topics)))
    keys = pair_keys(qrels.topics, examples.topics, qrels.docs.take(examples.pairs), 0)
    found = examples.rows(np.argsort(keys, kind="stable"))
    return replace(found, topics=by_name[found.topics])


def other_runs(qrels: Qrels, pool_depth: int | None = None) -> OtherRuns:
    """Those whose testimony came with the judgments; the same for all who ask."""
    testimony = qrels.testimony
    if testimony is None:
        raise TypeError("these judgments came without testimony")
    return qrels.remember(("other runs", pool_depth), lambda: OtherRuns(qrels, testimony, pool_depth))


def _learn(scene: Contributions, holes: Described, examples: Described, counts: Ints) -> Opinion:
    """Fit the model of one group, and apply it to its holes; *counts* are the pool's judgments at each level."""
    there = (len(examples.pairs), len(np.unique(examples.groups)))
    if there[0] < LEAST_EXAMPLES or there[1] < LEAST_GROUPS:
        nothing = np.zeros((0, len(counts)))
        return Opinion(holes, *there, nothing, nothing, None, None)
    # Grades that nobody ever gave have no chance; the model knows the others by their place.
    given = np.flatnonzero(counts)
    levels = np.searchsorted(given, scene.levels[examples.pairs])
    middle, width = examples.features.mean(axis=0), examples.features.std(axis=0)
    width[width < _FLAT] = 1.0
    features = (examples.features - middle) / width
    # The pool's own grades join in as a few more examples that are average in every respect.
    model, information = fit_ordinal(
        np.concatenate([features, np.zeros((len(given), features.shape[1]))]),
        np.concatenate([levels, np.arange(len(given))]),
        np.concatenate([np.ones(len(levels)), _POOL * counts[given] / counts.sum()]),
        number=len(given),
        rising=scene.rising,
    )
    spread = spread_of_groups(model, information, features, levels, examples.groups, examples.topics)
    learned = Learned(model, middle, width, given, len(counts))
    chances, centred = learned.chances(holes.features), learned.chances(holes.features, spread.scale)
    return Opinion(holes, *there, chances, centred, spread, learned)
