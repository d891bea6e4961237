"""Whether runs whose means on images are apart are significantly different, which the paper on images leaves open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unjudged.reports.charts import theme
from unjudged.reports.charts.base import Chart, chart, columns_of
from unjudged.results.comparison import SIGNIFICANT
from unjudged.results.properties import Properties
from unjudged.results.properties_rows import PairOnImages
from unjudged.wording import counted

__all__ = ["IntervalsAndTest", "intervals_against_test"]

_BINS = 10
_FEWEST = 12
"""Pairs in a bin."""


@dataclass(frozen=True, eq=False, repr=False)
class IntervalsAndTest(Chart):
    """A line per measure: the share of significant pairs, by how far their means are apart."""

    test: str = ""

    def marks(self, alt: Any, data: Any) -> Any:
        """Lines with points; where means are outside of each other's interval, the horizontal axis is above 1."""
        measures = self.distinct("measure")
        colour, shape = theme.signs(alt, "measure", measures)
        dashes = alt.Scale(domain=measures, range=theme.cycled(theme.DASHES, len(measures)))
        strokes = alt.Scale(domain=measures, range=theme.cycled(theme.COLOURS, len(measures)))
        x = alt.X(
            "gap:Q",
            title="distance of two means, in halves of a 95% interval over images",
            scale=alt.Scale(type="sqrt", zero=True, nice=False, padding=10),
            axis=alt.Axis(format="~g", values=[0, 0.2, 0.5, 1, 2, 3, 5, 8, 12, 20, 50]),
        )
        y = alt.Y(
            "significant:Q",
            title=f"pairs with p < {SIGNIFICANT} ({self.test})",
            scale=alt.Scale(domain=[0, 1]),
            axis=alt.Axis(format="%"),
        )
        outside = alt.Chart(data).mark_rule(color=theme.FAINT, strokeDash=[4, 3]).encode(x=alt.datum(1))
        about = ["measure:N", "pairs:Q", alt.Tooltip("gap:Q", format=".2f"), alt.Tooltip("significant:Q", format=".0%")]
        base = alt.Chart(data).encode(x=x, y=y, tooltip=about)
        lines = base.mark_line(strokeWidth=1.6).encode(
            stroke=alt.Stroke("measure:N", scale=strokes, legend=None),
            strokeDash=alt.StrokeDash("measure:N", scale=dashes, legend=None),
        )
        points = base.mark_point(filled=True, size=46, opacity=1).encode(color=colour, shape=shape)
        drawn = alt.layer(outside, lines, points).properties(width=theme.WIDTH, height=290)
        # Else the lines, which have no legend, would take that of the points away.
        return drawn.resolve_legend(stroke="independent", strokeDash="independent")


@chart()
def intervals_against_test(result: Properties) -> IntervalsAndTest:
    """The share of pairs of runs that are significantly different, by how far their means over images are apart.

    Pairs are put into bins with as many in each, up to ten.
    """
    rows = []
    for measure in result.measures:
        rows += [(measure, *one) for one in _bins([row for row in result.pairs() if row.measure == measure])]
    return IntervalsAndTest(
        columns_of(("measure", "gap", "significant", "pairs"), rows),
        f"Do intervals over images say what a test says? {counted(len(result.on_topics.runs), 'run')},"
        f" {counted(len(result.on_topics.topics), 'topic')}",
        (
            f"Pairs by how far the means of the two over {counted(result.images, 'image')} are apart; to the right of"
            " the dashed line each mean is outside of the other's 95% interval.",
        ),
        result.test,
        inputs=result.provenance.files,
    )


def _bins(pairs: Sequence[PairOnImages]) -> list[tuple[float, float, int]]:
    """Mean gap, share of significant pairs and number of pairs, from those that are closest on."""
    known = [row.gap for row in pairs if row.gap is not None]
    far = max(known, default=0.0)  # where an interval has no width, pairs are as far apart as any other
    gaps = np.array([far if row.gap is None else row.gap for row in pairs])
    order = np.argsort(gaps, kind="stable")
    significant = np.array([row.p < SIGNIFICANT for row in pairs])
    parts = np.array_split(order, max(1, min(_BINS, len(order) // _FEWEST)))
    return [(float(gaps[part].mean()), float(significant[part].mean()), len(part)) for part in parts]
