"""Corrections for many comparisons."""

from __future__ import annotations

import numpy as np

from unjudged.arrays import Floats
from unjudged.uncertainty.base import Correction

__all__ = ["BenjaminiHochberg", "Bonferroni", "Holm", "NoCorrection"]


class NoCorrection(Correction):
    """P-values as they are. For one comparison that was chosen before looking at the scores."""

    name = "none"
    title = "No correction"
    reference = "None."

    def compute(self, p: Floats) -> Floats:
        """The same values."""
        return p.copy()


class Bonferroni(Correction):
    """P-values times the number of comparisons. Never better than ``holm``; kept because it is widely reported."""

    name = "bonferroni"
    title = "Any false alarm: p times the number of comparisons"
    reference = "O. J. Dunn. Multiple comparisons among means. JASA 56(293), 1961."

    def compute(self, p: Floats) -> Floats:
        """At most 1."""
        return np.minimum(1.0, p * len(p))


class Holm(Correction):
    """Keeps the probability of any false alarm below the level, under any dependence between the comparisons.

    The smallest p-value is multiplied by the number of comparisons, the next one by one less, and so on.
    """

    name = "holm"
    title = "Any false alarm, step by step"
    reference = "S. Holm. A simple sequentially rejective multiple test procedure. Scand. J. Statistics 6(2), 1979."

    def compute(self, p: Floats) -> Floats:
        """Running maximum from the smallest p-value on, at most 1."""
        order = np.argsort(p, kind="stable")
        out = np.empty_like(p)
        out[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
        return out


class BenjaminiHochberg(Correction):
    """Keeps the expected share of false alarms among the differences that are called significant below the level.

    Bolder than ``holm``: for exploring many runs. Holds for independent and for positively dependent comparisons.
    """

    name = "bh"
    aliases = ("fdr", "benjamini-hochberg")
    title = "Share of false alarms (false discovery rate)"
    reference = "Y. Benjamini and Y. Hochberg. Controlling the false discovery rate. J. R. Stat. Soc. B 57(1), 1995."

    def compute(self, p: Floats) -> Floats:
        """Running minimum from the largest p-value on, at most 1."""
        order = np.argsort(p, kind="stable")[::-1]
        out = np.empty_like(p)
        out[order] = np.minimum(1.0, np.minimum.accumulate(p[order] * (len(p) / np.arange(len(p), 0, -1))))
        return out
