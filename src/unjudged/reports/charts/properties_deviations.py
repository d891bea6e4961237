"""How far differences and scores on a topic move on other corpora: Figure 1 of the corpus bootstrapping paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unjudged.reports.charts import theme
from unjudged.reports.charts.base import Chart, chart, columns_of
from unjudged.results.properties import Properties
from unjudged.wording import counted

__all__ = ["Deviations", "deviations"]

_ROW = 36
_OFFSETS = (-3, -11, -11)
"""By which each kind is drawn higher than the middle of its line: two of them are often close."""
_KINDS = ("difference of two runs", "score of a run", "size of differences")


@dataclass(frozen=True, eq=False, repr=False)
class Deviations(Chart):
    """One line per measure: a tick for each topic, and points for averages over runs and topics."""

    def marks(self, alt: Any, data: Any) -> Any:
        """Ticks in the lower half of a line, so that points in its middle hide none."""
        measures = self.distinct("measure")
        colour, shape = theme.signs(alt, "kind", _KINDS)
        y = alt.Y("measure:N", title=None, scale=alt.Scale(domain=measures))
        x = alt.X("sd:Q", title="standard deviation over images", scale=alt.Scale(zero=True))
        base = alt.Chart(data).encode(y=y, x=x)
        about = ["measure:N", "topic:N", alt.Tooltip("sd:Q", format=".4f")]
        topics = (
            base.transform_filter("!isValid(datum.kind)")
            .mark_tick(color=theme.FAINT, thickness=1, size=11, yOffset=10, opacity=0.75)
            .encode(tooltip=about)
        )
        points = [
            base.transform_filter(alt.FieldEqualPredicate(field="kind", equal=kind))
            .mark_point(filled=True, size=75, opacity=1, yOffset=offset)
            .encode(color=colour, shape=shape, tooltip=["measure:N", "kind:N", about[-1]])
            for kind, offset in zip(_KINDS, _OFFSETS, strict=True)
        ]
        return alt.layer(topics, *points).properties(width=theme.WIDTH, height=alt.Step(_ROW))


@chart(is_default=lambda _: True)
def deviations(result: Properties) -> Deviations:
    """Standard deviation over images of differences and scores on a topic, beside the size of differences."""
    rows: list[tuple[Any, ...]] = []
    for row in result.precision():
        averages = zip(_KINDS, (row.difference_sd, row.score_sd, row.difference), strict=True)
        rows += [(row.measure, kind, None, sd) for kind, sd in averages if sd is not None]
    rows += [
        (row.measure, None, row.topic, row.score_sd_high) for row in result.topics() if row.score_sd_high is not None
    ]
    return Deviations(
        columns_of(("measure", "kind", "topic", "sd"), rows),
        f"How far other corpora move scores on a topic: {counted(len(result.on_topics.runs), 'run')}",
        (
            f"{counted(result.images, 'image')} of the corpus. Points: averages over topics and runs, or pairs of runs;"
            " the size of differences is that on the corpus itself.",
            f"Ticks: each of {counted(len(result.on_topics.topics), 'topic')}, the score of a run, 95th percentile over"
            " runs.",
        ),
        inputs=result.provenance.files,
    )
