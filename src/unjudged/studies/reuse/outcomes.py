"""All blocks of one degradation and one method, and what they come to together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from unjudged.arrays import Floats
from unjudged.engine.execution.plan import Arrays
from unjudged.engine.numerics.reuse_tallies import DECISIONS, PoolCase
from unjudged.engine.numerics.reuse_trial import Trial
from unjudged.simulate.base import Degradation
from unjudged.uncertainty.agreement import Agreement, Errors, agreement, errors_of

__all__ = ["Findings", "Lead", "Outcome", "outcomes"]


@dataclass(frozen=True)
class Lead:
    """What a row is about, by name."""

    degradation: str
    measure: str
    holes: str
    truth: str


class Findings(NamedTuple):
    """Shares: of relevant documents that are judged, of significant differences that are found; and that are false."""

    recall: float
    significant_kept: float
    significant_false: float
    """Of the differences that are significant, those that are not in truth, or are the other way round."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """All blocks of one degradation, and one method: a hole model and a measure."""

    trial: Trial
    how: Degradation
    holes: int
    measure: int
    blocks: tuple[tuple[PoolCase, Arrays], ...]
    cell: int
    """The method's row in the arrays of the blocks."""

    @property
    def lead(self) -> Lead:
        """What it is about. A measure without holes has the name of what is done, whatever models are tried."""
        methods = self.trial.methods
        measure, truth = methods.measures[self.measure], methods.truths[self.measure]
        holes = str(methods.hole_models[self.holes]) if measure.has_holes else "nonrelevant"
        return Lead(str(self.how), str(measure), holes, str(truth))

    def total(self, name: str) -> Floats:
        """A tally summed over blocks."""
        total: Floats = sum(arrays[name][self.cell] for _, arrays in self.blocks)
        return total

    def judgments(self) -> float:
        """Judgments that are left, on average."""
        return float(np.mean([arrays["judgments"][0] for _, arrays in self.blocks]))

    def share(self) -> float:
        """Share of all judgments that is left, on average."""
        return self.judgments() / max(1, int(self.trial.joined.qrels.judged.sum()))

    def repetitions(self) -> int:
        """How often it was done."""
        return len({case.repetition for case, _ in self.blocks})

    def open_runs(self) -> int:
        """How many runs have something to estimate, in some repetition."""
        runs = [arrays["runs"][arrays["open"][self.cell] > 0] for _, arrays in self.blocks]
        return len(np.unique(np.concatenate(runs)))

    def errors(self) -> list[Errors]:
        """Those of each repetition."""
        every = map(self.errors_in, range(self.repetitions()))
        return [one for one in every if one is not None]

    def errors_in(self, repetition: int) -> Errors | None:
        """Errors of the means of runs with something to estimate; of all, where none has any."""
        mine = [arrays for case, arrays in self.blocks if case.repetition == repetition]
        truth, estimate, is_open = (
            np.concatenate([arrays[name][self.cell] for arrays in mine]) for name in ("truths", "means", "open")
        )
        defined = ~np.isnan(estimate) & ~np.isnan(truth)
        if (defined & (is_open > 0)).any():
            defined &= is_open > 0
        return errors_of(truth[defined], estimate[defined]) if defined.any() else None

    def findings(self) -> list[Findings]:
        """Those of each repetition."""
        return list(map(self.findings_in, range(self.repetitions())))

    def findings_in(self, repetition: int) -> Findings:
        """What is still found: relevant documents, as the measure counts them, and significant differences."""
        mine = [arrays for case, arrays in self.blocks if case.repetition == repetition]
        qrels = self.trial.joined.qrels
        rel = getattr(self.trial.methods.measures[self.measure], "rel", None) or 1
        grades = np.sum([arrays["grades"] for arrays in mine], axis=0)
        left, lost = grades[:, qrels.scale.grades >= rel].sum(axis=1).tolist()
        tallies = np.sum([arrays["decisions"][self.cell] for arrays in mine], axis=0)
        decided = dict(zip(DECISIONS, tallies.tolist(), strict=True))

        def share(part: float, of: float) -> float:
            return part / of if of else math.nan

        return Findings(
            recall=share(left, left + lost),
            significant_kept=share(decided["kept"], decided["significant"]),
            significant_false=share(decided["false_positive"], decided["kept"] + decided["false_positive"]),
        )

    def agreements(self) -> list[Agreement]:
        """Those of each repetition."""
        every = map(self.agreement_in, range(self.repetitions()))
        return [one for one in every if one is not None]

    def agreement_in(self, repetition: int) -> Agreement | None:
        """Estimated against true means; of a run that is left out somewhere, what it got there."""
        truth, estimate = np.full((2, len(self.trial.joined.runs)), np.nan)
        for case, arrays in self.blocks:
            if case.repetition == repetition:
                truth[arrays["runs"]] = arrays["truths"][self.cell]
                estimate[arrays["runs"]] = arrays["means"][self.cell]
        defined = ~np.isnan(estimate) & ~np.isnan(truth)
        return agreement(truth[defined], estimate[defined]) if defined.sum() >= 2 else None


def outcomes(trial: Trial, cases: Sequence[PoolCase], results: Sequence[Arrays]) -> list[list[Outcome]]:
    """For each degradation one for each method, in the order in which they were given."""
    blocks: list[list[tuple[PoolCase, Arrays]]] = [[] for _ in trial.degradations]
    for case, arrays in zip(cases, results, strict=True):
        blocks[case.degradation].append((case, arrays))
    return [
        [Outcome(trial, how, h, m, tuple(mine), cell) for cell, (h, m) in enumerate(trial.methods.cells)]
        for how, mine in zip(trial.degradations, blocks, strict=True)
    ]
