"""What is expected to be known after so many more judgments, if they are made in a certain order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.strategies.grade_posterior import Predicted
from unjudged.strategies.score_posterior import Outlook

__all__ = ["Forecast", "look_forward"]

_POINTS = 24
"""Numbers of judgments that are looked at, each so much larger than the one before; the first is 0."""


@dataclass(frozen=True, eq=False)
class Forecast:
    """What is known after each number of ``judgments``."""

    judgments: Ints
    expected: Floats
    """Mean scores of runs."""
    covariances: list[Floats]
    """Of the runs' scores."""
    deviations: list[Floats]
    """Of each run's score by itself."""
    found: Floats
    """Relevant documents that these judgments are expected to find."""
    missing: Floats
    """Relevant documents that are expected among the others, ..."""
    missing_sd: Floats
    """... and the standard deviation of their number."""


def look_forward(outlook: Outlook, order: Ints, gains: Predicted, relevant: Predicted) -> Forecast:
    """What is known after judging more and more of the pairs in *order*; *gains* and *relevant* are about these."""
    steps = np.geomspace(1, max(len(order), 1), _POINTS - 1).round().astype(np.int64)
    judgments = np.unique(np.concatenate([[0], np.minimum(steps, len(order))]))
    covariances, deviations, found, missing, missing_sd = [], [], [], [], []
    now = outlook
    for before, number in zip(np.concatenate([[0], judgments[:-1]]).tolist(), judgments.tolist(), strict=True):
        if number > before:
            now = now.after(order[before:number], gains.take(slice(before, number)))
        covariances.append(now.covariance())
        deviations.append(now.deviations(covariances[-1]))
        rest = relevant.take(slice(number, None))
        found.append(relevant.expected[:number].sum())
        missing.append(rest.expected.sum())
        missing_sd.append(np.sqrt(now.posterior.variance_of_sum(order[number:], rest)))
    counts = np.array(found), np.array(missing), np.array(missing_sd)
    return Forecast(judgments, outlook.expected, covariances, deviations, *counts)
