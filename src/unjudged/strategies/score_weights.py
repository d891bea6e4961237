"""What a document's grade is worth to the score of each run, for measures that are weighted sums of gains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from unjudged.arrays import Flags, Floats, Ints
from unjudged.data.qrels import nameless_judgments
from unjudged.data.scale import Scale
from unjudged.errors import InputError
from unjudged.measures.base import Measure
from unjudged.measures.capabilities import Browsing
from unjudged.strategies.candidates import Candidates

__all__ = ["LOOKS", "ScoreWeights", "check_measure", "score_weights"]

LOOKS = 12
"""Before, a verdict is what was believed before the first judgment: that documents of many runs are relevant. Runs that
are unlike all others, and better, were called worse on TREC-8."""


@dataclass(frozen=True, eq=False)
class ScoreWeights:
    """A measure as weights of documents, before it is divided by what a topic has to find."""

    pairs: Ints
    """Those that count for some run, in order."""
    weights: Floats
    """Of each run and these pairs, shape (runs, pairs)."""
    gains: Floats
    """Of each grade of the scale."""
    depth: int
    """How many ranks of a run count."""
    form: Browsing

    def of(self, runs: Sequence[int]) -> ScoreWeights:
        """Those of some runs only, for the pairs that count for these."""
        weights = self.weights[list(runs)]
        counted = (weights != 0).any(axis=0)
        return replace(self, pairs=self.pairs[counted], weights=weights[:, counted])

    def looked_at(self, judged: Flags) -> Flags:
        """Of which two runs enough is judged to believe a verdict, shape (runs, runs).

        That is :data:`LOOKS` documents that count differently for them, or half of these if they are few.
        """
        looked = _counting_differently(self.weights[:, judged[self.pairs]])
        out: Flags = looked >= np.minimum(LOOKS, (self._telling_apart + 1) // 2)
        return out

    @cached_property
    def _telling_apart(self) -> Ints:
        """How many documents count differently for two runs, shape (runs, runs)."""
        return _counting_differently(self.weights)


def _counting_differently(weights: Floats) -> Ints:
    """How many columns differ between two rows, shape (rows, rows); most of them are 0."""
    counted = csr_array(weights != 0).astype(np.int64)
    own = counted.sum(axis=1)
    alike = (counted @ counted.T).toarray()
    values, place = np.unique(csr_array(weights).data, return_inverse=True)
    for value in range(len(values)):
        same = counted.copy()
        same.data = (place == value).astype(np.int64)
        same.eliminate_zeros()
        alike += (same @ same.T).toarray()
    out: Ints = own[:, None] + own - alike
    return out


def check_measure(measure: Measure) -> None:
    """Refuse a measure that is no weighted sum of gains."""
    if _form(measure, Scale(np.array([0, 1], dtype=np.int32)), 1) is None:
        raise InputError(
            f"decide needs to know what one more judgment can do to a score, which {measure} does not say: it is no"
            " weighted sum of gains; use one that is, such as nDCG@10, DCG@10, P@10, R@100 or RBP"
        )


def _form(measure: Measure, scale: Scale, ranks: int) -> Browsing | None:
    if measure.condenses or measure.needs or measure.summary != "mean":
        return None
    one_each = nameless_judgments(scale.grades, np.array([0, len(scale)], dtype=np.int64), scale)
    form = measure.browsing(one_each, ranks)
    return None if form is None or form.stops else form


def score_weights(measure: Measure, candidates: Candidates) -> ScoreWeights:
    """What each document of each run counts for, by its rank there."""
    depths = [one for one in (measure.depth(), candidates.depth) if one is not None]
    depth = min(depths) if depths else int(candidates.ranked.ranks.max(initial=1))
    form = _form(measure, Scale(candidates.scale), depth)
    if form is None:
        raise TypeError(f"{measure} was not checked")
    near = np.flatnonzero(candidates.ranked.ranks <= depth)
    seen = np.zeros(depth)
    seen[: len(form.seen)] = form.seen[:depth]
    near = near[seen[candidates.ranked.ranks[near] - 1] != 0]
    pairs, place = np.unique(candidates.ranked.pairs[near], return_inverse=True)
    weights = np.zeros((len(candidates.runs), len(pairs)))
    weights[candidates.run_of_ranked[near], place] = seen[candidates.ranked.ranks[near] - 1]
    return ScoreWeights(pairs.astype(np.int64), weights, form.gains, depth, form)
