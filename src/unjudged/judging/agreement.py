"""How far assessors agree while they judge, by the same formulas as ``unjudged judges``."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from unjudged.judging.records import Agreement, PairAgreement
from unjudged.labels.reliability import cohen_kappa, confusion, exact_agreement, krippendorff_alpha

__all__ = ["agreement_of"]

_GRADES = """
SELECT a.pair, w.name, a.grade FROM pairs AS p JOIN assignments AS a ON a.pair = p.id AND a.state = 'grade'
JOIN assessors AS w ON w.id = a.assessor WHERE p.answers >= 2 ORDER BY a.pair, w.id
"""


def agreement_of(connection: sqlite3.Connection, grades: Sequence[int]) -> Agreement:
    """Of all documents that at least two graded, whatever the lead decided."""
    rows = connection.execute(_GRADES).fetchall()
    pairs = {pair: place for place, pair in enumerate(dict.fromkeys(pair for pair, _, _ in rows))}
    names = {name: place for place, name in enumerate(sorted({name for _, name, _ in rows}))}
    labels = np.full((len(names), len(pairs)), np.nan)
    for pair, name, grade in rows:
        labels[names[name], pairs[pair]] = grade
    several = (~np.isnan(labels)).sum(axis=0) >= 2
    labels = labels[:, several]
    if not labels.size:
        return Agreement(0, None, None, None)
    same = np.nanmax(labels, axis=0) == np.nanmin(labels, axis=0)
    two = [_of_two(a, b, labels[names[a]], labels[names[b]], grades) for a, b in combinations(names, 2)]
    two = [one for one in two if one.pairs]
    weighed = [(one.kappa, one.pairs) for one in two if one.kappa is not None]
    kappa = sum(value * number for value, number in weighed) / sum(number for _, number in weighed) if weighed else None
    alpha = _known(krippendorff_alpha(labels))
    return Agreement(labels.shape[1], alpha, kappa, float(same.mean()), tuple(two))


def _of_two(a: str, b: str, first: np.ndarray, second: np.ndarray, grades: Sequence[int]) -> PairAgreement:
    counts = confusion(first, second, sorted(grades))
    return PairAgreement(a, b, int(counts.sum()), _known(cohen_kappa(counts)), _known(exact_agreement(first, second)))


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
