"""From the tallies of blocks to the tables about methods: agreement, coverage, order, and curves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict

import numpy as np
from scipy import special

from unjudged.arrays import Floats
from unjudged.engine.numerics.reuse_tallies import DECISIONS, ERRORS, INSIDE, KINDS, STATISTICS, where_truth_is
from unjudged.results.comparison import LEVEL
from unjudged.results.reuse_rows import AgreementRow, CoverageRow, CurveRow, OrderRow, RepetitionRow
from unjudged.results.tabular import number_or_none
from unjudged.studies.reuse.outcomes import Findings, Outcome
from unjudged.uncertainty.agreement import Agreement, Errors
from unjudged.uncertainty.preferences import TIES, Reconstruction, reconstruction

__all__ = ["agreement_row", "coverage_rows", "curve_rows", "order_rows", "repetition_rows"]


_ENDS = dict.fromkeys(Findings._fields, (0.0, 1.0))
"""Between which numbers statistics are that are shares."""


def agreement_row(one: Outcome) -> AgreementRow:
    """Means over repetitions."""
    agreements, of_means = one.agreements(), one.errors()
    errors = dict(zip(ERRORS, one.total("errors").tolist(), strict=True))
    decided = dict(zip(DECISIONS, one.total("decisions").tolist(), strict=True))

    def mean(name: str) -> float | None:
        every = of_means if name in Errors._fields else agreements
        return number_or_none(float(np.mean([getattr(each, name) for each in every]))) if every else None

    def of_topics(name: str) -> float | None:
        return errors[name] / errors["pairs"] if errors["pairs"] else None

    def root(name: str) -> float | None:
        value = of_topics(name)
        return None if value is None else math.sqrt(value)

    order = _order(one, "estimate", "neither")
    return AgreementRow(
        **asdict(one.lead),
        judgments=one.judgments(),
        share=one.share(),
        repetitions=one.repetitions(),
        runs=one.open_runs(),
        tau_b=mean("tau_b"),
        tau_a=mean("tau_a"),
        tau_ap=mean("tau_ap"),
        spearman=mean("spearman"),
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


def repetition_rows(one: Outcome) -> list[RepetitionRow]:
    """One row for each draw; nothing where nothing is drawn."""
    if not one.how.is_random:
        return []
    rows = []
    for repetition in range(one.repetitions()):
        agreement, errors = one.agreement_in(repetition), one.errors_in(repetition)
        if agreement is None or errors is None:
            continue
        rows.append(
            RepetitionRow(
                **asdict(one.lead),
                repetition=repetition,
                tau_b=number_or_none(agreement.tau_b),
                tau_a=agreement.tau_a,
                tau_ap=agreement.tau_ap,
                spearman=number_or_none(agreement.spearman),
                pearson=number_or_none(agreement.pearson),
                rmse=errors.rmse,
                bias=errors.bias,
            )
        )
    return rows


def order_rows(one: Outcome) -> list[OrderRow]:
    """How much of the order is found by what may stand for a run, with both ways to see ties."""
    rows = []
    for of in KINDS:
        for ties in TIES:
            order = _order(one, of, ties)
            if not math.isnan(order.f1):
                rows.append(OrderRow(**asdict(one.lead), of=of, ties=ties, **order._asdict()))
    return rows


def _order(one: Outcome, of: str, ties: str) -> Reconstruction:
    counts = one.total("preferences")[KINDS.index(of), TIES.index(ties)]
    return reconstruction(counts.astype(np.int64))


def coverage_rows(one: Outcome) -> list[CoverageRow]:
    """Of single topics and of means; nothing where a hole model gives no ranges."""
    methods = one.trial.methods
    low, high = methods.settings.quantiles
    # Models with draws promise a share; bounds promise everything.
    nominal = round(high - low, 9) if methods.hole_models[one.holes].draws else 1.0
    topics = dict(zip(INSIDE, one.total("inside").tolist(), strict=True))
    tallies = {"topics": topics, "means": _inside_means(one)}
    rows = []
    for of, tally in tallies.items():
        pairs = tally["pairs"]
        if pairs:
            shares = {name: tally[name] / pairs for name in INSIDE[1:]}
            rows.append(
                CoverageRow(
                    **asdict(one.lead),
                    of=of,
                    nominal=nominal,
                    pairs=int(pairs),
                    inside=shares["inside"],
                    below=shares["below"],
                    above=shares["above"],
                    width=shares["width"],
                    low_rmse=math.sqrt(shares["squares_low"]),
                    high_rmse=math.sqrt(shares["squares_high"]),
                    low_outside=math.sqrt(shares["outside_low"]),
                    high_outside=math.sqrt(shares["outside_high"]),
                )
            )
    return rows


def _inside_means(one: Outcome) -> dict[str, float]:
    """The same tally for the means of runs that have something to estimate: of the others, the truth is known."""
    tally = dict.fromkeys(INSIDE, 0.0)
    for _, arrays in one.blocks:
        truth = arrays["truths"][one.cell]
        low, high = arrays["low"][one.cell], arrays["high"][one.cell]
        defined = ~(np.isnan(low) | np.isnan(high) | np.isnan(truth)) & (arrays["open"][one.cell] > 0)
        values = where_truth_is(low[defined], high[defined], truth[defined])
        for name, value in zip(INSIDE, values, strict=True):
            tally[name] += float(value)
    return tally


def curve_rows(one: Outcome) -> list[CurveRow]:
    """Each statistic with a 95% interval: a t interval over repetitions, or over topics where nothing is drawn."""
    if one.how.leaves_runs_out or not one.how.is_level:
        return []  # which is no point of a curve
    agreements, errors, findings = one.agreements(), one.errors(), one.findings()
    topics = dict(zip(STATISTICS, one.total("over_topics").tolist(), strict=True))
    rows = []
    for statistic in (*STATISTICS, *Findings._fields):
        every: Sequence[Agreement | Errors | Findings] = agreements
        if statistic not in Agreement.__dataclass_fields__:
            every = errors if statistic in Errors._fields else findings
        values = np.array([getattr(each, statistic) for each in every])
        if not len(values) or np.isnan(values).any():
            continue
        mean, half = float(values.mean()), _half_width(values)
        low, high = topics.get(statistic, (math.nan, math.nan))
        interval: tuple[float | None, float | None, str | None] = (None, None, None)
        if half is not None:
            least, most = _ENDS.get(statistic, (-math.inf, math.inf) if statistic in Errors._fields else (-1.0, 1.0))
            interval = (max(mean - half, least), min(mean + half, most), "repetitions")
        elif not math.isnan(low):
            interval = (low, high, "topics")
        rows.append(
            CurveRow(
                **asdict(one.lead),
                family=one.how.family,
                statistic=statistic,
                judgments=one.judgments(),
                share=one.share(),
                value=mean,
                low=interval[0],
                high=interval[1],
                over=interval[2],
            )
        )
    return rows


def _half_width(values: Floats) -> float | None:
    number = len(values)
    if number < 2:
        return None
    return float(special.stdtrit(number - 1, (1 + LEVEL) / 2) * values.std(ddof=1) / math.sqrt(number))
