"""Scores of one run on each topic on other corpora, as in Figure 2 of the corpus bootstrapping paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from unjudged.reports.charts.base import chart, columns_of
from unjudged.reports.charts.naming import rest, short_names
from unjudged.reports.charts.panels import BoxPanels, panel_measures
from unjudged.results.properties import Properties
from unjudged.results.scores import pick
from unjudged.results.tabular import number_or_none
from unjudged.wording import counted

__all__ = ["TopicsOnImages", "topics_on_images"]

_TOPICS = 60
"""Topics that fit on a page."""


@dataclass(frozen=True, eq=False, repr=False)
class TopicsOnImages(BoxPanels):
    """One line per topic, one panel per measure: 95% of the images as a line, the middle half as a box."""

    field = "topic"
    step = 13

    def scale(self) -> dict[str, Any]:
        """From 0 to 1, or further: all panels have the same axis, so that measures can be compared."""
        return {"domain": [0, max([1.0, *(one for one in self.columns["high"] if one is not None)])], "nice": False}


@chart()
def topics_on_images(result: Properties, *, run: str | None = None, top: int = _TOPICS) -> TopicsOnImages:
    """The distribution over images of a *run*'s score (the first unless named) on the *top* topics it does best on."""
    every = result.on_topics
    r = 0 if run is None else pick(every.runs, run, "run")
    shown, hidden_measures = panel_measures(result.measures, None)
    medians = np.nan_to_num(every.quantiles[2, 0, r], nan=-np.inf)
    order = np.argsort(-medians, kind="stable")
    names = short_names(every.topics)
    rows = []
    for m in range(len(shown)):
        for t in order[:top].tolist():
            quantiles = [number_or_none(one) for one in every.quantiles[:, m, r, t].tolist()]
            rows.append((names[t], m, number_or_none(every.scores[m, r, t]), *quantiles))
    return TopicsOnImages(
        columns_of(("topic", "panel", "observed", "low", "lower", "median", "upper", "high"), rows),
        f"Scores of {short_names([every.runs[r]])[0]} on each topic, on {counted(result.images, 'image')} of the"
        " corpus",
        (
            *rest(
                "easiest", min(top, len(order)), len(order), every.quantiles[2, 0, r, order[top:]].tolist(), of="topics"
            ),
            *hidden_measures,
            f"Topics in the order of their median {shown[0]}; line 95% of the images, box the middle half, bar the"
            " median; diamond the score on the corpus itself.",
        ),
        tuple(shown),
        inputs=result.provenance.files,
    )
