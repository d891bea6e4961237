"""A random sample whose probabilities are known: what estimates rest on that are to be unbiased."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from unjudged.arrays import Floats, Ints, SmallInts
from unjudged.data.ids import pair_keys
from unjudged.data.spans import turns
from unjudged.errors import InputError
from unjudged.simulate.samples import Share
from unjudged.spec import Choice, Whole, param
from unjudged.strategies.base import Batch, Order, Strategy, first_by
from unjudged.strategies.candidates import Candidates
from unjudged.strategies.relevance_model import scaled_labels

__all__ = ["Sample"]

_LEAST = 2
"""Documents that are drawn of each stratum where there are so many: from one, nobody knows how documents differ."""
_BINS = 4
"""Strata by labels: quarters of their range."""
_SUREST = 0.05
"""No label is taken to be wrong more rarely."""


class Sample(Strategy):
    """A random sample of each topic's pool, from strata; what is asked for ends with it.

    With ``strata='depth'`` all that a run of the pool has down to ``depth`` is one stratum and judged whole, and the
    share ``rate`` of the others is drawn (NIST's way for xinfAP and infNDCG). With ``'labels'`` documents with similar
    labels are a stratum, and those of which labels are less sure are drawn more often (Neyman's allocation), the share
    ``rate`` in all. With ``'none'`` all of a topic's pool has the same chance. Sizes are rounded half up, and at least
    two where there are so many. Strata advance together, so that a part of the sample is a smaller one of the same
    proportions.

    Adaptive orders find more relevant documents, but scores with their judgments are biased; with a sample they are
    not.
    """

    name = "sample"
    nameless = "rate"
    title = "A random sample from strata"
    reference = (
        "E. Yilmaz, E. Kanoulas, J. Aslam. A simple and efficient sampling method for estimating AP and NDCG. SIGIR"
        " 2008."
    )
    priority = "minus the share of the stratum's sample that is drawn before"
    random = True
    uses_labels = True
    is_sample = True

    rate: Fraction = param(Fraction(1, 10), Share(), "share that is drawn: of what is not judged whole")
    strata: str = param("depth", Choice(("none", "depth", "labels")), "what tells strata apart")
    depth: int = param(10, Whole(1), "documents of each run that are judged whole, with strata='depth'")

    def check(self, candidates: Candidates) -> None:
        """Refuse strata by labels where there are none."""
        if self.strata == "labels" and not len(candidates.labels):
            raise InputError(f"{self} needs labels; give some with --labels, or take strata='depth'")

    def start(self, candidates: Candidates, *, seed: int) -> Order:
        """Its order on a collection."""
        self.check(candidates)
        strata = self._strata(candidates)
        return _Drawn(candidates, strata, self._sizes(candidates, strata), seed)

    def _strata(self, candidates: Candidates) -> Ints:
        """The stratum of each pair, from 1 on."""
        if self.strata == "depth":
            return np.where(candidates.best_rank > self.depth, 2, 1).astype(np.int64)
        if self.strata == "labels":
            mean = scaled_labels(candidates.labels).mean(axis=0)
            bins: Ints = np.digitize(mean, np.arange(_BINS) / _BINS).astype(np.int64)
            return bins
        return np.ones(len(candidates), dtype=np.int64)

    def _sizes(self, candidates: Candidates, strata: Ints) -> Ints:
        """How many are drawn of each topic's strata, shape (topics, strata)."""
        shape = (len(candidates.topics), int(strata.max(initial=1)))
        cells = np.ravel_multi_index((candidates.topic_of, strata - 1), shape)[candidates.askable]
        there = np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)
        shares = np.full(shape, float(self.rate))
        if self.strata == "depth":
            shares[:, 0] = 1.0
        if self.strata == "labels":
            middle = np.clip((np.arange(shape[1]) + 0.5) / _BINS, _SUREST, 1.0 - _SUREST)
            spread = np.sqrt(middle * (1.0 - middle))
            total = there.sum(axis=1, keepdims=True)
            shares = np.minimum(1.0, float(self.rate) * spread * total / np.maximum(there @ spread, 1e-12)[:, None])
        sizes: Ints = np.floor(there * shares + 0.5 + 1e-9).astype(np.int64)
        return np.minimum(there, np.maximum(_LEAST, sizes)).astype(np.int64)


class _Drawn(Order):
    """What was drawn, whoever is told what; the draw is a hash of the seed and the names."""

    def __init__(self, candidates: Candidates, strata: Ints, sizes: Ints, seed: int) -> None:
        super().__init__(candidates)
        self.strata: SmallInts = strata.astype(np.int32)
        pool = np.flatnonzero(candidates.askable)
        topics = candidates.topic_of[pool]
        cells = topics * sizes.shape[1] + strata[pool] - 1
        keys = pair_keys(candidates.topics, topics, candidates.docs.take(pool), seed)
        order = np.lexsort((keys, cells))
        size = sizes.ravel()[cells[order]]
        place = turns(cells[order])
        there = np.bincount(cells, minlength=sizes.size)
        self.drawn = np.zeros(len(candidates), dtype=bool)
        self.drawn[pool[order]] = place < size
        self.inclusion: Floats = np.zeros(len(candidates))
        self.inclusion[pool[order]] = size / there[cells[order]]
        self._turn = np.zeros(len(candidates))
        self._turn[pool[order]] = (place + 0.5) / np.maximum(size, 1)

    def ask(self, number: int) -> Batch:
        among = np.flatnonzero(self.open & self.drawn)
        pairs, priorities = first_by(self.candidates, among, -self._turn[among], number)
        return Batch(pairs, priorities, inclusion=self.inclusion[pairs], strata=self.strata[pairs])
