"""How many topics, or pairs, must people judge, beside labels of many more, before an interval is narrow enough?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy import special

from unjudged.arrays import Floats
from unjudged.collection import BaseCollection
from unjudged.data.judge_labels import JudgeLabels
from unjudged.errors import InputError
from unjudged.limits import Real
from unjudged.measures.base import Measure
from unjudged.results.comparison import LEVEL
from unjudged.results.judges import TargetRow
from unjudged.studies.sums_over_sampled_documents import SampledPairs, score_inputs
from unjudged.uncertainty.difference_estimator import SampledSums
from unjudged.uncertainty.few_topics import Shape, Tails
from unjudged.uncertainty.paired import all_pairs
from unjudged.uncertainty.prediction_powered import LEAST_TOPICS

__all__ = ["PairSpread", "parse_width", "target_rows"]

_MOST = 1_000_000
"""Topics beyond which nobody judges."""


def parse_width(text: str) -> float:
    """The width of an interval, from ``width=0.02``."""
    name, _, value = text.partition("=")
    try:
        width = float(value)
    except ValueError:
        width = float("nan")
    if name.strip() != "width" or width != width:
        raise InputError(f"a target is the width of an interval, such as width=0.02, not {text!r}")
    return float(Real(0, 2, "neither").checked("the width", width))


class PairSpread(NamedTuple):
    """How far scores stray if people judge pairs at random, for runs and for differences, with and without labels."""

    pairs: int
    """All pairs with labels, on judged topics."""
    means: tuple[SampledSums, SampledSums]
    """Of runs at a rate of one half, with labels and without ..."""
    differences: tuple[SampledSums, SampledSums]
    """... and of differences."""
    more: float
    """All that runs see for what people judged of it: the rest strays as this does."""

    @classmethod
    def of(
        cls, collection: BaseCollection, labels: JudgeLabels, measure: Measure, names: Sequence[str]
    ) -> PairSpread | None:
        """Seen at the pairs that people judged; None where a sample of documents gives no interval."""
        try:
            pairs = SampledPairs.of(collection.qrels, labels.by_topic(), 1.0)
            inputs = score_inputs(collection, pairs, measure, names)
        except InputError:
            return None
        if inputs.product is not None:  # pairs of documents are sampled, which get rare faster than documents do
            return None
        number = len(pairs.sampled)
        scores = inputs.scores(pairs._replace(inclusion=np.full(number, 0.5)), collection.seed)
        every, (first, second) = np.arange(len(names)), all_pairs(len(names)).T
        means, differences = scores.estimates(every)[:2], scores.estimates(first, second)[:2]
        seen = inputs.weights.multiply(inputs.weights).sum(axis=0)
        return cls(number, means, differences, float(seen.sum() / seen[pairs.sampled].sum()))

    def needed(self, of: str, width: float) -> tuple[int, int]:
        """The fewest pairs with an interval this narrow, of ``means`` or ``differences``; and without labels."""
        with_labels, without = self.means if of == "means" else self.differences
        return self._needed(with_labels, width), self._needed(without, width)

    def _needed(self, seen: SampledSums, width: float) -> int:
        # At a rate of one half, the variance is (1 - 1/2) / (1/2)^2 = 2 times the sum of squares.
        squares, terms = seen.error**2 / 2 * self.more, (seen.freedom + 1) * self.more

        def wide(pairs: int) -> bool:
            rate = pairs / self.pairs
            quantile = special.stdtrit(np.maximum(rate * terms - 1, 1), (1 + LEVEL) / 2)
            return bool((2 * quantile * np.sqrt(squares * (1 - rate) / rate)).mean() > width)

        return _fewest(wide, 1, self.pairs)


def target_rows(
    judge: str,
    human: Floats,
    machine: Floats,
    widths: Sequence[float],
    per_topic: float,
    spread: PairSpread | None = None,
) -> Iterator[TargetRow]:
    """The fewest topics for each width, of a mean and of a difference; *per_topic* is how many judgments a topic has.

    What is seen now are scores (runs, topics) by people and by labels. Residuals are as in
    :func:`unjudged.uncertainty.prediction_powered.prediction_powered` with labels as they are, and with so many topics
    that have labels alone that these add nothing to the width. It is the width on average over runs, or pairs of runs.
    """
    first, second = all_pairs(len(human)).T
    seen = {
        "means": (human, machine),
        "differences": (human[first] - human[second], machine[first] - machine[second]),
    }
    for of, (y, f) in seen.items():
        if y.shape[1] < LEAST_TOPICS:
            continue
        weight = _weight(y, f)
        residuals, shape = y - weight * f, Shape.of(y - weight * f)
        # Lambda is fitted to these topics, which leaves as much less of runs' common ups and downs.
        fitted = 2 if of == "means" and weight > 0 else 1
        for width in widths:
            topics = _topics(_deviation(residuals, fitted), width, fitted, shape)
            alone = _topics(_deviation(y, 1), width, 1, None)
            judgments = None if topics is None else round(topics * per_topic)
            pairs, without_labels = (None, None) if spread is None else spread.needed(of, width)
            yield TargetRow(judge, of, width, topics, judgments, alone, pairs, without_labels, weight)


def _weight(y: Floats, f: Floats) -> float:
    """Lambda where labels of all topics there are cost nothing."""
    deviations = f - f.mean(axis=1, keepdims=True)
    square = float((deviations**2).sum())
    return float(np.clip((deviations * y).sum() / square, 0, 1)) if square > 1e-12 else 0.0


def _deviation(residuals: Floats, fitted: int) -> float:
    """Mean standard deviation over rows, of which so many numbers were fitted."""
    return float(residuals.std(axis=1, ddof=fitted).mean())


def _topics(deviation: float, width: float, fitted: int, shape: Shape | None) -> int | None:
    """The fewest topics with an interval this narrow; None where there are not so many in the world.

    Without a *shape*, intervals are Student's.
    """
    z = float(special.ndtri((1 + LEVEL) / 2))

    def wide(topics: int) -> bool:
        freedom = np.array([topics - float(fitted)])
        tails = Tails(freedom) if shape is None else Tails.of(shape._replace(topics=topics), freedom, np.ones(1))
        return bool(2 * tails.half(z)[0] * deviation / topics**0.5 > width)

    return None if wide(_MOST) else _fewest(wide, LEAST_TOPICS, _MOST)


def _fewest(wide: Callable[[int], bool], low: int, high: int) -> int:
    """The lowest number that is not too wide; the highest is not."""
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if wide(middle) else (low, middle)
    return low
