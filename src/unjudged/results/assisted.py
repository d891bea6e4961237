"""What ``score`` and ``compare`` say with labels: estimates from a few human and many machine judgments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

__all__ = ["Assisted", "AssistedPairRow", "AssistedRow"]


class AssistedRow(NamedTuple):
    """The mean of a run over all topics of which the ``human_topics`` that people judged are a sample.

    ``human`` with its interval is Student's, from human judgments alone. ``labels`` is the mean over all topics by
    labels alone, and ``calibrated`` that with each label as the grades it turned out to mean: both are biased, and have
    no interval. ``estimate`` with ``low`` and ``high`` is the prediction-powered one. All intervals are 95%.
    """

    run: str
    measure: str
    human_topics: int
    label_topics: int
    human: float
    human_low: float
    human_high: float
    labels: float
    calibrated: float
    estimate: float
    low: float
    high: float
    weight: float
    """Lambda: how much of the labels is used, from 0 (nothing) to 1."""


class AssistedPairRow(NamedTuple):
    """The difference of two runs, run less other, in the same way; p-values are of no difference."""

    run: str
    other: str
    human: float
    human_low: float
    human_high: float
    labels: float
    calibrated: float
    estimate: float
    low: float
    high: float
    p: float
    corrected_p: float
    weight: float


@dataclass(frozen=True)
class Assisted:
    """Estimates with labels, and what they assume."""

    judge: str
    rows: tuple[AssistedRow, ...] = ()
    pairs: tuple[AssistedPairRow, ...] = ()
    assumptions: tuple[str, ...] = ()
    """What must be true for the intervals to hold, and how it was looked at, in sentences."""
    sampled: Literal["topics", "documents"] = "topics"
    """Of what people's judgments are a sample."""
    linearised: tuple[str, ...] = ()
    """Measures that are ratios, so that their estimates from sampled documents are linearised ..."""
    second_order: tuple[str, ...] = ()
    """... and those that multiply what documents are, so that their estimates are of second order."""

    def document(self) -> dict[str, Any]:
        """What JSON has beside other tables."""
        rows = [row._asdict() for row in self.rows] + [row._asdict() for row in self.pairs]
        return {"labels": {"judge": self.judge, "assumptions": list(self.assumptions)}, "with_labels": rows}
