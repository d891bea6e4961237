"""Panels beside each other, one for each measure, with a box for each run or topic: whatever moves on images."""

from __future__ import annotations

from typing import Any

from unjudged.reports.charts import theme
from unjudged.reports.charts.naming import run_axis

__all__ = ["MOST_PANELS", "box_panels", "panel_words"]

MOST_PANELS = 6
"""Measures that fit beside each other; the paper has as many."""
_WIDTHS = (theme.WIDTH, 280, 200, 160, 135, 120)
"""Of a panel, by their number."""


def box_panels(
    alt: Any, data: Any, panels: list[str], lines: list[str], *, field: str, step: int, scale: dict[str, Any]
) -> Any:
    """A panel for each measure and a line for each run or topic (*field*), in the same order in all of them.

    Columns: ``panel`` is the number of the measure; a line goes from ``low`` to ``high``, a box from ``lower`` to
    ``upper``, with a bar at ``median``; ``observed`` has a diamond.
    """
    numbers = ("observed", "low", "lower", "median", "upper", "high")
    drawn = []
    for i, name in enumerate(panels):
        x_scale = alt.Scale(**scale)
        axis = alt.Axis(title=name, tickCount=4)
        y = run_axis(alt, lines, field=field, grid=True, gridColor=theme.FAINT_GRID)
        if i:
            y = alt.Y(f"{field}:N", scale=alt.Scale(domain=lines), axis=alt.Axis(labels=False, ticks=False, title=None))
        about = [f"{field}:N", *(alt.Tooltip(f"{one}:Q", format=".4~g") for one in numbers)]
        base = (
            alt.Chart(data).transform_filter(alt.FieldEqualPredicate(field="panel", equal=i)).encode(y=y, tooltip=about)
        )
        whiskers = base.mark_rule(color=theme.INK).encode(x=alt.X("low:Q", scale=x_scale, axis=axis), x2="high:Q")
        boxes = base.mark_bar(color=theme.RAMP[1], stroke=theme.INK, strokeWidth=0.7, height=step - 5).encode(
            x=alt.X("lower:Q", scale=x_scale), x2="upper:Q"
        )
        medians = base.mark_tick(color=theme.INK, thickness=2.2, size=step - 4).encode(
            x=alt.X("median:Q", scale=x_scale)
        )
        observed = base.mark_point(shape="diamond", size=26, filled=True, color=theme.COLOURS[4], opacity=1).encode(
            x=alt.X("observed:Q", scale=x_scale)
        )
        width = _WIDTHS[min(len(panels), len(_WIDTHS)) - 1]
        drawn.append(alt.layer(whiskers, boxes, medians, observed).properties(width=width, height=alt.Step(step)))
    return alt.hconcat(*drawn, spacing=8)


def panel_words(shown: int, total: int) -> tuple[str, ...]:
    """Which measures have no panel."""
    return () if shown >= total else (f"The first {shown} of {total} measures.",)
