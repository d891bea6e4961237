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
from unjudged.strategies.grade_posterior import GradePosterior, Predicted
from unjudged.strategies.score_weights import ScoreWeights

__all__ = ["Outlook", "look_ahead"]

_CHUNK = 4096
_LEAST = 1e-300


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

    def covariance(self) -> Floats:
        """Of the runs' scores."""
        shared: Floats = self.slopes @ self.posterior.covariance @ self.slopes.T
        return self.own_covariance + shared

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
        place = np.searchsorted(self.pairs, others)
        counted = np.flatnonzero(np.append(self.pairs, -1)[place] == others)
        out[:, counted] += (directions @ self.weights[:, place[counted]]) * predicted.variance[counted]
        return out

    def after(self, pairs: Ints, predicted: Predicted) -> Outlook:
        """The same once some pairs are judged, as far as that is known before: how uncertain the rest is."""
        judged = np.sort(pairs)
        predicted = predicted.take(np.argsort(pairs))
        slopes = self.posterior.slopes(judged, predicted)
        place = np.searchsorted(self.pairs, judged)
        counted = np.append(self.pairs, -1)[place] == judged
        gone = place[counted]
        left = np.ones(len(self.pairs), dtype=bool)
        left[gone] = False
        known = self.weights[:, gone]
        own = self.own_covariance - (known * self.predicted.variance[gone]) @ known.T
        return replace(
            self,
            posterior=self.posterior.narrowed(slopes, predicted.variance),
            pairs=self.pairs[left],
            weights=self.weights[:, left],
            predicted=self.predicted.take(left),
            slopes=self.slopes - known @ slopes[counted],
            own_covariance=own if left.any() else np.zeros_like(own),
        )


def look_ahead(score_weights: ScoreWeights, posterior: GradePosterior, judged: Flags, grades: Ints) -> Outlook:
    """Where scores will end up, after these judgments."""
    descriptions = posterior.descriptions
    candidates, levels = descriptions.candidates, descriptions.levels
    gains, topics = descriptions.of_levels(score_weights.gains), len(candidates.topics)
    open_pairs, known = np.flatnonzero(~judged), np.flatnonzero(judged)
    probabilities = posterior.probabilities(open_pairs)
    cells = candidates.topic_of[known] * levels + descriptions.levels_of(grades[known])
    counts = np.bincount(cells, minlength=topics * levels).reshape(topics, levels).astype(np.float64)
    for level, column in enumerate(probabilities.T):
        counts[:, level] += np.bincount(candidates.topic_of[open_pairs], column, topics)
    scale = 1.0 / (score_weights.divisors(counts, gains) * topics)
    worth = score_weights.weights * scale[candidates.topic_of[score_weights.pairs]]
    done = judged[score_weights.pairs]
    own_gains = score_weights.gains[np.searchsorted(candidates.scale, grades[score_weights.pairs[done]])]
    of_judged = worth[:, done] @ own_gains
    counted, weights = score_weights.pairs[~done], worth[:, ~done]
    predicted = posterior.predict(probabilities[np.searchsorted(open_pairs, counted)], gains)
    slopes = np.zeros((len(weights), len(posterior.mode)))
    for start in range(0, len(counted), _CHUNK):
        here = slice(start, start + _CHUNK)
        slopes += weights[:, here] @ posterior.slopes(counted[here], predicted.take(here))
    expected = of_judged + weights @ predicted.expected
    own = (weights * predicted.variance) @ weights.T
    return Outlook(expected, of_judged, posterior, counted, weights, predicted, slopes, own)
