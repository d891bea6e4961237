"""Exact bounds of normalized residual gain over all grades that the unjudged documents of a ranking could get."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.data.scale import Scale
from unjudged.data.view import View
from unjudged.measures.base import MOST_LABELLINGS, Browsing

__all__ = ["cascade_extremes", "ideal_extremes", "ideal_sums"]


def cascade_extremes(model: Browsing, scale: Scale, view: View, left: Floats) -> tuple[Floats, Floats]:
    """Lowest and highest value of a model, with gains of a *scale*, in which a reader may stop at each document.

    What a reader still gets from a rank on is g * seen * left + (1 - g) * (what comes below), g being the gain and the
    chance to stop. It is a mixture of two numbers, so for a hole the lowest or the highest g is the best choice, and
    the ranks can be decided one by one from below. No labels need to be tried.
    """
    worst, best = np.zeros(len(view)), np.zeros(len(view))
    ends = np.array([model.gains.min(), model.gains.max()])
    levels = scale.levels(view.grades)
    order, deepest = np.argsort(view.rank, kind="stable"), int(view.rank.max(initial=0))
    starts = np.searchsorted(view.rank[order], np.arange(1, deepest + 2))
    for rank in range(deepest, 0, -1):
        rows = order[starts[rank - 1] : starts[rank]]
        ranking = view.ranking[rows]
        here = left[rows] * model.seen[rank - 1]
        gain = model.gains[levels[rows]]
        choices = np.where(view.judged[rows], gain, ends[:, None])
        low, high = (choices * here + (1 - choices) * below[ranking] for below in (worst, best))
        worst[ranking], best[ranking] = low.min(axis=0), high.max(axis=0)
    return worst / model.whole, best / model.whole


def ideal_extremes(
    model: Browsing, scale: Scale, depth: int | None, view: View, left: Floats, sums: Floats, values: Floats
) -> tuple[Floats, Floats]:
    """Lowest and highest value of a model, with gains of a *scale*, over an ideal ranking that follows the labels.

    *sums* is what the judged documents of each ranking bring, *values* the same over the ideal. Holes of which nothing
    is left do not matter. NaN where more labels would have to be tried than ``MOST_LABELLINGS``.
    """
    qrels, gains = view.qrels, np.unique(model.gains)
    judged = np.ones(len(qrels)) if view.residual is None else view.residual.of_judgments(qrels)
    judged_gains = np.where(qrels.judged, model.gains[scale.levels(qrels.grades)], 0.0) * judged
    holes = np.flatnonzero(~view.judged & (left > 0))
    offsets = np.searchsorted(holes, view.offsets)
    low, high = values.copy(), values.copy()
    for ranking in np.flatnonzero(np.diff(offsets)).tolist():
        topic = int(view.topics[ranking])
        mine = holes[offsets[ranking] : offsets[ranking + 1]]
        if len(mine) > np.log2(MOST_LABELLINGS):  # the lowest value needs all corners
            low[ranking], high[ranking] = np.nan, np.nan
            continue
        others = judged_gains[qrels.offsets[topic] : qrels.offsets[topic + 1]]
        ratio = _Ratio(model.seen, depth, float(sums[ranking]), model.seen[view.rank[mine] - 1], others)
        low[ranking] = ratio.lowest(left[mine], gains)
        high[ranking] = ratio.highest(left[mine], gains)
    return low, high


def ideal_sums(seen: Floats, depth: int | None, gains: Floats, more: Floats) -> Floats:
    """Sum of the sorted *gains*, together with each row of *more*, times what is seen of their places."""
    depth = len(gains) + more.shape[1] if depth is None else depth
    gains = np.sort(gains)[::-1][:depth]
    best = np.concatenate([np.repeat(gains[None], len(more), axis=0), more], axis=1)
    best = -np.sort(-best, axis=1)[:, :depth]
    return np.asarray(best @ seen[: best.shape[1]], dtype=np.float64)


@dataclass(frozen=True, eq=False)
class _Ratio:
    """What a ranking brings over the ideal, as a function of the residual gains x of its holes.

    The numerator is ``gained`` + ``weights`` . x. The ideal N(x), the sum of the sorted gains of ``others`` and x times
    what is seen of their places, is convex, and submodular: one more gain adds less beside larger ones.
    """

    seen: Floats
    depth: int | None
    gained: float
    weights: Floats
    others: Floats

    def ideal(self, x: Floats) -> Floats:
        """N for each row of *x*."""
        return ideal_sums(self.seen, self.depth, self.others, x)

    def values(self, x: Floats) -> Floats:
        """The ratio for each row of *x*; 0 where there is nothing to find."""
        whole = self.ideal(x)
        return np.divide(self.gained + x @ self.weights, whole, out=np.zeros(len(x)), where=whole > 0)

    def lowest(self, left: Floats, gains: Floats) -> float:
        """An affine function over a convex one is lowest in a corner: every hole has the lowest or the highest gain."""
        corners = np.array(list(product(gains[[0, -1]], repeat=len(left)))).reshape(-1, len(left))
        return float(self.values(corners * left).min())

    def highest(self, left: Floats, gains: Floats) -> float:
        """Dinkelbach's method: the highest ratio is the r for which the highest numerator - r * N is 0.

        That difference is supermodular in x: raising the gain of a hole is worth most when the others are highest. So
        a step up that pays with all others at their lowest always pays, and one that does not with all others at
        their highest never does. Closing in from both sides leaves few labels to try, mostly none.
        """
        steps = len(gains) - 1
        floor, roof = np.zeros(len(left), dtype=np.int64), np.full(len(left), steps)
        best = float(self.values(gains[np.stack([floor, roof])] * left).max())
        while True:
            low, high = self._closed_in(best, floor, roof, left, gains)
            free = high - low + 1
            if np.log(free).sum() > np.log(MOST_LABELLINGS):
                return np.nan
            choices = np.array(list(product(*map(range, free.tolist()))), dtype=np.int64).reshape(-1, len(left))
            better = float(self.values(gains[low + choices] * left).max())
            if better <= best * (1 + 1e-12):
                return best
            best = better

    def _closed_in(self, ratio: float, low: Ints, high: Ints, left: Floats, gains: Floats) -> tuple[Ints, Ints]:
        """Levels between which a labelling lies that maximises numerator - ratio * N."""
        low, high = low.copy(), high.copy()
        moved = True
        while moved:
            up = np.flatnonzero(low < high)
            pays = self._steps(ratio, low, up, 1, left, gains) >= 0
            low[up[pays]] += 1
            down = np.flatnonzero(low < high)
            pays_not = self._steps(ratio, high, down, -1, left, gains) >= 0
            high[down[pays_not]] -= 1
            moved = bool(pays.any() or pays_not.any())
        return low, high

    def _steps(self, ratio: float, levels: Ints, holes: Ints, step: int, left: Floats, gains: Floats) -> Floats:
        """What numerator - ratio * N gains when one of *holes* at a time moves by a *step*."""
        tried = np.repeat(levels[None], len(holes) + 1, axis=0)
        tried[np.arange(1, len(holes) + 1), holes] += step
        x = gains[tried] * left
        worth = x @ self.weights - ratio * self.ideal(x)
        return np.asarray(worth[1:] - worth[0], dtype=np.float64)
