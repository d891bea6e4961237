"""Panels beside each other, one for each measure, with a box for each run or topic: whatever moves on images."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from unjudged.reports.charts import theme
from unjudged.reports.charts.base import Chart
from unjudged.reports.charts.naming import run_axis
from unjudged.results.scores import pick

__all__ = ["BoxPanels", "panel_measures"]

_MOST_PANELS = 6
"""Measures that fit beside each other; the paper has as many."""
_WIDTHS = (theme.WIDTH, 280, 200, 160, 135, 120)
"""Of a panel, by their number."""


@dataclass(frozen=True, eq=False, repr=False)
class BoxPanels(Chart):
    """A panel for each measure and a line for each run or topic (``field``), in the same order in all of them.

    Columns: ``panel`` is the number of the measure; a line goes from ``low`` to ``high``, a box from ``lower`` to
    ``upper``, with a bar at ``median``; ``observed`` has a diamond.
    """

    measures: tuple[str, ...] = ()
    field: ClassVar[str] = "run"
    step: ClassVar[int] = 14
    """Height of a line."""

    @abstractmethod
    def scale(self) -> dict[str, Any]:
        """How far the axis of each panel goes."""

    def marks(self, alt: Any, data: Any) -> Any:
        """Boxes of what moves."""
        lines, field, step = self.distinct(self.field), self.field, self.step
        numbers = ("observed", "low", "lower", "median", "upper", "high")
        x_scale = alt.Scale(**self.scale())
        width = _WIDTHS[min(len(self.measures), len(_WIDTHS)) - 1]
        drawn = []
        for i, name in enumerate(self.measures):
            axis = alt.Axis(title=name, tickCount=4)
            y = run_axis(alt, lines, field=field, grid=True, gridColor=theme.FAINT_GRID)
            if i:
                no_labels = alt.Axis(labels=False, ticks=False, title=None)
                y = alt.Y(f"{field}:N", scale=alt.Scale(domain=lines), axis=no_labels)
            about = [f"{field}:N", *(alt.Tooltip(f"{one}:Q", format=".4~g") for one in numbers)]
            of_measure = alt.Chart(data).transform_filter(alt.FieldEqualPredicate(field="panel", equal=i))
            base = of_measure.encode(y=y, tooltip=about)
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
            drawn.append(alt.layer(whiskers, boxes, medians, observed).properties(width=width, height=alt.Step(step)))
        return alt.hconcat(*drawn, spacing=8)


def panel_measures(measures: Sequence[str], wanted: str | None) -> tuple[Sequence[str], tuple[str, ...]]:
    """The measures that have a panel, all or one, and what is said of the others."""
    of = measures if wanted is None else [measures[pick(measures, wanted, "measure")]]
    return of[:_MOST_PANELS], () if len(of) <= _MOST_PANELS else (f"The first {_MOST_PANELS} of {len(of)} measures.",)
