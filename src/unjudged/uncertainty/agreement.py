"""How far do two lists of scores agree on the same systems? Correlations of rankings, and errors of scores."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.errors import InputError, some_of
from unjudged.limits import Real
from unjudged.notebook_repr import NotebookRepr
from unjudged.uncertainty.ranks import tied_ranks, without_rounding

__all__ = ["Agreement", "Errors", "agreement", "errors_of"]


_CELLS = 1 << 22
"""Pairs of systems, or systems times depths, looked at together."""
_NEGLIGIBLE = 1e-18
"""RBO stops at the depth from which all the rest weighs less."""


@dataclass(frozen=True)
class Agreement(NotebookRepr):
    """Agreement of estimated with true scores. Higher scores are better systems; differences are estimate - truth.

    Correlations are 1 for the same order and -1 for the reverse. ``tau_b``, ``spearman`` and ``pearson`` are NaN where
    all scores of one side are equal: there is no order to agree with. ``tau_a`` and ``tau_ap`` are 0 there. Scores that
    differ by rounding only (1e-12 of the largest) are tied.
    """

    systems: int
    tau_a: float
    """(concordant - discordant) / all pairs; a tie is neither."""
    tau_b: float
    """The same over the pairs that are not tied, as SciPy and pandas."""
    tau_ap: float
    """AP correlation, over the ranking by the *estimate*: mistakes at its top weigh more. Not symmetric.

    With ties it is the mean over all ways of breaking them, in both rankings.
    """
    spearman: float
    """Correlation of ranks; ties have their middle rank."""
    pearson: float
    """Correlation of scores."""
    rbo: float
    """Rank-biased overlap with persistence ``p``; with ties the mean over all ways of breaking them (RBO^a)."""
    p: float
    """Persistence of ``rbo``."""
    rmse: float
    """Root of the mean squared difference."""
    rmse_lower: float
    """The same with estimates that are too low taken as right: what overestimation costs."""
    rmse_upper: float
    """The same with estimates that are too high taken as right. The squares of both add up to that of ``rmse``."""
    bias: float
    """Mean difference; above 0 where the estimate is too high."""


def agreement(truth: Any, estimate: Any, *, p: float = 0.9) -> Agreement:
    """Compare an *estimate* of some systems' scores with the *truth*: arrays in the same order, or dicts by name.

    *p* is the persistence of RBO: 0.9 puts 86% of the weight on the first 10 ranks.

    >>> result = agreement({"a": 0.5, "b": 0.3, "c": 0.1}, {"a": 0.4, "b": 0.5, "c": 0.1})
    >>> round(result.tau_a, 4), result.tau_ap, result.rbo, round(result.rmse, 4)
    (0.3333, 0.0, 0.9, 0.1291)
    """
    Real(0, 1, "neither").checked("p", p)
    x, y = (without_rounding(side) for side in _aligned(truth, estimate))
    systems = len(x)
    ahead = _balance_above(x, y)
    balance = float(ahead.sum())
    every = systems * (systems - 1) / 2
    untied = math.sqrt(_untied_pairs(x) * _untied_pairs(y))
    return Agreement(
        systems=systems,
        tau_a=balance / every,
        tau_b=balance / untied if untied else math.nan,
        tau_ap=_tau_ap(ahead, y),
        spearman=_correlation(_middle_ranks(x), _middle_ranks(y)),
        pearson=_correlation(x, y),
        rbo=_rbo(x, y, p),
        p=float(p),
        **errors_of(x, y)._asdict(),
    )


class Errors(NamedTuple):
    """How far estimates are from the truth; see :class:`Agreement`."""

    rmse: float
    rmse_lower: float
    rmse_upper: float
    bias: float


def errors_of(truth: Floats, estimate: Floats) -> Errors:
    """Of one list of scores."""
    difference = estimate - truth
    return Errors(
        _root_mean_square(difference),
        _root_mean_square(np.maximum(difference, 0)),
        _root_mean_square(np.minimum(difference, 0)),
        float(difference.mean()),
    )


# ---- what the user gave


def _aligned(truth: Any, estimate: Any) -> tuple[Floats, Floats]:
    by_name = [_by_name(side) for side in (truth, estimate)]
    left, right = by_name
    if (left is None) != (right is None):
        raise InputError("give scores by name on both sides, or on neither")
    if left is not None and right is not None:
        extra = [sorted(map(str, one.keys() - other.keys())) for one, other in ((left, right), (right, left))]
        if any(extra):
            places = zip(extra, ("the truth", "the estimate"), strict=True)
            differences = "; ".join(f"only in {place}: {some_of(names, 3)}" for names, place in places if names)
            raise InputError(f"both sides must have the same systems; {differences}")
        names = list(left)
        truth, estimate = [left[name] for name in names], [right[name] for name in names]
    x, y = _numbers(truth, "the truth"), _numbers(estimate, "the estimate")
    if len(x) != len(y):
        raise InputError(f"both sides must have the same systems; there are {len(x)} and {len(y)}")
    if len(x) < 2:
        raise InputError(f"agreement needs at least 2 systems, not {len(x)}")
    return x, y


def _by_name(side: Any) -> dict[Any, Any] | None:
    """Scores by name from a dict or a pandas series (whose index must not be lost), None for an array."""
    if not isinstance(side, Mapping) and not (hasattr(side, "items") and hasattr(side, "index")):
        return None
    pairs = list(side.items())
    scores = dict(pairs)
    if len(scores) < len(pairs):
        raise InputError("a system is named twice")
    return scores


def _numbers(side: Any, place: str) -> Floats:
    try:
        values = np.asarray(side, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{place} must be a list of numbers") from None
    if values.ndim != 1:
        raise InputError(f"{place} must be a list of numbers, not of shape {values.shape}")
    bad = int((~np.isfinite(values)).sum())
    if bad:
        raise InputError(f"{bad} of {len(values)} scores in {place} are NaN or infinite")
    return values


# ---- correlations


def _balance_above(x: Floats, y: Floats) -> Floats:
    """For each system, over the systems that *y* puts above it: those that *x* puts above less those below."""
    out = np.empty(len(x))
    size = max(1, _CELLS // len(x))
    for start in range(0, len(x), size):
        part = slice(start, start + size)
        order = np.sign(x[None, :] - x[part, None])
        out[part] = (order * (y[None, :] > y[part, None])).sum(axis=1)
    return out


def _untied_pairs(values: Floats) -> float:
    counts = np.unique(values, return_counts=True)[1].astype(np.float64)
    systems = len(values)
    return float(systems * (systems - 1) / 2 - (counts * (counts - 1) / 2).sum())


def _tau_ap(ahead: Floats, y: Floats) -> float:
    """AP correlation; in expectation where ties are broken at random (tau_AP,a of Urbano and Marrero, ICTIR 2017).

    The system at rank i of the estimate adds its balance over i - 1. A tied system is at each rank of its group with
    the same probability, and the balance within the group is 0 in expectation.
    """
    first, last = tied_ranks(-y)
    shares = np.concatenate([[0.0, 0.0], np.cumsum(1.0 / np.arange(1, len(y)))])  # sum of 1/(i-1) up to rank i
    weight = (shares[last] - shares[first - 1]) / (last - first + 1)
    return float((ahead * weight).sum() / (len(y) - 1))


def _middle_ranks(values: Floats) -> Floats:
    first, last = tied_ranks(values)
    return (first + last) / 2


def _correlation(x: Floats, y: Floats) -> float:
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return math.nan
    left, right = _normed(x), _normed(y)
    return float(np.clip(left @ right, -1, 1))


def _normed(values: Floats) -> Floats:
    centred = values - values.mean()
    centred /= np.abs(centred).max()
    return np.asarray(centred / np.sqrt((centred**2).sum()))


# ---- overlap, errors


def _rbo(x: Floats, y: Floats, p: float) -> float:
    """Rank-biased overlap of two rankings of the same systems (Webber et al. 2010; ties: Corsi and Urbano 2024, RBO^a).

    At depth d, a system tied over the ranks t to b is in the top d with probability (d - t + 1) / (b - t + 1). Below
    the last rank both sides hold the same systems, so the agreement there is 1.
    """
    systems = len(x)
    depths = min(systems, math.ceil(math.log(_NEGLIGIBLE) / math.log(p)))
    total = 0.0
    size = max(1, _CELLS // systems)
    for start in range(0, depths, size):
        depth = np.arange(start + 1, min(depths, start + size) + 1)
        overlap = (_inside(x, depth) * _inside(y, depth)).sum(axis=1)
        total += float((overlap / depth * p ** (depth - 1.0)).sum())
    return float((1 - p) * total + p**depths)


def _inside(values: Floats, depth: Ints) -> Floats:
    first, last = tied_ranks(-values)
    share = (depth[:, None] - first + 1) / (last - first + 1)
    return np.clip(share, 0.0, 1.0)


def _root_mean_square(difference: Floats) -> float:
    return float(np.sqrt((difference**2).mean()))
