"""Calibrated labels: what gain a label makes one expect of a document, together with what else is known about it.

Learned where people judged the same pairs: for each gain, a logistic regression of reaching it on the label (each value
by itself) and on features, with a small ridge. A topic is never part of what its own documents are expected by.
"""

from __future__ import annotations

import numpy as np

from unjudged.arrays import Flags, Floats, Hashes, Ints
from unjudged.kernels.splitmix import GOLDEN, mixed, to_unit
from unjudged.labels.scales import label_bins

__all__ = ["chances_of_reaching", "chances_within_topics", "drawn_grades", "expected_gains"]

_RIDGE = 0.1
_TOPIC_RIDGE = 0.25
"""That of a topic's own constant: topics differ by log odds with a standard deviation of 2."""
_STEPS = 30


def expected_gains(labels: Floats, features: Floats, folds: Ints, sampled: Flags, gains: Floats) -> Floats:
    """The expected gain of each pair, from the *gains* of those *sampled* in other *folds*.

    *features* are (pairs, features). A label may be NaN, which is a value of its own.
    """
    levels = np.unique(gains[sampled])
    reached = chances_of_reaching(labels, features, folds, sampled, gains, levels[1:])
    expected: Floats = levels[0] + reached @ np.diff(levels)
    return expected


def chances_of_reaching(
    labels: Floats, features: Floats, folds: Ints, sampled: Flags, gains: Floats, levels: Floats
) -> Floats:
    """The chance that the gain of each pair reaches each of the *levels*, shape (pairs, levels); never rising.

    *folds* says which pairs are left out together: those of the same topics.
    """
    columns = np.concatenate([_values(labels), _standardised(features)], axis=1)
    chances = np.zeros((len(labels), len(levels)))
    for fold in np.unique(folds).tolist():
        here = folds == fold
        learn = sampled & ~here
        learn = learn if learn.any() else sampled
        known, values, wanted = columns[learn], gains[learn], columns[here]
        for place, level in enumerate(levels.tolist()):
            reached = (values >= level).astype(np.float64)
            chances[here, place] = _logistic(known, reached, wanted)
    # Each level has a regression of its own, so that chances could cross.
    return np.minimum.accumulate(chances, axis=1)


def chances_within_topics(
    labels: Floats, features: Floats, topics: Ints, sampled: Flags, gains: Floats, levels: Floats, folds: Ints
) -> Floats:
    """The same, with what the sample says about each topic: how rich it is.

    A pair is never part of what itself is expected by; *folds* says which pairs are left out together.
    """
    columns = np.concatenate([_values(labels), _standardised(features)], axis=1)
    chances = np.zeros((len(labels), len(levels)))
    for fold in np.unique(folds).tolist():
        here = folds == fold
        learn = sampled & ~here
        learn = learn if learn.any() else sampled
        for place, level in enumerate(levels.tolist()):
            reached = (gains[learn] >= level).astype(np.float64)
            chances[here, place] = _logistic_by_topic(
                columns[learn], topics[learn], reached, columns[here], topics[here]
            )
    return np.minimum.accumulate(chances, axis=1)


def _values(labels: Floats) -> Floats:
    """A column for each value of a label, or for each bin of many."""
    bins = label_bins(labels)
    columns: Floats = np.eye(int(bins.max()) + 1)[bins]
    return columns


def _standardised(features: Floats) -> Floats:
    spread = features.std(axis=0)
    columns: Floats = (features - features.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return columns


def _logistic(columns: Floats, reached: Floats, wanted: Floats) -> Floats:
    """Chances by a logistic regression with a ridge, fitted by Newton's method."""
    from scipy.special import expit  # loaded on use: scoring must not wait for SciPy

    rate = float(reached.mean())
    if rate in (0.0, 1.0):
        return np.full(len(wanted), rate)
    weights = np.zeros(columns.shape[1])
    for _ in range(_STEPS):
        chance = expit(columns @ weights)
        slope = columns.T @ (reached - chance) - _RIDGE * weights
        curve = (columns * (chance * (1 - chance))[:, None]).T @ columns + _RIDGE * np.eye(len(weights))
        step = np.linalg.solve(curve, slope)
        weights += step
        if np.abs(step).max() < 1e-6:  # steps get smaller by their square
            break
    chances: Floats = expit(wanted @ weights)
    return chances


def _logistic_by_topic(columns: Floats, topics: Ints, reached: Floats, wanted: Floats, of: Ints) -> Floats:
    """The same with a constant for each topic."""
    from scipy.special import expit  # loaded on use: scoring must not wait for SciPy

    rate = float(reached.mean())
    if rate in (0.0, 1.0):
        return np.full(len(wanted), rate)
    number = int(max(topics.max(), of.max())) + 1
    weights, constants = np.zeros(columns.shape[1]), np.zeros(number)
    ridge = _RIDGE * np.eye(len(weights))
    for _ in range(_STEPS):
        chance = expit(columns @ weights + constants[topics])
        spread = chance * (1 - chance)
        weighted = columns * spread[:, None]
        slope = columns.T @ (reached - chance) - _RIDGE * weights
        topic_slope = np.bincount(topics, reached - chance, minlength=number) - _TOPIC_RIDGE * constants
        across = np.stack([np.bincount(topics, one, minlength=number) for one in weighted.T], axis=1)
        alone = np.bincount(topics, spread, minlength=number) + _TOPIC_RIDGE
        # Constants of topics do not meet each other, so that they are eliminated one by one (Schur's complement).
        less = across / alone[:, None]
        step = np.linalg.solve(columns.T @ weighted + ridge - across.T @ less, slope - less.T @ topic_slope)
        topic_step = topic_slope / alone - less @ step
        weights, constants = weights + step, constants + topic_step
        if max(np.abs(step).max(), np.abs(topic_step).max()) < 1e-6:
            break
    chances: Floats = expit(wanted @ weights + constants[of])
    return chances


def drawn_grades(chances: Floats, keys: Hashes, draw: int) -> Ints:
    """A level for each row of *chances*, drawn by its key: the same document gets the same grade in every run."""
    u = to_unit(mixed(keys + np.array([draw + 1], dtype=np.uint64) * GOLDEN))
    levels: Ints = (np.cumsum(chances, axis=1) < u[:, None]).sum(axis=1)
    highest: Ints = np.minimum(levels, chances.shape[1] - 1)
    return highest
