"""Is one method better than another, or was that the luck of these topics?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np

from unjudged.arrays import Floats
from unjudged.engine.numerics.reuse_tallies import KINDS
from unjudged.results.reuse_rows import DifferenceRow
from unjudged.studies.reuse.outcomes import Outcome
from unjudged.uncertainty.preferences import TIES, f1_of_topics

__all__ = ["difference_rows"]


def difference_rows(every: Sequence[Outcome]) -> list[DifferenceRow]:
    """All pairs of methods that are compared with the same truth, of one degradation.

    The p-values of one statistic and one truth are corrected together.
    """
    rows = []
    for truth in dict.fromkeys(one.lead.truth for one in every):
        methods = [one for one in every if one.lead.truth == truth]
        for statistic, values in _STATISTICS.items():
            rows += _rows(methods, statistic, np.array([values(one) for one in methods]))
    return rows


def _rows(methods: Sequence[Outcome], statistic: str, values: Floats) -> list[DifferenceRow]:
    """*values* has shape (methods, topics); topics on which a method has none are left out."""
    values = values[:, ~np.isnan(values).any(axis=0)]
    pairs = np.array(list(combinations(range(len(methods)), 2)), dtype=np.int64).reshape(-1, 2)
    if values.shape[1] < 2 or not len(pairs):
        return []
    asked = methods[0].trial.methods
    p = asked.test.p_values(values, pairs, seed=asked.settings.seed)
    corrected = asked.correction.adjust(p)
    rows = []
    for (i, j), raw, final in zip(pairs.tolist(), p.tolist(), corrected.tolist(), strict=True):
        one, other = methods[i].lead, methods[j].lead
        rows.append(
            DifferenceRow(
                degradation=one.degradation,
                measure=one.measure,
                holes=one.holes,
                other_measure=other.measure,
                other_holes=other.holes,
                truth=one.truth,
                statistic=statistic,
                topics=values.shape[1],
                difference=float((values[i] - values[j]).mean()),
                p=raw,
                corrected_p=final,
            )
        )
    return rows


def _squared_errors(one: Outcome) -> Floats:
    squares, pairs = one.total("squares").T
    return np.asarray(np.divide(squares, pairs, out=np.full(len(pairs), np.nan), where=pairs > 0))


def _f1(one: Outcome) -> Floats:
    return f1_of_topics(one.total("preferences")[KINDS.index("estimate"), TIES.index("neither")])


_STATISTICS: dict[str, Callable[[Outcome], Floats]] = {"error": _squared_errors, "f1": _f1}
