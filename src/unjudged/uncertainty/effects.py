"""Effect sizes: how large a difference is, which a p-value does not say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.uncertainty.paired import as_scores, blocks_of_pairs, paired_differences

__all__ = ["Effects", "effect_sizes"]


@dataclass(frozen=True, eq=False)
class Effects:
    """Effect sizes of pairs of runs, positive (above 0.5 for ``common_language``) where the first run is better."""

    mean_difference: Floats
    """Mean of the differences over topics, in units of the measure."""
    cohens_d: Floats
    """Mean over standard deviation of the differences (n - 1), Cohen's d_z for paired data.

    0 without any difference; infinite where the difference is the same on all topics, and for a single topic.
    """
    common_language: Floats
    """Share of topics on which the first run is better, ties counted half: P(first > second) for a random topic."""


def effect_sizes(scores: Any, pairs: Ints) -> Effects:
    """Effect sizes for pairs of rows of *scores* (runs, topics).

    >>> result = effect_sizes([[0.4, 0.6, 0.9], [0.3, 0.2, 0.9]], np.array([[0, 1]]))
    >>> result.mean_difference.round(4), result.cohens_d.round(4), result.common_language.round(4)
    (array([0.1667]), array([0.8006]), array([0.8333]))
    """
    scores = as_scores(scores)
    means = scores.mean(axis=1)
    d, better = [np.zeros(0)], [np.zeros(0)]
    for block in blocks_of_pairs(scores, pairs):
        differences = paired_differences(scores, block)
        d.append(_cohens_d(differences))
        better.append(((differences > 0) + 0.5 * (differences == 0)).mean(axis=1))
    return Effects(means[pairs[:, 0]] - means[pairs[:, 1]], np.concatenate(d), np.concatenate(better))


def _cohens_d(differences: Floats) -> Floats:
    flat = np.ptp(differences, axis=1) == 0
    d = np.where(differences[:, 0] == 0, 0.0, np.copysign(np.inf, differences[:, 0]))
    some = differences[~flat]
    if len(some):
        d[~flat] = some.mean(axis=1) / some.std(axis=1, ddof=1)
    return d
