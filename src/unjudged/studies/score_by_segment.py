"""Scores of each segment of the topics, and runs of which the whole says otherwise than its parts.

It loads SciPy, so scoring imports it only where there are segments.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unjudged.arrays import Ints
from unjudged.data.segments import Segments
from unjudged.errors import Notice
from unjudged.measures.base import Measure
from unjudged.results.scores import Scores, SegmentRow, mean_known
from unjudged.results.tabular import number_or_none
from unjudged.studies.segments_disagree import disagreements
from unjudged.uncertainty.intervals import mean_interval
from unjudged.uncertainty.multiple_comparisons import Holm
from unjudged.uncertainty.tests_with_open_grades import plain_p

__all__ = ["with_segments"]


def with_segments(scores: Scores, segments: Segments, measures: list[Measure]) -> Scores:
    """The same scores with a row for each segment, run, measure and hole model; of measures that are means.

    Hole models that have the values of the first one, such as bounds, are left out.
    """
    places = segments.positions(scores.topics)
    notices = segments.notices(scores.topics)
    rows = []
    for m, measure in enumerate(measures):
        if measure.summary != "mean":
            continue
        for segment, own in places.items():
            judged = mean_known(scores.judged[:, m][..., own])
            for h, holes in enumerate(scores.holes):
                if not scores.is_asked(h, m) or (h and _are_same(scores, m, h)):
                    continue
                for r, run in enumerate(scores.runs):
                    values = scores.values[h, m, r, own]
                    known = values[~np.isnan(values)]
                    low, high = np.nan, np.nan
                    if len(known) > 1:
                        interval = mean_interval(known[None], "t")
                        low, high = float(interval.low[0]), float(interval.high[0])
                    numbers = (float(mean_known(values)), low, high, float(judged[h, r]))
                    rows.append(
                        SegmentRow(segment, run, scores.measures[m], holes, len(known), *map(number_or_none, numbers))
                    )
        notices += _disagreements(scores, m, list(places.values()))
    return replace(scores, segments=tuple(rows), warnings=(*scores.warnings, *notices))


def _are_same(scores: Scores, m: int, h: int) -> bool:
    """Whether a hole model has the values of the first one, as bounds have: their means would be there twice."""
    return np.array_equal(scores.values[h, m], scores.values[0, m], equal_nan=True)


def _disagreements(scores: Scores, m: int, places: list[Ints]) -> list[Notice]:
    """Pairs of runs of which the whole says otherwise than most segments; the whole is that of their topics."""
    values = scores.values[0, m]

    def p_values(a: int, b: int) -> tuple[float, list[float]]:
        """Of paired t tests, corrected together (Holm)."""
        differences = values[a] - values[b]
        parts = [differences, *(differences[own] for own in places)]
        known = [one[~np.isnan(one)] for one in parts]
        whole, *rest = correct([plain_p(one) if len(one) > 1 else 1.0 for one in known]).tolist()
        return whole, rest

    correct = Holm().adjust
    whole = mean_known(values[:, np.concatenate(places)])
    return disagreements(scores.measures[m], scores.runs, values, places, p_values, whole=whole)
