"""The grade scale: which grades there are, and the levels that tables count them by.

A grade can be any number, so nothing has one cell for each number up to the highest. `Qrels.scale` (`data/scale.py`)
has the grades that a judge can give, in order: every whole number where the highest is 16 or less (a judge on a scale
of 0 to 3 can give a 2, also if nobody did), else those that occur. The *level* of a grade is its position there.
Tables, counts, probabilities and labels of holes are by level; `view.levels` and `qrels.levels` look them up, at no
cost where levels are the grades themselves. Grades are what measures compute gains from, and what `labelled` writes
into a view. So the cost of a grade does not depend on how high it is, and grades may be any numbers: where one is not
whole, all of them are floats, and the scale has those that occur, and 0.

With hundreds of different grades, models that learn a probability of each (evidence, labels: more than 17), and draws
(more than 1,000), work with bins (`holes/imputation/binned_scales.py`): labels are then levels of a shorter scale, and
a notice says so. Bounds do not: they are exact on the whole scale, or unknown.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unjudged.arrays import Floats, GradeColumn, Ints

__all__ = ["ABOVE_ZERO", "ORDINARY_TOP", "Bins", "Scale", "as_grades", "binned", "scale_of", "whole_scale"]

ORDINARY_TOP = 16
"""Up to this highest grade, a judge can give every whole number; on longer scales, the grades that somebody gave."""


ABOVE_ZERO = 5e-324
"""The smallest number that is not 0."""


@dataclass(frozen=True, eq=False)
class Scale:
    """Grades in ascending order, the first of them 0. The *level* of a grade is its position here.

    Whatever has one number for each grade is indexed by level, so that grade 1,000 costs no more than grade 4.
    """

    grades: GradeColumn

    def __len__(self) -> int:
        return len(self.grades)

    @property
    def top(self) -> float:
        """The highest grade; an ``int`` where grades are whole numbers."""
        top: float = self.grades[-1].item()
        return top

    @property
    def is_fractional(self) -> bool:
        """Whether some grade is not a whole number."""
        return self.grades.dtype.kind == "f"

    @cached_property
    def is_whole(self) -> bool:
        """Whether every whole number up to the top is on it: then a grade is its own level."""
        return not self.is_fractional and self.top == len(self.grades) - 1

    def levels(self, grades: GradeColumn) -> NDArray[np.integer]:
        """The level of each of some grades, which must be on the scale."""
        if self.is_whole:
            return grades
        levels = np.minimum(np.searchsorted(self.grades, grades), len(self.grades) - 1)
        if not np.array_equal(self.grades[levels], grades):
            raise TypeError("these grades are not on the scale of the judgments")
        return levels

    def grades_at(self, levels: NDArray[np.integer]) -> GradeColumn:
        """The grades that levels stand for."""
        return levels if self.is_whole else self.grades[levels]

    def up_to(self, top: float) -> Scale:
        """The scale that ends at *top*: this one if it does, else all whole numbers to the top that somebody gave.

        Where grades are fractional, those below the top that occur, and the top.
        """
        if top == self.top:
            return self
        if self.is_fractional:
            return Scale(np.append(self.grades[self.grades < top], float(top)))
        return whole_scale(int(top))

    def has(self, other: Scale) -> bool:
        """Whether all grades of another scale that are not above this one's top are on this one."""
        if self.is_whole or self is other:
            return True
        return bool(np.isin(other.grades[other.grades <= self.top], self.grades).all())


def whole_scale(top: int) -> Scale:
    """All whole numbers from 0 to *top*."""
    return Scale(np.arange(top + 1, dtype=np.int32))


def as_grades(values: Floats | Ints) -> GradeColumn:
    """Numbers as grades: of 32 bits where all are whole, else as they are."""
    if values.dtype.kind == "f" and not np.array_equal(values, np.floor(values)):
        return values.astype(np.float64)
    return values.astype(np.int32)


def scale_of(grades: GradeColumn) -> Scale:
    """The scale that these grades are on; it has at least the grades 0 and 1, or those that occur if they are
    fractional."""
    if grades.dtype.kind == "f":
        return Scale(np.union1d(grades, [0.0]))
    top = max(1, int(grades.max(initial=0)))
    if top <= ORDINARY_TOP:
        return whole_scale(top)
    return Scale(np.union1d(grades, [0]).astype(np.int32))


@dataclass(frozen=True, eq=False)
class Bins:
    """A scale with fewer grades: each level of the long scale is in a bin, which one of its grades stands for."""

    of_level: Ints
    scale: Scale


def binned(scale: Scale, counts: Ints, most: int) -> Bins:
    """At most so many bins of about equally many judgments each, of which *counts* has the number at each level.

    Grade 0 has a bin of its own, because it is what all measures tell from the others. The grade that stands for a bin
    is the one nearest to the mean of its judgments.
    """
    if len(scale) <= most:
        return Bins(np.arange(len(scale)), scale)
    above = counts.astype(np.float64)
    above[0] = 0.0
    # By the middle of a level's own judgments, so that one with very many does not share its bin with all below it.
    middle = np.cumsum(above) - above / 2
    part = np.minimum(middle / max(above.sum(), 1.0) * (most - 1), most - 2).astype(np.int64)
    part[0] = -1
    of_level = np.cumsum(np.diff(part, prepend=-1) > 0)
    number = int(of_level[-1]) + 1
    weight = np.maximum(above, 1e-9)  # a level that nobody is at decides only where it is alone
    sums, sizes = (np.bincount(of_level, weights=one, minlength=number) for one in (weight * scale.grades, weight))
    off = np.abs(scale.grades - (sums / sizes)[of_level])
    nearest = np.lexsort((off, of_level))
    first = nearest[np.searchsorted(of_level, np.arange(number))]
    return Bins(of_level, Scale(scale.grades[first]))
