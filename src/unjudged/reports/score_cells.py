"""Cells of tables of scores: a score, between what it lies, and what it rests on."""

from __future__ import annotations

import numpy as np

from unjudged.reports.cells import decimal, percent
from unjudged.reports.ranges import Ranges
from unjudged.results.scores import Scores, mean_known

__all__ = ["COULD_BE", "at_depth", "cells_of_score", "has_range", "share_names", "shares_of_score"]

COULD_BE = "could be"
"""Header of what hole models leave possible: bounds, or an interval of draws."""


def at_depth(scores: Scores, m: int) -> str:
    """How far down a measure looks, as its name has it: ``@10``; empty where there is no cut-off."""
    return "" if scores.depths[m] is None else f"@{scores.depths[m]}"


def has_range(scores: Scores, m: int) -> bool:
    """Whether some hole model says between what this measure lies."""
    return not bool(np.isnan(scores.low[:, m]).all() and np.isnan(scores.mean_low[:, m]).all())


def cells_of_score(scores: Scores, at: tuple[int, ...], ranges: Ranges | None) -> list[str]:
    """A value and, where the table has ranges, what it lies between; *at* without a topic for the summary."""
    of_topic = len(at) == scores.values.ndim
    arrays = (scores.values, scores.low, scores.high) if of_topic else (scores.means, scores.mean_low, scores.mean_high)
    value, low, high = (float(array[at]) for array in arrays)
    shown = [decimal(value, 0 if scores.counts[at[1]] else 4)]
    if ranges is None:
        return shown
    chance_alone = not of_topic and scores.ranges[at[0]] == "chance alone"
    return [*shown, ranges.cell(value, low, high, chance_alone=chance_alone)]


def share_names(scores: Scores, at: str) -> list[str]:
    """Columns that say what a score rests on: how much was judged and, where labels are used, how much is theirs."""
    labelled, rests = (not bool(np.isnan(one).all()) for one in (scores.labelled, scores.rests_on_labels))
    return [f"judged{at}", *([f"labelled{at}"] if labelled else []), *(["rests on labels"] if rests else [])]


def shares_of_score(scores: Scores, at: tuple[int, ...], columns: int) -> list[str]:
    """The first *columns* of these shares; *at* as for :func:`cells_of_score`."""
    one_topic = len(at) == scores.values.ndim
    shares = [array[at] if one_topic else mean_known(array[at]) for array in (scores.judged, scores.labelled)]
    shares.append(scores.rests_on_labels[at] if one_topic else scores.mean_rests_on_labels[at])
    return [percent(float(share)) for share in shares[:columns]]
