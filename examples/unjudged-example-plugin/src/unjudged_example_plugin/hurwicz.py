"""A hole model in one class: what to believe about documents that nobody judged."""

from __future__ import annotations

from unjudged.plugins import Estimate, HoleModel, Measure, Real, Settings, View, hole_models, param

__all__ = ["Hurwicz"]


class Hurwicz(HoleModel):
    """A score between the worst and the best case, as far up as one is optimistic.

    With ``optimism=0`` it is the lower end of ``bounds``, with ``optimism=1`` the upper end, and by default the middle.
    Hurwicz proposed it for decisions where no probabilities are known.
    """

    name = "hurwicz"
    title = "A fixed place between the naive bounds"
    reference = "L. Hurwicz. Optimality criteria for decision making under ignorance. Cowles Commission, 1951."

    optimism: float = param(0.5, Real(0, 1), "0 for the worst case, 1 for the best case")

    def estimate(self, measure: Measure, view: View, settings: Settings) -> Estimate:
        """A value and its bounds for each ranking of the view."""
        naive = hole_models.parse("bounds").estimate(measure, view, settings)
        if naive.low is None or naive.high is None:  # unjudged documents make no difference to the measure
            return naive
        return Estimate(naive.low + self.optimism * (naive.high - naive.low), naive.low, naive.high)
