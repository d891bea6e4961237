"""The topic bootstrap: what the means would be with other topics of the same kind."""

from __future__ import annotations

from typing import Any

import numpy as np

from unjudged.arrays import Floats
from unjudged.results.provenance import DEFAULT_SEED
from unjudged.uncertainty.draws import batches, topic_counts
from unjudged.uncertainty.paired import as_scores, in_units

__all__ = ["resampled_means"]


def resampled_means(scores: Any, *, draws: int = 1000, seed: int = DEFAULT_SEED, batch: int | None = None) -> Floats:
    """Means over samples of topics, drawn with replacement: (runs, topics) to (runs, draws).

    All runs see the same samples, so the difference of two rows is the distribution of the runs' difference. The
    numbers depend on the seed and on nothing else; *batch* (draws handled at once) only bounds memory.

    >>> resampled_means([[0.0, 1.0], [0.5, 0.5]], draws=4)[1]
    array([0.5, 0.5, 0.5, 0.5])
    """
    scores = as_scores(scores)
    runs, topics = scores.shape
    whole, unit = in_units(scores, np.abs(scores).max(axis=1), topics)
    out = np.empty((runs, draws))
    for start, stop in batches(draws, topics, batch):
        np.matmul(whole, topic_counts(seed, start, stop, topics).T, out=out[:, start:stop])
    out *= (unit / topics)[:, None]
    return out
