"""Uncertainty: what else could have been seen, and whether a conclusion would survive it.

Importing this package registers all tests, corrections and interval methods. The functions ``agreement``,
``shallow_pools`` and ``significance`` are taken from the modules of the same name.
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
from unjudged.uncertainty.classic import PairedT, SignTest, Wilcoxon
from unjudged.uncertainty.corpus import Corpus, CorpusBootstrap, bootstrap_corpus, image_blocks
from unjudged.uncertainty.effects import Effects, effect_sizes
from unjudged.uncertainty.intervals import Basic, BCa, MeanInterval, Percentile, StudentT, mean_interval
from unjudged.uncertainty.multiplicity import BenjaminiHochberg, Bonferroni, Holm, NoCorrection
from unjudged.uncertainty.properties import (
    Prediction,
    RankRange,
    Spread,
    difference_deviations,
    predictive_check,
    rank_variation,
    score_deviations,
)
from unjudged.uncertainty.resampled import BootstrapTest, Randomisation, TukeyHSD
from unjudged.uncertainty.shallow_pools import ShallowPools
from unjudged.uncertainty.significance import Significance
from unjudged.uncertainty.topics import resampled_means

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
    "difference_deviations",
    "effect_sizes",
    "image_blocks",
    "interval_methods",
    "mean_interval",
    "predictive_check",
    "rank_variation",
    "resampled_means",
    "score_deviations",
    "significance_tests",
]
