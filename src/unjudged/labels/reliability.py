"""How far judges agree on grades: confusion matrix, Cohen's kappa, Krippendorff's alpha, bias.

Labels are a matrix (judges, pairs) of numbers, NaN where a judge says nothing about a pair of topic and document.
"""

from __future__ import annotations

import math
from typing import Any, Literal, get_args

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.errors import InputError
from unjudged.limits import Choice

__all__ = [
    "AlphaLevel",
    "KappaWeights",
    "bias",
    "cohen_kappa",
    "confusion",
    "exact_agreement",
    "krippendorff_alpha",
    "within_one",
]

KappaWeights = Literal["none", "linear", "quadratic"]
"""How much worse a larger disagreement is."""
AlphaLevel = Literal["nominal", "ordinal", "interval"]
"""Whether labels are names, have an order, or have distances."""


def confusion(first: Any, second: Any, grades: Any) -> Ints:
    """How often each combination of two judges' labels occurs, where both say something; rows are the *first*'s.

    *grades* are the labels that rows and columns stand for, in ascending order; other labels are an error.

    >>> confusion([0, 1, 1, float("nan")], [0, 1, 0, 1], [0, 1]).tolist()
    [[1, 0], [1, 1]]
    """
    a, b = _both(first, second)
    values = np.asarray(grades, dtype=np.float64)
    rows, columns = (_places(one, values) for one in (a, b))
    size = len(values)
    return np.bincount(rows * size + columns, minlength=size * size).reshape(size, size).astype(np.int64)


def cohen_kappa(counts: Any, weights: KappaWeights = "none") -> float:
    """Cohen's kappa of a confusion matrix: agreement beyond that of judges who label at random, as often as these.

    A disagreement counts 1, or the distance of the two places in the matrix (``linear``), or its square
    (``quadratic``). NaN where random labels could not disagree, or nothing was labelled.

    >>> round(cohen_kappa([[20, 5], [10, 15]]), 4)
    0.4
    """
    Choice(get_args(KappaWeights)).checked("weights", weights)
    observed = np.asarray(counts, dtype=np.float64)
    total = observed.sum()
    if not total:
        return math.nan
    places = np.arange(len(observed))
    apart = np.abs(places[:, None] - places[None, :])
    cost = {"none": apart > 0, "linear": apart, "quadratic": apart**2}[weights].astype(np.float64)
    expected = np.outer(observed.sum(axis=1), observed.sum(axis=0)) / total
    by_chance = (cost * expected).sum()
    return float(1 - (cost * observed).sum() / by_chance) if by_chance else math.nan


def krippendorff_alpha(labels: Any, level: AlphaLevel = "ordinal") -> float:
    """Krippendorff's alpha of any number of judges: 1 - observed / expected disagreement of two labels of a pair.

    Labels may be missing; pairs with fewer than two are left out. NaN where all are the same, or no pair has two.

    >>> nan = float("nan")
    >>> round(krippendorff_alpha([[1, 2, 3, nan], [1, 2, 4, 1]], "nominal"), 4)
    0.6154
    """
    Choice(get_args(AlphaLevel)).checked("level", level)
    matrix = np.atleast_2d(np.asarray(labels, dtype=np.float64))
    given = ~np.isnan(matrix)
    matrix = matrix[:, given.sum(axis=0) >= 2]
    given = ~np.isnan(matrix)
    if not given.any():
        return math.nan
    values, places = np.unique(matrix[given], return_inverse=True)
    pairs = np.broadcast_to(np.arange(matrix.shape[1]), matrix.shape)[given]
    cells = np.bincount(pairs * len(values) + places, minlength=matrix.shape[1] * len(values))
    counts = cells.reshape(matrix.shape[1], len(values)).astype(np.float64)
    return _alpha(counts, _squared_distances(values, counts.sum(axis=0), level))


def exact_agreement(first: Any, second: Any) -> float:
    """Share of the pairs that both label to which they give the same label; NaN where there are none."""
    a, b = _both(first, second)
    return float((a == b).mean()) if len(a) else math.nan


def within_one(first: Any, second: Any) -> float:
    """Share of the pairs that both label whose labels differ by 1 at most; NaN where there are none."""
    a, b = _both(first, second)
    return float((np.abs(a - b) <= 1).mean()) if len(a) else math.nan


def bias(first: Any, second: Any) -> float:
    """By how much the *first* judge's labels are higher on average, over what both label; NaN where there are none."""
    a, b = _both(first, second)
    return float((a - b).mean()) if len(a) else math.nan


# ---- the arithmetic


def _alpha(counts: Floats, distances: Floats) -> float:
    """Alpha of how often each pair (row) has each value (column)."""
    totals, number = counts.sum(axis=0), counts.sum()
    scaled = counts / (counts.sum(axis=1, keepdims=True) - 1)
    # Two labels of the same pair: a label does not meet itself, which costs nothing, as its distance is 0.
    observed = float(((scaled.T @ counts) * distances).sum())
    expected = float((np.outer(totals, totals) * distances).sum()) / (number - 1)
    return float(1 - observed / expected) if expected else math.nan


def _squared_distances(values: Floats, totals: Floats, level: AlphaLevel) -> Floats:
    """How far two values are apart, squared."""
    if level == "nominal":
        return np.not_equal(values[:, None], values[None, :]).astype(np.float64)
    if level == "interval":
        return np.square(values[:, None] - values[None, :])
    # The labels between two values, with half of those that have one of the two.
    middle = np.cumsum(totals) - totals / 2
    return np.square(middle[:, None] - middle[None, :])


def _both(first: Any, second: Any) -> tuple[Floats, Floats]:
    """The labels of two judges for what both label."""
    a, b = (np.asarray(one, dtype=np.float64) for one in (first, second))
    if a.shape != b.shape or a.ndim != 1:
        raise InputError(f"two judges' labels must be two lists of one length, not of shapes {a.shape} and {b.shape}")
    known = ~(np.isnan(a) | np.isnan(b))
    return a[known], b[known]


def _places(labels: Floats, values: Floats) -> Ints:
    places = np.minimum(np.searchsorted(values, labels), len(values) - 1)
    other = labels[values[places] != labels]
    if len(other):
        raise InputError(f"label {other[0]:g} is none of {', '.join(f'{one:g}' for one in values.tolist())}")
    return places.astype(np.int64)
