"""Draws that belong to a hole: they follow from seed, topic and document, and are the same wherever it is met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

import unjudged.kernels as kernels
from unjudged.arrays import Bytes, Flags, Floats, Hashes, Ints
from unjudged.data.ids import pair_keys
from unjudged.data.memo import Memo, remembered
from unjudged.holes.imputation.filling import DrawnGrades, Holes
from unjudged.kernels.splitmix import GOLDEN, mixed, seeded, to_unit

__all__ = [
    "CELL",
    "FIT",
    "KIND",
    "KINDS",
    "OF_A_KIND",
    "GradeProbabilities",
    "GradeSampler",
    "RandomEffects",
    "hole_keys",
    "joined",
]


RUN, CELL, FIT, KIND = KINDS = range(4)
"""Random effects: of a run, of a run on one topic, of the fit, which all holes of a group share, and of a kind of
system that is missing from the pool, which those of several groups share."""
OF_A_KIND = np.uint64(GOLDEN)
"""The key of all holes of such groups."""
_ANOTHER_STREAM = 977
_FEW_SETS = 256
"""Of holes that move alike, to keep their factors: 2 MB for 1,000 draws."""
_FAR = 600.0
"""Log odds that are never moved further: their odds are still numbers."""


@dataclass(frozen=True, eq=False)
class RandomEffects:
    """How far holes move together in a draw, in log odds: effects that holes with the same key share.

    The arrays have shape (effects, holes), with effects in the order of :data:`KINDS`. A *deviation*
    is the median of a scale that is itself not certain, and *spread* the standard deviation of its logarithm. In each
    draw all effects of a kind are off by the same factor. Effects are normal, those of runs and of kinds Student's t
    with 4 degrees of freedom.
    """

    keys: Hashes
    deviations: Floats
    spreads: Floats

    def take(self, holes: Ints | Flags) -> RandomEffects:
        """Those of some holes."""
        return RandomEffects(self.keys[:, holes], self.deviations[:, holes], self.spreads[:, holes])

    def with_others(self, holes: Ints, others: RandomEffects) -> RandomEffects:
        """The same, but *others* for some holes."""
        out = RandomEffects(self.keys.copy(), self.deviations.copy(), self.spreads.copy())
        out.keys[:, holes], out.deviations[:, holes] = others.keys, others.deviations
        out.spreads[:, holes] = others.spreads
        return out

    @cached_property
    def moved_alike(self) -> tuple[Ints, Ints]:
        """One hole of each set of holes that move alike, and the set that each hole is of."""
        alike = np.zeros(self.keys.shape[1], dtype=np.uint64)
        for numbers in (self.keys, self.deviations.view(np.uint64), self.spreads.view(np.uint64)):
            for row in numbers:
                alike = mixed(alike + GOLDEN ^ row)
        _, first, place = np.unique(alike, return_index=True, return_inverse=True)
        return first, place

    def shifts(self, holes: Ints, draws: int, seed: int) -> Floats:
        """How far the log odds of holes, by their numbers, are moved in each draw: shape (holes, draws)."""
        out = np.zeros((len(holes), draws))
        for kind, (key, deviation, spread) in enumerate(zip(self.keys, self.deviations, self.spreads, strict=True)):
            if not deviation[holes].any():
                continue
            keys, first, place = np.unique(key[holes], return_index=True, return_inverse=True)  # many holes, few keys
            effects = _normal(keys + np.uint64(kind), draws, seed)
            if kind in (RUN, KIND):
                effects /= np.sqrt(_chi_square_4(keys, draws, seed) / 4)
            scales = _normal(np.array([kind + 1], dtype=np.uint64), draws, seed)
            effects *= np.exp(spread[holes][first][:, None] * scales)
            out += effects[place] * deviation[holes][:, None]
        return out

    def factors(self, holes: Ints, draws: int, seed: int) -> Floats:
        """The same as factors of odds, of what a hole has to reach to have a grade."""
        return np.exp(-np.clip(self.shifts(holes, draws, seed), -_FAR, _FAR))


@dataclass(frozen=True, eq=False)
class GradeProbabilities:
    """Grade probabilities of holes from a source that may know more than the prior does, one row for each."""

    informed: Flags
    """Whether there is evidence; without it, the probabilities are all 0."""
    probabilities: Floats
    """Probability of each grade, by level."""
    conditional: Floats
    """The same at random effects of 0: what draws start from."""
    random_effects: RandomEffects | None
    """How far holes move together; None where each is on its own."""
    ranks: Ints
    """The best rank that any run has it at, where runs were asked; else 0."""

    def take(self, holes: Ints | Flags) -> GradeProbabilities:
        """Those of some holes."""
        random_effects = None if self.random_effects is None else self.random_effects.take(holes)
        return GradeProbabilities(
            self.informed[holes], self.probabilities[holes], self.conditional[holes], random_effects, self.ranks[holes]
        )

    def with_others(self, holes: Ints, others: GradeProbabilities) -> GradeProbabilities:
        """The same, but what *others* say about some holes. Both have random effects."""
        if self.random_effects is None or others.random_effects is None:
            raise TypeError("holes with random effects and holes without them are not drawn together")
        out = GradeProbabilities(
            self.informed.copy(),
            self.probabilities.copy(),
            self.conditional.copy(),
            self.random_effects.with_others(holes, others.random_effects),
            self.ranks.copy(),
        )
        out.informed[holes], out.ranks[holes] = others.informed, others.ranks
        out.probabilities[holes], out.conditional[holes] = others.probabilities, others.conditional
        return out

    def sampler(self, keys: Hashes, priors: Floats, which: Ints, seed: int) -> GradeSampler:
        """What grades are drawn with: what is said, and the prior of each hole about which nothing is.

        *which* of the *priors* is that of each hole.
        """
        probabilities = np.where(self.informed[:, None], self.conditional, priors[which])
        return GradeSampler(keys, probabilities, np.arange(len(keys)), self.random_effects, seed)


def _normal(keys: Hashes, draws: int, seed: int) -> Floats:
    """Standard normal numbers that follow from key, draw and seed (Box and Muller), shape (keys, draws)."""
    first, second = _pairs_of_uniforms(keys, draws, seed)
    normal: Floats = np.sqrt(-2.0 * np.log1p(-first)) * np.cos(2.0 * np.pi * second)
    return normal


def _chi_square_4(keys: Hashes, draws: int, seed: int) -> Floats:
    """The same of the chi-square distribution with 4 degrees of freedom: a sum of two exponential numbers."""
    first, second = _pairs_of_uniforms(keys, draws, seed + _ANOTHER_STREAM)
    chi_square: Floats = -2.0 * (np.log1p(-first) + np.log1p(-second))
    return chi_square


def _pairs_of_uniforms(keys: Hashes, draws: int, seed: int) -> tuple[Floats, Floats]:
    steps = np.arange(1, 2 * draws + 1, dtype=np.uint64) * GOLDEN
    unit = to_unit(mixed(mixed(keys + seeded(seed))[:, None] + steps))
    return unit[:, :draws], unit[:, draws:]


@dataclass(frozen=True, eq=False)
class GradeSampler(Memo):
    """What the grades of some holes are drawn with: a key and a probability of each grade for every hole."""

    keys: Hashes
    probabilities: Floats
    """Of each grade, by level, in each of some distributions."""
    which: Ints
    """The distribution that each hole has."""
    random_effects: RandomEffects | None
    seed: int

    @cached_property
    def _odds(self) -> Floats:
        """Of numbers in [0, 1) that stand for each level above 0: infinite where none does."""
        thresholds = np.cumsum(self.probabilities, axis=1)[:, :-1]
        odds = np.full(thresholds.shape, np.inf)
        np.divide(thresholds, 1.0 - thresholds, out=odds, where=thresholds < 1.0)
        return odds

    def of_holes(self) -> Floats:
        """Probability of each grade, by level, for each hole."""
        return self.probabilities[self.which]

    def take(self, holes: Ints | Flags) -> GradeSampler:
        """Those of some holes."""
        used, which = np.unique(self.which[holes], return_inverse=True)
        random_effects = None if self.random_effects is None else self.random_effects.take(holes)
        return GradeSampler(self.keys[holes], self.probabilities[used], which, random_effects, self.seed)

    def draw(self, holes: Ints, draws: int) -> DrawnGrades:
        """Levels of holes, by their numbers; (rankings, holes) become (rankings, draws, holes)."""
        flat = holes.ravel()
        levels = kernels.draw_levels(self.keys[flat], self._odds, self.which[flat], *self._factors(flat, draws))
        return np.ascontiguousarray(levels.reshape(*holes.shape, draws).swapaxes(1, 2))

    def draw_reached(self, holes: Ints, draws: int, level: int, counted: Flags) -> tuple[Bytes, Ints]:
        """Whether holes, by their numbers, reach a level above 0, a bit for each draw; and how many *counted* ones."""
        odds = self._odds[:, level - 1] if level <= self._odds.shape[1] else np.full(len(self._odds), np.inf)
        factors, row = self._factors(holes, draws)
        return kernels.draw_reached(
            self.keys[holes], odds.copy(), self.which[holes], factors, row, counted[holes].view(np.uint8)
        )

    def _factors(self, holes: Ints, draws: int) -> tuple[Floats, Ints]:
        """By what odds to reach are divided in each draw, shape (rows, draws), and the row of each hole."""
        if self.random_effects is None:
            return np.ones((1, draws)), np.zeros(len(holes), dtype=np.int64)
        first, place = self.random_effects.moved_alike
        if len(first) <= _FEW_SETS:
            return self._factors_of_all(draws), place[holes]
        sets, row = np.unique(place[holes], return_inverse=True)
        return self.random_effects.factors(first[sets], draws, self.seed), row

    @remembered
    def _factors_of_all(self, draws: int) -> Floats:
        if self.random_effects is None:
            raise TypeError("nothing moves the holes")
        return self.random_effects.factors(self.random_effects.moved_alike[0], draws, self.seed)


def joined(samplers: Sequence[GradeSampler]) -> GradeSampler:
    """Those of all, one after the other; all have random effects or none has."""
    random_effects = [one.random_effects for one in samplers if one.random_effects is not None]
    starts = np.cumsum([0, *(len(one.probabilities) for one in samplers[:-1])])
    columns = (
        np.concatenate([getattr(one, column.name) for one in random_effects], axis=-1)
        for column in fields(RandomEffects)
        if random_effects
    )
    return GradeSampler(
        np.concatenate([one.keys for one in samplers]),
        np.concatenate([one.probabilities for one in samplers]),
        np.concatenate([one.which + start for one, start in zip(samplers, starts, strict=True)]),
        RandomEffects(*columns) if random_effects else None,
        samplers[0].seed,
    )


def hole_keys(holes: Holes, seed: int) -> Hashes:
    """A key for each hole, from the seed, the topic and the document, and nothing else.

    Draws follow from it, so they are the same for every run, worker, block and order.
    """
    view = holes.view
    topics = [view.qrels.topics[topic] for topic in view.topics.tolist()]
    return pair_keys(topics, view.ranking[holes.rows], view.doc_ids().take(holes.rows), seed)
