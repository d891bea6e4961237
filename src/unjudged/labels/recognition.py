"""Labels that do not mean what their numbers say: constant, inverted, shifted, rescaled, or a copy of another's.

Labels and grades are arrays with an entry for each pair of topic and document, NaN where there is none.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np

from unjudged.arrays import Floats, Ints

__all__ = ["INVERTED", "LEAST_ALIKE", "RELATED", "Copy", "Oddity", "association", "copies", "oddities"]

INVERTED = -3.29
"""An association below this is called inverted: of 2,000 judges who label at random, one is."""
RELATED = 3.29
"""An association from here on is called more than chance."""
LEAST_ALIKE = 30
"""Pairs that two judges must both have labelled, before one may be called a copy."""


class Oddity(NamedTuple):
    """What is odd about labels, in one line."""

    kind: Literal["constant", "inverted", "shifted", "rescaled"]
    words: str


class Copy(NamedTuple):
    """A judge whose labels follow from an earlier one's."""

    first: int
    again: int
    same: bool
    """Whether labels are equal, and not only in one-to-one correspondence."""


def association(labels: Floats, grades: Floats, topics: Ints) -> float:
    """Whether higher labels go with higher grades within topics, as a standard normal number; NaN where none vary.

    Mantel's extension of the test of Cochran, Mantel and Haenszel: the sum over topics of the products of deviations,
    over its standard deviation when the labels of each topic are shuffled. Exact in its two moments with any number of
    topics, and unmoved by topics that are easy or hard for both.
    """
    known = ~(np.isnan(labels) | np.isnan(grades))
    x, y, of = labels[known], grades[known], topics[known]
    if not len(x):
        return math.nan
    _, of, counts = np.unique(of, return_inverse=True, return_counts=True)
    x, y = (one - (np.bincount(of, one) / counts)[of] for one in (x, y))
    squares = np.bincount(of, x * x) * np.bincount(of, y * y)
    variance = float((squares / np.maximum(counts - 1, 1)).sum())
    return float(x @ y) / math.sqrt(variance) if variance > 1e-12 else math.nan


def oddities(labels: Floats, grades: Floats, topics: Ints) -> list[Oddity]:
    """What is odd about a judge's *labels* (of all pairs), given people's *grades* for some of them.

    constant: all labels are the same. inverted: within topics, higher labels go with lower grades. shifted: labels have
    as many steps as grades, but begin higher or lower. rescaled: labels have fractions, another distance between steps,
    or go further than grades. Labels that use only a part of the grades' scale are not odd: judges may be strict.
    """
    given = np.unique(labels[~np.isnan(labels)])
    scale = np.unique(grades[~np.isnan(grades)])
    if not len(given) or not len(scale):
        return []
    if len(given) == 1:
        return [Oddity("constant", f"all labels are {given[0]:g}")]
    odd = []
    z = association(labels, grades, topics)
    if z <= INVERTED:
        odd.append(Oddity("inverted", f"higher labels go with lower grades within topics (z = {z:.1f})"))
    return odd + list(_other_scale(given, scale))


def _other_scale(given: Floats, scale: Floats) -> Iterator[Oddity]:
    ends = f"from {given[0]:g} to {given[-1]:g}, grades from {scale[0]:g} to {scale[-1]:g}"
    whole = bool((given == np.rint(given)).all())
    below, above = given[0] - scale[0], given[-1] - scale[-1]
    steps = np.diff(given)
    step = float(np.gcd.reduce(steps.astype(np.int64))) if whole else 0.0
    if whole and below == above != 0:
        yield Oddity("shifted", f"labels go {ends}: {below:+g}")
    elif not whole:
        yield Oddity("rescaled", f"labels have fractions, and go {ends}")
    elif above > 0 or below < 0:
        yield Oddity("rescaled", f"labels go {ends}")
    elif step > max(1.0, float(np.diff(scale).min(initial=1.0))) and len(given) > 2:
        yield Oddity("rescaled", f"labels go {ends}, in steps of {step:g}")


def copies(labels: Floats) -> list[Copy]:
    """Judges (rows) whose labels follow from those of an earlier row: equal, or in one-to-one correspondence.

    For each judge only the first such. Judges who always say the same are no one's copies.
    """
    pairs = []
    given = ~np.isnan(labels)
    for again in range(1, len(labels)):
        for first in range(again):
            both = given[first] & given[again]
            if both.sum() >= LEAST_ALIKE and _one_to_one(labels[first, both], labels[again, both]):
                pairs.append(Copy(first, again, bool((labels[first, both] == labels[again, both]).all())))
                break
    return pairs


def _one_to_one(first: Floats, second: Floats) -> bool:
    """Whether each label of one goes with one label of the other, and there are two or more."""
    if (first == second).all():
        return bool((first != first[0]).any())
    a, b = np.unique(first, return_inverse=True)[1], np.unique(second, return_inverse=True)[1]
    different = int(a.max()) + 1
    if different < 2 or different != int(b.max()) + 1:
        return False
    return len(np.unique(a * different + b)) == different
