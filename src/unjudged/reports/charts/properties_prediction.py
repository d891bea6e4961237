"""Whether images predict another image: Table 2 of the corpus bootstrapping paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unjudged.reports.charts import theme
from unjudged.reports.charts.base import Chart, chart, columns_of
from unjudged.results.comparison import LEVEL
from unjudged.results.properties import Properties
from unjudged.wording import counted

__all__ = ["Predictions", "prediction"]

_ROW = 26
_APART = {"t": -5, "percentile": 5}


@dataclass(frozen=True, eq=False, repr=False)
class Predictions(Chart):
    """One line per measure: the average share inside of the interval, between the worst and the best image."""

    def marks(self, alt: Any, data: Any) -> Any:
        """Points on lines, one for each kind of interval, and where they should be."""
        colour, shape = theme.signs(alt, "interval", list(_APART))
        scale = alt.Scale(zero=False, nice=True)
        axis = alt.Axis(format="%", title="differences of two runs on a topic inside of their 95% interval")
        promised = alt.Chart(data).mark_rule(color=theme.FAINT, strokeDash=[4, 3]).encode(x=alt.datum(LEVEL))
        shares = [alt.Tooltip(f"{one}:Q", format=".1%") for one in ("inside", "lowest", "highest", "below", "above")]
        layers = [promised]
        for kind, offset in _APART.items():
            base = (
                alt.Chart(data)
                .transform_filter(alt.FieldEqualPredicate(field="interval", equal=kind))
                .encode(
                    y=alt.Y("measure:N", title=None, scale=alt.Scale(domain=self.distinct("measure"))),
                    color=colour,
                    tooltip=["measure:N", "interval:N", *shares],
                )
            )
            lines = base.mark_rule(strokeWidth=1.4, yOffset=offset).encode(
                x=alt.X("lowest:Q", scale=scale, axis=axis), x2="highest:Q"
            )
            points = base.mark_point(filled=True, size=60, opacity=1, yOffset=offset).encode(
                x=alt.X("inside:Q", scale=scale), shape=shape
            )
            layers += [lines, points]
        return alt.layer(*layers).properties(width=theme.WIDTH, height=alt.Step(_ROW))


@chart()
def prediction(result: Properties) -> Predictions:
    """The share of differences on an image that is inside of the interval made of all other images, by measure."""
    rows = [tuple(row) for row in result.prediction() if row.inside is not None]
    return Predictions(
        columns_of(("measure", "interval", "below", "inside", "above", "lowest", "highest"), rows),
        f"Is an image like the {result.images - 1:,} others?",
        (
            f"Each of {counted(result.images, 'image')} is predicted by all others: point the average, line from the"
            " worst to the best image.",
        ),
        inputs=result.provenance.files,
    )
