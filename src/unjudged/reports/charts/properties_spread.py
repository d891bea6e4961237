"""Differences of two runs on single topics with shallow pools, as in Figure 7 of the corpus bootstrapping paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unjudged.reports.charts import theme
from unjudged.reports.charts.base import Chart, chart, columns_of
from unjudged.reports.charts.naming import short_names
from unjudged.reports.charts.properties_shallow import depth_name, pair_of
from unjudged.results.properties import Properties
from unjudged.wording import counted

__all__ = ["ShallowSpread", "shallow_spread"]

_ROW = 18


@dataclass(frozen=True, eq=False, repr=False)
class ShallowSpread(Chart):
    """One line per measure and depth: 95% of the differences as a line, the middle half as a box."""

    def marks(self, alt: Any, data: Any) -> Any:
        """Boxes of differences, around 0."""
        lines = self.distinct("line")
        y = alt.Y("line:N", title=None, scale=alt.Scale(domain=lines))
        x = alt.Scale(nice=True)
        numbers = [alt.Tooltip(f"{one}:Q", format="+.3f") for one in ("low", "lower", "median", "upper", "high")]
        base = alt.Chart(data).encode(y=y, tooltip=["line:N", *numbers, alt.Tooltip("spread:Q", format=".3f")])
        zero = alt.Chart(data).mark_rule(color=theme.FAINT, strokeWidth=0.8).encode(x=alt.datum(0))
        axis = alt.Axis(title="difference on a topic")
        whiskers = base.mark_rule(color=theme.INK).encode(x=alt.X("low:Q", scale=x, axis=axis), x2="high:Q")
        fill = alt.Fill("share:Q", scale=alt.Scale(domain=[0, 1], range=[theme.RAMP[0], theme.RAMP[2]]), legend=None)
        boxes = base.mark_bar(stroke=theme.INK, strokeWidth=0.7, height=_ROW - 6).encode(
            x=alt.X("lower:Q", scale=x), x2="upper:Q", fill=fill
        )
        medians = base.mark_tick(color=theme.INK, thickness=2.2, size=_ROW - 5).encode(x=alt.X("median:Q", scale=x))
        return alt.layer(zero, whiskers, boxes, medians).properties(width=theme.WIDTH, height=alt.Step(_ROW))


@chart()
def shallow_spread(result: Properties, *, run: str | None = None, other: str | None = None) -> ShallowSpread:
    """How far the difference of two runs (the first pair unless named) spreads over topics, by depth of the pool."""
    pair = result.shallow_pools.pairs[pair_of(result, run, other)]
    of = [row for row in result.shallow_pairs() if (row.run, row.other) == pair and row.median is not None]
    depths = [*result.shallow_pools.depths]
    rows = [
        (
            f"{row.measure}, {depth_name(row.depth)}",
            depths.index(row.depth) / max(1, len(depths) - 1),
            *(row.low, row.lower, row.median, row.upper, row.high, row.spread),
        )
        for row in of
    ]
    first, second = short_names(pair)
    return ShallowSpread(
        columns_of(("line", "share", "low", "lower", "median", "upper", "high", "spread"), rows),
        f"{first} less {second} on each topic, when only their first documents are judged",
        (
            f"{counted(len(result.on_topics.topics), 'topic')} of {counted(result.images, 'image')} of the corpus: line"
            " 95% of them, box the middle half, bar the median; the darker, the deeper the pool.",
        ),
        inputs=result.provenance.files,
    )
