"""What people said where a judge gave a label: a matrix for each judge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unjudged.reports.charts import theme
from unjudged.reports.charts.base import Chart, chart, columns_of
from unjudged.reports.charts.naming import rest, short_names
from unjudged.results.judges import Judges
from unjudged.wording import counted

__all__ = ["ConfusionMatrices", "confusion"]

_TOP = 9
_CELL = 34


@dataclass(frozen=True, eq=False, repr=False)
class ConfusionMatrices(Chart):
    """A panel for each judge; a line has the shares of human grades among the pairs with one label."""

    def marks(self, alt: Any, data: Any) -> Any:
        """Cells with the share in percent."""
        numbers = [alt.Tooltip("pairs:Q", format=","), alt.Tooltip("share:Q", format=".1%")]
        base = alt.Chart().encode(
            x=alt.X("grade:O", title="grade by people", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("label:O", title="label", sort="descending"),
            tooltip=["panel:N", "label:Q", "grade:Q", *numbers],
        )
        fill = alt.Fill("share:Q", scale=alt.Scale(domain=[0, 1], range=list(theme.RAMP)), legend=None)
        cells = base.mark_rect(stroke=theme.FAINT, strokeWidth=0.6).encode(fill=fill)
        text = base.mark_text(fontSize=9).encode(
            text=alt.Text("share:Q", format=".0%"),
            color=alt.condition("datum.share > 0.6", alt.value("white"), alt.value(theme.INK)),
        )
        return (
            alt.layer(cells, text, data=data)
            .properties(width=alt.Step(_CELL), height=alt.Step(_CELL * 0.7))
            .facet(facet=alt.Facet("panel:N", title=None, sort=alt.EncodingSortField("place", op="min")), columns=3)
            .resolve_scale(y="independent", x="independent")
        )


@chart(is_default=lambda result: not result.orders())
def confusion(result: Judges, *, top: int = _TOP) -> ConfusionMatrices:
    """What people said where a judge gave each label, for the first *top* judges."""
    judges = [row.judge for row in result.judges()]
    # Facets look names up in a plain object of JavaScript, which a number in front keeps them apart from.
    names = {judge: f"{i}. {name}" for i, (judge, name) in enumerate(zip(judges, short_names(judges), strict=True), 1)}
    kept, place = set(judges[:top]), {judge: i for i, judge in enumerate(judges)}
    rows = [
        (place[row.judge], names[row.judge], row.label, row.grade, row.pairs, row.share)
        for row in result.confusion()
        if row.judge in kept
    ]
    return ConfusionMatrices(
        columns_of(("place", "panel", "label", "grade", "pairs", "share"), rows),
        f"Labels and grades: {counted(result.judgments, 'judgment')}",
        (
            *rest("first", len(kept), len(judges), of="judges"),
            "A line: of the pairs with this label, how many have each grade by people.",
        ),
        inputs=result.provenance.files,
    )
