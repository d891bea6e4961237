"""From the tallies of blocks to the tables about runs and topics: single runs, bands of topics, grades."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from unjudged.arrays import Flags, Floats
from unjudged.engine.numerics.lost_judgments import never_judged_share, reach
from unjudged.results.reuse_rows import BandRow, GradeRow, RunRow
from unjudged.results.tabular import number_or_none
from unjudged.studies.reuse.outcomes import Outcome

__all__ = ["band_rows", "grade_rows", "run_rows"]


_OF_RUNS = ("truths", "means", "low", "high", "topics_low", "topics_high", "true_ranks", "ranks", "lost")
"""Arrays of blocks, in the order in which runs are told of."""
_SAME = 1e-9
"""Shares that differ by less are the same."""


def run_rows(one: Outcome) -> list[RunRow]:
    """One row for each run, or for each that was left out."""
    by_run: dict[tuple[str, int], list[Floats]] = {}
    for case, arrays in one.blocks:
        columns = np.stack([arrays[name][one.cell] for name in _OF_RUNS], axis=1)
        for run, values in zip(arrays["runs"].tolist(), columns, strict=True):
            by_run.setdefault((case.case, run), []).append(values)
    measure = one.trial.methods.measures[one.measure]
    never_judged = never_judged_share(one.trial.joined, reach(measure, one.how))
    rows = []
    for (case_name, run), of_run in by_run.items():
        truth, estimate, low, high, topics_low, topics_high, true_rank, rank, lost = np.mean(of_run, axis=0).tolist()
        if math.isnan(estimate) or math.isnan(truth):
            continue
        rows.append(
            RunRow(
                **asdict(one.lead),
                left_out=case_name or None,
                run=one.trial.joined.runs[run],
                true_score=truth,
                estimate=estimate,
                low=number_or_none(low),
                high=number_or_none(high),
                topics_low=number_or_none(topics_low),
                topics_high=number_or_none(topics_high),
                true_rank=true_rank,
                rank=rank,
                change=rank - true_rank,
                lost=lost,
                never_judged=float(never_judged[run]),
            )
        )
    return rows


def band_rows(one: Outcome, bands: Sequence[float]) -> list[BandRow]:
    """One row for each band, and for all topics, and for each run."""
    ((_, arrays),) = one.blocks
    unjudged = arrays["unjudged"][one.cell]
    truth, lead = one.trial.truth.scores[one.measure], one.lead
    values, low, high = (arrays[name][one.cell] for name in ("values", "lows", "highs"))
    rows = []
    for band, chosen in _bands(unjudged, bands):
        for run, (name, topics) in enumerate(zip(one.trial.joined.runs, chosen, strict=True)):
            if not topics.any():
                continue
            means = [_mean(column[run, topics]) for column in (unjudged, truth, values, low, high)]
            rows.append(BandRow(band, name, lead.measure, lead.holes, lead.truth, int(topics.sum()), *means))
    return rows


def _bands(unjudged: Floats, bands: Sequence[float]) -> list[tuple[str, Flags]]:
    """The name of each band, and the (run, topic) pairs in it; those without documents are in none."""
    ends = [0.0, *bands]
    out = []
    for from_, to in zip(ends, [*ends[1:], math.inf], strict=True):
        name = f"from {from_:.0%}" if math.isinf(to) else f"{from_:.0%} to {to:.0%}" if from_ else f"below {to:.0%}"
        out.append((name, (unjudged >= from_ - _SAME) & (unjudged < to - _SAME)))
    return [*out, ("all", ~np.isnan(unjudged))]


def _mean(values: Floats) -> float | None:
    return None if not len(values) or np.isnan(values).any() else float(values.mean())


def grade_rows(one: Outcome) -> list[GradeRow]:
    """The grades of the judgments that are left and of those that are lost: mean shares over the blocks."""
    counts = np.array([arrays["grades"] for _, arrays in one.blocks], dtype=np.float64)
    totals = counts.sum(axis=2, keepdims=True)
    shares = np.divide(counts, totals, out=np.full(counts.shape, np.nan), where=totals > 0)
    known = ~np.isnan(shares[:, :, 0])
    left, lost = (shares[known[:, side], side].mean(axis=0) if known[:, side].any() else None for side in (0, 1))
    scale = one.trial.joined.qrels.scale
    return [
        GradeRow(
            str(one.how),
            int(grade),
            None if left is None else float(left[level]),
            None if lost is None else float(lost[level]),
        )
        for level, grade in enumerate(scale.grades.tolist())
    ]
