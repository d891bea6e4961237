"""How many blind judgments one finds who looks at the worst ones again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unjudged.reports.charts import theme
from unjudged.reports.charts.base import Chart, chart, columns_of
from unjudged.results.audit import Audit
from unjudged.wording import counted

__all__ = ["FoundErrors", "planted"]

_KINDS = ("all wrong ones", "too high", "too low")


@dataclass(frozen=True, eq=False, repr=False)
class FoundErrors(Chart):
    """A line for all errors, and for grades that are too high and too low."""

    def marks(self, alt: Any, data: Any) -> Any:
        """Lines with points; the horizontal axis is logarithmic, as the first judgments are those one looks at."""
        colour, shape = theme.signs(alt, "errors", self.distinct("errors"))
        x = alt.X(
            "share:Q",
            title="share of the judgments that is looked at again, the worst first",
            scale=alt.Scale(type="log", nice=False, padding=12),
            axis=alt.Axis(format="~%", values=[0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5]),
        )
        y = alt.Y("found:Q", title="found", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1]))
        numbers = [alt.Tooltip("checked:Q", format=","), alt.Tooltip("found:Q", format=".1%")]
        base = alt.Chart(data).encode(x=x, y=y, color=colour, tooltip=["errors:N", *numbers])
        lines, points = base.mark_line(strokeWidth=1.6), base.mark_point(size=46, filled=True, opacity=1)
        chance = alt.Chart(data).mark_line(color=theme.FAINT, strokeDash=[4, 3]).encode(x=x, y=alt.Y("share:Q"))
        return alt.layer(chance, lines, points.encode(shape=shape)).properties(width=theme.WIDTH, height=280)


@chart()
def planted(result: Audit) -> FoundErrors:
    """The share of blind judgments among the worst ones: of all wrong ones, of those too high and of those too low."""
    rows = [
        (kind, row.checked, row.share, found)
        for row in result.planted()
        for kind, found in zip(_KINDS, (row.found, row.too_high, row.too_low), strict=True)
        if found is not None
    ]
    return FoundErrors(
        columns_of(("errors", "checked", "share", "found"), rows),
        f"Errors among {counted(result.judgments, 'judgment')} that an audit finds",
        ("Errors are judgments made without looking at the document. Dashed: what looking at random finds.",),
        inputs=result.provenance.files,
    )
