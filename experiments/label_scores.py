"""Scores of runs when only the chance of each grade is known: what calibrated labels make one expect.

P is what is expected; nDCG and AP are those of expected gains. With chances of 0 and 1 they are the measures
themselves.
The studies draw whole grades from the same chances, and take the mean over draws, which is slower.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
from label_worlds import MEASURES, World

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
        judged, further = (rng.integers(0, topics, size) for size in (n, FURTHER))
        # Topics that people did not judge teach nothing, so that all copies of one may be in one fold.
        folds = rng.permutation(np.arange(topics) % FOLDS)
        return cls(judged, further, rng.permutation(np.arange(n) % FOLDS), folds[further])


class RankedTopic(NamedTuple):
    """Where runs have the judged documents of a topic."""

    places: Ints
    """(runs, found): documents in the order of their ranks; one beyond the last where there is none."""
    reciprocal: Floats
    """(runs, found): one over the rank; 0 where there is none."""
    discounts: Floats
    """(runs, documents): what nDCG@10 counts the gain of each with ..."""
    within: Floats
    """... and P@10."""

    @classmethod
    def of(cls, found: list[tuple[Ints, Ints]], size: int) -> RankedTopic:
        """From the documents of each run and their ranks; *size* documents are judged."""
        longest = max(len(docs) for docs, _ in found)
        places, reciprocal = np.full((len(found), longest), size), np.zeros((len(found), longest))
        discounts, within = np.zeros((2, len(found), size))
        for run, (docs, ranks) in enumerate(found):
            order = np.argsort(ranks)
            places[run, : len(docs)], reciprocal[run, : len(docs)] = docs[order], 1 / ranks[order]
            top = ranks <= CUTOFF
            discounts[run, docs[top]], within[run, docs[top]] = 1 / np.log2(ranks[top] + 1), 1 / CUTOFF
        return cls(places, reciprocal, discounts, within)

    def scores(self, gains: Floats, relevant: Floats) -> Floats:
        """Scores (measures, runs, copies) with gains and chances to be relevant, (documents, copies)."""
        ideal = -np.sort(-gains, axis=0)[:CUTOFF]
        best = (1 / np.log2(np.arange(2, len(ideal) + 2))) @ ideal
        found = np.concatenate([relevant, np.zeros((1, relevant.shape[1]))])[self.places]
        above = np.cumsum(found, axis=1) - found
        pairs = np.einsum("rdc,rd->rc", found * (1 + above), self.reciprocal)
        ratios = [(self.discounts @ gains, best), (pairs, relevant.sum(axis=0))]
        ndcg, average = (one / np.maximum(divisor, 1e-12) for one, divisor in ratios)
        return np.stack([ndcg, self.within @ relevant, average])


class RankedPairs(NamedTuple):
    """All judged pairs, topic by topic, where runs have them, and what else is known of each."""

    starts: Ints
    counts: Ints
    topics: list[RankedTopic]
    reciprocal: Floats
    """What is known of a pair: the log of the sum of reciprocal ranks, as in the studies."""
    grades: Floats
    found: Floats
    """(pairs, 4): how many runs have a pair at all, and among their first 10; logs of sums with other constants."""

    @classmethod
    def of(cls, world: World) -> RankedPairs:
        topics, number = world.qrels.topic_of_row, len(world.qrels.topics)
        counts = np.bincount(topics, minlength=number)
        starts = np.cumsum(counts) - counts
        found, sums = [], np.zeros((len(topics), 5))
        for run in world.runs:
            view = join(run, world.qrels, depth=DEPTH, keep_qrels_rows=True)
            inside = np.flatnonzero(view.qrels_rows >= 0)
            found.append((view.qrels_rows[inside], view.rank[inside]))
            rows, at = found[-1]
            more = [1 / (60 + at), np.ones(len(at)), at <= CUTOFF, 1 / (0.5 + at), 1 / (10 + at)]
            np.add.at(sums, rows, np.stack(more, axis=1))
        ranked = []
        for topic, (start, size) in enumerate(zip(starts.tolist(), counts.tolist(), strict=True)):
            here = [(rows[topics[rows] == topic] - start, at[topics[rows] == topic]) for rows, at in found]
            ranked.append(RankedTopic.of(here, size))
        logs, grades = np.log(sums + 1 / 2000), world.grades.astype(np.float64)
        known = np.concatenate([sums[:, 1:3], logs[:, 3:]], axis=1)
        return cls(starts, counts, ranked, logs[:, 0], grades, known)

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
        ends = np.cumsum(self.counts[copies])
        gains, relevant = chances.sum(axis=1), chances[:, RELEVANT - 1]
        out = np.empty((len(MEASURES), len(self.topics[0].places), len(copies)))
        for topic in np.unique(copies).tolist():
            here = np.flatnonzero(copies == topic)
            rows = (ends[here] - self.counts[topic])[None] + np.arange(self.counts[topic])[:, None]
            out[:, :, here] = self.topics[topic].scores(gains[rows], relevant[rows])
        return out
