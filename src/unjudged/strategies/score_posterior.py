"""Where the scores of runs will end up when all is judged: what is expected, and how uncertain that still is.

A mean score is a sum over documents: weight times gain, over what the topic has to find. Judged documents add what they
are worth, others what is expected of them (`grade_posterior.py`). The sums of two runs move together with all that they
share, so the difference of two runs is as uncertain as the documents that only one of them has on top.

One more judgment narrows a difference D in two ways: its own grade is known then, and it says something about others.
With c the covariance of D with the document's gain, and v the variance of that gain, D's variance falls by c^2 / v.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from unjudged.arrays import Flags, Floats, Ints
from unjudged.strategies.grade_posterior import Chances, GradePosterior, Predicted
from unjudged.strategies.ideal_rankings import DocumentCounts, IdealRankings, ideal_rankings
from unjudged.strategies.score_weights import ScoreWeights

__all__ = ["Outlook", "look_ahead"]

_CHUNK = 4096
_LEAST = 1e-300
_MOST_BENT = 0.25
"""Variance of an ideal ranking, relative to its square, that is counted at most."""


@dataclass(frozen=True, eq=False)
class Outlook:
    """The mean scores of all runs: expected values and covariance; and what they still depend on."""

    expected: Floats
    """The mean score of each run when all is judged."""
    judged: Floats
    """What judged documents alone bring of it."""
    posterior: GradePosterior
    pairs: Ints
    """Unjudged pairs that count for some run."""
    weights: Floats
    """What a gain of one is worth to the mean score of each run, shape (runs, these pairs)."""
    predicted: Predicted
    """The gains of these pairs."""
    slopes: Floats
    """Of each run's sum, by the parameters of the posterior, shape (runs, parameters)."""
    own_covariance: Floats
    """Of the runs' scores, with the parameters known."""
    ideal_shares: Floats
    """What the mean score of each run loses by a gain of one in a topic's ideal ranking, shape (runs, topics)."""
    ideal_weights: Floats
    """What a gain of one of each pair is worth to the ideal ranking of its topic."""

    def covariance(self) -> Floats:
        """Of the runs' scores."""
        shared: Floats = self.slopes @ self.posterior.covariance @ self.slopes.T
        return self.own_covariance + shared

    def deviations(self, covariance: Floats) -> Floats:
        """Of the runs' scores, one by one: as their *covariance* says, and for what no judgment tells.

        The latter moves all runs alike, so that differences have little of it.
        """
        variances = np.maximum(np.diag(covariance), 0.0) + self.posterior.unlike_variances(self.slopes)
        out: Floats = np.sqrt(variances)
        return out

    def narrowing(self, directions: Floats, others: Ints, predicted: Predicted) -> Floats:
        """By how much one judgment lowers the sum of variances of *directions*, for each of some *others* pairs.

        A direction is a combination of runs, shape (directions, runs). *others* are unjudged and in order; those that
        count for no run still say something about those that do.
        """
        out = np.zeros(len(others))
        for start in range(0, len(others), _CHUNK):
            here = slice(start, start + _CHUNK)
            some = predicted.take(here)
            slopes = self.posterior.slopes(others[here], some)
            with_gains = self._with_gains(directions, others[here], some, slopes)
            variance = some.variance + ((slopes @ self.posterior.covariance) * slopes).sum(axis=1)
            out[here] = (with_gains**2).sum(axis=0) / np.maximum(variance, _LEAST)
        return out

    def covariances(self, directions: Floats, others: Ints, predicted: Predicted) -> tuple[Floats, Floats]:
        """Of *directions* with the gains of some pairs, shape (directions, pairs); and of these with each other."""
        slopes = self.posterior.slopes(others, predicted)
        between = slopes @ self.posterior.covariance @ slopes.T + np.diag(predicted.variance)
        return self._with_gains(directions, others, predicted, slopes), between

    def _with_gains(self, directions: Floats, others: Ints, predicted: Predicted, slopes: Floats) -> Floats:
        out = directions @ self.slopes @ self.posterior.covariance @ slopes.T
        out += (directions @ self._worth(others)) * predicted.variance
        return out

    def _worth(self, others: Ints) -> Floats:
        """What a gain of one of some pairs is worth to the mean score of each run, shape (runs, these pairs)."""
        topics = self.posterior.descriptions.candidates.topic_of[others]
        out: Floats = -self.ideal_shares[:, topics] * self.ideal_weights[others]
        place = np.searchsorted(self.pairs, others)
        counted = np.flatnonzero(np.append(self.pairs, -1)[place] == others)
        out[:, counted] += self.weights[:, place[counted]]
        return out

    def after(self, pairs: Ints, predicted: Predicted) -> Outlook:
        """The same once some pairs are judged, as far as that is known before: how uncertain the rest is."""
        judged = np.sort(pairs)
        predicted = predicted.take(np.argsort(pairs))
        slopes = self.posterior.slopes(judged, predicted)
        worth = self._worth(judged)
        left = ~np.isin(self.pairs, judged)
        return replace(
            self,
            posterior=self.posterior.narrowed(slopes, predicted.variance),
            pairs=self.pairs[left],
            weights=self.weights[:, left],
            predicted=self.predicted.take(left),
            slopes=self.slopes - worth @ slopes,
            own_covariance=self.own_covariance - (worth * predicted.variance) @ worth.T,
        )


def look_ahead(score_weights: ScoreWeights, posterior: GradePosterior, judged: Flags, grades: Ints) -> Outlook:
    """Where scores will end up, after these judgments."""
    descriptions = posterior.descriptions
    topic_of, topics = descriptions.candidates.topic_of, len(descriptions.candidates.topics)
    gains = descriptions.of_levels(score_weights.gains)
    open_pairs = np.flatnonzero(~judged)
    chances = posterior.chances(open_pairs)
    of_all = posterior.predict(chances, gains)
    ideal, by_topic = _ideal(score_weights, posterior, judged, grades, chances)
    inverse, with_gains = ideal.inverse() / topics, ideal.inverse_with_gains() / topics

    done = judged[score_weights.pairs]
    own_gains = score_weights.gains[np.searchsorted(descriptions.candidates.scale, grades[score_weights.pairs[done]])]
    counted = score_weights.pairs[~done]
    predicted = of_all.take(np.searchsorted(open_pairs, counted))
    unscaled = score_weights.weights[:, ~done]
    weights = unscaled * inverse[topic_of[counted]]
    of_judged = _by_topic(score_weights.weights[:, done] * own_gains, topic_of[score_weights.pairs[done]], topics)
    of_open = _by_topic(unscaled * predicted.expected, topic_of[counted], topics)
    moves = of_all.by_steps.sum(axis=1)
    of_moves = _by_topic(unscaled * moves[np.searchsorted(open_pairs, counted)], topic_of[counted], topics)
    of_moves /= np.maximum(np.bincount(topic_of[open_pairs], moves, topics), _LEAST)
    scores = (of_judged + of_open) * inverse + of_moves * with_gains

    variance, moving = np.zeros(len(judged)), np.zeros(len(judged))
    variance[open_pairs] = of_all.variance
    moving[open_pairs] = _ideal_weights(ideal.by_level[topic_of[open_pairs]], chances.probabilities, of_all.variance)
    both = _by_topic(weights * (moving * variance)[counted], topic_of[counted], topics)
    of_ideal = np.bincount(topic_of, moving**2 * variance, topics)
    # The mean of a ratio, to the second order; further orders count where the ideal is hardly known.
    scores = scores * (1 + np.minimum(of_ideal * (inverse * topics) ** 2, _MOST_BENT)) - both * inverse * topics
    shares = scores * inverse * topics
    own = (weights * predicted.variance) @ weights.T - both @ shares.T - shares @ both.T
    own += (shares * of_ideal) @ shares.T
    slopes = -shares @ by_topic
    for start in range(0, len(counted), _CHUNK):
        here = slice(start, start + _CHUNK)
        slopes += weights[:, here] @ posterior.slopes(counted[here], predicted.take(here))
    of_judged = (of_judged * inverse).sum(axis=1)
    return Outlook(scores.sum(axis=1), of_judged, posterior, counted, weights, predicted, slopes, own, shares, moving)


def _ideal(
    score_weights: ScoreWeights, posterior: GradePosterior, judged: Flags, grades: Ints, chances: Chances
) -> tuple[IdealRankings, Floats]:
    """The ideal ranking of each topic, and its derivative by each parameter; *chances* of the unjudged pairs."""
    descriptions = posterior.descriptions
    topic_of, topics = descriptions.candidates.topic_of, len(descriptions.candidates.topics)
    open_pairs, known = np.flatnonzero(~judged), np.flatnonzero(judged)
    levels = descriptions.levels_of(grades[known])
    slopes, columns = [], []
    for level in range(1, descriptions.levels):
        reached = posterior.predict(chances, (np.arange(descriptions.levels) >= level).astype(np.float64))
        slope = descriptions.summed(open_pairs, reached.by_steps)
        slopes.append(slope)
        columns.append(
            (
                np.bincount(topic_of[known[levels >= level]], minlength=topics).astype(np.float64),
                np.bincount(topic_of[open_pairs], reached.expected, topics),
                np.bincount(topic_of[open_pairs], reached.variance, topics),
                ((slope @ posterior.covariance) * slope).sum(axis=1),
            )
        )
    others = np.bincount(topic_of[open_pairs], minlength=topics)
    known_of, expected, variance, by_parameters = (np.stack(one, axis=1) for one in zip(*columns, strict=True))
    counts = DocumentCounts(known_of, expected, variance, by_parameters, others)
    ideal = ideal_rankings(score_weights.form, descriptions.of_levels(score_weights.gains), counts)
    one_more = np.diff(ideal.by_level, axis=1)
    by_topic: Floats = np.einsum("tk,ktp->tp", one_more, np.stack(slopes))
    return ideal, by_topic


def _ideal_weights(by_level: Floats, probabilities: Floats, variance: Floats) -> Floats:
    """What a gain of one of each pair is worth to its ideal ranking, such that the ranking's variance is right.

    What a document adds there goes up with its grade as its gain does, but not in proportion to it.
    """
    mean = (probabilities * by_level).sum(axis=1)
    of_ideal = np.maximum((probabilities * by_level**2).sum(axis=1) - mean**2, 0.0)
    out: Floats = np.sqrt(of_ideal / np.maximum(variance, _LEAST))
    return out


def _by_topic(values: Floats, topics_of: Ints, topics: int) -> Floats:
    """Sums over the pairs of each topic, which stand in order; shape (rows, topics)."""
    ends = np.cumsum(np.bincount(topics_of, minlength=topics))
    running = np.concatenate([np.zeros((len(values), 1)), np.cumsum(values, axis=1)], axis=1)
    out: Floats = running[:, ends] - running[:, np.concatenate([[0], ends[:-1]])]
    return out
