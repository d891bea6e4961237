"""Scores of runs when only the chance of each grade is known: what calibrated labels make one expect.

P is what is expected; nDCG and AP are those of expected gains. With chances of 0 and 1 they are the measures
themselves.
The studies draw whole grades from the same chances, and take the mean over draws, which is slower.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
from label_worlds import World

from unjudged.arrays import Floats, Ints
from unjudged.data.view import join
from unjudged.labels.calibration import chances_of_reaching
from unjudged.labels.folds import FOLDS

__all__ = ["FURTHER", "RankedPairs", "Sampled"]

FURTHER = 150
"""Topics that only a machine judges."""
DEPTH = 1000
CUTOFF = 10
RELEVANT = 2
LEVELS = np.array([1.0, 2.0, 3.0])
PARTS = 10


class Sampled(NamedTuple):
    """Topics drawn with replacement: those that people judge, and others; and the fold of each."""

    judged: Ints
    further: Ints
    judged_folds: Ints
    further_folds: Ints

    @classmethod
    def of(cls, rng: np.random.Generator, topics: int, n: int) -> Sampled:
        drawn = [rng.integers(0, topics, size) for size in (n, FURTHER)]
        return cls(*drawn, *(rng.permutation(np.arange(len(one)) % FOLDS) for one in drawn))


class RankedPairs(NamedTuple):
    """All judged pairs, topic by topic, where runs have them, and what else is known of each."""

    starts: Ints
    counts: Ints
    places: Ints
    """(runs, topics, found): the place of each pair that a run has in its topic; one beyond where there is none."""
    ranks: Floats
    reciprocal: Floats
    """What is known of a pair: the log of the sum of reciprocal ranks, as in the studies."""
    grades: Floats
    found: Floats
    """(pairs, 4): how many runs have a pair at all, and among their first 10; logs of sums with other constants."""

    @classmethod
    def of(cls, world: World) -> RankedPairs:
        topics, number = world.qrels.topic_of_row, len(world.qrels.topics)
        counts = np.bincount(topics, minlength=number)
        starts, most = np.cumsum(counts) - counts, int(counts.max())
        found, sums = [], np.zeros((len(topics), 5))
        for run in world.runs:
            view = join(run, world.qrels, depth=DEPTH, keep_qrels_rows=True)
            inside = np.flatnonzero(view.qrels_rows >= 0)
            found.append((view.qrels_rows[inside], view.rank[inside]))
            rows, at = found[-1]
            more = [1 / (60 + at), np.ones(len(at)), at <= CUTOFF, 1 / (0.5 + at), 1 / (10 + at)]
            np.add.at(sums, rows, np.stack(more, axis=1))
        longest = max(int(np.bincount(topics[rows]).max()) for rows, _ in found)
        places, ranks = np.full((len(found), number, longest), most), np.ones((len(found), number, longest))
        for run, (rows, at) in enumerate(found):
            order = np.lexsort((at, topics[rows]))
            rows, at = rows[order], at[order]
            per_topic = np.bincount(topics[rows], minlength=number)
            column = np.arange(len(rows)) - np.repeat(np.cumsum(per_topic) - per_topic, per_topic)
            places[run, topics[rows], column], ranks[run, topics[rows], column] = rows - starts[topics[rows]], at
        logs, grades = np.log(sums + 1 / 2000), world.grades.astype(np.float64)
        known = np.concatenate([sums[:, 1:3], logs[:, 3:]], axis=1)
        return cls(starts, counts, places, ranks, logs[:, 0], grades, known)

    def calibrated(self, labels: Floats, sampled: Sampled) -> tuple[Floats, Floats]:
        """Scores (measures, runs, topics) of judged and of further topics by what labels mean on other judged ones."""
        # A further topic is the same wherever it was drawn into the same fold.
        number = len(self.counts)
        cells, where = np.unique(sampled.further_folds * number + sampled.further, return_inverse=True)
        copies = np.concatenate([sampled.judged, cells % number])
        folds = np.concatenate([sampled.judged_folds, cells // number])
        rows = np.concatenate([np.arange(self.starts[t], self.starts[t] + self.counts[t]) for t in copies])
        of = np.repeat(np.arange(len(copies)), self.counts[copies])
        values = labels[rows]
        means = (np.bincount(of, values) / self.counts[copies])[of]
        features = np.stack([self.reciprocal[rows], means], axis=1)
        known = of < len(sampled.judged)
        chances = chances_of_reaching(values, features, folds[of], known, self.grades[rows], LEVELS)
        scored = self.scores(copies, chances)
        return scored[:, :, : len(sampled.judged)], scored[:, :, len(sampled.judged) :][:, :, where]

    def boosted(self, labels: list[Floats]) -> Floats:
        """Scores (measures, runs, topics) by what boosted trees expect of pairs from topics of nine other parts."""
        from sklearn.ensemble import HistGradientBoostingClassifier

        every = np.arange(len(self.counts))
        of = np.repeat(every, self.counts)
        means = [(np.bincount(of, one) / self.counts)[of] for one in labels]
        columns = np.stack([*labels, *means, self.reciprocal, *self.found.T, self.counts[of]], axis=1)
        reached = np.zeros((len(of), len(LEVELS)))
        for part, (i, level) in itertools.product(range(PARTS), enumerate(LEVELS)):
            here = of % PARTS == part
            model = HistGradientBoostingClassifier(
                max_iter=80, learning_rate=0.05, max_leaf_nodes=8, l2_regularization=5, random_state=0
            )
            model.fit(columns[~here], self.grades[~here] >= level)
            reached[here, i] = model.predict_proba(columns[here])[:, 1]
        return self.scores(every, np.minimum.accumulate(reached, axis=1))

    def scores(self, copies: Ints, chances: Floats) -> Floats:
        """Scores (measures, runs, copies of topics); *chances* (pairs of all copies, levels) to reach each grade."""
        size = int(self.counts.max())
        of = np.repeat(np.arange(len(copies)), self.counts[copies])
        cell = (
            of,
            np.arange(len(of)) - np.repeat(np.cumsum(self.counts[copies]) - self.counts[copies], self.counts[copies]),
        )
        gains, relevant = np.zeros((2, len(copies), size + 1))
        gains[cell], relevant[cell] = chances.sum(axis=1), chances[:, RELEVANT - 1]
        flat = self.places[:, copies] + (np.arange(len(copies)) * (size + 1))[:, None]
        ranks = self.ranks[:, copies]
        top = slice(0, CUTOFF)  # no more than so many have such ranks
        within = ranks[..., top] <= CUTOFF
        discounts = 1 / np.log2(np.arange(2, CUTOFF + 2))
        ideal = -np.sort(-gains, axis=1)[:, :CUTOFF] @ discounts
        dcg = (gains.ravel()[flat[..., top]] / np.log2(ranks[..., top] + 1) * within).sum(axis=2)
        precision = (relevant.ravel()[flat[..., top]] * within).sum(axis=2) / CUTOFF
        found = relevant.ravel()[flat]
        above = np.cumsum(found, axis=2) - found
        average = (found * (1 + above) / ranks).sum(axis=2) / np.maximum(relevant.sum(axis=1), 1e-12)
        return np.stack([dcg / np.maximum(ideal, 1e-12), precision, average])
