"""What strategies find when a collection is judged again in their order, against the judgments that they take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unjudged.errors import InputError
from unjudged.reports.charts import theme
from unjudged.reports.charts.base import Chart, chart, columns_of
from unjudged.reports.charts.naming import rest
from unjudged.results.reuse import Reuse

__all__ = ["StrategyCurves", "strategies"]

_MOST = 7
"""Lines that can be told apart without colour: as many as there are dashes."""
_WORDS = {
    "recall": "share of the relevant documents",
    "tau_b": "Kendall's tau-b",
    "tau_ap": "tau AP",
    "rmse": "RMSE",
    "bias": "bias",
    "significant_kept": "share of the significant differences",
    "significant_false": "false ones among significant differences",
}


@dataclass(frozen=True, eq=False, repr=False)
class StrategyCurves(Chart):
    """A line per strategy."""

    statistic: str = ""

    def marks(self, alt: Any, data: Any) -> Any:
        """Lines with points; the horizontal axis is logarithmic, as few judgments are where strategies differ."""
        names = self.distinct("strategy")
        colour, shape = theme.signs(alt, "strategy", names)
        dashes = alt.Scale(domain=names, range=theme.cycled(theme.DASHES, len(names)))
        strokes = alt.Scale(domain=names, range=theme.cycled(theme.COLOURS, len(names)))
        axis = alt.Axis(format=",.0f" if max(self.columns["per_topic"]) >= 10 else "~g")
        x = alt.X("per_topic:Q", title="judgments per topic", scale=alt.Scale(type="log", nice=False), axis=axis)
        y = alt.Y("value:Q", title=_WORDS[self.statistic], scale=alt.Scale(zero=False))
        tooltip = [
            "strategy:N",
            "judgments:Q",
            alt.Tooltip("share:Q", format=".1%"),
            alt.Tooltip("value:Q", format=".4f"),
        ]
        base = alt.Chart().encode(x=x, y=y, tooltip=tooltip)
        lines = base.mark_line(strokeWidth=1.6).encode(
            stroke=alt.Stroke("strategy:N", scale=strokes, legend=None),
            strokeDash=alt.StrokeDash("strategy:N", scale=dashes, legend=None),
        )
        points = base.mark_point(size=46, filled=True, opacity=1).encode(color=colour, shape=shape)
        drawn = alt.layer(lines, points, data=data).properties(width=theme.WIDTH, height=280)
        return drawn.resolve_legend(stroke="independent", strokeDash="independent")


@chart(is_default=lambda result: bool(result.strategies()))
def strategies(
    result: Reuse, *, statistic: str = "recall", measure: str | None = None, top: int = _MOST
) -> StrategyCurves:
    """A *statistic* of each strategy against judgments per topic, by one *measure*, the first unless given.

    Needs strategies, as in ``unjudged reuse --strategy mtf --strategy evidence``.
    """
    if statistic not in _WORDS:
        raise InputError(f"no curve of {statistic!r}; there is {', '.join(_WORDS)}")
    rows = result.strategies()
    if not rows:
        raise InputError("no strategy was tried: name some, such as --strategy mtf --strategy evidence")
    first = next((row for row in rows if measure in (None, row.measure)), None)
    if first is None:
        raise InputError(f"no row for {measure}; there is {', '.join(dict.fromkeys(row.measure for row in rows))}")
    rows = tuple(
        row for row in rows if (row.measure, row.holes, row.truth) == (first.measure, first.holes, first.truth)
    )
    # Those that say most come first where some are left out: the one that is recommended, then the others as given.
    names = list(dict.fromkeys(row.strategy for row in sorted(rows, key=lambda row: not row.recommended)))
    shown = [row for row in rows if row.strategy in names[:top]]
    cells = [
        [row.strategy, row.judgments, row.per_topic, row.share, getattr(row, statistic)]
        for row in shown
        if getattr(row, statistic) is not None
    ]
    by = "" if statistic == "recall" else f", by {first.measure} with {first.holes}"
    return StrategyCurves(
        columns_of(("strategy", "judgments", "per_topic", "share", "value"), cells),
        f"What strategies find: {result.runs} runs, {result.topics} topics{by}",
        tuple(rest("first", min(top, len(names)), len(names), of="strategies")),
        statistic,
        inputs=result.provenance.files,
    )
