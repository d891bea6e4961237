"""Degradations that judge less deep."""

from __future__ import annotations

import numpy as np

from unjudged.arrays import Flags
from unjudged.data.joined import Joined
from unjudged.simulate.base import Left, OfPool, judgment_keys, lowest_keys
from unjudged.spec import Choice, param

__all__ = ["DepthCut", "DepthPlusRandom"]

YILMAZ = "E. Yilmaz, J. Aslam. Estimating average precision when judgments are incomplete. KAIS 16, 2008."


class _Shallow(OfPool):
    """What both have in common: what becomes of documents below the depth."""

    pool: str = param("whole", Choice(("whole", "cut")), "whether what is no longer judged was still pooled, or not")

    def in_depth(self, joined: Joined) -> Flags:
        """Judgments of documents that some run has within the depth."""
        return joined.qrels.judged & joined.reached(range(len(joined.runs)), self.depth)

    def left(self, kept: Flags) -> Left:
        """What is left, where these judgments are kept."""
        return Left(kept, np.ones(len(kept), dtype=bool) if self.pool == "whole" else kept)


class DepthCut(_Shallow):
    """Only what some run has among its first documents was judged: a shallower pool of the same runs.

    What is no longer judged counts as pooled but not judged, as in paper 2; with ``pool='cut'`` as not pooled.
    """

    name = "DepthCut"
    nameless = "depth"
    title = "A shallower pool"
    reference = YILMAZ

    def leave(self, joined: Joined, *, seed: int, repetition: int = 0, case: str = "") -> Left:
        """What is left of the judgments."""
        return self.left(self.in_depth(joined))


class DepthPlusRandom(_Shallow):
    """A shallower pool, and equally many of the topic's other judgments, drawn at random (all where there are fewer).

    What is no longer judged counts as pooled but not judged, as in paper 2; with ``pool='cut'`` as not pooled.
    """

    name = "DepthPlusRandom"
    nameless = "depth"
    title = "A shallower pool and a random sample of the rest"
    reference = YILMAZ
    random = True

    def leave(self, joined: Joined, *, seed: int, repetition: int = 0, case: str = "") -> Left:
        """What is left of the judgments."""
        shallow, qrels = self.in_depth(joined), joined.qrels
        keys = judgment_keys(qrels, seed, repetition)
        return self.left(shallow | lowest_keys(qrels, qrels.judged & ~shallow, keys, qrels.count(shallow)))
