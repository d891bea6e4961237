"""Where the uncertainty of each mean comes from: holes, topics, the corpus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unjudged.reports.charts import theme
from unjudged.reports.charts.base import Chart, chart, columns_of
from unjudged.reports.charts.naming import TOP, rest, run_axis, short_names
from unjudged.results.comparison import Comparison

__all__ = ["UncertaintyBudget", "budget"]

_ROW = 15
_SOURCES = ("holes", "topics", "corpus", "together")


@dataclass(frozen=True, eq=False, repr=False)
class UncertaintyBudget(Chart):
    """One line per run: a point for each source, and a bar for all of them together."""

    measure: str = ""

    def marks(self, alt: Any, data: Any) -> Any:
        """Standard deviations do not add up, so they stand beside each other and are not stacked."""
        sources = self.distinct("source")
        # The bar that says "together" comes last in the columns, and takes no colour from the sources.
        single = [one for one in sources if one != "together"]
        colour, shape = theme.signs(alt, "source", single)
        y = run_axis(alt, self.distinct("run"), grid=True, gridColor=theme.FAINT_GRID)
        # Nothing is stacked: Vega would look up stacks by name, and "constructor" is always there.
        x = alt.X("sd:Q", title=f"standard deviation of mean {self.measure}", scale=alt.Scale(zero=True), stack=None)
        base = alt.Chart(data).encode(y=y, x=x, tooltip=["run:N", "source:N", alt.Tooltip("sd:Q", format=".4f")])
        together = base.transform_filter("datum.source === 'together'").mark_bar(
            color="#e3e3e3", stroke=theme.FAINT, strokeWidth=0.6, height=_ROW - 5
        )
        points = (
            base.transform_filter("datum.source !== 'together'")
            .mark_point(size=46, filled=True, opacity=1)
            .encode(color=colour, shape=shape)
        )
        return alt.layer(together, points).properties(width=theme.WIDTH, height=alt.Step(_ROW))


@chart()
def budget(comparison: Comparison, *, top: int = TOP) -> UncertaintyBudget:
    """Standard deviation of the means of the best *top* runs from each source alone, and from all together."""
    rows = comparison.budget()
    names = short_names([row.run for row in rows])
    sds = [
        (name, source, getattr(row, source))
        for name, row in list(zip(names, rows, strict=True))[:top]
        for source in _SOURCES
        if getattr(row, source) is not None
    ]
    return UncertaintyBudget(
        columns_of(("run", "source", "sd"), sds),
        f"What makes {comparison.measure} uncertain",
        (
            *rest("best", min(top, len(rows)), len(rows), [row.together for row in rows[top:]]),
            "Points: one source alone. Bars: all of them together. More judgments help against holes, more topics"
            " against topics.",
        ),
        comparison.measure,
        inputs=comparison.provenance.files,
    )
