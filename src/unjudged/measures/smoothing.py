"""How much of the collection's model is added to a text's: a number of words, or what fits the texts best."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from unjudged.data.memo import remembered
from unjudged.data.qrels import Qrels
from unjudged.data.texts import texts_of
from unjudged.limits import Limit, Real

__all__ = ["FITTED", "Smoothing", "fitted_mu", "mu_for"]


FITTED = "fitted"
_LEAST, _MOST = 1.0, 1e6
"""Between which numbers of words the best is looked for."""
_STEPS = 60
"""Of the search, each of which shrinks it by a third: far more than a whole number of words needs."""
_GOLDEN = (math.sqrt(5) - 1) / 2


_WORDS = Real(1e-6, closed="left")


@dataclass(frozen=True)
class Smoothing(Limit):
    """A number of words, or ``fitted``."""

    def read(self, value: object) -> float | str:
        return FITTED if value == FITTED else _WORDS.read(value)

    def __str__(self) -> str:
        return f"{_WORDS}, or {FITTED!r}"


def mu_for(qrels: Qrels, mu: float | str) -> float:
    """What a parameter stands for with these texts."""
    return fitted_mu(qrels) if isinstance(mu, str) else mu


@remembered
def fitted_mu(qrels: Qrels) -> float:
    """The whole number of words with which each word of a text is predicted best from the text's other words.

    Leave-one-out cross-validation over the texts of the documents that the judgments list, judged or not, so that it
    does not depend on runs, nor on which judgments are left (C. Zhai and J. Lafferty, Two-stage language models,
    SIGIR 2002, section 4.1).
    """
    texts = texts_of(qrels)
    if texts is None:
        raise TypeError("these judgments have no texts")
    rows = np.unique(texts.find(qrels.docs))
    positions, owners = texts.entries(rows[rows >= 0])
    rows = rows[rows >= 0]
    counts, share = texts.counts[positions].astype(np.float64), texts.share[texts.terms[positions]]
    lengths = texts.lengths[rows][owners].astype(np.float64)

    def fit(log_mu: float) -> float:
        mu = math.exp(log_mu)
        return float((counts * np.log((counts - 1 + mu * share) / (lengths - 1 + mu))).sum())

    low, high = math.log(_LEAST), math.log(_MOST)
    inner = [high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)]
    values = [fit(one) for one in inner]
    for _ in range(_STEPS):
        if values[0] >= values[1]:
            high = inner[1]
            inner = [high - _GOLDEN * (high - low), inner[0]]
            values = [fit(inner[0]), values[0]]
        else:
            low = inner[0]
            inner = [inner[1], low + _GOLDEN * (high - low)]
            values = [values[1], fit(inner[1])]
    return float(round(math.exp((low + high) / 2)))
