"""Do grades depend on who gave them?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

from unjudged.arrays import Floats, Ints
from unjudged.data.qrels import Qrels
from unjudged.data.spans import sums_of
from unjudged.io.assessors import Assessors
from unjudged.results.audit import AssessorRow
from unjudged.results.comparison import LEVEL, SIGNIFICANT
from unjudged.uncertainty.multiple_comparisons import Holm

__all__ = ["assessor_rows", "numbered_assessors"]

_LEAST_TOPICS = 2


def numbered_assessors(qrels: Qrels, rows: Ints, assessors: Assessors) -> tuple[list[str], Ints]:
    """Names of those who judged some *rows*, in order, and the number of whoever judged each; -1 for nobody known."""
    topics = [qrels.topics[topic] for topic in qrels.topic_of_row[rows].tolist()]
    who = [assessors.of(topic, doc) for topic, doc in zip(topics, qrels.docs.take(rows), strict=True)]
    names = sorted({one for one in who if one is not None})
    number = {name: i for i, name in enumerate(names)}
    return names, np.array([-1 if one is None else number[one] for one in who], dtype=np.int64)


def assessor_rows(
    names: Sequence[str], who: Ints, topics: Ints, grades: Floats, expected: Floats, suspects: Ints
) -> list[AssessorRow]:
    """A row for each assessor: how far *grades* are from what is *expected*. *suspects* are positions among them."""
    kept = np.flatnonzero(who >= 0)
    cells = topics[kept] * len(names) + who[kept]
    shape = (int(topics.max(initial=0)) + 1, len(names))
    counts, sums, foreseen = (
        sums_of(one[kept], cells, shape[0] * shape[1]).reshape(shape) for one in (np.ones(len(who)), grades, expected)
    )
    listed = np.bincount(who[suspects][who[suspects] >= 0], minlength=len(names)).tolist()
    off = np.divide(sums - foreseen, counts, out=np.full(shape, np.nan), where=counts > 0)
    rows = [
        AssessorRow(
            assessor=name,
            topics=int((counts[:, i] > 0).sum()),
            judgments=int(counts[:, i].sum()),
            grade=float(sums[:, i].sum() / counts[:, i].sum()),
            expected=float(foreseen[:, i].sum() / counts[:, i].sum()),
            **test._asdict(),
            suspects=listed[i],
        )
        for i, (name, test) in enumerate(zip(names, _tested(off), strict=True))
    ]
    return sorted(rows, key=lambda row: (2.0 if row.p is None else row.p, row.assessor))


class _Test(NamedTuple):
    bias: float
    low: float | None = None
    high: float | None = None
    p: float | None = None
    corrected_p: float | None = None


def _tested(off: Floats) -> list[_Test]:
    """Test each assessor; *off* (topics, assessors) has the mean difference from what is expected.

    Whoever differs most is no measure for others: with him among them, all others would differ, too. So he is set
    aside, and the rest is tested again, until nobody differs.
    """
    done: dict[int, _Test] = {}
    while True:
        open_ones = [i for i in range(off.shape[1]) if i not in done]
        tests = {i: _beside_others(off, i, [other for other in open_ones if other != i]) for i in open_ones}
        tested = [i for i in open_ones if tests[i].p is not None]
        corrected = Holm().compute(np.array([tests[i].p for i in tested], dtype=np.float64)).tolist()
        tests |= {i: tests[i]._replace(corrected_p=p) for i, p in zip(tested, corrected, strict=True)}
        worst = min(tested, key=lambda i: (tests[i].p, i), default=None)
        if worst is None or (tests[worst].corrected_p or 0.0) >= SIGNIFICANT:
            return [(done | tests)[i] for i in range(off.shape[1])]
        done[worst] = tests[worst]


def _beside_others(off: Floats, assessor: int, others: list[int]) -> _Test:
    """An assessor beside the median of *others* on the same topics; if there are none, beside their other topics."""
    own, there = off[:, assessor], ~np.isnan(off[:, assessor])
    shared = np.flatnonzero(there & ~np.isnan(off[:, others]).all(axis=1)) if others else np.zeros(0, dtype=np.int64)
    if len(shared):
        return _over_topics(own[shared] - np.nanmedian(off[shared][:, others], axis=1))
    elsewhere = off[:, others].ravel()
    elsewhere = elsewhere[~np.isnan(elsewhere)]
    bias = float(own[there].mean() - (elsewhere.mean() if len(elsewhere) else 0.0))
    if min(int(there.sum()), len(elsewhere)) < _LEAST_TOPICS:
        return _Test(bias)
    # Topics differ in skewed ways, so that ranks are compared: a t-test found false differences twice as often.
    return _Test(bias, p=float(stats.mannwhitneyu(own[there], elsewhere).pvalue))


def _over_topics(biases: Floats) -> _Test:
    """A t-test over topics, with its interval; topics that are all the same say nothing about others."""
    mean = float(biases.mean())
    if len(biases) < _LEAST_TOPICS or np.ptp(biases) == 0:
        return _Test(mean)
    error, freedom = float(biases.std(ddof=1)) / len(biases) ** 0.5, len(biases) - 1
    half = float(stats.t.ppf((1 + LEVEL) / 2, freedom)) * error
    return _Test(mean, mean - half, mean + half, float(2 * stats.t.sf(abs(mean) / error, freedom)))
