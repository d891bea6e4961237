"""Mean scores of runs on other corpora, by each measure, as in Figures 3 and 4 of the corpus bootstrapping paper."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from unjudged.reports.charts.base import chart, columns_of
from unjudged.reports.charts.naming import TOP, rest, short_names
from unjudged.reports.charts.panels import BoxPanels, panel_measures
from unjudged.results.properties import Properties
from unjudged.wording import counted

__all__ = ["MeansOnImages", "means_on_images"]


@dataclass(frozen=True, eq=False, repr=False)
class MeansOnImages(BoxPanels):
    """One line per run, one panel per measure: 95% of its means as a line, one standard deviation as a box."""

    def scale(self) -> dict[str, Any]:
        """As far as means go."""
        return {"zero": False, "nice": True}


@chart()
def means_on_images(result: Properties, *, measure: str | None = None, top: int = TOP) -> MeansOnImages:
    """How far images move the mean score of the first *top* runs, by every measure or one."""
    shown, hidden_measures = panel_measures(result.measures, measure)
    names = short_names(result.on_topics.runs)
    rows = []
    for i, one in enumerate(shown):
        of = [row for row in result.runs() if row.measure == one]
        for name, row in zip(names[:top], of, strict=False):
            mean, sd = row.images_mean, row.sd
            box = (None, None) if mean is None or sd is None else (mean - sd, mean + sd)
            rows.append((name, i, row.mean, row.low, box[0], mean, box[1], row.high))
    first = [row.mean for row in result.runs() if row.measure == shown[0]]
    return MeansOnImages(
        columns_of(("run", "panel", "observed", "low", "lower", "median", "upper", "high"), rows),
        f"Means over {counted(len(result.on_topics.topics), 'topic')} on {counted(result.images, 'image')} of the"
        " corpus",
        (
            *rest("best", min(top, len(names)), len(names), [math.nan if x is None else x for x in first[top:]]),
            *hidden_measures,
            f"Runs in the order of {result.by}; line 95% of the images, bar their mean, box one standard deviation to"
            " either side; diamond the mean on the corpus itself.",
        ),
        tuple(shown),
        inputs=result.provenance.files,
    )
