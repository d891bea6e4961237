"""What judgments so far say about the grades of all other documents: one posterior, with its uncertainty.

The model is logistic regression, level by level: a document that has reached level k - 1 reaches level k with log odds
``step[k] + support + labels + effect of its topic + effect of who returned it``, to which topics add something of their
own at each level above the first: in one of them most relevant documents are perfect, in another none is. All of these
have a normal prior, and the posterior is the usual normal approximation around its mode (Laplace's). So there is an
answer before the first judgment, and what one judgment says about other documents follows: those of its topic, and of
the runs that have it. A posterior probability may be looked at after every judgment: that changes nothing about how
often it is right, as long as the model is (`experiments/results/deciding.md` says how often it was).

The prior is weak, so that ten judgments outweigh it: about a fifth of what runs have within the cut-off is relevant,
and a fifth of what has a level has the next, too; documents that more runs have are better, and a label goes up with
relevance. These numbers are near those that all judgments of DL19, TREC-8 and TREC-COVID give. How far runs are apart
decides how soon verdicts come. Most of TREC-8 are within a deviation of 0.7, but six of 129, people's searches that are
better than all others, are at 2.3 to 4: with 0.7, their documents were expected to be bad before one was judged, and so
verdicts were wrong.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from unjudged.arrays import Flags, Floats, Ints
from unjudged.data.spans import offsets_of, rows_of_spans
from unjudged.holes.evidence_model.ordinal import sigmoid
from unjudged.strategies.candidates import Candidates

__all__ = ["Chances", "GradeDescriptions", "GradePosterior", "Predicted"]

_FUSION = 10.0
"""Support is the root of the sum of 1 / (10 + rank) over runs. Its logarithm, with 60, expected 10 to 20% too little of
the documents that scores depend on most, from 500 random judgments of DL19, TREC-8 and TREC-COVID; this 1 to 4%."""
_STEP, _STEP_SD = float(np.log(0.2 / 0.8)), 1.5
"""Log odds of a document with average support: a fifth of those of each level reach the next."""
_SUPPORT, _SUPPORT_SD = 1.2, 0.5
"""Log odds for each standard deviation of the support among documents within the cut-off; the same for labels."""
_TOPIC_SD = 1.0
_FURTHER_SD = 2.0
_RUNS_SD = 1.0
"""How far apart topics are, also at higher levels, and documents that different runs return, in log odds."""
_MOST_TOPICS = 1000
"""Topics have effects of their own up to so many: beyond, few would have judgments enough to show any."""
_BLOCKS = 3
"""Higher levels at which topics have further ones, ..."""
_MOST_EFFECTS = 1500
"""... as far as that makes no more effects than these."""
_LEVELS = 10
"""Grades are taken together on longer scales: few of them would have a judgment."""
_FAR = 5.0
"""Standard deviations from the mean that count at most: documents below the cut-off are unlike all within it."""
_UNLIKE = 0.3
"""By how much, in log odds, all that is left may differ from what the model says of it, and as much for each deviation
of support or of a label: documents are judged for what sets them apart, and no judgment tells what that does to others.
Without it, 95% intervals of mean scores held 38 to 80% on DL19; differences of runs hardly depend on it."""
_LEAST_VARIANCE = 1e-12
_LEAST_DRAWN = 0.1
"""Of the variance of a value, what is its draw's at least: the rest is what is not known of the parameters."""
_WRITTEN = 1 << 22
"""Features, of eight bytes, that are kept at most."""


class GradeDescriptions:
    """What candidates are described by, and the prior of what that means."""

    def __init__(self, candidates: Candidates, depth: int) -> None:
        self.candidates = candidates
        ranked = candidates.ranked
        runs = candidates.run_of_ranked.astype(np.int64)
        support = np.bincount(ranked.pairs, 1.0 / (_FUSION + ranked.ranks), minlength=len(candidates))
        near = np.flatnonzero(ranked.ranks <= depth)
        near = near[np.argsort(ranked.pairs[near], kind="stable")]
        counts = np.bincount(ranked.pairs[near], minlength=len(candidates))
        self._found, self._found_by = offsets_of(counts), runs[near]
        described_by = [np.sqrt(support), *candidates.labels]
        self.columns = np.stack([_standardised(one, counts > 0) for one in described_by], axis=1)
        self._shares = 1.0 / np.sqrt(np.maximum(counts, 1))
        self._found_rows = np.repeat(np.arange(len(candidates)), counts)
        self._share_found = self._shares[self._found_rows]
        grades = len(candidates.scale)
        level_of = np.arange(grades) if grades <= _LEVELS else 1 + np.arange(-1, grades - 1) * (_LEVELS - 1) // grades
        self.level_of_grade: Ints = np.maximum(level_of, 0)
        """The level of the model for each grade of the scale; grade 0 has its own."""
        self.levels = int(self.level_of_grade[-1]) + 1
        self.steps = self.levels - 1
        self.described = self.columns.shape[1]
        self.topics = len(candidates.topics) if len(candidates.topics) <= _MOST_TOPICS else 0
        higher = max(self.steps - 1, 0)
        self.blocks = min(higher, _BLOCKS, _MOST_EFFECTS // max(self.topics, 1) - 1) if self.topics else 0
        self.block_of_step: Ints = np.arange(higher if self.blocks else 0) * self.blocks // max(higher, 1)
        """Of the steps above the first."""
        sizes = [self.steps, self.described, self.topics, self.blocks * self.topics, len(candidates.runs)]
        self._ends = np.cumsum(sizes)
        """Of steps, columns, topics, topics at higher levels by block, and runs, among the features."""
        means = [np.full(self.steps, _STEP), np.full(self.described, _SUPPORT), np.zeros(sum(sizes[2:]))]
        self.prior_mean: Floats = np.concatenate(means)
        deviations = np.repeat([_STEP_SD, _SUPPORT_SD, _TOPIC_SD, _FURTHER_SD, _RUNS_SD], sizes)
        self.prior_precision: Floats = deviations**-2.0

    def design(self, pairs: Ints, by_steps: Floats, *, runs: bool = True) -> Floats:
        """The features of some pairs, where each step of each of them counts so much.

        These are steps, columns, topics, topics at higher levels, and then *runs*, which may be left out.
        """
        shared = self._shared(pairs, runs=runs) * by_steps.sum(axis=1)[:, None]
        split = self.described + self.topics
        further = np.zeros((len(pairs), self.blocks * self.topics))
        rows, topic_of = np.arange(len(pairs)), self.candidates.topic_of[pairs]
        for step, block in enumerate(self.block_of_step.tolist(), start=1):
            further[rows, block * self.topics + topic_of] += by_steps[:, step]
        return np.concatenate([by_steps, shared[:, :split], further, shared[:, split:]], axis=1)

    def _shared(self, pairs: Ints, *, runs: bool) -> Floats:
        if runs and self._written is not None:
            return self._written[pairs]
        return self._write(pairs, runs=runs)

    @cached_property
    def _written(self) -> Floats | None:
        """What all steps share of all pairs, where it needs little room: most of it is asked for at every look."""
        cells = len(self.candidates) * (self.described + self.topics + len(self.candidates.runs))
        return self._write(np.arange(len(self.candidates)), runs=True) if cells <= _WRITTEN else None

    def _write(self, pairs: Ints, *, runs: bool) -> Floats:
        described, topics = self.described, self.topics
        out = np.zeros((len(pairs), described + topics + runs * len(self.candidates.runs)))
        out[:, :described] = self.columns[pairs]
        rows = np.arange(len(pairs))
        if topics:
            out[rows, described + self.candidates.topic_of[pairs]] = 1.0
        if not runs:
            return out
        counts = self._found[pairs + 1] - self._found[pairs]
        which = rows_of_spans(self._found[pairs], counts)
        # Documents of many runs have the average of what each does, at the same variance.
        out[np.repeat(rows, counts), described + topics + self._found_by[which]] = self._share_found[which]
        return out

    def log_odds(self, pairs: Ints, weights: Floats) -> Floats:
        """To reach each level from the one below, with these weights of features; shape (pairs, steps)."""
        steps, topic_of = self.steps, self.candidates.topic_of
        further = weights[self._ends[2] : self._ends[3]].reshape(self.blocks, self.topics)
        out: Floats = weights[:steps] + self._shared_sums(weights)[pairs][:, None]
        for step, block in enumerate(self.block_of_step.tolist(), start=1):
            out[:, step] += further[block][topic_of[pairs]]
        return out

    def variances(self, pairs: Ints, covariance: Floats) -> Floats:
        """Of the log odds to reach each level, where parameters have this covariance; shape (pairs, steps)."""
        topic_of, features = self.candidates.topic_of, np.arange(len(covariance))
        steps, columns, topics, further, runs = np.split(features, self._ends[:-1])
        values, rows, found_by, shares = self.columns, self._found_rows, self._found_by, self._share_found
        shared: Floats = ((values @ covariance[np.ix_(columns, columns)]) * values).sum(axis=1)
        each = 2 * (covariance[np.ix_(columns, runs)].T[found_by] * values[rows]).sum(axis=1)
        if len(topics):
            shared += 2 * (values * covariance[np.ix_(topics, columns)][topic_of]).sum(axis=1)
            shared += covariance[topics, topics][topic_of]
            each += 2 * covariance[topics[topic_of[rows]], runs[found_by]]
        moved = self._runs_of @ covariance[np.ix_(runs, runs)]
        each += moved[np.repeat(np.arange(len(self._near)), np.diff(self._found)[self._near]), found_by]
        shared += np.bincount(rows, shares * each, len(shared))
        out = shared[:, None] + np.diag(covariance)[steps] + 2 * self._shared_sums(covariance[:, steps])
        for step, block in enumerate(self.block_of_step.tolist(), start=1):
            own = further[block * len(topics) + topic_of]
            with_own: Floats = (values * covariance[np.ix_(further, columns)][own - further[0]]).sum(axis=1)
            with_own += covariance[topics[topic_of], own] + covariance[step, own]
            with_own += np.bincount(rows, shares * covariance[runs[found_by], own[rows]], len(out))
            out[:, step] += covariance[own, own] + 2 * with_own
        return np.maximum(out[pairs], 0.0)

    def _shared_sums(self, weights: Floats) -> Floats:
        """What all steps share of each pair, in columns of such *weights* of features."""
        _, of_columns, of_topics, _, of_runs = np.split(weights, self._ends[:-1])
        out: Floats = self.columns @ of_columns
        if self.topics:
            out += of_topics[self.candidates.topic_of]
        out[self._near] += self._runs_of @ of_runs
        return out

    @cached_property
    def _near(self) -> Ints:
        """Pairs that some run has near its top."""
        return np.flatnonzero(np.diff(self._found))

    @cached_property
    def _runs_of(self) -> csr_array:
        """The features that runs are, of these pairs."""
        ends = np.append(self._found[self._near], len(self._found_by))
        return csr_array((self._share_found, self._found_by, ends), shape=(len(self._near), len(self.candidates.runs)))

    def summed(self, pairs: Ints, by_steps: Floats) -> Floats:
        """The features of some pairs, where each step of each of them counts so much, summed up for each topic."""
        topics, runs = len(self.candidates.topics), len(self.candidates.runs)
        topic_of = self.candidates.topic_of
        every = np.zeros((len(self.candidates), self.steps))
        every[pairs] = by_steps
        of_steps = [np.bincount(topic_of, column, topics) for column in every.T]
        shared = every.sum(axis=1)
        of_columns = [np.bincount(topic_of, shared * column, topics) for column in self.columns.T]
        parts: list[Floats] = [np.stack(of_steps, axis=1), np.stack(of_columns, axis=1)]
        if self.topics:
            further = np.zeros((self.blocks, topics))
            for step, block in enumerate(self.block_of_step.tolist(), start=1):
                further[block] += of_steps[step]
            parts.append(np.diag(np.sum(of_steps, axis=0)))
            parts += [np.diag(block) for block in further]
        cells = topic_of[self._found_rows] * runs + self._found_by
        of_runs = np.bincount(cells, self._share_found * shared[self._found_rows], topics * runs)
        return np.concatenate([*parts, of_runs.reshape(topics, runs)], axis=1)

    def is_near(self, pairs: Ints) -> Flags:
        """Which pairs some run has among the first documents, so that runs' effects are among their features."""
        out: Flags = self._found[pairs + 1] > self._found[pairs]
        return out

    def levels_of(self, grades: Ints) -> Ints:
        """The levels of some grades of the scale."""
        return self.level_of_grade[np.searchsorted(self.candidates.scale, grades)]

    def of_levels(self, values: Floats) -> Floats:
        """What each level of the model is worth, where *values* has a number for each grade: their mean."""
        sizes = np.bincount(self.level_of_grade)
        return np.bincount(self.level_of_grade, values) / sizes


def _standardised(values: Floats, among: Flags) -> Floats:
    """With mean 0 and standard deviation 1 *among* some documents; what is not known is average."""
    known = values[among & ~np.isnan(values)]
    spread = known.std() if len(known) else 0.0
    if spread < 1e-9:
        return np.zeros(len(values))
    out: Floats = np.clip(np.where(np.isnan(values), 0.0, (values - known.mean()) / spread), -_FAR, _FAR)
    return out


class Predicted(NamedTuple):
    """What is expected of a value that follows from the grade, of some pairs."""

    expected: Floats
    variance: Floats
    """Of the grade's draw, with the parameters known."""
    by_steps: Floats
    """Derivative of the expected value by the log odds of each step, shape (pairs, steps)."""

    def take(self, which: slice | Ints | Flags) -> Predicted:
        """Those of some pairs."""
        return Predicted(*(column[which] for column in self))


class Chances(NamedTuple):
    """What grades some pairs may have."""

    probabilities: Floats
    """Of each level, shape (pairs, levels)."""
    variances: Floats
    """Of the log odds to reach each level, as far as parameters are not known; shape (pairs, steps)."""
    flattened: Floats
    """By how much the mean over the parameters flattens the curve of probabilities; shape (pairs, steps)."""

    def take(self, which: slice | Ints | Flags) -> Chances:
        """Those of some pairs."""
        return Chances(*(column[which] for column in self))


@dataclass(frozen=True, eq=False)
class GradePosterior:
    """A normal approximation: where the parameters are, steps first, and their covariance."""

    descriptions: GradeDescriptions
    mode: Floats
    covariance: Floats

    def chances(self, pairs: Ints) -> Chances:
        """What grades they may have.

        A probability is the mean over the parameters, which is nearer to a half than at their mode: log odds are
        divided by the root of 1 + pi / 8 times their variance (MacKay, 1992).
        """
        return self._of_all.take(pairs)

    @cached_property
    def _of_all(self) -> Chances:
        pairs = np.arange(len(self.descriptions.candidates))
        variances = self.descriptions.variances(pairs, self.covariance)
        flattened = 1.0 / np.sqrt(1.0 + np.pi / 8 * variances)
        odds = self.descriptions.log_odds(pairs, self.mode)
        return Chances(_levels(sigmoid(odds * flattened)), variances, flattened)

    def probabilities(self, pairs: Ints) -> Floats:
        """Probability of each level, shape (pairs, levels)."""
        return self.chances(pairs).probabilities

    def of_grades(self, probabilities: Floats) -> Floats:
        """Probability of each grade of the scale; grades that are one level here share its probability evenly."""
        level = self.descriptions.level_of_grade
        out: Floats = probabilities[:, level] / np.bincount(level)[level]
        return out

    def predict(self, chances: Chances, values: Floats) -> Predicted:
        """What is expected of *values*, of which each level has one.

        More log odds of a step take from the level below it what they give to those above.
        """
        probabilities, variances, flattened = chances
        worth = probabilities * values
        expected = worth.sum(axis=1)
        above, reached = _above(worth), _above(probabilities)
        further = reached[:, 1:] / reached[:, :-1]
        by_steps = ((1 - further) * above[:, 1:] - further * worth[:, :-1]) * flattened
        shared = variances.min(
            axis=1
        )  # what is not known of one step is taken to be not known of all, as far as it goes
        of_parameters = by_steps.sum(axis=1) ** 2 * shared + (by_steps**2 * (variances - shared[:, None])).sum(axis=1)
        total = np.maximum((worth * values).sum(axis=1) - expected**2, 0.0)
        return Predicted(expected, np.maximum(total - of_parameters, _LEAST_DRAWN * total), by_steps)

    def slopes(self, pairs: Ints, predicted: Predicted) -> Floats:
        """Derivative of each expected value by each parameter, shape (pairs, parameters)."""
        return self.descriptions.design(pairs, predicted.by_steps)

    def variance_of_sum(self, pairs: Ints, predicted: Predicted) -> float:
        """Of the sum of what is predicted for some pairs."""
        slope = self.descriptions.summed(pairs, predicted.by_steps).sum(axis=0)
        own = predicted.variance.sum() + slope @ self.covariance @ slope
        return float(own + self.unlike_variances(slope[None])[0])

    def unlike_variances(self, slopes: Floats) -> Floats:
        """Of sums over unjudged documents with these slopes, shape (sums, parameters): what no judgment tells.

        That is how much what is left differs from what the model says of documents like these.
        """
        steps, described = self.descriptions.steps, self.descriptions.described
        of_columns = slopes[:, steps : steps + described]
        out: Floats = _UNLIKE**2 * (slopes[:, :steps].sum(axis=1) ** 2 + (of_columns**2).sum(axis=1))
        return out

    def narrowed(self, slopes: Floats, variance: Floats) -> GradePosterior:
        """The covariance once values with these *slopes* and variances are known, as far as that is known before."""
        if not len(slopes):
            return self
        variance = np.maximum(variance, _LEAST_VARIANCE)
        if len(slopes) > len(self.mode):  # the shorter way for many values
            information = np.linalg.inv(self.covariance) + (slopes / variance[:, None]).T @ slopes
            covariance = np.asarray(np.linalg.inv(information), dtype=np.float64)
            return replace(self, covariance=covariance)
        moved = slopes @ self.covariance
        gain = np.linalg.solve(moved @ slopes.T + np.diag(variance), moved)
        return replace(self, covariance=self.covariance - moved.T @ gain)


def _levels(further: Floats) -> Floats:
    """The probability of each level, from those to reach each from the one below; all of them a little above 0."""
    rows = len(further)
    reached = np.concatenate([np.ones((rows, 1)), np.cumprod(further, axis=1), np.zeros((rows, 1))], axis=1)
    out: Floats = np.maximum(reached[:, :-1] - reached[:, 1:], 1e-12)
    return out


def _above(values: Floats) -> Floats:
    """Of each level and those above it, together."""
    out: Floats = np.cumsum(values[:, ::-1], axis=1)[:, ::-1]
    return out
