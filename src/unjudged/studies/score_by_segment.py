"""Scores of each segment of the topics, and runs of which the whole says otherwise than its parts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unjudged.arrays import Floats
from unjudged.data.segments import Segments
from unjudged.errors import Notice
from unjudged.measures.base import Measure
from unjudged.results.scores import Scores, SegmentRow, mean_known
from unjudged.results.tabular import number_or_none

__all__ = ["with_segments"]


def with_segments(scores: Scores, segments: Segments, measures: list[Measure]) -> Scores:
    """The same scores with a row for each segment, run, measure and hole model; of measures that are means.

    Hole models that have the values of the first one, such as bounds, are left out.
    """
    from unjudged.uncertainty.intervals import mean_interval  # which loads SciPy, and scoring must not wait for it

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


def _disagreements(scores: Scores, m: int, places: list[np.ndarray]) -> list[Notice]:
    """Pairs of runs of which one is better on all of these topics, and the other in every or in most segments."""
    if len(places) < 2:
        return []
    values = scores.values[0, m]
    whole = mean_known(values[:, np.concatenate(places)])
    parts = np.stack([mean_known(values[:, own]) for own in places])
    ahead = whole[:, None] > whole[None]
    behind: Floats = (parts[:, :, None] < parts[:, None]).sum(axis=0)
    out = []
    for code, which, words in (
        ("simpsons-paradox", ahead & (behind == len(places)), "every segment (Simpson's paradox)"),
        ("segments-disagree", ahead & (2 * behind > len(places)) & (behind < len(places)), "most segments"),
    ):
        pairs = np.argwhere(which)
        if len(pairs):
            best = max(pairs.tolist(), key=lambda pair: whole[pair[0]] - whole[pair[1]])
            first, second = (scores.runs[run] for run in best)
            text = (
                f"{scores.measures[m]}: {first} is better than {second} on the whole, and worse in {words}"
                f" ({behind[best[0], best[1]]:.0f} of {len(places)})"
            )
            more = f"; so are {len(pairs) - 1:,} more pairs of runs" if len(pairs) > 1 else ""
            out.append(Notice(code, len(pairs), text + more))
    return out
