"""Uncertainty: what else could have been seen, and whether a conclusion would survive it.

Importing this package registers all tests, corrections and interval methods. The functions ``agreement``,
``shallow_pools`` and ``significance`` are taken from the modules of the same name.

`uncertainty` works on score matrices (runs, topics) and knows nothing of files, views or measures. A significance
test, a correction and an interval method are specifications like a measure: one class each, registered by being
defined (`uncertainty/base.py`). Three rules hold for all of them:

* Draw 7 of seed 42 is a hash (`uncertainty/draws.py`), so batches, threads and NumPy's version change no number.
* Differences are whole multiples of a unit, about 1e-12 of the largest score (`uncertainty/paired.py`). Sums of whole
  numbers are exact in any order, so a matrix product gives the same p-values on every machine, and `0.3 - 0.2` ties
  with `0.2 - 0.1`.
* No NaN. A pair without a difference has p = 1; every other undefined case has a written rule in its class.
"""

from __future__ import annotations

from unjudged.uncertainty.agreement import Agreement
from unjudged.uncertainty.base import (
    Correction,
    IntervalMethod,
    SignificanceTest,
    corrections,
    interval_methods,
    significance_tests,
)
from unjudged.uncertainty.corpus import Corpus, CorpusBootstrap, bootstrap_corpus, image_blocks
from unjudged.uncertainty.draws import resampled_means
from unjudged.uncertainty.formula_tests import PairedT, SignTest, Wilcoxon
from unjudged.uncertainty.intervals import Basic, BCa, MeanInterval, Percentile, StudentT, mean_interval
from unjudged.uncertainty.multiple_comparisons import BenjaminiHochberg, Bonferroni, Holm, NoCorrection
from unjudged.uncertainty.properties import (
    Differences,
    Prediction,
    RankRange,
    Spread,
    differences_on_images,
    rank_variation,
    score_deviations,
)
from unjudged.uncertainty.resampling_tests import BootstrapTest, Randomisation, TukeyHSD
from unjudged.uncertainty.shallow_pools import ShallowPools
from unjudged.uncertainty.significance import Effects, Significance, effect_sizes

__all__ = [
    "Agreement",
    "BCa",
    "Basic",
    "BenjaminiHochberg",
    "Bonferroni",
    "BootstrapTest",
    "Corpus",
    "CorpusBootstrap",
    "Correction",
    "Differences",
    "Effects",
    "Holm",
    "IntervalMethod",
    "MeanInterval",
    "NoCorrection",
    "PairedT",
    "Percentile",
    "Prediction",
    "Randomisation",
    "RankRange",
    "ShallowPools",
    "SignTest",
    "Significance",
    "SignificanceTest",
    "Spread",
    "StudentT",
    "TukeyHSD",
    "Wilcoxon",
    "bootstrap_corpus",
    "corrections",
    "differences_on_images",
    "effect_sizes",
    "image_blocks",
    "interval_methods",
    "mean_interval",
    "rank_variation",
    "resampled_means",
    "score_deviations",
    "significance_tests",
]
