"""Which runs differ by more than the luck of the topics? Tests, corrections and effect sizes for many pairs at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.errors import InputError, Notice
from unjudged.progress import Progress
from unjudged.results.comparison import SIGNIFICANT
from unjudged.results.provenance import DEFAULT_SEED
from unjudged.uncertainty.base import Correction, SignificanceTest, corrections, significance_tests
from unjudged.uncertainty.paired import all_pairs, as_scores, blocks_of_pairs, paired_differences, pairs_against
from unjudged.wording import counted

__all__ = ["Effects", "Significance", "correction_for", "effect_sizes", "significance"]


@dataclass(frozen=True, eq=False)
class Significance:
    """One entry for each pair of runs: p-value, corrected p-value and effect sizes."""

    pairs: Ints
    """Rows (first, second) of the scores, shape (pairs, 2); differences are first - second."""
    p: Floats
    corrected: Floats
    """P-values after the correction: compare these with the level."""
    effects: Effects
    test: SignificanceTest
    correction: Correction
    """What was done; ``none`` for a test that needs no correction."""
    warnings: tuple[Notice, ...] = ()

    def __len__(self) -> int:
        return len(self.pairs)


def significance(
    scores: Any,
    *,
    test: str | SignificanceTest | type[SignificanceTest] = "randomisation",
    correction: str | Correction | type[Correction] | None = None,
    baseline: int | None = None,
    seed: int = DEFAULT_SEED,
    batch: int | None = None,
    progress: Progress | None = None,
) -> Significance:
    """Test all pairs of runs, or all runs against a *baseline* (its row); *scores* is a matrix (runs, topics).

    Tests: ``t``, ``wilcoxon``, ``sign``, ``randomisation``, ``bootstrap``, ``tukey_hsd``. Corrections: ``none``,
    ``bonferroni``, ``holm`` (unless you say otherwise), ``bh``. Tests are two-sided. The same seed gives the same
    numbers, whatever the *batch* (draws handled at once).

    >>> result = significance([[0.4, 0.6, 0.9, 0.5], [0.3, 0.2, 0.8, 0.1], [0.4, 0.6, 0.9, 0.5]], test="sign")
    >>> result.p, result.corrected
    (array([0.125, 1.   , 0.125]), array([0.375, 1.   , 0.375]))
    """
    values = as_scores(scores, runs=2)
    how = significance_tests.choose(test)
    corrected_by = correction_for(how, correction)
    pairs = all_pairs(len(values)) if baseline is None else pairs_against(len(values), baseline)
    p = how.p_values(values, pairs, seed=seed, batch=batch, progress=progress)
    warnings = _out_of_reach(how, corrected_by, values, pairs)
    return Significance(pairs, p, corrected_by.adjust(p), effect_sizes(values, pairs), how, corrected_by, warnings)


def correction_for(test: SignificanceTest, correction: str | Correction | type[Correction] | None = None) -> Correction:
    """The correction that goes with a test: the one that is asked for, or Holm's where the test needs any."""
    if correction is None:
        correction = "none" if test.corrects else "holm"
    chosen = corrections.choose(correction)
    if test.corrects and chosen.name != "none":
        raise InputError(f"{test.name} needs no correction: its p-values allow for all comparisons; use 'none'")
    return chosen


def _out_of_reach(test: SignificanceTest, correction: Correction, scores: Floats, pairs: Ints) -> tuple[Notice, ...]:
    """A notice where even the clearest difference could not be significant: too few topics, or too few draws."""
    usual = min(1.0, test.smallest(scores.shape[1]))
    smallest = []
    for block in blocks_of_pairs(scores, pairs):
        # Of two runs that differ on few topics a test may count what it draws for others.
        differing = (paired_differences(scores, block) != 0).sum(axis=1)
        smallest += [min(usual, test.smallest(topics)) for topics in differing.tolist()]
    least = correction.adjust(smallest).min()
    if least < SIGNIFICANT:
        return ()
    topics, comparisons = counted(scores.shape[1], "topic"), counted(len(pairs), "comparison")
    text = f"no p-value can be below {least:.2g} with {topics}, {comparisons}, {test} and {correction}"
    return (Notice("out-of-reach", len(pairs), text),)


@dataclass(frozen=True, eq=False)
class Effects:
    """Effect sizes of pairs of runs, positive (above 0.5 for ``common_language``) where the first run is better."""

    mean_difference: Floats
    """Mean of the differences over topics, in units of the measure."""
    cohens_d: Floats
    """Mean over standard deviation of the differences (n - 1), Cohen's d_z for paired data.

    0 without any difference; infinite where the difference is the same on all topics, and for a single topic.
    """
    common_language: Floats
    """Share of topics on which the first run is better, ties counted half: P(first > second) for a random topic."""


def effect_sizes(scores: Any, pairs: Ints) -> Effects:
    """Effect sizes for pairs of rows of *scores* (runs, topics).

    >>> result = effect_sizes([[0.4, 0.6, 0.9], [0.3, 0.2, 0.9]], np.array([[0, 1]]))
    >>> result.mean_difference.round(4), result.cohens_d.round(4), result.common_language.round(4)
    (array([0.1667]), array([0.8006]), array([0.8333]))
    """
    scores = as_scores(scores)
    means = scores.mean(axis=1)
    d, better = [np.zeros(0)], [np.zeros(0)]
    for block in blocks_of_pairs(scores, pairs):
        differences = paired_differences(scores, block)
        d.append(_cohens_d(differences))
        better.append(((differences > 0) + 0.5 * (differences == 0)).mean(axis=1))
    return Effects(means[pairs[:, 0]] - means[pairs[:, 1]], np.concatenate(d), np.concatenate(better))


def _cohens_d(differences: Floats) -> Floats:
    flat = np.ptp(differences, axis=1) == 0
    d = np.where(differences[:, 0] == 0, 0.0, np.copysign(np.inf, differences[:, 0]))
    some = differences[~flat]
    if len(some):
        d[~flat] = some.mean(axis=1) / some.std(axis=1, ddof=1)
    return d
