"""What a feature is worth for the (topic, document) pairs of a study: a number for some of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unjudged.arrays import Flags, Floats, Ints

__all__ = ["DocumentFeature", "ranked_in_topics"]


@dataclass(frozen=True, eq=False)
class DocumentFeature:
    """A feature of numbered pairs."""

    name: str
    values: Floats
    """One for each pair, NaN where there is none."""


def ranked_in_topics(values: Floats, topics: Ints, judged: Flags) -> Floats:
    """Where values are among those of the *judged* pairs of their topic, as log odds; NaN where that is not known.

    So what a value is does not matter, only the order within a topic, nor which other documents have one.
    """
    out = np.full(len(values), np.nan)
    order = np.argsort(topics, kind="stable")
    starts = np.flatnonzero(np.diff(topics[order], prepend=-1))
    for rows in np.split(order, starts[1:]):
        own = values[rows]
        among = np.sort(own[judged[rows] & ~np.isnan(own)])
        if len(among):
            below = (np.searchsorted(among, own, "left") + np.searchsorted(among, own, "right")) / 2
            log_odds = np.log(below + 0.5) - np.log(len(among) - below + 0.5)
            out[rows] = np.where(np.isnan(own), np.nan, log_odds)
    return out
