"""Draws that belong to a hole: they follow from seed, topic and document, and are the same wherever it is met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unjudged.data.ids import pair_keys
from unjudged.holes.filling import Holes, Labels, draw_levels
from unjudged.holes.ordinal import sigmoid
from unjudged.kernels.splitmix import GOLDEN, mixed, seeded, to_unit

__all__ = ["GradeChances", "Lots", "Shifts", "hole_keys", "joined", "uniforms"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Hashes = NDArray[np.uint64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Shifts:
    """How far holes move together: those of one group, and those of one group on one topic, in log odds."""

    group: Hashes
    cell: Hashes
    of_group: Floats
    of_cell: Floats

    def take(self, holes: Ints | Flags) -> Shifts:
        """Those of some holes."""
        return Shifts(self.group[holes], self.cell[holes], self.of_group[holes], self.of_cell[holes])

    def move(self, chance: Floats, holes: Ints, seed: int) -> Floats:
        """Numbers in [0, 1), shape (..., draws, holes), as they are after the shifts of the draws.

        *holes* has the number of the hole of each, shape (..., holes).
        """
        draws = chance.shape[-2]
        shift = _normal(self.group[holes], draws, seed) * self.of_group[holes][..., None, :]
        shift += _normal(self.cell[holes], draws, seed) * self.of_cell[holes][..., None, :]
        with np.errstate(divide="ignore"):  # the log odds of 0
            return sigmoid(np.log(chance) - np.log1p(-chance) + shift)


@dataclass(frozen=True, eq=False)
class GradeChances:
    """What somebody says about holes who may know more than the prior does, one row for each."""

    known: Flags
    """Whether anything is said; where nothing is, the chances are all 0."""
    chances: Floats
    """Chance of each grade, by level."""
    centred: Floats
    """The same without shifts: what draws start from."""
    shifts: Shifts | None
    """How far holes move together; None where each is on its own."""
    ranks: Ints
    """The best rank that any run has it at, where runs were asked; else 0."""

    def take(self, holes: Ints | Flags) -> GradeChances:
        """Those of some holes."""
        shifts = None if self.shifts is None else self.shifts.take(holes)
        return GradeChances(self.known[holes], self.chances[holes], self.centred[holes], shifts, self.ranks[holes])

    def lots(self, keys: Hashes, priors: Floats, which: Ints, seed: int) -> Lots:
        """What grades are drawn with: what is said, and the prior of each hole about which nothing is.

        *which* of the *priors* is that of each hole.
        """
        chances = np.where(self.known[:, None], self.centred, priors[which])
        return Lots(keys, chances, np.arange(len(keys)), self.shifts, seed)


def _normal(keys: Hashes, draws: int, seed: int) -> Floats:
    """Standard normal numbers that follow from key, draw and seed (Box and Muller), shape (..., draws, keys)."""
    distinct, place = np.unique(keys, return_inverse=True)  # many holes, few groups and topics
    steps = np.arange(1, 2 * draws + 1, dtype=np.uint64) * GOLDEN
    unit = to_unit(mixed(mixed(distinct + seeded(seed))[:, None] + steps))
    found = np.sqrt(-2.0 * np.log1p(-unit[:, :draws])) * np.cos(2.0 * np.pi * unit[:, draws:])
    return np.moveaxis(found[place.reshape(keys.shape)], -1, -2)


@dataclass(frozen=True, eq=False)
class Lots:
    """What the grades of some holes are drawn with: a key and a chance of each grade for every hole."""

    keys: Hashes
    chances: Floats
    """Of each grade, by level, in each of some distributions."""
    which: Ints
    """The distribution that each hole has."""
    shifts: Shifts | None
    seed: int

    @cached_property
    def _thresholds(self) -> Floats:
        found: Floats = np.cumsum(self.chances, axis=1)[:, :-1]
        return found

    def of_holes(self) -> Floats:
        """Chance of each grade, by level, for each hole."""
        return self.chances[self.which]

    def take(self, holes: Ints | Flags) -> Lots:
        """Those of some holes."""
        used, which = np.unique(self.which[holes], return_inverse=True)
        shifts = None if self.shifts is None else self.shifts.take(holes)
        return Lots(self.keys[holes], self.chances[used], which, shifts, self.seed)

    def draw(self, holes: Ints, draws: int) -> Labels:
        """Levels of holes, by their numbers; (rankings, holes) become (rankings, draws, holes)."""
        chance = uniforms(self.keys[holes], draws)
        if self.shifts is not None:
            chance = self.shifts.move(chance, holes, self.seed)
        return draw_levels(chance, self._thresholds, self.which[holes])


def joined(lots: Sequence[Lots]) -> Lots:
    """Those of all, one after the other; all have shifts or none has."""
    shifts = [one.shifts for one in lots if one.shifts is not None]
    starts = np.cumsum([0, *(len(one.chances) for one in lots[:-1])])
    columns = (np.concatenate([getattr(one, column.name) for one in shifts]) for column in fields(Shifts) if shifts)
    return Lots(
        np.concatenate([one.keys for one in lots]),
        np.concatenate([one.chances for one in lots]),
        np.concatenate([one.which + start for one, start in zip(lots, starts, strict=True)]),
        Shifts(*columns) if shifts else None,
        lots[0].seed,
    )


def hole_keys(holes: Holes, seed: int) -> Hashes:
    """A key for each hole, from the seed, the topic and the document, and nothing else.

    Draws follow from it, so they are the same for every run, worker, block and order.
    """
    view = holes.view
    topics = [view.qrels.topics[topic] for topic in view.topics.tolist()]
    return pair_keys(topics, view.ranking[holes.rows], view.doc_ids().take(holes.rows), seed)


def uniforms(keys: Hashes, draws: int) -> Floats:
    """Numbers in [0, 1): a SplitMix64 stream for each key; (rankings, holes) become (rankings, draws, holes)."""
    steps = np.arange(1, draws + 1, dtype=np.uint64) * GOLDEN
    state = keys[:, None, :] + steps[None, :, None]
    return to_unit(mixed(state))
