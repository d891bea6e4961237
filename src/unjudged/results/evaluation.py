"""What an evaluator says about one run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unjudged.arrays import Floats, Ints

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Evaluation"]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Scores of one run for every judged topic, and how much of them rests on judged documents.

    Arrays have a row for each measure and a column for each topic; a topic that the run lacks counts as it does in
    :func:`unjudged.score`.
    """

    topics: tuple[str, ...]
    measures: tuple[str, ...]
    values: Floats
    holes: Ints
    """Unjudged documents among those that the measure looks at."""
    judged: Floats
    """Share of judged documents among those; NaN where there are none."""
    summaries: tuple[Callable[[Floats], float], ...]

    def __repr__(self) -> str:
        return f"Evaluation({', '.join(f'{name}: {value:.4f}' for name, value in self.mean().items())})"

    def mean(self) -> dict[str, float]:
        """One number for each measure: the mean over topics, or whatever else it sums topics up with."""
        sums = zip(self.measures, self.summaries, self.values, strict=True)
        return {name: float(summary(values)) for name, summary, values in sums}

    def to_dict(self) -> dict[str, dict[str, float]]:
        """``{topic: {measure: value}}``."""
        return {
            topic: dict(zip(self.measures, values, strict=True))
            for topic, values in zip(self.topics, self.values.T.tolist(), strict=True)
        }
