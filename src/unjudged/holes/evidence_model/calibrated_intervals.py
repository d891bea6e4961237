"""Intervals of one measure under evidence, as wide as left-out groups say they have to be."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from unjudged.arrays import Floats
from unjudged.data.memo import remembered
from unjudged.data.view import View
from unjudged.errors import CALIBRATED, TOO_FEW_GROUPS, Notice
from unjudged.holes.base import Settings
from unjudged.holes.bounds import joint_bounds, scale_top
from unjudged.holes.evidence_model.left_out_groups import left_out_misses, left_out_runs
from unjudged.holes.evidence_model.model import EvidenceModel
from unjudged.holes.interval_calibration import Calibration, calibrate, enough_groups, widened
from unjudged.measures.base import Measure

__all__ = ["ADDED_UP", "CalibratedMeasure", "bounds_as_draws", "calibrate_measure"]

ADDED_UP = ("mean", "sum")
"""Summaries over topics that are wider by a factor where the scores of all topics are."""


class Drawn(Protocol):
    """How intervals follow from draws."""

    @property
    def ideal_follows(self) -> bool:
        """Whether R and the ideal ranking follow the draws."""

    def interval(self, values: Floats, weights: Floats | None, settings: Settings) -> Floats:
        """Between what the scores of each row lie."""


@dataclass(frozen=True, eq=False)
class CalibratedMeasure:
    """How a measure's draws become intervals that hold."""

    measure: Measure
    settings: Settings
    calibration: Calibration

    @cached_property
    def settings_of_topics(self) -> Settings:
        """With the share of the draws that intervals of topics' scores have to hold."""
        share = self.calibration.of_topics
        return self.settings if share == self.settings.level else self.settings.holding(share)

    def draws_of_means(self, draws: Floats, seen: View) -> Floats:
        """Draws, shape (rankings, draws), whose means over topics have an interval that holds.

        Where groups are too few to know, half of them are the lowest and half the highest score there can be.
        """
        if self.calibration.is_known:
            return widened(draws, self.calibration.scale)
        return bounds_as_draws(self.measure, seen, draws)

    def notice(self) -> Notice:
        """What the user should know."""
        one, promised = self.calibration, f"{self.settings.level:.0%}"
        if not one.is_known:
            text = (
                f"{self.measure}: it takes {enough_groups(one.level)} groups to know how wide {promised} intervals of"
                f" means have to be, and {one.groups} can be left out; intervals of means are bounds instead"
            )
            return Notice(TOO_FEW_GROUPS, one.groups, text)
        wider = f", {one.wider:.2g} times as wide as the model's, which held {one.held_before:.0%}"
        text = f"{self.measure}: calibrated on {one.groups} groups{wider}: {promised} held {one.held:.0%}"
        return Notice(CALIBRATED, one.groups, text)


def bounds_as_draws(measure: Measure, seen: View, draws: Floats) -> Floats:
    """In place of draws, half of the time the lowest score that each ranking can have, and half the highest."""
    low, high = joint_bounds(measure, seen, scale_top(seen, None))
    ends = [
        np.where(np.isnan(of_holes), limit if math.isfinite(limit) else of_draws, furthest(of_holes, of_draws))
        for of_holes, limit, of_draws, furthest in zip(
            (low, high),
            measure.limits(),
            (draws.min(axis=1), draws.max(axis=1)),
            (np.fmin, np.fmax),
            strict=True,
        )
    ]
    first = np.arange(draws.shape[1]) < draws.shape[1] / 2
    bounds: Floats = np.where(first, ends[0][:, None], ends[1][:, None])
    return bounds


@remembered
def calibrate_measure(
    evidence: EvidenceModel, measure: Measure, model: Drawn, settings: Settings
) -> CalibratedMeasure | None:
    """What left-out groups say; None where evidence says nothing about any hole."""
    if not evidence.speaks:
        return None
    runs = left_out_runs(evidence, measure, ideal_follows=model.ideal_follows, seed=settings.seed)

    def intervals(draws: Floats, share: float) -> Floats:
        return model.interval(draws, None, settings.holding(share))

    misses = left_out_misses(runs, intervals, settings.level)
    calibration = calibrate(misses, lambda draws: intervals(draws, settings.level), settings.level)
    return CalibratedMeasure(measure, settings, calibration)
