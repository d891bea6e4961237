"""From the tallies of blocks to tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from unjudged.arrays import Floats
from unjudged.engine.execution.plan import Arrays
from unjudged.engine.numerics.estimates_on_degraded_qrels import Trial
from unjudged.engine.numerics.reuse_tallies import (
    DECISIONS,
    ERRORS,
    INSIDE,
    STATISTICS,
    PoolCase,
    never_judged_share,
    reach,
)
from unjudged.results.reuse import AgreementRow, CoverageRow, CurveRow, LeftOutRow
from unjudged.results.tabular import number_or_none
from unjudged.simulate.base import Degradation
from unjudged.uncertainty.agreement import Agreement, Errors, agreement, errors_of
from unjudged.uncertainty.preferences import reconstruction

__all__ = ["Outcome", "agreement_row", "coverage_rows", "curve_rows", "left_out_rows", "outcomes"]


_ROUNDING = 1e-9
_OF_LEFT_OUT = ("truths", "means", "low", "high", "true_ranks", "ranks", "lost")
"""Arrays of blocks, in the order in which left-out runs are told of."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """All blocks of one degradation, and one method: a hole model and a measure."""

    trial: Trial
    how: Degradation
    holes: int
    measure: int
    truth: str
    blocks: tuple[tuple[PoolCase, Arrays], ...]
    cell: int
    """The method's row in the arrays of the blocks."""

    @property
    def lead(self) -> tuple[str, str, str]:
        """Degradation, measure and hole model, by name."""
        return str(self.how), str(self.trial.measures[self.measure]), str(self.trial.holes[self.holes])

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
        """For each repetition, errors of the means of runs with something to estimate; of all, where none has any."""
        out = []
        for repetition in range(self.repetitions()):
            mine = [arrays for case, arrays in self.blocks if case.repetition == repetition]
            truth, estimate, is_open = (
                np.concatenate([arrays[name][self.cell] for arrays in mine]) for name in ("truths", "means", "open")
            )
            defined = ~np.isnan(estimate) & ~np.isnan(truth)
            if (defined & (is_open > 0)).any():
                defined &= is_open > 0
            if defined.any():
                out.append(errors_of(truth[defined], estimate[defined]))
        return out

    def agreements(self) -> list[Agreement]:
        """For each repetition, estimated against true means; of a run that is left out somewhere, what it got there."""
        out = []
        for repetition in range(self.repetitions()):
            truth, estimate = np.full((2, len(self.trial.joined.runs)), np.nan)
            for case, arrays in self.blocks:
                if case.repetition == repetition:
                    truth[arrays["runs"]] = arrays["truths"][self.cell]
                    estimate[arrays["runs"]] = arrays["means"][self.cell]
            defined = ~np.isnan(estimate) & ~np.isnan(truth)
            if defined.sum() >= 2:
                out.append(agreement(truth[defined], estimate[defined]))
        return out


def outcomes(
    trial: Trial, truths: Sequence[str], cases: Sequence[PoolCase], results: Sequence[Arrays]
) -> list[Outcome]:
    """One for each degradation and method, in the order in which they were given."""
    blocks: list[list[tuple[PoolCase, Arrays]]] = [[] for _ in trial.degradations]
    for case, arrays in zip(cases, results, strict=True):
        blocks[case.degradation].append((case, arrays))
    return [
        Outcome(trial, how, h, m, truths[m], tuple(mine), cell)
        for how, mine in zip(trial.degradations, blocks, strict=True)
        for cell, (h, m) in enumerate(trial.cells)
    ]


def agreement_row(one: Outcome) -> AgreementRow:
    """Means over repetitions."""
    agreements, of_means = one.agreements(), one.errors()
    errors = dict(zip(ERRORS, one.total("errors").tolist(), strict=True))
    decided = dict(zip(DECISIONS, one.total("decisions").tolist(), strict=True))
    order = reconstruction(one.total("preferences").astype(np.int64))
    degradation, measure, holes = one.lead

    def mean(name: str) -> float | None:
        every = of_means if name in Errors._fields else agreements
        return number_or_none(float(np.mean([getattr(each, name) for each in every]))) if every else None

    def of_topics(name: str) -> float | None:
        return errors[name] / errors["pairs"] if errors["pairs"] else None

    def root(name: str) -> float | None:
        value = of_topics(name)
        return None if value is None else math.sqrt(value)

    return AgreementRow(
        degradation=degradation,
        measure=measure,
        holes=holes,
        truth=one.truth,
        judgments=one.judgments(),
        share=one.share(),
        repetitions=one.repetitions(),
        runs=one.open_runs(),
        tau_b=mean("tau_b"),
        tau_ap=mean("tau_ap"),
        pearson=mean("pearson"),
        rmse=mean("rmse"),
        rmse_lower=mean("rmse_lower"),
        rmse_upper=mean("rmse_upper"),
        bias=mean("bias"),
        topic_rmse=root("squares"),
        topic_rmse_lower=root("squares_above"),
        topic_rmse_upper=root("squares_below"),
        topic_bias=of_topics("sum"),
        precision=number_or_none(order.precision),
        recall=number_or_none(order.recall),
        f1=number_or_none(order.f1),
        false_positives=decided["false_positive"] / max(1, decided["pairs"]),
        false_negatives=decided["false_negative"] / max(1, decided["pairs"]),
    )


def coverage_rows(one: Outcome) -> list[CoverageRow]:
    """Of single topics and of means; nothing where a hole model gives no ranges."""
    low, high = one.trial.settings.quantiles
    # Models with draws promise a share; bounds promise everything.
    nominal = round(high - low, 9) if hasattr(one.trial.holes[one.holes], "draws") else 1.0
    topics = dict(zip(INSIDE, one.total("inside").tolist(), strict=True))
    tallies = {"topics": topics, "means": _inside_means(one)}
    rows = []
    for of, tally in tallies.items():
        pairs = tally["pairs"]
        if pairs:
            shares = [tally[name] / pairs for name in ("inside", "below", "above", "width")]
            rows.append(CoverageRow(*one.lead, of, nominal, int(pairs), *shares))
    return rows


def _inside_means(one: Outcome) -> dict[str, float]:
    """The same tally for the means of runs that have something to estimate: of the others, the truth is known."""
    tally = dict.fromkeys(INSIDE, 0.0)
    for _, arrays in one.blocks:
        truth = arrays["truths"][one.cell]
        low, high = arrays["low"][one.cell], arrays["high"][one.cell]
        defined = ~(np.isnan(low) | np.isnan(high) | np.isnan(truth)) & (arrays["open"][one.cell] > 0)
        truth, low, high = truth[defined], low[defined], high[defined]
        below, above = truth < low - _ROUNDING, truth > high + _ROUNDING
        values = (defined.sum(), (~below & ~above).sum(), below.sum(), above.sum(), (high - low).sum())
        for name, value in zip(INSIDE, values, strict=True):
            tally[name] += float(value)
    return tally


def left_out_rows(one: Outcome) -> list[LeftOutRow]:
    """One row per run that was left out; nothing for degradations that leave no run out."""
    if not one.how.leaves_runs_out:
        return []
    by_run: dict[tuple[str, int], list[Floats]] = {}
    for case, arrays in one.blocks:
        columns = np.stack([arrays[name][one.cell] for name in _OF_LEFT_OUT], axis=1)
        for run, values in zip(arrays["runs"].tolist(), columns, strict=True):
            by_run.setdefault((case.case, run), []).append(values)
    degradation, measure, holes = one.lead
    never_judged = never_judged_share(one.trial.joined, reach(one.trial.measures[one.measure], one.how.pool_depth))
    rows = []
    for (case_name, run), of_run in by_run.items():
        truth, estimate, low, high, true_rank, rank, lost = np.mean(of_run, axis=0).tolist()
        if math.isnan(estimate) or math.isnan(truth):
            continue
        rows.append(
            LeftOutRow(
                degradation=degradation,
                left_out=case_name,
                run=one.trial.joined.runs[run],
                measure=measure,
                holes=holes,
                truth=truth,
                estimate=estimate,
                low=number_or_none(low),
                high=number_or_none(high),
                true_rank=true_rank,
                rank=rank,
                change=rank - true_rank,
                lost=lost,
                never_judged=float(never_judged[run]),
            )
        )
    return rows


def curve_rows(one: Outcome) -> list[CurveRow]:
    """Each statistic with a 95% interval: a t interval over repetitions, or over topics where nothing is drawn."""
    if one.how.leaves_runs_out:
        return []  # which saves no judgments, and is no point of a curve
    agreements, errors = one.agreements(), one.errors()
    lead = (one.how.family, *one.lead[1:])
    rows = []
    for i, statistic in enumerate(STATISTICS):
        values = np.array(
            [getattr(each, statistic) for each in (errors if statistic in Errors._fields else agreements)]
        )
        if not len(values) or np.isnan(values).any():
            continue
        mean, half = float(values.mean()), _half_width(values)
        low, high = one.total("over_topics")[i].tolist()
        interval: tuple[float | None, float | None, str | None] = (None, None, None)
        if half is not None:
            interval = (mean - half, mean + half, "repetitions")
        elif not math.isnan(low):
            interval = (low, high, "topics")
        at = (one.lead[0], one.judgments(), one.share())
        rows.append(CurveRow(*lead, statistic, *at, mean, *interval))
    return rows


def _half_width(values: Floats) -> float | None:
    number = len(values)
    if number < 2:
        return None
    return float(special.stdtrit(number - 1, 0.975) * values.std(ddof=1) / math.sqrt(number))
